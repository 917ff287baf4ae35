//! Dates and timestamps (`date.c`, `timestamp.c`).

use super::super::call::{Kernel, Output, Row};
use super::Found;
use super::string::is_text;
use crate::error::{Error, Result, sqlstate};
use crate::value::datetime::{
    Field, date_minus_date, date_plus_days, date_to_timestamp, extract_from_date,
    extract_from_timestamp, is_finite_date, is_finite_timestamp, make_date, part_of_minute,
    timestamp_to_date, truncate_timestamp,
};
use crate::value::{Base, Numeric};

pub(super) fn find(name: &str, bases: &[Base]) -> Option<Found> {
    use Base::{Date, Float8, Int4, Timestamp};
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match (name, bases) {
        ("date_pli", [Date, Int4]) => {
            |row, out| out.set(date_plus_days(row.int4(0), row.int4(1).into())?)
        }
        ("integer_pl_date", [Int4, Date]) => {
            |row, out| out.set(date_plus_days(row.int4(1), row.int4(0).into())?)
        }
        ("date_mii", [Date, Int4]) => {
            |row, out| out.set(date_plus_days(row.int4(0), -i64::from(row.int4(1)))?)
        }
        ("date_mi", [Date, Date]) => |row, out| out.set(date_minus_date(row.int4(0), row.int4(1))?),
        ("isfinite", [Date]) => |row, out| out.set(is_finite_date(row.int4(0))),
        ("isfinite", [Timestamp]) => |row, out| out.set(is_finite_timestamp(row.int8(0))),
        ("make_date", [Int4, Int4, Int4]) => {
            |row, out| out.set(make_date(row.int4(0), row.int4(1), row.int4(2))?)
        }
        ("make_timestamp", [Int4, Int4, Int4, Int4, Int4, Float8]) => make_timestamp,
        ("extract", [unit, Date]) if is_text(*unit) => {
            |row, out| match extract_from_date(Field::of_date(row.text(0))?, row.int4(1)) {
                Some(value) => out.set(value),
                None => out.null(),
            }
        }
        ("extract", [unit, Timestamp]) if is_text(*unit) => {
            |row, out| match timestamp_field(row.text(0), row.int8(1))? {
                Some(value) => out.set(value),
                None => out.null(),
            }
        }
        ("date_part", [unit, Date]) if is_text(*unit) => {
            |row, out| part(row.text(0), date_to_timestamp(row.int4(1))?, out)
        }
        ("date_part", [unit, Timestamp]) if is_text(*unit) => {
            |row, out| part(row.text(0), row.int8(1), out)
        }
        ("date_trunc", [unit, Timestamp]) if is_text(*unit) => {
            |row, out| out.set(truncate_timestamp(row.text(0), row.int8(1))?)
        }
        (
            "now"
            | "statement_timestamp"
            | "transaction_timestamp"
            | "localtimestamp"
            | "current_timestamp",
            [],
        ) => return Some((Kernel::Context(|_, cx, out| out.set(cx.now)), 1)),
        ("current_date", []) => {
            return Some((
                Kernel::Context(|_, cx, out| out.set(timestamp_to_date(cx.now))),
                1,
            ));
        }
        _ => return None,
    };
    Some((Kernel::Row(kernel), 8))
}

/// `extract` from a timestamp; an infinite one has no time zone, where others are refused.
fn timestamp_field(unit: &str, timestamp: i64) -> Result<Option<Numeric>> {
    match Field::of_timestamp(unit) {
        Ok(field) => extract_from_timestamp(field, timestamp),
        Err(error)
            if error.sqlstate == sqlstate::FEATURE_NOT_SUPPORTED
                && !is_finite_timestamp(timestamp) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// `date_part`, which sees a date as the timestamp of its midnight.
fn part(unit: &str, timestamp: i64, out: &mut Output<'_>) -> Result<()> {
    if is_finite_timestamp(timestamp)
        && let Some(part) =
            part_of_minute(Field::of_timestamp(unit)?, timestamp.rem_euclid(60_000_000))
    {
        return out.set(part);
    }
    match timestamp_field(unit, timestamp)? {
        Some(value) => out.set(value.to_f64()?),
        None => out.null(),
    }
}

/// `make_timestamp_internal`
fn make_timestamp(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    let (hour, minute, second) = (row.int4(3), row.int4(4), row.float8(5));
    let date = make_date(row.int4(0), row.int4(1), row.int4(2))?;
    // Hour 24 stands for the end of the day; a second may round up to 60.
    let in_range = (0..=24).contains(&hour)
        && (0..=59).contains(&minute)
        && (0.0..=60.0).contains(&second)
        && !(hour == 24 && (minute > 0 || second > 0.0));
    if !in_range {
        return Err(Error::new(
            sqlstate::DATETIME_FIELD_OVERFLOW,
            format!("time field value out of range: {hour}:{minute:02}:{second:0>2}"),
        ));
    }
    let time = (i64::from(hour) * 60 + i64::from(minute)) * 60_000_000
        + (second * 1_000_000.0).round_ties_even() as i64;
    let timestamp = i64::from(date)
        .checked_mul(86_400_000_000)
        .and_then(|midnight| midnight.checked_add(time))
        .filter(|&timestamp| timestamp < 9_223_371_331_200_000_000);
    match timestamp {
        Some(timestamp) => out.set(timestamp),
        None => Err(Error::new(
            sqlstate::DATETIME_FIELD_OVERFLOW,
            format!(
                "timestamp out of range: {}-{:02}-{:02} {hour}:{minute:02}:{second:0>2}",
                row.int4(0),
                row.int4(1),
                row.int4(2)
            ),
        )),
    }
}
