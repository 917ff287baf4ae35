//! Walks over bound trees that know how deep in sub-selects they are.
//!
//! `depth` counts the SELECTs between the walk's start and the expression at hand: a [`Var`] whose
//! `up` equals it is a column of the level where the walk began.

use crate::bind::{Body, Expr, ExprKind, From, Query, Select, Source, Var};
use crate::catalog::Volatility;

/// Shows `see` an expression and everything in it, sub-selects included, parents first.
pub(crate) fn each<'a>(expr: &'a Expr, depth: usize, see: &mut dyn FnMut(&'a Expr, usize)) {
    see(expr, depth);
    expr.each_child(|child| each(child, depth, see));
    if let ExprKind::Sublink(link) = &expr.kind {
        each_in_query(&link.query, depth, see);
    }
}

/// As [`each`], to change them, children first.
pub(crate) fn each_mut(expr: &mut Expr, depth: usize, see: &mut dyn FnMut(&mut Expr, usize)) {
    expr.each_child_mut(|child| each_mut(child, depth, see));
    if let ExprKind::Sublink(link) = &mut expr.kind {
        each_in_query_mut(&mut link.query, depth, see);
    }
    see(expr, depth);
}

/// The expressions of a query that stands in an expression or in FROM at `depth`.
pub(crate) fn each_in_query<'a>(
    query: &'a Query,
    depth: usize,
    see: &mut dyn FnMut(&'a Expr, usize),
) {
    match &query.body {
        Body::Select(select) => each_in_select(select, depth + 1, see),
        Body::Values(rows) => rows
            .iter()
            .flatten()
            .for_each(|expr| each(expr, depth + 1, see)),
        Body::UnionAll(parts) => parts
            .iter()
            .for_each(|part| each_in_query(part, depth, see)),
        Body::SetOperation { parts, .. } | Body::Recursive { parts, .. } => parts
            .iter()
            .for_each(|part| each_in_query(part, depth, see)),
    }
    for common in &query.with {
        each_in_query(&common.query, depth, see);
    }
    for expr in query.limit.iter().chain(&query.offset) {
        each(expr, depth + 1, see);
    }
}

fn each_in_select<'a>(select: &'a Select, depth: usize, see: &mut dyn FnMut(&'a Expr, usize)) {
    for entry in &select.range {
        match &entry.source {
            Source::Table(_) | Source::Common { .. } | Source::WorkTable { .. } => {}
            Source::Subquery { query, .. } => each_in_query(query, depth, see),
            Source::Function(call) => each(call, depth, see),
        }
    }
    if let Some(from) = &select.from {
        each_condition(from, &mut |on| each(on, depth, see));
    }
    let targets = select.targets.iter().map(|target| &target.expr);
    for expr in targets
        .chain(&select.filter)
        .chain(&select.group_by)
        .chain(&select.having)
    {
        each(expr, depth, see);
    }
}

pub(crate) fn each_in_query_mut(
    query: &mut Query,
    depth: usize,
    see: &mut dyn FnMut(&mut Expr, usize),
) {
    match &mut query.body {
        Body::Select(select) => each_in_select_mut(select, depth + 1, see),
        Body::Values(rows) => rows
            .iter_mut()
            .flatten()
            .for_each(|expr| each_mut(expr, depth + 1, see)),
        Body::UnionAll(parts) => parts
            .iter_mut()
            .for_each(|part| each_in_query_mut(part, depth, see)),
        Body::SetOperation { parts, .. } | Body::Recursive { parts, .. } => parts
            .iter_mut()
            .for_each(|part| each_in_query_mut(part, depth, see)),
    }
    for common in &mut query.with {
        each_in_query_mut(&mut common.query, depth, see);
    }
    for expr in query.limit.iter_mut().chain(&mut query.offset) {
        each_mut(expr, depth + 1, see);
    }
}

/// The expressions of a SELECT whose own level is `depth`.
pub(crate) fn each_in_select_mut(
    select: &mut Select,
    depth: usize,
    see: &mut dyn FnMut(&mut Expr, usize),
) {
    for entry in &mut select.range {
        match &mut entry.source {
            Source::Table(_) | Source::Common { .. } | Source::WorkTable { .. } => {}
            Source::Subquery { query, .. } => each_in_query_mut(query, depth, see),
            Source::Function(call) => each_mut(call, depth, see),
        }
    }
    if let Some(from) = &mut select.from {
        each_condition_mut(from, &mut |on| each_mut(on, depth, see));
    }
    let targets = select.targets.iter_mut().map(|target| &mut target.expr);
    for expr in targets
        .chain(&mut select.filter)
        .chain(&mut select.group_by)
        .chain(&mut select.having)
    {
        each_mut(expr, depth, see);
    }
}

/// Shows `see` the ON conditions of a join tree, left to right, inner ones first.
pub(crate) fn each_condition<'a>(from: &'a From, see: &mut dyn FnMut(&'a Expr)) {
    if let From::Join {
        left, right, on, ..
    } = from
    {
        each_condition(left, see);
        each_condition(right, see);
        if let Some(on) = on {
            see(on);
        }
    }
}

pub(crate) fn each_condition_mut(from: &mut From, see: &mut dyn FnMut(&mut Expr)) {
    if let From::Join {
        left, right, on, ..
    } = from
    {
        each_condition_mut(left, see);
        each_condition_mut(right, see);
        if let Some(on) = on {
            see(on);
        }
    }
}

/// Makes an expression stand so many SELECTs further in: its columns are as many further out.
pub(crate) fn further_in(expr: &mut Expr, levels: usize) {
    if levels > 0 {
        each_mut(expr, 0, &mut |part, depth| move_out(part, depth, levels));
    }
}

/// As [`further_in`], of a query.
pub(crate) fn query_further_in(query: &mut Query, levels: usize) {
    if levels > 0 {
        each_in_query_mut(query, 0, &mut |part, depth| move_out(part, depth, levels));
    }
}

fn move_out(part: &mut Expr, depth: usize, levels: usize) {
    if let ExprKind::Var(var) = &mut part.kind
        && var.up >= depth
    {
        var.up += levels;
    }
}

/// The columns of the expression's own level, those that its sub-selects refer to included; with each
/// the expression that names it.
pub(crate) fn each_var(expr: &Expr, see: &mut dyn FnMut(Var, &Expr)) {
    each(expr, 0, &mut |e, depth| {
        if let ExprKind::Var(var) = e.kind
            && var.up == depth
        {
            see(Var { up: 0, ..var }, e);
        }
    });
}

/// The columns of the level around it that a query in FROM refers to (LATERAL).
pub(crate) fn each_outer_var(query: &Query, see: &mut dyn FnMut(Var, &Expr)) {
    each_in_query(query, 0, &mut |e, depth| {
        if let ExprKind::Var(var) = e.kind
            && var.up == depth
            && depth > 0
        {
            see(Var { up: 0, ..var }, e);
        }
    });
}

/// The range-table entries the expression refers to.
pub(crate) fn rels_of(expr: &Expr) -> Rels {
    let mut rels = Rels::default();
    each_var(expr, &mut |var, _| rels.insert(var.rel));
    rels
}

/// A set of range-table entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rels(std::collections::BTreeSet<usize>);

impl Rels {
    pub fn of(rel: usize) -> Self {
        Rels(std::iter::once(rel).collect())
    }

    pub fn of_all(rels: impl Iterator<Item = usize>) -> Self {
        Rels(rels.collect())
    }

    pub fn insert(&mut self, rel: usize) {
        self.0.insert(rel);
    }

    pub fn contains(&self, rel: usize) -> bool {
        self.0.contains(&rel)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn is_subset(&self, of: &Rels) -> bool {
        self.0.is_subset(&of.0)
    }

    pub fn overlaps(&self, other: &Rels) -> bool {
        !self.0.is_disjoint(&other.0)
    }

    pub fn union(&self, other: &Rels) -> Rels {
        Rels(self.0.union(&other.0).copied().collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().copied()
    }
}

/// True if the expression or a sub-select in it calls a volatile function.
pub(crate) fn is_volatile(expr: &Expr) -> bool {
    let mut found = false;
    each(expr, 0, &mut |e, _| {
        if let ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } = &e.kind {
            found |= function.volatility == Volatility::Volatile;
        }
    });
    found
}

/// True if the expression calls a set-returning function (those of its sub-selects do not count).
pub(crate) fn returns_set(expr: &Expr) -> bool {
    if let ExprKind::Call { function, .. } = &expr.kind
        && function.returns_set
    {
        return true;
    }
    let mut found = false;
    expr.each_child(|child| found = found || returns_set(child));
    found
}

pub(crate) fn has_aggregate(expr: &Expr) -> bool {
    contains(expr, &|e| matches!(e.kind, ExprKind::Aggregate(_)))
}

/// True if `test` holds for a part of the expression (sub-selects are not entered).
pub(crate) fn contains(expr: &Expr, test: &dyn Fn(&Expr) -> bool) -> bool {
    if test(expr) {
        return true;
    }
    let mut found = false;
    expr.each_child(|child| found = found || contains(child, test));
    found
}
