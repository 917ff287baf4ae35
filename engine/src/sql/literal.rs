//! What stands between quotes, unescaped (`scan.l`, `parser.c`).

use super::lexer::near;
use crate::error::{Error, sqlstate};

/// The body of a string or quoted identifier with every doubled quote made one.
pub fn undouble(body: String, quote: char) -> String {
    if !body.contains(quote) {
        return body;
    }
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == quote {
            chars.next();
        }
    }
    out
}

/// The body of an `E'…'` string with its escapes read.
///
/// # Errors
/// 22025 for a half `\u`, 42601 for a code that is none, 22021 for a zero byte or for bytes that are
/// no UTF-8.
pub fn unescape(body: &str) -> Result<String, Box<Error>> {
    let mut bytes: Vec<u8> = Vec::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    let mut pair = Pair::default();
    while let Some(c) = chars.next() {
        if pair.is_half() && (c != '\\' || !matches!(chars.peek(), Some('u' | 'U'))) {
            return Err(Box::new(near(NO_PAIR, &c.to_string())));
        }
        if c == '\'' {
            chars.next();
        }
        if c != '\\' {
            push(&mut bytes, c);
            continue;
        }
        let Some(escaped) = chars.next() else { break };
        match escaped {
            'b' => bytes.push(8),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '0'..='7' => {
                let mut value = escaped.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    match chars.peek().and_then(|c| c.to_digit(8)) {
                        Some(digit) => value = value * 8 + digit,
                        None => break,
                    }
                    chars.next();
                }
                bytes.push(value as u8);
            }
            'x' if chars.peek().is_some_and(char::is_ascii_hexdigit) => {
                let mut value = 0;
                for _ in 0..2 {
                    match chars.peek().and_then(|c| c.to_digit(16)) {
                        Some(digit) => value = value * 16 + digit,
                        None => break,
                    }
                    chars.next();
                }
                bytes.push(value as u8);
            }
            'u' | 'U' => {
                let digits = hex_digits(&mut chars, if escaped == 'u' { 4 } else { 8 });
                let Some(digits) = digits else {
                    let error = Error::new(sqlstate::INVALID_ESCAPE_SEQUENCE, NO_ESCAPE);
                    let hint = "Unicode escapes must be \\uXXXX or \\UXXXXXXXX.";
                    return Err(Box::new(error.with_hint(hint)));
                };
                let flawed = |message| Box::new(near(message, &format!("\\{escaped}{digits}")));
                if let Some(c) = pair.join(&digits).map_err(flawed)? {
                    push(&mut bytes, c);
                }
            }
            other => push(&mut bytes, other),
        }
    }
    if pair.is_half() {
        return Err(Box::new(near(NO_PAIR, "'")));
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => {
            let message = "invalid byte sequence for encoding \"UTF8\"";
            Err(Box::new(Error::new(
                sqlstate::CHARACTER_NOT_IN_REPERTOIRE,
                message,
            )))
        }
    }
}

fn push(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

const NO_ESCAPE: &str = "invalid Unicode escape";
const NO_PAIR: &str = "invalid Unicode surrogate pair";

/// So many hexadecimal digits; None where there are fewer.
fn hex_digits(chars: &mut impl Iterator<Item = char>, count: usize) -> Option<String> {
    let digits: String = chars.take(count).collect();
    (digits.len() == count && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some(digits)
}

/// The first half of a UTF-16 surrogate pair, while the second is waited for.
#[derive(Debug, Default)]
struct Pair {
    high: Option<u32>,
}

impl Pair {
    fn is_half(&self) -> bool {
        self.high.is_some()
    }

    /// The character that the code of an escape makes, alone or with the half before it; None for a
    /// first half. Errors: what is wrong with it.
    fn join(&mut self, digits: &str) -> Result<Option<char>, &'static str> {
        let code = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
        match (self.high.take(), code) {
            (None, 0xD800..=0xDBFF) => {
                self.high = Some(code);
                Ok(None)
            }
            (Some(high), 0xDC00..=0xDFFF) => Ok(char::from_u32(
                0x1_0000 + ((high - 0xD800) << 10) + (code - 0xDC00),
            )),
            (None, 0xDC00..=0xDFFF) | (Some(_), _) => Err(NO_PAIR),
            (None, 0) => Err("invalid Unicode escape value"),
            (None, code) => match char::from_u32(code) {
                Some(c) => Ok(Some(c)),
                None => Err("invalid Unicode escape value"),
            },
        }
    }
}

/// The body of a `U&'…'` string: `\XXXX` and `\+XXXXXX`.
///
/// # Errors
/// 42601 for anything else after a backslash.
pub fn unicode_escapes(body: &str) -> Result<String, Box<Error>> {
    let flawed = |message| Box::new(Error::new(sqlstate::SYNTAX_ERROR, message));
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    let mut pair = Pair::default();
    while let Some(c) = chars.next() {
        if pair.is_half() && (c != '\\' || chars.peek() == Some(&'\\')) {
            return Err(flawed(NO_PAIR));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let count = match chars.peek() {
            Some('\\') => {
                chars.next();
                out.push('\\');
                continue;
            }
            Some('+') => {
                chars.next();
                6
            }
            _ => 4,
        };
        let Some(digits) = hex_digits(&mut chars, count) else {
            let hint = "Unicode escapes must be \\XXXX or \\+XXXXXX.";
            return Err(Box::new(
                Error::new(sqlstate::SYNTAX_ERROR, NO_ESCAPE).with_hint(hint),
            ));
        };
        out.extend(pair.join(&digits).map_err(flawed)?);
    }
    if pair.is_half() {
        return Err(flawed(NO_PAIR));
    }
    Ok(out)
}
