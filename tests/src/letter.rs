//! One letter a result type, so that an expected answer pins the types of its columns too.

use sqllogictest::ColumnType;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter(char);

/// Letter, `format_type` name and `pg_type.typname`.
const LETTERS: &[(char, &str, &str)] = &[
    ('B', "boolean", "bool"),
    ('S', "smallint", "int2"),
    ('I', "integer", "int4"),
    ('L', "bigint", "int8"),
    ('N', "numeric", "numeric"),
    ('F', "real", "float4"),
    ('D', "double precision", "float8"),
    ('T', "text", "text"),
    ('V', "character varying", "varchar"),
    ('C', "character", "bpchar"),
    ('Y', "date", "date"),
    ('P', "timestamp without time zone", "timestamp"),
    ('M', "interval", "interval"),
];

impl Letter {
    /// Modifiers do not count: `numeric(10,2)` is `N`. Arrays are `A`, all other types `X`.
    pub fn of_type(name: &str) -> Letter {
        if name.ends_with("[]") {
            return Letter('A');
        }
        let base = name.split('(').next().unwrap_or(name).trim();
        Letter(
            LETTERS
                .iter()
                .find(|(_, known, _)| *known == base)
                .map_or('X', |(letter, ..)| *letter),
        )
    }

    /// By `pg_type.typname`, in which arrays start with an underscore.
    pub fn of_catalog_name(name: &str) -> Letter {
        if name.starts_with('_') {
            return Letter('A');
        }
        Letter(
            LETTERS
                .iter()
                .find(|(.., known)| *known == name)
                .map_or('X', |(letter, ..)| *letter),
        )
    }
}

impl ColumnType for Letter {
    fn from_char(value: char) -> Option<Self> {
        (value == 'A' || value == 'X' || LETTERS.iter().any(|(letter, ..)| *letter == value))
            .then_some(Letter(value))
    }

    fn to_char(&self) -> char {
        self.0
    }
}
