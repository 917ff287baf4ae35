//! Casts between numbers (`int.c`, `int8.c`, `float.c`, `numeric.c`).

use super::super::call::Kernel;
use super::super::functions::{float_overflow, float_underflow, out_of_range};
use super::super::node::{Halt, Operand};
use super::super::operand::{Native, grow, map};
use crate::error::Result;
use crate::value::{Base, Column, Numeric, Rows};

/// The kernel between two different number types.
pub(super) fn kernel(from: Base, to: Base) -> Option<Kernel> {
    use Base::{Float4, Float8, Int2, Int4, Int8};
    Some(match (from, to) {
        (Int2, Int4) => Kernel::Batch(|a, rows, out| convert::<i16, i32>(a, rows, out, i32::from)),
        (Int2, Int8) => Kernel::Batch(|a, rows, out| convert::<i16, i64>(a, rows, out, i64::from)),
        (Int4, Int8) => Kernel::Batch(|a, rows, out| convert::<i32, i64>(a, rows, out, i64::from)),
        (Int2, Float4) => {
            Kernel::Batch(|a, rows, out| convert(a, rows, out, |v: i16| f32::from(v)))
        }
        (Int4, Float4) => Kernel::Batch(|a, rows, out| convert(a, rows, out, |v: i32| v as f32)),
        (Int8, Float4) => Kernel::Batch(|a, rows, out| convert(a, rows, out, |v: i64| v as f32)),
        (Int2, Float8) => {
            Kernel::Batch(|a, rows, out| convert(a, rows, out, |v: i16| f64::from(v)))
        }
        (Int4, Float8) => {
            Kernel::Batch(|a, rows, out| convert(a, rows, out, |v: i32| f64::from(v)))
        }
        (Int8, Float8) => Kernel::Batch(|a, rows, out| convert(a, rows, out, |v: i64| v as f64)),
        (Float4, Float8) => {
            Kernel::Batch(|a, rows, out| convert(a, rows, out, |v: f32| f64::from(v)))
        }
        (Int4, Int2) => Kernel::Row(|row, out| out.set(to_int2(row.int4(0).into())?)),
        (Int8, Int2) => Kernel::Row(|row, out| out.set(to_int2(row.int8(0))?)),
        (Int8, Int4) => Kernel::Row(|row, out| out.set(to_int4(row.int8(0))?)),
        (Float4, Int2) => {
            Kernel::Row(|row, out| out.set(round(row.get::<f32>(0), 15, "smallint")? as i16))
        }
        (Float4, Int4) => {
            Kernel::Row(|row, out| out.set(round(row.get::<f32>(0), 31, "integer")? as i32))
        }
        (Float4, Int8) => Kernel::Row(|row, out| out.set(round(row.get::<f32>(0), 63, "bigint")?)),
        (Float8, Int2) => {
            Kernel::Row(|row, out| out.set(round(row.float8(0), 15, "smallint")? as i16))
        }
        (Float8, Int4) => {
            Kernel::Row(|row, out| out.set(round(row.float8(0), 31, "integer")? as i32))
        }
        (Float8, Int8) => Kernel::Row(|row, out| out.set(round(row.float8(0), 63, "bigint")?)),
        (Float8, Float4) => Kernel::Row(|row, out| out.set(to_single(row.float8(0))?)),
        (Int2, Base::Numeric) => Kernel::Row(|row, out| out.set(Numeric::from(row.get::<i16>(0)))),
        (Int4, Base::Numeric) => Kernel::Row(|row, out| out.set(Numeric::from(row.int4(0)))),
        (Int8, Base::Numeric) => Kernel::Row(|row, out| out.set(Numeric::from(row.int8(0)))),
        (Float4, Base::Numeric) => Kernel::Row(|row, out| out.set(Numeric::from_f32(row.get(0)))),
        (Float8, Base::Numeric) => Kernel::Row(|row, out| out.set(Numeric::from_f64(row.get(0)))),
        (Base::Numeric, Int2) => Kernel::Row(|row, out| out.set(row.numeric(0).to_i16()?)),
        (Base::Numeric, Int4) => Kernel::Row(|row, out| out.set(row.numeric(0).to_i32()?)),
        (Base::Numeric, Int8) => Kernel::Row(|row, out| out.set(row.numeric(0).to_i64()?)),
        (Base::Numeric, Float4) => Kernel::Row(|row, out| out.set(row.numeric(0).to_f32()?)),
        (Base::Numeric, Float8) => Kernel::Row(|row, out| out.set(row.numeric(0).to_f64()?)),
        _ => return None,
    })
}

/// A conversion that cannot fail.
#[inline(always)]
fn convert<A: Native + Copy, R: Native + Copy + Default>(
    args: &[Operand<'_>],
    rows: Rows<'_>,
    out: &mut Column,
    f: impl Fn(A) -> R,
) -> Halt {
    let out = R::vector(&mut out.data);
    match args[0] {
        Operand::Column(column) => map(rows, A::slice(&column.data), out, f),
        Operand::Scalar(value) => {
            let value = f(*A::scalar(value));
            grow(out, rows.end());
            rows.iter().for_each(|row| out[row] = value);
        }
    }
    None
}

fn to_int2(value: i64) -> Result<i16> {
    i16::try_from(value).map_err(|_| out_of_range("smallint"))
}

fn to_int4(value: i64) -> Result<i32> {
    i32::try_from(value).map_err(|_| out_of_range("integer"))
}

/// Rounds half to even, as `rint`; 22003 for what is not within ±2^bits.
fn round(value: impl Into<f64>, bits: i32, type_name: &str) -> Result<i64> {
    let rounded = value.into().round_ties_even();
    let limit = 2f64.powi(bits);
    // The limit itself is out of range above and in range below; NaN is neither.
    if rounded >= -limit && rounded < limit {
        Ok(rounded as i64)
    } else {
        Err(out_of_range(type_name))
    }
}

/// `dtof`
fn to_single(value: f64) -> Result<f32> {
    let single = value as f32;
    if single.is_infinite() && !value.is_infinite() {
        return Err(float_overflow());
    }
    if single == 0.0 && value != 0.0 {
        return Err(float_underflow());
    }
    Ok(single)
}
