//! The tokens of our scanner as `sqlparser`'s parser takes them.
//!
//! Each carries its number in the statement as its column, so that trees and errors lead back to
//! our tokens. Only the words that PostgreSQL 15 has as keywords are keywords here: TOP, QUALIFY,
//! SEMI, PIVOT and the like are names, as PostgreSQL reads them. The text of literals stays behind;
//! it is read from our tokens when the tree is lowered.
//!
//! Some words of PostgreSQL have no place in `sqlparser`'s grammar although they leave the
//! structure of a statement as it is (VARIADIC, GROUP BY DISTINCT, EXCLUDE in a frame, …). They are
//! left out here, and met again by the cursor that accompanies the lowering.

use crate::sql::keywords::Category;
use crate::sql::reader::Reader;
use crate::sql::token::{Lexeme, Token};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer as sp;

/// The tokens from the cursor's place on, behind them the end in place of the token of number
/// `end`. Each query in parentheses is an empty SELECT.
pub(super) fn tokens(reader: &Reader, end: usize) -> Vec<sp::TokenWithSpan> {
    let lexemes = &reader.lexemes()[..=end];
    let mut tokens = Vec::new();
    let mut push = |token, index| tokens.push(sp::TokenWithSpan::new(token, span(index)));
    let mut i = reader.index();
    while i < end {
        let words = Words { lexemes, at: i };
        let skipped = words.left_out();
        if skipped > 0 {
            i += skipped;
            continue;
        }
        for extra in words.put_in() {
            push(extra, i);
        }
        push(words.token(), i);
        i += 1;
        if reader.is_query_parenthesis(i - 1) {
            push(sp::Token::make_word("SELECT", None), i);
            i = reader.closing(i - 1);
        }
    }
    push(sp::Token::EOF, end);
    tokens
}

/// The number of a token as a column of the first line; columns count from 1.
pub(super) fn location(index: usize) -> sp::Location {
    sp::Location::new(1, index as u64 + 1)
}

fn span(index: usize) -> sp::Span {
    sp::Span::new(location(index), location(index + 1))
}

/// Looks around a token.
struct Words<'a> {
    lexemes: &'a [Lexeme],
    at: usize,
}

impl Words<'_> {
    /// The token `n` places further.
    fn get(&self, n: isize) -> &Token {
        let index = self.at.checked_add_signed(n);
        let lexeme = index.and_then(|index| self.lexemes.get(index));
        lexeme.map_or(&Token::End, |lexeme| &lexeme.token)
    }

    fn word(&self, n: isize) -> &'static str {
        match self.get(n) {
            Token::Keyword(keyword) => keyword.word,
            _ => "",
        }
    }

    fn is_char(&self, n: isize, c: u8) -> bool {
        self.get(n).is_char(c)
    }

    fn is_name(&self, n: isize) -> bool {
        match self.get(n) {
            Token::Ident(_) | Token::Quoted(_) => true,
            Token::Keyword(keyword) => keyword.category != Category::Reserved,
            _ => false,
        }
    }

    /// How many tokens from here on the parser is not given.
    fn left_out(&self) -> usize {
        match self.word(0) {
            "variadic" if self.is_char(-1, b'(') || self.is_char(-1, b',') => 1,
            "only" if self.word(-1) == "table" => 1,
            "all" | "distinct" if self.word(-1) == "by" && self.word(-2) == "group" => 1,
            "no" if self.word(-1) == "for" && self.word(1) == "key" => 2,
            "key" if self.word(-1) == "for" => 1,
            "exclude" => match (self.word(1), self.word(2)) {
                ("current", "row") | ("no", "others") => self.frame_end(3),
                ("group" | "ties", _) => self.frame_end(2),
                _ => 0,
            },
            "for" if self.word(1) == "read" && self.word(2) == "only" => 3,
            "tablesample" => self.sample_length(),
            _ if self.is_char(0, b',') && self.follows_locked_table() => self.name_list_length(),
            _ => 0,
        }
    }

    fn frame_end(&self, length: usize) -> usize {
        if self.is_char(length as isize, b')') {
            length
        } else {
            0
        }
    }

    /// `TABLESAMPLE method (…) [REPEATABLE (…)]`, if that is what stands here.
    fn sample_length(&self) -> usize {
        let mut end = match self.qualified_name_end(1) {
            Some(end) => end,
            None => return 0,
        };
        let Some(closed) = self.parentheses_end(end) else {
            return 0;
        };
        end = closed;
        if self.word(end) == "repeatable"
            && let Some(closed) = self.parentheses_end(end + 1)
        {
            end = closed;
        }
        end as usize
    }

    fn qualified_name_end(&self, n: isize) -> Option<isize> {
        let mut end = n;
        loop {
            if !self.is_name(end) {
                return None;
            }
            end += 1;
            if !self.is_char(end, b'.') {
                return Some(end);
            }
            end += 1;
        }
    }

    fn parentheses_end(&self, n: isize) -> Option<isize> {
        if !self.is_char(n, b'(') {
            return None;
        }
        let (mut depth, mut end) = (0, n);
        loop {
            match self.get(end) {
                Token::Char(b'(') => depth += 1,
                Token::Char(b')') => depth -= 1,
                Token::End | Token::Bad(_) => return None,
                _ => {}
            }
            end += 1;
            if depth == 0 {
                return Some(end);
            }
        }
    }

    /// Whether this comma stands behind the first table of FOR UPDATE OF.
    fn follows_locked_table(&self) -> bool {
        let mut n = -1;
        loop {
            if !self.is_name(n) {
                return false;
            }
            n -= 1;
            if !self.is_char(n, b'.') {
                break;
            }
            n -= 1;
        }
        self.word(n) == "of" && matches!(self.word(n - 1), "update" | "share")
    }

    /// The further tables of FOR UPDATE OF, with the comma before each.
    fn name_list_length(&self) -> usize {
        let mut end = 0;
        while self.is_char(end, b',')
            && let Some(name_end) = self.qualified_name_end(end + 1)
        {
            end = name_end;
        }
        end as usize
    }

    /// Tokens the parser needs before this one to see what PostgreSQL sees.
    fn put_in(&self) -> Vec<sp::Token> {
        let word = |keyword: &str| sp::Token::make_word(keyword, None);
        // `FROM f() AS (a int)`: a function's columns need no alias.
        let defines_columns = self.is_char(0, b'(')
            && self.word(-1) == "as"
            && (self.is_char(-2, b')') || self.word(-2) == "ordinality")
            && self.is_name(1)
            && !self.starts_query(1);
        if defines_columns {
            return vec![sp::Token::make_word("columns", Some('"'))];
        }
        // `INSERT INTO t TABLE u` has no alias.
        if self.word(0) == "table" && self.follows_insert_target() {
            return vec![word("AS"), sp::Token::make_word("target", Some('"'))];
        }
        Vec::new()
    }

    fn starts_query(&self, n: isize) -> bool {
        matches!(
            self.word(n),
            "select" | "values" | "with" | "table" | "insert" | "update" | "delete"
        )
    }

    /// Whether `INSERT INTO name` ends before this token.
    fn follows_insert_target(&self) -> bool {
        let mut n = -1;
        while self.is_name(n) {
            n -= 1;
            if !self.is_char(n, b'.') {
                break;
            }
            n -= 1;
        }
        n < -1 && self.word(n) == "into" && self.word(n - 1) == "insert"
    }

    fn token(&self) -> sp::Token {
        match self.get(0) {
            Token::Ident(text) => name(text, None),
            Token::Quoted(text) => name(text, Some('"')),
            Token::Keyword(keyword) if self.is_plain_name(keyword.word) => name(keyword.word, None),
            Token::Keyword(keyword) => sp::Token::make_word(keyword.word, None),
            Token::Param(number) => sp::Token::Placeholder(format!("${number}")),
            Token::Number(_) => sp::Token::Number(String::new(), false),
            Token::String(_) => sp::Token::EscapedStringLiteral(String::new()),
            Token::BitString => sp::Token::HexStringLiteral(String::new()),
            Token::Op(op) => operator(op),
            Token::Char(c) => punctuation(*c),
            Token::TypeCast => sp::Token::DoubleColon,
            Token::DotDot => sp::Token::Backslash,
            Token::ColonEquals => sp::Token::Assignment,
            Token::EqualsGreater => sp::Token::RArrow,
            Token::Bad(_) => sp::Token::Char('\0'),
            Token::End => sp::Token::EOF,
        }
    }

    /// Keywords of PostgreSQL that mean something else to `sqlparser`.
    fn is_plain_name(&self, word: &str) -> bool {
        match word {
            "cluster" | "collate" | "comment" | "global" | "local" | "replace" | "start"
            | "view" | "xml" | "xmltable" => true,
            "value" => !matches!(self.word(-1), "user" | "system"),
            "cube" | "rollup" => !self.is_char(1, b'('),
            _ => false,
        }
    }
}

fn name(text: &str, quote_style: Option<char>) -> sp::Token {
    sp::Token::Word(sp::Word {
        value: text.to_string(),
        quote_style,
        keyword: Keyword::NoKeyword,
    })
}

fn operator(op: &str) -> sp::Token {
    match op {
        "+" => sp::Token::Plus,
        "-" => sp::Token::Minus,
        "*" => sp::Token::Mul,
        "/" => sp::Token::Div,
        "%" => sp::Token::Mod,
        "^" => sp::Token::Caret,
        "<" => sp::Token::Lt,
        ">" => sp::Token::Gt,
        "=" => sp::Token::Eq,
        "<=" => sp::Token::LtEq,
        ">=" => sp::Token::GtEq,
        "<>" => sp::Token::Neq,
        other => sp::Token::CustomBinaryOperator(other.to_string()),
    }
}

fn punctuation(c: u8) -> sp::Token {
    match c {
        b'(' => sp::Token::LParen,
        b')' => sp::Token::RParen,
        b'[' => sp::Token::LBracket,
        b']' => sp::Token::RBracket,
        b',' => sp::Token::Comma,
        b';' => sp::Token::SemiColon,
        b'.' => sp::Token::Period,
        _ => sp::Token::Colon,
    }
}
