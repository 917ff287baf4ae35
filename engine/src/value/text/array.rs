//! One-dimensional array literals: `{1,NULL,"a b"}` (`array_in`, `array_out` in `arrayfuncs.c`).

use std::borrow::Cow;

use super::is_blank;
use crate::error::{Error, Result, sqlstate};

/// Appends an array of the elements' text forms; `None` is NULL. Elements that could be mistaken
/// for something else are quoted.
pub fn write_array<'a>(elements: impl IntoIterator<Item = Option<&'a str>>, out: &mut String) {
    out.push('{');
    for (i, element) in elements.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        match element {
            None => out.push_str("NULL"),
            Some(text) if needs_quotes(text) => {
                out.push('"');
                for character in text.chars() {
                    if matches!(character, '"' | '\\') {
                        out.push('\\');
                    }
                    out.push(character);
                }
                out.push('"');
            }
            Some(text) => out.push_str(text),
        }
    }
    out.push('}');
}

fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || text.eq_ignore_ascii_case("NULL")
        || text
            .bytes()
            .any(|byte| matches!(byte, b'"' | b'\\' | b'{' | b'}' | b',') || is_blank(byte))
}

/// What came last, which decides what may follow (`ArrayParseState`).
///
/// ```text
/// Opened ──char──▶ Bare ──','──▶ Delimited     (Opened and Delimited start elements alike,
/// Opened ──'"'──▶ Quoted ──'"'──▶ Closed        but only Opened may be followed by '}')
/// Bare, Closed ──','──▶ Delimited; Opened, Bare, Closed ──'}'──▶ the end
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Opened,
    Bare,
    Quoted,
    Closed,
    Delimited,
}

/// Splits an array literal into its elements; unquoted NULL is `None`.
///
/// 22P02 `malformed array literal` with PostgreSQL's detail; 0A000 for nested arrays and explicit
/// bounds, which no array of this engine has.
pub fn parse_array(text: &str) -> Result<Vec<Option<Cow<'_, str>>>> {
    let start = text.bytes().take_while(|&byte| is_blank(byte)).count();
    match text.as_bytes().get(start) {
        Some(b'{') => read_elements(text, start + 1),
        Some(b'[') => Err(Error::unsupported("an array literal with explicit bounds")),
        _ => Err(malformed(
            text,
            "Array value must start with \"{\" or dimension information.",
        )),
    }
}

/// Where the element being read stands in the literal.
#[derive(Clone, Copy)]
struct Element {
    start: usize,
    end: usize,
    quoted: bool,
    /// Backslashes are to be removed from the text.
    escaped: bool,
}

impl Element {
    const NONE: Element = Element {
        start: 0,
        end: 0,
        quoted: false,
        escaped: false,
    };

    fn bare(start: usize) -> Element {
        Element {
            start,
            end: start,
            quoted: false,
            escaped: false,
        }
    }

    fn quoted(start: usize) -> Element {
        Element {
            start,
            end: start,
            quoted: true,
            escaped: false,
        }
    }

    fn text(self, literal: &str) -> Option<Cow<'_, str>> {
        let raw = &literal[self.start..self.end];
        if self.escaped {
            let mut text = String::with_capacity(raw.len());
            let mut characters = raw.chars();
            while let Some(character) = characters.next() {
                text.extend(if character == '\\' {
                    characters.next()
                } else {
                    Some(character)
                });
            }
            Some(Cow::Owned(text))
        } else if !self.quoted && raw.eq_ignore_ascii_case("NULL") {
            None
        } else {
            Some(Cow::Borrowed(raw))
        }
    }
}

/// Reads from behind the opening brace to the end of the literal.
fn read_elements(text: &str, mut at: usize) -> Result<Vec<Option<Cow<'_, str>>>> {
    let mut elements = Vec::new();
    let mut state = State::Opened;
    let mut element = Element::NONE;
    loop {
        let Some(&byte) = text.as_bytes().get(at) else {
            return Err(malformed(text, "Unexpected end of input."));
        };
        match (byte, state) {
            (b'\\', State::Closed) => return Err(unexpected(text, byte)),
            (b'\\', _) => {
                let Some(escaped) = text[at + 1..].chars().next() else {
                    return Err(malformed(text, "Unexpected end of input."));
                };
                if matches!(state, State::Opened | State::Delimited) {
                    element = Element::bare(at);
                    state = State::Bare;
                }
                element.escaped = true;
                at += escaped.len_utf8();
                element.end = at + 1;
            }
            (b'"', State::Opened | State::Delimited) => {
                element = Element::quoted(at + 1);
                state = State::Quoted;
            }
            (b'"', State::Quoted) => state = State::Closed,
            (_, State::Quoted) => element.end = at + 1,
            (b'{', State::Opened) => return Err(Error::unsupported("a multidimensional array")),
            (b'{', _) => return Err(unexpected(text, byte)),
            (b'}', State::Delimited) => return Err(unexpected(text, byte)),
            (b'}', _) => {
                if state != State::Opened {
                    elements.push(element.text(text));
                }
                if !text.bytes().skip(at + 1).all(is_blank) {
                    return Err(malformed(text, "Junk after closing right brace."));
                }
                return Ok(elements);
            }
            (b',', State::Bare | State::Closed) => {
                elements.push(element.text(text));
                state = State::Delimited;
            }
            (b',', _) => return Err(unexpected(text, byte)),
            // Blanks around an element are not part of it; those inside are, once more follows.
            _ if is_blank(byte) => {}
            (_, State::Closed) | (b'"', State::Bare) => {
                return Err(malformed(text, "Unexpected array element."));
            }
            (_, State::Opened | State::Delimited) => {
                element = Element::bare(at);
                element.end = at + 1;
                state = State::Bare;
            }
            (_, State::Bare) => element.end = at + 1,
        }
        at += 1;
    }
}

#[cold]
fn unexpected(text: &str, byte: u8) -> Error {
    malformed(
        text,
        &format!("Unexpected \"{}\" character.", char::from(byte)),
    )
}

#[cold]
fn malformed(text: &str, detail: &str) -> Error {
    Error::new(
        sqlstate::INVALID_TEXT_REPRESENTATION,
        format!("malformed array literal: \"{text}\""),
    )
    .with_detail(detail)
}
