//! `+ - * / %`, bits and shifts of integers; `+ - * /` of floats, with PostgreSQL's errors
//! (`int.c`, `int8.c`, `float.c`).

use super::super::Stop;
use super::super::call::Kernel;
use super::super::node::{Halt, Operand};
use super::super::operand::{each_row, grow};
use super::number::{Integer, Number};
use crate::error::Error;
use crate::value::{Column, Rows};

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
