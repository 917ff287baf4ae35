//! `interval`: months, days and microseconds that are counted apart (`timestamp.c`).
//!
//! A month has no fixed number of days and a day none of hours, so the three are only brought
//! together where PostgreSQL does it: comparisons take a month for 30 days and a day for 24 hours.

mod arithmetic;
mod decode;
mod fields;
mod iso8601;
mod justify;
mod output;
mod typmod;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::MICROS_PER_DAY;
use crate::error::{Error, sqlstate};

pub use arithmetic::{age, interval_since, timestamp_minus_interval, timestamp_plus_interval};
pub use decode::parse_interval;
pub use fields::{extract_from_interval, interval_part, truncate_interval};
pub use output::write_interval;
pub use typmod::IntervalFields;

const MONTHS_PER_YEAR: i32 = 12;
const DAYS_PER_MONTH: i32 = 30;

/// PostgreSQL's `Interval`. Equal are those of equal span, as 1 month and 30 days.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    pub micros: i64,
    pub days: i32,
    pub months: i32,
}

impl Interval {
    pub const ZERO: Interval = Interval {
        micros: 0,
        days: 0,
        months: 0,
    };

    pub const fn new(months: i32, days: i32, micros: i64) -> Interval {
        Interval {
            micros,
            days,
            months,
        }
    }

    /// Months, days and microseconds, to tell intervals of equal span apart.
    pub fn parts(self) -> (i32, i32, i64) {
        (self.months, self.days, self.micros)
    }

    /// Whole days and the microseconds of the last one: what is compared (`interval_cmp_value`).
    #[inline]
    pub fn span(self) -> (i64, i64) {
        let days = i64::from(self.months) * i64::from(DAYS_PER_MONTH) + i64::from(self.days);
        (
            days + self.micros.div_euclid(MICROS_PER_DAY),
            self.micros.rem_euclid(MICROS_PER_DAY),
        )
    }

    /// As it lies on a page: microseconds, days, months.
    pub fn to_le_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.micros.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.days.to_le_bytes());
        bytes[12..].copy_from_slice(&self.months.to_le_bytes());
        bytes
    }

    pub fn from_le_bytes(bytes: [u8; 16]) -> Interval {
        let bits = u128::from_le_bytes(bytes);
        Interval {
            micros: bits as i64,
            days: (bits >> 64) as i32,
            months: (bits >> 96) as i32,
        }
    }
}

impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        self.span() == other.span()
    }
}

impl Eq for Interval {}

impl PartialOrd for Interval {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Interval {
    fn cmp(&self, other: &Self) -> Ordering {
        self.span().cmp(&other.span())
    }
}

impl Hash for Interval {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.span().hash(state);
    }
}

#[cold]
fn out_of_range() -> Error {
    Error::new(sqlstate::DATETIME_FIELD_OVERFLOW, "interval out of range")
}
