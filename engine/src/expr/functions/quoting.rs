//! Functions of arguments of any type: concatenation, quoting, formatting (`varlena.c`, `quote.c`).

use super::super::call::{Kernel, Output, Room, Row, check_size};
use super::super::cast::write_operand;
use super::super::operand::Operand;
use super::Found;
use super::string::characters;
use crate::error::{Error, Result, sqlstate};
use crate::value::{Column, Datum, Type, Vector};

pub(super) fn find(name: &str, types: &[Type]) -> Option<Found> {
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match (name, types.len()) {
        ("concat", _) => |row, out| {
            let room = out.room();
            out.build(|text| concatenate(row, 0, "", room, text))
        },
        ("concat_ws", 1..) if types[0].is_string() => |row, out| {
            if row.is_null(0) {
                return out.null();
            }
            let room = out.room();
            out.build(|text| concatenate(row, 1, row.text(0), room, text))
        },
        ("anytextcat" | "textanycat", 2) => |row, out| {
            out.build(|text| {
                write_cast(row.operand(0), row.number(), text);
                write_cast(row.operand(1), row.number(), text);
                check_size(text.len() as u64)
            })
        },
        ("quote_literal", 1) => |row, out| {
            out.build(|text| {
                write_quoted(row, 0, text);
                Ok(())
            })
        },
        ("quote_nullable", 1) => |row, out| {
            out.build(|text| {
                if row.is_null(0) {
                    text.push_str("NULL");
                } else {
                    write_quoted(row, 0, text);
                }
                Ok(())
            })
        },
        ("num_nulls", 1..) => |row, out| out.set(nulls(row)),
        ("num_nonnulls", 1..) => |row, out| out.set(row.count() as i32 - nulls(row)),
        ("format", 1..) if types[0].is_string() => |row, out| {
            if row.is_null(0) {
                return out.null();
            }
            let room = out.room();
            out.build(|text| format(row, room, text))
        },
        _ => return None,
    };
    Some((Kernel::Row(kernel), 4 + 4 * types.len() as u32))
}

fn nulls(row: &Row<'_>) -> i32 {
    (0..row.count()).filter(|&i| row.is_null(i)).count() as i32
}

/// The arguments from `first` on that are not NULL, with a separator between.
fn concatenate(
    row: &Row<'_>,
    first: usize,
    separator: &str,
    room: Room<'_>,
    out: &mut String,
) -> Result<()> {
    let mut between = "";
    for i in first..row.count() {
        if !row.is_null(i) {
            out.push_str(between);
            write_operand(row.operand(i), row.number(), out);
            room.check(out.len() as u64)?;
            between = separator;
        }
    }
    Ok(())
}

/// `value::text`, which differs from the output function for booleans.
fn write_cast(operand: Operand<'_>, row: usize, out: &mut String) {
    match operand {
        Operand::Column(Column {
            data: Vector::Bool(v),
            ..
        }) => {
            out.push_str(if v[row] { "true" } else { "false" });
        }
        Operand::Scalar(Datum::Bool(value)) => out.push_str(if *value { "true" } else { "false" }),
        other => write_operand(other, row, out),
    }
}

/// `quote_literal`: between quotes, with `E` in front where there are backslashes.
fn write_quoted(row: &Row<'_>, i: usize, out: &mut String) {
    let mut text = String::new();
    write_cast(row.operand(i), row.number(), &mut text);
    if text.contains('\\') {
        out.push('E');
    }
    out.push('\'');
    for c in text.chars() {
        if matches!(c, '\'' | '\\') {
            out.push(c);
        }
        out.push(c);
    }
    out.push('\'');
}

#[cold]
fn invalid(message: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

#[cold]
fn unterminated() -> Error {
    invalid("unterminated format() type specifier").with_hint("For a single \"%\" use \"%%\".")
}

/// `format(formatstr, …)` (`text_format`): `%[position$][-][width]type`.
fn format(row: &Row<'_>, room: Room<'_>, out: &mut String) -> Result<()> {
    let mut next = 1;
    let mut characters = row.text(0).chars().peekable();
    while let Some(c) = characters.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if characters.peek() == Some(&'%') {
            characters.next();
            out.push('%');
            continue;
        }
        let specifier = Specifier::read(&mut characters, row, &mut next)?;
        let position = specifier.position.unwrap_or(next);
        if position >= row.count() {
            return Err(invalid("too few arguments for format()"));
        }
        next = position + 1;
        let mut text = String::new();
        match specifier.conversion {
            's' if row.is_null(position) => {}
            's' => write_operand(row.operand(position), row.number(), &mut text),
            'L' if row.is_null(position) => text.push_str("NULL"),
            'L' => write_quoted(row, position, &mut text),
            _ => return Err(Error::unsupported("format() type specifier \"I\"")),
        }
        room.check((out.len() + text.len().max(specifier.width)) as u64)?;
        specifier.write(&text, out);
    }
    Ok(())
}

/// One `%…` of a format string.
struct Specifier {
    position: Option<usize>,
    left: bool,
    width: usize,
    conversion: char,
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

impl Specifier {
    fn read(characters: &mut Characters<'_>, row: &Row<'_>, next: &mut usize) -> Result<Specifier> {
        let mut position = None;
        let mut width = digits(characters)?;
        if let Some(number) = width
            && characters.peek() == Some(&'$')
        {
            if number == 0 {
                return Err(invalid(
                    "format specifies argument 0, but arguments are numbered from 1",
                ));
            }
            characters.next();
            (position, width) = (Some(number), None);
        }
        let mut left = false;
        if width.is_none() {
            while characters.next_if_eq(&'-').is_some() {
                left = true;
            }
            width = match characters.next_if_eq(&'*') {
                Some(_) => Some(width_argument(characters, row, next, &mut left)?),
                None => digits(characters)?,
            };
        }
        match characters.next() {
            None => Err(unterminated()),
            Some(conversion @ ('s' | 'I' | 'L')) => Ok(Specifier {
                position,
                left,
                width: width.unwrap_or(0),
                conversion,
            }),
            Some(other) => Err(invalid(format!(
                "unrecognized format() type specifier \"{other}\""
            ))
            .with_hint("For a single \"%\" use \"%%\".")),
        }
    }

    fn write(&self, text: &str, out: &mut String) {
        let missing = self.width.saturating_sub(characters(text.as_bytes()));
        if self.left {
            out.push_str(text);
        }
        out.extend(std::iter::repeat_n(' ', missing));
        if !self.left {
            out.push_str(text);
        }
    }
}

/// Decimal digits, if there are some.
fn digits(characters: &mut Characters<'_>) -> Result<Option<usize>> {
    let mut number = None;
    while let Some(digit) = characters.peek().and_then(|c| c.to_digit(10)) {
        characters.next();
        let longer = number
            .unwrap_or(0i32)
            .checked_mul(10)
            .and_then(|n| n.checked_add(digit as i32));
        number = Some(longer.ok_or_else(|| invalid("number is out of range"))?);
    }
    if number.is_some() && characters.peek().is_none() {
        return Err(unterminated());
    }
    Ok(number.map(|number| number as usize))
}

/// The width that an argument gives: `*` or `*n$`; a negative one stands for the flag `-`.
fn width_argument(
    characters: &mut Characters<'_>,
    row: &Row<'_>,
    next: &mut usize,
    left: &mut bool,
) -> Result<usize> {
    let position = match digits(characters)? {
        Some(0) => {
            return Err(invalid(
                "format specifies argument 0, but arguments are numbered from 1",
            ));
        }
        Some(position) => {
            if characters.next_if_eq(&'$').is_none() {
                return Err(invalid("width argument position must be ended by \"$\""));
            }
            position
        }
        None => *next,
    };
    if position >= row.count() {
        return Err(invalid("too few arguments for format()"));
    }
    *next = position + 1;
    if row.is_null(position) {
        return Ok(0);
    }
    let Some(width) = row.operand(position).datum(row.number()).as_i64() else {
        return Err(Error::unsupported("a format() width that is no integer"));
    };
    *left |= width < 0;
    Ok(width.unsigned_abs() as usize)
}
