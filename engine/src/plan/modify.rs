//! INSERT, UPDATE and DELETE.

use std::rc::Rc;

use super::from::TID;
use super::node::*;
use super::planner::{Built, Planner, substitute_slots, var};
use crate::bind::{Body, Delete, Expr, Insert, Query, Update};
use crate::catalog::Table;
use crate::error::{Error, Result};
use crate::value::Type;

/// What UPDATE and DELETE change.
struct ChangedRows {
    /// The table's name for EXPLAIN.
    alias: Rc<str>,
    built: Built,
    /// The new row, for UPDATE.
    exprs: Vec<Expr>,
    labels: Vec<Rc<str>>,
}

impl Planner<'_> {
    pub fn insert(&mut self, insert: Insert) -> Result<PlanNode> {
        let Insert { table, source, row } = insert;
        self.relations += 1;
        let alias = self.unique_name(&table.name);
        let source = self.query(source)?;
        let mut prepared = Vec::with_capacity(row.len());
        for expr in row {
            // Folded over the source's own expressions, so that a constant of VALUES is cast once.
            let expr = match &source.project {
                Some(project) if source.children.is_empty() => substitute_slots(expr, project),
                _ => expr,
            };
            prepared.push(self.prepare(expr)?);
        }
        let identity = |(i, expr): (usize, &Expr)| matches!(expr.kind, crate::bind::ExprKind::Slot(slot) if slot == i);
        let source = if source.project.is_some() && source.children.is_empty() {
            let mut source = source;
            source.project = None;
            self.set_project(source, prepared)
        } else if prepared.len() == source.output.len() && prepared.iter().enumerate().all(identity)
        {
            source
        } else {
            self.set_project(source, prepared)
        };
        Ok(self.modify(table, alias, Operation::Insert, source))
    }

    pub fn update(&mut self, update: Update) -> Result<PlanNode> {
        let ChangedRows {
            alias,
            built,
            mut exprs,
            mut labels,
        } = self.changed_rows(update.source)?;
        exprs.push(var(0, TID, Type::INT8, -1));
        labels.push("ctid".into());
        let source = self.compute_targets(built, exprs, labels)?;
        Ok(self.modify(update.table, alias, Operation::Update, source.node))
    }

    pub fn delete(&mut self, delete: Delete) -> Result<PlanNode> {
        let ChangedRows { alias, built, .. } = self.changed_rows(delete.source)?;
        let source = self.compute_targets(
            built,
            vec![var(0, TID, Type::INT8, -1)],
            vec!["ctid".into()],
        )?;
        Ok(self.modify(delete.table, alias, Operation::Delete, source.node))
    }

    /// The rows to change, with their Tid.
    fn changed_rows(&mut self, source: Query) -> Result<ChangedRows> {
        let Query {
            body,
            order_by,
            limit,
            offset,
            ..
        } = source;
        let Body::Select(select) = body else {
            return Err(Error::internal(
                "the rows to change are not those of a SELECT",
            ));
        };
        if !order_by.is_empty()
            || limit.is_some()
            || offset.is_some()
            || select.aggregated
            || select.distinct
        {
            return Err(Error::internal("the rows to change are not plain rows"));
        }
        let mut select = self.flatten(*select)?;
        let mut level = self.level(&mut select);
        for target in &mut select.targets {
            let expr = std::mem::replace(&mut target.expr, Expr::slot(0, Type::VOID));
            target.expr = self.prepare(expr)?;
        }
        let built = self.rows(&mut level, &mut select, true)?;
        let (exprs, labels) = select
            .targets
            .into_iter()
            .map(|target| (target.expr, target.name))
            .unzip();
        let alias = level.names.first().map_or_else(|| "".into(), Rc::clone);
        Ok(ChangedRows {
            alias,
            built,
            exprs,
            labels,
        })
    }

    fn modify(
        &mut self,
        table: Rc<Table>,
        alias: Rc<str>,
        operation: Operation,
        source: PlanNode,
    ) -> PlanNode {
        let estimate = Estimate {
            rows: 0.0,
            width: 0,
            ..source.estimate
        };
        let kind = NodeKind::ModifyTable(Modify {
            table,
            alias,
            operation,
        });
        let mut node = self.node(kind, vec![source], Vec::new(), estimate);
        node.estimate.total_cost = node.estimate.total_cost.max(self.prices.cpu_tuple);
        node
    }
}
