//! Random rows, keys and tables from a seed.

use std::rc::Rc;

use crate::am::ScanKey;
use crate::value::{Array, Base, BooleanTest, Column, Comparison, Datum, Numeric, Type};

/// xorshift64*
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

pub const BASES: [Base; 11] = [
    Base::Bool,
    Base::Int2,
    Base::Int4,
    Base::Int8,
    Base::Float4,
    Base::Float8,
    Base::Text,
    Base::Varchar,
    Base::Date,
    Base::Timestamp,
    Base::Numeric,
];

const OPERATORS: [Comparison; 6] = [
    Comparison::Eq,
    Comparison::Ne,
    Comparison::Lt,
    Comparison::Le,
    Comparison::Gt,
    Comparison::Ge,
];

/// A value from a small range, so that equality happens, with the type's extremes among them.
pub fn value(random: &mut Random, base: Base) -> Datum {
    let small = random.below(12) as i64 - 4;
    let extreme = random.percent(10);
    match base {
        Base::Bool => Datum::Bool(random.percent(50)),
        Base::Int2 if extreme => Datum::Int2(random.pick(&[i16::MIN, i16::MAX])),
        Base::Int2 => Datum::Int2(small as i16),
        Base::Int4 if extreme => Datum::Int4(random.pick(&[i32::MIN, i32::MAX])),
        Base::Int4 => Datum::Int4(small as i32),
        Base::Int8 if extreme => {
            Datum::Int8(random.pick(&[i64::MIN, i64::MAX, 1 << 40, -(1 << 33), 40_000]))
        }
        Base::Int8 => Datum::Int8(small),
        Base::Float4 if extreme => {
            Datum::Float4(random.pick(&[f32::NAN, -0.0, f32::INFINITY, f32::NEG_INFINITY, 0.1]))
        }
        Base::Float4 => Datum::Float4(small as f32 / 2.0),
        Base::Float8 if extreme => {
            Datum::Float8(random.pick(&[f64::NAN, -0.0, f64::INFINITY, f64::NEG_INFINITY, 0.1]))
        }
        Base::Float8 => Datum::Float8(small as f64 / 2.0),
        Base::Date => Datum::Date(small as i32),
        Base::Timestamp => Datum::Timestamp(small * 1_000_000),
        Base::Numeric => Datum::Numeric(
            Numeric::parse(
                &random
                    .pick(&["0", "1.50", "1.5", "-3", "NaN", "Infinity", "1e30"])
                    .replace("-3", &small.to_string()),
            )
            .expect("a number"),
        ),
        _ => {
            let length = random.pick(&[0, 1, 1, 2, 3, 130]);
            Datum::text(
                (0..length)
                    .map(|_| random.pick(&['a', 'b', 'é']))
                    .collect::<String>(),
            )
        }
    }
}

pub fn nullable(random: &mut Random, base: Base, null_percent: usize) -> Datum {
    if random.percent(null_percent) {
        Datum::Null
    } else {
        value(random, base)
    }
}

/// A type whose values compare with the column's.
fn partner(random: &mut Random, base: Base) -> Base {
    match base {
        Base::Int2 | Base::Int4 | Base::Int8 => random.pick(&[Base::Int2, Base::Int4, Base::Int8]),
        Base::Float4 | Base::Float8 => random.pick(&[Base::Float4, Base::Float8]),
        base => base,
    }
}

/// What an array key compares with: sometimes NULL, of any type that compares with the column.
fn array(random: &mut Random, base: Base) -> Datum {
    if random.percent(4) {
        return Datum::Null;
    }
    let base = partner(random, base);
    let length = random.pick(&[0, 1, 1, 2, 3, 8, 9, 12, 1000]);
    elements(random, base, length)
}

/// An array of some values.
pub fn elements(random: &mut Random, base: Base, length: usize) -> Datum {
    let null_percent = random.pick(&[0, 0, 0, 20, 100]);
    let mut elements = Column::new(Type::scalar(base));
    for _ in 0..length {
        elements.push(&nullable(random, base, null_percent));
    }
    Datum::Array(Rc::new(Array::new(elements)))
}

/// A key on one of the columns.
pub fn key(random: &mut Random, columns: &[Type], depth: usize) -> ScanKey {
    let column = random.below(columns.len());
    let base = columns[column].base;
    let op = random.pick(&OPERATORS);
    match random.below(if depth == 0 { 9 } else { 8 }) {
        0..3 => {
            let base = partner(random, base);
            ScanKey::Compare {
                column,
                op,
                value: nullable(random, base, 3),
            }
        }
        3..5 => ScanKey::Array {
            column,
            op,
            any: random.percent(50),
            array: array(random, base),
        },
        5 => ScanKey::Null {
            column,
            negated: random.percent(70),
        },
        6 if base == Base::Bool => {
            let test = random.pick(&[
                BooleanTest::IsTrue,
                BooleanTest::IsNotTrue,
                BooleanTest::IsFalse,
                BooleanTest::IsNotFalse,
                BooleanTest::IsUnknown,
                BooleanTest::IsNotUnknown,
            ]);
            ScanKey::Boolean { column, test }
        }
        6 if matches!(base, Base::Text | Base::Varchar) => ScanKey::Prefix {
            column,
            prefix: random.pick(&["", "a", "ab", "é"]).into(),
        },
        6 | 7 => {
            let count = random.below(3) + 1;
            let columns_of: Vec<usize> = (0..count).map(|_| random.below(columns.len())).collect();
            let values = columns_of
                .iter()
                .map(|&column| {
                    let base = partner(random, columns[column].base);
                    nullable(random, base, 10)
                })
                .collect();
            ScanKey::Row {
                columns: columns_of,
                op,
                values,
            }
        }
        _ => ScanKey::AnyOf(
            (0..random.below(3) + 1)
                .map(|_| {
                    (0..random.below(2) + 1)
                        .map(|_| key(random, columns, depth + 1))
                        .collect()
                })
                .collect(),
        ),
    }
}
