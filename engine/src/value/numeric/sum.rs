//! Running sums of numerics and bigints: 128 bits while they last.

use num_bigint::BigInt;

use super::arithmetic::rescale_up;
use super::decimal::{multiply, scale_up};
use super::{Big, Numeric, Special, View};
use crate::error::Result;

/// What `sum` and `avg` of `numeric` and `bigint` keep for a group (`NumericSumAccum`).
///
/// The result's scale is the largest of the inputs, whatever their order.
#[derive(Clone, Debug, Default)]
pub struct NumericSum {
    /// In units of 10^-scale.
    total: i128,
    /// What no longer fitted 128 bits; added to the total at the end.
    spilled: Option<Box<Big>>,
    count: u64,
    scale: u16,
    nan: bool,
    pos_inf: bool,
    neg_inf: bool,
}

impl NumericSum {
    pub fn new() -> NumericSum {
        NumericSum::default()
    }

    /// Values added so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    #[inline]
    pub fn add(&mut self, value: &Numeric) {
        self.count += 1;
        if let View::Small(unscaled, scale) = value.view() {
            self.add_scaled(unscaled, scale);
        } else {
            self.add_long(value);
        }
    }

    #[inline]
    pub fn add_i64(&mut self, value: i64) {
        self.count += 1;
        self.add_scaled(i128::from(value), 0);
    }

    /// Adds the square of a value.
    pub(super) fn add_square(&mut self, value: &Numeric) {
        self.count += 1;
        match value.view() {
            View::Small(unscaled, scale) => match multiply(unscaled, unscaled) {
                Some(square) => self.add_scaled(square, 2 * scale),
                None => self.add_big(BigInt::from(unscaled).pow(2), 2 * scale),
            },
            View::Big(unscaled, scale) => self.add_big(unscaled.pow(2), 2 * scale),
            View::Special(_) => self.nan = true,
        }
    }

    /// Adds another group's sum, as if its values had come here.
    pub fn merge(&mut self, other: &NumericSum) {
        self.count += other.count;
        self.add_scaled(other.total, other.scale);
        if let Some(spilled) = &other.spilled {
            self.spill(spilled.unscaled.clone(), spilled.scale);
        }
        self.nan |= other.nan;
        self.pos_inf |= other.pos_inf;
        self.neg_inf |= other.neg_inf;
    }

    #[inline]
    fn add_scaled(&mut self, unscaled: i128, scale: u16) {
        if scale == self.scale
            && let Some(total) = self.total.checked_add(unscaled)
        {
            self.total = total;
        } else {
            self.add_rescaled(unscaled, scale);
        }
    }

    fn add_rescaled(&mut self, unscaled: i128, scale: u16) {
        if scale > self.scale {
            match scale_up(self.total, u32::from(scale - self.scale)) {
                Some(total) => self.total = total,
                None => self.spill_total(),
            }
            self.scale = scale;
        }
        match scale_up(unscaled, u32::from(self.scale - scale)) {
            Some(unscaled) => match self.total.checked_add(unscaled) {
                Some(total) => self.total = total,
                None => {
                    self.spill_total();
                    self.total = unscaled;
                }
            },
            None => self.spill(BigInt::from(unscaled), scale),
        }
    }

    #[cold]
    fn add_long(&mut self, value: &Numeric) {
        match value.view() {
            View::Small(unscaled, scale) => self.add_scaled(unscaled, scale),
            View::Big(unscaled, scale) => self.add_big(unscaled.clone(), scale),
            View::Special(Special::NaN) => self.nan = true,
            View::Special(Special::PosInf) => self.pos_inf = true,
            View::Special(Special::NegInf) => self.neg_inf = true,
        }
    }

    fn add_big(&mut self, unscaled: BigInt, scale: u16) {
        // A zero at this scale makes the result show as many places.
        self.add_scaled(0, scale);
        self.spill(unscaled, scale);
    }

    #[cold]
    fn spill_total(&mut self) {
        let total = std::mem::take(&mut self.total);
        self.spill(BigInt::from(total), self.scale);
    }

    #[cold]
    fn spill(&mut self, unscaled: BigInt, scale: u16) {
        let Some(spilled) = &mut self.spilled else {
            self.spilled = Some(Box::new(Big { unscaled, scale }));
            return;
        };
        if spilled.scale < scale {
            let short = std::mem::take(&mut spilled.unscaled);
            spilled.unscaled = rescale_up(short, u32::from(scale - spilled.scale));
            spilled.scale = scale;
        }
        spilled.unscaled += rescale_up(unscaled, u32::from(spilled.scale - scale));
    }

    /// `sum(x)`; `None` (SQL's NULL) of no values. 22003 where the sum overflows the format.
    pub fn sum(&self) -> Result<Option<Numeric>> {
        if self.count == 0 {
            return Ok(None);
        }
        if self.nan || (self.pos_inf && self.neg_inf) {
            return Ok(Some(Numeric::NAN));
        }
        if self.pos_inf {
            return Ok(Some(Numeric::INFINITY));
        }
        if self.neg_inf {
            return Ok(Some(Numeric::NEG_INFINITY));
        }
        if self.spilled.is_none() {
            return Ok(Some(Numeric::small(self.total, self.scale)));
        }
        let (total, scale) = self.finite_total();
        Numeric::from_big(total, scale).map(Some)
    }

    /// The sum in units of 10^-scale, and the scale; `None` after NaN or an infinity.
    pub(super) fn total(&self) -> Option<(BigInt, u32)> {
        if self.nan || self.pos_inf || self.neg_inf {
            None
        } else {
            Some(self.finite_total())
        }
    }

    fn finite_total(&self) -> (BigInt, u32) {
        let total = BigInt::from(self.total);
        let Some(spilled) = &self.spilled else {
            return (total, u32::from(self.scale));
        };
        let scale = self.scale.max(spilled.scale);
        let total = rescale_up(total, u32::from(scale - self.scale))
            + rescale_up(spilled.unscaled.clone(), u32::from(scale - spilled.scale));
        (total, u32::from(scale))
    }

    /// `avg(x)`; `None` (SQL's NULL) of no values. 22003 where the sum overflows the format.
    pub fn avg(&self) -> Result<Option<Numeric>> {
        match self.sum()? {
            Some(sum) => sum.div(&Numeric::from(self.count)).map(Some),
            None => Ok(None),
        }
    }

    /// Bytes held outside the value itself, for memory accounting.
    pub fn heap_bytes(&self) -> u64 {
        self.spilled
            .as_ref()
            .map_or(0, |spilled| 24 + spilled.unscaled.bits().div_ceil(8))
    }
}
