//! SQL text to syntax trees.
//!
//! A [`Script`] hands out statements one at a time; [`parse_statement`] makes a [`ast::Statement`]
//! of one. An error in the third statement therefore does not keep the first two from running.
//!
//! A statement goes four ways at most:
//!
//! ```text
//! text ─ lexer ─ guard ─ dialect (sqlparser) ─ lower ─ ast
//!                   └─── utility ──────────────────┘
//! ```
//!
//! The scanner follows `scan.l`. The guard refuses what would nest too deeply for the stack. The
//! `sqlparser` crate finds the structure of queries, changes, table definitions and expressions
//! under a dialect of our own, which holds it to `gram.y`: operators bind as in PostgreSQL (`-2 ^ 2`
//! is 4), `a < b < c` is an error. Its tree is lowered to ours beside the tokens, so that every
//! node knows its line and column and no clause can be read and then forgotten; what PostgreSQL
//! refuses is refused at the same token with the same words.

pub mod ast;
mod dialect;
mod guard;
mod keywords;
mod lexer;
mod literal;
mod lower;
mod reader;
mod script;
mod token;
mod utility;

pub use script::{Script, StatementText};

use crate::error::{Position, Result};
use reader::Reader;

/// The most levels of nodes a syntax tree may have: what a chain of operators adds one by one.
/// PostgreSQL's own limit is its stack (`max_stack_depth`); ours is the megabyte of a browser's.
pub const MAX_DEPTH: u16 = 250;

/// Parses one statement of a script.
///
/// # Errors
/// 42601 with PostgreSQL's wording and the place in the script; 54001 when it nests too deeply;
/// 0A000 with the name of what PostgreSQL has and this engine has not.
pub fn parse_statement(statement: StatementText<'_>) -> Result<ast::Statement> {
    let mut reader = Reader::new(statement.text, statement.start);
    guard::check(reader.lexemes())?;
    let parsed = reader.statement()?;
    reader.expect_end()?;
    Ok(parsed)
}

/// Parses text that is one expression (the body of a `RETURN`).
///
/// # Errors
/// As [`parse_statement`].
pub fn parse_expression(text: &str, start: Position) -> Result<ast::Expr> {
    let mut reader = Reader::new(text, start);
    guard::check(reader.lexemes())?;
    let expr = reader.expr()?;
    reader.expect_end()?;
    Ok(expr)
}

#[cfg(test)]
mod tests;
