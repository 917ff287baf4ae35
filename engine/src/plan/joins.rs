//! Joins, in the order they are written: a hash join where an equality of the two sides can be hashed,
//! a nested loop otherwise.

use super::cost::{self, Cost, DISABLE_COST, clamp_rows};
use super::from::Level;
use super::join_type::JoinType;
use super::lower::lower;
use super::node::*;
use super::planner::{Built, OuterReference, Planner};
use super::quals::{Qual, VarSet, conjunction, extract};
use super::walk::{Rels, each_outer_var, is_volatile};
use crate::bind::{Expr, ExprKind, From, JoinKind, Notation, SortKey, Source};
use crate::catalog::{OperatorRef, Origin};
use crate::error::{Error, Result, sqlstate};
use crate::settings::Name;
use crate::value::{Base, Type};

/// A join of the join tree.
pub(super) struct Join {
    pub kind: JoinKind,
    pub left: From,
    pub right: From,
    pub on: Option<Expr>,
}

/// An equality of the two sides, its operands turned so that `outer` is of the outer side.
struct EquiKey {
    outer: Expr,
    inner: Expr,
    operator: OperatorRef,
}

/// What a hash join's costs depend on beside its inputs.
struct HashShape {
    keys: usize,
    /// The share of the inner rows expected in one bucket.
    bucket_share: f64,
}

/// How a join is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Hash,
    Merge,
    Loop,
}

impl Planner<'_> {
    pub fn join(
        &mut self,
        level: &mut Level,
        join: Join,
        mut quals: Vec<Qual>,
        above: &VarSet,
    ) -> Result<Built> {
        let Join {
            kind,
            left,
            right,
            on,
        } = join;
        let (left_rels, right_rels) = (rels_in(&left), rels_in(&right));
        let only_left = |qual: &Qual| !qual.rels.is_empty() && qual.rels.is_subset(&left_rels);
        let only_right = |qual: &Qual| !qual.rels.is_empty() && qual.rels.is_subset(&right_rels);
        let mut on = on.map_or_else(Vec::new, |on| self.quals(on));
        let (to_left, to_right, mut filter);
        match kind {
            JoinKind::Inner => {
                on.append(&mut quals);
                to_left = extract(&mut on, only_left);
                to_right = extract(&mut on, only_right);
                filter = Vec::new();
            }
            // What WHERE says about the inner side it says after the join has filled in NULLs.
            JoinKind::Left | JoinKind::Anti => {
                to_left = extract(&mut quals, only_left);
                to_right = extract(&mut on, only_right);
                filter = quals;
            }
            JoinKind::Semi => {
                let mut left = extract(&mut quals, only_left);
                left.extend(extract(&mut on, only_left));
                to_left = left;
                to_right = extract(&mut on, only_right);
                filter = quals;
            }
            JoinKind::Full => {
                (to_left, to_right) = (Vec::new(), Vec::new());
                filter = quals;
            }
        }
        // An inner join computes correlated sub-selects on its rows. Under an outer join they decide
        // which rows match, so they are computed before, on the side they belong to.
        let mut pending = extract(&mut on, |qual| self.has_pending(&qual.expr));
        let mut before = Vec::new();
        if kind != JoinKind::Inner {
            before.extend(pending.drain(..).map(|qual| qual.expr));
        }
        pending.extend(extract(&mut filter, |qual| self.has_pending(&qual.expr)));

        let pending: Vec<Expr> = pending.into_iter().map(|qual| qual.expr).collect();
        let filter: Vec<Expr> = filter.into_iter().map(|qual| qual.expr).collect();
        let on: Vec<Expr> = on.into_iter().map(|qual| qual.expr).collect();

        // What the join's own rows must hold: for above, and for what is tested on them.
        let mut own = above.clone();
        self.add_needed(&pending, &mut own);
        self.add_needed(&filter, &mut own);
        let mut from_children = own.clone();
        self.add_needed(&on, &mut from_children);
        self.add_needed(&before, &mut from_children);
        add_lateral(level, &right, &mut from_children);

        let outer = self.from(level, left, to_left, &from_children)?;
        let inner = self.from(level, right, to_right, &from_children)?;
        let mut outer = self.narrow(outer, &from_children)?;
        let mut inner = self.narrow(inner, &from_children)?;
        for expr in &before {
            let needed = self.pending_rels(expr);
            if needed.is_subset(&left_rels) {
                outer = self.apply_pending(outer, [expr])?;
            } else if needed.is_subset(&right_rels) {
                inner = self.apply_pending(inner, [expr])?;
            } else {
                return Err(Error::unsupported(
                    "a sub-select correlated with both sides of an outer join in its ON condition",
                ));
            }
        }
        let on: Vec<Expr> = on.into_iter().chain(before).collect();
        let kind = JoinType::from(kind);
        let mut built = self.join_node(level, kind, outer, inner, on, filter)?;
        let kept: Vec<Expr> = own
            .iter()
            .map(|&(rel, column)| level.column(rel, column))
            .collect::<Result<_>>()?;
        let is_own = |expr: &&Expr| super::lower::position(expr, &built.columns).is_some();
        built.node.estimate.width = cost::width_of(kept.iter().filter(is_own));
        self.filter_pending(level, built, pending)
    }

    fn join_node(
        &mut self,
        level: &Level,
        kind: JoinType,
        mut outer: Built,
        mut inner: Built,
        on: Vec<Expr>,
        filter: Vec<Expr>,
    ) -> Result<Built> {
        let (params, lateral) = lateral_params(&outer, &inner);
        let share = level.statistics().of_all(&on);
        let mut rows = outer.node.estimate.rows * inner.node.estimate.rows * share;
        match kind {
            JoinType::Left | JoinType::Full => rows = rows.max(outer.node.estimate.rows),
            // What PostgreSQL expects where it knows nothing of the values.
            JoinType::Semi | JoinType::Anti => rows = outer.node.estimate.rows * 0.5,
            _ => {}
        }
        rows = clamp_rows(rows * level.statistics().of_all(&filter));

        let mut keys = Vec::new();
        let mut tests = Vec::new();
        for expr in on {
            match equi_key(&expr, &outer.columns, &inner.columns) {
                Some(key) if params.is_empty() => keys.push((key, expr)),
                _ => tests.push(expr),
            }
        }
        if kind == JoinType::Full && keys.is_empty() && !tests.iter().all(is_constant) {
            return Err(Error::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions",
            ));
        }
        let method = self.method(kind, keys.len());
        if method == Method::Loop {
            tests.splice(0..0, keys.drain(..).map(|(_, expr)| expr));
        }
        if method == Method::Merge {
            let side = |of: fn(&EquiKey) -> &Expr| -> Vec<Expr> {
                keys.iter().map(|(key, _)| of(key).clone()).collect()
            };
            let (outer_keys, inner_keys) = (side(|key| &key.outer), side(|key| &key.inner));
            outer = self.sorted_by(outer, &outer_keys)?;
            inner = self.sorted_by(inner, &inner_keys)?;
        }
        let mut pair = outer.columns.clone();
        pair.extend(inner.columns.iter().cloned());
        let mut columns = outer.columns.clone();
        let mut output = outer.node.output.clone();
        if kind.gives_inner() {
            columns.extend(inner.columns.iter().cloned());
            output.extend(inner.node.output.iter().cloned());
        }

        self.order_quals(&mut tests);
        let mut filter = filter;
        self.order_quals(&mut filter);
        let per_row = Cost::of_all(tests.iter().chain(&filter), self);
        let join_filter = conjunction(
            tests
                .iter()
                .map(|expr| lower(expr, &pair))
                .collect::<Result<_>>()?,
        );

        let shares = keys
            .iter()
            .map(|(key, _)| level.statistics().bucket_share(&key.inner));
        let hash_shape = HashShape {
            keys: keys.len(),
            bucket_share: shares.fold(1.0, f64::min),
        };
        let (kind, children, mut estimate) = if method == Method::Merge {
            let estimate = self.merge_join_estimate(&outer.node, &inner.node, per_row, rows);
            let keys = keys
                .into_iter()
                .map(|(key, _)| {
                    Ok(MergeKey {
                        outer: lower(&key.outer, &outer.columns)?,
                        inner: lower(&key.inner, &inner.columns)?,
                        operator: key.operator,
                        descending: false,
                        nulls_first: false,
                    })
                })
                .collect::<Result<_>>()?;
            (
                NodeKind::MergeJoin {
                    kind,
                    keys,
                    join_filter,
                },
                vec![outer.node, inner.node],
                estimate,
            )
        } else if method == Method::Hash {
            let estimate = self.hash_join_estimate(&outer, &inner, hash_shape, per_row, rows);
            let keys = keys
                .into_iter()
                .map(|(key, _)| {
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
            (
                NodeKind::HashJoin {
                    kind,
                    keys,
                    join_filter,
                },
                vec![outer.node, table],
                estimate,
            )
        } else {
            let inner_node = if params.is_empty()
                && lateral.is_empty()
                && self.is_worth_keeping(&outer, &inner.node)
            {
                self.materialize(inner.node)
            } else {
                inner.node
            };
            let estimate = self.nested_loop_estimate(&outer.node, &inner_node, per_row, rows);
            (
                NodeKind::NestedLoop {
                    kind,
                    join_filter,
                    params,
                },
                vec![outer.node, inner_node],
                estimate,
            )
        };
        estimate.rows = rows;
        let filter = filter
            .iter()
            .map(|expr| lower(expr, &columns))
            .collect::<Result<_>>()?;
        let mut node = self.node(kind, children, output, estimate);
        node.filter = conjunction(filter);
        Ok(Built {
            node,
            columns,
            lateral,
        })
    }

    /// How a join is made: hashed if it may be, else merged, else by a loop. A full join has no loop.
    fn method(&self, kind: JoinType, keys: usize) -> Method {
        let flag = |name| self.settings.flag(name);
        match keys {
            0 if kind == JoinType::Full => Method::Hash,
            0 => Method::Loop,
            _ if flag(Name::EnableHashjoin) => Method::Hash,
            _ if flag(Name::EnableMergejoin) => Method::Merge,
            _ if flag(Name::EnableNestloop) && kind != JoinType::Full => Method::Loop,
            _ => Method::Hash,
        }
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
        let (output, estimate) = (node.output.clone(), cost::material(node.estimate));
        self.node(NodeKind::Material, vec![node], output, estimate)
    }

    /// A nested loop keeps its inner rows if that is cheaper than computing them for every outer row.
    fn is_worth_keeping(&self, outer: &Built, inner: &PlanNode) -> bool {
        let rescans = outer.node.estimate.rows - 1.0;
        let keeping = 2.0 * cost::CPU_OPERATOR_COST * inner.estimate.rows;
        let kept = cost::CPU_OPERATOR_COST * inner.estimate.rows;
        self.settings.flag(Name::EnableMaterial)
            && !matches!(inner.kind, NodeKind::Material | NodeKind::Sort { .. })
            && keeping + rescans * kept < rescans * cost::rescan(inner)
            && !is_volatile_node(inner)
    }

    /// `initial_cost_nestloop`, `final_cost_nestloop`.
    fn nested_loop_estimate(
        &self,
        outer: &PlanNode,
        inner: &PlanNode,
        per_row: Cost,
        rows: f64,
    ) -> Estimate {
        let (o, i) = (outer.estimate, inner.estimate);
        let mut startup = o.startup_cost + i.startup_cost + per_row.startup;
        let again = cost::rescan(inner);
        let mut run = (o.total_cost - o.startup_cost) + (i.total_cost - i.startup_cost);
        if o.rows > 1.0 {
            run += (o.rows - 1.0) * again;
        }
        run += (cost::CPU_TUPLE_COST + per_row.per_tuple) * o.rows * i.rows;
        if !self.settings.flag(Name::EnableNestloop) {
            startup += DISABLE_COST;
        }
        Estimate {
            startup_cost: startup,
            total_cost: startup + run,
            rows,
            width: 0,
        }
    }

    /// `final_cost_mergejoin`, both sides read to their ends.
    fn merge_join_estimate(
        &self,
        outer: &PlanNode,
        inner: &PlanNode,
        per_row: Cost,
        rows: f64,
    ) -> Estimate {
        let (o, i) = (outer.estimate, inner.estimate);
        let mut startup = o.startup_cost + i.startup_cost + per_row.startup;
        let run = (o.total_cost - o.startup_cost)
            + (i.total_cost - i.startup_cost)
            + cost::CPU_OPERATOR_COST * (o.rows + i.rows)
            + (cost::CPU_TUPLE_COST + per_row.per_tuple) * rows;
        if !self.settings.flag(Name::EnableMergejoin) {
            startup += DISABLE_COST;
        }
        Estimate {
            startup_cost: startup,
            total_cost: startup + run,
            rows,
            width: 0,
        }
    }

    /// `initial_cost_hashjoin`, `final_cost_hashjoin`, for one batch in memory.
    fn hash_join_estimate(
        &self,
        outer: &Built,
        inner: &Built,
        hash: HashShape,
        per_row: Cost,
        rows: f64,
    ) -> Estimate {
        let HashShape { keys, bucket_share } = hash;
        let (o, i) = (outer.node.estimate, inner.node.estimate);
        let hashing = cost::CPU_OPERATOR_COST * keys as f64;
        let mut startup = o.startup_cost
            + i.total_cost
            + (hashing + cost::CPU_TUPLE_COST) * i.rows
            + per_row.startup;
        let bucket = clamp_rows(i.rows * bucket_share);
        let run = (o.total_cost - o.startup_cost)
            + hashing * o.rows
            + hashing * o.rows * bucket * 0.5
            + (cost::CPU_TUPLE_COST + per_row.per_tuple) * rows;
        if !self.settings.flag(Name::EnableHashjoin) {
            startup += DISABLE_COST;
        }
        Estimate {
            startup_cost: startup,
            total_cost: startup + run,
            rows,
            width: 0,
        }
    }
}

/// The range-table entries of a join tree.
pub(super) fn rels_in(from: &From) -> Rels {
    match from {
        From::Entry(rel) => Rels::of(*rel),
        From::Join { left, right, .. } => rels_in(left).union(&rels_in(right)),
    }
}

/// Columns that LATERAL items in the tree take from their siblings.
pub(super) fn add_lateral(level: &Level, from: &From, needed: &mut VarSet) {
    match from {
        From::Join { left, right, .. } => {
            add_lateral(level, left, needed);
            add_lateral(level, right, needed);
        }
        From::Entry(rel) => {
            let mut add = |var: crate::bind::Var, _: &Expr| {
                needed.insert((var.rel, var.column));
            };
            match &level.range[*rel].source {
                Source::Table(_) => {}
                Source::Function(call) => super::walk::each_var(call, &mut add),
                Source::Subquery { query, .. } => each_outer_var(query, &mut add),
            }
        }
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

/// A condition without columns, which a full join may have beside its keys.
fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(_))
}

fn is_volatile_node(node: &PlanNode) -> bool {
    let mut found = false;
    node.each(&mut |node| {
        let exprs = node.filter.iter().chain(node.project.iter().flatten());
        found |= exprs.into_iter().any(is_volatile);
        if let NodeKind::FunctionScan { function, .. } = &node.kind {
            found |= function.volatility == crate::catalog::Volatility::Volatile;
        }
    });
    found
}

/// `outer = inner` by an operator of PostgreSQL's own whose two types hash alike.
fn equi_key(expr: &Expr, outer: &[Expr], inner: &[Expr]) -> Option<EquiKey> {
    let ExprKind::Call {
        notation: Notation::Operator(operator),
        args,
        ..
    } = &expr.kind
    else {
        return None;
    };
    let [left, right] = &args[..] else {
        return None;
    };
    if &*operator.name != "="
        || !matches!(operator.function.origin, Origin::Builtin)
        || !hash_alike(left.ty, right.ty)
        || is_volatile(expr)
    {
        return None;
    }
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

/// True if equal values of the two types have equal hashes (one hash operator family).
fn hash_alike(a: Type, b: Type) -> bool {
    use Base::*;
    let family = |ty: Type| match ty.base {
        Int2 | Int4 | Int8 => Some(0),
        Float4 | Float8 => Some(1),
        Text | Varchar | Unknown => Some(2),
        Numeric => Some(3),
        Date => Some(4),
        Timestamp => Some(5),
        Bool => Some(6),
        Bpchar => Some(7),
        Interval => Some(8),
        Void => None,
    };
    a.array == b.array && family(a).is_some() && family(a) == family(b) && !(a.array && a != b)
}
