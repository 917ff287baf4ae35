//! Fixed-width values as ordered 64-bit integers: one comparison kernel then serves booleans, all
//! integers, dates, timestamps and both floats, across widths and without overflow.

use std::ops::RangeInclusive;

use crate::am::heap::tuple::load;
use crate::storage::PAGE_SIZE;
use crate::value::{Base, Datum, Type};

/// How a value lies on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
}

impl Form {
    pub fn of(ty: Type) -> Option<Form> {
        if ty.array {
            return None;
        }
        Some(match ty.base {
            Base::Bool => Form::Bool,
            Base::Int2 => Form::Int2,
            Base::Int4 | Base::Date => Form::Int4,
            Base::Int8 | Base::Timestamp => Form::Int8,
            Base::Float4 => Form::Float4,
            Base::Float8 => Form::Float8,
            Base::Numeric
            | Base::Text
            | Base::Varchar
            | Base::Bpchar
            | Base::Interval
            | Base::Unknown
            | Base::Void => return None,
        })
    }

    /// The numbers that values of this form can have.
    pub fn domain(self) -> RangeInclusive<i64> {
        match self {
            Form::Bool => 0..=1,
            Form::Int2 => i64::from(i16::MIN)..=i64::from(i16::MAX),
            Form::Int4 => i64::from(i32::MIN)..=i64::from(i32::MAX),
            Form::Int8 => i64::MIN..=i64::MAX,
            Form::Float4 | Form::Float8 => of_float(f64::NEG_INFINITY)..=of_float(f64::NAN),
        }
    }

    /// As [`Form::load`], without a call for the forms that are most usual: of a single value, the call costs
    /// as much as the test.
    #[inline(always)]
    pub fn load_in_place(self, page: &[u8; PAGE_SIZE], at: usize) -> i64 {
        match self {
            Form::Int4 => load_int4(page, at),
            Form::Float8 => load_float8(page, at),
            form => form.load(page, at),
        }
    }

    /// The value at `at` as a number.
    #[inline]
    pub fn load(self, page: &[u8; PAGE_SIZE], at: usize) -> i64 {
        match self {
            Form::Bool => load_bool(page, at),
            Form::Int2 => load_int2(page, at),
            Form::Int4 => load_int4(page, at),
            Form::Int8 => load_int8(page, at),
            Form::Float4 => load_float4(page, at),
            Form::Float8 => load_float8(page, at),
        }
    }
}

#[inline(always)]
pub fn load_bool(page: &[u8; PAGE_SIZE], at: usize) -> i64 {
    i64::from(load::<1>(page, at) != [0])
}

#[inline(always)]
pub fn load_int2(page: &[u8; PAGE_SIZE], at: usize) -> i64 {
    i64::from(i16::from_le_bytes(load(page, at)))
}

#[inline(always)]
pub fn load_int4(page: &[u8; PAGE_SIZE], at: usize) -> i64 {
    i64::from(i32::from_le_bytes(load(page, at)))
}

#[inline(always)]
pub fn load_int8(page: &[u8; PAGE_SIZE], at: usize) -> i64 {
    i64::from_le_bytes(load(page, at))
}

#[inline(always)]
pub fn load_float4(page: &[u8; PAGE_SIZE], at: usize) -> i64 {
    of_float(f64::from(f32::from_le_bytes(load(page, at))))
}

#[inline(always)]
pub fn load_float8(page: &[u8; PAGE_SIZE], at: usize) -> i64 {
    of_float(f64::from_le_bytes(load(page, at)))
}

/// A float's number in the order of `float8_cmp_internal`: -0 equals 0, NaN equals NaN and is greatest.
/// A float4 becomes a float8 first, which keeps order and equality and is how the two are compared.
#[inline(always)]
pub fn of_float(value: f64) -> i64 {
    if value.is_nan() {
        return i64::MAX;
    }
    // Adding zero turns -0 into 0. The bits of negative numbers ascend as the numbers descend.
    let bits = (value + 0.0).to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// A datum's number; None for NULL and for what has none.
pub fn of_datum(value: &Datum) -> Option<i64> {
    Some(match *value {
        Datum::Bool(v) => i64::from(v),
        Datum::Int2(v) => i64::from(v),
        Datum::Int4(v) | Datum::Date(v) => i64::from(v),
        Datum::Int8(v) | Datum::Timestamp(v) => v,
        Datum::Float4(v) => of_float(f64::from(v)),
        Datum::Float8(v) => of_float(v),
        Datum::Null | Datum::Numeric(_) | Datum::Text(_) | Datum::Interval(_) | Datum::Array(_) => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_order_as_postgresqls() {
        let ascending = [
            f64::NEG_INFINITY,
            -1e300,
            -1.0,
            -1e-310,
            0.0,
            1e-310,
            1.0,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        for pair in ascending.windows(2) {
            assert!(of_float(pair[0]) < of_float(pair[1]), "{pair:?}");
        }
        assert_eq!(of_float(-0.0), of_float(0.0));
        assert_eq!(of_float(-f64::NAN), of_float(f64::NAN));
        assert_eq!(of_datum(&Datum::Float4(0.5)), of_datum(&Datum::Float8(0.5)));
        assert_ne!(of_datum(&Datum::Float4(0.1)), of_datum(&Datum::Float8(0.1)));
    }
}
