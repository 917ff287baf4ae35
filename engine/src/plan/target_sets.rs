//! Set-returning functions in a target list: ProjectSet nodes, the innermost calls lowest.

use std::rc::Rc;

use super::cost::{Cost, clamp_rows};
use super::lower::{lower, position};
use super::node::*;
use super::planner::{Built, Planner};
use super::same::same;
use super::walk::returns_set;
use crate::bind::{Expr, ExprKind};
use crate::error::{Error, Result};

impl Planner<'_> {
    /// Puts ProjectSet nodes above `built` until every set-returning call in `exprs` is a column.
    pub fn expand_sets(
        &mut self,
        mut built: Built,
        exprs: &[Expr],
        labels: &[Rc<str>],
    ) -> Result<Built> {
        loop {
            let mut calls: Vec<Expr> = Vec::new();
            for expr in exprs {
                innermost_sets(expr, &built.columns, &mut calls)?;
            }
            if calls.is_empty() {
                return Ok(built);
            }
            // When every call is a whole target, the node computes the whole target list.
            let whole = exprs.iter().all(|expr| {
                !returns_set(expr)
                    || calls.iter().any(|call| same(call, expr))
                    || position(expr, &built.columns).is_some()
            });
            let (columns, labels): (Vec<Expr>, Vec<Rc<str>>) = if whole {
                (exprs.to_vec(), labels.to_vec())
            } else {
                let known = built.columns.iter().zip(&built.node.output);
                let known =
                    known.map(|(column, output)| (column.clone(), Rc::clone(&output.label)));
                known
                    .chain(calls.into_iter().map(|call| (call, "?column?".into())))
                    .unzip()
            };
            built = self.project_set(built, columns, labels)?;
        }
    }

    fn project_set(
        &mut self,
        built: Built,
        columns: Vec<Expr>,
        labels: Vec<Rc<str>>,
    ) -> Result<Built> {
        let mut targets = Vec::with_capacity(columns.len());
        let mut per_row: f64 = 1.0;
        let known = |expr: &Expr| position(expr, &built.columns).is_some();
        for expr in &columns {
            targets.push(match &expr.kind {
                ExprKind::Call { function, args, .. } if function.returns_set && !known(expr) => {
                    per_row = per_row.max(self.function_rows(expr));
                    SetTarget::Set {
                        function: Rc::clone(function),
                        args: args
                            .iter()
                            .map(|arg| lower(arg, &built.columns))
                            .collect::<Result<_>>()?,
                    }
                }
                _ => SetTarget::Plain(lower(expr, &built.columns)?),
            });
        }
        let input = built.node.estimate;
        let evaluation = Cost::of_all(&columns, self);
        // `create_set_projection_path`: each input row computes the targets, each output row a little.
        let rows = clamp_rows(input.rows * per_row);
        let estimate = Estimate {
            startup_cost: input.startup_cost + evaluation.startup,
            total_cost: input.total_cost
                + evaluation.startup
                + (self.prices.cpu_tuple + evaluation.per_tuple) * input.rows
                + (rows - input.rows) * self.prices.cpu_tuple / 2.0,
            rows,
            width: self.width_of(&columns),
        };
        let output = labels
            .into_iter()
            .zip(&columns)
            .map(|(label, expr)| OutputColumn { label, ty: expr.ty })
            .collect();
        let node = self.node(
            NodeKind::ProjectSet { targets },
            vec![built.node],
            output,
            estimate,
        );
        Ok(Built {
            node,
            columns,
            lateral: built.lateral,
        })
    }
}

/// Set-returning calls whose arguments hold none, and which the node below does not give yet.
///
/// Errors: 0A000 for a set under CASE or COALESCE, as PostgreSQL has it.
fn innermost_sets(expr: &Expr, columns: &[Expr], calls: &mut Vec<Expr>) -> Result<()> {
    if !returns_set(expr) || position(expr, columns).is_some() {
        return Ok(());
    }
    let place = match expr.kind {
        ExprKind::Case { .. } => Some("CASE"),
        ExprKind::Coalesce(_) => Some("COALESCE"),
        _ => None,
    };
    if let Some(place) = place {
        let message = format!("set-returning functions are not allowed in {place}");
        return Err(
            Error::new(crate::error::sqlstate::FEATURE_NOT_SUPPORTED, message).at(expr.position),
        );
    }
    let before = calls.len();
    let mut found = Ok(());
    let mut inner = false;
    expr.each_child(|child| {
        inner |= returns_set(child) && position(child, columns).is_none();
        if found.is_ok() {
            found = innermost_sets(child, columns, calls);
        }
    });
    found?;
    let is_set = matches!(&expr.kind, ExprKind::Call { function, .. } if function.returns_set);
    if is_set && !inner && calls.len() == before {
        calls.push(expr.clone());
    }
    Ok(())
}
