//! ScanKeys: the conditions an executor hands to a table access method (mail 1, PostgreSQL's `skey.h`).

use std::rc::Rc;

use crate::value::{BooleanTest, Comparison, Datum, Type};

/// What a key will look like, without its values: the question at planning time.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyShape {
    /// `column op value`; the two types may differ within a family (int4/int8, float4/float8).
    Compare {
        column: Type,
        op: Comparison,
        value: Type,
    },
    /// `column op ANY (array)`, or ALL.
    Array {
        column: Type,
        op: Comparison,
        any: bool,
        element: Type,
    },
    /// `column IS [NOT] NULL`, any type.
    Null,
    /// A boolean column, `IS TRUE` and its kin.
    Boolean,
    /// `(a, b) op (x, y)`
    Row {
        columns: Vec<Type>,
        op: Comparison,
        values: Vec<Type>,
    },
    /// `column LIKE 'abc%'`: rows that start so are candidates.
    Prefix,
    /// An OR of ANDed groups.
    AnyOf(Vec<Vec<KeyShape>>),
}

/// What an access method promises for a key. The answer says what the executor does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeySupport {
    /// The key is not handed over; the executor evaluates the condition.
    No,
    /// Rows that fail may be filtered out early; the executor evaluates the condition again.
    Inexact,
    /// Every row returned satisfies the key; the executor drops the condition.
    Exact,
}

/// One condition with its values. A scan returns only rows for which all its keys are true.
#[derive(Clone, Debug)]
pub enum ScanKey {
    Compare {
        column: usize,
        op: Comparison,
        value: Datum,
    },
    /// `array` is `Datum::Array` or NULL.
    Array {
        column: usize,
        op: Comparison,
        any: bool,
        array: Datum,
    },
    Null {
        column: usize,
        negated: bool,
    },
    Boolean {
        column: usize,
        test: BooleanTest,
    },
    Row {
        columns: Vec<usize>,
        op: Comparison,
        values: Vec<Datum>,
    },
    Prefix {
        column: usize,
        prefix: Rc<str>,
    },
    AnyOf(Vec<Vec<ScanKey>>),
}

impl ScanKey {
    /// Keys in the order in which every access method tests them: by the columns they look at.
    pub fn in_column_order(keys: &[ScanKey]) -> Vec<&ScanKey> {
        let mut ordered: Vec<&ScanKey> = keys.iter().collect();
        ordered.sort_by_key(|key| key.last_column());
        ordered
    }

    /// The highest table column the key looks at: a tuple is deformed up to there, and no further.
    pub fn last_column(&self) -> usize {
        match self {
            ScanKey::Compare { column, .. }
            | ScanKey::Array { column, .. }
            | ScanKey::Null { column, .. }
            | ScanKey::Boolean { column, .. }
            | ScanKey::Prefix { column, .. } => *column,
            ScanKey::Row { columns, .. } => columns.iter().copied().max().unwrap_or(0),
            ScanKey::AnyOf(groups) => groups
                .iter()
                .flatten()
                .map(ScanKey::last_column)
                .max()
                .unwrap_or(0),
        }
    }
}
