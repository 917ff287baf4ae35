//! Tokens of PostgreSQL's scanner.

use super::keywords::Keyword;
use crate::error::{Error, Position};

/// One token with its place in the script.
#[derive(Clone, Debug)]
pub struct Lexeme {
    pub token: Token,
    pub at: Position,
    /// Byte offsets into the scanned text.
    pub start: usize,
    pub end: usize,
}

/// What the scanner tells apart (`scan.l`).
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// An unquoted identifier that is no keyword, folded to lower case.
    Ident(String),
    Quoted(String),
    Keyword(Keyword),
    /// `$1`
    Param(u32),
    /// A number as written; the binder chooses integer, bigint or numeric.
    Number(String),
    String(String),
    /// `B'101'` or `X'1F'`
    BitString,
    /// An operator of the `Op` class, `<=`, `>=`, `<>`, and those of one character below.
    Op(String),
    /// One of `( ) [ ] , ; : .`
    Char(u8),
    /// `::`
    TypeCast,
    /// `..`
    DotDot,
    /// `:=`
    ColonEquals,
    /// `=>`
    EqualsGreater,
    /// Text that cannot be scanned; the error is raised when the parser reaches it.
    Bad(Box<Error>),
    End,
}

impl Token {
    pub fn is_keyword(&self, word: &str) -> bool {
        matches!(self, Token::Keyword(k) if k.word == word)
    }

    pub fn is_char(&self, c: u8) -> bool {
        matches!(self, Token::Char(x) if *x == c)
    }

    pub fn is_op(&self, op: &str) -> bool {
        matches!(self, Token::Op(x) if x == op)
    }
}
