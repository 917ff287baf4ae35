//! FROM: scans of tables, functions and sub-selects.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::cost::{self, Cost, clamp_rows};
use super::lower::lower;
use super::node::*;
use super::planner::{Built, Planner, var};
use super::quals::{Qual, VarSet, conjunction, extract};
use super::selectivity::{RelStatistics, Statistics};
use crate::bind::{Expr, ExprKind, From, Query, RangeEntry, Source};
use crate::catalog::Table;
use crate::error::{Error, Result};
use crate::settings::Name;
use crate::value::{Datum, Type};

/// The [`Var`](crate::bind::Var) column that stands for a row's Tid.
pub(super) const TID: usize = usize::MAX;

/// One SELECT's range table while it is planned.
pub(super) struct Level {
    pub range: Vec<RangeEntry>,
    /// As EXPLAIN shows them.
    pub names: Vec<Rc<str>>,
    pub known: Vec<RelStatistics>,
}

/// A sub-select in FROM.
struct SubqueryScanned {
    rel: usize,
    query: Query,
    barrier: bool,
}

impl Level {
    pub fn statistics(&self) -> Statistics<'_> {
        Statistics { rels: &self.known }
    }

    /// The expression for a column of the range table.
    pub fn column(&self, rel: usize, column: usize) -> Result<Expr> {
        if column == TID {
            return Ok(var(rel, TID, Type::INT8, -1));
        }
        let known = self
            .range
            .get(rel)
            .and_then(|entry| entry.columns.get(column));
        let known = known
            .ok_or_else(|| Error::internal("a column reference leads out of the range table"))?;
        Ok(var(rel, column, known.ty, known.typmod))
    }

    pub fn label(&self, rel: usize, column: usize) -> Rc<str> {
        match self.range[rel].columns.get(column) {
            Some(column) => Rc::clone(&column.name),
            None => "ctid".into(),
        }
    }
}

impl Planner<'_> {
    /// Plans a join tree. `quals` refer only to entries in it; `above` are the columns needed further up.
    pub fn from(
        &mut self,
        level: &mut Level,
        from: From,
        quals: Vec<Qual>,
        above: &VarSet,
    ) -> Result<Built> {
        match from {
            From::Entry(rel) => self.entry(level, rel, quals, above),
            From::Join { .. } => self.join_tree(level, from, quals, above),
        }
    }

    pub fn entry(
        &mut self,
        level: &mut Level,
        rel: usize,
        mut quals: Vec<Qual>,
        above: &VarSet,
    ) -> Result<Built> {
        let pending = extract(&mut quals, |qual| self.has_pending(&qual.expr));
        let mut needed: VarSet = above.range((rel, 0)..=(rel, TID)).copied().collect();
        let pending: Vec<Expr> = pending.into_iter().map(|qual| qual.expr).collect();
        self.add_needed(&pending, &mut needed);
        needed.retain(|&(r, _)| r == rel);
        let source = std::mem::replace(
            &mut level.range[rel].source,
            Source::Function(Box::new(Expr::constant(Datum::Null, Type::UNKNOWN))),
        );
        let built = match source {
            Source::Table(table) => self.seq_scan(level, rel, table, quals, &pending, &needed)?,
            Source::Function(call) => self.function_scan(level, rel, *call, quals)?,
            Source::Common { id, name } => {
                self.common_scan(level, rel, (id, name), false, quals)?
            }
            Source::WorkTable { id, name } => {
                self.common_scan(level, rel, (id, name), true, quals)?
            }
            Source::Subquery { query, barrier } => {
                let scan = SubqueryScanned {
                    rel,
                    query: *query,
                    barrier,
                };
                self.subquery_scan(level, scan, quals, needed)?
            }
        };
        self.filter_pending(level, built, pending)
    }

    /// Evaluates conditions with correlated sub-selects above the node, cheapest first.
    pub fn filter_pending(
        &mut self,
        level: &Level,
        mut built: Built,
        mut quals: Vec<Expr>,
    ) -> Result<Built> {
        self.order_quals(&mut quals);
        for qual in quals {
            built = self.apply_pending(built, [&qual])?;
            let condition = lower(&qual, &built.columns)?;
            let filter = &mut built.node.filter;
            *filter = conjunction(filter.take().into_iter().chain([condition]).collect());
            built.node.estimate.rows =
                clamp_rows(built.node.estimate.rows * level.statistics().of(&qual));
        }
        Ok(built)
    }

    fn seq_scan(
        &mut self,
        level: &mut Level,
        rel: usize,
        table: Rc<Table>,
        quals: Vec<Qual>,
        pending: &[Expr],
        needed: &VarSet,
    ) -> Result<Built> {
        let size = self.relation_size(&table);
        level.known[rel].tuples = size.tuples;
        let mut conditions: Vec<Expr> = quals.into_iter().map(|qual| qual.expr).collect();
        self.order_quals(&mut conditions);
        let rows = clamp_rows(size.tuples * level.statistics().of_all(&conditions));
        level.known[rel].rows = rows;
        let evaluation = Cost::of_all(&conditions, self);
        let discouraged = match self.settings.flag(Name::EnableSeqscan) {
            true => 0.0,
            false => cost::DISABLE_COST,
        };
        let estimate = Estimate {
            startup_cost: evaluation.startup + discouraged,
            total_cost: evaluation.startup
                + discouraged
                + self.prices.seq_page * size.pages
                + (self.prices.cpu_tuple + evaluation.per_tuple) * size.tuples,
            rows,
            width: 0,
        };
        let pushed = self.push_down(&table, conditions, pending);
        let mut read = needed.clone();
        self.add_needed(&pushed.filter, &mut read);
        let mut columns = Vec::with_capacity(read.len());
        let mut output = Vec::with_capacity(read.len());
        let mut estimate = estimate;
        for &(_, column) in &read {
            let expr = level.column(rel, column)?;
            if needed.contains(&(rel, column)) {
                estimate.width += self.width_of([&expr]);
            }
            output.push(OutputColumn {
                label: level.label(rel, column),
                ty: expr.ty,
            });
            columns.push(expr);
        }
        let scan = SeqScan {
            alias: Rc::clone(&level.names[rel]),
            columns: read
                .iter()
                .map(|&(_, column)| column)
                .filter(|&column| column != TID)
                .collect(),
            with_tid: read.contains(&(rel, TID)),
            keys: pushed.keys,
            rechecked: pushed.rechecked,
            not_pushed: pushed.not_pushed,
            decided_by: pushed.decided_by,
            table,
        };
        let filter = pushed
            .filter
            .iter()
            .map(|expr| lower(expr, &columns))
            .collect::<Result<_>>()?;
        let mut node = self.node(NodeKind::SeqScan(scan), Vec::new(), output, estimate);
        node.filter = conjunction(filter);
        Ok(Built {
            node,
            columns,
            lateral: Vec::new(),
        })
    }

    fn subquery_scan(
        &mut self,
        level: &mut Level,
        scanned: SubqueryScanned,
        quals: Vec<Qual>,
        mut needed: VarSet,
    ) -> Result<Built> {
        let SubqueryScanned {
            rel,
            mut query,
            barrier,
        } = scanned;
        let mut conditions = self.push_into(rel, &mut query, barrier, quals);
        self.add_needed(&conditions, &mut needed);
        super::subqueries::drop_unread_targets(&mut query, rel, &needed);
        let (child, lateral) = self.plan_inner(query)?;
        level.known[rel].tuples = child.estimate.rows;
        level.known[rel].rows = child.estimate.rows;
        self.order_quals(&mut conditions);
        let tests = Cost::of_all(&conditions, self);
        let input = child.estimate;
        let estimate = Estimate {
            startup_cost: input.startup_cost + tests.startup,
            total_cost: input.total_cost
                + tests.startup
                + if conditions.is_empty() {
                    0.0
                } else {
                    (self.prices.cpu_tuple + tests.per_tuple) * input.rows
                },
            rows: clamp_rows(input.rows * level.statistics().of_all(&conditions)),
            width: input.width,
        };
        let names: Vec<Rc<str>> = level.range[rel]
            .columns
            .iter()
            .map(|column| Rc::clone(&column.name))
            .collect();
        let output: Vec<OutputColumn> = names
            .iter()
            .zip(&child.output)
            .map(|(name, column)| OutputColumn {
                label: Rc::clone(name),
                ty: column.ty,
            })
            .collect();
        let columns = (0..output.len())
            .map(|column| level.column(rel, column))
            .collect::<Result<Vec<_>>>()?;
        let alias = Rc::clone(&level.names[rel]);
        let filter = conditions
            .iter()
            .map(|expr| lower(expr, &columns))
            .collect::<Result<_>>()?;
        // VALUES tests the conditions itself.
        let plain_values = matches!(child.kind, NodeKind::ValuesScan { .. })
            && child.filter.is_none()
            && child.project.is_none();
        let mut node = if plain_values {
            PlanNode {
                output,
                estimate,
                ..child
            }
        } else {
            let kind = NodeKind::SubqueryScan {
                alias,
                columns: names,
                barrier,
            };
            self.node(kind, vec![child], output, estimate)
        };
        node.filter = conjunction(filter);
        Ok(Built {
            node,
            columns,
            lateral,
        })
    }

    /// A row source that gives nothing: a condition is never true.
    pub fn empty(&mut self, level: &Level, needed: &VarSet) -> Result<Built> {
        let columns = needed
            .iter()
            .map(|&(rel, column)| level.column(rel, column))
            .collect::<Result<Vec<_>>>()?;
        let output = needed
            .iter()
            .zip(&columns)
            .map(|(&(rel, column), expr)| OutputColumn {
                label: level.label(rel, column),
                ty: expr.ty,
            })
            .collect();
        let never = Expr::constant(Datum::Bool(false), Type::BOOL);
        let estimate = Estimate {
            width: self.width_of(&columns),
            ..Estimate::default()
        };
        let mut node = self.node(
            NodeKind::Result {
                one_time_filter: Some(never),
            },
            Vec::new(),
            output,
            estimate,
        );
        node.project = Some(
            columns
                .iter()
                .map(|column| Expr::constant(Datum::Null, column.ty))
                .collect(),
        );
        Ok(Built {
            node,
            columns,
            lateral: Vec::new(),
        })
    }

    /// The rows, if the conditions (which no row decides) are true.
    pub fn gate(&mut self, built: Built, conditions: Vec<Expr>) -> Result<Built> {
        let Some(condition) = conjunction(conditions) else {
            return Ok(built);
        };
        let Built {
            node,
            columns,
            lateral,
        } = built;
        let (output, estimate) = (node.output.clone(), node.estimate);
        let kind = NodeKind::Result {
            one_time_filter: Some(lower(&condition, &[])?),
        };
        Ok(Built {
            node: self.node(kind, vec![node], output, estimate),
            columns,
            lateral,
        })
    }

    /// Leaves of a child's output only what is needed further up.
    pub fn narrow(&mut self, built: Built, needed: &VarSet) -> Result<Built> {
        let wanted = |expr: &Expr| match expr.kind {
            ExprKind::Var(var) => needed.contains(&(var.rel, var.column)),
            _ => false,
        };
        if built.columns.iter().all(wanted) {
            return Ok(built);
        }
        let kept: BTreeSet<usize> = (0..built.columns.len())
            .filter(|&i| wanted(&built.columns[i]))
            .collect();
        let targets: Vec<Expr> = kept.iter().map(|&i| built.columns[i].clone()).collect();
        let labels = kept
            .iter()
            .map(|&i| Rc::clone(&built.node.output[i].label))
            .collect();
        let estimate = built.node.estimate;
        let mut narrowed = self.project(built, targets, labels)?;
        narrowed.node.estimate = Estimate {
            width: self.width_of(&narrowed.columns),
            ..estimate
        };
        Ok(narrowed)
    }
}
