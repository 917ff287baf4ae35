//! Order, equality and hashing: by number, never by scale (`1.0 = 1.00`); NaN equals itself and
//! is greatest, as `cmp_numerics` says.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use num_bigint::BigInt;

use super::arithmetic::rescale_up;
use super::decimal::{divide, scale_up};
use super::{Numeric, Special, View};

impl PartialEq for Numeric {
    #[inline]
    fn eq(&self, other: &Numeric) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Numeric {}

impl PartialOrd for Numeric {
    #[inline]
    fn partial_cmp(&self, other: &Numeric) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Numeric {
    #[inline]
    fn cmp(&self, other: &Numeric) -> Ordering {
        if let (View::Small(a, a_scale), View::Small(b, b_scale)) = (self.view(), other.view()) {
            return compare_small(a, a_scale, b, b_scale);
        }
        self.compare_long(other)
    }
}

#[inline]
fn compare_small(a: i128, a_scale: u16, b: i128, b_scale: u16) -> Ordering {
    match a_scale.cmp(&b_scale) {
        Ordering::Equal => a.cmp(&b),
        // A number that no longer fits after scaling up is farther from zero than any that does.
        Ordering::Less => match scale_up(a, u32::from(b_scale - a_scale)) {
            Some(a) => a.cmp(&b),
            None => a.cmp(&0),
        },
        Ordering::Greater => match scale_up(b, u32::from(a_scale - b_scale)) {
            Some(b) => a.cmp(&b),
            None => 0.cmp(&b),
        },
    }
}

impl Numeric {
    #[cold]
    fn compare_long(&self, other: &Numeric) -> Ordering {
        match (self.to_big(), other.to_big()) {
            (Ok((a, a_scale)), Ok((b, b_scale))) => {
                let scale = a_scale.max(b_scale);
                rescale_up(a, scale - a_scale).cmp(&rescale_up(b, scale - b_scale))
            }
            _ => self.special_rank().cmp(&other.special_rank()),
        }
    }

    /// Where a value stands among the special ones: -Infinity, numbers, Infinity, NaN.
    fn special_rank(&self) -> u8 {
        match self.view() {
            View::Special(Special::NegInf) => 0,
            View::Small(..) | View::Big(..) => 1,
            View::Special(Special::PosInf) => 2,
            View::Special(Special::NaN) => 3,
        }
    }

    /// The integer and the scale without trailing zeros after the point: the same for equal values.
    fn normalized(&self) -> Result<(BigInt, u16), Special> {
        let (mut unscaled, scale) = self.to_big()?;
        let mut scale = scale as u16;
        let ten = BigInt::from(10u8);
        let zero = BigInt::from(0u8);
        while scale > 0 {
            let shorter = &unscaled / &ten;
            if &unscaled - &shorter * &ten != zero {
                break;
            }
            unscaled = shorter;
            scale -= 1;
        }
        Ok((unscaled, scale))
    }
}

impl Hash for Numeric {
    /// Equal values hash alike: trailing zeros after the point are left out.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.view() {
            View::Small(unscaled, scale) => {
                let (unscaled, scale) = strip_zeros(unscaled, scale);
                hash_small(unscaled, scale, state);
            }
            View::Big(..) => hash_long(self, state),
            View::Special(special) => {
                state.write_u64(special as u64);
                state.write_u16(u16::MAX);
            }
        }
    }
}

/// The low half carries the difference in almost every pair of values; the high half is added
/// only where it is not the low half's sign.
#[inline]
fn hash_small<H: Hasher>(unscaled: i128, scale: u16, state: &mut H) {
    state.write_u64(unscaled as u64);
    if i128::from(unscaled as i64) != unscaled {
        state.write_u64((unscaled >> 64) as u64);
    }
    state.write_u16(scale);
}

#[cold]
fn hash_long<H: Hasher>(value: &Numeric, state: &mut H) {
    if let Ok((unscaled, scale)) = value.normalized() {
        match i128::try_from(&unscaled) {
            Ok(small) => hash_small(small, scale, state),
            Err(_) => {
                state.write_u8(u8::from(value.is_negative()));
                for word in unscaled.magnitude().iter_u64_digits() {
                    state.write_u64(word);
                }
                state.write_u16(scale);
            }
        }
    }
}

#[inline]
fn strip_zeros(mut unscaled: i128, mut scale: u16) -> (i128, u16) {
    if unscaled == 0 {
        return (0, 0);
    }
    while scale > 0 {
        // An odd number does not end in a zero; the test spares most divisions.
        if unscaled & 1 != 0 {
            break;
        }
        let (shorter, digit) = divide(unscaled, 10);
        if digit != 0 {
            break;
        }
        unscaled = shorter;
        scale -= 1;
    }
    (unscaled, scale)
}
