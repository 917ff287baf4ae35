//! WITH queries that are computed once, and recursion.

use std::rc::Rc;

use super::cost::{Cost, clamp_rows};
use super::from::Level;
use super::lower::lower;
use super::node::*;
use super::planner::{Built, Planner, labeled, numbered};
use super::quals::{Qual, conjunction};
use crate::bind::{CommonQuery, Expr, ParamId, Query};
use crate::error::{Error, Result};

/// A WITH query that was planned, or is being planned: the recursive part's work table.
#[derive(Clone, Copy)]
pub(super) struct Common {
    pub id: usize,
    /// Stands for its rows.
    pub param: ParamId,
    pub rows: f64,
    pub width: u32,
}

/// PostgreSQL's guess: a work table holds ten times the non-recursive part's rows.
const ROUNDS: f64 = 10.0;

impl Planner<'_> {
    /// Plans the WITH queries of a query, in their order.
    pub fn plan_commons(&mut self, commons: Vec<CommonQuery>) -> Result<()> {
        for CommonQuery { id, name, query } in commons {
            let root = self.query(query)?;
            let param = self.new_param();
            self.commons.push(Common {
                id,
                param,
                rows: root.estimate.rows,
                width: root.estimate.width,
            });
            self.init_plans.push(self.subplans.len());
            self.subplans.push(SubPlan {
                kind: SubPlanKind::Common { name, param },
                parent: root.id,
                root,
            });
        }
        Ok(())
    }

    fn common(&self, id: usize) -> Result<Common> {
        // An expression that is planned twice has its WITH queries twice.
        let known = self.commons.iter().rev().find(|common| common.id == id);
        known
            .copied()
            .ok_or_else(|| Error::internal("a WITH query was not planned"))
    }

    /// A scan of a WITH query's rows, or of a work table.
    pub fn common_scan(
        &mut self,
        level: &mut Level,
        rel: usize,
        (id, name): (usize, Rc<str>),
        working: bool,
        quals: Vec<Qual>,
    ) -> Result<Built> {
        let Common {
            param, rows, width, ..
        } = self.common(id)?;
        level.known[rel].tuples = rows;
        level.known[rel].rows = rows;
        let mut conditions: Vec<Expr> = quals.into_iter().map(|qual| qual.expr).collect();
        self.order_quals(&mut conditions);
        let tests = Cost::of_all(&conditions, self);
        let names: Vec<Rc<str>> = level.range[rel]
            .columns
            .iter()
            .map(|column| Rc::clone(&column.name))
            .collect();
        let columns = (0..names.len())
            .map(|column| level.column(rel, column))
            .collect::<Result<Vec<_>>>()?;
        let output = names
            .iter()
            .zip(&columns)
            .map(|(name, column)| OutputColumn {
                label: Rc::clone(name),
                ty: column.ty,
            })
            .collect();
        let estimate = Estimate {
            startup_cost: tests.startup,
            total_cost: tests.startup + (2.0 * self.prices.cpu_tuple + tests.per_tuple) * rows,
            rows: clamp_rows(rows * level.statistics().of_all(&conditions)),
            width,
        };
        let scan = CommonScan {
            alias: Rc::clone(&level.names[rel]),
            name,
            columns: names,
            param,
        };
        let kind = match working {
            true => NodeKind::WorkTableScan(scan),
            false => NodeKind::CteScan(scan),
        };
        let filter = conditions
            .iter()
            .map(|expr| lower(expr, &columns))
            .collect::<Result<_>>()?;
        let mut node = self.node(kind, Vec::new(), output, estimate);
        node.filter = conjunction(filter);
        Ok(Built {
            node,
            columns,
            lateral: Vec::new(),
        })
    }

    /// `generate_recursion_path`
    pub fn recursive_union(
        &mut self,
        id: usize,
        all: bool,
        parts: [Query; 2],
        labels: Vec<Rc<str>>,
    ) -> Result<Built> {
        let [first, again] = parts;
        let types: Vec<_> = first
            .columns
            .iter()
            .map(|column| (column.ty, column.typmod))
            .collect();
        let first = self.query(first)?;
        let param = self.new_param();
        self.commons.push(Common {
            id,
            param,
            rows: clamp_rows(first.estimate.rows * ROUNDS),
            width: first.estimate.width,
        });
        let again = self.query(again)?;
        let (f, a) = (first.estimate, again.estimate);
        let rows = f.rows + ROUNDS * a.rows;
        let estimate = Estimate {
            startup_cost: f.startup_cost,
            total_cost: f.total_cost + ROUNDS * a.total_cost + self.prices.cpu_tuple * rows,
            rows: match all {
                true => rows,
                false => clamp_rows(rows / ROUNDS),
            },
            width: f.width.max(a.width),
        };
        let columns = numbered(&types);
        let output = labeled(labels, &types);
        let kind = NodeKind::RecursiveUnion { all, param };
        Ok(Built {
            node: self.node(kind, vec![first, again], output, estimate),
            columns,
            lateral: Vec::new(),
        })
    }
}
