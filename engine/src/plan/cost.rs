//! PostgreSQL's cost constants and formulas (`costsize.c`), and its guesses of widths.

use std::iter::Sum;
use std::ops::Add;

use super::node::*;
use super::planner::Planner;
use crate::bind::{CastMethod, Expr, ExprKind};
use crate::catalog::{FunctionFacts, Origin};
use crate::settings::{Name, Settings};
use crate::value::{Base, Datum, Type};

/// The settings that say what things cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prices {
    pub seq_page: f64,
    pub cpu_tuple: f64,
    pub cpu_operator: f64,
}

impl Prices {
    pub fn of(settings: &Settings) -> Self {
        Prices {
            seq_page: settings.real(Name::SeqPageCost),
            cpu_tuple: settings.real(Name::CpuTupleCost),
            cpu_operator: settings.real(Name::CpuOperatorCost),
        }
    }
}

/// Added to a node that a setting discourages.
pub(super) const DISABLE_COST: f64 = 1.0e10;
/// `procost` of SQL functions, in `CPU_OPERATOR_COST`s; PostgreSQL's own count 1.
const SQL_FUNCTION_COST: f64 = 100.0;

/// What evaluating an expression costs: once, and for each row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    pub startup: f64,
    pub per_tuple: f64,
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            startup: self.startup + other.startup,
            per_tuple: self.per_tuple + other.per_tuple,
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), Add::add)
    }
}

impl Cost {
    fn operators(n: f64, prices: &Prices) -> Cost {
        Cost {
            startup: 0.0,
            per_tuple: n * prices.cpu_operator,
        }
    }

    fn function(function: &FunctionFacts, prices: &Prices) -> Cost {
        let operators = match function.origin {
            Origin::Builtin => 1.0,
            Origin::User(_) => SQL_FUNCTION_COST,
        };
        Cost::operators(operators, prices)
    }

    /// `cost_qual_eval`.
    pub fn of(expr: &Expr, planner: &Planner<'_>) -> Cost {
        let prices = &planner.prices;
        let own = match &expr.kind {
            ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } => {
                Cost::function(function, prices)
            }
            ExprKind::Distinct { equal, .. } | ExprKind::NullIf { equal, .. } => {
                Cost::function(&equal.function, prices)
            }
            ExprKind::MinMax { .. } => Cost::operators(1.0, prices),
            ExprKind::ScalarArray {
                operator, array, ..
            } => {
                let each = Cost::function(&operator.function, prices);
                Cost {
                    per_tuple: each.per_tuple * array_length(array) * 0.5,
                    ..each
                }
            }
            ExprKind::RowCompare { operators, .. } => operators
                .iter()
                .map(|operator| Cost::function(&operator.function, prices))
                .sum(),
            ExprKind::Cast {
                method: CastMethod::Convert,
                ..
            } => Cost::operators(1.0, prices),
            ExprKind::Cast {
                method: CastMethod::InOut,
                ..
            } => Cost::operators(2.0, prices),
            ExprKind::Param(param) => match planner.pending.get(param) {
                Some(pending) => {
                    let inner = planner.subplans[pending.subplan].root.estimate;
                    Cost {
                        startup: 0.0,
                        per_tuple: inner.total_cost,
                    }
                }
                None => Cost::default(),
            },
            // Its cost is the Aggregate node's.
            ExprKind::Aggregate(_) => return Cost::default(),
            _ => Cost::default(),
        };
        let mut cost = own;
        expr.each_child(|child| cost = cost + Cost::of(child, planner));
        cost
    }

    pub fn of_all<'e>(exprs: impl IntoIterator<Item = &'e Expr>, planner: &Planner<'_>) -> Cost {
        exprs.into_iter().map(|expr| Cost::of(expr, planner)).sum()
    }
}

/// `estimate_array_length`.
pub(super) fn array_length(array: &Expr) -> f64 {
    match &array.kind {
        ExprKind::Const(Datum::Array(array)) => array.len() as f64,
        ExprKind::Const(_) => 0.0,
        ExprKind::Array(elements) => elements.len() as f64,
        ExprKind::Cast { arg, .. } => array_length(arg),
        _ => 10.0,
    }
}

/// `clamp_row_est`: at least one row, and a whole number of them.
pub(super) fn clamp_rows(rows: f64) -> f64 {
    if rows > 1e100 || rows.is_nan() {
        1e100
    } else {
        rows.round_ties_even().max(1.0)
    }
}

/// `get_typavgwidth`: bytes a value of the type is expected to take.
pub(super) fn width(ty: Type, typmod: i32) -> u32 {
    if let (false, Some(width)) = (ty.array, ty.base.fixed_width()) {
        return width as u32;
    }
    let most = match (ty.array, ty.base) {
        (false, Base::Varchar) if typmod >= 4 => {
            Some((typmod as u32 - 4).saturating_mul(4).saturating_add(4))
        }
        (false, Base::Numeric) if typmod >= 4 => {
            let precision = ((typmod as u32 - 4) >> 16) & 0xffff;
            Some(8 + (precision + 6) / 4 * 2)
        }
        _ => None,
    };
    match most {
        None => 32,
        Some(most) if most <= 32 => most,
        Some(most) if most < 1000 => 32 + (most - 32) / 2,
        Some(_) => 32 + (1000 - 32) / 2,
    }
}

/// `cost_sort`, in memory.
pub(super) fn sort(prices: &Prices, input: Estimate, keep: Option<f64>) -> Estimate {
    let tuples = input.rows.max(2.0);
    let compare = 2.0 * prices.cpu_operator;
    let heap = keep
        .map(|keep| keep.max(1.0))
        .filter(|&keep| tuples > 2.0 * keep);
    let startup =
        input.total_cost + compare * tuples * heap.map_or(tuples, |keep| 2.0 * keep).log2();
    Estimate {
        startup_cost: startup,
        total_cost: startup + prices.cpu_operator * input.rows,
        ..input
    }
}

/// `cost_material`.
pub(super) fn material(prices: &Prices, input: Estimate) -> Estimate {
    Estimate {
        total_cost: input.total_cost + 2.0 * prices.cpu_operator * input.rows,
        ..input
    }
}

impl Planner<'_> {
    /// The width of a row of these columns: of the level's columns what ANALYZE has seen, else what
    /// their types let expect.
    pub fn width_of<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> u32 {
        let of = |expr: &Expr| match expr.kind {
            // A Tid has six bytes, however it travels.
            ExprKind::Var(var) if var.column == super::from::TID => 6,
            ExprKind::Var(var) => match self.widths.get(&(var.rel, var.column)) {
                Some(&width) => width,
                None => width(expr.ty, expr.typmod),
            },
            _ => width(expr.ty, expr.typmod),
        };
        exprs.into_iter().map(of).sum()
    }

    /// The child's rows, each with a run of the sub-plan.
    pub fn apply_estimate(&self, child: &PlanNode, subplan: usize) -> Estimate {
        let inner = self.subplans[subplan].root.estimate;
        Estimate {
            total_cost: child.estimate.total_cost + child.estimate.rows * inner.total_cost,
            ..child.estimate
        }
    }

    /// `cost_rescan`: what running the node once more costs.
    pub fn rescan(&self, node: &PlanNode) -> f64 {
        match node.kind {
            NodeKind::Material | NodeKind::Sort { .. } => {
                self.prices.cpu_operator * node.estimate.rows
            }
            NodeKind::CteScan(_) => self.prices.cpu_tuple * node.estimate.rows,
            _ => node.estimate.total_cost,
        }
    }
}
