//! What `sqlparser`'s tokenizer asks a dialect about, answered as PostgreSQL's scanner would.
//!
//! Only the tokenizer's questions are answered. The parser's hooks keep their empty defaults, so
//! that nothing of `sqlparser`'s grammar is reachable from this dialect's table of methods.

use sqlparser::dialect::{Dialect, PostgreSqlDialect};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Word};
use std::any::TypeId;
use std::cell::Cell;

/// PostgreSQL's characters (`scan.l`).
#[derive(Debug)]
pub struct TuplescopeDialect {
    /// A string that opened here would have backslash escapes.
    escapes: Cell<bool>,
}

impl TuplescopeDialect {
    /// A dialect for text that starts inside an `E'…'` when `escapes` is set.
    pub fn new(escapes: bool) -> Self {
        TuplescopeDialect {
            escapes: Cell::new(escapes),
        }
    }

    /// Takes notice of a token: a quote right behind the word `e` opens a string with escapes.
    ///
    /// The crate's own `E'…'` is not used: it refuses bytes above 127 (`E'\xC3\xA9'` is `é`) and
    /// calls every wrong escape an unterminated string.
    pub fn notice(&self, token: &Token) {
        let prefix = matches!(
            token,
            Token::Word(Word { value, quote_style: None, .. }) if value.eq_ignore_ascii_case("e")
        );
        self.escapes.set(prefix);
    }
}

impl Dialect for TuplescopeDialect {
    /// The tokenizer knows PostgreSQL by name in two places: `B'…'`, and a comment that ends at a
    /// carriage return.
    fn dialect(&self) -> TypeId {
        TypeId::of::<PostgreSqlDialect>()
    }

    fn is_identifier_start(&self, c: char) -> bool {
        c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
    }

    fn is_identifier_part(&self, c: char) -> bool {
        self.is_identifier_start(c) || c.is_ascii_digit() || c == '$'
    }

    fn is_delimited_identifier_start(&self, c: char) -> bool {
        c == '"'
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        self.escapes.get()
    }

    /// `N'…'` is the keyword NCHAR and a string.
    fn supports_national_string_literal(&self) -> bool {
        false
    }

    fn supports_nested_comments(&self) -> bool {
        true
    }

    /// Makes `$` and the word behind it one token; where a dollar-quoted string ends is for
    /// [`super::lexer`] to say, because the crate takes `$1$` for the opening of one.
    fn supports_dollar_placeholder(&self) -> bool {
        true
    }

    /// Never asked by the tokenizer. The default would link the parser's cursor and the names of
    /// all its tokens.
    fn get_next_precedence_default(&self, _: &Parser) -> Result<u8, ParserError> {
        Ok(self.prec_unknown())
    }
}
