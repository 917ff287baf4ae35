//! PostgreSQL's scanner (`scan.l`): text to tokens, with line and column counted in the script.

use super::keywords;
use super::literal;
use super::token::{Lexeme, Token};
use crate::error::{Error, Position, sqlstate};

/// Bytes of an identifier that count; PostgreSQL cuts the rest off (`NAMEDATALEN - 1`).
const MAX_IDENTIFIER_BYTES: usize = 63;

/// A cursor over a script. Cloning it gives a second cursor at the same place.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, start: Position) -> Self {
        Lexer {
            text,
            pos: 0,
            line: start.line,
            column: start.column,
        }
    }

    pub fn offset(&self) -> usize {
        self.pos
    }

    pub fn position(&self) -> Position {
        Position {
            line: self.line,
            column: self.column,
        }
    }

    /// The next token; `Token::End` for ever at the end of the text.
    pub fn next_token(&mut self) -> Lexeme {
        if let Err(bad) = self.skip_blanks() {
            return *bad;
        }
        let at = self.position();
        let start = self.pos;
        let token = match self.byte(0) {
            None => Ok((Token::End, start)),
            Some(_) => self.scan(start),
        };
        match token {
            Ok((token, end)) => {
                self.advance_to(end);
                Lexeme {
                    token,
                    at,
                    start,
                    end,
                }
            }
            Err(error) => self.fail(*error, start, at),
        }
    }

    fn fail(&mut self, error: Error, start: usize, at: Position) -> Lexeme {
        let end = self.text.len();
        self.advance_to(end);
        Lexeme {
            token: Token::Bad(Box::new(error.at(Some(at)))),
            at,
            start,
            end,
        }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes().get(self.pos + ahead).copied()
    }

    /// Moves the cursor, counting lines and characters.
    fn advance_to(&mut self, end: usize) {
        for &b in &self.bytes()[self.pos..end] {
            if b == b'\n' {
                self.line += 1;
                self.column = 1;
            } else if b & 0xC0 != 0x80 {
                self.column += 1;
            }
        }
        self.pos = end;
    }

    /// Skips white space and comments; block comments nest.
    fn skip_blanks(&mut self) -> Result<(), Box<Lexeme>> {
        loop {
            let start = self.pos;
            let at = self.position();
            match self.byte(0) {
                Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C) => self.advance_to(start + 1),
                Some(b'-') if self.byte(1) == Some(b'-') => {
                    let rest = &self.bytes()[start..];
                    let length = rest.iter().position(|&b| b == b'\n' || b == b'\r');
                    self.advance_to(length.map_or(self.text.len(), |n| start + n));
                }
                Some(b'/') if self.byte(1) == Some(b'*') => match self.comment_end(start) {
                    Some(end) => self.advance_to(end),
                    None => {
                        let error = near("unterminated /* comment", &self.text[start..]);
                        return Err(Box::new(self.fail(error, start, at)));
                    }
                },
                _ => return Ok(()),
            }
        }
    }

    fn comment_end(&self, start: usize) -> Option<usize> {
        let bytes = self.bytes();
        let (mut depth, mut i) = (0u32, start);
        while i + 1 < bytes.len() {
            match (bytes[i], bytes[i + 1]) {
                (b'/', b'*') => {
                    depth += 1;
                    i += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    i += 2;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                _ => i += 1,
            }
        }
        None
    }

    fn scan(&self, start: usize) -> Result<(Token, usize), Box<Error>> {
        let b = self.bytes()[start];
        let next = self.byte(1);
        match b {
            b'\'' => self.string(start, start, false),
            b'e' | b'E' if next == Some(b'\'') => self.string(start, start + 1, true),
            b'u' | b'U' if next == Some(b'&') && matches!(self.byte(2), Some(b'\'' | b'"')) => {
                self.unicode(start)
            }
            b'b' | b'B' | b'x' | b'X' if next == Some(b'\'') => {
                let (_, end) = self.string(start, start + 1, false)?;
                Ok((Token::BitString, end))
            }
            b'"' => self.quoted_identifier(start, start),
            b'$' => self.dollar(start),
            b'0'..=b'9' => self.number(start),
            b'.' if matches!(next, Some(b'0'..=b'9')) => self.number(start),
            b'.' if next == Some(b'.') => Ok((Token::DotDot, start + 2)),
            b':' if next == Some(b':') => Ok((Token::TypeCast, start + 2)),
            b':' if next == Some(b'=') => Ok((Token::ColonEquals, start + 2)),
            b'(' | b')' | b'[' | b']' | b',' | b';' | b':' | b'.' => {
                Ok((Token::Char(b), start + 1))
            }
            _ if is_operator_byte(b) => self.operator(start),
            _ if is_identifier_start(b) => Ok(self.word(start)),
            _ => {
                let width = self.text[start..].chars().next().map_or(1, char::len_utf8);
                let text = &self.text[start..start + width];
                Err(Box::new(near("syntax error", text)))
            }
        }
    }

    fn word(&self, start: usize) -> (Token, usize) {
        let end = self.identifier_end(start);
        let folded = self.text[start..end].to_ascii_lowercase();
        let token = match keywords::lookup(&folded) {
            Some(keyword) => Token::Keyword(keyword),
            None => Token::Ident(truncated(folded)),
        };
        (token, end)
    }

    fn identifier_end(&self, start: usize) -> usize {
        let bytes = self.bytes();
        let rest = bytes[start..].iter().position(|&b| !is_identifier_part(b));
        rest.map_or(bytes.len(), |n| start + n)
    }

    /// A quoted string that opens at `open`; `start` is where its prefix stands. Strings that only
    /// white space with a line break separates are one string.
    fn string(
        &self,
        start: usize,
        open: usize,
        escapes: bool,
    ) -> Result<(Token, usize), Box<Error>> {
        let mut raw = String::new();
        let mut open = open;
        loop {
            let close = self
                .closing_quote(open, escapes)
                .ok_or_else(|| Box::new(near("unterminated quoted string", &self.text[start..])))?;
            let body = &self.text[open + 1..close];
            if escapes {
                literal::unescape(body, &mut raw)?;
            } else {
                literal::undouble(body, b'\'', &mut raw);
            }
            match self.continuation(close + 1) {
                Some(next) => open = next,
                None => return Ok((Token::String(raw), close + 1)),
            }
        }
    }

    fn closing_quote(&self, open: usize, escapes: bool) -> Option<usize> {
        let bytes = self.bytes();
        let quote = bytes[open];
        let mut i = open + 1;
        while i < bytes.len() {
            match bytes[i] {
                b'\\' if escapes => i += 2,
                b if b == quote && bytes.get(i + 1) == Some(&quote) => i += 2,
                b if b == quote => return Some(i),
                _ => i += 1,
            }
        }
        None
    }

    /// Where the next part of a string opens: a quote after white space with a line break.
    fn continuation(&self, from: usize) -> Option<usize> {
        let bytes = self.bytes();
        let mut i = from;
        let mut line_break = false;
        loop {
            match bytes.get(i)? {
                b'\n' | b'\r' => line_break = true,
                b' ' | b'\t' | 0x0B | 0x0C => {}
                b'-' if line_break && bytes.get(i + 1) == Some(&b'-') => {
                    i += bytes[i..].iter().position(|&b| b == b'\n' || b == b'\r')?;
                    continue;
                }
                b'\'' if line_break => return Some(i),
                _ => return None,
            }
            i += 1;
        }
    }

    fn quoted_identifier(&self, start: usize, open: usize) -> Result<(Token, usize), Box<Error>> {
        let close = self
            .closing_quote(open, false)
            .ok_or_else(|| Box::new(near("unterminated quoted identifier", &self.text[start..])))?;
        let mut name = String::new();
        literal::undouble(&self.text[open + 1..close], b'"', &mut name);
        if name.is_empty() {
            let text = &self.text[start..=close];
            return Err(Box::new(near("zero-length delimited identifier", text)));
        }
        Ok((Token::Quoted(truncated(name)), close + 1))
    }

    /// `U&'…'` and `U&"…"` with the default escape character.
    fn unicode(&self, start: usize) -> Result<(Token, usize), Box<Error>> {
        let open = start + 2;
        let (token, end) = match self.bytes()[open] {
            b'"' => self.quoted_identifier(start, open)?,
            _ => self.string(start, open, false)?,
        };
        let token = match token {
            Token::String(raw) => Token::String(literal::unicode_escapes(&raw)?),
            Token::Quoted(raw) => Token::Quoted(literal::unicode_escapes(&raw)?),
            other => other,
        };
        Ok((token, end))
    }

    fn dollar(&self, start: usize) -> Result<(Token, usize), Box<Error>> {
        let bytes = self.bytes();
        let after = start + 1;
        if matches!(bytes.get(after), Some(b'0'..=b'9')) {
            let end = self.digits_end(after);
            if bytes.get(end).is_some_and(|&b| is_identifier_start(b)) {
                let text = &self.text[start..self.identifier_end(end)];
                return Err(Box::new(near("trailing junk after parameter", text)));
            }
            let number = self.text[after..end].parse().unwrap_or(u32::MAX);
            return Ok((Token::Param(number), end));
        }
        let mut tag_end = after;
        if bytes.get(after).is_some_and(|&b| is_identifier_start(b)) {
            let word = bytes[after..].iter();
            let length = word
                .take_while(|&&b| is_identifier_part(b) && b != b'$')
                .count();
            tag_end = after + length;
        }
        if bytes.get(tag_end) != Some(&b'$') {
            return Err(Box::new(near("syntax error", "$")));
        }
        let tag = &self.text[start..=tag_end];
        match self.text[tag_end + 1..].find(tag) {
            Some(length) => {
                let body = &self.text[tag_end + 1..tag_end + 1 + length];
                Ok((
                    Token::String(body.to_string()),
                    tag_end + 1 + length + tag.len(),
                ))
            }
            None => {
                let text = &self.text[start..];
                Err(Box::new(near("unterminated dollar-quoted string", text)))
            }
        }
    }

    fn digits_end(&self, from: usize) -> usize {
        let bytes = self.bytes();
        let rest = bytes[from..].iter().position(|b| !b.is_ascii_digit());
        rest.map_or(bytes.len(), |n| from + n)
    }

    fn number(&self, start: usize) -> Result<(Token, usize), Box<Error>> {
        let bytes = self.bytes();
        let mut end = self.digits_end(start);
        // `1..10` is a number, two dots and a number.
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
            end = self.digits_end(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                end = self.digits_end(end + 1 + sign);
            }
        }
        if bytes.get(end).is_some_and(|&b| is_identifier_start(b)) {
            let text = &self.text[start..self.identifier_end(end)];
            return Err(Box::new(near("trailing junk after numeric literal", text)));
        }
        Ok((Token::Number(self.text[start..end].to_string()), end))
    }

    /// The longest operator by PostgreSQL's rules: comments end it, and a `+` or `-` at its end
    /// belongs to it only when it holds one of ``~ ! @ # ^ & | ` ? %``.
    fn operator(&self, start: usize) -> Result<(Token, usize), Box<Error>> {
        let bytes = self.bytes();
        let mut end = start;
        while end < bytes.len() && is_operator_byte(bytes[end]) {
            let pair = (bytes[end], bytes.get(end + 1).copied());
            if end > start && matches!(pair, (b'-', Some(b'-')) | (b'/', Some(b'*'))) {
                break;
            }
            end += 1;
        }
        let special = |b: &u8| b"~!@#^&|`?%".contains(b);
        while end - start > 1
            && matches!(bytes[end - 1], b'+' | b'-')
            && !bytes[start..end - 1].iter().any(special)
        {
            end -= 1;
        }
        let text = &self.text[start..end];
        if text.len() > MAX_IDENTIFIER_BYTES {
            return Err(Box::new(near("operator too long", text)));
        }
        let token = match text {
            "=>" => Token::EqualsGreater,
            "!=" => Token::Op("<>".to_string()),
            _ => Token::Op(text.to_string()),
        };
        Ok((token, end))
    }
}

/// `message at or near "text"` (42601).
pub fn near(message: &str, text: &str) -> Error {
    Error::new(
        sqlstate::SYNTAX_ERROR,
        format!("{message} at or near \"{text}\""),
    )
}

fn is_operator_byte(b: u8) -> bool {
    b"+-*/<>=~!@#%^&|`?".contains(&b)
}

fn is_identifier_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b >= 0x80
}

fn is_identifier_part(b: u8) -> bool {
    is_identifier_start(b) || b.is_ascii_digit() || b == b'$'
}

fn truncated(mut name: String) -> String {
    if name.len() > MAX_IDENTIFIER_BYTES {
        let mut end = MAX_IDENTIFIER_BYTES;
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        name.truncate(end);
    }
    name
}
