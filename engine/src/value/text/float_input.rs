//! Text input of `real` and `double precision` (`float.c`).

use super::{invalid_syntax, is_blank};
use crate::error::{Error, Result, sqlstate};

/// Reads what C's `strtod` reads, with blanks around. 22P02, or 22003 beyond the range and for
/// what is so small that only 0 is near.
pub fn parse_float8(text: &str) -> Result<f64> {
    match scan(text, "double precision")? {
        Scanned::Special(value) => Ok(value),
        Scanned::Number { number, rest, zero } => {
            let value: f64 = number
                .parse()
                .map_err(|_| invalid_syntax("double precision", text))?;
            if value.is_infinite() || (value == 0.0 && !zero) {
                return Err(out_of_range(number, "double precision"));
            }
            if rest {
                Err(invalid_syntax("double precision", text))
            } else {
                Ok(value)
            }
        }
    }
}

/// Reads what C's `strtof` reads, with blanks around. 22P02, or 22003 beyond the range and for
/// what is so small that only 0 is near.
pub fn parse_float4(text: &str) -> Result<f32> {
    match scan(text, "real")? {
        Scanned::Special(value) => Ok(value as f32),
        Scanned::Number { number, rest, zero } => {
            let value: f32 = number.parse().map_err(|_| invalid_syntax("real", text))?;
            if value.is_infinite() || (value == 0.0 && !zero) {
                return Err(out_of_range(text, "real"));
            }
            if rest {
                Err(invalid_syntax("real", text))
            } else {
                Ok(value)
            }
        }
    }
}

enum Scanned<'a> {
    Special(f64),
    Number {
        number: &'a str,
        /// Something other than blanks follows; the range is checked first.
        rest: bool,
        /// All digits are zeros.
        zero: bool,
    },
}

fn scan<'a>(text: &'a str, type_name: &str) -> Result<Scanned<'a>> {
    let start = text.bytes().take_while(|&byte| is_blank(byte)).count();
    let trimmed = &text[start..];
    let bytes = trimmed.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let unsigned = &bytes[sign..];
    for (name, value) in [
        ("infinity", f64::INFINITY),
        ("inf", f64::INFINITY),
        ("nan", f64::NAN),
    ] {
        if unsigned.len() >= name.len()
            && unsigned[..name.len()].eq_ignore_ascii_case(name.as_bytes())
        {
            let rest = &unsigned[name.len()..];
            if rest.iter().all(|&byte| is_blank(byte)) {
                return Ok(Scanned::Special(if bytes[0] == b'-' && !value.is_nan() {
                    -value
                } else {
                    value
                }));
            }
        }
    }
    if let [b'0', b'x' | b'X', digit, ..] = unsigned
        && (digit.is_ascii_hexdigit() || *digit == b'.')
    {
        return Err(Error::unsupported("hexadecimal floating-point input"));
    }
    let mut at = sign;
    let mut digits = 0;
    let mut zero = true;
    let mut point = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                zero &= byte == b'0';
            }
            b'.' if !point => point = true,
            _ => break,
        }
        at += 1;
    }
    if digits == 0 {
        return Err(invalid_syntax(type_name, text));
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let first = at + 1 + sign;
        let count = bytes[first..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if count > 0 {
            at = first + count;
        }
    }
    let rest = !bytes[at..].iter().all(|&byte| is_blank(byte));
    Ok(Scanned::Number {
        number: &trimmed[..at],
        rest,
        zero,
    })
}

/// `float8in` names the number alone, `float4in` the whole text.
#[cold]
fn out_of_range(number: &str, type_name: &str) -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("\"{number}\" is out of range for type {type_name}"),
    )
}
