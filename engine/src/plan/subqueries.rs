//! Sub-selects in FROM that stay sub-selects: conditions that may go in, columns that nobody reads.

use super::planner::Planner;
use super::quals::{Qual, VarSet};
use crate::bind::walk::{contains, is_volatile, returns_set};
use crate::bind::{Body, CastMethod, Expr, ExprKind, Query, Select, SetOperation};
use crate::catalog::FunctionFacts;
use crate::value::{Base, Datum, Type};

impl Planner<'_> {
    /// Moves conditions on a sub-select's columns into it, where they remove rows earlier
    /// (`subquery_push_qual`). What must stay comes back. Nothing that might leak goes behind a barrier.
    pub fn push_into(
        &self,
        rel: usize,
        query: &mut Query,
        barrier: bool,
        quals: Vec<Qual>,
    ) -> Vec<Expr> {
        let mut kept = Vec::new();
        for Qual { expr, .. } in quals {
            let safe = !is_volatile(&expr)
                && !self.has_pending(&expr)
                && (!barrier || is_leakproof(&expr))
                && takes(query, rel, &expr);
            if safe {
                add(query, &expr)
            } else {
                kept.push(expr)
            }
        }
        kept
    }
}

/// True if the query may evaluate a condition on these of its columns itself.
fn takes(query: &Query, rel: usize, condition: &Expr) -> bool {
    if query.limit.is_some() || query.offset.is_some() {
        return false;
    }
    match &query.body {
        Body::Values(_) | Body::Recursive { .. } => false,
        Body::UnionAll(parts) => parts.iter().all(|part| takes(part, rel, condition)),
        // EXCEPT would give what a side no longer has.
        Body::SetOperation {
            operation: SetOperation::Except,
            ..
        } => false,
        Body::SetOperation { parts, .. } => parts.iter().all(|part| takes(part, rel, condition)),
        Body::Select(select) => {
            let mut safe = true;
            crate::bind::walk::each_var(condition, &mut |var, _| {
                safe &= var.rel == rel
                    && (select.distinct_on.is_empty() || select.distinct_on.contains(&var.column))
                    && select
                        .targets
                        .get(var.column)
                        .is_some_and(|target| is_safe(&target.expr));
            });
            safe
        }
    }
}

/// A target whose value for a row does not depend on which rows there are.
fn is_safe(target: &Expr) -> bool {
    !returns_set(target)
        && !is_volatile(target)
        && !contains(target, &|e| matches!(e.kind, ExprKind::Sublink(_)))
}

fn add(query: &mut Query, condition: &Expr) {
    match &mut query.body {
        Body::Values(_) | Body::Recursive { .. } => {}
        Body::UnionAll(parts) => parts.iter_mut().for_each(|part| add(part, condition)),
        Body::SetOperation { parts, .. } => {
            parts.iter_mut().for_each(|part| add(part, condition));
        }
        Body::Select(select) => {
            let condition = over_targets(condition.clone(), select);
            // After grouping the condition is one on groups; HAVING gives those on group columns on.
            let place = if select.aggregated {
                &mut select.having
            } else {
                &mut select.filter
            };
            *place = Some(match place.take() {
                None => condition,
                Some(known) => Expr::new(ExprKind::And(vec![known, condition]), Type::BOOL),
            });
        }
    }
}

fn over_targets(mut expr: Expr, select: &Select) -> Expr {
    crate::bind::walk::each_mut(&mut expr, 0, &mut |e, _| {
        if let ExprKind::Var(var) = e.kind {
            *e = select.targets[var.column].expr.clone();
        }
    });
    expr
}

/// Computes NULL for the targets that nobody reads (`remove_unused_subquery_outputs`).
pub(super) fn drop_unread_targets(query: &mut Query, rel: usize, needed: &VarSet) {
    let mut read: Vec<bool> = (0..query.columns.len())
        .map(|column| needed.contains(&(rel, column)))
        .collect();
    drop_targets(query, &mut read);
}

fn drop_targets(query: &mut Query, read: &mut [bool]) {
    let order_by = query.order_by.iter().map(|key| key.target);
    match &mut query.body {
        // What is left out of one side could make its rows alike.
        Body::Values(_) | Body::SetOperation { .. } | Body::Recursive { .. } => {}
        Body::UnionAll(parts) => {
            let mut read = read.to_vec();
            order_by.for_each(|target| read[target] = true);
            parts
                .iter_mut()
                .for_each(|part| drop_targets(part, &mut read));
        }
        Body::Select(select) => {
            if select.distinct {
                return;
            }
            let order_by: Vec<usize> = order_by.collect();
            for (i, target) in select.targets.iter_mut().enumerate() {
                let unread = !target.hidden
                    && !read.get(i).copied().unwrap_or(true)
                    && !order_by.contains(&i);
                if unread && !returns_set(&target.expr) && !is_volatile(&target.expr) {
                    target.expr.kind = ExprKind::Const(Datum::Null);
                }
            }
        }
    }
}

/// `contain_leaked_vars`, turned round: no function in it tells anything of its arguments but by its
/// result.
pub(super) fn is_leakproof(expr: &Expr) -> bool {
    let is_own = |function: &FunctionFacts| function.leakproof;
    let own = match &expr.kind {
        ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } => is_own(function),
        ExprKind::Distinct { equal, .. } | ExprKind::NullIf { equal, .. } => {
            is_own(&equal.function)
        }
        ExprKind::MinMax { less, .. } => is_own(&less.function),
        ExprKind::ScalarArray { operator, .. } => is_own(&operator.function),
        ExprKind::RowCompare { operators, .. } => {
            operators.iter().all(|operator| is_own(&operator.function))
        }
        ExprKind::Cast { arg, method, .. } => match method {
            CastMethod::Relabel => true,
            CastMethod::Convert => is_leakproof_cast(arg.ty, expr.ty),
            CastMethod::InOut | CastMethod::Typmod => false,
        },
        ExprKind::Subscript { .. } | ExprKind::Sublink(_) | ExprKind::Aggregate(_) => false,
        _ => true,
    };
    let reads_rows = contains(expr, &|e| {
        matches!(e.kind, ExprKind::Var(_) | ExprKind::Slot(_))
    });
    let mut all = own || !reads_rows;
    expr.each_child(|child| all = all && is_leakproof(child));
    all
}

/// The casts whose functions PostgreSQL marks leakproof (`pg_cast`, `pg_proc`): they cannot fail.
fn is_leakproof_cast(from: Type, to: Type) -> bool {
    use Base::*;
    !from.array
        && matches!(
            (from.base, to.base),
            (Bool, Int4)
                | (Int4, Bool)
                | (Int2, Int4 | Int8 | Float4 | Float8 | Numeric)
                | (Int4, Int8 | Float4 | Float8 | Numeric)
                | (Int8, Float4 | Float8 | Numeric)
                | (Float4, Float8 | Numeric)
                | (Float8, Numeric)
        )
}
