//! SQL text to syntax trees.
//!
//! A [`Script`] hands out statements one at a time; [`parse_statement`] makes a [`ast::Statement`]
//! of one. An error in the third statement therefore does not keep the first two from running.
//!
//! The scanner and the grammar follow PostgreSQL's `scan.l` and `gram.y` themselves rather than a
//! parser for many dialects: what PostgreSQL refuses is refused at the same token with the same
//! words, every node knows its line and column, operators bind as in PostgreSQL (`-2 ^ 2` is 4),
//! and no clause can be read and then forgotten.

pub mod ast;
mod keywords;
mod lexer;
mod literal;
mod parser;
mod script;
mod token;

pub use parser::{MAX_DEPTH, parse_expression, parse_statement};
pub use script::{Script, StatementText};

#[cfg(test)]
mod tests;
