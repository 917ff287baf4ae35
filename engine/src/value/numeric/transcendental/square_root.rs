//! `sqrt(numeric)`.

use num_bigint::BigInt;

use super::super::decimal::power_big;
use super::super::division::leading_group;
use super::super::{Numeric, Special, View};
use super::{Scaled, result_scale};
use crate::error::{Error, Result, sqlstate};

impl Numeric {
    /// The square root, rounded to 16 significant digits or more. 2201F for numbers below zero.
    pub fn sqrt(&self) -> Result<Numeric> {
        if self.is_negative() {
            return Err(Error::new(
                sqlstate::INVALID_ARGUMENT_FOR_POWER,
                "cannot take square root of a negative number",
            ));
        }
        // At least this many digits stand before the point.
        let weight = i64::from(leading_group(self).0) * 2 + 1;
        match self.view() {
            View::Special(Special::NaN) => Ok(Numeric::NAN),
            View::Special(_) => Ok(Numeric::INFINITY),
            View::Small(_, scale) | View::Big(_, scale) => {
                root_at_scale(self, result_scale(weight, &[u32::from(scale)]))
            }
        }
    }
}

/// `sqrt_var`: the root of a number that is not negative, rounded half up to a scale.
pub(in super::super) fn root_at_scale(value: &Numeric, scale: u32) -> Result<Numeric> {
    let Some(Scaled {
        unscaled,
        scale: own,
    }) = Scaled::of(value)
    else {
        return Ok(value.clone());
    };
    // sqrt(u / 10^own) * 10^scale = sqrt(u * 10^(2 scale - own)). Where that cuts digits off the
    // radicand, its integer part decides as the exact value would.
    let shift = 2 * i64::from(scale) - i64::from(own);
    let places = power_big(shift.unsigned_abs() as u32);
    let radicand = if shift >= 0 {
        unscaled * places
    } else {
        unscaled / places
    };
    let radicand = radicand.into_parts().1;
    let root = radicand.sqrt();
    // The root lies above root + 1/2 exactly when more than root is left of the radicand.
    let rest = radicand - &root * &root;
    let rounded = if rest > root { root + 1u8 } else { root };
    Numeric::from_big(BigInt::from(rounded), scale)
}
