//! Square roots, exponentials, logarithms and powers, at the scales that `numeric.c` picks for
//! them and rounded to the last digit.

mod exponential;
mod fixed;
mod logarithm;
mod power;
mod square_root;

pub(super) use square_root::root_at_scale;

use num_bigint::BigInt;

use super::decimal::{count_digits_big, divide_rounding_big, power_big};
use super::{MAX_PRECISION, Numeric};

/// `NUMERIC_MAX_RESULT_SCALE`, which bounds exponents too.
const MAX_RESULT_SCALE: f64 = 2.0 * MAX_PRECISION as f64;
/// A number between two operations, without the limits of a numeric: `unscaled / 10^scale`.
#[derive(Clone)]
struct Scaled {
    unscaled: BigInt,
    scale: u32,
}

impl Scaled {
    /// `None` for NaN and the infinities.
    fn of(value: &Numeric) -> Option<Scaled> {
        let (unscaled, scale) = value.to_big().ok()?;
        Some(Scaled { unscaled, scale })
    }

    /// `self * other`, rounded to a scale.
    fn times(&self, other: &Scaled, scale: u32) -> Scaled {
        let product = &self.unscaled * &other.unscaled;
        Scaled {
            unscaled: product,
            scale: self.scale + other.scale,
        }
        .rounded(scale)
    }

    fn rounded(&self, scale: u32) -> Scaled {
        let unscaled = if self.scale > scale {
            divide_rounding_big(&self.unscaled, &power_big(self.scale - scale))
        } else {
            &self.unscaled * power_big(scale - self.scale)
        };
        Scaled { unscaled, scale }
    }

    /// `self / 2^halvings`, with a decimal place more for each.
    fn halved(&self, halvings: u32) -> Scaled {
        let unscaled = &self.unscaled * power_big(halvings);
        Scaled {
            unscaled: divide_rounding_big(&unscaled, &(BigInt::from(1u8) << halvings)),
            scale: self.scale + halvings,
        }
    }

    /// The weight of the first base-10000 digit.
    fn weight(&self) -> i64 {
        let digits = count_digits_big(self.unscaled.magnitude()) as i64;
        (digits - 1 - i64::from(self.scale)).div_euclid(4)
    }

    /// The nearest double; infinite or 0 beyond its range (`numericvar_to_double_no_overflow`).
    fn approximate(&self) -> f64 {
        format!("{}e-{}", self.unscaled, self.scale)
            .parse()
            .unwrap_or(f64::NAN)
    }
}

/// A result scale that keeps 16 significant digits of a number of about this decimal weight and
/// the places of the operands.
fn result_scale(weight: i64, operands: &[u32]) -> u32 {
    let least = operands.iter().copied().max().unwrap_or(0);
    let scale = (i64::from(super::MIN_SIGNIFICANT_DIGITS) - weight).max(i64::from(least));
    scale.clamp(0, i64::from(MAX_PRECISION)) as u32
}
