//! Powers of ten, digit counts and decimal rounding of the integers below a numeric.

use num_bigint::{BigInt, BigUint, Sign};

/// 10^0 to 10^38, the powers that an `i128` can hold.
static POWERS: [i128; 39] = {
    let mut powers = [1i128; 39];
    let mut n = 1;
    while n < 39 {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

/// 10^0 to 10^19, the powers that a `u64` can hold.
static POWERS_64: [u64; 20] = {
    let mut powers = [1u64; 20];
    let mut n = 1;
    while n < 20 {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

/// 10^n, where it fits an `i128`.
#[inline]
pub(super) fn power(n: u32) -> Option<i128> {
    POWERS.get(n as usize).copied()
}

/// 10^n, where it fits a `u64`.
#[inline]
pub(super) fn power_64(n: u32) -> Option<u64> {
    POWERS_64.get(n as usize).copied()
}

pub(super) fn power_big(n: u32) -> BigInt {
    match power(n) {
        Some(power) => BigInt::from(power),
        None => BigInt::from(5u8).pow(n) << n,
    }
}

/// `a * b` where it fits. Most products fit 64 bits, and wasm has no wider multiplication, so the
/// lengths of the factors decide first.
#[inline]
pub(super) fn multiply(a: i128, b: i128) -> Option<i128> {
    let (a64, b64) = (a as i64, b as i64);
    if i128::from(a64) == a && i128::from(b64) == b {
        let room = a64.unsigned_abs().leading_zeros() + b64.unsigned_abs().leading_zeros();
        return Some(if room > 64 {
            i128::from(a64 * b64)
        } else {
            i128::from(a64) * i128::from(b64)
        });
    }
    a.checked_mul(b)
}

/// `value * 10^n` where it fits.
#[inline]
pub(super) fn scale_up(value: i128, n: u32) -> Option<i128> {
    if n == 0 || value == 0 {
        return Some(value);
    }
    multiply(value, power(n)?)
}

/// Decimal digits of a magnitude; 0 has none.
pub(super) fn count_digits(magnitude: u128) -> u32 {
    match u64::try_from(magnitude) {
        Ok(short) => short.checked_ilog10().map_or(0, |log| log + 1),
        Err(_) => magnitude.ilog10() + 1,
    }
}

/// Decimal digits of a magnitude; 0 has none.
pub(super) fn count_digits_big(magnitude: &BigUint) -> u64 {
    let bits = magnitude.bits();
    if bits == 0 {
        return 0;
    }
    // floor(log10(2) * 2^32): the estimate is right or one too low.
    let least = (((bits - 1) * 1_292_913_986) >> 32) + 1;
    if *magnitude >= BigUint::from(5u8).pow(least as u32) << least {
        least + 1
    } else {
        least
    }
}

/// `numerator / denominator`, rounded half away from zero; the denominator is above zero.
pub(super) fn divide_rounding(numerator: i128, denominator: i128) -> i128 {
    let (quotient, remainder) = divide(numerator, denominator);
    let rest = remainder.unsigned_abs();
    // rest * 2 >= denominator, written so that it cannot overflow.
    if rest >= denominator.unsigned_abs() - rest {
        quotient + numerator.signum()
    } else {
        quotient
    }
}

/// Quotient and remainder, truncated toward zero; in 64 bits where both fit, because a 128-bit
/// division is a library call.
#[inline]
pub(super) fn divide(numerator: i128, denominator: i128) -> (i128, i128) {
    let (n64, d64) = (numerator as i64, denominator as i64);
    if i128::from(n64) == numerator && i128::from(d64) == denominator && d64 != -1 {
        return (i128::from(n64 / d64), i128::from(n64 % d64));
    }
    divide_long(numerator, denominator)
}

/// A divisor of 32 bits divides by machine division of 64 bits, half a word at a time.
fn divide_long(numerator: i128, denominator: i128) -> (i128, i128) {
    let Ok(divisor) = u32::try_from(denominator) else {
        let quotient = numerator / denominator;
        return (quotient, numerator - quotient * denominator);
    };
    let (magnitude, divisor) = (numerator.unsigned_abs(), u64::from(divisor));
    let (mut quotient, mut rest) = (0u128, 0u64);
    for half in [96, 64, 32, 0] {
        let part = (rest << 32) | u64::from((magnitude >> half) as u32);
        quotient = (quotient << 32) | u128::from(part / divisor);
        rest = part % divisor;
    }
    // Only the magnitude of i128::MIN is beyond i128, and divided by 1 it wraps to itself.
    let (quotient, rest) = (quotient as i128, i128::from(rest));
    if numerator < 0 {
        (quotient.wrapping_neg(), -rest)
    } else {
        (quotient, rest)
    }
}

/// `numerator / denominator`, rounded half away from zero; the denominator is above zero.
pub(super) fn divide_rounding_big(numerator: &BigInt, denominator: &BigInt) -> BigInt {
    let doubled = (numerator.magnitude() << 1u8) + denominator.magnitude();
    let quotient = doubled / (denominator.magnitude() << 1u8);
    let sign = match numerator.sign() {
        Sign::Minus => Sign::Minus,
        Sign::NoSign | Sign::Plus => Sign::Plus,
    };
    BigInt::from_biguint(sign, quotient)
}
