//! GROUP BY and what it lets the rest of a SELECT say (`parse_agg.c`).

use super::binder::{Binder, Place};
use super::coerce::known;
use super::query_binder::take;
use super::select::BoundTarget;
use super::{Expr, ExprKind, Select, walk};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, GroupItem};

impl Binder<'_> {
    pub fn group_item(
        &mut self,
        item: &GroupItem,
        targets: &mut [BoundTarget],
        groups: &mut Vec<Expr>,
    ) -> Result<()> {
        let expr = match item {
            GroupItem::Expr(expr) => expr,
            GroupItem::Empty(at) => return Err(self.unsupported("an empty grouping set", *at)),
            GroupItem::Rollup(at) => return Err(self.unsupported("ROLLUP", *at)),
            GroupItem::Cube(at) => return Err(self.unsupported("CUBE", *at)),
            GroupItem::GroupingSets(at) => return Err(self.unsupported("GROUPING SETS", *at)),
        };
        // `GROUP BY (a, b)` is `GROUP BY a, b`.
        if let ast::ExprKind::Row {
            fields,
            explicit: false,
        } = &expr.kind
        {
            for field in fields {
                self.group_expr(field, targets, groups)?;
            }
            return Ok(());
        }
        self.group_expr(expr, targets, groups)
    }

    /// A bare name is first a column of FROM and only then an output column.
    fn group_expr(
        &mut self,
        expr: &ast::Expr,
        targets: &mut [BoundTarget],
        groups: &mut Vec<Expr>,
    ) -> Result<()> {
        let is_input = match &expr.kind {
            ast::ExprKind::Column(name) if name.parts.len() == 1 => {
                let wanted = name.object();
                let items = self
                    .scope()?
                    .namespace
                    .iter()
                    .filter(|item| item.unqualified);
                let mut columns = items.flat_map(|item| &item.columns);
                columns.any(|column| &*column.name == wanted)
            }
            _ => false,
        };
        let output = if is_input {
            None
        } else {
            self.output_column(expr, targets, "GROUP BY")?
        };
        let group = match output {
            Some(index) => {
                let target = &mut targets[index].target;
                let resolved = known(take(&mut target.expr));
                target.expr = resolved.clone();
                if let Some(position) = first_aggregate(&resolved) {
                    let message = "aggregate functions are not allowed in GROUP BY";
                    let error = Error::new(sqlstate::GROUPING_ERROR, message);
                    return Err(error.at(position));
                }
                resolved
            }
            None => known(self.expr(expr, Place::GroupBy)?),
        };
        if !groups.iter().any(|known| self.is_same(known, &group)) {
            groups.push(group);
        }
        Ok(())
    }

    /// Every column outside of an aggregate must be grouped by (`parseCheckAggregates`).
    pub fn check_grouping(&self, select: &Select) -> Result<()> {
        let targets = select.targets.iter().map(|target| &target.expr);
        for expr in targets.chain(&select.having) {
            self.check_grouped(expr, 0, select)?;
        }
        Ok(())
    }

    fn check_grouped(&self, expr: &Expr, depth: usize, select: &Select) -> Result<()> {
        if depth == 0
            && select
                .group_by
                .iter()
                .any(|group| self.is_same(group, expr))
        {
            return Ok(());
        }
        match &expr.kind {
            ExprKind::Aggregate(_) if depth == 0 => return Ok(()),
            ExprKind::Var(var) if var.up == depth => {
                let grouped = select.group_by.iter().any(|group| match group.kind {
                    ExprKind::Var(known) => (known.rel, known.column) == (var.rel, var.column),
                    _ => false,
                });
                if grouped {
                    return Ok(());
                }
                let entry = select.range.get(var.rel);
                let column = entry.and_then(|entry| entry.columns.get(var.column));
                let table = entry.map_or("?", |entry| &entry.alias);
                let column = column.map_or("?", |column| &column.name);
                let message = if depth == 0 {
                    format!(
                        "column \"{table}.{column}\" must appear in the GROUP BY clause or be used \
                         in an aggregate function"
                    )
                } else {
                    format!("subquery uses ungrouped column \"{table}.{column}\" from outer query")
                };
                return Err(Error::new(sqlstate::GROUPING_ERROR, message).at(expr.position));
            }
            ExprKind::Sublink(link) => {
                let mut result = Ok(());
                walk::each_in_query(&link.query, depth, &mut |part, depth| {
                    if result.is_ok() && matches!(part.kind, ExprKind::Var(_)) {
                        result = self.check_grouped(part, depth, select);
                    }
                });
                result?;
            }
            _ => {}
        }
        let mut result = Ok(());
        expr.each_child(|child| {
            if result.is_ok() {
                result = self.check_grouped(child, depth, select);
            }
        });
        result
    }
}

/// Where the first aggregate of an expression stands, if it has one.
fn first_aggregate(expr: &Expr) -> Option<Option<Position>> {
    if let ExprKind::Aggregate(_) = expr.kind {
        return Some(expr.position);
    }
    let mut found = None;
    expr.each_child(|child| found = found.or_else(|| first_aggregate(child)));
    found
}
