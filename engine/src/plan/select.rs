//! A query's nodes, bottom up: FROM and WHERE, groups, targets, DISTINCT, ORDER BY, LIMIT.

use std::rc::Rc;

use super::cost;
use super::from::{Level, TID};
use super::lower::lower;
use super::node::*;
use super::planner::{Built, Planner, numbered};
use super::quals::{Qual, VarSet, conjunction, extract, is_never_true};
use super::walk::{contains, each_condition_mut, has_aggregate, is_volatile, returns_set};
use crate::bind::{Body, Expr, ExprKind, From, JoinKind, Query, Select};
use crate::error::{Error, Result};
use crate::value::Type;

impl Planner<'_> {
    /// Plans a query; the node's output are the query's visible columns.
    pub fn query(&mut self, query: Query) -> Result<PlanNode> {
        let outer_init_plans = std::mem::take(&mut self.init_plans);
        let outer_shared = self.shared_sublinks.take();
        let outer_widths = std::mem::take(&mut self.widths);
        let Query {
            body,
            order_by,
            limit,
            offset,
            columns,
            with,
        } = query;
        let with = match &body {
            // A SELECT names its own relations before those of its WITH queries.
            Body::Select(_) => with,
            _ => {
                self.plan_commons(with)?;
                Vec::new()
            }
        };
        let mut node = match body {
            Body::Select(select) => {
                let level = self.level_of(*select)?;
                self.plan_commons(with)?;
                self.select(level, order_by, limit, offset)
            }
            Body::Values(rows) => {
                let labels = columns
                    .iter()
                    .map(|column| Rc::clone(&column.name))
                    .collect();
                let types = columns.iter().map(|c| (c.ty, c.typmod)).collect();
                let built = self.values(rows, types, labels)?;
                self.order_and_limit(built, order_by, limit, offset)
            }
            Body::UnionAll(parts) => {
                let labels = columns
                    .iter()
                    .map(|column| Rc::clone(&column.name))
                    .collect();
                let built = self.append(parts, labels)?;
                self.order_and_limit(built, order_by, limit, offset)
            }
            Body::Recursive { id, all, parts } => {
                let labels = columns
                    .iter()
                    .map(|column| Rc::clone(&column.name))
                    .collect();
                let built = self.recursive_union(id, all, *parts, labels)?;
                self.order_and_limit(built, order_by, limit, offset)
            }
            Body::SetOperation {
                operation,
                all,
                parts,
            } => {
                let labels = columns
                    .iter()
                    .map(|column| Rc::clone(&column.name))
                    .collect();
                let built = self.set_operation(operation, all, *parts, labels)?;
                self.order_and_limit(built, order_by, limit, offset)
            }
        }?;
        self.adopt_init_plans(&mut node, outer_init_plans);
        self.shared_sublinks = outer_shared;
        self.widths = outer_widths;
        Ok(node)
    }

    /// EXPLAIN prints a level's InitPlans under its topmost node, which is charged for them
    /// (`SS_charge_for_initplans`).
    pub fn adopt_init_plans(&mut self, top: &mut PlanNode, outer: Vec<usize>) {
        for index in std::mem::replace(&mut self.init_plans, outer) {
            let subplan = &mut self.subplans[index];
            subplan.parent = top.id;
            let inner = subplan.root.estimate;
            let run = inner.total_cost - inner.startup_cost;
            let read = match subplan.kind {
                SubPlanKind::Init {
                    result: SubPlanResult::Exists,
                    ..
                } => run / inner.rows.max(1.0),
                _ => run,
            };
            top.estimate.startup_cost += inner.startup_cost + read;
            top.estimate.total_cost += inner.startup_cost + read;
        }
    }

    fn order_and_limit(
        &mut self,
        built: Built,
        order_by: Vec<crate::bind::SortKey>,
        limit: Option<Expr>,
        offset: Option<Expr>,
    ) -> Result<PlanNode> {
        let limit = self.prepare_limit(limit, offset)?;
        let built = self.sort(built, order_by, limit.as_ref())?;
        Ok(self.limit(built, limit).node)
    }

    /// Step one of planning a SELECT: what FROM names, simple sub-selects pulled up.
    fn level_of(&mut self, select: Select) -> Result<(Level, Select)> {
        let mut select = self.flatten(select)?;
        Ok((self.level(&mut select), select))
    }

    fn select(
        &mut self,
        (mut level, mut select): (Level, Select),
        order_by: Vec<crate::bind::SortKey>,
        limit: Option<Expr>,
        offset: Option<Expr>,
    ) -> Result<PlanNode> {
        let is_sublink = |e: &Expr| matches!(e.kind, ExprKind::Sublink(_));
        if select
            .group_by
            .iter()
            .any(|group| contains(group, &is_sublink))
        {
            self.shared_sublinks = Some(Vec::new());
        }
        for target in &mut select.targets {
            target.expr = self.prepare_in_place(&mut target.expr)?;
        }
        for group in &mut select.group_by {
            *group = self.prepare_in_place(group)?;
        }
        let limit = self.prepare_limit(limit, offset)?;
        let built = self.rows(&mut level, &mut select, false)?;
        let built = self.targets(&level, built, &select, order_by, limit)?;
        Ok(built.node)
    }

    fn prepare_in_place(&mut self, expr: &mut Expr) -> Result<Expr> {
        let taken = std::mem::replace(expr, Expr::new(crate::bind::ExprKind::CaseValue, expr.ty));
        self.prepare(taken)
    }

    /// FROM, WHERE, GROUP BY and HAVING. The targets and groups are prepared. `with_tid` adds the Tid
    /// of range-table entry 0.
    pub fn rows(
        &mut self,
        level: &mut Level,
        select: &mut Select,
        with_tid: bool,
    ) -> Result<Built> {
        let mut conditions: Vec<Qual> = Vec::new();
        if let Some(from) = &mut select.from {
            let mut failed = Ok(());
            each_condition_mut(from, &mut |on| match self.prepare_condition(on) {
                Ok(done) => *on = done,
                Err(error) => failed = Err(error),
            });
            failed?;
        }
        for entry in &mut level.range {
            if let crate::bind::Source::Function(call) = &mut entry.source {
                **call = self.prepare_arguments(call)?;
            }
        }
        if let Some(mut filter) = select.filter.take() {
            conditions = self.quals_of(&mut filter)?;
        }
        let having = match select.having.take() {
            Some(mut having) => self.having(&mut having, select, &mut conditions)?,
            None => Vec::new(),
        };
        let having = self.reduce_outer_joins(level, select, &mut conditions, having, with_tid)?;

        let mut above = VarSet::new();
        for target in &select.targets {
            self.add_needed(std::slice::from_ref(&target.expr), &mut above);
        }
        self.add_needed(&select.group_by, &mut above);
        self.add_needed(&having, &mut above);
        if with_tid {
            above.insert((0, TID));
        }
        let built = match select.from.take() {
            Some(from) => self.filtered_from(level, from, conditions, above)?,
            None => self.no_from(level, conditions)?,
        };
        if select.aggregated {
            self.aggregate(level, built, select, having)
        } else {
            Ok(built)
        }
    }

    fn prepare_condition(&mut self, on: &mut Expr) -> Result<Expr> {
        let prepared = self.prepare_in_place(on)?;
        Ok(conjunction(
            self.quals(prepared)
                .into_iter()
                .map(|qual| qual.expr)
                .collect(),
        )
        .unwrap_or_else(|| Expr::constant(crate::value::Datum::Bool(true), Type::BOOL)))
    }

    fn quals_of(&mut self, condition: &mut Expr) -> Result<Vec<Qual>> {
        let prepared = self.prepare_in_place(condition)?;
        Ok(self.quals(prepared))
    }

    /// Conditions of HAVING that look at no aggregate hold for a group's rows as well as for the group.
    fn having(
        &mut self,
        having: &mut Expr,
        select: &Select,
        conditions: &mut Vec<Qual>,
    ) -> Result<Vec<Expr>> {
        let mut quals = self.quals_of(having)?;
        if !select.group_by.is_empty() {
            let early = extract(&mut quals, |qual| {
                !has_aggregate(&qual.expr)
                    && !is_volatile(&qual.expr)
                    && !self.has_pending(&qual.expr)
            });
            conditions.extend(early);
        }
        Ok(quals.into_iter().map(|qual| qual.expr).collect())
    }

    /// Takes the range table over, names for EXPLAIN given out: an outer query's before an inner one's.
    pub fn level(&mut self, select: &mut Select) -> Level {
        let range = std::mem::take(&mut select.range);
        self.relations += range.len();
        let mut used = vec![false; range.len()];
        if let Some(from) = &select.from {
            self.relations += count_joins(from);
            super::joins::rels_in(from)
                .iter()
                .for_each(|rel| used[rel] = true);
        }
        let names = range
            .iter()
            .zip(used)
            .map(|(entry, used)| {
                if used {
                    self.unique_name(&entry.alias)
                } else {
                    Rc::clone(&entry.alias)
                }
            })
            .collect();
        Level {
            known: self.known_of(&range),
            range,
            names,
        }
    }

    /// The rows of FROM that satisfy WHERE.
    fn filtered_from(
        &mut self,
        level: &mut Level,
        mut from: From,
        mut conditions: Vec<Qual>,
        above: VarSet,
    ) -> Result<Built> {
        self.collect_inner_conditions(&mut from, &mut conditions);
        if conditions.iter().any(|qual| is_never_true(&qual.expr)) {
            return self.empty(level, &above);
        }
        let gates = extract(&mut conditions, |qual| self.is_one_time(qual));
        // No sibling decides them: they are tested on the rows of the whole FROM.
        let homeless = extract(&mut conditions, |qual| {
            qual.rels.is_empty() && (matches!(from, From::Entry(_)) || self.has_pending(&qual.expr))
        });
        let (homeless_pending, homeless): (Vec<Expr>, Vec<Expr>) = homeless
            .into_iter()
            .map(|qual| qual.expr)
            .partition(|expr| self.has_pending(expr));
        if let From::Entry(rel) = from {
            conditions.extend(homeless.into_iter().map(|expr| Qual {
                expr,
                rels: super::walk::Rels::of(rel),
            }));
        }
        let built = self.from(level, from, conditions, &above)?;
        if let Some(reference) = built.lateral.first() {
            return Err(Error::unsupported(format!(
                "a reference to a column of a FROM item that comes later ({:?})",
                reference.column.kind
            )));
        }
        let built = self.filter_pending(level, built, homeless_pending)?;
        self.gate(built, gates.into_iter().map(|qual| qual.expr).collect())
    }

    /// ON conditions of inner joins that no outer join is above of are conditions of WHERE.
    fn collect_inner_conditions(&mut self, from: &mut From, conditions: &mut Vec<Qual>) {
        if let From::Join {
            kind,
            left,
            right,
            on,
        } = from
        {
            if *kind == JoinKind::Full {
                return;
            }
            self.collect_inner_conditions(left, conditions);
            if *kind == JoinKind::Inner {
                self.collect_inner_conditions(right, conditions);
                if let Some(on) = on.take() {
                    conditions.extend(self.quals(on));
                }
            }
        }
    }

    /// One row from nothing, if the conditions are true.
    fn no_from(&mut self, level: &Level, conditions: Vec<Qual>) -> Result<Built> {
        let (pending, plain): (Vec<Expr>, Vec<Expr>) = conditions
            .into_iter()
            .map(|qual| qual.expr)
            .partition(|expr| self.has_pending(expr));
        let one_time_filter = conjunction(plain)
            .map(|expr| lower(&expr, &[]))
            .transpose()?;
        let estimate = Estimate {
            total_cost: self.prices.cpu_tuple,
            rows: 1.0,
            ..Estimate::default()
        };
        let node = self.node(
            NodeKind::Result { one_time_filter },
            Vec::new(),
            Vec::new(),
            estimate,
        );
        let built = Built {
            node,
            columns: Vec::new(),
            lateral: Vec::new(),
        };
        self.filter_pending(level, built, pending)
    }

    /// Computes the target list and orders it.
    fn targets(
        &mut self,
        level: &Level,
        built: Built,
        select: &Select,
        order_by: Vec<crate::bind::SortKey>,
        limit: Option<Limit>,
    ) -> Result<Built> {
        let targets = &select.targets;
        let visible = targets.iter().filter(|target| !target.hidden).count();
        let exprs: Vec<Expr> = targets.iter().map(|target| target.expr.clone()).collect();
        let labels: Vec<Rc<str>> = targets
            .iter()
            .map(|target| Rc::clone(&target.name))
            .collect();
        // A volatile or set-returning target that is no sort key is computed for sorted rows, so that
        // it is not computed for rows that a LIMIT never asks for.
        let late = |i: usize| {
            !order_by.iter().any(|key| key.target == i)
                && !select.distinct
                && (is_volatile(&exprs[i]) || returns_set(&exprs[i]))
        };
        let is_late: Vec<bool> = (0..exprs.len()).map(late).collect();
        if order_by.is_empty() || !is_late.contains(&true) {
            let built = self.compute_targets(built, exprs, labels)?;
            let built = if !select.distinct_on.is_empty() {
                self.distinct_on(level, built, &order_by, &select.distinct_on)?
            } else if select.distinct {
                self.distinct(level, built, &order_by)?
            } else {
                built
            };
            let already_sorted =
                select.distinct && matches!(built.node.kind, NodeKind::Unique { .. });
            let built = if already_sorted {
                built
            } else {
                self.sort(built, order_by, limit.as_ref())?
            };
            let built = self.keep_first(built, visible);
            return Ok(self.limit(built, limit));
        }
        // The sort carries its keys and every column the late targets are made of.
        let early: Vec<usize> = (0..exprs.len()).filter(|&i| !is_late[i]).collect();
        let mut carried: Vec<Expr> = early.iter().map(|&i| exprs[i].clone()).collect();
        let mut carried_labels: Vec<Rc<str>> =
            early.iter().map(|&i| Rc::clone(&labels[i])).collect();
        for (column, output) in built.columns.iter().zip(&built.node.output) {
            if super::lower::position(column, &carried).is_none() {
                carried.push(column.clone());
                carried_labels.push(Rc::clone(&output.label));
            }
        }
        let keys = order_by
            .iter()
            .map(|key| crate::bind::SortKey {
                target: early.iter().position(|&i| i == key.target).unwrap_or(0),
                ..*key
            })
            .collect();
        let built = self.compute_targets(built, carried, carried_labels)?;
        let sets = exprs.iter().any(returns_set);
        let built = self.sort(built, keys, limit.as_ref().filter(|_| !sets))?;
        let built = self.compute_targets(built, exprs, labels)?;
        let built = self.keep_first(built, visible);
        Ok(self.limit(built, limit))
    }

    /// Computes expressions of the level over a node, set-returning functions and sub-selects included.
    pub fn compute_targets(
        &mut self,
        built: Built,
        exprs: Vec<Expr>,
        labels: Vec<Rc<str>>,
    ) -> Result<Built> {
        let built = self.apply_pending(built, &exprs)?;
        let built = self.expand_sets(built, &exprs, &labels)?;
        self.project(built, exprs, labels)
    }

    /// Leaves the first `n` columns.
    pub fn keep_first(&mut self, built: Built, n: usize) -> Built {
        if built.columns.len() <= n {
            return built;
        }
        let Built {
            node,
            mut columns,
            lateral,
        } = built;
        let kept = node.output[..n]
            .iter()
            .enumerate()
            .map(|(i, column)| Expr::slot(i, column.ty))
            .collect();
        columns.truncate(n);
        Built {
            node: self.set_project(node, kept),
            columns,
            lateral,
        }
    }

    /// VALUES: a single row is a Result, more are a Values Scan.
    fn values(
        &mut self,
        rows: Vec<Vec<Expr>>,
        declared: Vec<(Type, i32)>,
        labels: Vec<Rc<str>>,
    ) -> Result<Built> {
        let mut prepared = Vec::with_capacity(rows.len());
        for row in rows {
            prepared.push(
                row.into_iter()
                    .map(|expr| self.prepare(expr))
                    .collect::<Result<Vec<_>>>()?,
            );
        }
        if prepared.len() == 1
            && let Some(row) = prepared.pop()
        {
            let level = Level {
                range: Vec::new(),
                names: Vec::new(),
                known: Vec::new(),
            };
            let built = self.no_from(&level, Vec::new())?;
            return self.compute_targets(built, row, labels);
        }
        if prepared.iter().flatten().any(|expr| self.has_pending(expr)) {
            return Err(Error::unsupported(
                "a correlated sub-select in a VALUES list of several rows",
            ));
        }
        let types: Vec<(Type, i32)> = prepared.first().map_or(declared, |row| {
            row.iter().map(|e| (e.ty, e.typmod)).collect()
        });
        let output: Vec<OutputColumn> = types
            .iter()
            .enumerate()
            .map(|(i, &(ty, _))| OutputColumn {
                label: format!("column{}", i + 1).into(),
                ty,
            })
            .collect();
        let columns = numbered(&types);
        let rows = prepared.len() as f64;
        let estimate = Estimate {
            startup_cost: 0.0,
            total_cost: rows * (self.prices.cpu_tuple + self.prices.cpu_operator),
            rows,
            width: types
                .iter()
                .map(|&(ty, typmod)| cost::width(ty, typmod))
                .sum(),
        };
        self.relations += 1;
        let alias = self.unique_name(&"*VALUES*".into());
        let kind = NodeKind::ValuesScan {
            alias,
            rows: prepared,
        };
        Ok(Built {
            node: self.node(kind, Vec::new(), output, estimate),
            columns,
            lateral: Vec::new(),
        })
    }
}

/// LIMIT and OFFSET, prepared.
pub(super) struct Limit {
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
}

fn count_joins(from: &From) -> usize {
    match from {
        From::Entry(_) => 0,
        From::Join { left, right, .. } => 1 + count_joins(left) + count_joins(right),
    }
}
