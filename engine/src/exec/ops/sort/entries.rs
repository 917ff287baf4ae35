//! Sort entries: a prefix that decides most comparisons, and the row it stands for.

use std::cmp::Ordering;

use crate::value::text::without_blanks;
use crate::value::{Base, Column, KeyOrder, Rows, Type, Vector, compare_rows};

/// What is moved around while sorting, instead of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Orders as the first key does, where it differs.
    prefix: u64,
    pub(super) row: u32,
}

/// The sort keys.
pub(super) struct Order {
    keys: Vec<KeyOrder>,
    /// Equal prefixes mean equal rows: one key of at most 32 bits.
    prefix_decides: bool,
}

/// Prefixes of NULLs: below and above those of all values.
const NULL_FIRST: u64 = 0;
const NULL_LAST: u64 = u64::MAX;

impl Order {
    pub(super) fn new(keys: Vec<KeyOrder>, types: &[Type]) -> Self {
        let narrow = |ty: Type| {
            !ty.array && matches!(ty.base, Base::Bool | Base::Int2 | Base::Int4 | Base::Date)
        };
        let prefix_decides = match keys.as_slice() {
            [] => true,
            [key] => narrow(types[key.column]),
            _ => false,
        };
        Order {
            keys,
            prefix_decides,
        }
    }

    /// Appends the entries of rows.
    pub(super) fn add_entries(&self, columns: &[Column], rows: Rows<'_>, entries: &mut Vec<Entry>) {
        let Some(key) = self.keys.first() else {
            entries.extend(rows.iter().map(|row| Entry {
                prefix: 0,
                row: row as u32,
            }));
            return;
        };
        let column = &columns[key.column];
        let null = if key.nulls_first {
            NULL_FIRST
        } else {
            NULL_LAST
        };
        // Values take 63 bits, moved up by one to stay clear of NULL_FIRST.
        let turn = |bits: u64| {
            1 + if key.descending {
                (u64::MAX >> 1) - (bits >> 1)
            } else {
                bits >> 1
            }
        };
        macro_rules! each {
            ($values:expr, $bits:expr) => {
                for row in rows.iter() {
                    let prefix = if column.is_null(row) {
                        null
                    } else {
                        turn($bits(&$values[row]))
                    };
                    entries.push(Entry {
                        prefix,
                        row: row as u32,
                    });
                }
            };
        }
        match &column.data {
            Vector::Bool(v) => each!(v, |&value: &bool| u64::from(value) << 1),
            Vector::Int2(v) => each!(v, |&value: &i16| signed(i64::from(value) << 1)),
            Vector::Int4(v) => each!(v, |&value: &i32| signed(i64::from(value) << 1)),
            Vector::Int8(v) => each!(v, |&value: &i64| signed(value)),
            Vector::Float4(v) => each!(v, |&value: &f32| float(f64::from(value))),
            Vector::Float8(v) => each!(v, |&value: &f64| float(value)),
            Vector::Text(v) => {
                let padded = column.is_blank_padded();
                let bytes_of = |row: usize| match padded {
                    true => without_blanks(v.bytes_of(row)),
                    false => v.bytes_of(row),
                };
                for row in rows.iter() {
                    let prefix = if column.is_null(row) {
                        null
                    } else {
                        turn(leading_bytes(bytes_of(row)))
                    };
                    entries.push(Entry {
                        prefix,
                        row: row as u32,
                    });
                }
            }
            // Compared in full.
            Vector::Numeric(_) | Vector::Interval(_) | Vector::Array(_) => {
                for row in rows.iter() {
                    let prefix = if column.is_null(row) { null } else { turn(0) };
                    entries.push(Entry {
                        prefix,
                        row: row as u32,
                    });
                }
            }
        }
    }

    /// A total order: what the keys leave open is decided by the rows' numbers.
    #[inline]
    pub(super) fn compare(&self, columns: &[Column], a: &Entry, b: &Entry) -> Ordering {
        let by_prefix = a.prefix.cmp(&b.prefix);
        if by_prefix.is_ne() {
            return by_prefix;
        }
        if self.prefix_decides {
            return a.row.cmp(&b.row);
        }
        compare_rows(&self.keys, columns, a.row as usize, columns, b.row as usize)
            .then(a.row.cmp(&b.row))
    }
}

/// Bits that order as the integer does.
#[inline]
fn signed(value: i64) -> u64 {
    (value as u64) ^ (1 << 63)
}

/// Bits that order as PostgreSQL orders floats: -0 equals 0, NaN is above all.
#[inline]
fn float(value: f64) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// The first eight bytes, the first one counting most; shorter strings are below longer ones.
#[inline]
fn leading_bytes(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let n = text.len().min(8);
    bytes[..n].copy_from_slice(&text[..n]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Datum;

    #[test]
    fn entries_order_as_the_columns_do() {
        let texts = ["", "a", "abcdefgh", "abcdefghi", "b", "\u{1}"].map(Datum::text);
        let floats = [
            f64::NAN,
            -0.0,
            0.0,
            f64::INFINITY,
            -1.5,
            1e300,
            -f64::MIN_POSITIVE,
        ]
        .map(Datum::Float8);
        let longs = [i64::MIN, i64::MAX, 0, -1, 1, i64::MAX - 1].map(Datum::Int8);
        let ints = [i32::MIN, i32::MAX, 0, -1, 1].map(Datum::Int4);
        for (ty, values) in [
            (Type::TEXT, texts.to_vec()),
            (Type::FLOAT8, floats.to_vec()),
            (Type::INT8, longs.to_vec()),
            (Type::INT4, ints.to_vec()),
        ] {
            let mut column = Column::new(ty);
            values.iter().for_each(|value| column.push(value));
            column.push_null();
            let columns = [column];
            let n = columns[0].len();
            for (descending, nulls_first) in
                [(false, false), (false, true), (true, false), (true, true)]
            {
                let keys = vec![KeyOrder {
                    column: 0,
                    descending,
                    nulls_first,
                }];
                let order = Order::new(keys.clone(), &[ty]);
                let mut entries = Vec::new();
                order.add_entries(&columns, Rows::Range(0, n), &mut entries);
                for i in 0..n {
                    for j in 0..n {
                        let expected =
                            compare_rows(&keys, &columns, i, &columns, j).then(i.cmp(&j));
                        assert_eq!(
                            order.compare(&columns, &entries[i], &entries[j]),
                            expected,
                            "{ty:?} {i} {j}"
                        );
                    }
                }
            }
        }
    }
}
