//! `+ - * / %`, bits and shifts of integers; `+ - * /` of floats, with PostgreSQL's errors
//! (`int.c`, `int8.c`, `float.c`).

use super::super::Stop;
use super::super::call::Kernel;
use super::super::node::{Halt, Operand};
use super::super::operand::{Native, each_row, grow};
use crate::error::{Error, sqlstate};
use crate::value::{Column, Rows};

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

/// `out[row] = f(a[row], b[row])`. What `f` says of failure is gathered without a branch; only if
/// some row failed is the first one looked for, NULLs left out.
#[inline(always)]
fn checked<T: Number>(
    args: &[Operand<'_>],
    rows: Rows<'_>,
    out: &mut Column,
    f: impl Fn(T, T) -> (T, bool) + Copy,
    error: fn(T, T) -> Error,
) -> Halt {
    let (a, b) = (args[0], args[1]);
    let results = T::vector(&mut out.data);
    grow(results, rows.end());
    let failed = match (a, b) {
        (Operand::Column(a), Operand::Scalar(b)) => {
            let (a, b) = (T::slice(&a.data), *T::scalar(b));
            one(rows, a, results, |a| f(a, b))
        }
        (Operand::Scalar(a), Operand::Column(b)) => {
            let (a, b) = (*T::scalar(a), T::slice(&b.data));
            one(rows, b, results, |b| f(a, b))
        }
        (Operand::Column(a), Operand::Column(b)) => {
            two(rows, T::slice(&a.data), T::slice(&b.data), results, f)
        }
        (Operand::Scalar(_), Operand::Scalar(_)) => mixed(a, b, rows, results, f),
    };
    if failed {
        first_failure(a, b, rows, out, f, error)
    } else {
        None
    }
}

/// As [`checked`], one loop for columns and constants alike: for what does not vectorize anyway.
#[inline(always)]
fn checked_slowly<T: Number>(
    args: &[Operand<'_>],
    rows: Rows<'_>,
    out: &mut Column,
    f: impl Fn(T, T) -> (T, bool) + Copy,
    error: fn(T, T) -> Error,
) -> Halt {
    let results = T::vector(&mut out.data);
    grow(results, rows.end());
    if mixed(args[0], args[1], rows, results, f) {
        return first_failure(args[0], args[1], rows, out, f, error);
    }
    None
}

#[inline(always)]
fn one<T: Copy>(rows: Rows<'_>, a: &[T], out: &mut [T], f: impl Fn(T) -> (T, bool)) -> bool {
    let mut failed = false;
    match rows {
        Rows::Range(from, to) => {
            for (out, &a) in out[from..to].iter_mut().zip(&a[from..to]) {
                let (result, fails) = f(a);
                *out = result;
                failed |= fails;
            }
        }
        Rows::Picked(rows) => {
            for &row in rows {
                let (result, fails) = f(a[row as usize]);
                out[row as usize] = result;
                failed |= fails;
            }
        }
    }
    failed
}

#[inline(always)]
fn two<T: Copy>(
    rows: Rows<'_>,
    a: &[T],
    b: &[T],
    out: &mut [T],
    f: impl Fn(T, T) -> (T, bool),
) -> bool {
    let mut failed = false;
    match rows {
        Rows::Range(from, to) => {
            for ((out, &a), &b) in out[from..to].iter_mut().zip(&a[from..to]).zip(&b[from..to]) {
                let (result, fails) = f(a, b);
                *out = result;
                failed |= fails;
            }
        }
        Rows::Picked(rows) => {
            for &row in rows {
                let (result, fails) = f(a[row as usize], b[row as usize]);
                out[row as usize] = result;
                failed |= fails;
            }
        }
    }
    failed
}

#[inline(always)]
fn mixed<T: Number>(
    a: Operand<'_>,
    b: Operand<'_>,
    rows: Rows<'_>,
    out: &mut [T],
    f: impl Fn(T, T) -> (T, bool),
) -> bool {
    let (a, b) = (a.source::<T>(), b.source::<T>());
    let mut failed = false;
    each_row(rows, |row| {
        let (result, fails) = f(*a.at(row), *b.at(row));
        out[row] = result;
        failed |= fails;
    });
    failed
}

#[cold]
#[inline(never)]
fn first_failure<T: Number>(
    a: Operand<'_>,
    b: Operand<'_>,
    rows: Rows<'_>,
    out: &Column,
    f: impl Fn(T, T) -> (T, bool),
    error: fn(T, T) -> Error,
) -> Halt {
    let (a, b) = (a.source::<T>(), b.source::<T>());
    let row = rows
        .iter()
        .find(|&row| !out.is_null(row) && f(*a.at(row), *b.at(row)).1)?;
    Some(Box::new(Stop::error(row, error(*a.at(row), *b.at(row)))))
}

fn add<T: Number>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    checked::<T>(args, rows, out, T::add, T::overflow)
}

fn subtract<T: Number>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    checked::<T>(args, rows, out, T::subtract, T::overflow)
}

fn multiply<T: Number>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    checked::<T>(args, rows, out, T::multiply, T::overflow)
}

fn divide<T: Number>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    checked_slowly::<T>(args, rows, out, T::divide, T::no_quotient)
}

fn remainder<T: Integer>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    checked_slowly::<T>(args, rows, out, T::remainder, T::no_quotient)
}

fn and<T: Integer>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    checked_slowly::<T>(args, rows, out, |a, b| (T::and(a, b), false), T::overflow)
}

fn or<T: Integer>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    checked_slowly::<T>(args, rows, out, |a, b| (T::or(a, b), false), T::overflow)
}

fn xor<T: Integer>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    checked_slowly::<T>(args, rows, out, |a, b| (T::xor(a, b), false), T::overflow)
}

#[inline(always)]
fn shift<T: Integer>(
    args: &[Operand<'_>],
    rows: Rows<'_>,
    out: &mut Column,
    f: impl Fn(T, i32) -> T,
) -> Halt {
    let (a, n) = (args[0].source::<T>(), args[1].source::<i32>());
    let results = T::vector(&mut out.data);
    grow(results, rows.end());
    each_row(rows, |row| results[row] = f(*a.at(row), *n.at(row)));
    None
}

fn shift_left<T: Integer>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    shift::<T>(args, rows, out, T::shift_left)
}

fn shift_right<T: Integer>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    shift::<T>(args, rows, out, T::shift_right)
}

/// A function of one number, seen as one of a number and itself.
#[inline(always)]
fn unary<T: Number>(
    args: &[Operand<'_>],
    rows: Rows<'_>,
    out: &mut Column,
    f: impl Fn(T) -> (T, bool) + Copy,
) -> Halt {
    checked_slowly::<T>(&[args[0], args[0]], rows, out, |a, _| f(a), T::overflow)
}

fn negate<T: Number>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    unary::<T>(args, rows, out, T::negate)
}

fn not<T: Integer>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    unary::<T>(args, rows, out, |a| (T::not(a), false))
}

fn absolute<T: Number>(args: &[Operand<'_>], rows: Rows<'_>, out: &mut Column) -> Halt {
    unary::<T>(args, rows, out, T::absolute)
}

/// The kernel of an integer operation by the part of its name that says which: `pl`, `mul`.
pub(super) fn integer_kernel<T: Integer>(operation: &str) -> Option<Kernel> {
    Some(Kernel::Batch(match operation {
        "pl" => add::<T>,
        "mi" => subtract::<T>,
        "mul" => multiply::<T>,
        "div" => divide::<T>,
        "mod" => remainder::<T>,
        "and" => and::<T>,
        "or" => or::<T>,
        "xor" => xor::<T>,
        "not" => not::<T>,
        "shl" => shift_left::<T>,
        "shr" => shift_right::<T>,
        "um" => negate::<T>,
        "abs" => absolute::<T>,
        _ => return None,
    }))
}

/// The kernel of a float operation.
pub(super) fn float_kernel<T: Number>(operation: &str) -> Option<Kernel> {
    Some(Kernel::Batch(match operation {
        "pl" => add::<T>,
        "mi" => subtract::<T>,
        "mul" => multiply::<T>,
        "div" => divide::<T>,
        "um" => negate::<T>,
        "abs" => absolute::<T>,
        _ => return None,
    }))
}
