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
/// 42601 for a half `\u`, 22021 for a zero byte or for bytes that are no UTF-8.
pub fn unescape(body: &str) -> Result<String, Box<Error>> {
    let mut bytes: Vec<u8> = Vec::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
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
                let digits = if escaped == 'u' { 4 } else { 8 };
                push(&mut bytes, hex_char(&mut chars, digits)?);
            }
            other => push(&mut bytes, other),
        }
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

fn hex_char(chars: &mut impl Iterator<Item = char>, digits: usize) -> Result<char, Box<Error>> {
    let text: String = chars.take(digits).collect();
    if text.len() != digits || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        let error = Error::new(sqlstate::INVALID_ESCAPE_SEQUENCE, "invalid Unicode escape");
        return Err(Box::new(
            error.with_hint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX."),
        ));
    }
    u32::from_str_radix(&text, 16)
        .ok()
        .and_then(char::from_u32)
        .filter(|&c| c != '\0')
        .ok_or_else(|| Box::new(near("invalid Unicode escape value", &text)))
}

/// The body of a `U&'…'` string: `\XXXX` and `\+XXXXXX`.
///
/// # Errors
/// 42601 for anything else after a backslash.
pub fn unicode_escapes(body: &str) -> Result<String, Box<Error>> {
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.peek() {
            Some('\\') => {
                chars.next();
                out.push('\\');
            }
            Some('+') => {
                chars.next();
                out.push(hex_char(&mut chars, 6)?);
            }
            _ => out.push(hex_char(&mut chars, 4)?),
        }
    }
    Ok(out)
}
