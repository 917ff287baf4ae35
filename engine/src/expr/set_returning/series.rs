//! `generate_series` over integers and numerics (`int.c`, `int8.c`, `numeric.c`).

use std::marker::PhantomData;

use super::super::operand::Native;
use super::SetFunction;
use crate::error::{Error, Result, sqlstate};
use crate::value::{Column, Numeric};
use crate::work::Work;

/// Integers written for one unit of work.
const INTEGERS_A_UNIT: usize = 8;

fn invalid(message: &str) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// An integer type of a series.
pub(super) trait Width: Native + Copy {
    fn from_wide(value: i64) -> Self;
    /// The sum, unless it is out of the type's range, which ends a series.
    fn stepped(value: i64, step: i64) -> Option<i64>;
}

impl Width for i32 {
    fn from_wide(value: i64) -> Self {
        value as i32
    }

    fn stepped(value: i64, step: i64) -> Option<i64> {
        let next = value + step;
        i32::try_from(next).is_ok().then_some(next)
    }
}

impl Width for i64 {
    fn from_wide(value: i64) -> Self {
        value
    }

    fn stepped(value: i64, step: i64) -> Option<i64> {
        value.checked_add(step)
    }
}

pub(super) struct IntegerSeries<T> {
    /// `None` past the end.
    next: Option<i64>,
    stop: i64,
    step: i64,
    width: PhantomData<T>,
}

impl<T: Width> IntegerSeries<T> {
    pub fn new(start: i64, stop: i64, step: i64) -> Result<Self> {
        if step == 0 {
            return Err(invalid("step size cannot equal zero"));
        }
        let empty = if step > 0 { start > stop } else { start < stop };
        Ok(IntegerSeries {
            next: (!empty).then_some(start),
            stop,
            step,
            width: PhantomData,
        })
    }

    /// Values from `next` to the end, `next` included; saturates at the most a `usize` can say.
    fn left(&self, next: i64) -> usize {
        let distance = self.stop.abs_diff(next) / self.step.unsigned_abs();
        usize::try_from(distance).map_or(usize::MAX, |n| n.saturating_add(1))
    }
}

impl<T: Width> SetFunction for IntegerSeries<T> {
    fn next(&mut self, out: &mut [Column], want: usize, work: &mut Work) -> Result<bool> {
        let Some(first) = self.next else {
            return Ok(false);
        };
        let left = self.left(first);
        let affordable = (work.left() as usize)
            .saturating_mul(INTEGERS_A_UNIT)
            .max(1);
        let count = want.min(left).min(affordable);
        let step = self.step;
        T::vector(&mut out[0].data).extend(
            (0..count).map(|i| T::from_wide(first.wrapping_add(step.wrapping_mul(i as i64)))),
        );
        work.spend((count / INTEGERS_A_UNIT + 1) as u32);
        self.next = if count == left {
            None
        } else if count == 0 {
            Some(first)
        } else {
            T::stepped(
                first.wrapping_add(step.wrapping_mul(count as i64 - 1)),
                step,
            )
        };
        Ok(self.next.is_some())
    }
}

pub(super) struct NumericSeries {
    next: Option<Numeric>,
    stop: Numeric,
    step: Numeric,
}

impl NumericSeries {
    pub fn new(start: &Numeric, stop: &Numeric, step: Option<&Numeric>) -> Result<Self> {
        check(start, "start value")?;
        check(stop, "stop value")?;
        if let Some(step) = step {
            check(step, "step size")?;
            if step.is_zero() {
                return Err(invalid("step size cannot equal zero"));
            }
        }
        let step = step.cloned().unwrap_or(Numeric::ONE);
        let mut series = NumericSeries {
            next: Some(start.clone()),
            stop: stop.clone(),
            step,
        };
        series.end_beyond_stop();
        Ok(series)
    }

    fn end_beyond_stop(&mut self) {
        let beyond = match &self.next {
            Some(next) if self.step.is_negative() => *next < self.stop,
            Some(next) => *next > self.stop,
            None => false,
        };
        if beyond {
            self.next = None;
        }
    }
}

fn check(value: &Numeric, what: &str) -> Result<()> {
    if value.is_nan() {
        return Err(invalid(&format!("{what} cannot be NaN")));
    }
    if value.is_infinite() {
        return Err(invalid(&format!("{what} cannot be infinity")));
    }
    Ok(())
}

impl SetFunction for NumericSeries {
    fn next(&mut self, out: &mut [Column], want: usize, work: &mut Work) -> Result<bool> {
        let values = Numeric::vector(&mut out[0].data);
        for _ in 0..want {
            let Some(value) = self.next.take() else {
                return Ok(false);
            };
            self.next = Some(value.add(&self.step)?);
            self.end_beyond_stop();
            values.push(value);
            work.spend(5);
            if work.is_exhausted() {
                break;
            }
        }
        Ok(self.next.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Type;

    fn integers(start: i64, stop: i64, step: i64, want: usize, allowance: u32) -> Vec<i32> {
        let mut series = IntegerSeries::<i32>::new(start, stop, step).unwrap();
        let mut out = [Column::new(Type::INT4)];
        loop {
            let had = out[0].len();
            let more = series
                .next(&mut out, want, &mut Work::new(allowance))
                .unwrap();
            if !more {
                return i32::slice(&out[0].data).to_vec();
            }
            assert!(out[0].len() > had, "every call progresses");
        }
    }

    #[test]
    fn integers_in_any_portions() {
        for (want, allowance) in [(1, 1), (2, 1), (3, 100), (1000, 1), (1000, 1000)] {
            assert_eq!(integers(1, 5, 1, want, allowance), [1, 2, 3, 4, 5]);
            assert_eq!(integers(5, 1, -2, want, allowance), [5, 3, 1]);
            assert_eq!(integers(1, 0, 1, want, allowance), [] as [i32; 0]);
            assert_eq!(integers(3, 3, -7, want, allowance), [3]);
        }
    }

    #[test]
    fn overflow_ends_a_series() {
        let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
        assert_eq!(
            integers(max - 3, max, 2, 100, 1),
            [i32::MAX - 3, i32::MAX - 1]
        );
        assert_eq!(integers(min + 1, min, -5, 100, 1), [i32::MIN + 1]);
        let mut wide = IntegerSeries::<i64>::new(i64::MAX - 1, i64::MAX, 1).unwrap();
        let mut out = [Column::new(Type::INT8)];
        assert!(!wide.next(&mut out, 9, &mut Work::default()).unwrap());
        assert_eq!(out[0].len(), 2);
    }

    #[test]
    fn a_step_of_zero_is_refused() {
        let error = IntegerSeries::<i64>::new(1, 2, 0).err().unwrap();
        assert_eq!(
            (error.sqlstate, &*error.message),
            ("22023", "step size cannot equal zero")
        );
    }

    #[test]
    fn numerics_keep_the_scale_of_their_sums() {
        let numeric = |text| Numeric::parse(text).unwrap();
        let mut series =
            NumericSeries::new(&numeric("1"), &numeric("2"), Some(&numeric("0.50"))).unwrap();
        let mut out = [Column::new(Type::NUMERIC)];
        assert!(!series.next(&mut out, 9, &mut Work::default()).unwrap());
        let texts: Vec<String> = Numeric::slice(&out[0].data)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(texts, ["1", "1.50", "2.00"]);
        let error = NumericSeries::new(&Numeric::NAN, &numeric("1"), None)
            .err()
            .unwrap();
        assert_eq!(error.message, "start value cannot be NaN");
    }
}
