//! Intervals, and what they do to dates and timestamps (`timestamp.c`, `date.c`).

use super::super::call::{Kernel, Output, Row};
use super::Found;
use super::string::is_text;
use crate::error::Result;
use crate::value::datetime::{
    age, date_to_timestamp, extract_from_interval, interval_part, interval_since,
    timestamp_minus_interval, timestamp_plus_interval, timestamp_to_date, truncate_interval,
};
use crate::value::{Base, Interval};

pub(super) fn find(name: &str, bases: &[Base]) -> Option<Found> {
    use Base::{Date, Float8, Timestamp};
    const I: Base = Base::Interval;
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match (name, bases) {
        ("date_pl_interval", [Date, I]) => |row, out| {
            let midnight = date_to_timestamp(row.int4(0))?;
            out.set(timestamp_plus_interval(midnight, row.interval(1))?)
        },
        ("interval_pl_date", [I, Date]) => |row, out| {
            let midnight = date_to_timestamp(row.int4(1))?;
            out.set(timestamp_plus_interval(midnight, row.interval(0))?)
        },
        ("date_mi_interval", [Date, I]) => |row, out| {
            let midnight = date_to_timestamp(row.int4(0))?;
            out.set(timestamp_minus_interval(midnight, row.interval(1))?)
        },
        ("timestamp_pl_interval", [Timestamp, I]) => {
            |row, out| out.set(timestamp_plus_interval(row.int8(0), row.interval(1))?)
        }
        ("interval_pl_timestamp", [I, Timestamp]) => {
            |row, out| out.set(timestamp_plus_interval(row.int8(1), row.interval(0))?)
        }
        ("timestamp_mi_interval", [Timestamp, I]) => {
            |row, out| out.set(timestamp_minus_interval(row.int8(0), row.interval(1))?)
        }
        ("timestamp_mi", [Timestamp, Timestamp]) => {
            |row, out| out.set(interval_since(row.int8(0), row.int8(1))?)
        }
        ("interval_pl", [I, I]) => |row, out| out.set(row.interval(0).plus(row.interval(1))?),
        ("interval_mi", [I, I]) => |row, out| out.set(row.interval(0).minus(row.interval(1))?),
        ("interval_um", [I]) => |row, out| out.set(row.interval(0).opposite()?),
        ("interval_mul", [I, Float8]) => |row, out| out.set(row.interval(0).times(row.float8(1))?),
        ("mul_d_interval", [Float8, I]) => {
            |row, out| out.set(row.interval(1).times(row.float8(0))?)
        }
        ("interval_div", [I, Float8]) => {
            |row, out| out.set(row.interval(0).divided(row.float8(1))?)
        }
        ("justify_hours", [I]) => |row, out| out.set(row.interval(0).justify_hours()?),
        ("justify_days", [I]) => |row, out| out.set(row.interval(0).justify_days()?),
        ("justify_interval", [I]) => |row, out| out.set(row.interval(0).justify()?),
        ("isfinite", [I]) => |_, out| out.set(true),
        ("extract", [unit, I]) if is_text(*unit) => {
            |row, out| out.set(extract_from_interval(row.text(0), row.interval(1))?)
        }
        ("date_part", [unit, I]) if is_text(*unit) => {
            |row, out| out.set(interval_part(row.text(0), row.interval(1))?)
        }
        ("date_trunc", [unit, I]) if is_text(*unit) => {
            |row, out| out.set(truncate_interval(row.text(0), row.interval(1))?)
        }
        ("age", [Timestamp, Timestamp]) => |row, out| out.set(age(row.int8(0), row.int8(1))),
        ("age", [Timestamp]) => {
            return Some((
                Kernel::Context(|row, cx, out| {
                    let today = date_to_timestamp(timestamp_to_date(cx.now))?;
                    out.set(age(today, row.int8(0)))
                }),
                8,
            ));
        }
        ("make_interval", args) if args.len() <= 7 => make_interval,
        _ => return None,
    };
    Some((Kernel::Row(kernel), 6))
}

/// `make_interval(years, months, weeks, days, hours, mins, secs)`; those left out are 0.
fn make_interval(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    let part = |i: usize| if i < row.count() { row.int4(i) } else { 0 };
    let seconds = if row.count() > 6 { row.float8(6) } else { 0.0 };
    out.set(Interval::make(
        (part(0), part(1)),
        (part(2), part(3)),
        (part(4), part(5), seconds),
    )?)
}
