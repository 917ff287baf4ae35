//! PostgreSQL's order and equality of values, between rows of column sets: what sorting, grouping
//! and joining ask.
//!
//! Text is in C order, `character` without the blanks at its end. NaN equals itself and is above every other number; -0 equals 0. Columns
//! compare across the types of one operator family: the integers, the floats.

use std::cmp::Ordering;

use super::text::without_blanks;
use super::{Array, Column, Vector};

/// One key of a sort: which column, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyOrder {
    pub column: usize,
    pub descending: bool,
    pub nulls_first: bool,
}

/// The order of two floats, as `float8_cmp_internal`.
#[inline]
pub fn compare_floats(a: f64, b: f64) -> Ordering {
    match a.partial_cmp(&b) {
        Some(ordering) => ordering,
        None => a.is_nan().cmp(&b.is_nan()),
    }
}

/// The order of two arrays, as `array_cmp`: by elements (NULL equals NULL and is above all values),
/// then by length.
pub fn compare_arrays(a: &Array, b: &Array) -> Ordering {
    for row in 0..a.len().min(b.len()) {
        let ordering = compare_nullable(&a.elements, row, &b.elements, row);
        if ordering.is_ne() {
            return ordering;
        }
    }
    a.len().cmp(&b.len())
}

/// The order of two values, NULL last.
fn compare_nullable(a: &Column, i: usize, b: &Column, j: usize) -> Ordering {
    match (a.is_null(i), b.is_null(j)) {
        (false, false) => compare_values(a, i, b, j),
        (a_null, b_null) => a_null.cmp(&b_null),
    }
}

/// The order of row `i` of `a` and row `j` of `b`, neither being NULL.
pub fn compare_values(a: &Column, i: usize, b: &Column, j: usize) -> Ordering {
    match (&a.data, &b.data) {
        (Vector::Int4(a), Vector::Int4(b)) => a[i].cmp(&b[j]),
        (Vector::Int8(a), Vector::Int8(b)) => a[i].cmp(&b[j]),
        (Vector::Int2(a), Vector::Int2(b)) => a[i].cmp(&b[j]),
        (Vector::Text(x), Vector::Text(y)) if a.is_blank_padded() => {
            without_blanks(x.bytes_of(i)).cmp(without_blanks(y.bytes_of(j)))
        }
        (Vector::Text(a), Vector::Text(b)) => a.bytes_of(i).cmp(b.bytes_of(j)),
        (Vector::Numeric(a), Vector::Numeric(b)) => a[i].cmp(&b[j]),
        (Vector::Interval(a), Vector::Interval(b)) => a[i].cmp(&b[j]),
        (Vector::Bool(a), Vector::Bool(b)) => a[i].cmp(&b[j]),
        (Vector::Array(a), Vector::Array(b)) => compare_arrays(&a[i], &b[j]),
        _ => match (integer(a, i), integer(b, j)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => match (float(a, i), float(b, j)) {
                (Some(a), Some(b)) => compare_floats(a, b),
                _ => unreachable!("columns of different families are never compared"),
            },
        },
    }
}

fn integer(column: &Column, row: usize) -> Option<i64> {
    match &column.data {
        Vector::Int2(v) => Some(i64::from(v[row])),
        Vector::Int4(v) => Some(i64::from(v[row])),
        Vector::Int8(v) => Some(v[row]),
        _ => None,
    }
}

fn float(column: &Column, row: usize) -> Option<f64> {
    match &column.data {
        Vector::Float4(v) => Some(f64::from(v[row])),
        Vector::Float8(v) => Some(v[row]),
        _ => None,
    }
}

/// Whether row `i` of `a` equals row `j` of `b`, neither being NULL.
#[inline]
pub fn equal_values(a: &Column, i: usize, b: &Column, j: usize) -> bool {
    match (&a.data, &b.data) {
        (Vector::Int4(a), Vector::Int4(b)) => a[i] == b[j],
        (Vector::Int8(a), Vector::Int8(b)) => a[i] == b[j],
        (Vector::Text(x), Vector::Text(y)) if !a.is_blank_padded() => {
            x.bytes_of(i) == y.bytes_of(j)
        }
        _ => compare_values(a, i, b, j).is_eq(),
    }
}

/// Whether two rows are equal as grouping sees them: NULL equals NULL.
#[inline]
pub fn same_group(a: &[&Column], i: usize, b: &[&Column], j: usize) -> bool {
    a.iter()
        .zip(b)
        .all(|(a, b)| match (a.is_null(i), b.is_null(j)) {
            (false, false) => equal_values(a, i, b, j),
            (a_null, b_null) => a_null && b_null,
        })
}

/// Whether two rows are equal as a join's `=` sees them: nothing equals NULL.
#[inline]
pub fn join_equal(a: &[&Column], i: usize, b: &[&Column], j: usize) -> bool {
    a.iter()
        .zip(b)
        .all(|(a, b)| !a.is_null(i) && !b.is_null(j) && equal_values(a, i, b, j))
}

/// The order of two rows by sort keys, which name the columns of both sets.
pub fn compare_rows(keys: &[KeyOrder], a: &[Column], i: usize, b: &[Column], j: usize) -> Ordering {
    for key in keys {
        let (a, b) = (&a[key.column], &b[key.column]);
        let ordering = match (a.is_null(i), b.is_null(j)) {
            (false, false) => {
                let ordering = compare_values(a, i, b, j);
                if key.descending {
                    ordering.reverse()
                } else {
                    ordering
                }
            }
            (a_null, b_null) => {
                let ordering = a_null.cmp(&b_null);
                if key.nulls_first {
                    ordering.reverse()
                } else {
                    ordering
                }
            }
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Datum, Type};

    fn column(ty: Type, values: &[Datum]) -> Column {
        let mut column = Column::new(ty);
        values.iter().for_each(|value| column.push(value));
        column
    }

    #[test]
    fn nan_is_highest_and_zero_has_no_sign() {
        assert_eq!(compare_floats(f64::NAN, f64::INFINITY), Ordering::Greater);
        assert_eq!(compare_floats(f64::NAN, -f64::NAN), Ordering::Equal);
        assert_eq!(compare_floats(-0.0, 0.0), Ordering::Equal);
    }

    #[test]
    fn sort_keys_place_nulls_and_turn_around() {
        let rows = [column(
            Type::INT4,
            &[Datum::Int4(1), Datum::Null, Datum::Int4(2)],
        )];
        let order = |descending, nulls_first| {
            let key = KeyOrder {
                column: 0,
                descending,
                nulls_first,
            };
            let mut at = vec![0, 1, 2];
            at.sort_by(|&i, &j| compare_rows(&[key], &rows, i, &rows, j));
            at
        };
        assert_eq!(order(false, false), [0, 2, 1]);
        assert_eq!(order(false, true), [1, 0, 2]);
        assert_eq!(order(true, true), [1, 2, 0]);
        assert_eq!(order(true, false), [2, 0, 1]);
    }

    #[test]
    fn integers_and_floats_compare_across_their_widths() {
        let small = column(Type::INT2, &[Datum::Int2(-3)]);
        let wide = column(Type::INT8, &[Datum::Int8(-3), Datum::Int8(1 << 40)]);
        assert!(equal_values(&small, 0, &wide, 0) && !equal_values(&small, 0, &wide, 1));
        let single = column(Type::FLOAT4, &[Datum::Float4(0.5)]);
        let double = column(Type::FLOAT8, &[Datum::Float8(0.5)]);
        assert!(equal_values(&single, 0, &double, 0));
    }
}
