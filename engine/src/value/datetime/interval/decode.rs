//! Text input of intervals (`interval_in`, `DecodeInterval`): `1 year 2 mons 3 days 04:05:06`,
//! `@ 1 day ago`, `1-2 3 4:05:06`, and, if it is none of these, ISO 8601.
//!
//! The fields are read from right to left, so that a unit comes before its number. Fractions go down
//! to smaller units: those of months and weeks to days and time, those of years to months alone.

use super::super::decode::{Failure, Outcome};
use super::super::fields::{Unit, interval_unit};
use super::super::scan::{fraction, leading_hours, leading_integer};
use super::super::tokens::{Shape, Token, split};
use super::super::{Field, MICROS_PER_DAY, MICROS_PER_SECOND};
use super::iso8601;
use super::{DAYS_PER_MONTH, Interval, IntervalFields, MONTHS_PER_YEAR, out_of_range};
use crate::error::{Error, Result, sqlstate};

pub(super) const MICROS_PER_MINUTE: i64 = 60 * MICROS_PER_SECOND;
pub(super) const MICROS_PER_HOUR: i64 = 60 * MICROS_PER_MINUTE;

/// The room for all fields and a terminator after each (`workbuf` in `interval_in`).
const MAX_LENGTH: usize = 256;

/// Reads an interval in any of PostgreSQL's forms. `typmod` says what a number without a unit counts,
/// and what of the interval is kept. 22007 for what is no interval, 22015 and 22008 out of range.
pub fn parse_interval(text: &str, typmod: i32) -> Result<Interval> {
    let fields = IntervalFields::of_typmod(typmod);
    let decoded = match split(text, MAX_LENGTH) {
        Some(tokens) => decode(&tokens, fields),
        None => Err(Failure::BadFormat),
    };
    let parts = match decoded {
        Err(Failure::BadFormat) => iso8601::decode(text),
        decoded => decoded,
    };
    let parts = parts.map_err(|failure| error_of(&failure, text))?;
    let months = i64::from(parts.years) * i64::from(MONTHS_PER_YEAR) + i64::from(parts.months);
    let months = i32::try_from(months).map_err(|_| out_of_range())?;
    Ok(Interval::new(months, parts.days, parts.micros).apply_typmod(typmod))
}

#[cold]
fn error_of(failure: &Failure, text: &str) -> Error {
    match failure {
        Failure::FieldOverflow => Error::new(
            sqlstate::INTERVAL_FIELD_OVERFLOW,
            format!("interval field value out of range: \"{text}\""),
        ),
        _ => Error::new(
            sqlstate::INVALID_DATETIME_FORMAT,
            format!("invalid input syntax for type interval: \"{text}\""),
        ),
    }
}

/// What has been read so far (`pg_itm_in`). All additions are checked.
#[derive(Default)]
pub(super) struct Parts {
    years: i32,
    months: i32,
    days: i32,
    micros: i64,
}

fn overflow<T>(value: Option<T>) -> Outcome<T> {
    value.ok_or(Failure::FieldOverflow)
}

fn small(value: i64, unit: i32) -> Outcome<i32> {
    let value = overflow(i32::try_from(value).ok())?;
    overflow(value.checked_mul(unit))
}

impl Parts {
    pub fn add_years(&mut self, value: i64, fraction: f64, unit: i32) -> Outcome {
        self.years = overflow(self.years.checked_add(small(value, unit)?))?;
        let months = (fraction * f64::from(unit) * f64::from(MONTHS_PER_YEAR)).round_ties_even();
        self.months = overflow(self.months.checked_add(months as i32))?;
        Ok(())
    }

    pub fn add_months(&mut self, value: i64, fraction: f64) -> Outcome {
        self.months = overflow(self.months.checked_add(small(value, 1)?))?;
        self.add_part_of_days(fraction, DAYS_PER_MONTH)
    }

    /// `unit` is days: 1, or 7 for weeks.
    pub fn add_days(&mut self, value: i64, fraction: f64, unit: i32) -> Outcome {
        self.days = overflow(self.days.checked_add(small(value, unit)?))?;
        self.add_part_of_days(fraction, unit)
    }

    /// `AdjustFractDays`: whole days of the part, and the rest as time.
    fn add_part_of_days(&mut self, fraction: f64, unit: i32) -> Outcome {
        let days = fraction * f64::from(unit);
        self.days = overflow(self.days.checked_add(days as i32))?;
        self.add_micros(0, days - f64::from(days as i32), MICROS_PER_DAY)
    }

    /// `unit` is microseconds; a part of one is rounded, half away from zero not counted.
    pub fn add_micros(&mut self, value: i64, fraction: f64, unit: i64) -> Outcome {
        let whole = overflow(value.checked_mul(unit))?;
        self.micros = overflow(self.micros.checked_add(whole))?;
        let exact = fraction * unit as f64;
        let mut micros = exact as i64;
        let rest = exact - micros as f64;
        if rest > 0.5 {
            micros += 1;
        } else if rest < -0.5 {
            micros -= 1;
        }
        self.micros = overflow(self.micros.checked_add(micros))?;
        Ok(())
    }

    fn negate(&mut self) -> Outcome {
        self.years = overflow(self.years.checked_neg())?;
        self.months = overflow(self.months.checked_neg())?;
        self.days = overflow(self.days.checked_neg())?;
        self.micros = overflow(self.micros.checked_neg())?;
        Ok(())
    }
}

/// Fields seen, as a set of bits: one that comes twice makes the input bad.
type Seen = u32;

const SECONDS: Seen = bit(Field::Second) | bit(Field::Milliseconds) | bit(Field::Microseconds);
const TIME: Seen = bit(Field::Hour) | bit(Field::Minute) | SECONDS;

const fn bit(field: Field) -> Seen {
    1 << field as u32
}

/// What the number to the left of a unit counts.
#[derive(Clone, Copy)]
enum Counts {
    /// No unit yet: the declared fields say.
    Open,
    Unit(Unit),
    /// `ago` stands there, which counts nothing.
    Nothing,
}

fn decode(tokens: &[Token], fields: IntervalFields) -> Outcome<Parts> {
    let mut parts = Parts::default();
    let mut counts = Counts::Open;
    let (mut seen, mut ago): (Seen, bool) = (0, false);
    for token in tokens.iter().rev() {
        let text = &token.text[..];
        let found = match token.shape {
            Shape::Time => {
                parts.micros = time(text, fields)?;
                counts = Counts::Unit(Unit::Field(Field::Day));
                TIME
            }
            Shape::Zone if text.contains(':') && time(&text[1..], fields).is_ok() => {
                let micros = time(&text[1..], fields)?;
                parts.micros = if text.starts_with('-') {
                    -micros
                } else {
                    micros
                };
                counts = Counts::Unit(Unit::Field(Field::Day));
                TIME
            }
            Shape::Zone | Shape::Date | Shape::Number => {
                number(text, &mut counts, fields, &mut parts)?
            }
            Shape::Word | Shape::SignedWord if text == "ago" => {
                (counts, ago) = (Counts::Nothing, true);
                0
            }
            Shape::Word | Shape::SignedWord => {
                counts = Counts::Unit(interval_unit(text).ok_or(Failure::BadFormat)?);
                0
            }
        };
        if found & seen != 0 {
            return Err(Failure::BadFormat);
        }
        seen |= found;
    }
    if seen == 0 {
        return Err(Failure::BadFormat);
    }
    if ago {
        parts.negate()?;
    }
    Ok(parts)
}

/// `DecodeTimeForInterval`: `hh:mm`, `hh:mm:ss.fff` or `mm:ss.fff`, of hours without limit.
fn time(text: &str, fields: IntervalFields) -> Outcome<i64> {
    let (first, rest) = leading_hours(text)?;
    let (second, rest) = leading_integer(rest.strip_prefix(':').ok_or(Failure::BadFormat)?)?;
    let (mut hours, mut minutes, mut seconds, mut micros) = (first, second, 0, 0);
    let mut minutes_first = false;
    if let Some(after) = rest.strip_prefix(':') {
        let (value, rest) = leading_integer(after)?;
        seconds = value;
        if !rest.is_empty() {
            micros = fraction(rest)?;
        }
    } else if rest.is_empty() {
        minutes_first = IntervalFields::between("minute", Some("second")) == Some(fields);
    } else {
        micros = fraction(rest)?;
        minutes_first = true;
    }
    if minutes_first {
        if first > i64::from(i32::MAX) {
            return Err(Failure::FieldOverflow);
        }
        (hours, minutes, seconds) = (0, first, second);
    }
    if minutes > 59 || seconds > 60 {
        return Err(Failure::FieldOverflow);
    }
    let time = hours.checked_mul(MICROS_PER_HOUR);
    let minutes_on = minutes * MICROS_PER_MINUTE + seconds * MICROS_PER_SECOND + micros;
    overflow(time.and_then(|time| time.checked_add(minutes_on)))
}

/// A number, with a sign and a fraction perhaps, or `years-months`.
fn number(
    text: &str,
    counts: &mut Counts,
    fields: IntervalFields,
    parts: &mut Parts,
) -> Outcome<Seen> {
    let field = match *counts {
        Counts::Unit(Unit::Field(field)) => field,
        Counts::Open => default_field(fields),
        Counts::Unit(Unit::TimeZone) | Counts::Nothing => return Err(Failure::BadFormat),
    };
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if negative { -1 } else { 1 };
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let (value, rest) = (
        &text[..text.len() - unsigned.len() + digits],
        &unsigned[digits..],
    );
    let value: i64 = match digits {
        0 => 0,
        _ => value.parse().map_err(|_| Failure::FieldOverflow)?,
    };
    if let Some(months) = rest.strip_prefix('-') {
        *counts = Counts::Unit(Unit::Field(Field::Month));
        let (months, rest) = leading_integer(months)?;
        if months >= i64::from(MONTHS_PER_YEAR) {
            return Err(Failure::FieldOverflow);
        }
        if !rest.is_empty() {
            return Err(Failure::BadFormat);
        }
        let years = overflow(value.checked_mul(MONTHS_PER_YEAR.into()))?;
        let all = overflow(years.checked_add(sign * months))?;
        parts.add_months(all, 0.0)?;
        return Ok(bit(Field::Month));
    }
    let mut part = match rest {
        "" | "." => 0.0,
        _ if rest.starts_with('.') => decimal(rest)?,
        _ => return Err(Failure::BadFormat),
    };
    if negative {
        part = -part;
    }
    if matches!(*counts, Counts::Open) {
        *counts = Counts::Unit(Unit::Field(field));
    }
    let mut seen = bit(field);
    match field {
        Field::Microseconds => parts.add_micros(value, part, 1)?,
        Field::Milliseconds => parts.add_micros(value, part, 1_000)?,
        Field::Second => {
            parts.add_micros(value, part, MICROS_PER_SECOND)?;
            if part != 0.0 {
                seen = SECONDS;
            }
        }
        Field::Minute => parts.add_micros(value, part, MICROS_PER_MINUTE)?,
        Field::Hour => {
            parts.add_micros(value, part, MICROS_PER_HOUR)?;
            *counts = Counts::Unit(Unit::Field(Field::Day));
        }
        Field::Day => parts.add_days(value, part, 1)?,
        Field::Week => parts.add_days(value, part, 7)?,
        Field::Month => parts.add_months(value, part)?,
        Field::Year => parts.add_years(value, part, 1)?,
        Field::Decade => parts.add_years(value, part, 10)?,
        Field::Century => parts.add_years(value, part, 100)?,
        Field::Millennium => parts.add_years(value, part, 1000)?,
        Field::Quarter
        | Field::IsoYear
        | Field::DayOfWeek
        | Field::IsoDayOfWeek
        | Field::DayOfYear
        | Field::JulianDay
        | Field::Epoch => return Err(Failure::BadFormat),
    }
    Ok(seen)
}

/// What a number without a unit counts: the smallest of the declared fields, or seconds.
fn default_field(fields: IntervalFields) -> Field {
    match fields.last() {
        Some(IntervalFields::YEAR) => Field::Year,
        Some(IntervalFields::MONTH) => Field::Month,
        Some(IntervalFields::DAY) => Field::Day,
        Some(IntervalFields::HOUR) => Field::Hour,
        Some(IntervalFields::MINUTE) => Field::Minute,
        _ => Field::Second,
    }
}

/// `ParseFraction`: `.75`
fn decimal(text: &str) -> Outcome<f64> {
    if !text[1..].bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Failure::BadFormat);
    }
    format!("0{text}").parse().map_err(|_| Failure::BadFormat)
}
