//! ORDER BY and LIMIT.

use super::cost::{self, clamp_rows};
use super::node::*;
use super::planner::{Built, Planner};
use super::select::Limit;
use crate::bind::{Expr, ExprKind, SortKey};
use crate::error::{Error, Result};
use crate::settings::Name;
use crate::value::{Datum, Type};

impl Planner<'_> {
    pub fn prepare_limit(
        &mut self,
        limit: Option<Expr>,
        offset: Option<Expr>,
    ) -> Result<Option<Limit>> {
        let mut prepare = |expr: Option<Expr>| -> Result<Option<Expr>> {
            let Some(expr) = expr else { return Ok(None) };
            let prepared = self.prepare(expr)?;
            if self.has_pending(&prepared) {
                return Err(Error::unsupported(
                    "a correlated sub-select in LIMIT or OFFSET",
                ));
            }
            // NULL is no limit, and no offset.
            Ok(Some(prepared).filter(|expr| !matches!(expr.kind, ExprKind::Const(Datum::Null))))
        };
        let limit = prepare(limit)?;
        let offset = prepare(offset)?.filter(|offset| constant(offset) != Some(0));
        Ok((limit.is_some() || offset.is_some()).then_some(Limit { limit, offset }))
    }

    /// Sorts by the targets; under a LIMIT only the first rows need to be kept.
    pub fn sort(
        &mut self,
        built: Built,
        keys: Vec<SortKey>,
        limit: Option<&Limit>,
    ) -> Result<Built> {
        let mut distinct: Vec<SortKey> = Vec::with_capacity(keys.len());
        for key in keys {
            // A second mention of a column orders nothing, and neither does a constant.
            let constant = matches!(
                built.columns.get(key.target).map(|c| &c.kind),
                Some(ExprKind::Const(_))
            );
            if !constant && !distinct.iter().any(|known| known.target == key.target) {
                distinct.push(key);
            }
        }
        if distinct.is_empty() {
            return Ok(built);
        }
        let bound = limit.and_then(|limit| {
            Some(SortBound {
                limit: limit.limit.clone()?,
                offset: limit.offset.clone(),
            })
        });
        let keep = bound.as_ref().and_then(|bound| {
            let offset = bound.offset.as_ref().map_or(Some(0), constant)?;
            Some((constant(&bound.limit)? + offset) as f64)
        });
        let Built {
            node,
            columns,
            lateral,
        } = built;
        let (output, mut estimate) = (
            node.output.clone(),
            cost::sort(&self.prices, node.estimate, keep),
        );
        if !self.settings.flag(Name::EnableSort) {
            estimate.startup_cost += cost::DISABLE_COST;
            estimate.total_cost += cost::DISABLE_COST;
        }
        let node = self.node(
            NodeKind::Sort {
                keys: distinct,
                bound,
            },
            vec![node],
            output,
            estimate,
        );
        Ok(Built {
            node,
            columns,
            lateral,
        })
    }

    pub fn limit(&mut self, built: Built, limit: Option<Limit>) -> Built {
        let Some(Limit { limit, offset }) = limit else {
            return built;
        };
        let Built {
            node,
            columns,
            lateral,
        } = built;
        let (output, estimate) = (
            node.output.clone(),
            limit_estimate(node.estimate, &limit, &offset),
        );
        let node = self.node(
            NodeKind::Limit { limit, offset },
            vec![node],
            output,
            estimate,
        );
        Built {
            node,
            columns,
            lateral,
        }
    }
}

fn constant(expr: &Expr) -> Option<i64> {
    debug_assert!(expr.ty == Type::INT8 || expr.ty.base <= crate::value::Base::Numeric);
    match &expr.kind {
        ExprKind::Const(value) => value.as_i64(),
        _ => None,
    }
}

/// `adjust_limit_rows_costs`: a share of the input's run cost; a tenth of the rows where the count is
/// not known yet.
fn limit_estimate(input: Estimate, limit: &Option<Expr>, offset: &Option<Expr>) -> Estimate {
    let mut estimate = input;
    let run = input.total_cost - input.startup_cost;
    if let Some(offset) = offset {
        let rows =
            constant(offset).map_or_else(|| clamp_rows(input.rows * 0.1), |n| n.max(0) as f64);
        let rows = rows.min(estimate.rows);
        if input.rows > 0.0 {
            estimate.startup_cost += run * rows / input.rows;
        }
        estimate.rows = (estimate.rows - rows).max(1.0);
    }
    if let Some(limit) = limit {
        let rows =
            constant(limit).map_or_else(|| clamp_rows(input.rows * 0.1), |n| n.max(0) as f64);
        let rows = rows.min(estimate.rows);
        if input.rows > 0.0 {
            estimate.total_cost = estimate.startup_cost + run * rows / input.rows;
        }
        estimate.rows = rows.max(1.0);
    }
    estimate
}
