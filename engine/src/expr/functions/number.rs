//! Machine numbers: what an operation gives, whether it fails, and how PostgreSQL says so.

use super::super::operand::Native;
use crate::error::{Error, sqlstate};

#[cold]
pub(super) fn division_by_zero() -> Error {
    Error::new(sqlstate::DIVISION_BY_ZERO, "division by zero")
}

#[cold]
pub(in super::super) fn out_of_range(what: &str) -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("{what} out of range"),
    )
}

#[cold]
pub(in super::super) fn float_overflow() -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        "value out of range: overflow",
    )
}

#[cold]
pub(in super::super) fn float_underflow() -> Error {
    Error::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        "value out of range: underflow",
    )
}

/// A machine number and its arithmetic: the result, and whether it is none.
pub(super) trait Number: Native + Copy + Default {
    fn add(a: Self, b: Self) -> (Self, bool);
    fn subtract(a: Self, b: Self) -> (Self, bool);
    fn multiply(a: Self, b: Self) -> (Self, bool);
    fn divide(a: Self, b: Self) -> (Self, bool);
    fn negate(a: Self) -> (Self, bool);
    fn absolute(a: Self) -> (Self, bool);
    /// Why a sum, difference, product or negation is none.
    fn overflow(a: Self, b: Self) -> Error;
    /// Why a quotient is none.
    fn no_quotient(a: Self, b: Self) -> Error;
}

/// Integers add to that their bits.
pub(super) trait Integer: Number {
    fn remainder(a: Self, b: Self) -> (Self, bool);
    fn and(a: Self, b: Self) -> Self;
    fn or(a: Self, b: Self) -> Self;
    fn xor(a: Self, b: Self) -> Self;
    fn not(a: Self) -> Self;
    /// The count is taken modulo the width, as x86 does it for PostgreSQL.
    fn shift_left(a: Self, n: i32) -> Self;
    fn shift_right(a: Self, n: i32) -> Self;
}

macro_rules! integer {
    ($ty:ty, $name:literal, $multiply:expr, $shift:ty) => {
        impl Number for $ty {
            // The overflow of a sum is told by signs alone, which vectorizes.
            #[inline(always)]
            fn add(a: Self, b: Self) -> (Self, bool) {
                let sum = a.wrapping_add(b);
                (sum, ((a ^ sum) & (b ^ sum)) < 0)
            }

            #[inline(always)]
            fn subtract(a: Self, b: Self) -> (Self, bool) {
                let difference = a.wrapping_sub(b);
                (difference, ((a ^ b) & (a ^ difference)) < 0)
            }

            #[inline(always)]
            fn multiply(a: Self, b: Self) -> (Self, bool) {
                $multiply(a, b)
            }

            #[inline(always)]
            fn divide(a: Self, b: Self) -> (Self, bool) {
                if b == 0 {
                    (0, true)
                } else {
                    a.overflowing_div(b)
                }
            }

            #[inline(always)]
            fn negate(a: Self) -> (Self, bool) {
                (a.wrapping_neg(), a == <$ty>::MIN)
            }

            #[inline(always)]
            fn absolute(a: Self) -> (Self, bool) {
                (a.wrapping_abs(), a == <$ty>::MIN)
            }

            #[cold]
            fn overflow(_: Self, _: Self) -> Error {
                out_of_range($name)
            }

            #[cold]
            fn no_quotient(_: Self, b: Self) -> Error {
                if b == 0 {
                    division_by_zero()
                } else {
                    out_of_range($name)
                }
            }
        }

        impl Integer for $ty {
            #[inline(always)]
            fn remainder(a: Self, b: Self) -> (Self, bool) {
                if b == 0 {
                    (0, true)
                } else {
                    (a.wrapping_rem(b), false)
                }
            }

            #[inline(always)]
            fn and(a: Self, b: Self) -> Self {
                a & b
            }

            #[inline(always)]
            fn or(a: Self, b: Self) -> Self {
                a | b
            }

            #[inline(always)]
            fn xor(a: Self, b: Self) -> Self {
                a ^ b
            }

            #[inline(always)]
            fn not(a: Self) -> Self {
                !a
            }

            #[inline(always)]
            fn shift_left(a: Self, n: i32) -> Self {
                <$shift>::from(a).wrapping_shl(n as u32) as $ty
            }

            #[inline(always)]
            fn shift_right(a: Self, n: i32) -> Self {
                <$shift>::from(a).wrapping_shr(n as u32) as $ty
            }
        }
    };
}

integer!(
    i16,
    "smallint",
    |a, b| {
        let product = i32::from(a) * i32::from(b);
        (product as i16, product != i32::from(product as i16))
    },
    i32
);
integer!(
    i32,
    "integer",
    |a, b| {
        let product = i64::from(a) * i64::from(b);
        (product as i32, product != i64::from(product as i32))
    },
    i32
);
integer!(i64, "bigint", multiply_wide, i64);

/// Most products have two short factors; wasm has no multiplication wider than 64 bits.
#[inline(always)]
fn multiply_wide(a: i64, b: i64) -> (i64, bool) {
    if a == i64::from(a as i32) && b == i64::from(b as i32) {
        (a * b, false)
    } else {
        multiply_long(a, b)
    }
}

#[inline(never)]
fn multiply_long(a: i64, b: i64) -> (i64, bool) {
    let product = a.wrapping_mul(b);
    let overflows = a != 0 && (product.wrapping_div(a) != b || (a == -1 && b == i64::MIN));
    (product, overflows)
}

macro_rules! float {
    ($ty:ty) => {
        impl Number for $ty {
            #[inline(always)]
            fn add(a: Self, b: Self) -> (Self, bool) {
                let sum = a + b;
                (sum, sum.is_infinite() & a.is_finite() & b.is_finite())
            }

            #[inline(always)]
            fn subtract(a: Self, b: Self) -> (Self, bool) {
                let difference = a - b;
                (
                    difference,
                    difference.is_infinite() & a.is_finite() & b.is_finite(),
                )
            }

            #[inline(always)]
            fn multiply(a: Self, b: Self) -> (Self, bool) {
                let product = a * b;
                let overflow = product.is_infinite() & a.is_finite() & b.is_finite();
                (
                    product,
                    overflow | ((product == 0.0) & (a != 0.0) & (b != 0.0)),
                )
            }

            #[inline(always)]
            fn divide(a: Self, b: Self) -> (Self, bool) {
                let quotient = a / b;
                let overflow = quotient.is_infinite() & a.is_finite();
                let underflow = (quotient == 0.0) & (a != 0.0) & b.is_finite();
                (quotient, ((b == 0.0) & !a.is_nan()) | overflow | underflow)
            }

            #[inline(always)]
            fn negate(a: Self) -> (Self, bool) {
                (-a, false)
            }

            #[inline(always)]
            fn absolute(a: Self) -> (Self, bool) {
                (a.abs(), false)
            }

            #[cold]
            fn overflow(a: Self, b: Self) -> Error {
                if a * b == 0.0 {
                    float_underflow()
                } else {
                    float_overflow()
                }
            }

            #[cold]
            fn no_quotient(a: Self, b: Self) -> Error {
                if b == 0.0 {
                    division_by_zero()
                } else if (a / b).is_infinite() {
                    float_overflow()
                } else {
                    float_underflow()
                }
            }
        }
    };
}

float!(f32);
float!(f64);
