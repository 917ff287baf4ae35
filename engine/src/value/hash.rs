//! Hashes of rows, for hash tables and filters.
//!
//! Values that an operator family holds equal hash equal: a smallint, an integer and a bigint of
//! one value; 0 and -0; every NaN; numerics of different scale; a month and 30 days; `character`
//! with more or fewer blanks at its end. Only 64-bit multiplications with
//! 64-bit results are used, because wasm has no wider one.

use std::hash::{Hash, Hasher};

use super::text::without_blanks;
use super::{Array, Column, Interval, Rows, Vector};

const SEED: u64 = 0x2545_F491_4F6C_DD1D;
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// What a NULL adds to a row's hash.
const NULL: u64 = 0x6A09_E667_F3BC_C909;

/// Adds a value's 64 bits to the hash of a row's values so far.
#[inline(always)]
fn combine(hash: u64, bits: u64) -> u64 {
    let mixed = (hash.rotate_left(23) ^ bits).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 32)
}

/// Spreads every bit over the whole word: tables use the low bits, partitions the high ones.
#[inline(always)]
fn finish(hash: u64) -> u64 {
    let mixed = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 32)
}

#[inline(always)]
fn float_bits(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        // -0 + 0 is 0.
        (value + 0.0).to_bits()
    }
}

fn add_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let mut hash = combine(hash, bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = combine(hash, u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        hash = combine(hash, u64::from_le_bytes(word));
    }
    hash
}

/// Collects what a numeric says of itself.
struct Collector(u64);

impl Hasher for Collector {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = add_bytes(self.0, bytes);
    }

    fn write_u64(&mut self, bits: u64) {
        self.0 = combine(self.0, bits);
    }

    fn write_u16(&mut self, bits: u16) {
        self.0 = combine(self.0, u64::from(bits));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn add_numeric(hash: u64, value: &super::Numeric) -> u64 {
    let mut collector = Collector(hash);
    value.hash(&mut collector);
    collector.0
}

fn add_interval(hash: u64, value: &Interval) -> u64 {
    let (days, micros) = value.span();
    combine(combine(hash, days as u64), micros as u64)
}

fn add_array(hash: u64, array: &Array) -> u64 {
    let mut hash = combine(hash, array.len() as u64);
    for row in 0..array.len() {
        hash = add_value(hash, &array.elements, row);
    }
    hash
}

fn add_value(hash: u64, column: &Column, row: usize) -> u64 {
    if column.is_null(row) {
        return combine(hash, NULL);
    }
    match &column.data {
        Vector::Bool(v) => combine(hash, u64::from(v[row])),
        Vector::Int2(v) => combine(hash, i64::from(v[row]) as u64),
        Vector::Int4(v) => combine(hash, i64::from(v[row]) as u64),
        Vector::Int8(v) => combine(hash, v[row] as u64),
        Vector::Float4(v) => combine(hash, float_bits(f64::from(v[row]))),
        Vector::Float8(v) => combine(hash, float_bits(v[row])),
        Vector::Numeric(v) => add_numeric(hash, &v[row]),
        Vector::Interval(v) => add_interval(hash, &v[row]),
        Vector::Text(v) if column.is_blank_padded() => {
            add_bytes(hash, without_blanks(v.bytes_of(row)))
        }
        Vector::Text(v) => add_bytes(hash, v.bytes_of(row)),
        Vector::Array(v) => add_array(hash, &v[row]),
    }
}

/// The hash of one row.
pub fn hash_row<'a>(columns: impl IntoIterator<Item = &'a Column>, row: usize) -> u64 {
    let columns = columns.into_iter();
    finish(columns.fold(SEED, |hash, column| add_value(hash, column, row)))
}

/// The hashes of rows: `out[i]` is that of the `i`th row, as [`hash_row`] gives it.
pub fn hash_rows(columns: &[&Column], rows: Rows<'_>, out: &mut Vec<u64>) {
    out.clear();
    out.resize(rows.len(), SEED);
    for column in columns {
        add_column(column, rows, out);
    }
    for hash in out {
        *hash = finish(*hash);
    }
}

fn add_column(column: &Column, rows: Rows<'_>, out: &mut [u64]) {
    if column.nulls.any() {
        for (i, hash) in out.iter_mut().enumerate() {
            *hash = add_value(*hash, column, rows.at(i));
        }
        return;
    }
    match &column.data {
        Vector::Bool(v) => add_each(out, rows, v, |hash, &value| combine(hash, u64::from(value))),
        Vector::Int2(v) => {
            add_each(out, rows, v, |hash, &value| {
                combine(hash, i64::from(value) as u64)
            });
        }
        Vector::Int4(v) => {
            add_each(out, rows, v, |hash, &value| {
                combine(hash, i64::from(value) as u64)
            });
        }
        Vector::Int8(v) => add_each(out, rows, v, |hash, &value| combine(hash, value as u64)),
        Vector::Float4(v) => {
            add_each(out, rows, v, |hash, &value| {
                combine(hash, float_bits(f64::from(value)))
            });
        }
        Vector::Float8(v) => add_each(out, rows, v, |hash, &value| {
            combine(hash, float_bits(value))
        }),
        Vector::Numeric(v) => add_each(out, rows, v, add_numeric),
        Vector::Interval(v) => add_each(out, rows, v, add_interval),
        Vector::Array(v) => add_each(out, rows, v, |hash, array| add_array(hash, array)),
        Vector::Text(v) if column.is_blank_padded() => {
            for (i, hash) in out.iter_mut().enumerate() {
                *hash = add_bytes(*hash, without_blanks(v.bytes_of(rows.at(i))));
            }
        }
        Vector::Text(v) => {
            for (i, hash) in out.iter_mut().enumerate() {
                *hash = add_bytes(*hash, v.bytes_of(rows.at(i)));
            }
        }
    }
}

#[inline(always)]
fn add_each<T>(out: &mut [u64], rows: Rows<'_>, values: &[T], add: impl Fn(u64, &T) -> u64) {
    match rows {
        Rows::Range(from, to) => {
            for (hash, value) in out.iter_mut().zip(&values[from..to]) {
                *hash = add(*hash, value);
            }
        }
        Rows::Picked(rows) => {
            for (hash, &row) in out.iter_mut().zip(rows) {
                *hash = add(*hash, &values[row as usize]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Datum, Numeric, Type};

    fn hash_of(ty: Type, value: Datum) -> u64 {
        let mut column = Column::new(ty);
        column.push(&value);
        let mut out = Vec::new();
        hash_rows(&[&column], Rows::Range(0, 1), &mut out);
        assert_eq!(out[0], hash_row([&column], 0));
        out[0]
    }

    #[test]
    fn equal_values_hash_equal() {
        let int = hash_of(Type::INT4, Datum::Int4(-7));
        assert_eq!(int, hash_of(Type::INT2, Datum::Int2(-7)));
        assert_eq!(int, hash_of(Type::INT8, Datum::Int8(-7)));
        let zero = hash_of(Type::FLOAT8, Datum::Float8(0.0));
        assert_eq!(zero, hash_of(Type::FLOAT8, Datum::Float8(-0.0)));
        assert_eq!(zero, hash_of(Type::FLOAT4, Datum::Float4(-0.0)));
        let nan = hash_of(Type::FLOAT8, Datum::Float8(f64::NAN));
        assert_eq!(nan, hash_of(Type::FLOAT8, Datum::Float8(-f64::NAN)));
        let numeric =
            |text: &str| hash_of(Type::NUMERIC, Datum::Numeric(Numeric::parse(text).unwrap()));
        assert_eq!(numeric("1.50"), numeric("1.5"));
        assert_ne!(numeric("1.50"), numeric("1.51"));
    }

    #[test]
    fn rows_hash_alike_however_they_are_picked() {
        let mut numbers = Column::new(Type::INT4);
        let mut texts = Column::new(Type::TEXT);
        for i in 0..100 {
            numbers.push(&if i % 7 == 0 {
                Datum::Null
            } else {
                Datum::Int4(i)
            });
            texts.push(&Datum::text(format!("value {i}")));
        }
        let columns = [&numbers, &texts];
        let (mut dense, mut picked) = (Vec::new(), Vec::new());
        hash_rows(&columns, Rows::Range(10, 90), &mut dense);
        hash_rows(&columns, Rows::Picked(&[10, 21, 89]), &mut picked);
        assert_eq!(picked, [dense[0], dense[11], dense[79]]);
        dense.sort_unstable();
        dense.dedup();
        assert_eq!(dense.len(), 80);
    }
}
