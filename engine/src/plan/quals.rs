//! Conditions: split at their ANDs, and evaluated as far down the join tree as their meaning allows.

use std::collections::BTreeSet;

use super::cost::Cost;
use super::planner::Planner;
use super::walk::{Rels, each_var, is_volatile};
use crate::bind::{Expr, ExprKind, Var};
use crate::value::{Datum, Type};

/// One conjunct of WHERE or ON.
#[derive(Clone)]
pub(super) struct Qual {
    pub expr: Expr,
    /// The range-table entries it needs, those of its correlated sub-selects included.
    pub rels: Rels,
}

/// Columns of the range table.
pub(super) type VarSet = BTreeSet<(usize, usize)>;

impl Planner<'_> {
    pub fn qual(&self, expr: Expr) -> Qual {
        let mut rels = Rels::default();
        self.each_needed_var(&expr, &mut |var, _| rels.insert(var.rel));
        Qual { expr, rels }
    }

    /// The conjuncts of a prepared condition.
    pub fn quals(&self, condition: Expr) -> Vec<Qual> {
        let mut conjuncts = Vec::new();
        split(super::canonical::canonical(condition), &mut conjuncts);
        conjuncts.into_iter().map(|expr| self.qual(expr)).collect()
    }

    /// Shows `see` the columns of this level that the expression needs, with an expression for each;
    /// what its pending sub-selects refer to is among them.
    pub fn each_needed_var(&self, expr: &Expr, see: &mut dyn FnMut(Var, &Expr)) {
        each_var(expr, see);
        if self.pending.is_empty() {
            return;
        }
        self.each_pending(expr, &mut |pending| {
            for reference in &pending.references {
                self.each_needed_var(&reference.column, see);
            }
            if let super::subplans::PendingResult::Quantified { test, .. } = &pending.result {
                for expr in test {
                    self.each_needed_var(expr, see);
                }
            }
        });
    }

    fn each_pending(&self, expr: &Expr, see: &mut dyn FnMut(&super::subplans::PendingApply)) {
        if let ExprKind::Param(param) = expr.kind
            && let Some(pending) = self.pending.get(&param)
        {
            see(pending);
        }
        expr.each_child(|child| self.each_pending(child, see));
    }

    pub fn add_needed(&self, exprs: &[Expr], needed: &mut VarSet) {
        for expr in exprs {
            self.each_needed_var(expr, &mut |var, _| {
                needed.insert((var.rel, var.column));
            });
        }
    }

    /// PostgreSQL's `order_qual_clauses`: cheap conditions first, else as written. Conditions from
    /// outside a security barrier never meet those inside on one node unless they are leakproof
    /// (a barrier view stays a Subquery Scan), so there is no security level to order by.
    pub fn order_quals(&self, quals: &mut [Expr]) {
        quals.sort_by(|a, b| {
            let cost = |expr: &Expr| Cost::of(expr, self).per_tuple;
            cost(a).total_cmp(&cost(b))
        });
    }

    /// A condition that no row decides: it is tested once, in a Result above the rows.
    pub fn is_one_time(&self, qual: &Qual) -> bool {
        qual.rels.is_empty() && !is_volatile(&qual.expr) && !self.has_pending(&qual.expr)
    }
}

pub(super) fn split(condition: Expr, conjuncts: &mut Vec<Expr>) {
    match condition.kind {
        ExprKind::And(args) => args.into_iter().for_each(|arg| split(arg, conjuncts)),
        ExprKind::Const(Datum::Bool(true)) => {}
        _ => conjuncts.push(condition),
    }
}

/// The AND of the conditions; none: `None`.
pub(super) fn conjunction(mut conditions: Vec<Expr>) -> Option<Expr> {
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(Expr::new(ExprKind::And(conditions), Type::BOOL)),
    }
}

/// True for a condition that no row can satisfy: a constant false or NULL.
pub(super) fn is_never_true(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(Datum::Bool(false) | Datum::Null))
}

/// Takes out of `quals` those for which `take` holds.
pub(super) fn extract(quals: &mut Vec<Qual>, mut take: impl FnMut(&Qual) -> bool) -> Vec<Qual> {
    let mut taken = Vec::new();
    let mut kept = Vec::new();
    for qual in quals.drain(..) {
        if take(&qual) {
            taken.push(qual)
        } else {
            kept.push(qual)
        }
    }
    *quals = kept;
    taken
}
