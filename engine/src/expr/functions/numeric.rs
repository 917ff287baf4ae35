//! Functions of numerics (`numeric.c`).

use super::super::call::{Kernel, Output, Row};
use super::Found;
use super::float::bucket_error;
use super::number::out_of_range;
use crate::error::{Error, Result, sqlstate};
use crate::value::{Base, Numeric};

pub(super) fn find(name: &str, bases: &[Base]) -> Option<Found> {
    use Base::Numeric as N;
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match (name, bases) {
        ("numeric_add", [N, N]) => |row, out| out.set(row.numeric(0).add(row.numeric(1))?),
        ("numeric_sub", [N, N]) => |row, out| out.set(row.numeric(0).sub(row.numeric(1))?),
        ("numeric_mul", [N, N]) => |row, out| out.set(row.numeric(0).mul(row.numeric(1))?),
        ("numeric_div", [N, N]) => |row, out| out.set(row.numeric(0).div(row.numeric(1))?),
        ("numeric_mod" | "mod", [N, N]) => {
            |row, out| out.set(row.numeric(0).modulo(row.numeric(1))?)
        }
        ("div", [N, N]) => |row, out| out.set(row.numeric(0).div_trunc(row.numeric(1))?),
        ("numeric_uminus", [N]) => |row, out| out.set(row.numeric(0).neg()),
        ("numeric_abs" | "abs", [N]) => |row, out| out.set(row.numeric(0).abs()),
        ("sign", [N]) => |row, out| out.set(row.numeric(0).sign()),
        ("ceil" | "ceiling", [N]) => |row, out| out.set(row.numeric(0).ceil()?),
        ("floor", [N]) => |row, out| out.set(row.numeric(0).floor()?),
        ("round", [N]) => |row, out| out.set(row.numeric(0).round(0)?),
        ("round", [N, Base::Int4]) => |row, out| out.set(row.numeric(0).round(row.int4(1))?),
        ("trunc", [N]) => |row, out| out.set(row.numeric(0).trunc(0)?),
        ("trunc", [N, Base::Int4]) => |row, out| out.set(row.numeric(0).trunc(row.int4(1))?),
        ("scale", [N]) => |row, out| match row.numeric(0).scale() {
            Some(scale) => out.set(i32::from(scale)),
            None => out.null(),
        },
        ("sqrt", [N]) => |row, out| out.set(row.numeric(0).sqrt()?),
        ("exp", [N]) => |row, out| out.set(row.numeric(0).exp()?),
        ("ln", [N]) => |row, out| out.set(row.numeric(0).ln()?),
        ("log" | "log10", [N]) => |row, out| out.set(row.numeric(0).log(&Numeric::from(10i32))?),
        ("log", [N, N]) => |row, out| out.set(row.numeric(1).log(row.numeric(0))?),
        ("numeric_power" | "power" | "pow", [N, N]) => {
            |row, out| out.set(row.numeric(0).power(row.numeric(1))?)
        }
        ("min_scale", [N]) => |row, out| match row.numeric(0).scale() {
            Some(_) => out.set(least_scale(row.numeric(0))),
            None => out.null(),
        },
        ("trim_scale", [N]) => |row, out| {
            let value = row.numeric(0);
            if value.is_finite() {
                out.set(value.round(least_scale(value))?)
            } else {
                out.set(value.clone())
            }
        },
        ("gcd", [N, N]) => |row, out| out.set(gcd(row.numeric(0), row.numeric(1))?),
        ("lcm", [N, N]) => |row, out| out.set(lcm(row.numeric(0), row.numeric(1))?),
        ("factorial", [Base::Int8]) => |row, out| out.set(factorial(row.int8(0))?),
        ("width_bucket", [N, N, N, Base::Int4]) => |row, out| {
            let count = row.int4(3);
            out.set(width_bucket(
                row.numeric(0),
                row.numeric(1),
                row.numeric(2),
                count,
            )?)
        },
        _ => return None,
    };
    Some((
        Kernel::Row(kernel),
        if name == "factorial" { 1000 } else { 4 },
    ))
}

/// `get_min_scale`: the decimal places up to the last that is not zero.
fn least_scale(value: &Numeric) -> i32 {
    let text = value.to_string();
    text.split_once('.')
        .map_or(0, |(_, places)| places.trim_end_matches('0').len() as i32)
}

/// `numeric_gcd`: at the larger of the two scales.
fn gcd(a: &Numeric, b: &Numeric) -> Result<Numeric> {
    let (Some(a_scale), Some(b_scale)) = (a.scale(), b.scale()) else {
        return Ok(Numeric::NAN);
    };
    let (mut x, mut y) = (a.abs(), b.abs());
    while !y.is_zero() {
        let rest = x.modulo(&y)?;
        x = y;
        y = rest;
    }
    x.round(a_scale.max(b_scale).into())
}

/// `numeric_lcm`
fn lcm(a: &Numeric, b: &Numeric) -> Result<Numeric> {
    let (Some(a_scale), Some(b_scale)) = (a.scale(), b.scale()) else {
        return Ok(Numeric::NAN);
    };
    let scale = i32::from(a_scale.max(b_scale));
    if a.is_zero() || b.is_zero() {
        return Numeric::ZERO.round(scale);
    }
    let divisor = gcd(a, b)?;
    a.div_trunc(&divisor)?.mul(b)?.abs().round(scale)
}

/// `numeric_fac`
fn factorial(n: i64) -> Result<Numeric> {
    if n < 0 {
        return Err(Error::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            "factorial of a negative number is undefined",
        ));
    }
    if n > 32_177 {
        return Err(Error::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            "value overflows numeric format",
        ));
    }
    let mut product = Numeric::ONE;
    // Factors are gathered in machine words first: fewer long multiplications.
    let mut word = 1i64;
    for factor in 2..=n {
        match word.checked_mul(factor) {
            Some(longer) => word = longer,
            None => {
                product = product.mul(&Numeric::from(word))?;
                word = factor;
            }
        }
    }
    product.mul(&Numeric::from(word))
}

/// `width_bucket_numeric`
fn width_bucket(operand: &Numeric, low: &Numeric, high: &Numeric, count: i32) -> Result<i32> {
    if count <= 0 {
        return Err(bucket_error("count must be greater than zero"));
    }
    if operand.is_nan() || low.is_nan() || high.is_nan() {
        return Err(bucket_error(
            "operand, lower bound, and upper bound cannot be NaN",
        ));
    }
    if low.is_infinite() || high.is_infinite() {
        return Err(bucket_error("lower and upper bounds must be finite"));
    }
    let (before, after) = match low.cmp(high) {
        std::cmp::Ordering::Equal => {
            return Err(bucket_error("lower bound cannot equal upper bound"));
        }
        std::cmp::Ordering::Less => (operand < low, operand >= high),
        std::cmp::Ordering::Greater => (operand > low, operand <= high),
    };
    if before {
        return Ok(0);
    }
    if after {
        return count.checked_add(1).ok_or_else(|| out_of_range("integer"));
    }
    let (offset, span) = (operand.sub(low)?.abs(), high.sub(low)?.abs());
    let bucket = offset
        .mul(&Numeric::from(count))?
        .div_trunc(&span)?
        .to_i32()?;
    Ok(bucket + 1)
}
