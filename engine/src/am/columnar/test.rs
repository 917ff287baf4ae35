//! Keys over segments: what a summary says of a test, and which rows pass it.

use std::cmp::Ordering;

use super::segment::{Segment, Values};
use super::summary::{Bounds, Nulls, Summary};
use crate::am::heap::keys::test::{Comparand, Range, Test, text_passes};
use crate::am::heap::keys::{CompiledKey, set::Elements};
use crate::value::select::drop_nulls;
use crate::value::{Comparison, Rows, Strings};

/// What is known of a key before any row is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No row passes.
    None,
    /// Rows must be tested.
    Some,
    /// Every row passes.
    All,
}

/// What the summaries of a chunk's segments say of a key.
pub fn verdict(key: &CompiledKey, segments: &[Segment]) -> Verdict {
    match key {
        CompiledKey::Column { column, test } => of_test(test, &segments[*column].summary),
        CompiledKey::Row { .. } => Verdict::Some,
        CompiledKey::AnyOf(groups) => {
            let mut any = Verdict::None;
            for group in groups {
                let mut all = Verdict::All;
                for key in group {
                    match verdict(key, segments) {
                        Verdict::None => {
                            all = Verdict::None;
                            break;
                        }
                        Verdict::Some => all = Verdict::Some,
                        Verdict::All => {}
                    }
                }
                match all {
                    Verdict::All => return Verdict::All,
                    Verdict::Some => any = Verdict::Some,
                    Verdict::None => {}
                }
            }
            any
        }
    }
}

fn of_test(test: &Test, summary: &Summary) -> Verdict {
    match (test, summary.nulls) {
        (Test::Always, _) | (Test::Null, Nulls::All) | (Test::NotNull, Nulls::None) => {
            return Verdict::All;
        }
        (Test::Null, Nulls::None) | (Test::NotNull, Nulls::All) => return Verdict::None,
        (Test::Null | Test::NotNull | Test::Boolean(_), _) => return Verdict::Some,
        // The others are true of no NULL.
        (_, Nulls::All) => return Verdict::None,
        (_, Nulls::Some | Nulls::None) => {}
    }
    let of_values = match (test, &summary.bounds) {
        (Test::Range(range), &Bounds::Numbers(least, greatest)) => {
            of_range(*range, least, greatest)
        }
        (
            Test::Number {
                elements: Elements::Few(values),
                negated: false,
                ..
            },
            &Bounds::Numbers(least, greatest),
        ) if values.iter().all(|&v| v < least || greatest < v) => Verdict::None,
        (Test::Text { op, value, .. }, Bounds::Texts(least, greatest)) => {
            of_comparison(*op, (**least).cmp(value), (**greatest).cmp(value))
        }
        (Test::Numeric { op, value }, Bounds::Numerics(least, greatest)) => {
            of_comparison(*op, least.cmp(value), greatest.cmp(value))
        }
        (Test::Prefix(prefix), Bounds::Texts(least, greatest)) => {
            let beyond = |bound: &[u8]| bound[..bound.len().min(prefix.len())].cmp(&prefix[..]);
            match (beyond(least), beyond(greatest)) {
                (Ordering::Greater, _) | (_, Ordering::Less) => Verdict::None,
                _ => Verdict::Some,
            }
        }
        _ => Verdict::Some,
    };
    match (of_values, summary.nulls) {
        (Verdict::All, Nulls::Some) => Verdict::Some,
        (verdict, _) => verdict,
    }
}

/// `contains` is a question of one interval, so the ends tell of what lies between.
fn of_range(range: Range, least: i64, greatest: i64) -> Verdict {
    let last = range.least.wrapping_add(range.span as i64);
    let (within, outside) = if range.negated {
        (Verdict::None, Verdict::All)
    } else {
        (Verdict::All, Verdict::None)
    };
    if greatest < range.least || last < least {
        outside
    } else if range.least <= least && greatest <= last {
        within
    } else {
        Verdict::Some
    }
}

/// `value op constant` for all values between two that stand so to the constant.
fn of_comparison(op: Comparison, least: Ordering, greatest: Ordering) -> Verdict {
    let inside = least.is_le() && greatest.is_ge();
    match op {
        Comparison::Eq if least.is_eq() && greatest.is_eq() => Verdict::All,
        Comparison::Eq if !inside => Verdict::None,
        Comparison::Ne if !inside => Verdict::All,
        Comparison::Ne if least.is_eq() && greatest.is_eq() => Verdict::None,
        Comparison::Eq | Comparison::Ne => Verdict::Some,
        op => match (op.holds(least), op.holds(greatest)) {
            (true, true) => Verdict::All,
            (false, false) => Verdict::None,
            _ => Verdict::Some,
        },
    }
}

/// Puts those of the rows `from..to` that pass into `passed`.
pub fn select(
    key: &CompiledKey,
    segments: &[Segment],
    from: usize,
    to: usize,
    passed: &mut Vec<u32>,
) {
    if let CompiledKey::Column {
        column,
        test: Test::Range(range),
    } = key
        && let segment = &segments[*column]
        && !matches!(segment.values, Values::Dictionary { .. })
    {
        passed.clear();
        match &segment.values {
            Values::Packed(packed) => {
                packed.select(from, to, range.least, range.span, range.negated, passed);
                drop_nulls(passed, 0, segment.nulls());
            }
            Values::Plain(column) => range.select(column, Rows::Range(from, to), passed),
            Values::Dictionary { .. } => {}
        }
        return;
    }
    passed.clear();
    passed.extend(from as u32..to as u32);
    retain(key, segments, passed);
}

/// Keeps the rows that pass.
pub fn retain(key: &CompiledKey, segments: &[Segment], passed: &mut Vec<u32>) {
    match key {
        CompiledKey::Column { column, test } => retain_column(test, &segments[*column], passed),
        CompiledKey::Row { .. } | CompiledKey::AnyOf(_) => {
            passed.retain(|&row| passes(key, segments, row as usize));
        }
    }
}

fn retain_column(test: &Test, segment: &Segment, passed: &mut Vec<u32>) {
    // A test of a text is made once for each different one.
    if let Values::Dictionary { codes, entries } = &segment.values
        && let Some(pass) = of_entries(test, entries)
    {
        passed.retain(|&row| {
            let row = row as usize;
            !segment.nulls().get(row) && pass[codes.get(row) as usize]
        });
        return;
    }
    passed.retain(|&row| column_passes(test, segment, row as usize));
}

/// Whether each entry of a dictionary passes; None for a test that is not of a text.
fn of_entries(test: &Test, entries: &Strings) -> Option<Vec<bool>> {
    let each = |pass: &dyn Fn(&[u8]) -> bool| {
        Some(
            (0..entries.len())
                .map(|code| pass(entries.bytes_of(code)))
                .collect(),
        )
    };
    match test {
        Test::Text { form, op, value } => each(&|text| text_passes(*op, form.seen(text), value)),
        Test::TextSet {
            form,
            elements,
            negated,
        } => each(&|text| elements.contains(form.seen(text)) != *negated),
        Test::Prefix(prefix) => each(&|text| text.starts_with(prefix)),
        _ => None,
    }
}

fn column_passes(test: &Test, segment: &Segment, row: usize) -> bool {
    if segment.nulls().get(row) {
        return match test {
            Test::Always | Test::Null => true,
            Test::Boolean(test) => test.of(None),
            _ => false,
        };
    }
    match test {
        Test::Always | Test::NotNull => true,
        Test::Null => false,
        Test::Boolean(test) => test.of(Some(segment.number(row) == 1)),
        Test::Range(range) => range.contains(segment.number(row)),
        Test::Number {
            elements, negated, ..
        } => elements.contains(&segment.number(row)) != *negated,
        Test::Text { form, op, value } => text_passes(*op, form.seen(segment.text(row)), value),
        Test::TextSet {
            form,
            elements,
            negated,
        } => elements.contains(form.seen(segment.text(row))) != *negated,
        Test::Prefix(prefix) => segment.text(row).starts_with(prefix),
        Test::Numeric { op, value } => op.holds(segment.numeric(row).cmp(value)),
        Test::NumericSet { elements, negated } => {
            elements.contains(&segment.numeric(row)) != *negated
        }
    }
}

fn passes(key: &CompiledKey, segments: &[Segment], row: usize) -> bool {
    match key {
        CompiledKey::Column { column, test } => column_passes(test, &segments[*column], row),
        CompiledKey::Row {
            columns,
            op,
            values,
        } => row_passes(columns, *op, values, segments, row),
        CompiledKey::AnyOf(groups) => groups
            .iter()
            .any(|group| group.iter().all(|key| passes(key, segments, row))),
    }
}

/// The rules of a row comparison, as in `ExecEvalRow`: equality needs all pairs equal and inequality
/// one pair different, NULLs aside; the others are decided by the first pair that is not equal.
fn row_passes(
    columns: &[usize],
    op: Comparison,
    values: &[Comparand],
    segments: &[Segment],
    row: usize,
) -> bool {
    for (&column, value) in columns.iter().zip(values) {
        let segment = &segments[column];
        let ordering = if segment.nulls().get(row) {
            None
        } else {
            match value {
                Comparand::Null => None,
                Comparand::Number(_, value) => Some(segment.number(row).cmp(value)),
                Comparand::Text(form, value) => Some(form.seen(segment.text(row)).cmp(value)),
                Comparand::Numeric(value) => Some(segment.numeric(row).cmp(value)),
            }
        };
        match (ordering, op) {
            (Some(Ordering::Equal), _) | (None, Comparison::Ne) => {}
            (None, _) | (Some(_), Comparison::Eq) => return false,
            (Some(_), Comparison::Ne) => return true,
            (Some(ordering), op) => return op.holds(ordering),
        }
    }
    op.holds(Ordering::Equal)
}
