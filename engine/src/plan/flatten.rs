//! Simple sub-selects in FROM become part of the query around them (`pull_up_subqueries`): their
//! tables join the range table, their conditions the conditions, their targets replace references.

use super::planner::Planner;
use crate::bind::walk::{contains, each_in_select_mut, each_outer_var, is_volatile, returns_set};
use crate::bind::{Body, Expr, ExprKind, From, JoinKind, Query, Select, Source, Var};
use crate::error::Result;
use crate::value::{Datum, Type};

impl Planner<'_> {
    /// Pulls up until nothing simple is left. Entries that were pulled up stay in the range table,
    /// unreferenced, so that no other entry changes its number.
    pub fn flatten(&self, mut select: Select) -> Result<Select> {
        super::sublinks::pull_up(&mut select);
        while let Some(rel) = select
            .from
            .as_ref()
            .and_then(|from| candidate(from, &select, Above::Nothing))
        {
            pull_up(&mut select, rel);
        }
        Ok(select)
    }
}

/// What the joins above an entry do to its rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Nothing,
    /// An outer join may fill its columns with NULLs.
    Nulls,
    /// As Nulls, by a full join, which has no place for a condition on one side.
    FullJoin,
}

/// An entry of the join tree that can be pulled up.
fn candidate(from: &From, select: &Select, above: Above) -> Option<usize> {
    let From::Join {
        kind, left, right, ..
    } = from
    else {
        let From::Entry(rel) = from else { return None };
        return is_simple(&select.range[*rel].source, above).then_some(*rel);
    };
    let (of_left, of_right) = match kind {
        JoinKind::Inner | JoinKind::Semi | JoinKind::Anti => (above, above),
        JoinKind::Left => (above, Above::Nulls),
        JoinKind::Full => (Above::FullJoin, Above::FullJoin),
    };
    candidate(left, select, of_left).or_else(|| candidate(right, select, of_right))
}

/// `is_simple_subquery`. On the nullable side only columns can stand for targets: anything else
/// would not become NULL there.
fn is_simple(source: &Source, above: Above) -> bool {
    let nullable = above != Above::Nothing;
    let Source::Subquery {
        query,
        barrier: false,
    } = source
    else {
        return false;
    };
    let Body::Select(select) = &query.body else {
        return false;
    };
    let plain = query.order_by.is_empty()
        && query.with.is_empty()
        && query.limit.is_none()
        && query.offset.is_none()
        && !select.aggregated
        && !select.distinct
        && select.from.is_some()
        && (above != Above::FullJoin || select.filter.is_none());
    plain
        && !(nullable && looks_out(query))
        && select.targets.iter().all(|target| {
            let expr = &target.expr;
            !returns_set(expr)
                && !is_volatile(expr)
                && !contains(expr, &|e| matches!(e.kind, ExprKind::Sublink(_)))
                && (!nullable || matches!(expr.kind, ExprKind::Var(Var { up: 0, .. })))
        })
}

/// True for a lateral or correlated one.
fn looks_out(query: &Query) -> bool {
    let mut found = false;
    each_outer_var(query, &mut |_, _| found = true);
    found
}

fn pull_up(select: &mut Select, rel: usize) {
    let nothing = Source::Function(Box::new(Expr::constant(Datum::Null, Type::UNKNOWN)));
    let Source::Subquery { query, .. } = std::mem::replace(&mut select.range[rel].source, nothing)
    else {
        return;
    };
    let lateral = looks_out(&query);
    let Body::Select(mut inner) = query.body else {
        return;
    };
    // Its own sub-selects first: afterwards its WHERE is one with that of the query around it, whose
    // sub-selects have been looked at. A lateral one's may look at an entry that the join they would
    // become does not hold.
    if !lateral {
        super::sublinks::pull_up(&mut inner);
    }
    let offset = select.range.len();
    each_in_select_mut(&mut inner, 0, &mut |expr, depth| {
        if let ExprKind::Var(var) = &mut expr.kind {
            match var.up.cmp(&depth) {
                std::cmp::Ordering::Equal => var.rel += offset,
                std::cmp::Ordering::Greater => var.up -= 1,
                std::cmp::Ordering::Less => {}
            }
        }
    });
    let Select {
        range,
        from,
        filter,
        targets,
        ..
    } = *inner;
    select.range.extend(range);
    if let (Some(outer), Some(mut from)) = (&mut select.from, from) {
        renumber(&mut from, offset);
        let left_over = replace(outer, rel, &mut Some(from), filter);
        add_condition(&mut select.filter, left_over);
    }
    let targets: Vec<Expr> = targets.into_iter().map(|target| target.expr).collect();
    each_in_select_mut(select, 0, &mut |expr, depth| {
        if let ExprKind::Var(var) = expr.kind
            && var.up == depth
            && var.rel == rel
        {
            let mut target = targets[var.column].clone();
            crate::bind::walk::further_in(&mut target, depth);
            *expr = target;
        }
    });
}

pub(super) fn renumber(from: &mut From, offset: usize) {
    match from {
        From::Entry(rel) => *rel += offset,
        From::Join { left, right, .. } => {
            renumber(left, offset);
            renumber(right, offset);
        }
    }
}

/// Puts `with` in the place of entry `rel`. The pulled-up condition goes to the ON of the outer join
/// whose nullable side it is on; without one it comes back, for WHERE.
fn replace(
    from: &mut From,
    rel: usize,
    with: &mut Option<From>,
    condition: Option<Expr>,
) -> Option<Expr> {
    match from {
        From::Entry(entry) => {
            if *entry == rel
                && let Some(with) = with.take()
            {
                *from = with;
            }
            condition
        }
        From::Join {
            kind,
            left,
            right,
            on,
        } => {
            if holds(left, rel) {
                return replace(left, rel, with, condition);
            }
            let condition = replace(right, rel, with, condition);
            match kind {
                JoinKind::Inner | JoinKind::Full => condition,
                JoinKind::Left | JoinKind::Semi | JoinKind::Anti => {
                    add_condition(on, condition);
                    None
                }
            }
        }
    }
}

fn holds(from: &From, rel: usize) -> bool {
    match from {
        From::Entry(entry) => *entry == rel,
        From::Join { left, right, .. } => holds(left, rel) || holds(right, rel),
    }
}

/// The pulled-up condition comes first: PostgreSQL too tests the conditions of what is further in first.
fn add_condition(to: &mut Option<Expr>, condition: Option<Expr>) {
    let Some(condition) = condition else { return };
    *to = Some(match to.take() {
        None => condition,
        Some(known) => Expr::new(ExprKind::And(vec![condition, known]), Type::BOOL),
    });
}
