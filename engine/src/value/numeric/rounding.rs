//! Rounding to a scale, and a column's declared precision and scale.

use num_bigint::BigInt;

use super::arithmetic::rescale_up;
use super::decimal::{
    count_digits, count_digits_big, divide, divide_rounding, divide_rounding_big, power, power_big,
    scale_up,
};
use super::{MAX_PRECISION, Numeric, View};
use crate::error::{Error, Result, sqlstate};

/// `NUMERIC_MAX_RESULT_SCALE`: `round` and `trunc` take no scale beyond it.
const MAX_RESULT_SCALE: i32 = MAX_PRECISION * 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// To the nearest, halves away from zero.
    Nearest,
    /// Toward zero.
    Truncate,
    /// Toward -Infinity.
    Floor,
    /// Toward Infinity.
    Ceil,
}

impl Numeric {
    /// `round(self, scale)`: halves away from zero; a negative scale rounds before the point.
    pub fn round(&self, scale: i32) -> Result<Numeric> {
        self.rescaled(
            scale.clamp(-MAX_RESULT_SCALE, MAX_RESULT_SCALE),
            Mode::Nearest,
        )
    }

    /// `trunc(self, scale)`: toward zero; a negative scale cuts before the point.
    pub fn trunc(&self, scale: i32) -> Result<Numeric> {
        self.rescaled(
            scale.clamp(-MAX_RESULT_SCALE, MAX_RESULT_SCALE),
            Mode::Truncate,
        )
    }

    pub fn ceil(&self) -> Result<Numeric> {
        self.rescaled(0, Mode::Ceil)
    }

    pub fn floor(&self) -> Result<Numeric> {
        self.rescaled(0, Mode::Floor)
    }

    /// `round_var`: exactly `scale` decimal places (none, where it is negative).
    fn rescaled(&self, scale: i32, mode: Mode) -> Result<Numeric> {
        let shown = scale.max(0) as u32;
        let own = match self.view() {
            View::Small(_, own) | View::Big(_, own) => i32::from(own),
            View::Special(_) => return Ok(self.clone()),
        };
        if scale >= own {
            return self.with_scale_at_least(shown as u16);
        }
        let dropped = (own - scale) as u32;
        // What comes out of the division counts units of 10^-scale.
        let restored = (shown as i32 - scale) as u32;
        if let View::Small(unscaled, _) = self.view() {
            let kept = match power(dropped) {
                Some(divisor) => round_small(unscaled, divisor, mode),
                // Beyond 10^38 nothing is left but the direction.
                None => round_small(unscaled.signum(), 10, mode),
            };
            if let Some(unscaled) = scale_up(kept, restored) {
                return Ok(Numeric::small(unscaled, shown as u16));
            }
        }
        let (unscaled, _) = match self.to_big() {
            Ok(parts) => parts,
            Err(_) => return Ok(self.clone()),
        };
        let kept = round_big(&unscaled, &power_big(dropped), mode);
        Numeric::from_big(rescale_up(kept, restored), shown)
    }

    /// Fits the value to `numeric(precision, scale)`: rounds to the scale, then 22003
    /// `numeric field overflow` with PostgreSQL's detail where too many digits are left.
    pub fn apply_typmod(&self, precision: i32, scale: i32) -> Result<Numeric> {
        if !self.is_finite() {
            if self.is_nan() {
                return Ok(self.clone());
            }
            return Err(field_overflow(format!(
                "A field with precision {precision}, scale {scale} cannot hold an infinite value."
            )));
        }
        let rounded = self.rescaled(scale, Mode::Nearest)?;
        let digits = match rounded.view() {
            View::Small(unscaled, own) => {
                i64::from(count_digits(unscaled.unsigned_abs())) - i64::from(own)
            }
            View::Big(unscaled, own) => {
                count_digits_big(unscaled.magnitude()) as i64 - i64::from(own)
            }
            View::Special(_) => return Ok(rounded),
        };
        let allowed = precision - scale;
        if !rounded.is_zero() && digits > i64::from(allowed) {
            let bound = if allowed == 0 {
                "1".to_string()
            } else {
                format!("10^{allowed}")
            };
            return Err(field_overflow(format!(
                "A field with precision {precision}, scale {scale} must round to an absolute value less than {bound}."
            )));
        }
        Ok(rounded)
    }
}

#[cold]
fn field_overflow(detail: String) -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        "numeric field overflow",
    )
    .with_detail(detail)
}

fn round_small(unscaled: i128, divisor: i128, mode: Mode) -> i128 {
    match mode {
        Mode::Nearest => divide_rounding(unscaled, divisor),
        Mode::Truncate => divide(unscaled, divisor).0,
        Mode::Floor => unscaled.div_euclid(divisor),
        Mode::Ceil => {
            let (quotient, rest) = divide(unscaled, divisor);
            if rest > 0 { quotient + 1 } else { quotient }
        }
    }
}

fn round_big(unscaled: &BigInt, divisor: &BigInt, mode: Mode) -> BigInt {
    if mode == Mode::Nearest {
        return divide_rounding_big(unscaled, divisor);
    }
    let quotient = unscaled / divisor;
    let rest = unscaled - &quotient * divisor;
    match (mode, rest.sign()) {
        (Mode::Floor, num_bigint::Sign::Minus) => quotient - 1,
        (Mode::Ceil, num_bigint::Sign::Plus) => quotient + 1,
        _ => quotient,
    }
}
