//! PostgreSQL's scanner (`scan.l`) over `sqlparser`'s tokens.
//!
//! The crate finds words, numbers, strings, quoted identifiers, comments and punctuation. Here they
//! become PostgreSQL's lexemes, cut where PostgreSQL cuts them and refused in its words: prefixes
//! of strings and their continuation on a new line, dollar quotes, parameters, operators, which the
//! crate takes from a list, junk behind numbers, and what never ends.

use super::keywords;
use super::literal;
use super::pieces::{Piece, Pieces};
use super::token::{Lexeme, Token};
use crate::error::{Error, Position, sqlstate};
use sqlparser::tokenizer::{Token as Found, Whitespace};

/// Bytes of an identifier that count; PostgreSQL cuts the rest off (`NAMEDATALEN - 1`).
const MAX_IDENTIFIER_BYTES: usize = 63;

/// A cursor over a script.
#[derive(Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    pieces: Pieces<'a>,
}

/// A token and the byte offset behind it.
type Scanned = Result<(Token, usize), Box<Error>>;

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, start: Position) -> Self {
        Lexer {
            text,
            pieces: Pieces::new(text, start),
        }
    }

    pub fn offset(&self) -> usize {
        self.pieces.here().offset
    }

    pub fn position(&self) -> Position {
        self.pieces.here().position
    }

    /// The next token; `Token::End` for ever at the end of the text.
    pub fn next_token(&mut self) -> Lexeme {
        let piece = self.skip_blanks();
        let (at, start) = (self.position(), self.offset());
        let (token, end) = match self.scan(piece, start) {
            Ok(scanned) => scanned,
            Err(error) => {
                // What never ends takes the rest of the text; all else ends where the crate's token does,
                // so that the next statement is found.
                let end = match error.message.starts_with("unterminated") {
                    true => self.text.len(),
                    false => self.pieces.taken().max(start + 1),
                };
                (Token::Bad(Box::new(error.at(Some(at)))), end)
            }
        };
        self.pieces.go_to(end);
        Lexeme {
            token,
            at,
            start,
            end,
        }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn byte(&self, offset: usize) -> Option<u8> {
        self.bytes().get(offset).copied()
    }

    /// Takes the first piece that is neither white space nor a comment.
    fn skip_blanks(&mut self) -> Piece {
        loop {
            let piece = self.pieces.take();
            let Piece::Token(Found::Whitespace(blank)) = &piece else {
                return piece;
            };
            // A vertical tab is a blank from PostgreSQL 16 on.
            let is_tab = self.byte(self.offset()) == Some(0x0B);
            if matches!(blank, Whitespace::Space) && is_tab {
                return piece;
            }
            self.pieces.go_to(self.pieces.taken());
        }
    }

    fn scan(&mut self, piece: Piece, start: usize) -> Scanned {
        let end = self.pieces.taken();
        let found = match piece {
            Piece::Token(found) => found,
            Piece::Refused => return self.refused(start),
            Piece::End => return Ok((Token::End, start)),
        };
        let token = match found {
            Found::Word(word) if word.quote_style.is_some() => {
                return self.quoted_identifier(start, word.value);
            }
            Found::Word(word) => return self.word(start, &word.value),
            Found::SingleQuotedString(body) => return self.string(start, body, false),
            Found::Number(..) => return self.number(start, end),
            // `0x1F` is a number with junk behind it, `X'1F'` a bit string.
            Found::HexStringLiteral(_) if self.byte(start) == Some(b'0') => {
                return self.number(start, start + 1);
            }
            Found::HexStringLiteral(_) => return self.bit_string(start),
            Found::SingleQuotedByteStringLiteral(_) => return self.bit_string(start),
            Found::DoubleQuotedByteStringLiteral(_) => return self.word(start, "b"),
            Found::LParen => Token::Char(b'('),
            Found::RParen => Token::Char(b')'),
            Found::LBracket => Token::Char(b'['),
            Found::RBracket => Token::Char(b']'),
            Found::Comma => Token::Char(b','),
            Found::SemiColon => Token::Char(b';'),
            Found::Colon => Token::Char(b':'),
            Found::DoubleColon => Token::TypeCast,
            Found::Assignment => Token::ColonEquals,
            Found::Period if self.byte(end) == Some(b'.') => return Ok((Token::DotDot, end + 1)),
            Found::Period => Token::Char(b'.'),
            _ => {
                return match self.bytes()[start] {
                    b'$' => self.dollar(start),
                    b if is_operator_byte(b) => self.operator(start),
                    _ => Err(Box::new(near("syntax error", &self.text[start..end]))),
                };
            }
        };
        Ok((token, end))
    }

    /// What the crate has no token for.
    fn refused(&mut self, start: usize) -> Scanned {
        let rest = &self.text[start..];
        let message = match self.byte(start) {
            Some(b'.') => return Ok((Token::Char(b'.'), start + 1)),
            // The crate sees escapes in a bit string, where there are none.
            Some(b'x' | b'X') => return self.bit_string(start),
            Some(b'b' | b'B') if self.byte(start + 1) == Some(b'"') => {
                return self.word(start, "b");
            }
            Some(b'"') => "unterminated quoted identifier",
            Some(b'/') => "unterminated /* comment",
            _ => "unterminated quoted string",
        };
        Err(Box::new(near(message, rest)))
    }

    /// An identifier, a keyword, or the prefix of a string.
    fn word(&mut self, start: usize, word: &str) -> Scanned {
        let quote = start + word.len();
        match (word, self.byte(quote)) {
            ("e" | "E", Some(b'\'')) => return self.prefixed_string(start, quote, true),
            ("u" | "U", Some(b'&')) if matches!(self.byte(quote + 1), Some(b'\'' | b'"')) => {
                return self.unicode(start, quote + 1);
            }
            _ => {}
        }
        let folded = match (word, self.byte(quote)) {
            ("n" | "N", Some(b'\'')) => "nchar".to_string(),
            _ => word.to_ascii_lowercase(),
        };
        let token = match keywords::lookup(&folded) {
            Some(keyword) => Token::Keyword(keyword),
            None => Token::Ident(truncated(folded)),
        };
        Ok((token, quote))
    }

    fn identifier_end(&self, start: usize) -> usize {
        let bytes = self.bytes();
        let rest = bytes[start..].iter().position(|&b| !is_identifier_part(b));
        rest.map_or(bytes.len(), |n| start + n)
    }

    /// The string that opens at `open` behind a prefix at `start`.
    fn prefixed_string(&mut self, start: usize, open: usize, escapes: bool) -> Scanned {
        let body = self.string_body(start, open, escapes)?;
        self.string(start, body, escapes)
    }

    /// The text between the quotes of the string that opens at `open`, as written.
    fn string_body(
        &mut self,
        start: usize,
        open: usize,
        escapes: bool,
    ) -> Result<String, Box<Error>> {
        self.pieces.go_to(open);
        match self.pieces.take_string(escapes) {
            Piece::Token(Found::SingleQuotedString(body)) => Ok(body),
            _ => {
                let text = &self.text[start..];
                Err(Box::new(near("unterminated quoted string", text)))
            }
        }
    }

    /// A string whose first part has been taken. Strings that only white space with a line break
    /// separates are one string.
    fn string(&mut self, start: usize, first: String, escapes: bool) -> Scanned {
        let unquoted = |body: String| match escapes {
            true => literal::unescape(&body),
            false => Ok(literal::undouble(body, '\'')),
        };
        let mut text = unquoted(first)?;
        while let Some(open) = self.continuation(self.pieces.taken()) {
            self.pieces.go_to(open);
            if escapes {
                self.pieces.restart();
            }
            let body = self.string_body(start, open, escapes)?;
            text.push_str(&unquoted(body)?);
        }
        Ok((Token::String(text), self.pieces.taken()))
    }

    /// Where the next part of a string opens: a quote after white space with a line break.
    fn continuation(&self, from: usize) -> Option<usize> {
        let bytes = self.bytes();
        let mut i = from;
        let mut line_break = false;
        loop {
            match bytes.get(i)? {
                b'\n' | b'\r' => line_break = true,
                b' ' | b'\t' | 0x0C => {}
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

    /// `B'…'` and `X'…'`
    fn bit_string(&mut self, start: usize) -> Scanned {
        let (_, end) = self.prefixed_string(start, start + 1, false)?;
        Ok((Token::BitString, end))
    }

    fn quoted_identifier(&self, start: usize, name: String) -> Scanned {
        let end = self.pieces.taken();
        if name.is_empty() {
            let text = &self.text[start..end];
            return Err(Box::new(near("zero-length delimited identifier", text)));
        }
        Ok((Token::Quoted(truncated(literal::undouble(name, '"'))), end))
    }

    /// `U&'…'` and `U&"…"` with the default escape character.
    fn unicode(&mut self, start: usize, open: usize) -> Scanned {
        self.pieces.go_to(open);
        let piece = self.pieces.take();
        let scanned = match piece {
            Piece::Token(Found::SingleQuotedString(body)) => self.string(start, body, false),
            Piece::Token(Found::Word(word)) => self.quoted_identifier(start, word.value),
            _ => match self.byte(open) {
                Some(b'"') => Err(near("unterminated quoted identifier", &self.text[start..])),
                _ => Err(near("unterminated quoted string", &self.text[start..])),
            }
            .map_err(Box::new),
        };
        let (token, end) = scanned?;
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

    /// A number that the crate ends at `end`. PostgreSQL's `1..10` is a number, two dots and a
    /// number; a letter behind a number is an error.
    fn number(&self, start: usize, end: usize) -> Scanned {
        let bytes = self.bytes();
        let end = match bytes[end - 1] {
            b'.' if self.byte(end) == Some(b'.') => end - 1,
            b'L' => end - 1,
            _ => end,
        };
        if self.byte(end).is_some_and(is_identifier_start) {
            let exponent = matches!(bytes[end], b'e' | b'E');
            let junk_end = match self.byte(end + 1) {
                Some(b'+' | b'-') if exponent => end + 2,
                _ => self.identifier_end(end),
            };
            let text = &self.text[start..junk_end];
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lexemes(text: &str) -> Vec<Lexeme> {
        let mut lexer = Lexer::new(text, Position { line: 1, column: 1 });
        let mut found = Vec::new();
        loop {
            let lexeme = lexer.next_token();
            let end = lexeme.token == Token::End;
            found.push(lexeme);
            if end {
                return found;
            }
        }
    }

    /// Wherever the windows end that the crate is given, the lexemes are the same.
    #[test]
    fn windows_cut_no_lexeme() {
        let text = "1e+5 1..2 a.b (c)._d e'\\'' E'a'\n'\\'b' u&\"x\" U&'\\0041' b'1' X'\\' n'x' $$ ' $$ \
                    $1 |/*c*/ -- é\r\"q\"\"q\" === @-1 'it''s' /* /* */ */ :: := => <> 1.5e-1;";
        let expected: Vec<Token> = lexemes(text).into_iter().map(|l| l.token).collect();
        let column = text
            .split('\n')
            .next_back()
            .map(|line| line.chars().count() as u32 + 1);
        assert!(!expected.iter().any(|token| matches!(token, Token::Bad(_))));
        for pad in 1..300 {
            let padded = format!("{}{text}", " ".repeat(pad));
            let found = lexemes(&padded);
            let last = &found[found.len() - 1];
            assert_eq!((last.at.line, last.start), (2, padded.len()), "{pad}");
            assert_eq!(Some(last.at.column), column, "{pad}");
            let found: Vec<Token> = found.into_iter().map(|l| l.token).collect();
            assert_eq!(found, expected, "{pad}");
        }
    }

    #[test]
    fn nested_comments_and_long_strings_end() {
        let comment = format!("{}{}", "/*".repeat(100_000), "*/".repeat(100_000));
        let string = "é".repeat(100_000);
        let found = lexemes(&format!("{comment}'{string}'{comment};"));
        assert_eq!(found[0].at.column, 400_001);
        assert_eq!(found[0].token, Token::String(string));
        assert_eq!(found[1].token, Token::Char(b';'));
    }
}
