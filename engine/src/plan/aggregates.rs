//! GROUP BY, HAVING and aggregate calls: an Aggregate node, and what is computed from its columns.

use std::rc::Rc;

use super::cost::{self, Cost, Prices, clamp_rows};
use super::from::Level;
use super::lower::lower;
use super::node::*;
use super::planner::{Built, Planner};
use super::quals::{VarSet, conjunction};
use super::same::same;
use super::walk::is_volatile;
use crate::bind::{AggregateCall, AggregateOrder, Expr, ExprKind, Select, SortKey};
use crate::error::Result;
use crate::settings::Name;

impl Planner<'_> {
    /// Groups the rows. The node's columns are the groups, then the aggregates that the targets and
    /// HAVING call, each once.
    pub fn aggregate(
        &mut self,
        level: &Level,
        built: Built,
        select: &Select,
        having: Vec<Expr>,
    ) -> Result<Built> {
        let mut calls: Vec<Expr> = Vec::new();
        for expr in select
            .targets
            .iter()
            .map(|target| &target.expr)
            .chain(&having)
        {
            collect_calls(expr, &mut calls);
        }
        let mut groups: Vec<Expr> = Vec::new();
        for group in &select.group_by {
            // A constant puts no two rows into different groups.
            let constant = matches!(group.kind, ExprKind::Const(_) | ExprKind::Param(_))
                && !self.has_pending(group);
            if !constant && !groups.iter().any(|known| same(known, group)) {
                groups.push(group.clone());
            }
        }
        let arguments: Vec<Expr> = calls
            .iter()
            .filter_map(as_call)
            .flat_map(arguments_of)
            .cloned()
            .collect();
        let mut built = self.apply_pending(built, groups.iter().chain(&arguments))?;

        // PostgreSQL hashes no groups whose rows an aggregate wants sorted.
        let distinct = calls
            .iter()
            .filter_map(as_call)
            .any(|call| call.distinct || !call.order_by.is_empty());
        // One group needs no table; GROUP BY over constants only still gives no row for no input.
        let strategy = match (select.group_by.is_empty(), groups.is_empty()) {
            (true, _) => AggregateStrategy::Plain,
            (false, true) => AggregateStrategy::Sorted,
            (false, false) if distinct || !self.settings.flag(Name::EnableHashagg) => {
                AggregateStrategy::Sorted
            }
            (false, false) => AggregateStrategy::Hashed,
        };
        let group_count = match strategy {
            AggregateStrategy::Plain => 1.0,
            _ => level.statistics().groups(&groups, built.node.estimate.rows),
        };
        if strategy == AggregateStrategy::Sorted && !groups.is_empty() {
            built = self.sort_groups(built, &groups, &arguments)?;
        }
        let Built {
            node: mut child,
            columns,
            lateral,
        } = built;
        // PostgreSQL lets the child compute the groups that are more than columns, and charges it.
        let computed: Cost = groups
            .iter()
            .filter(|group| super::lower::position(group, &columns).is_none())
            .map(|group| Cost::of(group, self))
            .sum();
        child.estimate.startup_cost += computed.startup;
        child.estimate.total_cost += computed.startup + computed.per_tuple * child.estimate.rows;
        let lowered_groups = groups
            .iter()
            .map(|group| lower(group, &columns))
            .collect::<Result<Vec<_>>>()?;
        let mut aggregates = Vec::with_capacity(calls.len());
        for call in calls.iter().filter_map(as_call) {
            let order_by = call
                .order_by
                .iter()
                .map(|item| {
                    Ok(AggregateOrder {
                        expr: lower(&item.expr, &columns)?,
                        ..*item
                    })
                })
                .collect::<Result<_>>()?;
            aggregates.push(AggregateSpec {
                function: Rc::clone(&call.function),
                args: call
                    .args
                    .iter()
                    .map(|arg| lower(arg, &columns))
                    .collect::<Result<_>>()?,
                distinct: call.distinct,
                order_by,
                filter: call
                    .filter
                    .as_ref()
                    .map(|filter| lower(filter, &columns))
                    .transpose()?,
            });
        }
        let transition: Cost = calls
            .iter()
            .filter_map(as_call)
            .map(|call| {
                let own = Cost {
                    startup: 0.0,
                    per_tuple: self.prices.cpu_operator,
                };
                own + Cost::of_all(arguments_of(call), self)
            })
            .sum();
        let tests = Cost::of_all(&having, self);
        let mut estimate = aggregate_estimate(
            &self.prices,
            strategy,
            groups.len(),
            transition,
            child.estimate,
            group_count,
        );
        estimate.startup_cost += tests.startup;
        // It also charges them where they are given out, although they are columns by then.
        estimate.total_cost += tests.startup + (tests.per_tuple + computed.per_tuple) * group_count;
        if !having.is_empty() {
            estimate.rows = clamp_rows(group_count * level.statistics().of_all(&having));
        }
        let mut own = groups;
        own.extend(calls);
        estimate.width = self.width_of(&own);
        let output = own
            .iter()
            .map(|expr| OutputColumn {
                label: label(expr, &columns, &child),
                ty: expr.ty,
            })
            .collect();
        let kind = NodeKind::Aggregate {
            strategy,
            groups: lowered_groups,
            aggregates,
        };
        let mut node = self.node(kind, vec![child], output, estimate);
        let (pending, having): (Vec<Expr>, Vec<Expr>) = having
            .into_iter()
            .partition(|condition| self.has_pending(condition));
        let filter = having
            .iter()
            .map(|condition| lower(condition, &own))
            .collect::<Result<_>>()?;
        node.filter = conjunction(filter);
        self.filter_pending(
            level,
            Built {
                node,
                columns: own,
                lateral,
            },
            pending,
        )
    }

    /// Sorts the input by its groups, which become its first columns.
    fn sort_groups(&mut self, built: Built, groups: &[Expr], arguments: &[Expr]) -> Result<Built> {
        let mut carried = groups.to_vec();
        let mut needed = VarSet::new();
        self.add_needed(arguments, &mut needed);
        for column in &built.columns {
            let wanted = match column.kind {
                ExprKind::Var(var) => needed.contains(&(var.rel, var.column)),
                _ => arguments
                    .iter()
                    .any(|arg| super::walk::contains(arg, &|part| same(part, column))),
            };
            if wanted && super::lower::position(column, &carried).is_none() {
                carried.push(column.clone());
            }
        }
        let labels = carried
            .iter()
            .map(|expr| label(expr, &built.columns, &built.node))
            .collect();
        let built = self.compute_targets(built, carried, labels)?;
        let keys = (0..groups.len())
            .map(|target| SortKey {
                target,
                descending: false,
                nulls_first: false,
            })
            .collect();
        self.sort(built, keys, None)
    }

    /// DISTINCT: hashed, or the sorted rows without repetitions, whichever costs less with the ORDER BY
    /// that follows.
    pub fn distinct(&mut self, level: &Level, built: Built, order_by: &[SortKey]) -> Result<Built> {
        let groups = level
            .statistics()
            .groups(&built.columns, built.node.estimate.rows);
        let input = built.node.estimate;
        let hashed = aggregate_estimate(
            &self.prices,
            AggregateStrategy::Hashed,
            built.columns.len(),
            Cost::default(),
            input,
            groups,
        );
        let compare = self.prices.cpu_operator * input.rows * built.columns.len() as f64;
        let sorted_cost = cost::sort(&self.prices, input, None).total_cost + compare;
        let hashed_cost = match order_by {
            [] => hashed.total_cost,
            _ => cost::sort(&self.prices, hashed, None).total_cost,
        };
        let cheaper = order_by.is_empty() || hashed_cost < sorted_cost;
        if cheaper && self.settings.flag(Name::EnableHashagg) {
            let Built {
                node: child,
                columns,
                lateral,
            } = built;
            let slots = child
                .output
                .iter()
                .enumerate()
                .map(|(i, column)| Expr::slot(i, column.ty))
                .collect();
            let output = child.output.clone();
            let kind = NodeKind::Aggregate {
                strategy: AggregateStrategy::Hashed,
                groups: slots,
                aggregates: Vec::new(),
            };
            return Ok(Built {
                node: self.node(kind, vec![child], output, hashed),
                columns,
                lateral,
            });
        }
        let all: Vec<usize> = (0..built.columns.len()).collect();
        self.unique(built, order_by, &all, groups)
    }

    /// DISTINCT ON: the first of the sorted rows that are alike in these targets.
    pub fn distinct_on(
        &mut self,
        level: &Level,
        built: Built,
        order_by: &[SortKey],
        on: &[usize],
    ) -> Result<Built> {
        let deciding: Vec<Expr> = on.iter().map(|&i| built.columns[i].clone()).collect();
        let groups = level
            .statistics()
            .groups(&deciding, built.node.estimate.rows);
        self.unique(built, order_by, on, groups)
    }

    /// The first of the rows that are alike in the targets `on`, sorted by `order_by`, then by the
    /// others of `on`.
    fn unique(
        &mut self,
        built: Built,
        order_by: &[SortKey],
        on: &[usize],
        groups: f64,
    ) -> Result<Built> {
        let mut keys = order_by.to_vec();
        for &target in on {
            if !keys.iter().any(|key| key.target == target) {
                keys.push(SortKey {
                    target,
                    descending: false,
                    nulls_first: false,
                });
            }
        }
        let unique: Vec<usize> = keys
            .iter()
            .map(|key| key.target)
            .filter(|target| on.contains(target))
            .collect();
        let Built {
            node: child,
            columns,
            lateral,
        } = self.sort(built, keys, None)?;
        let input = child.estimate;
        let estimate = Estimate {
            total_cost: input.total_cost
                + self.prices.cpu_operator * input.rows * columns.len() as f64,
            rows: groups,
            ..input
        };
        let output = child.output.clone();
        let node = self.node(
            NodeKind::Unique { columns: unique },
            vec![child],
            output,
            estimate,
        );
        Ok(Built {
            node,
            columns,
            lateral,
        })
    }
}

/// `cost_agg`.
fn aggregate_estimate(
    prices: &Prices,
    strategy: AggregateStrategy,
    group_columns: usize,
    transition: Cost,
    input: Estimate,
    groups: f64,
) -> Estimate {
    let per_input = transition.per_tuple + prices.cpu_operator * group_columns as f64;
    let (startup_cost, total_cost) = match strategy {
        AggregateStrategy::Plain => {
            let startup = input.total_cost + transition.startup + transition.per_tuple * input.rows;
            (startup, startup + prices.cpu_tuple)
        }
        AggregateStrategy::Hashed => {
            let startup = input.total_cost + transition.startup + per_input * input.rows;
            (startup, startup + prices.cpu_tuple * groups)
        }
        AggregateStrategy::Sorted => {
            let total = input.total_cost
                + transition.startup
                + per_input * input.rows
                + prices.cpu_tuple * groups;
            (input.startup_cost, total)
        }
    };
    Estimate {
        startup_cost,
        total_cost,
        rows: groups,
        width: input.width,
    }
}

fn as_call(expr: &Expr) -> Option<&AggregateCall> {
    match &expr.kind {
        ExprKind::Aggregate(call) => Some(call),
        _ => None,
    }
}

fn arguments_of(call: &AggregateCall) -> impl Iterator<Item = &Expr> {
    let sorted_by = call.order_by.iter().map(|item| &item.expr);
    call.args.iter().chain(sorted_by).chain(&call.filter)
}

/// Aggregate calls, each once; one with a volatile argument is never shared.
fn collect_calls(expr: &Expr, calls: &mut Vec<Expr>) {
    if let ExprKind::Aggregate(_) = expr.kind {
        if is_volatile(expr) || !calls.iter().any(|known| same(known, expr)) {
            calls.push(expr.clone());
        }
        return;
    }
    expr.each_child(|child| collect_calls(child, calls));
}

fn label(expr: &Expr, columns: &[Expr], child: &PlanNode) -> Rc<str> {
    if let Some(slot) = super::lower::position(expr, columns) {
        return Rc::clone(&child.output[slot].label);
    }
    match &expr.kind {
        ExprKind::Aggregate(call) => Rc::clone(&call.function.name),
        ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } => {
            Rc::clone(&function.name)
        }
        _ => "?column?".into(),
    }
}
