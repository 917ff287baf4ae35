//! A correlated sub-select of one aggregate becomes a join with the aggregate of each group.
//!
//! `x < (SELECT avg(y) FROM t WHERE t.a = o.a)` looks at `t` once for every row of `o`. The same value is
//! that of the group of `a` in `SELECT a, avg(y) FROM t GROUP BY a` (Kim 1982, with the outer join of
//! Ganski and Wong 1987 for rows without a group):
//!
//! 1. the equalities of the sub-select's WHERE that name columns around it become join conditions,
//!    their inner sides the groups;
//! 2. the grouped sub-select is left-joined to the FROM clause;
//! 3. its value stands for the sub-select. Where there is no group and the aggregates of no rows are
//!    not NULL (`count`), a CASE says what they are.
//!
//! The join meets groups that the sub-select would never have been asked for, so nothing in it may
//! fail: expressions with functions that can raise errors stay as they are. PostgreSQL does not do
//! this; `enable_decorrelation` turns it off.

use std::rc::Rc;

use super::join_order::equality_of;
use super::planner::Planner;
use super::quals::{conjunction, split};
use crate::bind::walk::{contains, each, each_in_query, is_volatile};
use crate::bind::{
    Body, CastMethod, Expr, ExprKind, From, JoinKind, Notation, Query, RangeEntry, ResultColumn,
    Select, Source, SublinkKind, Target, Var,
};
use crate::error::Result;
use crate::settings::Name;
use crate::value::{Base, Datum, Type};

/// The name a grouped sub-select goes by in EXPLAIN.
pub(super) const ALIAS: &str = "decorrelated";

/// An equality of the sub-select's WHERE with a value from around it.
struct Correlation {
    inner: Expr,
    outer: Expr,
    equality: Expr,
    /// The inner side is written on the left.
    inner_first: bool,
}

impl Planner<'_> {
    /// Turns what can be turned, in the query and all its sub-selects.
    ///
    /// Errors: those of constant parts that PostgreSQL evaluates when planning.
    pub fn decorrelate(&self, query: &mut Query) -> Result<()> {
        if !self.settings.flag(Name::EnableDecorrelation) {
            return Ok(());
        }
        for common in &mut query.with {
            self.decorrelate(&mut common.query)?;
        }
        match &mut query.body {
            Body::Values(_) => Ok(()),
            Body::UnionAll(parts) => parts.iter_mut().try_for_each(|part| self.decorrelate(part)),
            Body::SetOperation { parts, .. } | Body::Recursive { parts, .. } => {
                parts.iter_mut().try_for_each(|part| self.decorrelate(part))
            }
            Body::Select(select) => self.decorrelate_select(select),
        }
    }

    fn decorrelate_select(&self, select: &mut Select) -> Result<()> {
        for entry in &mut select.range {
            if let Source::Subquery { query, .. } = &mut entry.source {
                self.decorrelate(query)?;
            }
        }
        let targets = select.targets.iter_mut().map(|target| &mut target.expr);
        for expr in targets
            .chain(&mut select.filter)
            .chain(&mut select.group_by)
            .chain(&mut select.having)
        {
            self.decorrelate_inside(expr)?;
        }
        if let Some(from) = &mut select.from {
            let mut failed = Ok(());
            super::walk::each_condition_mut(from, &mut |on| {
                if failed.is_ok() {
                    failed = self.decorrelate_inside(on);
                }
            });
            failed?;
        }
        let Some(filter) = select.filter.take() else {
            return Ok(());
        };
        let mut conditions = Vec::new();
        split(filter, &mut conditions);
        for condition in &mut conditions {
            self.replace_sublinks(condition, select)?;
        }
        select.filter = conjunction(conditions);
        Ok(())
    }

    /// The sub-selects in an expression.
    fn decorrelate_inside(&self, expr: &mut Expr) -> Result<()> {
        let mut failed = Ok(());
        expr.each_child_mut(|child| {
            if failed.is_ok() {
                failed = self.decorrelate_inside(child);
            }
        });
        failed?;
        match &mut expr.kind {
            ExprKind::Sublink(link) => self.decorrelate(&mut link.query),
            _ => Ok(()),
        }
    }

    fn replace_sublinks(&self, expr: &mut Expr, select: &mut Select) -> Result<()> {
        let mut failed = Ok(());
        expr.each_child_mut(|child| {
            if failed.is_ok() {
                failed = self.replace_sublinks(child, select);
            }
        });
        failed?;
        let ExprKind::Sublink(link) = &expr.kind else {
            return Ok(());
        };
        if !matches!(link.kind, SublinkKind::Scalar) || !link.correlated || select.from.is_none() {
            return Ok(());
        }
        let Some(correlations) = correlations(&link.query) else {
            return Ok(());
        };
        let Some(empty) = self.value_of_no_rows(&link.query)? else {
            return Ok(());
        };
        let (ty, typmod, position) = (expr.ty, expr.typmod, expr.position);
        let taken = std::mem::replace(&mut expr.kind, ExprKind::CaseValue);
        if let ExprKind::Sublink(link) = taken {
            let value = join_groups(select, link.query, correlations, empty);
            *expr = Expr {
                ty,
                typmod,
                position,
                ..value
            };
        }
        Ok(())
    }

    /// What the sub-select gives where no row satisfies its WHERE. `None`: not a constant.
    fn value_of_no_rows(&self, query: &Query) -> Result<Option<Datum>> {
        let Body::Select(select) = &query.body else {
            return Ok(None);
        };
        let [target] = &select.targets[..] else {
            return Ok(None);
        };
        let mut expr = target.expr.clone();
        empty_aggregates(&mut expr);
        Ok(match self.fold(expr)?.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        })
    }
}

fn empty_aggregates(expr: &mut Expr) {
    if let ExprKind::Aggregate(call) = &expr.kind {
        expr.kind = ExprKind::Const(match &*call.function.name {
            "count" => Datum::Int8(0),
            _ => Datum::Null,
        });
        return;
    }
    expr.each_child_mut(empty_aggregates);
}

/// The correlations of a sub-select that can be turned. `None`: it cannot.
fn correlations(query: &Query) -> Option<Vec<Correlation>> {
    let Body::Select(select) = &query.body else {
        return None;
    };
    let plain = query.limit.is_none()
        && query.offset.is_none()
        && select.aggregated
        && select.group_by.is_empty()
        && select.having.is_none()
        && !select.distinct
        && select.from.is_some();
    let [target] = &select.targets[..] else {
        return None;
    };
    if !plain || !cannot_fail(&target.expr) {
        return None;
    }
    let mut conditions = Vec::new();
    split(select.filter.clone()?, &mut conditions);
    let (mut found, mut rest) = (Vec::new(), Vec::new());
    for condition in conditions {
        match correlation(&condition) {
            Some(correlation) => found.push(correlation),
            None if cannot_fail(&condition) => rest.push(condition),
            None => return None,
        }
    }
    if found.is_empty() {
        return None;
    }
    // Nothing else may look out of the sub-select.
    let mut remaining = select.clone();
    remaining.filter = conjunction(rest);
    let mut looks_out = false;
    let remaining = Query {
        body: Body::Select(remaining),
        ..query.clone()
    };
    each_in_query(&remaining, 0, &mut |e, depth| {
        looks_out |= matches!(e.kind, ExprKind::Var(var) if var.up >= depth && depth > 0);
    });
    (!looks_out).then_some(found)
}

/// `inner = outer`, one side of the sub-select's columns, the other of the columns around it.
fn correlation(condition: &Expr) -> Option<Correlation> {
    let (left, right, _) = equality_of(condition)?;
    for (inner, outer, inner_first) in [(left, right, true), (right, left, false)] {
        if all_vars(inner, 0) && all_vars(outer, 1) && cannot_fail(inner) {
            return Some(Correlation {
                inner: inner.clone(),
                outer: outer.clone(),
                equality: condition.clone(),
                inner_first,
            });
        }
    }
    None
}

/// True if the expression has columns, all of them of the level that is `up` further out.
fn all_vars(expr: &Expr, up: usize) -> bool {
    let (mut any, mut all) = (false, true);
    each(expr, 0, &mut |e, _| match &e.kind {
        ExprKind::Var(var) => {
            any = true;
            all &= var.up == up;
        }
        ExprKind::Sublink(_) | ExprKind::Aggregate(_) => all = false,
        _ => {}
    });
    any && all
}

/// True if evaluating the expression for any row raises no error, but for sums past all bounds.
fn cannot_fail(expr: &Expr) -> bool {
    if is_volatile(expr) {
        return false;
    }
    let reads_rows = contains(expr, &|e| {
        matches!(e.kind, ExprKind::Var(_) | ExprKind::Aggregate(_))
    });
    // What no row decides fails, if it does, for the first row already.
    let own = match &expr.kind {
        ExprKind::Sublink(_) => false,
        _ if !reads_rows => true,
        ExprKind::Call {
            function,
            notation: Notation::Operator(operator),
            args,
        } => {
            let wide = |ty: Type| matches!(ty.base, Base::Numeric | Base::Float4 | Base::Float8);
            function.leakproof
                || matches!(&*operator.name, "=" | "<>" | "<" | "<=" | ">" | ">=")
                || matches!(&*operator.name, "+" | "-" | "*")
                    && wide(expr.ty)
                    && args.iter().all(|arg| wide(arg.ty))
                || matches!(&*function.name, "textlike" | "textnlike")
        }
        ExprKind::Aggregate(call) => matches!(
            &*call.function.name,
            "avg" | "sum" | "min" | "max" | "count" | "bool_and" | "bool_or" | "every"
        ),
        ExprKind::Cast { arg, method, .. } => match method {
            CastMethod::Relabel => true,
            CastMethod::Convert => widens(arg.ty, expr.ty),
            CastMethod::InOut | CastMethod::Typmod => false,
        },
        ExprKind::Const(_)
        | ExprKind::Var(_)
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Not(_)
        | ExprKind::NullTest { .. }
        | ExprKind::BooleanTest { .. }
        | ExprKind::Coalesce(_)
        | ExprKind::ScalarArray { .. }
        | ExprKind::Array(_)
        | ExprKind::Case { .. }
        | ExprKind::CaseValue => true,
        _ => false,
    };
    let mut all = own;
    expr.each_child(|child| all = all && cannot_fail(child));
    all
}

/// Casts from a number to a wider one.
fn widens(from: Type, to: Type) -> bool {
    use Base::*;
    !from.array
        && !to.array
        && matches!(
            (from.base, to.base),
            (Int2, Int4 | Int8 | Numeric | Float4 | Float8)
                | (Int4, Int8 | Numeric | Float4 | Float8)
                | (Int8, Numeric | Float4 | Float8)
                | (Numeric | Float4, Float8)
        )
}

/// Joins the FROM clause with the sub-select grouped by its correlations; the expression for its value.
fn join_groups(
    select: &mut Select,
    mut query: Query,
    correlations: Vec<Correlation>,
    empty: Datum,
) -> Expr {
    let rel = select.range.len();
    let groups: Vec<Expr> = correlations
        .iter()
        .map(|known| known.inner.clone())
        .collect();
    let column = |column: usize, expr: &Expr| Expr {
        typmod: expr.typmod,
        ..Expr::new(ExprKind::Var(Var { rel, column, up: 0 }), expr.ty)
    };
    let mut conditions = Vec::with_capacity(correlations.len());
    for (i, known) in correlations.into_iter().enumerate() {
        let mut outer = known.outer;
        super::walk::each_mut(&mut outer, 0, &mut |e, depth| {
            if let ExprKind::Var(var) = &mut e.kind
                && var.up > depth
            {
                var.up -= 1;
            }
        });
        let inner = column(i, &known.inner);
        let mut equality = known.equality;
        if let ExprKind::Call { args, .. } = &mut equality.kind {
            *args = match known.inner_first {
                true => vec![inner, outer],
                false => vec![outer, inner],
            };
        }
        conditions.push(equality);
    }
    let mut value = Expr::constant(empty.clone(), Type::UNKNOWN);
    if let Body::Select(inner) = &mut query.body {
        let mut kept = Vec::new();
        if let Some(filter) = inner.filter.take() {
            let mut all = Vec::new();
            split(filter, &mut all);
            kept.extend(all.into_iter().filter(|known| correlation(known).is_none()));
        }
        inner.filter = conjunction(kept);
        let aggregate = inner.targets.remove(0);
        value = column(groups.len(), &aggregate.expr);
        inner.targets = groups
            .iter()
            .map(|group| Target {
                expr: group.clone(),
                name: "group".into(),
                hidden: false,
            })
            .chain([aggregate])
            .collect();
        query.order_by.clear();
        query.columns = inner
            .targets
            .iter()
            .map(|target| ResultColumn {
                name: Rc::clone(&target.name),
                ty: target.expr.ty,
                typmod: target.expr.typmod,
            })
            .collect();
        inner.group_by = groups.clone();
    }
    if !empty.is_null()
        && let Some(group) = groups.first()
    {
        // No group has a NULL that equals anything.
        let missing = ExprKind::NullTest {
            arg: Box::new(column(0, group)),
            negated: false,
        };
        let ty = value.ty;
        let otherwise = Some(Box::new(value));
        let arms = vec![(Expr::new(missing, Type::BOOL), Expr::constant(empty, ty))];
        value = Expr::new(
            ExprKind::Case {
                operand: None,
                arms,
                otherwise,
            },
            ty,
        );
    }
    select.range.push(RangeEntry {
        alias: ALIAS.into(),
        columns: query.columns.clone(),
        source: Source::Subquery {
            query: Box::new(query),
            barrier: false,
        },
    });
    if let Some(from) = select.from.take() {
        select.from = Some(From::Join {
            kind: JoinKind::Left,
            left: Box::new(from),
            right: Box::new(From::Entry(rel)),
            on: conjunction(conditions),
        });
    }
    value
}
