//! Sums, multiples, and what intervals do to timestamps.

use super::super::calendar::{Civil, civil_from_days, days_from_civil, days_in_month};
use super::super::{MICROS_PER_DAY, MICROS_PER_SECOND, is_finite_timestamp, is_valid_timestamp};
use super::{DAYS_PER_MONTH, Interval, MONTHS_PER_YEAR, out_of_range};
use crate::error::{Error, Result, sqlstate};

const SECONDS_PER_DAY: f64 = 86_400.0;

impl Interval {
    /// `interval_pl`; 22008 where a part overflows.
    pub fn plus(self, other: Interval) -> Result<Interval> {
        self.combine(other, i32::checked_add, i64::checked_add)
    }

    /// `interval_mi`; 22008 where a part overflows.
    pub fn minus(self, other: Interval) -> Result<Interval> {
        self.combine(other, i32::checked_sub, i64::checked_sub)
    }

    fn combine(
        self,
        other: Interval,
        small: fn(i32, i32) -> Option<i32>,
        large: fn(i64, i64) -> Option<i64>,
    ) -> Result<Interval> {
        let parts = (
            small(self.months, other.months),
            small(self.days, other.days),
            large(self.micros, other.micros),
        );
        match parts {
            (Some(months), Some(days), Some(micros)) => Ok(Interval::new(months, days, micros)),
            _ => Err(out_of_range()),
        }
    }

    /// `interval_um`; 22008 for a part that has no opposite.
    pub fn opposite(self) -> Result<Interval> {
        Interval::ZERO.minus(self)
    }

    /// `interval_mul`; 22008 out of range. What is left of months becomes days, what is left of days time.
    pub fn times(self, factor: f64) -> Result<Interval> {
        let (months, days) = (
            f64::from(self.months) * factor,
            f64::from(self.days) * factor,
        );
        if !fits_int(months) || !fits_int(days) {
            return Err(out_of_range());
        }
        self.scaled(months, days, self.micros as f64 * factor)
    }

    /// `interval_div`; 22012 by zero, 22008 out of range.
    pub fn divided(self, divisor: f64) -> Result<Interval> {
        if divisor == 0.0 {
            return Err(Error::new(sqlstate::DIVISION_BY_ZERO, "division by zero"));
        }
        self.scaled(
            f64::from(self.months) / divisor,
            f64::from(self.days) / divisor,
            self.micros as f64 / divisor,
        )
    }

    /// The interval of parts with fractions.
    fn scaled(self, months: f64, days: f64, micros: f64) -> Result<Interval> {
        let mut result = Interval::new(months as i32, days as i32, 0);
        let left_days =
            to_microscale((months - f64::from(result.months)) * f64::from(DAYS_PER_MONTH));
        let mut left_seconds = to_microscale(
            (days - f64::from(result.days) + left_days - left_days.trunc()) * SECONDS_PER_DAY,
        );
        // Rounding can make a whole day, and so can time that comes from months and days alike.
        if left_seconds.abs() >= SECONDS_PER_DAY {
            let whole = (left_seconds / SECONDS_PER_DAY).trunc();
            result.days = result.days.wrapping_add(whole as i32);
            left_seconds -= whole * SECONDS_PER_DAY;
        }
        result.days = result.days.wrapping_add(left_days as i32);
        let micros = (micros + left_seconds * MICROS_PER_SECOND as f64).round_ties_even();
        if micros.is_nan()
            || !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&micros)
        {
            return Err(out_of_range());
        }
        result.micros = micros as i64;
        Ok(result)
    }

    /// `make_interval`: years and months, weeks and days, a time. 22008 for seconds that are no number.
    pub fn make(
        (years, months): (i32, i32),
        (weeks, days): (i32, i32),
        (hours, minutes, seconds): (i32, i32, f64),
    ) -> Result<Interval> {
        if !seconds.is_finite() {
            return Err(out_of_range());
        }
        let micros = (seconds * MICROS_PER_SECOND as f64).round_ties_even() as i64;
        let minutes = i64::from(hours) * 60 + i64::from(minutes);
        Ok(Interval::new(
            years.wrapping_mul(MONTHS_PER_YEAR).wrapping_add(months),
            weeks.wrapping_mul(7).wrapping_add(days),
            (minutes * 60 * MICROS_PER_SECOND).wrapping_add(micros),
        ))
    }
}

/// `FLOAT8_FITS_IN_INT32` but for a fraction, as `interval_mul` asks.
fn fits_int(value: f64) -> bool {
    value >= f64::from(i32::MIN) && value <= f64::from(i32::MAX)
}

/// `TSROUND`: to six places.
fn to_microscale(value: f64) -> f64 {
    (value * 1e6).round_ties_even() / 1e6
}

#[cold]
fn timestamp_out_of_range() -> Error {
    Error::new(sqlstate::DATETIME_FIELD_OVERFLOW, "timestamp out of range")
}

/// `timestamp + interval` (`timestamp_pl_interval`): months first, where a day beyond the month's end
/// becomes its last; then days; then time. 22008 out of range.
pub fn timestamp_plus_interval(timestamp: i64, interval: Interval) -> Result<i64> {
    if !is_finite_timestamp(timestamp) {
        return Ok(timestamp);
    }
    let mut days = timestamp.div_euclid(MICROS_PER_DAY);
    let time = timestamp.rem_euclid(MICROS_PER_DAY);
    let checked = |days: i64| match days.checked_mul(MICROS_PER_DAY) {
        Some(midnight) if is_valid_timestamp(midnight.saturating_add(time)) => Ok(days),
        _ => Err(timestamp_out_of_range()),
    };
    if interval.months != 0 {
        let civil = civil_from_days(days);
        let months = civil.year * 12 + civil.month - 1 + i64::from(interval.months);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        let day = civil.day.min(days_in_month(year, month));
        days = checked(days_from_civil(year, month, day))?;
    }
    if interval.days != 0 {
        days = checked(days + i64::from(interval.days))?;
    }
    (days * MICROS_PER_DAY + time)
        .checked_add(interval.micros)
        .filter(|&sum| is_valid_timestamp(sum))
        .ok_or_else(timestamp_out_of_range)
}

/// `timestamp - interval`
pub fn timestamp_minus_interval(timestamp: i64, interval: Interval) -> Result<i64> {
    let opposite = Interval::new(
        interval.months.wrapping_neg(),
        interval.days.wrapping_neg(),
        interval.micros.wrapping_neg(),
    );
    timestamp_plus_interval(timestamp, opposite)
}

/// `timestamp - timestamp` (`timestamp_mi`): days and time. 22008 for infinite ones.
pub fn interval_since(later: i64, earlier: i64) -> Result<Interval> {
    if !is_finite_timestamp(later) || !is_finite_timestamp(earlier) {
        return Err(Error::new(
            sqlstate::DATETIME_FIELD_OVERFLOW,
            "cannot subtract infinite timestamps",
        ));
    }
    Interval::new(0, 0, later.wrapping_sub(earlier)).justify_hours()
}

/// A timestamp's year, month, day and microseconds.
type Symbolic = [i64; 4];

/// `age(timestamp, timestamp)` (`timestamp_age`): years, months and days as a calendar counts them.
/// Infinite ones count as the integers that stand for them.
pub fn age(left: i64, right: i64) -> Interval {
    let fields = |timestamp: i64| -> (Civil, Symbolic) {
        let civil = civil_from_days(timestamp.div_euclid(MICROS_PER_DAY));
        let micros = timestamp.rem_euclid(MICROS_PER_DAY);
        (civil, [civil.year, civil.month, civil.day, micros])
    };
    let ((left_day, a), (right_day, b)) = (fields(left), fields(right));
    let negative = left < right;
    let sign = if negative { -1 } else { 1 };
    let mut parts: Symbolic = std::array::from_fn(|i| sign * (a[i] - b[i]));
    if parts[3] < 0 {
        parts[3] += MICROS_PER_DAY;
        parts[2] -= 1;
    }
    // A negative day is counted in the month of the earlier timestamp.
    let month = if negative { left_day } else { right_day };
    while parts[2] < 0 {
        parts[2] += days_in_month(month.year, month.month);
        parts[1] -= 1;
    }
    while parts[1] < 0 {
        parts[1] += 12;
        parts[0] -= 1;
    }
    Interval::new(
        (sign * (parts[0] * 12 + parts[1])) as i32,
        (sign * parts[2]) as i32,
        sign * parts[3],
    )
}
