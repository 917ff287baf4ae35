//! UNION ALL: an Append of its parts. INTERSECT and EXCEPT: a SetOp over an Append of the sides.

use std::rc::Rc;

use super::node::*;
use super::planner::{Built, Planner, labeled, numbered, var};
use crate::bind::{Expr, Query, SetOperation, SortKey};
use crate::error::Result;
use crate::settings::Name;
use crate::value::{Datum, Type};

impl Planner<'_> {
    /// `generate_nonunion_paths`: each side is marked by a further column. PostgreSQL guesses that the
    /// result has a tenth of the rows' groups where it knows nothing of them.
    pub fn set_operation(
        &mut self,
        operation: SetOperation,
        all: bool,
        parts: [Query; 2],
        labels: Vec<Rc<str>>,
    ) -> Result<Built> {
        let mut types = Vec::new();
        let mut children = Vec::with_capacity(2);
        let mut estimate = Estimate::default();
        for (side, part) in parts.into_iter().enumerate() {
            if side == 0 {
                let columns = part.columns.iter();
                types = columns.map(|column| (column.ty, column.typmod)).collect();
            }
            self.relations += 1;
            let alias = self.unique_name(&format!("*SELECT* {}", side + 1).into());
            let child = self.query(part)?;
            estimate.total_cost += child.estimate.total_cost;
            estimate.rows += child.estimate.rows;
            estimate.width = estimate.width.max(child.estimate.width);
            children.push(self.side(child, alias, side as i32));
        }
        estimate.total_cost += 0.5 * self.prices.cpu_tuple * estimate.rows;
        let marked: Vec<OutputColumn> = children[0].output.clone();
        let append = self.node(NodeKind::Append, children, marked.clone(), estimate);
        let columns: Vec<Expr> = types
            .iter()
            .enumerate()
            .map(|(i, &(ty, typmod))| var(0, i, ty, typmod))
            .chain([var(0, types.len(), Type::INT4, -1)])
            .collect();
        let input = Built {
            node: append,
            columns,
            lateral: Vec::new(),
        };
        let hashed = self.settings.flag(Name::EnableHashagg);
        let strategy = match hashed {
            true => AggregateStrategy::Hashed,
            false => AggregateStrategy::Sorted,
        };
        let Built {
            node, mut columns, ..
        } = match hashed {
            true => input,
            false => {
                let keys = (0..types.len()).map(|target| SortKey {
                    target,
                    descending: false,
                    nulls_first: false,
                });
                self.sort(input, keys.collect(), None)?
            }
        };
        columns.pop();
        let output = labeled(labels, &types);
        let input = node.estimate;
        let compared = self.prices.cpu_operator * input.rows * types.len() as f64;
        let estimate = Estimate {
            startup_cost: match hashed {
                true => input.total_cost + compared,
                false => input.startup_cost,
            },
            total_cost: input.total_cost + compared,
            rows: super::cost::clamp_rows(input.rows * 0.1),
            width: input.width,
        };
        let kind = NodeKind::SetOp {
            operation,
            all,
            strategy,
        };
        Ok(Built {
            node: self.node(kind, vec![node], output, estimate),
            columns,
            lateral: Vec::new(),
        })
    }

    /// One side of a set operation, with the column that marks it.
    fn side(&mut self, child: PlanNode, alias: Rc<str>, side: i32) -> PlanNode {
        let mut output = child.output.clone();
        let columns = output
            .iter()
            .map(|column| Rc::clone(&column.label))
            .collect();
        let mut project: Vec<Expr> = output
            .iter()
            .enumerate()
            .map(|(i, column)| Expr::slot(i, column.ty))
            .collect();
        project.push(Expr::constant(Datum::Int4(side), Type::INT4));
        output.push(OutputColumn {
            label: "flag".into(),
            ty: Type::INT4,
        });
        let kind = NodeKind::SubqueryScan {
            alias,
            columns,
            barrier: false,
        };
        let estimate = child.estimate;
        let mut node = self.node(kind, vec![child], output, estimate);
        node.project = Some(project);
        node
    }

    pub fn append(&mut self, parts: Vec<Query>, labels: Vec<Rc<str>>) -> Result<Built> {
        let mut children = Vec::with_capacity(parts.len());
        let mut estimate = Estimate::default();
        for part in parts {
            let types: Vec<_> = part
                .columns
                .iter()
                .map(|column| (column.ty, column.typmod))
                .collect();
            let child = self.query(part)?;
            if children.is_empty() {
                estimate.startup_cost = child.estimate.startup_cost;
            }
            estimate.total_cost += child.estimate.total_cost;
            estimate.rows += child.estimate.rows;
            estimate.width = estimate.width.max(child.estimate.width);
            children.push((child, types));
        }
        // `APPEND_CPU_COST_MULTIPLIER` of PostgreSQL is a half.
        estimate.total_cost += 0.5 * self.prices.cpu_tuple * estimate.rows;
        let types = children
            .first()
            .map_or_else(Vec::new, |(_, types)| types.clone());
        let columns = numbered(&types);
        let output = labeled(labels, &types);
        let children = children.into_iter().map(|(child, _)| child).collect();
        let node = self.node(NodeKind::Append, children, output, estimate);
        Ok(Built {
            node,
            columns,
            lateral: Vec::new(),
        })
    }
}
