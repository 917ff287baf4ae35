//! `exp(numeric)`.

use std::f64::consts::{LOG10_2, LOG10_E};

use num_bigint::{BigInt, Sign};

use super::super::decimal::{divide_rounding_big, power_big};
use super::super::{Numeric, Special, View, overflow};
use super::{MAX_RESULT_SCALE, Scaled, result_scale};
use crate::error::Result;

impl Numeric {
    /// e to this power, rounded to 16 significant digits or more. 22003 from exp(6000) on.
    pub fn exp(&self) -> Result<Numeric> {
        let x = match self.view() {
            View::Special(Special::NegInf) => return Ok(Numeric::ZERO),
            View::Special(_) => return Ok(self.clone()),
            View::Small(unscaled, scale) => Scaled {
                unscaled: BigInt::from(unscaled),
                scale: scale.into(),
            },
            View::Big(unscaled, scale) => Scaled {
                unscaled: unscaled.clone(),
                scale: scale.into(),
            },
        };
        let weight = (x.approximate() * LOG10_E).clamp(-MAX_RESULT_SCALE, MAX_RESULT_SCALE);
        exp_to_scale(&x, result_scale(weight as i64, &[x.scale]))
    }
}

/// `exp_var`: rounded to a scale. 22003 where the result is sure to overflow.
///
/// Unlike a logarithm, a power can come out exactly between two places, and then the answer is
/// decided by the terms that are left out. So the steps and their scales are PostgreSQL's:
/// 1. halve the argument until it is below 0.01,
/// 2. sum the Taylor series with eight digits more than the result needs,
/// 3. square the sum as often as the argument was halved.
pub(super) fn exp_to_scale(x: &Scaled, scale: u32) -> Result<Numeric> {
    let approximate = x.approximate();
    if approximate.abs() >= MAX_RESULT_SCALE * 3.0 {
        if approximate > 0.0 {
            return Err(overflow());
        }
        return Numeric::from_big(BigInt::ZERO, scale);
    }
    let mut halvings = 0;
    let mut rest = approximate.abs();
    while rest > 0.01 {
        halvings += 1;
        rest /= 2.0;
    }
    let x = x.halved(halvings);
    let result_digits = 1 + (approximate * LOG10_E) as i64 + i64::from(scale);
    let digits = (result_digits + (f64::from(halvings) * LOG10_2) as i64).max(0) + 8;
    let mut sum = exp_of_small(&x, digits as u32 - 1);
    for _ in 0..halvings {
        sum = sum.times(&sum, (digits - sum.weight() * 8).max(0) as u32);
    }
    Numeric::from_big(sum.rounded(scale).unscaled, scale)
}

/// 1 + x + x^2/2! + x^3/3! + …, with the terms rounded to a scale.
fn exp_of_small(x: &Scaled, scale: u32) -> Scaled {
    let scale_of_sum = scale.max(x.scale);
    let padding = power_big(scale_of_sum - scale);
    let mut sum = power_big(scale_of_sum) + x.rounded(scale_of_sum).unscaled;
    let mut term = x.times(x, scale);
    let mut i = 2u32;
    loop {
        term.unscaled = divide_rounding_big(&term.unscaled, &BigInt::from(i));
        if term.unscaled.sign() == Sign::NoSign {
            return Scaled {
                unscaled: sum,
                scale: scale_of_sum,
            };
        }
        sum += &term.unscaled * &padding;
        term = term.times(x, scale);
        i += 1;
    }
}
