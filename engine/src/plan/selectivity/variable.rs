//! What is known of a column that a condition looks at (`VariableStatData`).

use super::{DEFAULT_DISTINCT, RelStatistics, Statistics, column_of};
use crate::bind::{Expr, Var};
use crate::catalog::ColumnStatistics;
use crate::plan::cost::clamp_rows;
use crate::value::{Column, Datum, Type, compare_values};
use std::cmp::Ordering;

/// An expression over one relation, mostly a column (`examine_variable`).
#[derive(Clone, Copy)]
pub(super) struct Variable<'a> {
    pub ty: Type,
    pub rel: Option<&'a RelStatistics>,
    pub column: Option<&'a ColumnStatistics>,
    unique: bool,
}

/// How many values a variable has.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Distinct {
    pub count: f64,
    /// Nothing is known: it is `DEFAULT_NUM_DISTINCT`.
    pub is_default: bool,
}

impl<'a> Statistics<'a> {
    /// `None`: the expression has no column.
    pub(super) fn variable(&self, expr: &Expr) -> Option<Variable<'a>> {
        if let Some(Var { rel, column, .. }) = column_of(expr) {
            let rel = self.rels.get(rel);
            return Some(Variable {
                ty: expr.ty,
                rel,
                column: rel.and_then(|rel| rel.columns.get(column)?.as_deref()),
                unique: rel.is_some_and(|rel| rel.unique == Some(column)),
            });
        }
        let rels = crate::plan::walk::rels_of(expr);
        let first = rels.iter().next()?;
        let only = rels.iter().nth(1).is_none();
        Some(Variable {
            ty: expr.ty,
            rel: only.then(|| self.rels.get(first)).flatten(),
            column: None,
            unique: false,
        })
    }

    /// `get_variable_numdistinct`
    pub fn distinct(&self, expr: &Expr) -> Distinct {
        self.variable(expr)
            .map_or(Distinct::DEFAULT, |variable| variable.distinct())
    }
}

impl Distinct {
    const DEFAULT: Distinct = Distinct {
        count: DEFAULT_DISTINCT,
        is_default: true,
    };

    fn of(count: f64) -> Distinct {
        Distinct {
            count: clamp_rows(count),
            is_default: false,
        }
    }
}

impl Variable<'_> {
    pub fn null_fraction(&self) -> f64 {
        self.column
            .map_or(0.0, |known| f64::from(known.null_fraction))
    }

    /// The common values and their frequencies.
    pub fn common(&self) -> Option<(&Column, &[f32])> {
        let common = self.column?.common.as_ref()?;
        Some((&common.values, &common.frequencies))
    }

    pub fn sum_of_common(&self) -> f64 {
        self.common().map_or(0.0, |(_, frequencies)| {
            frequencies.iter().map(|&f| f64::from(f)).sum()
        })
    }

    /// One row of the relation at most has any value.
    pub fn unique_rows(&self) -> Option<f64> {
        self.rel
            .filter(|rel| self.unique && rel.tuples >= 1.0)
            .map(|rel| rel.tuples)
    }

    pub fn distinct(&self) -> Distinct {
        let known = match self.column {
            _ if self.unique => -(1.0 - self.null_fraction()),
            Some(column) => f64::from(column.distinct),
            None if self.ty == Type::BOOL => 2.0,
            None => 0.0,
        };
        if known > 0.0 {
            return Distinct::of(known);
        }
        match self.rel.map(|rel| rel.tuples) {
            Some(tuples) if tuples > 0.0 && known < 0.0 => Distinct::of(-known * tuples),
            Some(tuples) if tuples > 0.0 && tuples < DEFAULT_DISTINCT => Distinct::of(tuples),
            _ => Distinct::DEFAULT,
        }
    }
}

/// A constant as a column of one row, if it can be compared with values of type `ty`.
pub(super) fn comparable(value: &Datum, of: Type, ty: Type) -> Option<Column> {
    if value.is_null() || !value.fits(of) || !(of == ty || same_family(of, ty)) {
        return None;
    }
    let mut column = Column::new(of);
    column.push(value);
    Some(column)
}

/// True if columns of the two types compare by their values as they are.
pub(super) fn same_family(a: Type, b: Type) -> bool {
    use crate::value::Base::*;
    let all = |bases: &[crate::value::Base]| bases.contains(&a.base) && bases.contains(&b.base);
    a == b
        || a.is_string() && b.is_string()
        || !a.array && !b.array && (all(&[Int2, Int4, Int8]) || all(&[Float4, Float8]))
}

/// The order of row `row` and the constant.
pub(super) fn order(values: &Column, row: usize, constant: &Column) -> Ordering {
    compare_values(values, row, constant, 0)
}
