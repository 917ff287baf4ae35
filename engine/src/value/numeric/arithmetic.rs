//! Addition, subtraction, multiplication and signs. Scales follow `numeric_add` and `numeric_mul`.

use num_bigint::BigInt;

use super::decimal::{divide_rounding_big, multiply, power_big, scale_up};
use super::{MAX_SCALE, Numeric, Special, View, overflow};
use crate::error::Result;

impl Numeric {
    /// `self + other`, at the larger of the two scales. 22003 where the sum overflows the format.
    #[inline]
    pub fn add(&self, other: &Numeric) -> Result<Numeric> {
        if let (View::Small(a, a_scale), View::Small(b, b_scale)) = (self.view(), other.view())
            && let Some((a, b, scale)) = align(a, a_scale, b, b_scale)
            && let Some(sum) = a.checked_add(b)
        {
            return Ok(Numeric::small(sum, scale));
        }
        self.add_long(other, false)
    }

    /// `self - other`, at the larger of the two scales. 22003 where the difference overflows the format.
    #[inline]
    pub fn sub(&self, other: &Numeric) -> Result<Numeric> {
        if let (View::Small(a, a_scale), View::Small(b, b_scale)) = (self.view(), other.view())
            && let Some((a, b, scale)) = align(a, a_scale, b, b_scale)
            && let Some(difference) = a.checked_sub(b)
        {
            return Ok(Numeric::small(difference, scale));
        }
        self.add_long(other, true)
    }

    #[cold]
    fn add_long(&self, other: &Numeric, negate: bool) -> Result<Numeric> {
        let (a, b) = (self.to_big(), other.to_big());
        let flip = |special: Special| if negate { special.negated() } else { special };
        let ((a, a_scale), (b, b_scale)) = match (a, b) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(a), Ok(_)) => return Ok(Numeric::special(a)),
            (Ok(_), Err(b)) => return Ok(Numeric::special(flip(b))),
            (Err(a), Err(b)) if a == flip(b) => return Ok(Numeric::special(a)),
            (Err(_), Err(_)) => return Ok(Numeric::NAN),
        };
        let scale = a_scale.max(b_scale);
        let a = rescale_up(a, scale - a_scale);
        let b = rescale_up(b, scale - b_scale);
        Numeric::from_big(if negate { a - b } else { a + b }, scale)
    }

    /// `self * other`, at the sum of the scales, rounded where that is above 16383.
    /// 22003 where the product overflows the format.
    #[inline]
    pub fn mul(&self, other: &Numeric) -> Result<Numeric> {
        if let (View::Small(a, a_scale), View::Small(b, b_scale)) = (self.view(), other.view())
            && a_scale + b_scale <= MAX_SCALE
            && let Some(product) = multiply(a, b)
        {
            return Ok(Numeric::small(product, a_scale + b_scale));
        }
        self.mul_long(other)
    }

    #[cold]
    fn mul_long(&self, other: &Numeric) -> Result<Numeric> {
        let ((a, a_scale), (b, b_scale)) = match (self.to_big(), other.to_big()) {
            (Ok(a), Ok(b)) => (a, b),
            _ => {
                // NaN counts as sign 0, so that a NaN factor and 0 * Infinity both come out as NaN.
                return Ok(Numeric::special(Special::infinity(
                    self.signum() * other.signum(),
                )));
            }
        };
        let product = a * b;
        let scale = a_scale + b_scale;
        if scale <= u32::from(MAX_SCALE) {
            return Numeric::from_big(product, scale);
        }
        let dropped = power_big(scale - u32::from(MAX_SCALE));
        Numeric::from_big(
            divide_rounding_big(&product, &dropped),
            u32::from(MAX_SCALE),
        )
    }

    /// `-self`. NaN stays NaN.
    pub fn neg(&self) -> Numeric {
        match self.view() {
            View::Small(unscaled, scale) => match unscaled.checked_neg() {
                Some(negated) => Numeric::small(negated, scale),
                None => Numeric::raw_big(-BigInt::from(unscaled), scale),
            },
            View::Big(unscaled, scale) => Numeric::raw_big(-unscaled, scale),
            View::Special(special) => Numeric::special(special.negated()),
        }
    }

    /// `abs(self)`.
    pub fn abs(&self) -> Numeric {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// `sign(self)`: -1, 0, 1 or NaN.
    pub fn sign(&self) -> Numeric {
        if self.is_nan() {
            Numeric::NAN
        } else {
            Numeric::small(i128::from(self.signum()), 0)
        }
    }

    /// The same magnitude with another sign is within the limits, but may change its form.
    fn raw_big(unscaled: BigInt, scale: u16) -> Numeric {
        match i128::try_from(&unscaled) {
            Ok(small) => Numeric::small(small, scale),
            Err(_) => Numeric(super::Repr::Big(Box::new(super::Big { unscaled, scale }))),
        }
    }

    /// A value with the same number and at least this many decimal places; 22003 beyond the limit.
    pub fn with_scale_at_least(&self, scale: u16) -> Result<Numeric> {
        let (unscaled, own) = match self.view() {
            View::Small(unscaled, own) if own < scale => {
                if scale > MAX_SCALE {
                    return Err(overflow());
                }
                match scale_up(unscaled, u32::from(scale - own)) {
                    Some(unscaled) => return Ok(Numeric::small(unscaled, scale)),
                    None => (BigInt::from(unscaled), own),
                }
            }
            View::Big(unscaled, own) if own < scale => (unscaled.clone(), own),
            _ => return Ok(self.clone()),
        };
        Numeric::from_big(
            rescale_up(unscaled, u32::from(scale - own)),
            u32::from(scale),
        )
    }
}

/// Both integers at the larger scale, where that fits.
#[inline]
fn align(a: i128, a_scale: u16, b: i128, b_scale: u16) -> Option<(i128, i128, u16)> {
    if a_scale == b_scale {
        Some((a, b, a_scale))
    } else if a_scale < b_scale {
        Some((scale_up(a, u32::from(b_scale - a_scale))?, b, b_scale))
    } else {
        Some((a, scale_up(b, u32::from(a_scale - b_scale))?, a_scale))
    }
}

pub(super) fn rescale_up(value: BigInt, places: u32) -> BigInt {
    if places == 0 {
        value
    } else {
        value * power_big(places)
    }
}
