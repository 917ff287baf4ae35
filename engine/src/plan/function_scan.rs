//! Functions in FROM, and how many rows a function gives.

use std::rc::Rc;

use super::cost::{self, Cost, clamp_rows};
use super::from::Level;
use super::lower::lower;
use super::node::*;
use super::planner::{Built, OuterReference, Planner};
use super::quals::{Qual, conjunction};
use crate::bind::{Expr, ExprKind};
use crate::catalog::{FunctionFacts, TpchDecimals, TpchTable};
use crate::error::{Error, Result};
use crate::value::Datum;

impl Planner<'_> {
    pub fn function_scan(
        &mut self,
        level: &mut Level,
        rel: usize,
        call: Expr,
        quals: Vec<Qual>,
    ) -> Result<Built> {
        let mut lateral = Vec::new();
        let call = self.replace_lateral(call, &mut lateral);
        let columns: Vec<Expr> = (0..level.range[rel].columns.len())
            .map(|column| level.column(rel, column))
            .collect::<Result<_>>()?;
        let output = columns.iter().enumerate().map(|(at, column)| OutputColumn {
            label: level.label(rel, at),
            ty: column.ty,
        });
        let output: Vec<OutputColumn> = output.collect();
        let evaluation = Cost::of(&call, self);
        let rows = self.function_rows(&call);
        level.known[rel].tuples = rows;
        level.known[rel].rows = rows;
        let (kind, project) = match call.kind {
            ExprKind::Call { function, args, .. } => {
                if args.iter().any(|arg| self.has_pending(arg)) {
                    return Err(Error::unsupported(
                        "a correlated sub-select in the arguments of a function in FROM",
                    ));
                }
                let alias = Rc::clone(&level.names[rel]);
                (
                    NodeKind::FunctionScan {
                        alias,
                        columns: output.clone(),
                        function,
                        args,
                    },
                    None,
                )
            }
            _ => (
                NodeKind::Result {
                    one_time_filter: None,
                },
                Some(vec![call]),
            ),
        };
        let mut conditions: Vec<Expr> = quals.into_iter().map(|qual| qual.expr).collect();
        self.order_quals(&mut conditions);
        let tests = Cost::of_all(&conditions, self);
        let startup = evaluation.startup + evaluation.per_tuple + tests.startup;
        let estimate = Estimate {
            startup_cost: startup,
            total_cost: startup + (self.prices.cpu_tuple + tests.per_tuple) * rows,
            rows: clamp_rows(rows * level.statistics().of_all(&conditions)),
            width: columns
                .iter()
                .map(|column| cost::width(column.ty, column.typmod))
                .sum(),
        };
        let mut node = self.node(kind, Vec::new(), output, estimate);
        node.project = project;
        let filter: Vec<Expr> = conditions
            .iter()
            .map(|expr| lower(expr, &columns))
            .collect::<Result<_>>()?;
        if node.project.is_some() && !filter.is_empty() {
            let output = node.output.clone();
            let kind = NodeKind::SubqueryScan {
                alias: Rc::clone(&level.names[rel]),
                columns: vec![Rc::clone(&output[0].label)],
                barrier: false,
            };
            node = self.node(kind, vec![node], output, estimate);
        }
        node.filter = conjunction(filter);
        Ok(Built {
            node,
            columns,
            lateral,
        })
    }

    /// Columns of siblings in the arguments of a function in FROM become parameters.
    fn replace_lateral(&mut self, mut expr: Expr, lateral: &mut Vec<OuterReference>) -> Expr {
        if let ExprKind::Var(own) = expr.kind {
            let known = lateral
                .iter()
                .find(|reference| super::planner::is_var(&reference.column, own));
            let param = match known {
                Some(reference) => reference.param,
                None => {
                    let param = self.new_param();
                    lateral.push(OuterReference {
                        column: expr.clone(),
                        param,
                    });
                    param
                }
            };
            expr.kind = ExprKind::Param(param);
            return expr;
        }
        expr.each_child_mut(|child| {
            let taken = std::mem::replace(child, Expr::new(ExprKind::CaseValue, child.ty));
            *child = self.replace_lateral(taken, lateral);
        });
        expr
    }

    /// Rows of a table that TPC-H's generator makes, if the call is one.
    fn tpch_rows(&self, function: &FunctionFacts, args: &[Expr]) -> Option<f64> {
        TpchDecimals::of_function(&function.name)?;
        let [table, scale] = args else {
            return None;
        };
        let scale = match self.fold(scale.clone()).ok()?.kind {
            ExprKind::Const(Datum::Float8(scale)) => scale,
            _ => return None,
        };
        match &table.kind {
            ExprKind::Const(Datum::Text(name)) => Some(TpchTable::named(name)?.rows(scale)),
            _ => None,
        }
    }

    /// Rows a function in FROM or in a target list gives: counted for `generate_series` over constants
    /// (its support function in PostgreSQL), else 1000, or 1 if it returns no set.
    pub fn function_rows(&self, call: &Expr) -> f64 {
        let ExprKind::Call { function, args, .. } = &call.kind else {
            return 1.0;
        };
        if !function.returns_set {
            return 1.0;
        }
        if let Some(rows) = self.tpch_rows(function, args) {
            return rows;
        }
        let number = |arg: &Expr| match &arg.kind {
            ExprKind::Const(value) => value.as_i64().map(|n| n as f64),
            _ => None,
        };
        if &*function.name == "generate_series"
            && let Some(numbers) = args.iter().map(number).collect::<Option<Vec<f64>>>()
            && let [start, stop, rest @ ..] = &numbers[..]
        {
            let step = rest.first().copied().unwrap_or(1.0);
            if step != 0.0 {
                return ((stop - start + step) / step).floor().max(0.0);
            }
        }
        1000.0
    }
}
