//! `ln(numeric)` and `log(base, numeric)`.

use num_bigint::Sign;

use super::super::decimal::divide_rounding_big;
use super::super::{Numeric, division_by_zero};
use super::fixed;
use super::{Scaled, result_scale};
use crate::error::{Error, Result, sqlstate};

impl Numeric {
    /// The natural logarithm, rounded to 16 significant digits or more. 2201E for zero and below.
    pub fn ln(&self) -> Result<Numeric> {
        check_positive(self)?;
        let Some(x) = Scaled::of(self) else {
            return Ok(self.clone());
        };
        let scale = result_scale(estimate_ln_weight(self), &[x.scale]);
        let ln = ln_to_scale(&x, scale);
        Numeric::from_big(ln.unscaled, scale)
    }

    /// `log(base, self)`, rounded to 16 significant digits or more. 2201E for zero and below,
    /// 22012 for base 1.
    pub fn log(&self, base: &Numeric) -> Result<Numeric> {
        if self.is_nan() || base.is_nan() {
            return Ok(Numeric::NAN);
        }
        check_both_positive(base, self)?;
        let (base_ln, ln) = match (Scaled::of(base), Scaled::of(self)) {
            (Some(b), Some(x)) => (b, x),
            (None, None) => return Ok(Numeric::NAN),
            (None, Some(_)) => return Ok(Numeric::ZERO),
            (Some(_), None) => return Ok(Numeric::INFINITY),
        };
        let base_weight = estimate_ln_weight(base);
        let weight = estimate_ln_weight(self) - base_weight;
        let scale = result_scale(weight, &[base_ln.scale, ln.scale]);
        // Eight digits more than the result has, in both logarithms.
        let digits = i64::from(scale) + weight + 8;
        let base_ln = ln_to_scale(&base_ln, (digits - base_weight).max(0) as u32);
        let ln = ln_to_scale(&ln, (digits - base_weight - weight).max(0) as u32);
        if base_ln.unscaled.sign() == Sign::NoSign {
            return Err(division_by_zero());
        }
        let (mut dividend, mut divisor) = (ln.unscaled, base_ln.unscaled);
        let shift = i64::from(scale) + i64::from(base_ln.scale) - i64::from(ln.scale);
        let places = super::power_big(shift.unsigned_abs() as u32);
        if shift >= 0 {
            dividend *= places;
        } else {
            divisor *= places;
        }
        if divisor.sign() == Sign::Minus {
            (dividend, divisor) = (-dividend, -divisor);
        }
        Numeric::from_big(divide_rounding_big(&dividend, &divisor), scale)
    }
}

fn check_positive(value: &Numeric) -> Result<()> {
    if value.is_nan() {
        return Ok(());
    }
    check_both_positive(value, value)
}

/// The order of the checks of `numeric_log`: first for numbers below zero, then for zero.
fn check_both_positive(base: &Numeric, value: &Numeric) -> Result<()> {
    // Base and number are looked at one after the other, but for infinite ones.
    let both_finite = base.is_finite() && value.is_finite();
    let failed = |value: &Numeric| match value.signum() {
        ..0 => Some("cannot take logarithm of a negative number"),
        0 => Some("cannot take logarithm of zero"),
        _ => None,
    };
    let message = if both_finite {
        failed(base).or_else(|| failed(value))
    } else if base.is_negative() || value.is_negative() {
        Some("cannot take logarithm of a negative number")
    } else {
        failed(base).or_else(|| failed(value))
    };
    match message {
        Some(message) => Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_LOG, message)),
        None => Ok(()),
    }
}

/// `ln_var`: the logarithm of a number above zero, rounded to a scale.
pub(super) fn ln_to_scale(x: &Scaled, scale: u32) -> Scaled {
    let bits = fixed::bits_for(u64::from(scale));
    let ln = fixed::logarithm(x.unscaled.magnitude(), x.scale, bits);
    Scaled {
        unscaled: fixed::to_decimal(&ln, bits, scale),
        scale,
    }
}

/// `estimate_ln_dweight`: about the decimal weight of ln(x) for a number above zero.
pub(super) fn estimate_ln_weight(x: &Numeric) -> i64 {
    let (nine_tenths, eleven_tenths) = (Numeric::small(9, 1), Numeric::small(11, 1));
    if *x >= nine_tenths && *x <= eleven_tenths {
        // ln(1 + d) is about d.
        let Ok(distance) = x.sub(&Numeric::ONE) else {
            return 0;
        };
        return match distance.base_digits() {
            (digits, weight) if !digits.is_empty() => {
                i64::from(weight) * 4 + f64::from(digits[0]).log10() as i64
            }
            _ => 0,
        };
    }
    let (digits, weight) = x.base_digits();
    let (mut first, mut weight) = (
        f64::from(digits.first().copied().unwrap_or(1)),
        f64::from(weight * 4),
    );
    if let Some(second) = digits.get(1) {
        first = first * 10_000.0 + f64::from(*second);
        weight -= 4.0;
    }
    (first.ln() + weight * std::f64::consts::LN_10)
        .abs()
        .log10() as i64
}
