//! Join nodes: a hash join where an equality of the two sides can be hashed, a nested loop otherwise.

use super::cost;
use super::join_order::{Method, equality_of};
use super::join_type::JoinType;
use super::lower::lower;
use super::node::*;
use super::planner::{Built, OuterReference, Planner};
use super::quals::conjunction;
use super::walk::Rels;
use crate::bind::{Expr, From, SortKey};
use crate::catalog::OperatorRef;
use crate::error::Result;

/// What a join node is made of beside its two sides.
pub(super) struct JoinParts {
    pub kind: JoinType,
    pub method: Method,
    /// Which rows match.
    pub on: Vec<Expr>,
    /// Tested on the joined rows.
    pub filter: Vec<Expr>,
    pub estimate: Estimate,
}

/// An equality of the two sides, its operands turned so that `outer` is of the outer side.
struct EquiKey {
    outer: Expr,
    inner: Expr,
    operator: OperatorRef,
}

impl Planner<'_> {
    pub fn join_node(
        &mut self,
        parts: JoinParts,
        mut outer: Built,
        mut inner: Built,
    ) -> Result<Built> {
        let JoinParts {
            kind,
            method,
            on,
            mut filter,
            estimate,
        } = parts;
        let (params, lateral) = lateral_params(&outer, &inner);
        let mut keys = Vec::new();
        let mut tests = Vec::new();
        for expr in on {
            match equi_key(&expr, &outer.columns, &inner.columns) {
                Some(key) if !matches!(method, Method::Loop { .. }) => keys.push(key),
                _ => tests.push(expr),
            }
        }
        if method == Method::Merge {
            let side = |of: fn(&EquiKey) -> &Expr| -> Vec<Expr> {
                keys.iter().map(|key| of(key).clone()).collect()
            };
            let (outer_keys, inner_keys) = (side(|key| &key.outer), side(|key| &key.inner));
            outer = self.sorted_by(outer, &outer_keys)?;
            inner = self.sorted_by(inner, &inner_keys)?;
        }
        let mut pair = outer.columns.clone();
        pair.extend(inner.columns.iter().cloned());
        let (mut columns, mut output) = (Vec::new(), Vec::new());
        for (side, given) in [(&outer, kind.gives_outer()), (&inner, kind.gives_inner())] {
            if given {
                columns.extend(side.columns.iter().cloned());
                output.extend(side.node.output.iter().cloned());
            }
        }
        self.order_quals(&mut tests);
        self.order_quals(&mut filter);
        let lowered = |exprs: &[Expr], columns: &[Expr]| -> Result<Option<Expr>> {
            let exprs = exprs.iter().map(|expr| lower(expr, columns));
            Ok(conjunction(exprs.collect::<Result<_>>()?))
        };
        let (join_filter, filter) = (lowered(&tests, &pair)?, lowered(&filter, &columns)?);
        let (kind, children) = match method {
            Method::Hash => {
                let keys = keys
                    .into_iter()
                    .map(|key| {
                        Ok(HashKey {
                            outer: lower(&key.outer, &outer.columns)?,
                            inner: lower(&key.inner, &inner.columns)?,
                            operator: key.operator,
                        })
                    })
                    .collect::<Result<_>>()?;
                let table = inner.node.output.clone();
                let input = Estimate {
                    startup_cost: inner.node.estimate.total_cost,
                    ..inner.node.estimate
                };
                let table = self.node(NodeKind::Hash, vec![inner.node], table, input);
                let kind = NodeKind::HashJoin {
                    kind,
                    keys,
                    join_filter,
                };
                (kind, vec![outer.node, table])
            }
            Method::Merge => {
                let keys = keys
                    .into_iter()
                    .map(|key| {
                        Ok(MergeKey {
                            outer: lower(&key.outer, &outer.columns)?,
                            inner: lower(&key.inner, &inner.columns)?,
                            operator: key.operator,
                            descending: false,
                            nulls_first: false,
                        })
                    })
                    .collect::<Result<_>>()?;
                let kind = NodeKind::MergeJoin {
                    kind,
                    keys,
                    join_filter,
                };
                (kind, vec![outer.node, inner.node])
            }
            Method::Loop { keep } => {
                let inner = match keep && !is_volatile_node(&inner.node) {
                    true => self.materialize(inner.node),
                    false => inner.node,
                };
                let kind = NodeKind::NestedLoop {
                    kind,
                    join_filter,
                    params,
                };
                (kind, vec![outer.node, inner])
            }
        };
        let mut node = self.node(kind, children, output, estimate);
        node.filter = filter;
        Ok(Built {
            node,
            columns,
            lateral,
        })
    }

    /// The rows sorted by expressions over them, ascending.
    fn sorted_by(&mut self, built: Built, keys: &[Expr]) -> Result<Built> {
        let mut columns = built.columns.clone();
        let mut labels: Vec<_> = built.node.output.iter().map(|c| c.label.clone()).collect();
        let mut order = Vec::with_capacity(keys.len());
        for key in keys {
            let target = match super::lower::position(key, &columns) {
                Some(known) => known,
                None => {
                    columns.push(key.clone());
                    labels.push("?column?".into());
                    columns.len() - 1
                }
            };
            order.push(SortKey {
                target,
                descending: false,
                nulls_first: false,
            });
        }
        let built = match columns.len() > built.columns.len() {
            true => self.project(built, columns, labels)?,
            false => built,
        };
        self.sort(built, order, None)
    }

    /// The node's rows, kept for rescans.
    pub fn materialize(&mut self, node: PlanNode) -> PlanNode {
        let (output, estimate) = (
            node.output.clone(),
            cost::material(&self.prices, node.estimate),
        );
        self.node(NodeKind::Material, vec![node], output, estimate)
    }
}

/// The range-table entries of a join tree.
pub(super) fn rels_in(from: &From) -> Rels {
    match from {
        From::Entry(rel) => Rels::of(*rel),
        From::Join { left, right, .. } => rels_in(left).union(&rels_in(right)),
    }
}

/// The parameters the outer side sets for the inner one, and what must come from further out.
fn lateral_params(outer: &Built, inner: &Built) -> (Vec<(usize, usize)>, Vec<OuterReference>) {
    let mut params = Vec::new();
    let mut rest = outer.lateral.clone();
    for reference in &inner.lateral {
        match super::lower::position(&reference.column, &outer.columns) {
            Some(slot) => params.push((reference.param, slot)),
            None => rest.push(reference.clone()),
        }
    }
    (params, rest)
}

pub(super) fn is_volatile_node(node: &PlanNode) -> bool {
    let mut found = false;
    node.each(&mut |node| {
        let exprs = node.filter.iter().chain(node.project.iter().flatten());
        found |= exprs.into_iter().any(super::walk::is_volatile);
        if let NodeKind::FunctionScan { function, .. } = &node.kind {
            found |= function.volatility == crate::catalog::Volatility::Volatile;
        }
    });
    found
}

/// An equality that can be hashed, if one of its operands is of the outer side and the other of the
/// inner one.
fn equi_key(expr: &Expr, outer: &[Expr], inner: &[Expr]) -> Option<EquiKey> {
    let (left, right, operator) = equality_of(expr)?;
    let of = |expr: &Expr, columns: &[Expr]| {
        let mut any = false;
        let mut all = true;
        super::walk::each_var(expr, &mut |var, _| {
            any = true;
            all &= columns
                .iter()
                .any(|column| super::planner::is_var(column, var));
        });
        any && all
    };
    let (outer, inner) = if of(left, outer) && of(right, inner) {
        (left, right)
    } else if of(right, outer) && of(left, inner) {
        (right, left)
    } else {
        return None;
    };
    Some(EquiKey {
        outer: outer.clone(),
        inner: inner.clone(),
        operator: operator.clone(),
    })
}
