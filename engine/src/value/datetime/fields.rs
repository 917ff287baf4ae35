//! `extract(field FROM …)` (`extract_date`, `timestamp_part_common`).

use super::calendar::{civil_from_days, day_of_week, days_from_civil, iso_week};
use super::{
    EPOCH_JULIAN_DAY, MICROS_PER_DAY, MICROS_PER_SECOND, UNIX_EPOCH, is_finite_date,
    is_finite_timestamp,
};
use crate::error::{Error, Result, sqlstate};
use crate::value::Numeric;

/// A part of a date or timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Microseconds,
    Milliseconds,
    Second,
    Minute,
    Hour,
    Day,
    /// ISO week.
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
    IsoYear,
    /// 0 is Sunday.
    DayOfWeek,
    /// 1 is Monday, 7 Sunday.
    IsoDayOfWeek,
    DayOfYear,
    JulianDay,
    /// Seconds since 1970-01-01.
    Epoch,
}

/// A word that `extract` knows.
enum Known {
    Field(Field),
    /// Fields that neither a date nor a timestamp without time zone has.
    Unsupported,
}

/// `TOKMAXLEN`: longer words are compared by their beginning.
const SIGNIFICANT: usize = 10;

fn lookup(unit: &str) -> Option<Known> {
    let significant = unit.get(..SIGNIFICANT).unwrap_or(unit);
    Some(Known::Field(match significant {
        "us" | "usec" | "usecs" | "usecond" | "useconds" | "microsecon" => Field::Microseconds,
        "ms" | "msec" | "msecs" | "msecond" | "mseconds" | "millisecon" => Field::Milliseconds,
        "s" | "sec" | "secs" | "second" | "seconds" => Field::Second,
        "m" | "mm" | "min" | "mins" | "minute" | "minutes" => Field::Minute,
        "h" | "hr" | "hrs" | "hour" | "hours" => Field::Hour,
        "d" | "day" | "days" => Field::Day,
        "w" | "week" | "weeks" => Field::Week,
        "mon" | "mons" | "month" | "months" => Field::Month,
        "qtr" | "quarter" => Field::Quarter,
        "y" | "yr" | "yrs" | "year" | "years" => Field::Year,
        "dec" | "decs" | "decade" | "decades" => Field::Decade,
        "c" | "cent" | "century" | "centuries" => Field::Century,
        "mil" | "mils" | "millennium" | "millennia" => Field::Millennium,
        "isoyear" => Field::IsoYear,
        "dow" => Field::DayOfWeek,
        "isodow" => Field::IsoDayOfWeek,
        "doy" => Field::DayOfYear,
        "j" | "jd" | "julian" => Field::JulianDay,
        "epoch" => Field::Epoch,
        "timezone" | "timezone_h" | "timezone_m" | "infinity" | "-infinity" | "now" | "today"
        | "tomorrow" | "yesterday" | "allballs" => return Some(Known::Unsupported),
        _ => return None,
    }))
}

/// A unit that an interval's input may name (`deltatktbl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Field(Field),
    /// Known, and of no use.
    TimeZone,
}

/// A lower-case word as an interval's unit.
pub(super) fn interval_unit(word: &str) -> Option<Unit> {
    match lookup(word)? {
        Known::Field(
            Field::IsoYear
            | Field::DayOfWeek
            | Field::IsoDayOfWeek
            | Field::DayOfYear
            | Field::JulianDay
            | Field::Epoch,
        ) => None,
        Known::Field(_) if word == "mm" => None,
        Known::Field(field) => Some(Unit::Field(field)),
        Known::Unsupported if word.starts_with("timezone") => Some(Unit::TimeZone),
        Known::Unsupported => None,
    }
}

/// The field that `extract` names for an interval; what only dates have is among them. 22023 for a word
/// that is none, 0A000 for a time zone.
pub(super) fn of_interval(unit: &str) -> Result<Field> {
    let unit = unit.to_lowercase();
    match lookup(&unit) {
        Some(Known::Field(field)) => Ok(field),
        Some(Known::Unsupported) if unit.starts_with("timezone") => {
            Err(unsupported(&unit, "interval"))
        }
        _ => Err(unrecognized(&unit, "interval")),
    }
}

impl Field {
    /// The field that a unit names for a date. 22023 for a word that is none, 0A000 for a time of day.
    pub fn of_date(unit: &str) -> Result<Field> {
        let field = Field::of_type(unit, "date")?;
        match field {
            Field::Microseconds
            | Field::Milliseconds
            | Field::Second
            | Field::Minute
            | Field::Hour => Err(unsupported(&unit.to_lowercase(), "date")),
            _ => Ok(field),
        }
    }

    /// The field that a unit names for a timestamp. 22023 for a word that is none, 0A000 for a time zone.
    pub fn of_timestamp(unit: &str) -> Result<Field> {
        Field::of_type(unit, "timestamp without time zone")
    }

    fn of_type(unit: &str, type_name: &str) -> Result<Field> {
        let unit = unit.to_lowercase();
        match lookup(&unit) {
            Some(Known::Field(field)) => Ok(field),
            Some(Known::Unsupported) => Err(unsupported(&unit, type_name)),
            None => Err(unrecognized(&unit, type_name)),
        }
    }

    /// True for the fields that grow without end, which are infinite for an infinite date.
    fn is_monotonic(self) -> bool {
        matches!(
            self,
            Field::Year
                | Field::Decade
                | Field::Century
                | Field::Millennium
                | Field::IsoYear
                | Field::JulianDay
                | Field::Epoch
        )
    }

    fn of_infinity(self, positive: bool) -> Option<Numeric> {
        let infinity = if positive {
            Numeric::INFINITY
        } else {
            Numeric::NEG_INFINITY
        };
        self.is_monotonic().then_some(infinity)
    }
}

#[cold]
pub(super) fn unrecognized(unit: &str, type_name: &str) -> Error {
    Error::new(
        sqlstate::INVALID_PARAMETER_VALUE,
        format!("unit \"{unit}\" not recognized for type {type_name}"),
    )
}

#[cold]
pub(super) fn unsupported(unit: &str, type_name: &str) -> Error {
    Error::new(
        sqlstate::FEATURE_NOT_SUPPORTED,
        format!("unit \"{unit}\" not supported for type {type_name}"),
    )
}

/// `extract(field FROM date)`; `None` (SQL's NULL) where an infinite date has no such field.
pub fn extract_from_date(field: Field, date: i32) -> Option<Numeric> {
    if !is_finite_date(date) {
        return field.of_infinity(date > 0);
    }
    let days = i64::from(date);
    Some(Numeric::from(match field {
        Field::JulianDay => days + i64::from(EPOCH_JULIAN_DAY),
        Field::Epoch => (days - i64::from(UNIX_EPOCH)) * 86_400,
        _ => part_of_day(field, days).unwrap_or(0),
    }))
}

/// `extract(field FROM timestamp)`; `None` (SQL's NULL) where an infinite timestamp has no such field.
pub fn extract_from_timestamp(field: Field, timestamp: i64) -> Result<Option<Numeric>> {
    if !is_finite_timestamp(timestamp) {
        return Ok(field.of_infinity(timestamp > 0));
    }
    let days = timestamp.div_euclid(MICROS_PER_DAY);
    let micros = timestamp.rem_euclid(MICROS_PER_DAY);
    let of_minute = micros % (60 * MICROS_PER_SECOND);
    let value = match field {
        Field::Microseconds => Numeric::from(of_minute),
        Field::Milliseconds => Numeric::from_scaled(of_minute.into(), 3)?,
        Field::Second => Numeric::from_scaled(of_minute.into(), 6)?,
        Field::Minute => Numeric::from(micros / (60 * MICROS_PER_SECOND) % 60),
        Field::Hour => Numeric::from(micros / (3600 * MICROS_PER_SECOND)),
        Field::JulianDay => {
            let part = Numeric::from(micros).div(&Numeric::from(MICROS_PER_DAY))?;
            Numeric::from(days + i64::from(EPOCH_JULIAN_DAY)).add(&part)?
        }
        Field::Epoch => {
            let epoch = i64::from(UNIX_EPOCH) * MICROS_PER_DAY;
            if timestamp < i64::MAX + epoch {
                Numeric::from_scaled((timestamp - epoch).into(), 6)?
            } else {
                // PostgreSQL divides here, and a quotient of this size has no six places.
                let since = Numeric::from(timestamp).sub(&Numeric::from(epoch))?;
                since.div(&Numeric::from(MICROS_PER_SECOND))?.round(6)?
            }
        }
        _ => Numeric::from(part_of_day(field, days).unwrap_or(0)),
    };
    Ok(Some(value))
}

/// `date_part` of the microseconds of a minute, summed up in floating point as PostgreSQL does it;
/// `None` for other fields.
pub fn part_of_minute(field: Field, micros: i64) -> Option<f64> {
    let seconds = (micros / MICROS_PER_SECOND) as f64;
    let fraction = (micros % MICROS_PER_SECOND) as f64;
    match field {
        Field::Second => Some(seconds + fraction / 1e6),
        Field::Milliseconds => Some(seconds * 1e3 + fraction / 1e3),
        _ => None,
    }
}

/// The fields that a day has; `None` for those of a time.
fn part_of_day(field: Field, days: i64) -> Option<i64> {
    let civil = civil_from_days(days);
    let year = civil.year;
    // Counting has no zero: 1 BC, astronomical year 0, shows as -1.
    let shown_year = |year: i64| if year > 0 { year } else { year - 1 };
    Some(match field {
        Field::Day => civil.day,
        Field::Month => civil.month,
        Field::Quarter => (civil.month - 1) / 3 + 1,
        Field::Week => iso_week(days).1,
        Field::Year => shown_year(year),
        Field::Decade => year.div_euclid(10),
        Field::Century => spans(year, 100),
        Field::Millennium => spans(year, 1000),
        Field::IsoYear => shown_year(iso_week(days).0),
        Field::DayOfWeek => day_of_week(days),
        Field::IsoDayOfWeek => (day_of_week(days) + 6) % 7 + 1,
        Field::DayOfYear => days - days_from_civil(year, 1, 1) + 1,
        Field::Microseconds
        | Field::Milliseconds
        | Field::Second
        | Field::Minute
        | Field::Hour
        | Field::JulianDay
        | Field::Epoch => return None,
    })
}

/// Centuries or millennia: the first begins with AD 1, the one before it is -1.
fn spans(year: i64, length: i64) -> i64 {
    if year > 0 {
        (year + length - 1) / length
    } else {
        -((length - year) / length)
    }
}
