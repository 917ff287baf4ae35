//! Structural equality of queries: two sub-selects that are written alike are one group.

use std::rc::Rc;

use super::same::{same, same_all, same_operator, same_option};
use super::{Body, From, Query, Select, Source, Sublink, SublinkKind};

pub(super) fn same_sublink(a: &Sublink, b: &Sublink) -> bool {
    use SublinkKind::*;
    let kinds = match (&a.kind, &b.kind) {
        (Exists, Exists) | (Scalar, Scalar) | (Array, Array) => true,
        (
            Any {
                test: s,
                operators: o,
            },
            Any {
                test: t,
                operators: p,
            },
        )
        | (
            All {
                test: s,
                operators: o,
            },
            All {
                test: t,
                operators: p,
            },
        ) => {
            same_all(s, t)
                && o.len() == p.len()
                && o.iter().zip(p).all(|(x, y)| same_operator(x, y))
        }
        _ => false,
    };
    kinds && same_query(&a.query, &b.query)
}

fn same_query(a: &Query, b: &Query) -> bool {
    let bodies = match (&a.body, &b.body) {
        (Body::Select(x), Body::Select(y)) => same_select(x, y),
        (Body::Values(x), Body::Values(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(r, s)| same_all(r, s))
        }
        (Body::UnionAll(x), Body::UnionAll(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(p, q)| same_query(p, q))
        }
        (
            Body::SetOperation {
                operation: o,
                all: m,
                parts: x,
            },
            Body::SetOperation {
                operation: p,
                all: n,
                parts: y,
            },
        ) => (o, m) == (p, n) && x.iter().zip(&**y).all(|(p, q)| same_query(p, q)),
        // Each recursion has a work table of its own.
        _ => false,
    };
    // WITH queries are known by numbers, which are never the same.
    bodies
        && a.with.is_empty()
        && b.with.is_empty()
        && a.order_by == b.order_by
        && same_option(a.limit.as_ref(), b.limit.as_ref())
        && same_option(a.offset.as_ref(), b.offset.as_ref())
}

fn same_select(a: &Select, b: &Select) -> bool {
    let ranges = a.range.len() == b.range.len()
        && a.range
            .iter()
            .zip(&b.range)
            .all(|(x, y)| same_source(&x.source, &y.source));
    let froms = match (&a.from, &b.from) {
        (Some(x), Some(y)) => same_from(x, y),
        (None, None) => true,
        _ => false,
    };
    let targets = a.targets.len() == b.targets.len()
        && a.targets
            .iter()
            .zip(&b.targets)
            .all(|(x, y)| x.hidden == y.hidden && same(&x.expr, &y.expr));
    ranges
        && froms
        && targets
        && (a.distinct, a.aggregated) == (b.distinct, b.aggregated)
        && a.distinct_on == b.distinct_on
        && same_option(a.filter.as_ref(), b.filter.as_ref())
        && same_option(a.having.as_ref(), b.having.as_ref())
        && same_all(&a.group_by, &b.group_by)
}

fn same_source(a: &Source, b: &Source) -> bool {
    match (a, b) {
        (Source::Table(x), Source::Table(y)) => Rc::ptr_eq(x, y),
        (
            Source::Subquery {
                query: x,
                barrier: m,
            },
            Source::Subquery {
                query: y,
                barrier: n,
            },
        ) => m == n && same_query(x, y),
        (Source::Function(x), Source::Function(y)) => same(x, y),
        (Source::Common { id: x, .. }, Source::Common { id: y, .. }) => x == y,
        _ => false,
    }
}

fn same_from(a: &From, b: &From) -> bool {
    match (a, b) {
        (From::Entry(x), From::Entry(y)) => x == y,
        (
            From::Join {
                kind: k,
                left: l,
                right: r,
                on: o,
            },
            From::Join {
                kind: m,
                left: p,
                right: q,
                on: n,
            },
        ) => k == m && same_from(l, p) && same_from(r, q) && same_option(o.as_ref(), n.as_ref()),
        _ => false,
    }
}
