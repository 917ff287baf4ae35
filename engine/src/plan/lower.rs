//! From the terms of a SELECT to a node's: every column, group and aggregate that the node below
//! already has becomes a [`Slot`](ExprKind::Slot) (PostgreSQL's `set_plan_references`).

use super::same::same;
use crate::bind::{Expr, ExprKind};
use crate::error::{Error, Result};

/// `expr` over a node whose columns stand for `columns`.
///
/// Errors: XX000 if a column is missing there, which is a defect of the planner.
pub(super) fn lower(expr: &Expr, columns: &[Expr]) -> Result<Expr> {
    if let Some(slot) = position(expr, columns) {
        let mut lowered = Expr::slot(slot, expr.ty);
        (lowered.typmod, lowered.position) = (expr.typmod, expr.position);
        return Ok(lowered);
    }
    match &expr.kind {
        ExprKind::Var(var) => Err(Error::internal(format!(
            "column {}.{} is missing below a plan node",
            var.rel, var.column
        ))),
        ExprKind::Aggregate(call) => Err(Error::internal(format!(
            "aggregate {} has no Aggregate node",
            call.function.name
        ))),
        ExprKind::Sublink(_) => Err(Error::internal("a sub-select was not planned")),
        _ => {
            let mut lowered = expr.clone();
            let mut failed = Ok(());
            lowered.each_child_mut(|child| match lower(child, columns) {
                Ok(done) => *child = done,
                Err(error) => failed = Err(error),
            });
            failed.map(|()| lowered)
        }
    }
}

/// Where `expr` itself stands among the columns.
pub(super) fn position(expr: &Expr, columns: &[Expr]) -> Option<usize> {
    match expr.kind {
        ExprKind::Var(var) => columns
            .iter()
            .position(|column| super::planner::is_var(column, var)),
        ExprKind::Param(param) => columns
            .iter()
            .position(|column| matches!(column.kind, ExprKind::Param(other) if other == param)),
        // A constant is cheaper written out than read from a column.
        ExprKind::Const(_) => None,
        _ => columns.iter().position(|column| same(expr, column)),
    }
}
