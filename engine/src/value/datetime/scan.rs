//! Digits, fractions and zone offsets inside a field.

use super::decode::{Failure, Outcome};

/// Runs of digits and runs of letters. One character after each is dropped, whatever it is, and
/// further punctuation with it.
pub(super) fn split_date(text: &str) -> Outcome<Vec<&str>> {
    let bytes = text.as_bytes();
    let mut fields = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        while bytes
            .get(at)
            .is_some_and(|byte| !byte.is_ascii_alphanumeric())
        {
            at += 1;
        }
        let start = at;
        match bytes.get(at) {
            None => return Err(Failure::BadFormat),
            Some(byte) if byte.is_ascii_digit() => {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
            }
            Some(_) => {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphabetic())
                    .count()
            }
        }
        fields.push(&text[start..at]);
        at += 1;
    }
    Ok(fields)
}

/// C's `strtoint` of unsigned digits: 0 where there are none, an overflow beyond an `int`.
pub(super) fn leading_integer(text: &str) -> Outcome<(i64, &str)> {
    match leading_hours(text)? {
        (value, rest) if value <= i64::from(i32::MAX) => Ok((value, rest)),
        _ => Err(Failure::FieldOverflow),
    }
}

/// The same for hours, which may be as long as a `bigint` until the rest is read.
pub(super) fn leading_hours(text: &str) -> Outcome<(i64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    if number.is_empty() {
        return Ok((0, rest));
    }
    number
        .parse()
        .map(|value| (value, rest))
        .map_err(|_| Failure::FieldOverflow)
}

/// C's `atoi`, which cuts what does not fit.
pub(super) fn c_int(digits: &str) -> i64 {
    let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count()];
    if digits.is_empty() {
        return 0;
    }
    i64::from(digits.parse().unwrap_or(i64::MAX) as i32)
}

/// `ParseFractionalSecond`: microseconds of `.789`; a lone point is 0.
pub(super) fn fraction(text: &str) -> Outcome<i64> {
    let digits = text.strip_prefix('.').ok_or(Failure::BadFormat)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Failure::BadFormat);
    }
    Ok(leading_fraction(text))
}

/// Microseconds of what starts with `.789`, rounded as C's `rint`; what follows is ignored.
pub(super) fn leading_fraction(text: &str) -> i64 {
    let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
    let value: f64 = format!("0.{}", &text[1..1 + digits]).parse().unwrap_or(0.0);
    (value * 1e6).round_ties_even() as i64
}

/// `DecodeTimezone`: `+hh`, `+hhmm`, `+hh:mm` or `+hh:mm:ss`, up to 15:59:59.
pub(super) fn check_zone_offset(text: &str) -> Outcome {
    let unsigned = text.strip_prefix(['+', '-']).ok_or(Failure::BadFormat)?;
    let overflow = |_| Failure::ZoneOverflow;
    let (mut hours, mut rest) = leading_integer(unsigned).map_err(overflow)?;
    let (mut minutes, mut seconds) = (0, 0);
    if let Some(after) = rest.strip_prefix(':') {
        (minutes, rest) = leading_integer(after).map_err(overflow)?;
        if let Some(after) = rest.strip_prefix(':') {
            (seconds, rest) = leading_integer(after).map_err(overflow)?;
        }
    } else if rest.is_empty() && unsigned.len() > 2 {
        (hours, minutes) = (hours / 100, hours % 100);
    }
    if hours > 15 || minutes > 59 || seconds > 59 {
        return Err(Failure::ZoneOverflow);
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(Failure::BadFormat)
    }
}
