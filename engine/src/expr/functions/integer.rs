//! Functions of integers (`int.c`, `int8.c`).

use super::super::call::Kernel;
use super::Found;
use super::arithmetic::integer_kernel;
use super::number::out_of_range;
use crate::error::Result;
use crate::value::Base;

pub(super) fn find(name: &str, bases: &[Base]) -> Option<Found> {
    let operation = match name {
        "abs" => "abs",
        "mod" => "mod",
        _ => return of_wide(name, bases),
    };
    let kernel = match bases {
        [Base::Int2] | [Base::Int2, Base::Int2] => integer_kernel::<i16>(operation),
        [Base::Int4] | [Base::Int4, Base::Int4] => integer_kernel::<i32>(operation),
        [Base::Int8] | [Base::Int8, Base::Int8] => integer_kernel::<i64>(operation),
        _ => None,
    };
    Some((kernel?, 1))
}

fn of_wide(name: &str, bases: &[Base]) -> Option<Found> {
    use Base::{Int4, Int8};
    let kernel = match (name, bases) {
        ("gcd", [Int4, Int4]) => Kernel::Row(|row, out| {
            out.set(narrow(gcd(row.int4(0).into(), row.int4(1).into()).ok())?)
        }),
        ("lcm", [Int4, Int4]) => Kernel::Row(|row, out| {
            out.set(narrow(lcm(row.int4(0).into(), row.int4(1).into()).ok())?)
        }),
        ("gcd", [Int8, Int8]) => Kernel::Row(|row, out| out.set(gcd(row.int8(0), row.int8(1))?)),
        ("lcm", [Int8, Int8]) => Kernel::Row(|row, out| out.set(lcm(row.int8(0), row.int8(1))?)),
        _ => return None,
    };
    Some((kernel, 10))
}

fn narrow(value: Option<i64>) -> Result<i32> {
    value
        .and_then(|value| i32::try_from(value).ok())
        .ok_or_else(|| out_of_range("integer"))
}

/// `int8gcd`; 22003 where the result is 2^63.
fn gcd(a: i64, b: i64) -> Result<i64> {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).map_err(|_| out_of_range("bigint"))
}

/// `int8lcm`
fn lcm(a: i64, b: i64) -> Result<i64> {
    if a == 0 || b == 0 {
        return Ok(0);
    }
    let divisor = gcd(a, b)?;
    (a / divisor)
        .checked_mul(b)
        .and_then(i64::checked_abs)
        .ok_or_else(|| out_of_range("bigint"))
}
