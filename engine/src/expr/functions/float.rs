//! Functions of floats (`float.c`).

use super::super::call::{Kernel, Output, Row};
use super::Found;
use super::number::{float_overflow, float_underflow, out_of_range};
use crate::error::{Error, Result, sqlstate};
use crate::value::{Base, compare_floats};

pub(super) fn find(name: &str, bases: &[Base]) -> Option<Found> {
    use Base::{Float4, Float8, Int4};
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match (name, bases) {
        ("abs", [Float4]) => |row, out| out.set(row.get::<f32>(0).abs()),
        (_, [Float8]) => return of_one(name),
        ("dpow" | "power" | "pow", [Float8, Float8]) => {
            |row, out| out.set(power(row.float8(0), row.float8(1))?)
        }
        ("atan2", [Float8, Float8]) => |row, out| out.set(row.float8(0).atan2(row.float8(1))),
        ("pi", []) => |_, out| out.set(std::f64::consts::PI),
        ("width_bucket", [Float8, Float8, Float8, Int4]) => |row, out| {
            out.set(width_bucket(
                row.float8(0),
                row.float8(1),
                row.float8(2),
                row.int4(3),
            )?)
        },
        _ => return None,
    };
    Some((Kernel::Row(kernel), 4))
}

/// The functions of one double.
fn of_one(name: &str) -> Option<Found> {
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match name {
        "abs" => |row, out| out.set(row.float8(0).abs()),
        "ceil" | "ceiling" => |row, out| out.set(row.float8(0).ceil()),
        "floor" => |row, out| out.set(row.float8(0).floor()),
        "round" => |row, out| out.set(row.float8(0).round_ties_even()),
        "trunc" => |row, out| out.set(row.float8(0).trunc()),
        "sign" => |row, out| {
            let value = row.float8(0);
            out.set(if value > 0.0 {
                1.0
            } else if value < 0.0 {
                -1.0
            } else {
                0.0
            })
        },
        "sqrt" | "dsqrt" => |row, out| {
            if row.float8(0) < 0.0 {
                return Err(Error::new(
                    sqlstate::INVALID_ARGUMENT_FOR_POWER,
                    "cannot take square root of a negative number",
                ));
            }
            out.set(row.float8(0).sqrt())
        },
        "cbrt" | "dcbrt" => |row, out| out.set(row.float8(0).cbrt()),
        "exp" => |row, out| out.set(exponential(row.float8(0))?),
        "ln" => |row, out| {
            check_logarithm(row.float8(0))?;
            out.set(row.float8(0).ln())
        },
        "log" | "log10" => |row, out| {
            check_logarithm(row.float8(0))?;
            out.set(row.float8(0).log10())
        },
        "degrees" => |row, out| out.set(within(row.float8(0), row.float8(0) / RADIANS_PER_DEGREE)?),
        "radians" => |row, out| out.set(row.float8(0) * RADIANS_PER_DEGREE),
        "sin" => |row, out| out.set(finite(row.float8(0))?.sin()),
        "cos" => |row, out| out.set(finite(row.float8(0))?.cos()),
        "tan" => |row, out| out.set(finite(row.float8(0))?.tan()),
        "cot" => |row, out| out.set(1.0 / finite(row.float8(0))?.tan()),
        "asin" => |row, out| out.set(unit(row.float8(0))?.asin()),
        "acos" => |row, out| out.set(unit(row.float8(0))?.acos()),
        "atan" => |row, out| out.set(row.float8(0).atan()),
        "sinh" => |row, out| out.set(row.float8(0).sinh()),
        "cosh" => |row, out| out.set(row.float8(0).cosh()),
        "tanh" => |row, out| out.set(row.float8(0).tanh()),
        "asinh" => |row, out| out.set(asinh(row.float8(0))),
        "acosh" => |row, out| {
            if row.float8(0) < 1.0 {
                return Err(out_of_range("input is"));
            }
            out.set(acosh(row.float8(0)))
        },
        "atanh" => |row, out| out.set(unit(row.float8(0))?.atanh()),
        _ => return None,
    };
    Some((Kernel::Row(kernel), 4))
}

const RADIANS_PER_DEGREE: f64 = 0.017_453_292_519_943_295;

/// The result, or an overflow if it is infinite and its argument is not.
fn within(argument: f64, result: f64) -> Result<f64> {
    if result.is_infinite() && !argument.is_infinite() {
        Err(float_overflow())
    } else {
        Ok(result)
    }
}

fn finite(value: f64) -> Result<f64> {
    if value.is_infinite() {
        Err(out_of_range("input is"))
    } else {
        Ok(value)
    }
}

fn unit(value: f64) -> Result<f64> {
    if !(-1.0..=1.0).contains(&value) && !value.is_nan() {
        return Err(out_of_range("input is"));
    }
    Ok(value)
}

fn check_logarithm(value: f64) -> Result<()> {
    let message = if value == 0.0 {
        "cannot take logarithm of zero"
    } else if value < 0.0 {
        "cannot take logarithm of a negative number"
    } else {
        return Ok(());
    };
    Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_LOG, message))
}

/// From here on the square root in the inverse hyperbolic functions is its argument.
const LARGE: f64 = 268_435_456.0;

fn asinh(value: f64) -> f64 {
    let x = value.abs();
    let result = if x > LARGE {
        x.ln() + std::f64::consts::LN_2
    } else if x > 2.0 {
        (2.0 * x + 1.0 / ((x * x + 1.0).sqrt() + x)).ln()
    } else {
        (x + x * x / (1.0 + (x * x + 1.0).sqrt())).ln_1p()
    };
    result.copysign(value)
}

/// Of 1 or more.
fn acosh(x: f64) -> f64 {
    if x > LARGE {
        x.ln() + std::f64::consts::LN_2
    } else if x > 2.0 {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else {
        let t = x - 1.0;
        (t + (2.0 * t + t * t).sqrt()).ln_1p()
    }
}

/// `dexp`
fn exponential(value: f64) -> Result<f64> {
    let result = value.exp();
    if value.is_finite() {
        if result.is_infinite() {
            return Err(float_overflow());
        }
        if result == 0.0 {
            return Err(float_underflow());
        }
    }
    Ok(result)
}

/// `dpow`: C's `pow` and PostgreSQL's errors.
fn power(base: f64, exponent: f64) -> Result<f64> {
    if base.is_nan() || exponent.is_nan() {
        let one = if base.is_nan() {
            exponent == 0.0
        } else {
            base == 1.0
        };
        return Ok(if one { 1.0 } else { f64::NAN });
    }
    if base == 0.0 && exponent < 0.0 {
        return Err(Error::new(
            sqlstate::INVALID_ARGUMENT_FOR_POWER,
            "zero raised to a negative power is undefined",
        ));
    }
    if base < 0.0 && exponent.floor() != exponent {
        return Err(Error::new(
            sqlstate::INVALID_ARGUMENT_FOR_POWER,
            "a negative number raised to a non-integer power yields a complex result",
        ));
    }
    let result = base.powf(exponent);
    if base.is_finite() && exponent.is_finite() {
        if result.is_infinite() {
            return Err(float_overflow());
        }
        if result == 0.0 && base != 0.0 {
            return Err(float_underflow());
        }
    }
    Ok(result)
}

#[cold]
pub(super) fn bucket_error(message: &str) -> Error {
    Error::new(sqlstate::INVALID_ARGUMENT_FOR_WIDTH_BUCKET, message)
}

/// `width_bucket_float8`
fn width_bucket(operand: f64, low: f64, high: f64, count: i32) -> Result<i32> {
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
    let ascending = match compare_floats(low, high) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => {
            return Err(bucket_error("lower bound cannot equal upper bound"));
        }
    };
    // Halved where the span itself would overflow.
    let scale = if (high - low).is_infinite() { 0.5 } else { 1.0 };
    let (before, after, span, offset) = if ascending {
        (
            operand < low,
            operand >= high,
            high * scale - low * scale,
            operand * scale - low * scale,
        )
    } else {
        (
            operand > low,
            operand <= high,
            low * scale - high * scale,
            low * scale - operand * scale,
        )
    };
    if before {
        return Ok(0);
    }
    let beyond = || count.checked_add(1).ok_or_else(|| out_of_range("integer"));
    if after {
        return beyond();
    }
    let bucket = (f64::from(count) * (offset / span)) as i32;
    Ok(bucket.min(count - 1) + 1)
}
