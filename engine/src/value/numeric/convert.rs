//! Casts from and to machine numbers, as `numeric_int4`, `float8_numeric` and their siblings.

use num_bigint::BigInt;

use super::decimal::{divide_rounding, divide_rounding_big, power, power_big};
use super::{Numeric, Special, View};
use crate::error::{Error, Result, sqlstate};
use crate::value::text::{Scientific, Scratch};

macro_rules! from_integer {
    ($($int:ty),*) => {$(
        impl From<$int> for Numeric {
            #[inline]
            fn from(value: $int) -> Numeric {
                Numeric::small(i128::from(value), 0)
            }
        }
    )*};
}

from_integer!(i16, i32, i64, u32, u64);

impl Numeric {
    /// `smallint`, halves away from zero. 22003 out of range, 0A000 for NaN and the infinities.
    pub fn to_i16(&self) -> Result<i16> {
        self.to_integer("smallint")
    }

    /// `integer`, halves away from zero. 22003 out of range, 0A000 for NaN and the infinities.
    pub fn to_i32(&self) -> Result<i32> {
        self.to_integer("integer")
    }

    /// `bigint`, halves away from zero. 22003 out of range, 0A000 for NaN and the infinities.
    pub fn to_i64(&self) -> Result<i64> {
        self.to_integer("bigint")
    }

    fn to_integer<T: TryFrom<i128>>(&self, type_name: &str) -> Result<T> {
        let nearest = match self.view() {
            View::Small(unscaled, 0) => Some(unscaled),
            View::Small(unscaled, scale) => {
                // An i128 has at most 39 digits: below 10^-39 everything rounds to 0.
                Some(power(u32::from(scale)).map_or(0, |unit| divide_rounding(unscaled, unit)))
            }
            View::Big(unscaled, scale) => {
                i128::try_from(divide_rounding_big(unscaled, &power_big(u32::from(scale)))).ok()
            }
            View::Special(special) => {
                let what = if special == Special::NaN {
                    "NaN"
                } else {
                    "infinity"
                };
                return Err(Error::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    format!("cannot convert {what} to {type_name}"),
                ));
            }
        };
        nearest
            .and_then(|value| T::try_from(value).ok())
            .ok_or_else(|| {
                Error::new(
                    sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                    format!("{type_name} out of range"),
                )
            })
    }

    /// The 15 significant digits that a `double precision` is sure of, as `%.15g` shows them.
    pub fn from_f64(value: f64) -> Numeric {
        if value.is_nan() {
            return Numeric::NAN;
        }
        if value.is_infinite() {
            return if value > 0.0 {
                Numeric::INFINITY
            } else {
                Numeric::NEG_INFINITY
            };
        }
        if value.abs() < 1e15 && value.trunc() == value {
            return Numeric::small(i128::from(value as i64), 0);
        }
        from_scientific(&Scratch::format(format_args!("{value:.14e}")))
    }

    /// The 6 significant digits that a `real` is sure of, as `%.6g` shows them.
    pub fn from_f32(value: f32) -> Numeric {
        if value.is_nan() {
            return Numeric::NAN;
        }
        if value.is_infinite() {
            return if value > 0.0 {
                Numeric::INFINITY
            } else {
                Numeric::NEG_INFINITY
            };
        }
        from_scientific(&Scratch::format(format_args!("{value:.5e}")))
    }

    /// The nearest `double precision`. 22003 where the value is beyond its range, or so small that
    /// only 0 is near.
    pub fn to_f64(&self) -> Result<f64> {
        match self.view() {
            // Both numbers are exact as doubles, so that the division rounds once.
            View::Small(unscaled, scale) if unscaled.unsigned_abs() < 1 << 53 && scale <= 22 => {
                let unit = power(u32::from(scale)).unwrap_or(1);
                Ok(unscaled as i64 as f64 / unit as f64)
            }
            View::Special(Special::NaN) => Ok(f64::NAN),
            View::Special(special) => Ok(f64::INFINITY * f64::from(special.signum())),
            View::Small(unscaled, scale) => {
                let text = Scratch::format(format_args!("{unscaled}e-{scale}"));
                self.checked_f64(text.as_str().parse())
            }
            View::Big(..) => self.checked_f64(self.to_string().parse()),
        }
    }

    /// The nearest `real`. 22003 where the value is beyond its range, or so small that only 0 is near.
    pub fn to_f32(&self) -> Result<f32> {
        match self.view() {
            View::Small(unscaled, scale) if unscaled.unsigned_abs() < 1 << 24 && scale <= 10 => {
                let unit = power(u32::from(scale)).unwrap_or(1);
                Ok(unscaled as i32 as f32 / unit as f32)
            }
            View::Special(Special::NaN) => Ok(f32::NAN),
            View::Special(special) => Ok(f32::INFINITY * special.signum() as f32),
            View::Small(unscaled, scale) => {
                let text = Scratch::format(format_args!("{unscaled}e-{scale}"));
                self.checked_f32(text.as_str().parse())
            }
            View::Big(..) => self.checked_f32(self.to_string().parse()),
        }
    }

    /// An infinite result, and 0 for another number, are out of range.
    fn checked_f64(&self, nearest: Result<f64, std::num::ParseFloatError>) -> Result<f64> {
        match nearest {
            Ok(value) if value.is_finite() && (value != 0.0 || self.is_zero()) => Ok(value),
            _ => Err(out_of_float_range(self, "double precision")),
        }
    }

    fn checked_f32(&self, nearest: Result<f32, std::num::ParseFloatError>) -> Result<f32> {
        match nearest {
            Ok(value) if value.is_finite() && (value != 0.0 || self.is_zero()) => Ok(value),
            _ => Err(out_of_float_range(self, "real")),
        }
    }
}

#[cold]
fn out_of_float_range(value: &Numeric, type_name: &str) -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("\"{value}\" is out of range for type {type_name}"),
    )
}

/// The same number; a scale below zero becomes zeros before the point.
fn from_scientific(text: &Scratch) -> Numeric {
    let number = Scientific::read(text);
    let magnitude = i128::from(number.digits);
    let unscaled = if number.negative {
        -magnitude
    } else {
        magnitude
    };
    if number.exponent <= 0 {
        // A double has at most 324 + 14 places, far from the limit.
        return Numeric::small(unscaled, number.exponent.unsigned_abs() as u16);
    }
    let unscaled = BigInt::from(unscaled) * power_big(number.exponent.unsigned_abs());
    // 309 digits at the most: never beyond the limits.
    Numeric::from_big(unscaled, 0).unwrap_or(Numeric::NAN)
}
