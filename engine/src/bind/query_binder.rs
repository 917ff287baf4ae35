//! Whole queries: WITH, set operations, ORDER BY and LIMIT around a body (`analyze.c`).

use std::cell::Cell;
use std::rc::Rc;

use super::binder::{Binder, CommonTable, Place};
use super::coerce::{implicitly, known};
use super::scope::Scope;
use super::{
    Body, Expr, ExprKind, From, Query, RangeEntry, ResultColumn, Select, Source, Target, Var, walk,
};
use crate::catalog::common_type;
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, SetExpr, SetOperation, SetOperator};
use crate::value::Type;

/// How often a statement's WITH queries may be put where they are referred to, all together.
const MAX_COPIES: u32 = 1000;

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

    pub fn query_with(&mut self, query: &ast::Query, unknowns: Unknowns) -> Result<Query> {
        let ast::Query {
            with,
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
        let tables = self.common_tables.len();
        if let Some(with) = with {
            self.add_common_tables(with)?;
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
            let ties = matches!(limit, Some(ast::Limit::WithTies(_)));
            if ties {
                return Err(self.unsupported("WITH TIES", *at));
            }
            bound = alone(bound);
            bound.offset = match offset {
                Some(offset) => Some(self.row_count(offset, "OFFSET", Place::Offset)?),
                None => None,
            };
            bound.limit = match limit {
                Some(ast::Limit::Count(count)) => {
                    Some(self.row_count(count, "LIMIT", Place::Limit)?)
                }
                Some(ast::Limit::All | ast::Limit::WithTies(_)) | None => None,
            };
        }
        self.common_tables.truncate(tables);
        Ok(bound)
    }

    /// LIMIT and OFFSET: a bigint without columns.
    fn row_count(&mut self, count: &ast::Expr, construct: &str, place: Place) -> Result<Expr> {
        self.scopes.push(Scope::default());
        let outer = std::mem::replace(&mut self.reached, usize::MAX);
        let bound = self.expr(count, place);
        self.scopes.pop();
        let bound = bound?;
        let correlated = self.reached < self.scopes.len();
        self.reached = self.reached.min(outer);
        if correlated {
            return Err(self.unsupported(format!("an outer column in {construct}"), count.at));
        }
        self.coerce_argument(bound, Type::INT8, construct)
    }

    fn add_common_tables(&mut self, with: &ast::With) -> Result<()> {
        if with.recursive {
            return Err(self.unsupported("WITH RECURSIVE", with.at));
        }
        for (index, table) in with.tables.iter().enumerate() {
            let name = &table.name;
            if with.tables[..index]
                .iter()
                .any(|other| other.name.text == name.text)
            {
                let message = format!("WITH query name \"{}\" specified more than once", name.text);
                return Err(self.error(sqlstate::DUPLICATE_ALIAS, message, name.at));
            }
            if table.materialized == Some(true) {
                return Err(self.unsupported("MATERIALIZED", name.at));
            }
            // Bound once here for its errors, and again wherever it is referred to.
            let definition = CommonTable {
                definition: Rc::new(table.clone()),
                scopes: self.scopes.len(),
                visible: self.common_tables.len(),
                references: Cell::new(0),
            };
            self.common_table(&definition)?;
            definition.references.set(0);
            self.common_tables.push(Rc::new(definition));
        }
        Ok(())
    }

    /// The query of a WITH table, as it stands where it was defined.
    pub fn common_table(&mut self, table: &CommonTable) -> Result<Query> {
        self.copies += 1;
        if self.copies > MAX_COPIES {
            let message = "WITH queries refer to one another too often";
            let at = table.definition.name.at;
            return Err(self.error(sqlstate::STATEMENT_TOO_COMPLEX, message, at));
        }
        let inner_scopes = self.scopes.split_off(table.scopes);
        let inner_tables = self.common_tables.split_off(table.visible);
        let bound = self.query(&table.definition.query);
        self.scopes.truncate(table.scopes);
        self.scopes.extend(inner_scopes);
        self.common_tables.truncate(table.visible);
        self.common_tables.extend(inner_tables);
        let mut bound = bound?;
        table.references.set(table.references.get() + 1);
        let name = &table.definition.name;
        if table.references.get() > 1 && is_volatile(&bound) {
            let feature = "a WITH query with a volatile function that is referred to twice";
            return Err(self.unsupported(feature, name.at));
        }
        let position = self.at(name.at);
        self.rename(
            &mut bound.columns,
            &table.definition.columns,
            format_args!("WITH query \"{}\"", name.text),
            position,
        )?;
        // Its references to outer columns pass over the scopes it is used in.
        let between = self.scopes.len() - table.scopes;
        if between > 0 {
            walk::each_in_query_mut(&mut bound, 0, &mut |part, depth| {
                if let ExprKind::Var(var) = &mut part.kind
                    && var.up >= depth
                {
                    var.up += between;
                }
            });
        }
        Ok(bound)
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

    // Set operations.

    fn set_operation(&mut self, operation: &SetOperation) -> Result<Query> {
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
                at,
                depth: _,
            } = operation;
            let right = self.branch(right)?;
            let name = match op {
                SetOperator::Union => "UNION",
                SetOperator::Intersect => "INTERSECT",
                SetOperator::Except => "EXCEPT",
            };
            let (l, r) = self.matched(left, right, name)?;
            if *op != SetOperator::Union {
                return Err(self.unsupported(name, *at));
            }
            left = append(l, r);
            if !all {
                left = distinct(left);
            }
        }
        Ok(left)
    }

    fn branch(&mut self, body: &SetExpr) -> Result<Query> {
        match body {
            SetExpr::Select(select) => self.select(select, &[], Unknowns::Keep),
            SetExpr::Query(query) => self.query_with(query, Unknowns::Keep),
            SetExpr::Values { rows, at } => self.values(rows, *at),
            SetExpr::Table(name) => self.select(&table_select(name), &[], Unknowns::Keep),
            SetExpr::Operation(operation) => self.set_operation(operation),
        }
    }

    /// Both sides with columns of the same types.
    fn matched(&mut self, left: Query, right: Query, name: &str) -> Result<(Query, Query)> {
        let expression = |query: &Query, column: usize| match &query.body {
            Body::Select(select) => select
                .targets
                .get(column)
                .and_then(|t| super::coerce::location(&t.expr)),
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

    /// `VALUES (…), (…)` outside of INSERT.
    fn values(&mut self, rows: &[Vec<ast::Expr>], at: Position) -> Result<Query> {
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
fn table_select(name: &ast::QualifiedName) -> ast::Select {
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
    walk_outwards(&mut query);
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
    }
}

/// One more SELECT stands between the query and the columns around it.
fn walk_outwards(query: &mut Query) {
    walk::each_in_query_mut(query, 0, &mut |part, depth| {
        if let ExprKind::Var(var) = &mut part.kind
            && var.up >= depth
        {
            var.up += 1;
        }
    });
}

/// UNION ALL; a left side that is one itself takes the right side in.
fn append(left: Query, right: Query) -> Query {
    let mut columns = left.columns.clone();
    for (column, other) in columns.iter_mut().zip(&right.columns) {
        if column.typmod != other.typmod {
            column.typmod = -1;
        }
    }
    let is_plain = left.order_by.is_empty() && left.limit.is_none() && left.offset.is_none();
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

fn is_volatile(query: &Query) -> bool {
    let mut found = false;
    walk::each_in_query(query, 0, &mut |part, _| {
        if let ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } = &part.kind {
            found |= function.volatility == crate::catalog::Volatility::Volatile;
        }
    });
    found
}

/// Gives the visible targets of a SELECT that are still untyped literals the type text.
pub(super) fn resolve_unknowns(targets: &mut [Target]) {
    for target in targets {
        let expr = take(&mut target.expr);
        target.expr = known(expr);
    }
}
