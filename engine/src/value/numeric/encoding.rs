//! PostgreSQL's own bytes for a numeric (`NumericChoice` in `numeric.c`), without the varlena
//! length word: a two- or four-byte header with sign, display scale and weight, then base-10000
//! digits of two bytes each, little-endian, without leading or trailing zero digits.
//!
//! | header | bits |
//! | --- | --- |
//! | short | `10` sign(1) scale(6) weight(7, signed) |
//! | long | sign(2, `00` or `01`) scale(14), then weight(16, signed) |
//! | special | `1100` NaN, `1101` Infinity, `1111` -Infinity |

use num_bigint::{BigInt, BigUint, Sign};

use super::decimal::{power, power_64, power_big, scale_up};
use super::{MAX_SCALE, Numeric, Special, View};
use crate::error::{Error, Result, sqlstate};

const SIGN_NEGATIVE: u16 = 0x4000;
const SHORT: u16 = 0x8000;
const SHORT_NEGATIVE: u16 = 0x2000;
const SHORT_MAX_SCALE: u16 = 63;
const SPECIAL: u16 = 0xC000;
const POS_INF: u16 = 0xD000;
const NEG_INF: u16 = 0xF000;
const BASE: u64 = 10_000;
/// 39 decimal digits, padded to whole base-10000 digits on both sides.
const MAX_SMALL_GROUPS: usize = 11;

impl Numeric {
    /// Appends the stored form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self.view() {
            View::Small(unscaled, scale) => {
                let mut groups = [0u16; MAX_SMALL_GROUPS];
                let start = fill_groups(unscaled.unsigned_abs(), scale, &mut groups);
                write(&groups[start..], unscaled < 0, scale, out);
            }
            View::Big(unscaled, scale) => {
                write(
                    &groups_of_big(unscaled.magnitude(), scale),
                    self.is_negative(),
                    scale,
                    out,
                );
            }
            View::Special(special) => out.extend_from_slice(
                &match special {
                    Special::NaN => SPECIAL,
                    Special::PosInf => POS_INF,
                    Special::NegInf => NEG_INF,
                }
                .to_le_bytes(),
            ),
        }
    }

    /// The base-10000 digits, most significant first, and the weight of the first one; no digits
    /// for zero and what is not finite.
    pub(super) fn base_digits(&self) -> (Vec<u16>, i32) {
        let (groups, lowest) = match self.view() {
            View::Small(unscaled, scale) => {
                let mut groups = [0u16; MAX_SMALL_GROUPS];
                let start = fill_groups(unscaled.unsigned_abs(), scale, &mut groups);
                (groups[start..].to_vec(), lowest_weight(scale))
            }
            View::Big(unscaled, scale) => (
                groups_of_big(unscaled.magnitude(), scale),
                lowest_weight(scale),
            ),
            View::Special(_) => return (Vec::new(), 0),
        };
        let (groups, weight) = trim(&groups, lowest);
        (groups.to_vec(), weight)
    }

    /// Reads the stored form; XX001 on bytes that no numeric is stored as.
    pub fn decode(bytes: &[u8]) -> Result<Numeric> {
        let header = word(bytes, 0).ok_or_else(corrupted)?;
        let (negative, scale, weight, digits) = match header & SPECIAL {
            SPECIAL => {
                return match header {
                    SPECIAL => Ok(Numeric::NAN),
                    POS_INF => Ok(Numeric::INFINITY),
                    NEG_INF => Ok(Numeric::NEG_INFINITY),
                    _ => Err(corrupted()),
                };
            }
            SHORT => {
                // Seven bits of weight, sign-extended.
                let weight = i32::from(((header << 9) as i16) >> 9);
                (
                    header & SHORT_NEGATIVE != 0,
                    (header >> 7) & SHORT_MAX_SCALE,
                    weight,
                    &bytes[2..],
                )
            }
            sign => {
                let weight = i32::from(word(bytes, 2).ok_or_else(corrupted)? as i16);
                (
                    sign == SIGN_NEGATIVE,
                    header & MAX_SCALE,
                    weight,
                    &bytes[4..],
                )
            }
        };
        let (groups, []) = digits.as_chunks::<2>() else {
            return Err(corrupted());
        };
        if groups.is_empty() {
            return Ok(Numeric::small(0, scale));
        }
        // The last digit counts units of 10^(4 * (weight - n + 1)); `shift` brings it to 10^-scale.
        let shift = (i64::from(weight) - groups.len() as i64 + 1) * 4 + i64::from(scale);
        if groups.len() <= 9
            && let Some(magnitude) = small_magnitude(groups, shift)
        {
            return Ok(Numeric::small(
                if negative { -magnitude } else { magnitude },
                scale,
            ));
        }
        decode_big(groups, shift, negative, scale)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

#[cold]
fn corrupted() -> Error {
    Error::new(sqlstate::DATA_CORRUPTED, "invalid stored numeric value")
}

/// The integer of at most nine base-10000 digits, shifted by a power of ten; `None` where it does
/// not fit or digits beyond the scale are not zero.
#[inline]
fn small_magnitude(groups: &[[u8; 2]], shift: i64) -> Option<i128> {
    let digit = |group: &[u8; 2]| u64::from(u16::from_le_bytes(*group));
    let magnitude = if let [first @ .., _] = groups
        && first.len() < 4
    {
        i128::from(
            groups
                .iter()
                .fold(0u64, |value, group| value * BASE + digit(group)),
        )
    } else {
        groups.iter().fold(0i128, |value, group| {
            value * i128::from(BASE) + i128::from(digit(group))
        })
    };
    if shift >= 0 {
        return scale_up(magnitude, u32::try_from(shift).ok()?);
    }
    let divisor = u32::try_from(shift.unsigned_abs()).ok()?;
    if let (Ok(short), Some(divisor)) = (u64::try_from(magnitude), power_64(divisor)) {
        return (short % divisor == 0).then(|| i128::from(short / divisor));
    }
    let divisor = power(divisor)?;
    (magnitude % divisor == 0).then(|| magnitude / divisor)
}

#[cold]
fn decode_big(groups: &[[u8; 2]], shift: i64, negative: bool, scale: u16) -> Result<Numeric> {
    let mut decimals = Vec::with_capacity(groups.len() * 4);
    for group in groups {
        let digit = u16::from_le_bytes(*group);
        if u64::from(digit) >= BASE {
            return Err(corrupted());
        }
        decimals
            .extend([digit / 1000, digit / 100 % 10, digit / 10 % 10, digit % 10].map(|d| d as u8));
    }
    let magnitude = BigUint::from_radix_be(&decimals, 10).ok_or_else(corrupted)?;
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    let value = BigInt::from_biguint(sign, magnitude);
    let shifted = if shift >= 0 {
        value * power_big(u32::try_from(shift).map_err(|_| corrupted())?)
    } else {
        let divisor = power_big(u32::try_from(shift.unsigned_abs()).map_err(|_| corrupted())?);
        let quotient = &value / &divisor;
        if &quotient * divisor != value {
            return Err(corrupted());
        }
        quotient
    };
    Numeric::from_big(shifted, u32::from(scale))
}

/// Writes the base-10000 digits, aligned at the point, to the end of the array; answers the start.
fn fill_groups(magnitude: u128, scale: u16, groups: &mut [u16; MAX_SMALL_GROUPS]) -> usize {
    let mut at = groups.len();
    let padding = u32::from(scale.next_multiple_of(4) - scale);
    let mut rest = magnitude;
    if padding > 0 {
        // The last digit is cut off before the padding, so that the product cannot overflow.
        let unit = 10u128.pow(4 - padding);
        let (high, low) = split(magnitude, unit);
        at -= 1;
        groups[at] = low as u16 * 10u16.pow(padding);
        rest = high;
    }
    while rest > u128::from(u64::MAX) {
        let (high, mut low) = split(rest, 10_000_000_000_000_000);
        for _ in 0..4 {
            at -= 1;
            groups[at] = (low % BASE) as u16;
            low /= BASE;
        }
        rest = high;
    }
    let mut rest = rest as u64;
    while rest != 0 {
        at -= 1;
        groups[at] = (rest % BASE) as u16;
        rest /= BASE;
    }
    at
}

/// Quotient and remainder, in 64 bits where the dividend fits; the divisor fits always.
#[inline]
fn split(dividend: u128, divisor: u128) -> (u128, u64) {
    match u64::try_from(dividend) {
        Ok(short) => (u128::from(short / divisor as u64), short % divisor as u64),
        Err(_) => (dividend / divisor, (dividend % divisor) as u64),
    }
}

/// The base-10000 digits, aligned at the point.
fn groups_of_big(magnitude: &BigUint, scale: u16) -> Vec<u16> {
    let padding = scale.next_multiple_of(4) - scale;
    let mut decimals = (magnitude * 10u32.pow(u32::from(padding))).to_radix_le(10);
    decimals.resize(decimals.len().next_multiple_of(4), 0);
    let (groups, _) = decimals.as_chunks::<4>();
    groups
        .iter()
        .rev()
        .map(|group| {
            group
                .iter()
                .rev()
                .fold(0, |value, &digit| value * 10 + u16::from(digit))
        })
        .collect()
}

/// The weight of the last of the digits that are aligned at the point.
fn lowest_weight(scale: u16) -> i32 {
    -i32::from(scale.div_ceil(4))
}

/// Without zero digits at either end, and the weight of the first; zero has no digits and weight 0.
fn trim(groups: &[u16], lowest: i32) -> (&[u16], i32) {
    let zeros = groups.iter().rev().take_while(|&&digit| digit == 0).count();
    let groups = &groups[..groups.len() - zeros];
    let leading = groups.iter().take_while(|&&digit| digit == 0).count();
    let weight = lowest + (zeros + groups.len() - leading) as i32 - 1;
    if leading == groups.len() {
        (&[], 0)
    } else {
        (&groups[leading..], weight)
    }
}

fn write(groups: &[u16], negative: bool, scale: u16, out: &mut Vec<u8>) {
    let (groups, weight) = trim(groups, lowest_weight(scale));
    // The limits of the type keep a weight within 16 bits.
    let weight = weight as i16;
    if scale <= SHORT_MAX_SCALE && (-64..=63).contains(&weight) {
        let sign = if negative { SHORT_NEGATIVE } else { 0 };
        let header = SHORT | sign | (scale << 7) | (weight as u16 & 0x7F);
        out.extend_from_slice(&header.to_le_bytes());
    } else {
        let sign = if negative { SIGN_NEGATIVE } else { 0 };
        out.extend_from_slice(&(sign | scale).to_le_bytes());
        out.extend_from_slice(&weight.to_le_bytes());
    }
    for digit in groups {
        out.extend_from_slice(&digit.to_le_bytes());
    }
}
