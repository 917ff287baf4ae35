//! Splits date and timestamp input into fields (`ParseDateTime` in `datetime.c`).

use super::keywords::is_core_word;
use crate::value::text::is_blank;

/// What a field looks like; the decoder decides what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `2024`, `20240229`, `2024.060`, `.5`
    Number,
    /// `2024-02-29`, `5-jan-2024`, `europe/berlin`
    Date,
    /// `12:34:56.789`
    Time,
    /// `+02:00`
    Zone,
    /// `january`
    Word,
    /// `-infinity`
    SignedWord,
}

/// A field in lower case.
#[derive(Debug)]
pub(super) struct Token {
    pub shape: Shape,
    pub text: String,
}

/// `MAXDATEFIELDS`
const MAX_FIELDS: usize = 25;
/// The fields, or `None` for input that is no date at all. `room` is for all of them and a terminator
/// after each.
pub(super) fn split(text: &str, room: usize) -> Option<Vec<Token>> {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        at: 0,
    };
    let mut tokens = Vec::new();
    let mut length = 0;
    while let Some(byte) = reader.peek() {
        let start = reader.at;
        let shape = match byte {
            _ if is_blank(byte) => {
                reader.at += 1;
                continue;
            }
            b'0'..=b'9' => reader.digits_first(),
            b'.' => {
                reader.at += 1;
                reader.skip(|byte| byte.is_ascii_digit());
                Shape::Number
            }
            b'a'..=b'z' | b'A'..=b'Z' => reader.letters_first(),
            b'+' | b'-' => {
                reader.at += 1;
                // Blanks between the sign and the rest are not part of the field.
                let after_sign = reader.at;
                reader.skip(is_blank);
                let rest = reader.at;
                let shape = reader.after_sign()?;
                length += reader.at - rest + 2;
                let rest = text.get(rest..reader.at)?.to_ascii_lowercase();
                tokens.push(Token {
                    shape,
                    text: format!("{}{rest}", &text[after_sign - 1..after_sign]),
                });
                if tokens.len() > MAX_FIELDS || length > room {
                    return None;
                }
                continue;
            }
            // Other punctuation only separates.
            _ if byte.is_ascii_punctuation() => {
                reader.at += 1;
                continue;
            }
            _ => return None,
        };
        length += reader.at - start + 1;
        tokens.push(Token {
            shape,
            text: text.get(start..reader.at)?.to_ascii_lowercase(),
        });
        if tokens.len() > MAX_FIELDS || length > room {
            return None;
        }
    }
    Some(tokens)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
    }

    /// A number, a time, or a date that starts with a number.
    fn digits_first(&mut self) -> Shape {
        self.skip(|byte| byte.is_ascii_digit());
        match self.peek() {
            Some(b':') => {
                self.skip(|byte| byte.is_ascii_digit() || byte == b':' || byte == b'.');
                Shape::Time
            }
            Some(delimiter @ (b'-' | b'/' | b'.')) => {
                self.at += 1;
                if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    // A month's name may stand inside.
                    self.skip(|byte| byte.is_ascii_alphanumeric() || byte == delimiter);
                    return Shape::Date;
                }
                self.skip(|byte| byte.is_ascii_digit());
                if self.peek() == Some(delimiter) {
                    self.skip(|byte| byte.is_ascii_digit() || byte == delimiter);
                    Shape::Date
                } else if delimiter == b'.' {
                    Shape::Number
                } else {
                    Shape::Date
                }
            }
            _ => Shape::Number,
        }
    }

    /// A word, or a date or zone name that starts with one.
    fn letters_first(&mut self) -> Shape {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_alphabetic());
        let is_date = match self.peek() {
            Some(b'-' | b'/' | b'.') => true,
            Some(b'+' | b'0'..=b'9') => {
                let word = self.bytes[start..self.at].to_ascii_lowercase();
                !std::str::from_utf8(&word).is_ok_and(is_core_word)
            }
            _ => false,
        };
        if !is_date {
            return Shape::Word;
        }
        self.skip(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'/' | b'_' | b'.' | b':')
        });
        Shape::Date
    }

    fn after_sign(&mut self) -> Option<Shape> {
        match self.peek()? {
            b'0'..=b'9' => {
                self.skip(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-'));
                Some(Shape::Zone)
            }
            byte if byte.is_ascii_alphabetic() => {
                self.skip(|byte| byte.is_ascii_alphabetic());
                Some(Shape::SignedWord)
            }
            _ => None,
        }
    }
}
