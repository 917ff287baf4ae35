//! Functions that take parts of strings, or fill them up (`varlena.c`, `oracle_compat.c`).

use super::super::call::{Kernel, Output, Room, Row, check_size, too_large};
use super::Found;
use super::number::out_of_range;
use super::string::{characters, find_bytes, is_first, is_text};
use crate::error::{Error, Result, sqlstate};
use crate::value::Base;

pub(super) fn find(name: &str, bases: &[Base]) -> Option<Found> {
    use Base::Int4;
    let texts = bases.iter().take_while(|base| is_text(**base)).count();
    let integers = bases[texts..].iter().filter(|&&base| base == Int4).count();
    if texts + integers != bases.len() && name != "rpad" && name != "lpad" {
        return None;
    }
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match (name, texts, integers) {
        ("substr" | "substring", 1, 1) => {
            |row, out| out.text(substring(row.text(0), row.int4(1), None)?)
        }
        ("substr" | "substring", 1, 2) => {
            |row, out| out.text(substring(row.text(0), row.int4(1), Some(row.int4(2)))?)
        }
        ("left", 1, 1) => |row, out| {
            let text = row.text(0);
            out.text(&text[..place_of(text, row.int4(1))])
        },
        ("right", 1, 1) => |row, out| {
            let text = row.text(0);
            let count = i64::from(row.int4(1));
            let total = characters(text.as_bytes()) as i64;
            let from = if count < 0 {
                -count
            } else {
                (total - count).max(0)
            };
            out.text(&text[byte_of(text, from as usize)..])
        },
        ("btrim", 1, 0) => |row, out| out.text(row.text(0).trim_matches(' ')),
        ("ltrim", 1, 0) => |row, out| out.text(row.text(0).trim_start_matches(' ')),
        ("rtrim", 1, 0) => |row, out| out.text(row.text(0).trim_end_matches(' ')),
        ("btrim", 2, 0) => |row, out| {
            let set = row.text(1);
            out.text(row.text(0).trim_matches(|c| set.contains(c)))
        },
        ("ltrim", 2, 0) => |row, out| {
            let set = row.text(1);
            out.text(row.text(0).trim_start_matches(|c| set.contains(c)))
        },
        ("rtrim", 2, 0) => |row, out| {
            let set = row.text(1);
            out.text(row.text(0).trim_end_matches(|c| set.contains(c)))
        },
        ("lpad" | "rpad", 1, _) => match (name, bases) {
            ("lpad", [_, Int4]) => |row, out| lpad(row, " ", out),
            ("lpad", [_, Int4, fill]) if is_text(*fill) => |row, out| lpad(row, row.text(2), out),
            ("rpad", [_, Int4]) => |row, out| rpad(row, " ", out),
            ("rpad", [_, Int4, fill]) if is_text(*fill) => |row, out| rpad(row, row.text(2), out),
            _ => return None,
        },
        ("split_part", 2, 1) => {
            |row, out| out.text(split_part(row.text(0), row.text(1), row.int4(2))?)
        }
        ("overlay", 2, 1) => |row, out| {
            let length = characters(row.bytes(1)) as i32;
            overlay(row, row.int4(2), length, out)
        },
        ("overlay", 2, 2) => |row, out| overlay(row, row.int4(2), row.int4(3), out),
        _ => return None,
    };
    Some((Kernel::Row(kernel), 4))
}

/// Where the character after the first `n` begins; the end where there are no more.
fn byte_of(text: &str, n: usize) -> usize {
    if n >= text.len() {
        return text.len();
    }
    let bytes = text.as_bytes();
    let mut seen = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if is_first(byte) {
            if seen == n {
                return at;
            }
            seen += 1;
        }
    }
    text.len()
}

/// Where the first `count` characters end; with a negative count, all but the last ones.
fn place_of(text: &str, count: i32) -> usize {
    if count >= 0 {
        return byte_of(text, count as usize);
    }
    let total = characters(text.as_bytes()) as i64;
    byte_of(text, (total + i64::from(count)).max(0) as usize)
}

#[cold]
fn negative_length() -> Error {
    Error::new(
        sqlstate::SUBSTRING_ERROR,
        "negative substring length not allowed",
    )
}

/// `text_substring`: characters from `start` (from 1; what lies before the text counts against the
/// length).
fn substring(text: &str, start: i32, length: Option<i32>) -> Result<&str> {
    let from = (i64::from(start) - 1).max(0) as usize;
    let end = match length {
        None => None,
        Some(length) if length < 0 => return Err(negative_length()),
        Some(length) => Some((i64::from(start) - 1 + i64::from(length)).max(0) as usize),
    };
    let rest = &text[byte_of(text, from)..];
    Ok(match end {
        None => rest,
        Some(end) => &rest[..byte_of(rest, end.saturating_sub(from))],
    })
}

/// The wanted length, checked as if every character took four bytes, as PostgreSQL does.
fn padded_length(row: &Row<'_>) -> Result<usize> {
    let length = row.int4(1).max(0) as u64;
    if length * 4 > i32::MAX as u64 {
        return Err(too_large());
    }
    check_size(length * 4)?;
    Ok(length as usize)
}

/// The padding for a text of `length` characters. Errors: 53200.
fn padding(text: &str, fill: &str, length: usize, room: Room<'_>, out: &mut String) -> Result<()> {
    if !fill.is_empty() {
        let missing = length.saturating_sub(characters(text.as_bytes()));
        let widest = fill.chars().map(char::len_utf8).max().unwrap_or(1);
        room.check((text.len() + missing * widest) as u64)?;
        out.extend(fill.chars().cycle().take(missing));
    }
    Ok(())
}

fn lpad(row: &Row<'_>, fill: &str, out: &mut Output<'_>) -> Result<()> {
    let (text, length) = (row.text(0), padded_length(row)?);
    let room = out.room();
    out.build(|result| {
        padding(text, fill, length, room, result)?;
        result.push_str(&text[..byte_of(text, length)]);
        Ok(())
    })
}

fn rpad(row: &Row<'_>, fill: &str, out: &mut Output<'_>) -> Result<()> {
    let (text, length) = (row.text(0), padded_length(row)?);
    let room = out.room();
    out.build(|result| {
        result.push_str(&text[..byte_of(text, length)]);
        padding(text, fill, length, room, result)
    })
}

/// `split_part`: field `n` from 1, or from the end where it is negative.
fn split_part<'a>(text: &'a str, delimiter: &str, n: i32) -> Result<&'a str> {
    if n == 0 {
        return Err(Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "field position must not be zero",
        ));
    }
    if text.is_empty() {
        return Ok("");
    }
    if delimiter.is_empty() {
        return Ok(if n == 1 || n == -1 { text } else { "" });
    }
    let skipped = if n > 0 {
        i64::from(n) - 1
    } else {
        let fields = fields(text, delimiter).count() as i64;
        fields + i64::from(n)
    };
    Ok(usize::try_from(skipped)
        .ok()
        .and_then(|skipped| fields(text, delimiter).nth(skipped))
        .unwrap_or(""))
}

/// The parts of a text between delimiters, which are not empty.
pub(super) fn fields<'a>(text: &'a str, delimiter: &str) -> impl Iterator<Item = &'a str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        Some(match find_bytes(text.as_bytes(), delimiter.as_bytes()) {
            Some(at) => {
                rest = Some(&text[at + delimiter.len()..]);
                &text[..at]
            }
            None => {
                rest = None;
                text
            }
        })
    })
}

/// `overlay(text PLACING part FROM start FOR length)`
fn overlay(row: &Row<'_>, start: i32, length: i32, out: &mut Output<'_>) -> Result<()> {
    if start <= 0 {
        return Err(negative_length());
    }
    let after = start
        .checked_add(length)
        .ok_or_else(|| out_of_range("integer"))?;
    let text = row.text(0);
    let before = substring(text, 1, Some(start - 1))?;
    let rest = substring(text, after, None)?;
    let room = out.room();
    room.check((before.len() + row.bytes(1).len() + rest.len()) as u64)?;
    out.build(|result| {
        result.push_str(before);
        result.push_str(row.text(1));
        result.push_str(rest);
        Ok(())
    })
}
