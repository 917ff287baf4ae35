//! EXISTS and IN sub-selects of WHERE become semi and anti joins (`pull_up_sublinks` in
//! `prepjointree.c`, `convert_EXISTS_sublink_to_join` and `convert_ANY_sublink_to_join` in
//! `subselect.c`).
//!
//! NOT IN stays a sub-select: its NULLs are not those of an anti join.

use std::rc::Rc;

use super::flatten::renumber;
use super::joins::rels_in;
use super::quals::{conjunction, split};
use super::walk::{
    Rels, contains, each, each_in_select_mut, each_outer_var, each_var, is_volatile, returns_set,
};
use crate::bind::{
    Body, Expr, ExprKind, From, JoinKind, Notation, Query, RangeEntry, Select, Source, Sublink,
    SublinkKind, Var,
};
use crate::catalog::OperatorRef;
use crate::value::{Datum, Type};

/// A sub-select as the right side of a join.
struct Joined {
    kind: JoinKind,
    right: From,
    on: Expr,
}

/// Turns what can be turned, in WHERE and in ON conditions.
pub(super) fn pull_up(select: &mut Select) {
    let Some(mut from) = select.from.take() else {
        return;
    };
    let mut conditions = Vec::new();
    take_conditions(select, &mut from, &mut conditions);
    if let Some(filter) = select.filter.take() {
        split(filter, &mut conditions);
    }
    select.filter = pull_up_all(select, conditions, &mut from, &mut None);
    select.from = Some(from);
}

/// Collects the sub-selects of ON conditions that are as good as conditions of WHERE, and attaches
/// those of a left join's ON to its right side.
fn take_conditions(select: &mut Select, from: &mut From, hoisted: &mut Vec<Expr>) {
    let From::Join {
        kind,
        left,
        right,
        on,
    } = from
    else {
        return;
    };
    match kind {
        JoinKind::Inner => {
            take_conditions(select, left, hoisted);
            take_conditions(select, right, hoisted);
            let mut conditions = Vec::new();
            on.take()
                .into_iter()
                .for_each(|on| split(on, &mut conditions));
            let (subselects, plain) = conditions.into_iter().partition(is_subselect);
            let subselects: Vec<Expr> = subselects;
            hoisted.extend(subselects);
            *on = conjunction(plain);
        }
        JoinKind::Left => {
            take_conditions(select, left, hoisted);
            let mut conditions = Vec::new();
            on.take()
                .into_iter()
                .for_each(|on| split(on, &mut conditions));
            let mut none = From::Entry(usize::MAX);
            *on = pull_up_all(select, conditions, &mut none, &mut Some(right));
        }
        JoinKind::Full | JoinKind::Semi | JoinKind::Anti => {}
    }
}

fn is_subselect(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Sublink(link) => {
            matches!(link.kind, SublinkKind::Exists | SublinkKind::Any { .. })
        }
        ExprKind::Not(arg) => is_subselect(arg),
        _ => false,
    }
}

/// Attaches the sub-selects among the conditions to `left`, or to `right` where they look at nothing
/// else. The other conditions come back. A `left` of no entry takes none.
fn pull_up_all(
    select: &mut Select,
    conditions: Vec<Expr>,
    left: &mut From,
    right: &mut Option<&mut From>,
) -> Option<Expr> {
    let mut kept = Vec::new();
    for condition in conditions {
        let sides = Sides {
            left: match &*left {
                From::Entry(usize::MAX) => Rels::default(),
                left => rels_in(left),
            },
            right: right.as_deref().map_or_else(Rels::default, rels_in),
        };
        // What cannot be joined all the way down is not joined at all: a sub-select that looks at both
        // sides of a join has no row to be computed on.
        let nested = each_sublink(&condition) > 1;
        let before = nested.then(|| (condition.clone(), left.clone(), right.as_deref().cloned()));
        let entries = select.range.len();
        let joined = match condition.kind {
            ExprKind::Sublink(link) => {
                convert(select, link, false, &sides).map_err(ExprKind::Sublink)
            }
            ExprKind::Not(arg) => match arg.kind {
                ExprKind::Sublink(link) => convert(select, link, true, &sides).map_err(|link| {
                    let kind = ExprKind::Sublink(link);
                    ExprKind::Not(Box::new(Expr { kind, ..*arg }))
                }),
                kind => Err(ExprKind::Not(Box::new(Expr { kind, ..*arg }))),
            },
            kind => Err(kind),
        };
        match joined {
            Err(kind) => {
                kept.push(Expr { kind, ..condition });
                continue;
            }
            Ok((Side::Left, joined)) => attach(select, left, joined),
            Ok((Side::Right, joined)) => {
                if let Some(right) = right {
                    attach(select, right, joined);
                }
            }
        }
        let stuck = is_stuck(left) || right.as_deref().is_some_and(is_stuck);
        if let (true, Some((condition, old_left, old_right))) = (stuck, before) {
            *left = old_left;
            if let (Some(right), Some(old)) = (right.as_deref_mut(), old_right) {
                *right = old;
            }
            select.range.truncate(entries);
            kept.push(condition);
        }
    }
    conjunction(kept)
}

/// How many sub-selects an expression holds, one in another included.
fn each_sublink(expr: &Expr) -> usize {
    let mut found = 0;
    each(expr, 0, &mut |e, _| {
        found += usize::from(matches!(e.kind, ExprKind::Sublink(_)))
    });
    found
}

/// True if a semi or anti join has a correlated sub-select left in its condition.
fn is_stuck(from: &From) -> bool {
    let From::Join {
        kind,
        left,
        right,
        on,
    } = from
    else {
        return false;
    };
    let correlated = |e: &Expr| matches!(&e.kind, ExprKind::Sublink(link) if link.correlated);
    matches!(kind, JoinKind::Semi | JoinKind::Anti)
        && on.as_ref().is_some_and(|on| contains(on, &correlated))
        || is_stuck(left)
        || is_stuck(right)
}

/// The entries a sub-select may look at, on either side of a join.
struct Sides {
    left: Rels,
    right: Rels,
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

impl Sides {
    /// Where a sub-select that looks at these entries can be attached.
    fn side_of(&self, rels: &Rels) -> Option<Side> {
        if rels.is_empty() {
            None
        } else if rels.is_subset(&self.left) {
            Some(Side::Left)
        } else if rels.is_subset(&self.right) {
            Some(Side::Right)
        } else {
            None
        }
    }
}

/// Joins what `to` stands for with the sub-select, whose own sub-selects are pulled up in turn: an
/// anti join's can only be attached to its right side.
fn attach(select: &mut Select, to: &mut From, joined: Joined) {
    let Joined {
        kind,
        mut right,
        on,
    } = joined;
    let mut conditions = Vec::new();
    split(on, &mut conditions);
    let mut left = std::mem::replace(to, From::Entry(usize::MAX));
    let mut none = From::Entry(usize::MAX);
    let takes = match kind {
        JoinKind::Semi => &mut left,
        _ => &mut none,
    };
    let on = pull_up_all(select, conditions, takes, &mut Some(&mut right));
    *to = From::Join {
        kind,
        left: Box::new(left),
        right: Box::new(right),
        on,
    };
}

/// The join that stands for a sub-select; the sub-select itself where there is none.
fn convert(
    select: &mut Select,
    mut link: Box<Sublink>,
    negated: bool,
    sides: &Sides,
) -> Result<(Side, Joined), Box<Sublink>> {
    match &link.kind {
        SublinkKind::Exists => {
            let Some(side) = exists_side(&link.query, sides) else {
                return Err(link);
            };
            let kind = match negated {
                false => JoinKind::Semi,
                true => JoinKind::Anti,
            };
            match exists_joined(select, &mut link.query) {
                Some((right, on)) => Ok((side, Joined { kind, right, on })),
                None => Err(link),
            }
        }
        SublinkKind::Any { test, .. } if !negated => {
            let Some(side) = any_side(test, &link.query, sides) else {
                return Err(link);
            };
            let Sublink { kind, query, .. } = *link;
            match kind {
                SublinkKind::Any { test, operators } => {
                    Ok((side, any_joined(select, test, operators, query)))
                }
                kind => Err(Box::new(Sublink {
                    kind,
                    query,
                    correlated: link.correlated,
                })),
            }
        }
        _ => Err(link),
    }
}

/// Where an EXISTS can be attached, if its conditions alone look at the columns around it
/// (`simplify_EXISTS_query` and the checks of `convert_EXISTS_sublink_to_join`).
fn exists_side(query: &Query, sides: &Sides) -> Option<Side> {
    let Body::Select(inner) = &query.body else {
        return None;
    };
    let one_row_is_enough = match &query.limit {
        None => true,
        Some(limit) => match &limit.kind {
            ExprKind::Const(count) => count.is_null() || count.as_i64().is_some_and(|n| n > 0),
            _ => false,
        },
    };
    let sets = inner.targets.iter().any(|target| returns_set(&target.expr));
    let with = !query.with.is_empty();
    if !one_row_is_enough || query.offset.is_some() || inner.aggregated || sets || with {
        return None;
    }
    let (Some(from), Some(filter)) = (&inner.from, &inner.filter) else {
        return None;
    };
    if is_volatile(filter) {
        return None;
    }
    // What is not a condition must not look out of the sub-select: there is no LATERAL semi join.
    let mut looks_out = false;
    for entry in &inner.range {
        match &entry.source {
            Source::Table(_) | Source::Common { .. } | Source::WorkTable { .. } => {}
            Source::Subquery { query, .. } => {
                super::walk::each_in_query(query, 0, &mut |e, depth| {
                    looks_out |= matches!(e.kind, ExprKind::Var(var) if var.up == depth + 1);
                });
            }
            Source::Function(call) => each(call, 0, &mut |e, depth| {
                looks_out |= matches!(e.kind, ExprKind::Var(var) if var.up == depth + 1);
            }),
        }
    }
    super::walk::each_condition(from, &mut |on| {
        each(on, 0, &mut |e, depth| {
            looks_out |= matches!(e.kind, ExprKind::Var(var) if var.up == depth + 1);
        });
    });
    if looks_out {
        return None;
    }
    let (mut outer, mut own) = (Rels::default(), false);
    each(filter, 0, &mut |e, depth| {
        if let ExprKind::Var(var) = e.kind {
            own |= var.up == depth;
            if var.up == depth + 1 {
                outer.insert(var.rel);
            }
        }
    });
    sides.side_of(&outer).filter(|_| own)
}

/// The tables and the condition of an EXISTS, as part of the SELECT around it.
fn exists_joined(select: &mut Select, query: &mut Query) -> Option<(From, Expr)> {
    let offset = select.range.len();
    let Body::Select(inner) = &mut query.body else {
        return None;
    };
    inner.targets.clear();
    each_in_select_mut(inner, 0, &mut |expr, depth| {
        if let ExprKind::Var(var) = &mut expr.kind {
            match var.up.cmp(&depth) {
                std::cmp::Ordering::Equal => var.rel += offset,
                std::cmp::Ordering::Greater => var.up -= 1,
                std::cmp::Ordering::Less => {}
            }
        }
    });
    let (mut from, filter) = (inner.from.take()?, inner.filter.take()?);
    select.range.append(&mut inner.range);
    renumber(&mut from, offset);
    Some((from, filter))
}

/// Where `test op ANY (query)` can be attached: the query must not look at the columns around it,
/// the test must.
fn any_side(test: &[Expr], query: &Query, sides: &Sides) -> Option<Side> {
    let mut correlated = false;
    each_outer_var(query, &mut |_, _| correlated = true);
    let is_sublink = |e: &Expr| matches!(e.kind, ExprKind::Sublink(_));
    if correlated
        || test
            .iter()
            .any(|test| is_volatile(test) || contains(test, &is_sublink))
    {
        return None;
    }
    let mut rels = Rels::default();
    for test in test {
        each_var(test, &mut |var, _| rels.insert(var.rel));
    }
    sides.side_of(&rels)
}

fn any_joined(
    select: &mut Select,
    test: Vec<Expr>,
    operators: Vec<OperatorRef>,
    query: Query,
) -> Joined {
    let rel = select.range.len();
    let columns = query.columns.clone();
    let mut terms = Vec::with_capacity(test.len());
    for (column, (test, operator)) in test.into_iter().zip(operators).enumerate() {
        let known = &columns[column];
        let theirs = Expr {
            typmod: known.typmod,
            ..Expr::new(ExprKind::Var(Var { rel, column, up: 0 }), known.ty)
        };
        let kind = ExprKind::Call {
            function: Rc::clone(&operator.function),
            notation: Notation::Operator(operator),
            args: vec![test, theirs],
        };
        terms.push(Expr::new(kind, Type::BOOL));
    }
    select.range.push(RangeEntry {
        alias: "ANY_subquery".into(),
        columns,
        source: Source::Subquery {
            query: Box::new(query),
            barrier: false,
        },
    });
    Joined {
        kind: JoinKind::Semi,
        right: From::Entry(rel),
        on: conjunction(terms).unwrap_or_else(|| Expr::constant(Datum::Bool(true), Type::BOOL)),
    }
}
