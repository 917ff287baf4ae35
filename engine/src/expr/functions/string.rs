//! Functions of whole strings (`varlena.c`, `oracle_compat.c`). Case is ASCII's, as in the C locale.

use md5::{Digest, Md5};

use super::super::call::{Kernel, Output, Row, check_size};
use super::Found;
use crate::error::{Error, Result, sqlstate};
use crate::value::Base;
use crate::value::text::without_blanks;

pub(super) fn find(name: &str, bases: &[Base]) -> Option<Found> {
    use Base::{Bpchar, Int4, Int8};
    let texts = bases.iter().filter(|base| is_text(**base)).count();
    let all_text = texts == bases.len();
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match (name, bases.len()) {
        ("length" | "char_length" | "character_length", 1) if bases == [Bpchar] => {
            |row, out| out.set(characters(without_blanks(row.bytes(0))) as i32)
        }
        ("octet_length", 1) if bases == [Bpchar] => |row, out| out.set(row.bytes(0).len() as i32),
        ("length" | "char_length" | "character_length", 1) if all_text => {
            |row, out| out.set(characters(row.bytes(0)) as i32)
        }
        ("octet_length", 1) if all_text => |row, out| out.set(row.bytes(0).len() as i32),
        ("bit_length", 1) if all_text => |row, out| out.set(row.bytes(0).len() as i32 * 8),
        ("lower", 1) if all_text => |row, out| {
            let text = row.bytes(0);
            out.append(text.len(), |out| {
                out.extend(text.iter().map(u8::to_ascii_lowercase))
            })
        },
        ("upper", 1) if all_text => |row, out| {
            let text = row.bytes(0);
            out.append(text.len(), |out| {
                out.extend(text.iter().map(u8::to_ascii_uppercase))
            })
        },
        ("initcap", 1) if all_text => |row, out| out.build(|text| initcap(row.text(0), text)),
        ("reverse", 1) if all_text => |row, out| {
            out.build(|text| {
                text.extend(row.text(0).chars().rev());
                Ok(())
            })
        },
        ("ascii", 1) if all_text => {
            |row, out| out.set(row.text(0).chars().next().map_or(0, |c| c as i32))
        }
        ("md5", 1) if all_text => return Some((Kernel::Row(md5), 40)),
        ("textcat", 2) if all_text => |row, out| {
            let (left, right) = (row.bytes(0), row.bytes(1));
            out.room().check(left.len() as u64 + right.len() as u64)?;
            out.append(left.len() + right.len(), |out| {
                out.extend_from_slice(left);
                out.extend_from_slice(right);
            })
        },
        ("strpos" | "position", 2) if all_text => {
            |row, out| out.set(position(row.bytes(0), row.bytes(1)))
        }
        ("starts_with", 2) if all_text => {
            |row, out| out.set(row.bytes(0).starts_with(row.bytes(1)))
        }
        ("replace", 3) if all_text => return Some((Kernel::Row(replace), 20)),
        ("translate", 3) if all_text => {
            |row, out| out.build(|text| translate(row.text(0), row.text(1), row.text(2), text))
        }
        ("repeat", 2) if texts == 1 && bases[1] == Int4 => return Some((Kernel::Row(repeat), 20)),
        ("chr", 1) if bases == [Int4] => |row, out| {
            out.build(|text| {
                text.push(character(row.int4(0))?);
                Ok(())
            })
        },
        ("to_hex", 1) if bases == [Int4] => {
            |row, out| out.build(|text| hexadecimal(u64::from(row.int4(0) as u32), text))
        }
        ("to_hex", 1) if bases == [Int8] => {
            |row, out| out.build(|text| hexadecimal(row.int8(0) as u64, text))
        }
        _ => return None,
    };
    Some((Kernel::Row(kernel), 4))
}

pub(super) fn is_text(base: Base) -> bool {
    matches!(base, Base::Text | Base::Varchar | Base::Unknown)
}

/// Characters of a valid UTF-8 string.
pub(super) fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| is_first(byte)).count()
}

/// True for the first byte of a character.
pub(super) fn is_first(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

fn initcap(text: &str, out: &mut String) -> Result<()> {
    let mut within_word = false;
    out.extend(text.chars().map(|c| {
        let mapped = if within_word {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        };
        within_word = c.is_ascii_alphanumeric();
        mapped
    }));
    Ok(())
}

/// A byte is hashed in the time that so many more are copied in.
const HASHING: u64 = 3;

fn md5(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 32];
    out.work(row.bytes(0).len() as u64 * HASHING);
    for (pair, byte) in text
        .as_chunks_mut::<2>()
        .0
        .iter_mut()
        .zip(Md5::digest(row.bytes(0)))
    {
        *pair = [
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ];
    }
    out.bytes(&text)
}

/// Where `part` begins in `whole`, in bytes.
pub(super) fn find_bytes(whole: &[u8], part: &[u8]) -> Option<usize> {
    let Some((&first, rest)) = part.split_first() else {
        return Some(0);
    };
    let last = whole.len().checked_sub(part.len())?;
    let mut from = 0;
    while from <= last {
        let at = from + whole[from..=last].iter().position(|&byte| byte == first)?;
        if whole[at + 1..].starts_with(rest) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// `position(part IN whole)`, in characters from 1; 0 where it is not.
fn position(whole: &[u8], part: &[u8]) -> i32 {
    find_bytes(whole, part).map_or(0, |at| characters(&whole[..at]) as i32 + 1)
}

fn replace(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    let (text, from, to) = (row.text(0), row.text(1), row.text(2));
    if from.is_empty() || text.is_empty() {
        return out.text(text);
    }
    let room = out.room();
    out.build(|result| {
        let mut rest = text;
        while let Some(at) = find_bytes(rest.as_bytes(), from.as_bytes()) {
            room.check((result.len() + at + to.len()) as u64)?;
            result.push_str(&rest[..at]);
            result.push_str(to);
            rest = &rest[at + from.len()..];
        }
        result.push_str(rest);
        Ok(())
    })
}

/// `translate`: each character of `from` becomes its counterpart in `to`, or nothing.
fn translate(text: &str, from: &str, to: &str, out: &mut String) -> Result<()> {
    for c in text.chars() {
        match from.chars().position(|candidate| candidate == c) {
            None => out.push(c),
            Some(at) => out.extend(to.chars().nth(at)),
        }
    }
    check_size(out.len() as u64)
}

fn repeat(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    let (text, count) = (row.bytes(0), row.int4(1).max(0) as u64);
    let bytes = text.len() as u64 * count;
    out.room().check(bytes)?;
    out.append(bytes as usize, |out| {
        for _ in 0..if text.is_empty() { 0 } else { count } {
            out.extend_from_slice(text);
        }
    })
}

/// `chr`: the character of a code point.
fn character(code: i32) -> Result<char> {
    let refuse = |message: String| Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
    if code < 0 {
        return Err(Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "character number must be positive",
        ));
    }
    if code == 0 {
        return refuse("null character not permitted".into());
    }
    if code > 0x10_FFFF {
        return refuse(format!(
            "requested character too large for encoding: {code}"
        ));
    }
    match char::from_u32(code as u32) {
        Some(c) => Ok(c),
        None => refuse(format!(
            "requested character not valid for encoding: {code}"
        )),
    }
}

fn hexadecimal(value: u64, out: &mut String) -> Result<()> {
    let digits = (16 - value.leading_zeros() as usize / 4).max(1);
    out.extend(
        (0..digits)
            .rev()
            .filter_map(|place| char::from_digit((value >> (place * 4) & 15) as u32, 16)),
    );
    Ok(())
}
