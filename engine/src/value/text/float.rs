//! `real` and `double precision` (`float.c`, `d2s.c`, `f2s.c`).
//!
//! Output is the shortest text that reads back as the same number, except that PostgreSQL never
//! prints the exact midpoint of two neighbors (`STRICTLY_SHORTEST` is 0 in `ryu_common.h`): 1e23
//! lies midway between two doubles and prints as 9.999999999999999e+22.

use super::{Decimal, invalid_syntax, is_blank};
use crate::error::{Error, Result, sqlstate};

/// Appends the shortest form that reads back as the same number.
pub fn write_float8(value: f64, out: &mut String) {
    if write_special(value, out) {
        return;
    }
    let mut decimal = Decimal::format(format_args!("{value:e}"));
    let binary = Binary::of_float8(value);
    if decimal.is_midpoint(binary) {
        // At 17 digits the nearest decimal lies inside every interval.
        for places in decimal.places()..17 {
            decimal = Decimal::format(format_args!("{value:.places$e}"));
            let reads_back = decimal.to_float8() == value;
            if reads_back && !decimal.is_midpoint(binary) {
                break;
            }
        }
    }
    decimal.write(15, out);
}

/// Appends the shortest form that reads back as the same number.
pub fn write_float4(value: f32, out: &mut String) {
    if write_special(f64::from(value), out) {
        return;
    }
    let mut decimal = Decimal::format(format_args!("{value:e}"));
    let binary = Binary::of_float4(value);
    if decimal.is_midpoint(binary) {
        for places in decimal.places()..9 {
            decimal = Decimal::format(format_args!("{value:.places$e}"));
            let reads_back = decimal.to_float4() == value;
            if reads_back && !decimal.is_midpoint(binary) {
                break;
            }
        }
    }
    decimal.write(6, out);
}

/// Writes what has no digits or needs no search for them; answers whether it did.
fn write_special(value: f64, out: &mut String) -> bool {
    let text = if value.is_nan() {
        "NaN"
    } else if value == f64::INFINITY {
        "Infinity"
    } else if value == f64::NEG_INFINITY {
        "-Infinity"
    } else if value == 0.0 {
        if value.is_sign_negative() { "-0" } else { "0" }
    } else {
        return false;
    };
    out.push_str(text);
    true
}

impl Decimal {
    /// Digits after the point in scientific notation.
    fn places(&self) -> usize {
        self.count as usize - 1
    }

    /// `to_chars`: fixed notation where the exponent is at least -4 and below the limit, else
    /// scientific with at least two digits of exponent.
    fn write(&self, fixed_limit: i32, out: &mut String) {
        if self.negative {
            out.push('-');
        }
        let mut buffer = [b'0'; 20];
        let mut at = buffer.len();
        let mut rest = self.digits;
        while rest != 0 {
            at -= 1;
            buffer[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let digits = &buffer[at..];
        let scientific = self.exponent + self.count - 1;
        let push = |digits: &[u8], out: &mut String| {
            out.extend(digits.iter().map(|&digit| char::from(digit)))
        };
        let zeros = |count: i32, out: &mut String| {
            out.extend(std::iter::repeat_n('0', count.max(0) as usize))
        };
        if (-4..fixed_limit).contains(&scientific) {
            if scientific < 0 {
                out.push_str("0.");
                zeros(-scientific - 1, out);
                push(digits, out);
            } else {
                let whole = (scientific + 1).min(self.count) as usize;
                push(&digits[..whole], out);
                zeros(self.exponent, out);
                if whole < digits.len() {
                    out.push('.');
                    push(&digits[whole..], out);
                }
            }
            return;
        }
        push(&digits[..1], out);
        if digits.len() > 1 {
            out.push('.');
            push(&digits[1..], out);
        }
        out.push('e');
        out.push(if scientific < 0 { '-' } else { '+' });
        if scientific.abs() < 10 {
            out.push('0');
        }
        super::write_int4(scientific.abs(), out);
    }

    fn to_float8(&self) -> f64 {
        Scratch::format(format_args!("{self}"))
            .as_str()
            .parse()
            .unwrap_or(f64::NAN)
    }

    fn to_float4(&self) -> f32 {
        Scratch::format(format_args!("{self}"))
            .as_str()
            .parse()
            .unwrap_or(f32::NAN)
    }

    /// True where the decimal lies exactly between the number and a neighbor of it.
    fn is_midpoint(&self, binary: Binary) -> bool {
        // Only an even significand takes its midpoints as its own when read back. With more fives
        // than 5^24 no midpoint of 54 bits can be a multiple, and a fraction of more than one
        // decimal place has more digits than the shortest text.
        if binary.significand % 2 != 0 || !(-1..=24).contains(&self.exponent) {
            return false;
        }
        let significand = u128::from(binary.significand);
        (self.equals(2 * significand + 1, binary.exponent - 1))
            || (self.equals(2 * significand - 1, binary.exponent - 1))
            || (binary.is_power_of_two && self.equals(4 * significand - 1, binary.exponent - 2))
    }

    /// `digits * 10^exponent == odd * 2^power`, with both sides brought to integers.
    fn equals(&self, odd: u128, power: i32) -> bool {
        let fives = 5u128.pow(self.exponent.unsigned_abs());
        let (left, right) = if self.exponent >= 0 {
            (u128::from(self.digits) * fives, odd)
        } else {
            (u128::from(self.digits), odd * fives)
        };
        let twos = self.exponent - power;
        let (shifted, other) = if twos >= 0 {
            (left, right)
        } else {
            (right, left)
        };
        let twos = twos.unsigned_abs();
        twos <= shifted.leading_zeros() && shifted << twos == other
    }
}

/// A binary number: `significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Binary {
    significand: u64,
    exponent: i32,
    /// The lower neighbor is only half as far away as the upper one.
    is_power_of_two: bool,
}

impl Binary {
    fn of_float8(value: f64) -> Binary {
        let bits = value.to_bits();
        Binary::new(
            bits & ((1 << 52) - 1),
            ((bits >> 52) & 0x7FF) as i32,
            52,
            1075,
        )
    }

    fn of_float4(value: f32) -> Binary {
        let bits = value.to_bits();
        Binary::new(
            u64::from(bits & ((1 << 23) - 1)),
            ((bits >> 23) & 0xFF) as i32,
            23,
            150,
        )
    }

    fn new(fraction: u64, biased: i32, fraction_bits: u32, bias: i32) -> Binary {
        if biased == 0 {
            return Binary {
                significand: fraction,
                exponent: 1 - bias,
                is_power_of_two: false,
            };
        }
        Binary {
            significand: fraction | 1 << fraction_bits,
            exponent: biased - bias,
            is_power_of_two: fraction == 0,
        }
    }
}

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
                return Err(out_of_range(number, "real"));
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

#[cold]
fn out_of_range(number: &str, type_name: &str) -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("\"{number}\" is out of range for type {type_name}"),
    )
}
