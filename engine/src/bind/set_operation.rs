//! UNION and its kin (`transformSetOperationTree` in `analyze.c`).

use std::rc::Rc;

use super::binder::Binder;
use super::coerce::{implicitly, location};
use super::query_binder::{Unknowns, table_select, take};
use super::{
    Body, Expr, ExprKind, From, Query, RangeEntry, ResultColumn, Select, Source, Target, Var, walk,
};
use crate::catalog::common_type;
use crate::error::{Error, Result, sqlstate};
use crate::sql::ast::{SetExpr, SetOperation, SetOperator};
use crate::value::Type;

impl Binder<'_> {
    pub fn set_operation(&mut self, operation: &SetOperation) -> Result<Query> {
        // A chain of UNIONs leans to the left: walk down it instead of recursing.
        let mut chain = vec![operation];
        let mut innermost = &operation.left;
        while let SetExpr::Operation(left) = innermost {
            chain.push(left);
            innermost = &left.left;
        }
        let mut left = self.branch(innermost)?;
        while let Some(operation) = chain.pop() {
            let SetOperation {
                op,
                all,
                left: _,
                right,
                at: _,
                depth: _,
            } = operation;
            let right = self.branch(right)?;
            let name = match op {
                SetOperator::Union => "UNION",
                SetOperator::Intersect => "INTERSECT",
                SetOperator::Except => "EXCEPT",
            };
            let (l, r) = self.matched(left, right, name)?;
            let operation = match op {
                SetOperator::Union => None,
                SetOperator::Intersect => Some(super::SetOperation::Intersect),
                SetOperator::Except => Some(super::SetOperation::Except),
            };
            left = match operation {
                Some(operation) => {
                    let columns = common_columns(&l, &r);
                    Query {
                        body: Body::SetOperation {
                            operation,
                            all: *all,
                            parts: Box::new([l, r]),
                        },
                        order_by: Vec::new(),
                        limit: None,
                        offset: None,
                        columns,
                        with: Vec::new(),
                    }
                }
                None if *all => append(l, r),
                None => distinct(append(l, r)),
            };
        }
        Ok(left)
    }

    pub fn branch(&mut self, body: &SetExpr) -> Result<Query> {
        match body {
            SetExpr::Select(select) => self.select(select, &[], Unknowns::Keep),
            SetExpr::Query(query) => self.query_with(query, Unknowns::Keep),
            SetExpr::Values { rows, at } => self.values(rows, *at),
            SetExpr::Table(name) => self.select(&table_select(name), &[], Unknowns::Keep),
            SetExpr::Operation(operation) => self.set_operation(operation),
        }
    }

    /// Both sides with columns of the same types.
    pub fn matched(&mut self, left: Query, right: Query, name: &str) -> Result<(Query, Query)> {
        let expression = |query: &Query, column: usize| match &query.body {
            Body::Select(select) => select.targets.get(column).and_then(|t| location(&t.expr)),
            _ => None,
        };
        if left.columns.len() != right.columns.len() {
            let message = format!("each {name} query must have the same number of columns");
            let error = Error::new(sqlstate::SYNTAX_ERROR, message);
            return Err(error.at(expression(&right, 0)));
        }
        let mut types = Vec::with_capacity(left.columns.len());
        for (column, (l, r)) in left.columns.iter().zip(&right.columns).enumerate() {
            let common = common_type(&[l.ty, r.ty]).map_err(|clash| {
                let message = format!(
                    "{name} types {} and {} cannot be matched",
                    clash.settled.name(),
                    clash.other.name()
                );
                let error = Error::new(sqlstate::DATATYPE_MISMATCH, message);
                error.at(expression(&right, column))
            })?;
            types.push(common);
        }
        Ok((
            self.with_column_types(left, &types)?,
            self.with_column_types(right, &types)?,
        ))
    }

    /// The query with its columns cast to these types.
    pub fn with_column_types(&self, mut query: Query, types: &[Type]) -> Result<Query> {
        if query
            .columns
            .iter()
            .zip(types)
            .all(|(column, ty)| column.ty == *ty)
        {
            return Ok(query);
        }
        let cast = |expr: Expr, ty: Type| -> Result<Expr> {
            implicitly(expr, ty)?
                .ok_or_else(|| Error::internal("a column cannot have the type chosen for it"))
        };
        let is_plain = query.order_by.is_empty() && query.limit.is_none() && query.offset.is_none();
        match &mut query.body {
            Body::Select(select) if is_plain && !select.distinct => {
                for (target, ty) in select.targets.iter_mut().zip(types) {
                    let expr = take(&mut target.expr);
                    target.expr = cast(expr, *ty)?;
                }
            }
            Body::Values(rows) if is_plain => {
                for row in rows {
                    for (value, ty) in row.iter_mut().zip(types) {
                        *value = cast(take(value), *ty)?;
                    }
                }
            }
            // The casts must not change what is sorted or what is distinct.
            _ => {
                let mut outer = over(query);
                if let Body::Select(select) = &mut outer.body {
                    for (target, ty) in select.targets.iter_mut().zip(types) {
                        let expr = take(&mut target.expr);
                        target.expr = cast(expr, *ty)?;
                    }
                }
                query = outer;
            }
        }
        for (column, ty) in query.columns.iter_mut().zip(types) {
            if column.ty != *ty {
                column.ty = *ty;
                column.typmod = -1;
            }
        }
        Ok(query)
    }
}

/// `SELECT * FROM (query)`
pub(super) fn over(query: Query) -> Query {
    let columns = query.columns.clone();
    let targets = columns.iter().enumerate().map(|(column, result)| Target {
        expr: Expr {
            kind: ExprKind::Var(Var {
                rel: 0,
                column,
                up: 0,
            }),
            ty: result.ty,
            typmod: result.typmod,
            position: None,
        },
        name: Rc::clone(&result.name),
        hidden: false,
    });
    let targets = targets.collect();
    let mut query = query;
    // One more SELECT stands between the query and the columns around it.
    walk::query_further_in(&mut query, 1);
    let entry = RangeEntry {
        alias: Rc::from("*SELECT*"),
        columns: columns.clone(),
        source: Source::Subquery {
            query: Box::new(query),
            barrier: false,
        },
    };
    let select = Select {
        range: vec![entry],
        from: Some(From::Entry(0)),
        filter: None,
        targets,
        distinct: false,
        distinct_on: Vec::new(),
        aggregated: false,
        group_by: Vec::new(),
        having: None,
    };
    Query {
        body: Body::Select(Box::new(select)),
        order_by: Vec::new(),
        limit: None,
        offset: None,
        columns,
        with: Vec::new(),
    }
}

/// The columns of the left side, without what only its values are bound by.
fn common_columns(left: &Query, right: &Query) -> Vec<ResultColumn> {
    let mut columns = left.columns.clone();
    for (column, other) in columns.iter_mut().zip(&right.columns) {
        if column.typmod != other.typmod {
            column.typmod = -1;
        }
    }
    columns
}

/// UNION ALL; a left side that is one itself takes the right side in.
fn append(left: Query, right: Query) -> Query {
    let columns = common_columns(&left, &right);
    let is_plain = left.order_by.is_empty()
        && left.limit.is_none()
        && left.offset.is_none()
        && left.with.is_empty();
    let parts = match left {
        Query {
            body: Body::UnionAll(mut parts),
            ..
        } if is_plain => {
            parts.push(right);
            parts
        }
        left => vec![left, right],
    };
    Query {
        body: Body::UnionAll(parts),
        order_by: Vec::new(),
        limit: None,
        offset: None,
        columns,
        with: Vec::new(),
    }
}

/// UNION: the distinct rows of a UNION ALL.
fn distinct(query: Query) -> Query {
    let mut outer = over(query);
    if let Body::Select(select) = &mut outer.body {
        select.distinct = true;
    }
    outer
}
