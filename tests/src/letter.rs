//! One letter a result type, so that an expected answer pins the types of its columns too.

use sqllogictest::ColumnType;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter(char);

/// Letter and `format_type` name.
const LETTERS: &[(char, &str)] = &[
    ('B', "boolean"),
    ('S', "smallint"),
    ('I', "integer"),
    ('L', "bigint"),
    ('N', "numeric"),
    ('F', "real"),
    ('D', "double precision"),
    ('T', "text"),
    ('V', "character varying"),
    ('Y', "date"),
    ('P', "timestamp without time zone"),
];

impl Letter {
    /// Modifiers do not count: `numeric(10,2)` is `N`. Arrays are `A`, all other types `X`.
    pub fn of_type(name: &str) -> Letter {
        if name.ends_with("[]") {
            return Letter('A');
        }
        let base = name.split('(').next().unwrap_or(name).trim();
        Letter(LETTERS.iter().find(|(_, known)| *known == base).map_or('X', |(letter, _)| *letter))
    }
}

impl ColumnType for Letter {
    fn from_char(value: char) -> Option<Self> {
        (value == 'A' || value == 'X' || LETTERS.iter().any(|(letter, _)| *letter == value))
            .then_some(Letter(value))
    }

    fn to_char(&self) -> char {
        self.0
    }
}
