//! `date`, `timestamp without time zone` and `interval` (`date.c`, `timestamp.c`, `datetime.c`).
//!
//! A date is an `i32` of days and a timestamp an `i64` of microseconds, both since 2000-01-01; the
//! least and the greatest integer are -infinity and infinity. They are plain integers here as in
//! the column vectors, so that kernels compare and add them without wrapping. The calendar is the
//! proleptic Gregorian one; dates run from 4714-11-24 BC to 5874897-12-31, timestamps to
//! 294276-12-31. Text is always ISO, and ambiguous input is read month first (`DateStyle` ISO, MDY).

mod arithmetic;
mod calendar;
mod decode;
mod fields;
mod input;
mod interval;
mod keywords;
mod numbers;
mod output;
mod scan;
mod tokens;
mod truncate;

#[cfg(test)]
mod tests;

pub use arithmetic::{
    compare_date_timestamp, date_minus_date, date_plus_days, date_to_timestamp, make_date,
    timestamp_to_date,
};
pub use fields::{Field, extract_from_date, extract_from_timestamp, part_of_minute};
pub use input::{parse_date, parse_timestamp};
pub use interval::{
    Interval, IntervalFields, age, extract_from_interval, interval_part, interval_since,
    parse_interval, timestamp_minus_interval, timestamp_plus_interval, truncate_interval,
    write_interval,
};
pub use output::{write_date, write_timestamp};
pub use truncate::truncate_timestamp;

pub const DATE_INFINITY: i32 = i32::MAX;
pub const DATE_NEG_INFINITY: i32 = i32::MIN;
pub const TIMESTAMP_INFINITY: i64 = i64::MAX;
pub const TIMESTAMP_NEG_INFINITY: i64 = i64::MIN;

/// Microseconds of a day.
pub const MICROS_PER_DAY: i64 = 86_400_000_000;
const MICROS_PER_SECOND: i64 = 1_000_000;

/// 4714-11-24 BC, the day 0 of Julian day numbers.
const MIN_DATE: i32 = -2_451_545;
/// The first day after 5874897-12-31.
const END_DATE: i32 = 2_145_031_949;
/// The first day of [`MIN_DATE`], in microseconds.
const MIN_TIMESTAMP: i64 = MIN_DATE as i64 * MICROS_PER_DAY;
/// The first microsecond after 294276-12-31.
const END_TIMESTAMP: i64 = 9_223_371_331_200_000_000;
/// The Julian day number of 2000-01-01.
const EPOCH_JULIAN_DAY: i32 = 2_451_545;
/// 1970-01-01, as a date.
const UNIX_EPOCH: i32 = -10_957;

/// `IS_VALID_DATE`, which the infinities are not.
fn is_valid_date(date: i64) -> bool {
    (i64::from(MIN_DATE)..i64::from(END_DATE)).contains(&date)
}

/// `IS_VALID_TIMESTAMP`, which the infinities are not.
fn is_valid_timestamp(timestamp: i64) -> bool {
    (MIN_TIMESTAMP..END_TIMESTAMP).contains(&timestamp)
}

pub fn is_finite_date(date: i32) -> bool {
    date != DATE_INFINITY && date != DATE_NEG_INFINITY
}

pub fn is_finite_timestamp(timestamp: i64) -> bool {
    timestamp != TIMESTAMP_INFINITY && timestamp != TIMESTAMP_NEG_INFINITY
}
