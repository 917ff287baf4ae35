//! `smallint`, `integer` and `bigint` (`numutils.c`).

use super::{invalid_syntax, is_blank};
use crate::error::{Error, Result, sqlstate};

pub fn write_int2(value: i16, out: &mut String) {
    write_int8(i64::from(value), out);
}

pub fn write_int4(value: i32, out: &mut String) {
    write_int8(i64::from(value), out);
}

pub fn write_int8(value: i64, out: &mut String) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push('-');
    }
    out.extend(digits[at..].iter().map(|&digit| char::from(digit)));
}

/// Decimal digits with an optional sign and blanks around. 22P02, or 22003 beyond the range.
pub fn parse_int2(text: &str) -> Result<i16> {
    parse(text, "smallint", i64::from(i16::MIN)).map(|value| value as i16)
}

/// Decimal digits with an optional sign and blanks around. 22P02, or 22003 beyond the range.
pub fn parse_int4(text: &str) -> Result<i32> {
    parse(text, "integer", i64::from(i32::MIN)).map(|value| value as i32)
}

/// Decimal digits with an optional sign and blanks around. 22P02, or 22003 beyond the range.
pub fn parse_int8(text: &str) -> Result<i64> {
    parse(text, "bigint", i64::MIN)
}

/// A number from `least` to `-(least + 1)`. Too many digits are an error before what follows them.
fn parse(text: &str, type_name: &str, least: i64) -> Result<i64> {
    let bytes = text.as_bytes();
    let mut at = bytes.iter().take_while(|&&byte| is_blank(byte)).count();
    let negative = bytes.get(at) == Some(&b'-');
    if negative || bytes.get(at) == Some(&b'+') {
        at += 1;
    }
    let first = at;
    // Negative numbers reach one farther, so that all are collected as negative ones.
    let mut value: i64 = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_sub(i64::from(digit - b'0')))
            .filter(|&value| value >= least)
            .ok_or_else(|| out_of_range(text, type_name))?;
        at += 1;
    }
    if at == first || !bytes[at..].iter().all(|&byte| is_blank(byte)) {
        return Err(invalid_syntax(type_name, text));
    }
    if negative {
        Ok(value)
    } else if value == least {
        Err(out_of_range(text, type_name))
    } else {
        Ok(-value)
    }
}

#[cold]
fn out_of_range(text: &str, type_name: &str) -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("value \"{text}\" is out of range for type {type_name}"),
    )
}
