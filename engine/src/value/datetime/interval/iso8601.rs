//! ISO 8601 intervals (`DecodeISO8601Interval`): `P1Y2M3DT4H5M6.7S`, and the alternative forms
//! `P0001-02-03T04:05:06` and `P00010203T040506`. Letters are capital.

use super::super::MICROS_PER_SECOND;
use super::super::decode::{Failure, Outcome};
use super::decode::{MICROS_PER_HOUR, MICROS_PER_MINUTE, Parts};

pub(super) fn decode(text: &str) -> Outcome<Parts> {
    let mut parts = Parts::default();
    let mut reader = match text.strip_prefix('P') {
        Some(rest) if !rest.is_empty() => Reader { rest },
        _ => return Err(Failure::BadFormat),
    };
    let (mut in_date, mut has_field) = (true, false);
    while !reader.rest.is_empty() {
        if reader.eat('T') {
            (in_date, has_field) = (false, false);
            continue;
        }
        let number = reader.number()?;
        let unit = reader.next();
        let ended = if in_date {
            reader.date_part(&number, unit, has_field, &mut parts)?
        } else {
            reader.time_part(&number, unit, has_field, &mut parts)?
        };
        match ended {
            Next::Field => has_field = true,
            Next::Time => (in_date, has_field) = (false, false),
            Next::End => return Ok(parts),
        }
    }
    Ok(parts)
}

/// What follows a field.
enum Next {
    Field,
    Time,
    End,
}

struct Number {
    whole: i64,
    fraction: f64,
    /// Digits before the point.
    width: usize,
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn eat(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    /// `ParseISO8601Number`: what `strtod` reads, cut towards zero.
    fn number(&mut self) -> Outcome<Number> {
        let bytes = self.rest.as_bytes();
        let digits = |from: usize| {
            let rest = bytes.get(from..).unwrap_or_default();
            rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let start = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
        let width = digits(start);
        let mut end = start + width;
        if bytes.get(end) == Some(&b'.') {
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        let value: f64 = self.rest[..end].parse().map_err(|_| Failure::BadFormat)?;
        if !(-1e15..=1e15).contains(&value) {
            return Err(Failure::FieldOverflow);
        }
        self.rest = &self.rest[end..];
        Ok(Number {
            whole: value as i64,
            fraction: value - value.trunc(),
            width,
        })
    }

    fn date_part(
        &mut self,
        number: &Number,
        unit: Option<char>,
        has_field: bool,
        parts: &mut Parts,
    ) -> Outcome<Next> {
        let &Number {
            whole, fraction, ..
        } = number;
        match unit {
            Some('Y') => parts.add_years(whole, fraction, 1)?,
            Some('M') => parts.add_months(whole, fraction)?,
            Some('W') => parts.add_days(whole, fraction, 7)?,
            Some('D') => parts.add_days(whole, fraction, 1)?,
            Some('T') | None if number.width == 8 && !has_field => {
                parts.add_years(whole / 10_000, 0.0, 1)?;
                parts.add_months(whole / 100 % 100, 0.0)?;
                parts.add_days(whole % 100, fraction, 1)?;
                return Ok(unit.map_or(Next::End, |_| Next::Time));
            }
            Some('T' | '-') | None if !has_field => {
                parts.add_years(whole, fraction, 1)?;
                return match unit {
                    None => Ok(Next::End),
                    Some('T') => Ok(Next::Time),
                    Some(_) => self.extended_date(parts),
                };
            }
            _ => return Err(Failure::BadFormat),
        }
        Ok(Next::Field)
    }

    /// `-mm-dd` behind a year.
    fn extended_date(&mut self, parts: &mut Parts) -> Outcome<Next> {
        let months = self.number()?;
        parts.add_months(months.whole, months.fraction)?;
        if self.rest.is_empty() {
            return Ok(Next::End);
        }
        if self.eat('T') {
            return Ok(Next::Time);
        }
        if !self.eat('-') {
            return Err(Failure::BadFormat);
        }
        let days = self.number()?;
        parts.add_days(days.whole, days.fraction, 1)?;
        if self.rest.is_empty() {
            Ok(Next::End)
        } else if self.eat('T') {
            Ok(Next::Time)
        } else {
            Err(Failure::BadFormat)
        }
    }

    fn time_part(
        &mut self,
        number: &Number,
        unit: Option<char>,
        has_field: bool,
        parts: &mut Parts,
    ) -> Outcome<Next> {
        let &Number {
            whole, fraction, ..
        } = number;
        match unit {
            Some('H') => parts.add_micros(whole, fraction, MICROS_PER_HOUR)?,
            Some('M') => parts.add_micros(whole, fraction, MICROS_PER_MINUTE)?,
            Some('S') => parts.add_micros(whole, fraction, MICROS_PER_SECOND)?,
            None if number.width == 6 && !has_field => {
                parts.add_micros(whole / 10_000, 0.0, MICROS_PER_HOUR)?;
                parts.add_micros(whole / 100 % 100, 0.0, MICROS_PER_MINUTE)?;
                parts.add_micros(whole % 100, 0.0, MICROS_PER_SECOND)?;
                parts.add_micros(0, fraction, 1)?;
                return Ok(Next::End);
            }
            Some(':') | None if !has_field => {
                parts.add_micros(whole, fraction, MICROS_PER_HOUR)?;
                if unit.is_none() {
                    return Ok(Next::End);
                }
                let minutes = self.number()?;
                parts.add_micros(minutes.whole, minutes.fraction, MICROS_PER_MINUTE)?;
                if self.rest.is_empty() {
                    return Ok(Next::End);
                }
                if !self.eat(':') {
                    return Err(Failure::BadFormat);
                }
                let seconds = self.number()?;
                parts.add_micros(seconds.whole, seconds.fraction, MICROS_PER_SECOND)?;
                if !self.rest.is_empty() {
                    return Err(Failure::BadFormat);
                }
                return Ok(Next::End);
            }
            _ => return Err(Failure::BadFormat),
        }
        Ok(Next::Field)
    }
}
