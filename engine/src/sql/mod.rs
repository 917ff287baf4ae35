//! SQL text to syntax trees.
//!
//! A [`Script`] hands out statements one at a time; [`parse_statement`] makes a [`ast::Statement`]
//! of one. An error in the third statement therefore does not keep the first two from running.
//!
//! Text is cut into tokens by the tokenizer of the `sqlparser` crate under a dialect of our own, a
//! window at a time (`pieces`); `lexer` makes PostgreSQL's lexemes of them, after `scan.l`. The
//! grammar is ours and follows `gram.y`: what PostgreSQL refuses is refused at the same token with
//! the same words, every node knows its line and column, operators bind as in PostgreSQL
//! (`-2 ^ 2` is 4), and no clause can be read and then forgotten.
//!
//! `sqlparser`'s grammar was tried over its syntax trees and is not used. It accepts what
//! PostgreSQL refuses (`TOP`, `QUALIFY`, `PIVOT`, `SEMI JOIN`, `a == b`, `a < b < c`), refuses what
//! PostgreSQL accepts (`USING heap`, `CREATE OPERATOR ===`, frames with `EXCLUDE`, `TABLE t`), reads
//! `-2 ^ 2` as -4, and needs 40 kB of stack for a sub-select. It also made the engine 1,082 kB of
//! wasm after brotli, 822 kB with everything compiled for size, where the page can carry 750 kB.

pub mod ast;
mod dialect;
mod keywords;
mod lexer;
mod literal;
mod parser;
mod pieces;
mod script;
mod token;

pub use parser::{MAX_DEPTH, parse_expression, parse_statement};
pub use script::{Script, StatementText};

#[cfg(test)]
mod tests;
