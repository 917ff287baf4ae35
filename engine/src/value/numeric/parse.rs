//! Text input: every form that `numeric_in` takes.

use num_bigint::{BigInt, BigUint, Sign};

use super::decimal::{power_big, scale_up};
use super::{MAX_INTEGER_DIGITS, MAX_SCALE, Numeric, overflow};
use crate::error::Result;
use crate::value::text::{invalid_syntax, is_blank};

/// The spellings of the values that are not numbers, as `float8in` takes them. Longer ones first:
/// what is left over must be blank.
static SPECIAL_NAMES: [(&str, Numeric); 7] = [
    ("nan", Numeric::NAN),
    ("infinity", Numeric::INFINITY),
    ("+infinity", Numeric::INFINITY),
    ("-infinity", Numeric::NEG_INFINITY),
    ("inf", Numeric::INFINITY),
    ("+inf", Numeric::INFINITY),
    ("-inf", Numeric::NEG_INFINITY),
];

/// `strtol` stops at the range of a C long, and `set_var_from_str` refuses half of a C int.
const EXPONENT_LIMIT: i64 = (i32::MAX / 2) as i64;

impl Numeric {
    /// Reads digits with an optional sign, point and exponent, or `NaN`, `Infinity`, `inf`; blanks
    /// around are ignored. 22P02 on anything else, 22003 where the value overflows the format.
    pub fn parse(text: &str) -> Result<Numeric> {
        let bytes = text.as_bytes();
        let start = skip_blanks(bytes, 0);
        let trimmed = &bytes[start..];
        let unsigned = trimmed
            .strip_prefix(b"+")
            .or(trimmed.strip_prefix(b"-"))
            .unwrap_or(trimmed);
        if unsigned.first().is_some_and(u8::is_ascii_alphabetic) {
            return parse_special(trimmed).ok_or_else(|| invalid_syntax("numeric", text));
        }
        let scanned = scan(trimmed).ok_or_else(|| invalid_syntax("numeric", text))?;
        if skip_blanks(trimmed, scanned.end) != trimmed.len() {
            return Err(invalid_syntax("numeric", text));
        }
        scanned.value(trimmed)
    }
}

fn parse_special(word: &[u8]) -> Option<Numeric> {
    let (name, value) = SPECIAL_NAMES.iter().find(|(name, _)| {
        word.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    })?;
    (skip_blanks(word, name.len()) == word.len()).then(|| value.clone())
}

/// Where the parts of a number stand in the input.
struct Scanned {
    negative: bool,
    /// The bytes of the digits, with at most one point among them.
    mantissa: (usize, usize),
    /// Digits after the point.
    places: usize,
    exponent: i64,
    end: usize,
}

fn scan(bytes: &[u8]) -> Option<Scanned> {
    let mut at = 0;
    let negative = bytes.first() == Some(&b'-');
    if negative || bytes.first() == Some(&b'+') {
        at = 1;
    }
    let first = at;
    let mut point = None;
    if bytes.get(at) == Some(&b'.') {
        point = Some(at);
        at += 1;
    }
    if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    loop {
        match bytes.get(at) {
            Some(b'0'..=b'9') => {}
            Some(b'.') if point.is_none() => point = Some(at),
            Some(b'.') => return None,
            _ => break,
        }
        at += 1;
    }
    let mantissa = (first, at);
    let places = point.map_or(0, |point| at - point - 1);
    let mut exponent = 0;
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        (exponent, at) = scan_exponent(bytes, at + 1)?;
    }
    Some(Scanned {
        negative,
        mantissa,
        places,
        exponent,
        end: at,
    })
}

/// What C's `strtol` reads, blanks in front included; saturates instead of overflowing.
fn scan_exponent(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let mut at = skip_blanks(bytes, at);
    let negative = bytes.get(at) == Some(&b'-');
    if negative || bytes.get(at) == Some(&b'+') {
        at += 1;
    }
    let first = at;
    let mut exponent: i64 = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        exponent = exponent
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'));
        at += 1;
    }
    if at == first {
        return None;
    }
    Some((if negative { -exponent } else { exponent }, at))
}

impl Scanned {
    fn value(&self, bytes: &[u8]) -> Result<Numeric> {
        if self.exponent.abs() >= EXPONENT_LIMIT {
            return Err(overflow());
        }
        let mantissa = &bytes[self.mantissa.0..self.mantissa.1];
        // The scale may be negative: 1e3 is 1 at scale -3, which is 1000 at scale 0.
        let scale = self.places as i64 - self.exponent;
        let shown = scale.max(0);
        let shift = (shown - scale) as u64;
        let digits = mantissa.iter().filter(|&&byte| byte != b'.');
        let significant = digits.clone().skip_while(|&&byte| byte == b'0').count() as u64;
        if shown > i64::from(MAX_SCALE) {
            return Err(overflow());
        }
        let shown = shown as u32;
        if significant == 0 {
            return Ok(Numeric::small(0, shown as u16));
        }
        if significant + shift > u64::from(MAX_INTEGER_DIGITS) + u64::from(shown) {
            return Err(overflow());
        }
        let shift = shift as u32;
        if significant <= 38 {
            let magnitude = digits
                .clone()
                .fold(0i128, |value, digit| value * 10 + i128::from(digit - b'0'));
            let unscaled = if self.negative { -magnitude } else { magnitude };
            if let Some(unscaled) = scale_up(unscaled, shift) {
                return Ok(Numeric::small(unscaled, shown as u16));
            }
        }
        let decimals: Vec<u8> = digits.map(|digit| digit - b'0').collect();
        let magnitude = BigUint::from_radix_be(&decimals, 10).ok_or_else(overflow)?;
        let sign = if self.negative {
            Sign::Minus
        } else {
            Sign::Plus
        };
        Numeric::from_big(
            BigInt::from_biguint(sign, magnitude) * power_big(shift),
            shown,
        )
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_blank(byte)) {
        at += 1;
    }
    at
}
