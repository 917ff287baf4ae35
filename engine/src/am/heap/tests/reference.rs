//! What a key means, by SQL's definition: three truth values, element by element, pair by pair.
//! Shares nothing with the compiled keys.

use std::cmp::Ordering;

use crate::am::ScanKey;
use crate::value::{Comparison, Datum};

/// A row is returned where all keys are true.
pub fn all_true(keys: &[ScanKey], row: &[Datum]) -> bool {
    keys.iter().all(|key| truth(key, row) == Some(true))
}

/// Key tests made on a row, in the order of the columns looked at: up to the first key that is not true.
pub fn tests_made(keys: &[ScanKey], row: &[Datum]) -> u64 {
    let mut keys: Vec<&ScanKey> = keys.iter().collect();
    keys.sort_by_key(|key| key.last_column());
    let passed = keys
        .iter()
        .take_while(|key| truth(key, row) == Some(true))
        .count();
    (passed + 1).min(keys.len()) as u64
}

fn truth(key: &ScanKey, row: &[Datum]) -> Option<bool> {
    match key {
        ScanKey::Compare { column, op, value } => compare(*op, &row[*column], value),
        ScanKey::Array {
            column,
            op,
            any,
            array,
        } => {
            let Datum::Array(array) = array else {
                return None;
            };
            let tests =
                (0..array.len()).map(|i| compare(*op, &row[*column], &array.elements.get(i)));
            if *any { or(tests) } else { and(tests) }
        }
        ScanKey::Null { column, negated } => Some(row[*column].is_null() != *negated),
        ScanKey::Boolean { column, test } => Some(test.of(row[*column].as_bool())),
        ScanKey::Row {
            columns,
            op,
            values,
        } => {
            let pairs: Vec<(&Datum, &Datum)> =
                columns.iter().map(|&c| &row[c]).zip(values).collect();
            row_truth(*op, &pairs)
        }
        ScanKey::Prefix { column, prefix } => row[*column]
            .as_str()
            .map(|text| text.starts_with(&**prefix)),
        ScanKey::AnyOf(groups) => or(groups
            .iter()
            .map(|group| and(group.iter().map(|key| truth(key, row))))),
    }
}

fn and(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for truth in truths {
        match truth {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}

fn or(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    and(truths.map(|truth| truth.map(|t| !t))).map(|t| !t)
}

/// `(a, b) < (x, y)` is `a < x OR (a = x AND b < y)`; equality is a conjunction, inequality a disjunction.
fn row_truth(op: Comparison, pairs: &[(&Datum, &Datum)]) -> Option<bool> {
    match op {
        Comparison::Eq => and(pairs.iter().map(|(a, b)| compare(Comparison::Eq, a, b))),
        Comparison::Ne => or(pairs.iter().map(|(a, b)| compare(Comparison::Ne, a, b))),
        _ => {
            let [(a, b), rest @ ..] = pairs else {
                return None;
            };
            if rest.is_empty() {
                return compare(op, a, b);
            }
            let strict = match op {
                Comparison::Le => Comparison::Lt,
                Comparison::Ge => Comparison::Gt,
                op => op,
            };
            let equal = compare(Comparison::Eq, a, b);
            or([
                compare(strict, a, b),
                and([equal, row_truth(op, rest)].into_iter()),
            ]
            .into_iter())
        }
    }
}

fn compare(op: Comparison, a: &Datum, b: &Datum) -> Option<bool> {
    if a.is_null() || b.is_null() {
        None
    } else {
        Some(op.holds(order(a, b)))
    }
}

fn order(a: &Datum, b: &Datum) -> Ordering {
    match (a, b) {
        (Datum::Bool(a), Datum::Bool(b)) => a.cmp(b),
        (Datum::Text(a), Datum::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Datum::Numeric(a), Datum::Numeric(b)) => a.cmp(b),
        (Datum::Date(a), Datum::Date(b)) => a.cmp(b),
        (Datum::Timestamp(a), Datum::Timestamp(b)) => a.cmp(b),
        _ => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => order_floats(float(a), float(b)),
        },
    }
}

fn float(value: &Datum) -> f64 {
    match value {
        Datum::Float4(v) => f64::from(*v),
        Datum::Float8(v) => *v,
        other => panic!("{other:?} is no float"),
    }
}

fn order_floats(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) if a < b => Ordering::Less,
        (false, false) if a > b => Ordering::Greater,
        (false, false) => Ordering::Equal,
    }
}
