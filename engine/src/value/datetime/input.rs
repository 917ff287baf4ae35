//! Text input of dates and timestamps (`date_in`, `timestamp_in`).

use super::calendar::{days_from_civil, days_in_month};
use super::decode::{Decoded, Failure, Moment, decode};
use super::{
    DATE_INFINITY, DATE_NEG_INFINITY, MICROS_PER_DAY, MICROS_PER_SECOND, TIMESTAMP_INFINITY,
    TIMESTAMP_NEG_INFINITY, UNIX_EPOCH, is_valid_date, is_valid_timestamp,
};
use crate::error::{Error, Result, sqlstate};

/// Reads a date in any of PostgreSQL's forms, month first where it is ambiguous.
///
/// `now` is the current timestamp, for the words `now`, `today`, `tomorrow` and `yesterday`; 0A000
/// for those where it is `None`. 22007 for what is no date, 22008 out of range.
pub fn parse_date(text: &str, now: Option<i64>) -> Result<i32> {
    if let Some((days, [])) = iso_date(text.as_bytes()) {
        return Ok(days as i32);
    }
    let moment = match decode(text, now).map_err(|failure| failure.error(text, "date"))? {
        Decoded::Infinity => return Ok(DATE_INFINITY),
        Decoded::NegInfinity => return Ok(DATE_NEG_INFINITY),
        Decoded::Epoch => return Ok(UNIX_EPOCH),
        Decoded::Moment(moment) => moment,
    };
    let days = days_of(&moment);
    if !is_valid_date(days) {
        return Err(out_of_range("date", text));
    }
    Ok(days as i32)
}

/// Reads a timestamp in any of PostgreSQL's forms, month first where it is ambiguous. A time zone
/// is read and dropped. `now` and errors as for [`parse_date`].
pub fn parse_timestamp(text: &str, now: Option<i64>) -> Result<i64> {
    if let Some((days, rest)) = iso_date(text.as_bytes())
        && let Some(micros) = iso_time(rest)
    {
        return Ok(days * MICROS_PER_DAY + micros);
    }
    let moment = match decode(text, now).map_err(|failure| failure.error(text, "timestamp"))? {
        Decoded::Infinity => return Ok(TIMESTAMP_INFINITY),
        Decoded::NegInfinity => return Ok(TIMESTAMP_NEG_INFINITY),
        Decoded::Epoch => return Ok(i64::from(UNIX_EPOCH) * MICROS_PER_DAY),
        Decoded::Moment(moment) => moment,
    };
    days_of(&moment)
        .checked_mul(MICROS_PER_DAY)
        .and_then(|micros| micros.checked_add(moment.micros_of_day))
        .filter(|&timestamp| is_valid_timestamp(timestamp))
        .ok_or_else(|| out_of_range("timestamp", text))
}

/// Days of a valid `yyyy-mm-dd`, the form that loads consist of, and what follows it.
fn iso_date(text: &[u8]) -> Option<(i64, &[u8])> {
    let ([y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2], rest) = text.split_first_chunk()? else {
        return None;
    };
    let year = two_digits(*y1, *y2)? * 100 + two_digits(*y3, *y4)?;
    let (month, day) = (two_digits(*m1, *m2)?, two_digits(*d1, *d2)?);
    let valid =
        year >= 1 && (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    valid.then(|| (days_from_civil(year, month, day), rest))
}

/// Microseconds of nothing, or of a valid ` hh:mm:ss`.
fn iso_time(text: &[u8]) -> Option<i64> {
    let [b' ', h1, h2, b':', m1, m2, b':', s1, s2] = text else {
        return text.is_empty().then_some(0);
    };
    let (hour, minute, second) = (
        two_digits(*h1, *h2)?,
        two_digits(*m1, *m2)?,
        two_digits(*s1, *s2)?,
    );
    let valid = hour < 24 && minute < 60 && second < 60;
    valid.then_some(((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND)
}

fn two_digits(tens: u8, units: u8) -> Option<i64> {
    (tens.is_ascii_digit() && units.is_ascii_digit())
        .then(|| i64::from(tens - b'0') * 10 + i64::from(units - b'0'))
}

fn days_of(moment: &Moment) -> i64 {
    days_from_civil(moment.year, moment.month, moment.day)
}

#[cold]
fn out_of_range(type_name: &str, text: &str) -> Error {
    Error::new(
        sqlstate::DATETIME_FIELD_OVERFLOW,
        format!("{type_name} out of range: \"{text}\""),
    )
}

impl Failure {
    /// `DateTimeParseError`
    #[cold]
    fn error(self, text: &str, type_name: &str) -> Error {
        let field_overflow = || {
            Error::new(
                sqlstate::DATETIME_FIELD_OVERFLOW,
                format!("date/time field value out of range: \"{text}\""),
            )
        };
        match self {
            Failure::BadFormat => Error::new(
                sqlstate::INVALID_DATETIME_FORMAT,
                format!("invalid input syntax for type {type_name}: \"{text}\""),
            ),
            Failure::FieldOverflow => field_overflow(),
            Failure::MonthOrDayOverflow => {
                field_overflow().with_hint("Perhaps you need a different \"datestyle\" setting.")
            }
            Failure::ZoneOverflow => Error::new(
                sqlstate::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
                format!("time zone displacement out of range: \"{text}\""),
            ),
            Failure::NeedsClock(word) => {
                Error::unsupported(format_args!("the {type_name} \"{word}\""))
            }
            Failure::ZoneName(name) => {
                Error::unsupported(format_args!("the time zone name \"{name}\""))
            }
        }
    }
}
