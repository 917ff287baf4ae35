//! Quotients and remainders. A quotient's scale is `select_div_scale`'s, which PostgreSQL users
//! see in every `avg`.

use num_bigint::BigInt;

use super::arithmetic::rescale_up;
use super::decimal::{
    count_digits, count_digits_big, divide, divide_rounding, divide_rounding_big, power, power_big,
    scale_up,
};
use super::{MAX_PRECISION, MIN_SIGNIFICANT_DIGITS, Numeric, Special, View, division_by_zero};
use crate::error::Result;

impl Numeric {
    /// `self / other`, rounded half away from zero at PostgreSQL's scale: 16 significant digits or
    /// more. 22012 on a zero divisor.
    pub fn div(&self, other: &Numeric) -> Result<Numeric> {
        let scale = match self.division_scale(other)? {
            Division::Scale(scale) => scale,
            Division::Known(known) => return Ok(known),
        };
        self.div_to_scale(other, scale)
    }

    /// The quotient of two numbers, rounded half away from zero at a scale.
    pub(super) fn div_to_scale(&self, other: &Numeric, scale: u32) -> Result<Numeric> {
        if let (View::Small(a, a_scale), View::Small(b, b_scale)) = (self.view(), other.view())
            && b != 0
            && let Some(shift) = (scale + u32::from(b_scale)).checked_sub(u32::from(a_scale))
            && let Some(numerator) = scale_up(a, shift)
            && numerator != i128::MIN
            && let Some(divisor) = b.checked_abs()
        {
            let numerator = if b < 0 { -numerator } else { numerator };
            return Numeric::from_scaled(divide_rounding(numerator, divisor), scale);
        }
        self.div_long(other, scale)
    }

    #[cold]
    fn div_long(&self, other: &Numeric, scale: u32) -> Result<Numeric> {
        let ((a, a_scale), (b, b_scale)) = match (self.to_big(), other.to_big()) {
            (Ok(a), Ok(b)) => (a, b),
            _ => return Ok(Numeric::NAN),
        };
        if other.is_zero() {
            return Err(division_by_zero());
        }
        let shift = i64::from(scale) + i64::from(b_scale) - i64::from(a_scale);
        let (a, b) = if shift >= 0 {
            (rescale_up(a, shift as u32), b)
        } else {
            (a, rescale_up(b, shift.unsigned_abs() as u32))
        };
        let (a, b) = if other.is_negative() {
            (-a, -b)
        } else {
            (a, b)
        };
        Numeric::from_big(divide_rounding_big(&a, &b), scale)
    }

    /// `div(self, other)`: the quotient truncated to an integer. 22012 on a zero divisor.
    pub fn div_trunc(&self, other: &Numeric) -> Result<Numeric> {
        if let Division::Known(known) = self.division_scale(other)? {
            return Ok(known);
        }
        let (quotient, _, _) = self.divide_whole(other);
        Numeric::from_big(quotient, 0)
    }

    /// `self % other`, with the sign of `self` and the larger of the two scales. 22012 on a zero divisor.
    pub fn modulo(&self, other: &Numeric) -> Result<Numeric> {
        if let (View::Small(a, a_scale), View::Small(b, b_scale)) = (self.view(), other.view())
            && b != 0
        {
            let scale = a_scale.max(b_scale);
            if let (Some(a), Some(b)) = (
                scale_up(a, u32::from(scale - a_scale)),
                scale_up(b, u32::from(scale - b_scale)),
            ) {
                // i128::MIN % -1 is the one remainder that a machine cannot form; it is 0.
                let rest = if b == -1 { 0 } else { divide(a, b).1 };
                return Ok(Numeric::small(rest, scale));
            }
        }
        match (self.view(), other.view()) {
            (View::Special(Special::NaN), _) | (_, View::Special(Special::NaN)) => Ok(Numeric::NAN),
            (View::Special(_), _) if other.is_zero() => Err(division_by_zero()),
            (View::Special(_), _) => Ok(Numeric::NAN),
            (_, View::Special(_)) => Ok(self.clone()),
            _ if other.is_zero() => Err(division_by_zero()),
            _ => {
                let (_, rest, scale) = self.divide_whole(other);
                Numeric::from_big(rest, scale)
            }
        }
    }

    /// Whole quotient, remainder and the remainder's scale of two numbers, the second not zero.
    fn divide_whole(&self, other: &Numeric) -> (BigInt, BigInt, u32) {
        match (self.to_big(), other.to_big()) {
            (Ok((a, a_scale)), Ok((b, b_scale))) => {
                let scale = a_scale.max(b_scale);
                let a = rescale_up(a, scale - a_scale);
                let b = rescale_up(b, scale - b_scale);
                let quotient = &a / &b;
                let rest = a - &quotient * b;
                (quotient, rest, scale)
            }
            _ => (BigInt::ZERO, BigInt::ZERO, 0),
        }
    }

    /// What a division gives without dividing, or the scale to divide to.
    fn division_scale(&self, other: &Numeric) -> Result<Division> {
        let special = match (self.view(), other.view()) {
            (View::Special(Special::NaN), _) | (_, View::Special(Special::NaN)) => Numeric::NAN,
            (View::Special(_), View::Special(_)) => Numeric::NAN,
            (View::Special(_), _) if other.is_zero() => return Err(division_by_zero()),
            (View::Special(_), _) => {
                Numeric::special(Special::infinity(self.signum() * other.signum()))
            }
            (_, View::Special(_)) => Numeric::ZERO,
            _ if other.is_zero() => return Err(division_by_zero()),
            _ => return Ok(Division::Scale(select_div_scale(self, other))),
        };
        Ok(Division::Known(special))
    }
}

enum Division {
    Known(Numeric),
    Scale(u32),
}

/// `select_div_scale`: enough decimal places for 16 significant digits, estimated from the first
/// base-10000 digits, and no fewer than either operand has.
pub(super) fn select_div_scale(dividend: &Numeric, divisor: &Numeric) -> u32 {
    let (weight1, first1) = leading_group(dividend);
    let (weight2, first2) = leading_group(divisor);
    // Equal first digits decide nothing; PostgreSQL assumes that the dividend is the smaller.
    let weight = weight1 - weight2 - i32::from(first1 <= first2);
    let own = |value: &Numeric| value.scale().map_or(0, i32::from);
    let scale = (MIN_SIGNIFICANT_DIGITS - weight * 4)
        .max(own(dividend))
        .max(own(divisor));
    scale.clamp(0, MAX_PRECISION) as u32
}

/// The weight (power of 10000) and the value of the first base-10000 digit that is not zero;
/// (0, 0) for zero.
pub(super) fn leading_group(value: &Numeric) -> (i32, u32) {
    match value.view() {
        View::Small(0, _) | View::Special(_) => (0, 0),
        View::Small(unscaled, scale) => {
            let magnitude = unscaled.unsigned_abs();
            let (weight, shift) = group_position(i64::from(count_digits(magnitude)), scale);
            let first = match u32::try_from(shift) {
                Ok(shift) => match (u64::try_from(magnitude), power(shift)) {
                    (Ok(short), Some(power)) if power <= i128::from(u64::MAX) => {
                        short / power as u64
                    }
                    (_, Some(power)) => (magnitude / power.unsigned_abs()) as u64,
                    (_, None) => 0,
                },
                // Fewer digits than the group has: at most three zeros to add.
                Err(_) => magnitude as u64 * 10u64.pow(shift.unsigned_abs() as u32),
            };
            (weight, first as u32)
        }
        View::Big(unscaled, scale) => {
            let (weight, shift) =
                group_position(count_digits_big(unscaled.magnitude()) as i64, scale);
            // A big integer has at least 39 digits, so the shift is above zero.
            let first = BigInt::from(unscaled.magnitude().clone()) / power_big(shift.max(0) as u32);
            (weight, u32::try_from(&first).unwrap_or(0))
        }
    }
}

/// Where the first base-10000 digit of a number of `digits` decimal digits stands: its weight, and
/// the power of ten that divides the integer down to it.
fn group_position(digits: i64, scale: u16) -> (i32, i64) {
    let weight = (digits - 1 - i64::from(scale)).div_euclid(4);
    (weight as i32, weight * 4 + i64::from(scale))
}
