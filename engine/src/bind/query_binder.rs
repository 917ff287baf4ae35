//! Whole queries: WITH, set operations, ORDER BY and LIMIT around a body (`analyze.c`).

use std::rc::Rc;

use super::binder::{Binder, Place};
use super::coerce::known;
use super::scope::{Item, Scope};
use super::set_operation::over;
use super::{Body, Expr, Query, ResultColumn, Target, walk};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, SetExpr};
use crate::value::Type;

/// What becomes of literals that no context gives a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknowns {
    /// They become text.
    Resolve,
    /// They wait for the columns of INSERT or the other branches of a UNION.
    Keep,
}

impl<'a> Binder<'a> {
    /// A query on its own.
    pub fn query(&mut self, query: &ast::Query) -> Result<Query> {
        self.query_with(query, Unknowns::Resolve)
    }

    /// All of a query but its WITH queries.
    pub fn query_without(&mut self, query: &ast::Query, unknowns: Unknowns) -> Result<Query> {
        let ast::Query {
            with: _,
            body,
            order_by,
            limit,
            offset,
            locking,
            at,
            depth: _,
        } = query;
        if let Some(at) = locking {
            return Err(self.unsupported("FOR UPDATE and FOR SHARE", *at));
        }
        // Parentheses around a query without clauses of its own change nothing.
        let mut body = body;
        while let SetExpr::Query(inner) = body
            && is_bare(inner)
        {
            body = &inner.body;
        }
        let mut bound = match body {
            // The clauses of a SELECT see its columns.
            SetExpr::Select(select) => self.select(select, order_by, unknowns)?,
            SetExpr::Query(inner) => {
                if let (Some(item), false) = (order_by.first(), inner.order_by.is_empty()) {
                    let message = "multiple ORDER BY clauses not allowed";
                    return Err(self.error(sqlstate::SYNTAX_ERROR, message, item.expr.at));
                }
                let bound = self.query_with(inner, unknowns)?;
                self.outside(bound, order_by)?
            }
            // ORDER BY may compute with the columns of VALUES, as over a table.
            SetExpr::Values { rows, at } if !order_by.is_empty() => {
                let select = values_select(rows, *at);
                self.select(&select, order_by, unknowns)?
            }
            SetExpr::Values { rows, at } => self.values(rows, *at)?,
            SetExpr::Table(name) => {
                let select = table_select(name);
                self.select(&select, order_by, unknowns)?
            }
            SetExpr::Operation(operation) => {
                let bound = self.set_operation(operation)?;
                self.outside(bound, order_by)?
            }
        };
        if limit.is_some() || offset.is_some() {
            let mut namespace = std::mem::take(&mut self.closed_namespace);
            if !matches!(body, SetExpr::Select(_) | SetExpr::Table(_)) {
                namespace.clear();
            }
            let ties = matches!(limit, Some(ast::Limit::WithTies(_)));
            if ties {
                return Err(self.unsupported("WITH TIES", *at));
            }
            bound = alone(bound);
            bound.offset = match offset {
                Some(offset) => Some(self.row_count(offset, Place::Offset, &namespace)?),
                None => None,
            };
            bound.limit = match limit {
                Some(ast::Limit::Count(count)) => {
                    Some(self.row_count(count, Place::Limit, &namespace)?)
                }
                Some(ast::Limit::All | ast::Limit::WithTies(_)) | None => None,
            };
        }
        Ok(bound)
    }

    /// LIMIT and OFFSET: a bigint without columns, though it sees those of its SELECT.
    ///
    /// # Errors
    /// 42P10 for a column, 42804 for another type.
    fn row_count(&mut self, count: &ast::Expr, place: Place, namespace: &[Item]) -> Result<Expr> {
        let construct = place.name();
        let namespace = namespace.to_vec();
        self.scopes.push(Scope {
            namespace,
            ..Scope::default()
        });
        let outer = std::mem::replace(&mut self.reached, usize::MAX);
        let bound = self.expr(count, place);
        self.scopes.pop();
        let bound = bound?;
        let correlated = self.reached < self.scopes.len();
        self.reached = self.reached.min(outer);
        let mut column = None;
        walk::each_var(&bound, &mut |_, var| column = column.or(Some(var.position)));
        if let Some(position) = column {
            let message = format!("argument of {construct} must not contain variables");
            let error = Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message);
            return Err(error.at(position));
        }
        if correlated {
            return Err(self.unsupported(format!("an outer column in {construct}"), count.at));
        }
        self.coerce_argument(bound, Type::INT8, construct)
    }

    /// Column aliases: `t (a, b)`.
    pub fn rename(
        &self,
        columns: &mut [ResultColumn],
        aliases: &[ast::Name],
        relation: std::fmt::Arguments<'_>,
        position: Option<Position>,
    ) -> Result<()> {
        if aliases.len() > columns.len() {
            let message = format!(
                "{relation} has {} columns available but {} columns specified",
                columns.len(),
                aliases.len()
            );
            let error = Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message);
            return Err(error.at(position));
        }
        for (column, alias) in columns.iter_mut().zip(aliases) {
            column.name = Rc::from(alias.text.as_str());
        }
        Ok(())
    }

    /// A query whose ORDER BY sees only the columns that come out of it.
    fn outside(&mut self, query: Query, order_by: &[ast::SortItem]) -> Result<Query> {
        if order_by.is_empty() {
            return Ok(query);
        }
        let mut query = alone(query);
        query.order_by = self.output_order(&query.columns, order_by)?;
        Ok(query)
    }

    /// `VALUES (…), (…)` outside of INSERT.
    pub fn values(&mut self, rows: &[Vec<ast::Expr>], at: Position) -> Result<Query> {
        let width = rows.first().map_or(0, Vec::len);
        self.scopes.push(Scope::default());
        let bound = self.value_rows(rows, width);
        self.scopes.pop();
        let bound = bound?;
        let mut columns: Vec<Vec<Expr>> = (0..width).map(|_| Vec::new()).collect();
        for row in bound {
            for (column, value) in columns.iter_mut().zip(row) {
                column.push(value);
            }
        }
        let mut results = Vec::with_capacity(width);
        let mut unified = Vec::with_capacity(width);
        for (index, column) in columns.into_iter().enumerate() {
            let (column, ty) = self.unify(column, "VALUES")?;
            let typmod = self.common_typmod(&column, ty);
            results.push(ResultColumn {
                name: Rc::from(format!("column{}", index + 1)),
                ty,
                typmod,
            });
            unified.push(column.into_iter());
        }
        let body = (0..rows.len()).map(|_| unified.iter_mut().filter_map(Iterator::next).collect());
        let body = Body::Values(body.collect());
        if width == 0 {
            return Err(self.error(sqlstate::SYNTAX_ERROR, "VALUES without values", at));
        }
        Ok(Query {
            body,
            order_by: Vec::new(),
            limit: None,
            offset: None,
            columns: results,
            with: Vec::new(),
        })
    }

    fn value_rows(&mut self, rows: &[Vec<ast::Expr>], width: usize) -> Result<Vec<Vec<Expr>>> {
        let mut bound = Vec::with_capacity(rows.len());
        for row in rows {
            if row.len() != width {
                let at = row.first().map(|value| value.at);
                let message = "VALUES lists must all be the same length";
                let error = Error::new(sqlstate::SYNTAX_ERROR, message);
                return Err(error.at(at.and_then(|at| self.at(at))));
            }
            bound.push(self.exprs(row, Place::Values)?);
        }
        Ok(bound)
    }
}

fn is_bare(query: &ast::Query) -> bool {
    query.with.is_none()
        && query.order_by.is_empty()
        && query.limit.is_none()
        && query.offset.is_none()
        && query.locking.is_none()
}

/// `VALUES … ORDER BY …` is `SELECT * FROM (VALUES …) "*VALUES*" ORDER BY …`.
fn values_select(rows: &[Vec<ast::Expr>], at: Position) -> ast::Select {
    let query = ast::Query {
        with: None,
        body: SetExpr::Values {
            rows: rows.to_vec(),
            at,
        },
        order_by: Vec::new(),
        limit: None,
        offset: None,
        locking: None,
        at,
        depth: 0,
    };
    let name = ast::Name {
        text: "*VALUES*".to_string(),
        at,
    };
    let alias = Some(ast::Alias {
        name,
        columns: Vec::new(),
    });
    let from = ast::FromItem::Query {
        query: Box::new(query),
        lateral: false,
        alias,
        at,
    };
    select_all(from, at)
}

/// `TABLE t` is `SELECT * FROM t`.
pub(super) fn table_select(name: &ast::QualifiedName) -> ast::Select {
    let table = ast::FromItem::Table {
        name: name.clone(),
        alias: None,
        sample: None,
    };
    select_all(table, name.at())
}

fn select_all(from: ast::FromItem, at: Position) -> ast::Select {
    ast::Select {
        distinct: ast::Distinct::No,
        items: vec![ast::SelectItem::Star(at)],
        into: None,
        from: vec![from],
        filter: None,
        group_by: Vec::new(),
        group_distinct: false,
        having: None,
        windows: Vec::new(),
        at,
    }
}

/// Takes an expression out of its place, where NULL stays.
pub(super) fn take(expr: &mut Expr) -> Expr {
    let null = Expr::constant(crate::value::Datum::Null, expr.ty);
    std::mem::replace(expr, null)
}

/// A query to which an ORDER BY or LIMIT can be added without touching its own.
fn alone(query: Query) -> Query {
    let limited = query.limit.is_some() || query.offset.is_some();
    if limited { over(query) } else { query }
}

/// Gives the visible targets of a SELECT that are still untyped literals the type text.
pub(super) fn resolve_unknowns(targets: &mut [Target]) {
    for target in targets {
        let expr = take(&mut target.expr);
        target.expr = known(expr);
    }
}
