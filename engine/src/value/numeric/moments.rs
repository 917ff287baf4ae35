//! Sums and sums of squares, for variances and standard deviations.

use num_bigint::BigInt;

use super::decimal::power_big;
use super::division::select_div_scale;
use super::transcendental::root_at_scale;
use super::{Numeric, NumericSum};
use crate::error::Result;

/// What `variance` and `stddev` of numbers keep for a group (`NumericAggState` with `calcSumX2`).
#[derive(Clone, Debug, Default)]
pub struct NumericMoments {
    sum: NumericSum,
    squares: NumericSum,
}

/// Whether the values are all there are or a sample of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Population {
    /// `var_samp`, `stddev_samp`: divided by n - 1.
    Sample,
    /// `var_pop`, `stddev_pop`: divided by n.
    Whole,
}

impl NumericMoments {
    pub fn new() -> NumericMoments {
        NumericMoments::default()
    }

    pub fn add(&mut self, value: &Numeric) {
        self.sum.add(value);
        self.squares.add_square(value);
    }

    pub fn add_i64(&mut self, value: i64) {
        self.add(&Numeric::from(value));
    }

    /// Adds another group's moments, as if its values had come here.
    pub fn merge(&mut self, other: &NumericMoments) {
        self.sum.merge(&other.sum);
        self.squares.merge(&other.squares);
    }

    /// The variance; `None` (SQL's NULL) of no values and of a sample of one.
    pub fn variance(&self, population: Population) -> Result<Option<Numeric>> {
        match self.variance_and_scale(population)? {
            Some((variance, _)) => Ok(Some(variance)),
            None => Ok(None),
        }
    }

    /// The standard deviation; `None` (SQL's NULL) of no values and of a sample of one.
    pub fn standard_deviation(&self, population: Population) -> Result<Option<Numeric>> {
        match self.variance_and_scale(population)? {
            Some((variance, Some(scale))) => root_at_scale(&variance, scale).map(Some),
            Some((variance, None)) => Ok(Some(variance)),
            None => Ok(None),
        }
    }

    /// `numeric_stddev_internal`: (n Σx² - (Σx)²) / (n (n - 1)), and the scale of the division
    /// where there was one.
    fn variance_and_scale(&self, population: Population) -> Result<Option<(Numeric, Option<u32>)>> {
        let n = self.sum.count();
        let divisor = match population {
            Population::Sample if n <= 1 => return Ok(None),
            Population::Whole if n == 0 => return Ok(None),
            Population::Sample => i128::from(n) * i128::from(n - 1),
            Population::Whole => i128::from(n) * i128::from(n),
        };
        let Some((sum, scale)) = self.sum.total() else {
            return Ok(Some((Numeric::NAN, None)));
        };
        let Some((squares, squares_scale)) = self.squares.total() else {
            return Ok(Some((Numeric::NAN, None)));
        };
        let places = power_big((2 * scale).saturating_sub(squares_scale));
        let numerator = squares * BigInt::from(n) * places - &sum * &sum;
        if numerator.sign() != num_bigint::Sign::Plus {
            return Ok(Some((Numeric::ZERO, None)));
        }
        let numerator = Numeric::from_big(numerator, 2 * scale)?;
        let divisor = Numeric::small(divisor, 0);
        let scale = select_div_scale(&numerator, &divisor);
        Ok(Some((
            numerator.div_to_scale(&divisor, scale)?,
            Some(scale),
        )))
    }

    /// Bytes held outside the value itself, for memory accounting.
    pub fn heap_bytes(&self) -> u64 {
        self.sum.heap_bytes() + self.squares.heap_bytes()
    }
}
