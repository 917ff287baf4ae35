//! `date_trunc` of timestamps (`timestamp_trunc`).

use super::calendar::{civil_from_days, days_from_civil, iso_week};
use super::{Field, MICROS_PER_DAY, MICROS_PER_SECOND, is_finite_timestamp};
use crate::error::{Error, Result, sqlstate};

/// The start of the unit that a timestamp falls in. Infinite ones stay, whatever the unit.
/// 22023 for a word that is no unit, 0A000 for fields without a start (`dow`).
pub fn truncate_timestamp(unit: &str, timestamp: i64) -> Result<i64> {
    if !is_finite_timestamp(timestamp) {
        return Ok(timestamp);
    }
    let field = Field::of_timestamp(unit)?;
    let floor = |micros: i64| timestamp - timestamp.rem_euclid(micros);
    let days = timestamp.div_euclid(MICROS_PER_DAY);
    let civil = civil_from_days(days);
    let year = civil.year;
    let day = match field {
        Field::Microseconds => return Ok(timestamp),
        Field::Milliseconds => return Ok(floor(1_000)),
        Field::Second => return Ok(floor(MICROS_PER_SECOND)),
        Field::Minute => return Ok(floor(60 * MICROS_PER_SECOND)),
        Field::Hour => return Ok(floor(3_600 * MICROS_PER_SECOND)),
        Field::Day => days,
        Field::Week => {
            let (year, week) = iso_week(days);
            // January 4 is always in week 1; 2000-01-03 was a Monday.
            let fourth = days_from_civil(year, 1, 4);
            fourth - (fourth - 2).rem_euclid(7) + (week - 1) * 7
        }
        Field::Month => days_from_civil(year, civil.month, 1),
        Field::Quarter => days_from_civil(year, (civil.month - 1) / 3 * 3 + 1, 1),
        Field::Year => days_from_civil(year, 1, 1),
        Field::Decade => days_from_civil(year.div_euclid(10) * 10, 1, 1),
        // Centuries and millennia begin with a year that ends in 1.
        Field::Century => days_from_civil((year - 1).div_euclid(100) * 100 + 1, 1, 1),
        Field::Millennium => days_from_civil((year - 1).div_euclid(1000) * 1000 + 1, 1, 1),
        Field::IsoYear
        | Field::DayOfWeek
        | Field::IsoDayOfWeek
        | Field::DayOfYear
        | Field::JulianDay
        | Field::Epoch => {
            let unit = unit.to_lowercase();
            return Err(Error::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("unit \"{unit}\" not supported for type timestamp without time zone"),
            ));
        }
    };
    Ok(day * MICROS_PER_DAY)
}
