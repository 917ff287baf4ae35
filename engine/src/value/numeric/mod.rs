//! PostgreSQL's exact `numeric` (`numeric.c`).
//!
//! A finite value is an integer and the number of its decimal places (the display scale):
//! `1.50` is 150 at scale 2. Integers that fit 128 bits live inline, so the usual sums of prices
//! and quantities allocate nothing; longer ones are boxed big integers. NaN and the infinities
//! are states of their own. The representation is private: everything else sees text, machine
//! numbers or the on-disk bytes.

mod arithmetic;
mod compare;
mod convert;
mod decimal;
mod display;
mod division;
mod encoding;
mod moments;
mod parse;
mod rounding;
mod sum;
mod transcendental;

#[cfg(test)]
mod tests;

use num_bigint::BigInt;

use crate::error::{Error, Result, sqlstate};

pub use moments::{NumericMoments, Population};
pub use sum::NumericSum;

/// `NUMERIC_DSCALE_MAX`: the most decimal places a value can have.
pub const MAX_SCALE: u16 = 16_383;
/// The most decimal digits before the decimal point (`NUMERIC_WEIGHT_MAX` in base 10000).
pub const MAX_INTEGER_DIGITS: u32 = 131_072;
/// `NUMERIC_MAX_PRECISION`: the largest declared precision and the largest scale a division picks.
pub const MAX_PRECISION: i32 = 1000;
/// `NUMERIC_MIN_SIG_DIGITS`: significant digits that a quotient or a root keeps at the least.
const MIN_SIGNIFICANT_DIGITS: i32 = 16;

/// An exact decimal number, NaN, or an infinity.
#[derive(Clone)]
pub struct Numeric(Repr);

/// The integer is held as two halves, because an `i128` field would align the value to 16 bytes
/// and make it a third longer. A value is `Small` exactly when its integer fits an `i128`.
#[derive(Clone)]
enum Repr {
    Small { low: u64, high: i64, scale: u16 },
    Big(Box<Big>),
    Special(Special),
}

#[derive(Clone, Debug)]
struct Big {
    unscaled: BigInt,
    scale: u16,
}

/// What is not a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    NegInf,
    PosInf,
    NaN,
}

impl Special {
    fn negated(self) -> Special {
        match self {
            Special::NegInf => Special::PosInf,
            Special::PosInf => Special::NegInf,
            Special::NaN => Special::NaN,
        }
    }

    /// -1 or 1 for the infinities, 0 for NaN.
    fn signum(self) -> i32 {
        match self {
            Special::NegInf => -1,
            Special::PosInf => 1,
            Special::NaN => 0,
        }
    }

    /// The infinity with this sign; NaN where the sign is 0.
    fn infinity(signum: i32) -> Special {
        match signum {
            1.. => Special::PosInf,
            0 => Special::NaN,
            _ => Special::NegInf,
        }
    }
}

/// A value as the operations see it.
enum View<'a> {
    Small(i128, u16),
    Big(&'a BigInt, u16),
    Special(Special),
}

impl Numeric {
    pub const ZERO: Numeric = Numeric::small(0, 0);
    pub const ONE: Numeric = Numeric::small(1, 0);
    pub const NAN: Numeric = Numeric(Repr::Special(Special::NaN));
    pub const INFINITY: Numeric = Numeric(Repr::Special(Special::PosInf));
    pub const NEG_INFINITY: Numeric = Numeric(Repr::Special(Special::NegInf));

    /// `unscaled / 10^scale`; the scale must be within [`MAX_SCALE`], which every caller keeps.
    #[inline]
    const fn small(unscaled: i128, scale: u16) -> Numeric {
        Numeric(Repr::Small {
            low: unscaled as u64,
            high: (unscaled >> 64) as i64,
            scale,
        })
    }

    /// An amount with two decimal places.
    pub fn from_cents(cents: i64) -> Numeric {
        Numeric::small(cents as i128, 2)
    }

    /// `unscaled / 10^scale`, or 22003 beyond [`MAX_SCALE`].
    pub fn from_scaled(unscaled: i128, scale: u32) -> Result<Numeric> {
        match u16::try_from(scale) {
            Ok(scale) if scale <= MAX_SCALE => Ok(Numeric::small(unscaled, scale)),
            _ => Err(overflow()),
        }
    }

    /// `make_result`: checks PostgreSQL's limits and takes the inline form where the integer fits.
    fn from_big(unscaled: BigInt, scale: u32) -> Result<Numeric> {
        if scale > u32::from(MAX_SCALE) {
            return Err(overflow());
        }
        if let Ok(small) = i128::try_from(&unscaled) {
            return Ok(Numeric::small(small, scale as u16));
        }
        // 10^131072 has 435,412 bits; only numbers about that long need their digits counted.
        if unscaled.bits() > 435_411
            && decimal::count_digits_big(unscaled.magnitude())
                > u64::from(MAX_INTEGER_DIGITS + scale)
        {
            return Err(overflow());
        }
        Ok(Numeric(Repr::Big(Box::new(Big {
            unscaled,
            scale: scale as u16,
        }))))
    }

    #[inline]
    const fn special(special: Special) -> Numeric {
        Numeric(Repr::Special(special))
    }

    #[inline]
    fn view(&self) -> View<'_> {
        match &self.0 {
            Repr::Small { low, high, scale } => {
                View::Small((i128::from(*high) << 64) | i128::from(*low), *scale)
            }
            Repr::Big(big) => View::Big(&big.unscaled, big.scale),
            Repr::Special(special) => View::Special(*special),
        }
    }

    /// The integer and the scale of a finite value as a big integer, for the paths where speed
    /// no longer counts.
    fn to_big(&self) -> Result<(BigInt, u32), Special> {
        match self.view() {
            View::Small(unscaled, scale) => Ok((BigInt::from(unscaled), u32::from(scale))),
            View::Big(unscaled, scale) => Ok((unscaled.clone(), u32::from(scale))),
            View::Special(special) => Err(special),
        }
    }

    /// Decimal places shown; `None` for NaN and the infinities, as `scale(numeric)`.
    pub fn scale(&self) -> Option<u16> {
        match self.view() {
            View::Small(_, scale) | View::Big(_, scale) => Some(scale),
            View::Special(_) => None,
        }
    }

    pub fn is_nan(&self) -> bool {
        matches!(self.0, Repr::Special(Special::NaN))
    }

    pub fn is_infinite(&self) -> bool {
        matches!(self.0, Repr::Special(Special::PosInf | Special::NegInf))
    }

    pub fn is_finite(&self) -> bool {
        !matches!(self.0, Repr::Special(_))
    }

    pub fn is_zero(&self) -> bool {
        matches!(
            self.0,
            Repr::Small {
                low: 0,
                high: 0,
                ..
            }
        )
    }

    /// True for numbers below zero and -Infinity; false for NaN.
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// -1, 0 or 1; 0 for NaN too.
    pub fn signum(&self) -> i32 {
        match self.view() {
            View::Small(unscaled, _) => unscaled.signum() as i32,
            View::Big(unscaled, _) => match unscaled.sign() {
                num_bigint::Sign::Minus => -1,
                num_bigint::Sign::NoSign => 0,
                num_bigint::Sign::Plus => 1,
            },
            View::Special(special) => special.signum(),
        }
    }

    /// Bytes held outside the value itself, for memory accounting.
    pub fn heap_bytes(&self) -> u64 {
        match &self.0 {
            Repr::Big(big) => 24 + big.unscaled.bits().div_ceil(8),
            Repr::Small { .. } | Repr::Special(_) => 0,
        }
    }
}

/// 22003, `make_result`'s answer to a result that the format cannot hold.
#[cold]
fn overflow() -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        "value overflows numeric format",
    )
}

#[cold]
fn division_by_zero() -> Error {
    Error::new(sqlstate::DIVISION_BY_ZERO, "division by zero")
}
