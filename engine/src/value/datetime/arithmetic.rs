//! Sums, differences, casts and comparisons of dates and timestamps.

use std::cmp::Ordering;

use super::calendar::{days_from_civil, days_in_month};
use super::{
    DATE_INFINITY, DATE_NEG_INFINITY, END_TIMESTAMP, MICROS_PER_DAY, TIMESTAMP_INFINITY,
    TIMESTAMP_NEG_INFINITY, is_finite_date, is_valid_date,
};
use crate::error::{Error, Result, sqlstate};

/// `date + integer`, and with a negative number `date - integer` (`date_pli`). 22008 out of range.
pub fn date_plus_days(date: i32, days: i64) -> Result<i32> {
    if !is_finite_date(date) {
        return Ok(date);
    }
    let sum = i64::from(date).saturating_add(days);
    if is_valid_date(sum) {
        Ok(sum as i32)
    } else {
        Err(out_of_range("date out of range"))
    }
}

/// `date - date` in days (`date_mi`). 22008 where one is infinite.
pub fn date_minus_date(left: i32, right: i32) -> Result<i32> {
    if !is_finite_date(left) || !is_finite_date(right) {
        return Err(out_of_range("cannot subtract infinite dates"));
    }
    Ok(left - right)
}

/// `date::timestamp`: midnight. 22008 where only a date reaches.
pub fn date_to_timestamp(date: i32) -> Result<i64> {
    match date {
        DATE_INFINITY => Ok(TIMESTAMP_INFINITY),
        DATE_NEG_INFINITY => Ok(TIMESTAMP_NEG_INFINITY),
        _ if i64::from(date) >= END_TIMESTAMP / MICROS_PER_DAY => {
            Err(out_of_range("date out of range for timestamp"))
        }
        _ => Ok(i64::from(date) * MICROS_PER_DAY),
    }
}

/// `timestamp::date`: the day that it falls on.
pub fn timestamp_to_date(timestamp: i64) -> i32 {
    match timestamp {
        TIMESTAMP_INFINITY => DATE_INFINITY,
        TIMESTAMP_NEG_INFINITY => DATE_NEG_INFINITY,
        // Every timestamp is within the range of dates.
        _ => timestamp.div_euclid(MICROS_PER_DAY) as i32,
    }
}

/// The order of a date's midnight and a timestamp (`date_cmp_timestamp_internal`): dates beyond
/// the range of timestamps come after all of them but infinity.
pub fn compare_date_timestamp(date: i32, timestamp: i64) -> Ordering {
    match date_to_timestamp(date) {
        Ok(midnight) => midnight.cmp(&timestamp),
        Err(_) if timestamp == TIMESTAMP_INFINITY => Ordering::Less,
        Err(_) => Ordering::Greater,
    }
}

/// `make_date(year, month, day)`; negative years are BC. 22008 for what is no date.
pub fn make_date(year: i32, month: i32, day: i32) -> Result<i32> {
    let astronomical = if year < 0 {
        i64::from(year) + 1
    } else {
        i64::from(year)
    };
    let (m, d) = (i64::from(month), i64::from(day));
    if year == 0 || !(1..=12).contains(&m) || d < 1 || d > days_in_month(astronomical, m) {
        return Err(out_of_range(format!(
            "date field value out of range: {astronomical}-{month:02}-{day:02}"
        )));
    }
    let days = days_from_civil(astronomical, m, d);
    if !is_valid_date(days) {
        return Err(out_of_range(format!(
            "date out of range: {astronomical}-{month:02}-{day:02}"
        )));
    }
    Ok(days as i32)
}

#[cold]
fn out_of_range(message: impl Into<String>) -> Error {
    Error::new(sqlstate::DATETIME_FIELD_OVERFLOW, message)
}
