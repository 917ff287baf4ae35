//! UNION ALL: an Append of its parts.

use std::rc::Rc;

use super::node::*;
use super::planner::{Built, Planner, var};
use crate::bind::Query;
use crate::error::Result;

impl Planner<'_> {
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
        estimate.total_cost += 0.5 * super::cost::CPU_TUPLE_COST * estimate.rows;
        let types = children
            .first()
            .map_or_else(Vec::new, |(_, types)| types.clone());
        let columns = types
            .iter()
            .enumerate()
            .map(|(i, &(ty, typmod))| var(0, i, ty, typmod))
            .collect();
        let output = labels
            .into_iter()
            .zip(&types)
            .map(|(label, &(ty, _))| OutputColumn { label, ty })
            .collect();
        let children = children.into_iter().map(|(child, _)| child).collect();
        let node = self.node(NodeKind::Append, children, output, estimate);
        Ok(Built {
            node,
            columns,
            lateral: Vec::new(),
        })
    }
}
