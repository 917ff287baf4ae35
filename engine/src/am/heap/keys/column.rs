//! Ranges tested on column vectors.

use super::number;
use super::test::Range;
use crate::value::select::{drop_nulls, select_values};
use crate::value::{Column, Rows, Vector};

/// Runs `$body` with `$values` bound to a column's values and `$number` to what makes one a number in the
/// order of keys.
macro_rules! with_numbers {
    ($column:expr, $values:ident, $number:ident => $body:expr) => {
        match &$column.data {
            Vector::Bool($values) => {
                let $number = i64::from;
                $body
            }
            Vector::Int2($values) => {
                let $number = i64::from;
                $body
            }
            Vector::Int4($values) => {
                let $number = i64::from;
                $body
            }
            Vector::Int8($values) => {
                let $number = i64::from;
                $body
            }
            Vector::Float4($values) => {
                let $number = |value: f32| number::of_float(f64::from(value));
                $body
            }
            Vector::Float8($values) => {
                let $number = number::of_float;
                $body
            }
            // No range is of these.
            Vector::Numeric(_) | Vector::Interval(_) | Vector::Text(_) | Vector::Array(_) => {}
        }
    };
}

impl Range {
    /// Appends those of the rows that pass to `passed`, which is empty.
    pub fn select(self, column: &Column, rows: Rows<'_>, passed: &mut Vec<u32>) {
        let negated = self.negated;
        // Integers of 32 bits have a test of their own, which vectorizes: the range is within their domain.
        if let Vector::Int4(values) = &column.data {
            let (least, span) = (self.least as i32, self.span as u32);
            select_values(rows, values, passed, negated, |value| {
                value.wrapping_sub(least) as u32 <= span
            });
        } else {
            with_numbers!(column, values, number => {
                select_values(rows, values, passed, negated, |value| self.spans(number(value)));
            });
        }
        drop_nulls(passed, 0, &column.nulls);
    }

    /// Keeps the rows that pass.
    pub fn retain(self, column: &Column, passed: &mut Vec<u32>) {
        with_numbers!(column, values, number => {
            passed.retain(|&row| self.contains(number(values[row as usize])));
        });
        drop_nulls(passed, 0, &column.nulls);
    }
}
