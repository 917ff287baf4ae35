//! What the parser makes of a statement. Every node knows where it stands in the script.

mod expr;
mod query;
mod statement;

pub use expr::*;
pub use query::*;
pub use statement::*;

use crate::error::Position;

/// An identifier, folded unless it was quoted.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub text: String,
    pub at: Position,
}

/// A possibly qualified name; never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct QualifiedName {
    pub parts: Vec<Name>,
}

impl QualifiedName {
    pub fn at(&self) -> Position {
        self.parts
            .first()
            .map_or(Position { line: 1, column: 1 }, |name| name.at)
    }

    /// The last part, which names the object itself.
    pub fn object(&self) -> &str {
        self.parts.last().map_or("", |name| name.text.as_str())
    }
}

impl std::fmt::Display for QualifiedName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            f.write_str(&part.text)?;
        }
        Ok(())
    }
}

/// A type as written: `numeric(10, 2)`, `varchar(5)[]`, `timestamp with time zone`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// PostgreSQL's name of the type: SQL's own spellings are already mapped (`integer` → `int4`).
    pub name: QualifiedName,
    pub modifiers: Vec<i64>,
    /// Pairs of brackets behind the name.
    pub dimensions: u32,
    pub set_of: bool,
}
