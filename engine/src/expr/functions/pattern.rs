//! LIKE and ILIKE (`like.c`, `like_match.c`).

use super::super::Stop;
use super::super::call::{Kernel, Output, Row, is_long};
use super::super::meter::Meter;
use super::super::node::{Halt, Operand};
use super::super::operand::{Native, grow};
use super::Found;
use super::string::{find_bytes, is_first, is_text};
use crate::error::{Error, Result, sqlstate};
use crate::value::{Base, Column, Rows};

pub(super) fn find(name: &str, bases: &[Base]) -> Option<Found> {
    // The blanks of a `character` count.
    let &[text, pattern] = bases else {
        return None;
    };
    if !is_text(text) && text != Base::Bpchar || !is_text(pattern) {
        return None;
    }
    let kernel = match name {
        "textlike" | "bpcharlike" | "like" => {
            Kernel::Texts(|args, rows, out, meter| like(args, rows, out, meter, true))
        }
        "textnlike" | "bpcharnlike" | "notlike" => {
            Kernel::Texts(|args, rows, out, meter| like(args, rows, out, meter, false))
        }
        "texticlike" | "bpchariclike" => Kernel::Row(|row, out| out.set(like_ignoring_case(row)?)),
        "texticnlike" | "bpcharicnlike" => {
            Kernel::Row(|row, out| out.set(!like_ignoring_case(row)?))
        }
        "like_escape" => Kernel::Row(like_escape),
        _ => return None,
    };
    Some((kernel, 5))
}

/// A pattern, taken apart as far as that makes matching faster.
enum Pattern<'a> {
    Exact(&'a [u8]),
    /// `abc%`
    Prefix(&'a [u8]),
    /// `%abc`
    Suffix(&'a [u8]),
    /// `%abc%`
    Contains(&'a [u8]),
    Any(&'a [u8]),
}

impl<'a> Pattern<'a> {
    fn of(pattern: &'a [u8]) -> Self {
        let plain = |part: &[u8]| !part.iter().any(|byte| matches!(byte, b'%' | b'_' | b'\\'));
        match pattern {
            [b'%', middle @ .., b'%'] if plain(middle) => Pattern::Contains(middle),
            [start @ .., b'%'] if plain(start) => Pattern::Prefix(start),
            [b'%', end @ ..] if plain(end) => Pattern::Suffix(end),
            exact if plain(exact) => Pattern::Exact(exact),
            any => Pattern::Any(any),
        }
    }

    fn matches(&self, text: &[u8]) -> Result<bool> {
        Ok(match self {
            Pattern::Exact(exact) => text == *exact,
            Pattern::Prefix(start) => text.starts_with(start),
            Pattern::Suffix(end) => text.ends_with(end),
            Pattern::Contains(part) => find_bytes(text, part).is_some(),
            Pattern::Any(pattern) => match_text(text, pattern)? == Match::Yes,
        })
    }
}

/// `text LIKE pattern`, or its opposite. A constant pattern is looked at once a batch.
fn like(
    args: &[Operand<'_>],
    rows: Rows<'_>,
    out: &mut Column,
    meter: &mut Meter<'_>,
    wanted: bool,
) -> Halt {
    let Column { data, nulls, .. } = out;
    let out = bool::vector(data);
    grow(out, rows.end());
    let constant = match args[1] {
        Operand::Scalar(_) => Some(Pattern::of(args[1].bytes(0))),
        Operand::Column(_) => None,
    };
    let (long, end) = (is_long(&args[0]), rows.end());
    for row in rows.iter() {
        if nulls.get(row) {
            continue;
        }
        let text = args[0].bytes(row);
        let matched = match &constant {
            Some(pattern) => pattern.matches(text),
            None => match_text(text, args[1].bytes(row)).map(|matched| matched == Match::Yes),
        };
        match matched {
            Ok(matched) => out[row] = matched == wanted,
            Err(error) => return Some(Box::new(Stop::error(row, error))),
        }
        if long {
            meter.count(text.len() as u64);
            let pause = meter.pause(row, end);
            if pause.is_some() {
                return pause;
            }
        }
    }
    None
}

fn like_ignoring_case(row: &Row<'_>) -> Result<bool> {
    let (text, pattern) = (
        row.bytes(0).to_ascii_lowercase(),
        row.bytes(1).to_ascii_lowercase(),
    );
    Ok(match_text(&text, &pattern)? == Match::Yes)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
    Yes,
    No,
    /// Not even from a later place of the text.
    Abort,
}

#[cold]
fn ends_with_escape() -> Error {
    Error::new(
        sqlstate::INVALID_ESCAPE_SEQUENCE,
        "LIKE pattern must not end with escape character",
    )
}

/// The text after its first character.
fn after_character(text: &[u8]) -> &[u8] {
    let rest = &text[1..];
    let next = rest
        .iter()
        .position(|&byte| is_first(byte))
        .unwrap_or(rest.len());
    &rest[next..]
}

/// `MatchText`. Recursion is as deep as the pattern has `%`s.
fn match_text(text: &[u8], pattern: &[u8]) -> Result<Match> {
    let (mut text, mut pattern) = (text, pattern);
    while let (Some(&t), Some((&p, rest))) = (text.first(), pattern.split_first()) {
        match p {
            b'\\' => {
                let Some((&literal, rest)) = rest.split_first() else {
                    return Err(ends_with_escape());
                };
                if literal != t {
                    return Ok(Match::No);
                }
                (text, pattern) = (&text[1..], rest);
            }
            b'%' => return match_after_percent(text, rest),
            b'_' => (text, pattern) = (after_character(text), rest),
            literal => {
                if literal != t {
                    return Ok(Match::No);
                }
                (text, pattern) = (&text[1..], rest);
            }
        }
    }
    if !text.is_empty() {
        return Ok(Match::No);
    }
    let only_percents = pattern.iter().all(|&byte| byte == b'%');
    Ok(if only_percents {
        Match::Yes
    } else {
        Match::Abort
    })
}

/// Looks for a place of the text from which the rest of the pattern matches.
fn match_after_percent(text: &[u8], pattern: &[u8]) -> Result<Match> {
    let (mut text, mut pattern) = (text, pattern);
    while let Some((&p, rest)) = pattern.split_first() {
        match p {
            b'%' => {}
            b'_' if text.is_empty() => return Ok(Match::Abort),
            b'_' => text = after_character(text),
            _ => break,
        }
        pattern = rest;
    }
    let first = match pattern {
        [] => return Ok(Match::Yes),
        [b'\\'] => return Err(ends_with_escape()),
        [b'\\', literal, ..] | [literal, ..] => *literal,
    };
    while let Some(&t) = text.first() {
        if t == first {
            let matched = match_text(text, pattern)?;
            if matched != Match::No {
                return Ok(matched);
            }
        }
        text = after_character(text);
    }
    Ok(Match::Abort)
}

/// `do_like_escape`: a pattern with another escape character, rewritten to use the backslash.
fn like_escape(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    let (pattern, escape) = (row.text(0), row.text(1));
    let mut characters = escape.chars();
    let escape = characters.next();
    if characters.next().is_some() {
        return Err(
            Error::new(sqlstate::INVALID_ESCAPE_SEQUENCE, "invalid escape string")
                .with_hint("Escape string must be empty or one character."),
        );
    }
    out.build(|rewritten| {
        let mut escaped = false;
        for c in pattern.chars() {
            match escape {
                Some('\\') => rewritten.push(c),
                Some(escape) if c == escape && !escaped => {
                    rewritten.push('\\');
                    escaped = true;
                }
                _ => {
                    if c == '\\' && !escaped {
                        rewritten.push('\\');
                    }
                    rewritten.push(c);
                    escaped = false;
                }
            }
        }
        Ok(())
    })
}

/// `text LIKE pattern`. Errors: 22025 for a pattern that ends with an escape.
pub(crate) fn like_matches(text: &[u8], pattern: &[u8]) -> Result<bool> {
    Pattern::of(pattern).matches(text)
}
