//! Structural equality of expressions (PostgreSQL's `equal()`): positions do not count.

use crate::bind::{Expr, ExprKind, Notation};
use crate::catalog::{FunctionRef, OperatorRef};
use crate::value::Datum;

/// True if the two expressions are the same by their form.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    use ExprKind::*;
    if a.ty != b.ty || a.typmod != b.typmod {
        return false;
    }
    match (&a.kind, &b.kind) {
        (Const(x), Const(y)) => same_datum(x, y),
        (Var(x), Var(y)) => x == y,
        (Slot(x), Slot(y)) | (Param(x), Param(y)) | (Argument(x), Argument(y)) => x == y,
        (CaseValue, CaseValue) => true,
        (
            Call {
                function: f,
                notation: n,
                args: x,
            },
            Call {
                function: g,
                notation: m,
                args: y,
            },
        ) => same_function(f, g) && same_notation(n, m) && same_all(x, y),
        (
            SqlCall {
                function: f,
                args: x,
                ..
            },
            SqlCall {
                function: g,
                args: y,
                ..
            },
        ) => same_function(f, g) && same_all(x, y),
        (And(x), And(y)) | (Or(x), Or(y)) | (Coalesce(x), Coalesce(y)) | (Array(x), Array(y)) => {
            same_all(x, y)
        }
        (Not(x), Not(y)) => same(x, y),
        (NullTest { arg: x, negated: m }, NullTest { arg: y, negated: n }) => m == n && same(x, y),
        (BooleanTest { arg: x, test: s }, BooleanTest { arg: y, test: t }) => s == t && same(x, y),
        (
            Distinct {
                equal: e,
                left: l,
                right: r,
                negated: m,
            },
            Distinct {
                equal: f,
                left: p,
                right: q,
                negated: n,
            },
        ) => m == n && same_operator(e, f) && same(l, p) && same(r, q),
        (
            NullIf {
                equal: e,
                left: l,
                right: r,
            },
            NullIf {
                equal: f,
                left: p,
                right: q,
            },
        ) => same_operator(e, f) && same(l, p) && same(r, q),
        (
            Case {
                operand: o,
                arms: x,
                otherwise: e,
            },
            Case {
                operand: p,
                arms: y,
                otherwise: f,
            },
        ) => {
            same_option(o.as_deref(), p.as_deref())
                && same_option(e.as_deref(), f.as_deref())
                && x.len() == y.len()
                && x.iter()
                    .zip(y)
                    .all(|((w, t), (v, u))| same(w, v) && same(t, u))
        }
        (
            MinMax {
                greatest: g,
                args: x,
                ..
            },
            MinMax {
                greatest: h,
                args: y,
                ..
            },
        ) => g == h && same_all(x, y),
        (
            ScalarArray {
                operator: o,
                any: m,
                left: l,
                array: x,
            },
            ScalarArray {
                operator: p,
                any: n,
                left: k,
                array: y,
            },
        ) => m == n && same_operator(o, p) && same(l, k) && same(x, y),
        (
            RowCompare {
                op: o,
                operators: s,
                left: l,
                right: r,
            },
            RowCompare {
                op: p,
                operators: t,
                left: k,
                right: q,
            },
        ) => {
            o == p
                && s.len() == t.len()
                && s.iter().zip(t).all(|(x, y)| same_operator(x, y))
                && same_all(l, k)
                && same_all(r, q)
        }
        (Subscript { array: x, index: i }, Subscript { array: y, index: j }) => {
            same(x, y) && same(i, j)
        }
        (
            Cast {
                arg: x, method: m, ..
            },
            Cast {
                arg: y, method: n, ..
            },
        ) => m == n && same(x, y),
        (Sublink(x), Sublink(y)) => super::same_query::same_sublink(x, y),
        (Aggregate(x), Aggregate(y)) => {
            same_function(&x.function, &y.function)
                && x.distinct == y.distinct
                && same_all(&x.args, &y.args)
                && same_orders(&x.order_by, &y.order_by)
                && same_option(x.filter.as_ref(), y.filter.as_ref())
        }
        _ => false,
    }
}

fn same_orders(a: &[super::AggregateOrder], b: &[super::AggregateOrder]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| {
            (x.descending, x.nulls_first) == (y.descending, y.nulls_first) && same(&x.expr, &y.expr)
        })
}

pub(super) fn same_all(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y))
}

pub(super) fn same_option(a: Option<&Expr>, b: Option<&Expr>) -> bool {
    match (a, b) {
        (Some(x), Some(y)) => same(x, y),
        (None, None) => true,
        _ => false,
    }
}

fn same_notation(a: &Notation, b: &Notation) -> bool {
    match (a, b) {
        (Notation::Function, Notation::Function) => true,
        (Notation::Operator(x), Notation::Operator(y)) => same_operator(x, y),
        _ => false,
    }
}

fn same_function(a: &FunctionRef, b: &FunctionRef) -> bool {
    a.name == b.name && a.args == b.args
}

pub(crate) fn same_operator(a: &OperatorRef, b: &OperatorRef) -> bool {
    a.name == b.name && a.left == b.left && a.right == b.right
}

fn same_datum(a: &Datum, b: &Datum) -> bool {
    match (a, b) {
        (Datum::Null, Datum::Null) => true,
        (Datum::Bool(x), Datum::Bool(y)) => x == y,
        (Datum::Int2(x), Datum::Int2(y)) => x == y,
        (Datum::Int4(x), Datum::Int4(y)) | (Datum::Date(x), Datum::Date(y)) => x == y,
        (Datum::Int8(x), Datum::Int8(y)) | (Datum::Timestamp(x), Datum::Timestamp(y)) => x == y,
        // A month and 30 days are equal and differ as expressions.
        (Datum::Interval(x), Datum::Interval(y)) => x.parts() == y.parts(),
        (Datum::Float4(x), Datum::Float4(y)) => x.to_bits() == y.to_bits(),
        (Datum::Float8(x), Datum::Float8(y)) => x.to_bits() == y.to_bits(),
        // 1.0 and 1.00 are equal as numbers and differ as expressions.
        (Datum::Numeric(x), Datum::Numeric(y)) => x.to_string() == y.to_string(),
        (Datum::Text(x), Datum::Text(y)) => x == y,
        (Datum::Array(x), Datum::Array(y)) => {
            x.len() == y.len()
                && x.element_type() == y.element_type()
                && (0..x.len()).all(|i| same_datum(&x.elements.get(i), &y.elements.get(i)))
        }
        _ => false,
    }
}
