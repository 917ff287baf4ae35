//! `extract(field FROM interval)` and `date_trunc` of intervals (`interval_part_common`,
//! `interval_trunc`).

use super::super::fields::{
    Unit, interval_unit, of_interval, part_of_minute, unrecognized, unsupported,
};
use super::super::{Field, MICROS_PER_SECOND};
use super::{Interval, MONTHS_PER_YEAR};
use crate::error::Result;
use crate::value::Numeric;

/// Seconds of 365.25 days, of 30 days, of one: as `extract(epoch …)` counts them.
const SECONDS_PER_YEAR: i64 = 31_557_600;
const SECONDS_PER_MONTH: i64 = 2_592_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// An interval taken apart as `interval2itm` does.
struct Broken {
    years: i32,
    months: i32,
    days: i32,
    hours: i64,
    minutes: i64,
    /// Microseconds of the last minute.
    micros: i64,
}

impl Broken {
    fn of(interval: Interval) -> Broken {
        let minutes = interval.micros / (60 * MICROS_PER_SECOND);
        Broken {
            years: interval.months / MONTHS_PER_YEAR,
            months: interval.months % MONTHS_PER_YEAR,
            days: interval.days,
            hours: minutes / 60,
            minutes: minutes % 60,
            micros: interval.micros % (60 * MICROS_PER_SECOND),
        }
    }
}

/// The field that a unit names: 22023 for a word that is none, 0A000 for what only dates have.
pub fn extract_from_interval(unit: &str, interval: Interval) -> Result<Numeric> {
    let field = of_interval(unit)?;
    let parts = Broken::of(interval);
    Ok(match field {
        Field::Microseconds => Numeric::from(parts.micros),
        Field::Milliseconds => Numeric::from_scaled(parts.micros.into(), 3)?,
        Field::Second => Numeric::from_scaled(parts.micros.into(), 6)?,
        Field::Minute => Numeric::from(parts.minutes),
        Field::Hour => Numeric::from(parts.hours),
        Field::Day => Numeric::from(parts.days),
        Field::Month => Numeric::from(parts.months),
        Field::Quarter => Numeric::from(parts.months / 3 + 1),
        Field::Year => Numeric::from(parts.years),
        Field::Decade => Numeric::from(parts.years / 10),
        Field::Century => Numeric::from(parts.years / 100),
        Field::Millennium => Numeric::from(parts.years / 1000),
        Field::Epoch => {
            let seconds = SECONDS_PER_YEAR * i64::from(parts.years)
                + SECONDS_PER_MONTH * i64::from(parts.months)
                + SECONDS_PER_DAY * i64::from(parts.days);
            let micros = i128::from(seconds) * i128::from(MICROS_PER_SECOND);
            Numeric::from_scaled(micros + i128::from(interval.micros), 6)?
        }
        _ => return Err(unsupported(&unit.to_lowercase(), "interval")),
    })
}

/// `date_part` of an interval: floating-point sums of its parts, whose last digit is PostgreSQL's.
/// Errors as [`extract_from_interval`].
pub fn interval_part(unit: &str, interval: Interval) -> Result<f64> {
    let parts = Broken::of(interval);
    match of_interval(unit)? {
        Field::Epoch => {
            let time = interval.micros as f64 / MICROS_PER_SECOND as f64;
            Ok(time
                + SECONDS_PER_YEAR as f64 * f64::from(parts.years)
                + SECONDS_PER_MONTH as f64 * f64::from(parts.months)
                + SECONDS_PER_DAY as f64 * f64::from(parts.days))
        }
        field => match part_of_minute(field, parts.micros) {
            Some(part) => Ok(part),
            None => extract_from_interval(unit, interval)?.to_f64(),
        },
    }
}

/// The interval down to a unit. 22023 for a word that is none, 0A000 for weeks and time zones.
pub fn truncate_interval(unit: &str, interval: Interval) -> Result<Interval> {
    let unit = unit.to_lowercase();
    let Some(Unit::Field(field)) = interval_unit(&unit) else {
        return Err(match interval_unit(&unit) {
            Some(_) => unsupported(&unit, "interval"),
            None => unrecognized(&unit, "interval"),
        });
    };
    let floor = |micros: i64| interval.micros / micros * micros;
    let years = |years: i32| {
        let unit = years * MONTHS_PER_YEAR;
        Interval::new(interval.months / unit * unit, 0, 0)
    };
    Ok(match field {
        Field::Millennium => years(1000),
        Field::Century => years(100),
        Field::Decade => years(10),
        Field::Year => years(1),
        Field::Quarter => Interval::new(interval.months / 3 * 3, 0, 0),
        Field::Month => Interval::new(interval.months, 0, 0),
        Field::Day => Interval {
            micros: 0,
            ..interval
        },
        Field::Hour => Interval {
            micros: floor(3600 * MICROS_PER_SECOND),
            ..interval
        },
        Field::Minute => Interval {
            micros: floor(60 * MICROS_PER_SECOND),
            ..interval
        },
        Field::Second => Interval {
            micros: floor(MICROS_PER_SECOND),
            ..interval
        },
        Field::Milliseconds => Interval {
            micros: floor(1000),
            ..interval
        },
        Field::Microseconds => interval,
        Field::Week => {
            let detail = "Months usually have fractional weeks.";
            return Err(unsupported(&unit, "interval").with_detail(detail));
        }
        _ => return Err(unsupported(&unit, "interval")),
    })
}
