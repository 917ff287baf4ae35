//! Logarithms in binary fixed point: an integer counts units of 2^-bits.

use num_bigint::{BigInt, BigUint, Sign};

use super::super::decimal::power_big;

/// Bits that hold so many decimal places, with enough more that thousands of truncations stay
/// below the last place.
pub(super) fn bits_for(places: u64) -> u64 {
    // log2(10) is a little less than 3.3220.
    places * 33_220 / 10_000 + 80
}

fn one(bits: u64) -> BigInt {
    BigInt::from(1u8) << bits
}

/// To the nearest `1 / 10^scale`.
pub(super) fn to_decimal(value: &BigInt, bits: u64, scale: u32) -> BigInt {
    (value * power_big(scale) + (BigInt::from(1u8) << (bits - 1))) >> bits
}

/// atanh(1 / n)
fn atanh_of_reciprocal(n: u32, bits: u64) -> BigInt {
    let square = n * n;
    let mut power = one(bits) / n;
    let mut sum = power.clone();
    let mut divisor = 3u32;
    loop {
        power /= square;
        if power.sign() == Sign::NoSign {
            return sum;
        }
        sum += &power / divisor;
        divisor += 2;
    }
}

/// ln 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749)
fn ln_2(bits: u64) -> BigInt {
    atanh_of_reciprocal(26, bits) * 18u8 - atanh_of_reciprocal(4801, bits) * 2u8
        + atanh_of_reciprocal(8749, bits) * 8u8
}

/// ln of the decimal number `unscaled / 10^scale`, which is above zero.
pub(super) fn logarithm(unscaled: &BigUint, scale: u32, bits: u64) -> BigInt {
    // x = 2^n m with m between the roots of 1/2 and 2, and ln m = 2 atanh((m - 1) / (m + 1)).
    let divisor = power_big(scale);
    let mut twos = unscaled.bits() as i64 - divisor.bits() as i64;
    let shift = bits as i64 - twos;
    let unscaled = BigInt::from(unscaled.clone());
    let mut m = if shift >= 0 {
        (unscaled << shift.unsigned_abs()) / divisor
    } else {
        unscaled / (divisor << shift.unsigned_abs())
    };
    let one = one(bits);
    let square = (&m * &m) >> bits;
    if square > &one << 1u8 {
        m >>= 1u8;
        twos += 1;
    } else if &square << 1u8 < one {
        m <<= 1u8;
        twos -= 1;
    }
    let y = ((&m - &one) << bits) / (m + one);
    let square = (&y * &y) >> bits;
    let mut power = y.clone();
    let mut sum = y;
    let mut divisor = 3u32;
    loop {
        // Rounded toward zero, so that negative powers end too.
        power = shift_toward_zero(power * &square, bits);
        if power.sign() == Sign::NoSign {
            break;
        }
        sum += &power / divisor;
        divisor += 2;
    }
    let whole = if twos == 0 {
        BigInt::ZERO
    } else {
        (ln_2(bits + 20) * twos) >> 20u8
    };
    whole + (sum << 1u8)
}

fn shift_toward_zero(value: BigInt, bits: u64) -> BigInt {
    let (sign, magnitude) = value.into_parts();
    BigInt::from_biguint(sign, magnitude >> bits)
}
