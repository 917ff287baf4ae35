//! A key tested on values that are in the output already.
//!
//! Where most tuples pass, testing them on the page first saves little and costs a second look at each
//! tuple. If the key's column is wanted anyway, a page's candidates are all appended, the key is tested
//! on the dense column, and the rows that fail are taken out again.

use super::key_round::{Buffers, KeyRound};
use super::keys::{Range, number};
use super::output::Output;
use crate::value::{Batch, Column, Vector};

impl KeyRound<'_> {
    /// Appends the candidates that pass and answers how many there are. `None`, and nothing done, where
    /// there is more than one range key, its column is not wanted, or a tuple is damaged, which only
    /// matters if it passes.
    pub fn append_and_test(
        &self,
        output: &mut Output,
        buffers: &mut Buffers,
        out: &mut Batch,
    ) -> Option<usize> {
        let key = self.keys.first_range().filter(|key| key.is_only)?;
        let position = output.position(key.column)?;
        let before = out.physical_rows();
        let starts = &mut buffers.starts;
        let appended = output.append(self.layout, self.view, self.rest, starts, out);
        if appended.is_err() {
            out.keep_first(before);
            return None;
        }
        if all_pass(key.range, &out.columns[position], before) {
            return Some(self.rest.len());
        }
        let kept = &mut buffers.kept;
        keep_passing(key.range, &out.columns[position], before, kept);
        for column in &mut out.columns {
            column.retain_from(before, kept);
        }
        out.set_physical_rows(before + kept.len());
        Some(kept.len())
    }
}

/// Runs `$body` with `$values` bound to a column's values from a row on and `$number` to what makes
/// one a number in the order of keys.
macro_rules! with_numbers {
    ($column:expr, $from:expr, $values:ident, $number:ident => $body:expr, $other:expr) => {
        match &$column.data {
            Vector::Bool(v) => {
                let ($values, $number) = (&v[$from..], i64::from);
                $body
            }
            Vector::Int2(v) => {
                let ($values, $number) = (&v[$from..], i64::from);
                $body
            }
            Vector::Int4(v) => {
                let ($values, $number) = (&v[$from..], i64::from);
                $body
            }
            Vector::Int8(v) => {
                let ($values, $number) = (&v[$from..], i64::from);
                $body
            }
            Vector::Float4(v) => {
                let number = |value: f32| number::of_float(f64::from(value));
                let ($values, $number) = (&v[$from..], number);
                $body
            }
            Vector::Float8(v) => {
                let ($values, $number) = (&v[$from..], number::of_float);
                $body
            }
            Vector::Numeric(_) | Vector::Interval(_) | Vector::Text(_) | Vector::Array(_) => $other,
        }
    };
}

/// Whether all rows from `from` on pass; a NULL does not.
fn all_pass(range: Range, column: &Column, from: usize) -> bool {
    if column.nulls.any() && (from..column.len()).any(|row| column.is_null(row)) {
        return false;
    }
    // Integers of 32 bits have a test of their own, which vectorizes: the range is within their domain.
    if let Vector::Int4(values) = &column.data {
        let (least, span) = (range.least as i32, range.span as u32);
        return values[from..].iter().fold(true, |all, value| {
            all & ((value.wrapping_sub(least) as u32 <= span) != range.negated)
        });
    }
    with_numbers!(column, from, values, number => {
        values.iter().all(|&value| range.contains(number(value)))
    }, false)
}

/// Replaces `kept` by the rows from `from` on that pass.
fn keep_passing(range: Range, column: &Column, from: usize, kept: &mut Vec<u32>) {
    kept.clear();
    with_numbers!(column, from, values, number => {
        kept.resize(values.len(), 0);
        let mut count = 0;
        for (row, &value) in (from as u32..).zip(values) {
            kept[count] = row;
            count += usize::from(range.contains(number(value)));
        }
        kept.truncate(count);
    }, {});
    if column.nulls.any() {
        kept.retain(|&row| !column.is_null(row as usize));
    }
}
