//! `power(numeric, numeric)`.

use std::f64::consts::LOG10_E;

use num_bigint::{BigInt, Sign};

use super::super::decimal::{count_digits_big, divide_rounding_big, power_big};
use super::super::{MAX_INTEGER_DIGITS, MAX_PRECISION, Numeric, Special, View, overflow};
use super::exponential::exp_to_scale;
use super::logarithm::{estimate_ln_weight, ln_to_scale};
use super::{MAX_RESULT_SCALE, Scaled, result_scale};
use crate::error::{Error, Result, sqlstate};

impl Numeric {
    /// `self ^ exponent`, rounded to 16 significant digits or more.
    ///
    /// 2201F for zero to a negative power and for a negative number to a power that is no integer;
    /// 22003 where the result overflows the format. The rules for NaN and the infinities are those
    /// of POSIX `pow`.
    pub fn power(&self, exponent: &Numeric) -> Result<Numeric> {
        if self.is_nan() {
            return Ok(if exponent.is_zero() {
                Numeric::ONE
            } else {
                Numeric::NAN
            });
        }
        if exponent.is_nan() {
            return Ok(if *self == Numeric::ONE {
                Numeric::ONE
            } else {
                Numeric::NAN
            });
        }
        if self.is_zero() && exponent.is_negative() {
            return Err(undefined("zero raised to a negative power is undefined"));
        }
        if self.is_negative() && !exponent.is_integral() {
            return Err(undefined(
                "a negative number raised to a non-integer power yields a complex result",
            ));
        }
        match (Scaled::of(self), Scaled::of(exponent)) {
            (Some(base), Some(power)) => match integer_exponent(exponent) {
                Some(integer) => power_of_integer(self, &base, integer),
                None => power_of_number(self, base, power, exponent.is_odd()),
            },
            _ => Ok(self.power_with_infinity(exponent)),
        }
    }

    /// One of base and exponent is infinite, none is NaN.
    fn power_with_infinity(&self, exponent: &Numeric) -> Numeric {
        if *self == Numeric::ONE || exponent.is_zero() {
            return Numeric::ONE;
        }
        if self.is_zero() {
            return Numeric::ZERO;
        }
        if exponent.is_infinite() {
            let magnitude = self.abs();
            if magnitude == Numeric::ONE {
                return Numeric::ONE;
            }
            let grows = (magnitude > Numeric::ONE) != exponent.is_negative();
            return if grows {
                Numeric::INFINITY
            } else {
                Numeric::ZERO
            };
        }
        if exponent.is_negative() {
            Numeric::ZERO
        } else if self.is_negative() && exponent.is_odd() {
            Numeric::NEG_INFINITY
        } else {
            Numeric::INFINITY
        }
    }

    /// `numeric_is_integral`: the infinities are, NaN is not.
    fn is_integral(&self) -> bool {
        match self.view() {
            View::Special(special) => special != Special::NaN,
            _ => self.trunc(0).is_ok_and(|whole| whole == *self),
        }
    }

    fn is_odd(&self) -> bool {
        self.is_integral()
            && Scaled::of(self).is_some_and(|x| (x.unscaled / power_big(x.scale)).bit(0))
    }
}

#[cold]
fn undefined(message: &str) -> Error {
    Error::new(sqlstate::INVALID_ARGUMENT_FOR_POWER, message)
}

/// The exponent as a C int, where it is one.
fn integer_exponent(exponent: &Numeric) -> Option<i32> {
    if exponent.is_integral() {
        exponent.to_i32().ok()
    } else {
        None
    }
}

/// `power_var`: e ^ (exponent * ln(base)).
fn power_of_number(value: &Numeric, base: Scaled, exponent: Scaled, odd: bool) -> Result<Numeric> {
    if value.is_zero() {
        return Ok(Numeric::small(
            0,
            super::super::MIN_SIGNIFICANT_DIGITS as u16,
        ));
    }
    let negative = value.is_negative() && odd;
    let magnitude = Scaled {
        unscaled: base.unscaled.magnitude().clone().into(),
        scale: base.scale,
    };
    let ln_weight = estimate_ln_weight(&value.abs());
    // About eight digits are enough to estimate the weight of the result.
    let rough_scale = (8 - ln_weight).max(0) as u32;
    let rough = ln_to_scale(&magnitude, rough_scale)
        .times(&exponent, rough_scale)
        .approximate();
    if rough.abs() > MAX_RESULT_SCALE * 3.01 {
        if rough > 0.0 {
            return Err(overflow());
        }
        return Numeric::from_big(BigInt::ZERO, MAX_PRECISION as u32);
    }
    let weight = (rough * LOG10_E) as i64;
    let scale = result_scale(weight, &[base.scale, exponent.scale]);
    let digits = (i64::from(scale) + weight).max(0);
    let ln_scale = (digits - ln_weight + 8).max(0) as u32;
    let ln = ln_to_scale(&magnitude, ln_scale).times(&exponent, ln_scale);
    let result = exp_to_scale(&ln, scale)?;
    Ok(if negative { result.neg() } else { result })
}

/// `power_var_int`: repeated multiplication, at 16 decimal places or those of the base.
fn power_of_integer(value: &Numeric, base: &Scaled, exponent: i32) -> Result<Numeric> {
    let scale = result_scale(0, &[base.scale]);
    if value.is_zero() || exponent == 0 {
        let result = if exponent == 0 {
            power_big(scale)
        } else {
            BigInt::ZERO
        };
        return Numeric::from_big(result, scale);
    }
    let weight = f64::from(exponent) * log10_magnitude(value);
    // The plain powers are exempt from the estimate.
    if !matches!(exponent, -1..=2) {
        if weight > f64::from(MAX_INTEGER_DIGITS) {
            return Err(overflow());
        }
        if weight + 1.0 < -f64::from(scale) {
            return Numeric::from_big(BigInt::ZERO, scale);
        }
    }
    let weight = weight as i64;
    // Every multiplication may round; the digits that get lost are counted in beforehand.
    let lost = f64::from(exponent).abs().ln().max(0.0) as i64 + 12;
    let digits = (1 + i64::from(scale) + weight).max(1) + lost;
    let product = repeated_product(base, exponent.unsigned_abs(), digits as u64);
    let result = if exponent < 0 {
        product.reciprocal(scale)
    } else {
        product.rounded(scale)
    };
    Numeric::from_big(result, scale)
}

/// log10 of the first 16 digits or so; 0 for zero.
fn log10_magnitude(value: &Numeric) -> f64 {
    let (digits, weight) = value.base_digits();
    if digits.is_empty() {
        return 0.0;
    }
    let used = digits.len().min(4);
    let leading = digits[..used]
        .iter()
        .fold(0.0, |sum, &digit| sum * 10_000.0 + f64::from(digit));
    leading.log10() + f64::from((weight - used as i32 + 1) * 4)
}

/// A decimal floating-point number: `digits * 10^exponent`.
#[derive(Clone)]
struct Float {
    digits: BigInt,
    exponent: i64,
}

fn repeated_product(base: &Scaled, times: u32, digits: u64) -> Float {
    let mut square = Float {
        digits: base.unscaled.clone(),
        exponent: -i64::from(base.scale),
    };
    let mut product = Float {
        digits: BigInt::from(1u8),
        exponent: 0,
    };
    let mut rest = times;
    loop {
        if rest & 1 != 0 {
            product = product.times(&square, digits);
        }
        rest >>= 1;
        if rest == 0 {
            return product;
        }
        square = square.times(&square, digits);
    }
}

impl Float {
    /// The product, rounded to so many significant digits.
    fn times(&self, other: &Float, digits: u64) -> Float {
        let product = &self.digits * &other.digits;
        let exponent = self.exponent + other.exponent;
        match count_digits_big(product.magnitude()).saturating_sub(digits) {
            0 => Float {
                digits: product,
                exponent,
            },
            dropped => Float {
                digits: divide_rounding_big(&product, &power_big(dropped as u32)),
                exponent: exponent + dropped as i64,
            },
        }
    }

    /// To the nearest `10^-scale`.
    fn rounded(&self, scale: u32) -> BigInt {
        let shift = self.exponent + i64::from(scale);
        let places = power_big(shift.unsigned_abs() as u32);
        if shift >= 0 {
            &self.digits * places
        } else {
            divide_rounding_big(&self.digits, &places)
        }
    }

    /// The reciprocal, to the nearest `10^-scale`.
    fn reciprocal(&self, scale: u32) -> BigInt {
        let shift = i64::from(scale) - self.exponent;
        let magnitude = BigInt::from(self.digits.magnitude().clone());
        let places = power_big(shift.unsigned_abs() as u32);
        let result = if shift >= 0 {
            divide_rounding_big(&places, &magnitude)
        } else {
            divide_rounding_big(&BigInt::from(1u8), &(magnitude * places))
        };
        if self.digits.sign() == Sign::Minus {
            -result
        } else {
            result
        }
    }
}
