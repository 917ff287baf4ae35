//! INSERT, UPDATE, DELETE (`analyze.c`).

use std::rc::Rc;

use super::binder::{Binder, Place};
use super::coerce::null;
use super::query_binder::Unknowns;
use super::scope::{Item, Scope};
use super::{
    Body, Delete, Expr, ExprKind, From, Insert, Query, ResultColumn, Select, Statement, Target,
    Update, Var,
};
use crate::catalog::{ColumnDef, Table};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, Assignment, SetExpr};
use crate::sql::parse_expression;

impl Binder<'_> {
    pub fn insert(&mut self, insert: &ast::Insert) -> Result<Statement> {
        let ast::Insert {
            table: name,
            alias: _,
            columns,
            source,
            overriding,
            on_conflict,
            returning,
            with,
        } = insert;
        if let Some(at) = overriding {
            return Err(self.unsupported("OVERRIDING", *at));
        }
        if let Some(at) = on_conflict {
            return Err(self.unsupported("ON CONFLICT", *at));
        }
        if let Some(returning) = returning {
            return Err(self.unsupported("RETURNING", returning.at));
        }
        if let Some(with) = with {
            return Err(self.unsupported("WITH before INSERT", with.at));
        }
        let table = self.target_table(name, "INSERT")?;
        let targets = self.insert_columns(&table, columns)?;
        let explicit = !columns.is_empty();
        let (source, given) = match source {
            None => (one_empty_row(), Vec::new()),
            Some(query) => match plain_values(query) {
                Some(rows) => self.insert_values(rows, &table, &targets, columns)?,
                None => self.insert_query(query, &table, &targets, explicit, columns)?,
            },
        };
        let mut row = Vec::with_capacity(table.columns.len());
        for (index, column) in table.columns.iter().enumerate() {
            let slot = targets.iter().position(|target| *target == index);
            let slot = slot.filter(|slot| *slot < given.len());
            row.push(match slot {
                Some(slot) => self.assign(given[slot].clone(), column, "expression")?,
                None => self.default_value(column)?,
            });
        }
        Ok(Statement::Insert(Insert { table, source, row }))
    }

    /// The columns INSERT names, by their index; all of them if it names none.
    fn insert_columns(&self, table: &Table, names: &[ast::Name]) -> Result<Vec<usize>> {
        if names.is_empty() {
            return Ok((0..table.columns.len()).collect());
        }
        let mut targets = Vec::with_capacity(names.len());
        for name in names {
            let index = self.table_column(table, name)?;
            if targets.contains(&index) {
                let message = format!("column \"{}\" specified more than once", name.text);
                return Err(self.error(sqlstate::DUPLICATE_COLUMN, message, name.at));
            }
            targets.push(index);
        }
        Ok(targets)
    }

    fn table_column(&self, table: &Table, name: &ast::Name) -> Result<usize> {
        let found = table
            .columns
            .iter()
            .position(|column| *column.name == *name.text);
        found.ok_or_else(|| {
            let message = format!(
                "column \"{}\" of relation \"{}\" does not exist",
                name.text, table.name
            );
            self.error(sqlstate::UNDEFINED_COLUMN, message, name.at)
        })
    }

    /// Complains of more values than columns, or of fewer than were named.
    fn check_width(
        &self,
        width: usize,
        targets: &[usize],
        names: &[ast::Name],
        extra: Option<Position>,
    ) -> Result<()> {
        if width > targets.len() {
            let message = "INSERT has more expressions than target columns";
            let error = Error::new(sqlstate::SYNTAX_ERROR, message);
            return Err(error.at(extra.and_then(|at| self.at(at))));
        }
        if let Some(name) = names.get(width) {
            let message = "INSERT has more target columns than expressions";
            return Err(self.error(sqlstate::SYNTAX_ERROR, message, name.at));
        }
        Ok(())
    }

    /// VALUES whose values go straight into the columns' types, DEFAULT among them.
    fn insert_values(
        &mut self,
        rows: &[Vec<ast::Expr>],
        table: &Table,
        targets: &[usize],
        names: &[ast::Name],
    ) -> Result<(Query, Vec<Expr>)> {
        let width = rows.first().map_or(0, Vec::len);
        let extra = rows
            .first()
            .and_then(|row| row.get(targets.len()))
            .map(|value| value.at);
        if let Some(row) = rows.iter().find(|row| row.len() != width) {
            let message = "VALUES lists must all be the same length";
            let at = row
                .first()
                .map_or(Position { line: 1, column: 1 }, |value| value.at);
            return Err(self.error(sqlstate::SYNTAX_ERROR, message, at));
        }
        self.check_width(width, targets, names, extra)?;
        self.scopes.push(Scope::default());
        let mut bound = Vec::with_capacity(rows.len());
        for row in rows {
            let mut values = Vec::with_capacity(width);
            for (value, target) in row.iter().zip(targets) {
                let column = &table.columns[*target];
                values.push(match &value.kind {
                    ast::ExprKind::Default => self.default_value(column)?,
                    _ => {
                        let value = self.expr(value, Place::InsertTarget)?;
                        self.assign(value, column, "expression")?
                    }
                });
            }
            bound.push(values);
        }
        self.scopes.pop();
        let columns = targets.iter().take(width).map(|target| {
            let column = &table.columns[*target];
            ResultColumn {
                name: Rc::clone(&column.name),
                ty: column.ty,
                typmod: column.typmod,
            }
        });
        let columns: Vec<ResultColumn> = columns.collect();
        let slots = slots(&columns);
        let query = Query {
            body: Body::Values(bound),
            order_by: Vec::new(),
            limit: None,
            offset: None,
            columns,
            with: Vec::new(),
        };
        Ok((query, slots))
    }

    fn insert_query(
        &mut self,
        query: &ast::Query,
        table: &Table,
        targets: &[usize],
        explicit: bool,
        names: &[ast::Name],
    ) -> Result<(Query, Vec<Expr>)> {
        let mut bound = self.query_with(query, Unknowns::Keep)?;
        let width = bound.columns.len();
        let names = if explicit { names } else { &[] };
        let extra = match &bound.body {
            Body::Select(select) => select
                .targets
                .get(targets.len())
                .and_then(|t| t.expr.position),
            _ => None,
        };
        self.check_width(width, targets, names, extra)?;
        // Literals take the type of the column they go into.
        let wanted: Vec<_> = bound
            .columns
            .iter()
            .zip(targets)
            .map(|(column, target)| match column.ty {
                crate::value::Type::UNKNOWN => table.columns[*target].ty,
                ty => ty,
            })
            .collect();
        bound = self.with_column_types(bound, &wanted)?;
        let positions: Vec<Option<Position>> = match &bound.body {
            Body::Select(select) => select.targets.iter().map(|t| t.expr.position).collect(),
            _ => Vec::new(),
        };
        let mut slots = slots(&bound.columns);
        for (slot, position) in slots.iter_mut().zip(positions) {
            slot.position = position;
        }
        Ok((bound, slots))
    }

    /// The DEFAULT of a column, or NULL.
    fn default_value(&mut self, column: &ColumnDef) -> Result<Expr> {
        match &column.default {
            None => Ok(null(column.ty)),
            Some(text) => {
                let mut inner = self.expansion(&column.name)?;
                let start = Position { line: 1, column: 1 };
                let parsed = parse_expression(text, start)?;
                let bound = inner.expr(&parsed, Place::Default)?;
                inner.assign(bound, column, "default expression")
            }
        }
    }

    /// A scope with the one table that is to be changed.
    fn open_target(&mut self, table: &Rc<Table>, alias: Option<&ast::Alias>) -> Result<()> {
        let entry = self.table_entry(Rc::clone(table), alias)?;
        let item = Item::of_entry(0, &entry);
        self.scopes.push(Scope {
            range: vec![entry],
            namespace: vec![item],
            hidden: false,
        });
        Ok(())
    }

    pub fn update(&mut self, update: &ast::Update) -> Result<Statement> {
        let ast::Update {
            table: name,
            alias,
            assignments,
            from,
            filter,
            returning,
            with,
        } = update;
        if let Some(item) = from.first() {
            return Err(self.unsupported("FROM in UPDATE", item.at()));
        }
        if let Some(returning) = returning {
            return Err(self.unsupported("RETURNING", returning.at));
        }
        if let Some(with) = with {
            return Err(self.unsupported("WITH before UPDATE", with.at));
        }
        let table = self.target_table(name, "UPDATE")?;
        self.open_target(&table, alias.as_ref())?;
        let mut assigned: Vec<Option<Expr>> = table.columns.iter().map(|_| None).collect();
        for assignment in assignments {
            let (column, value) = match assignment {
                Assignment::Column { column, value } => (column, value),
                Assignment::Unsupported { feature, at } => {
                    return Err(self.unsupported(feature, *at));
                }
            };
            let index = self.table_column(&table, column)?;
            let target = &table.columns[index];
            let value = match &value.kind {
                ast::ExprKind::Default => self.default_value(target)?,
                _ => {
                    let value = self.expr(value, Place::UpdateSource)?;
                    self.assign(value, target, "expression")?
                }
            };
            if assigned[index].replace(value).is_some() {
                let message = format!("multiple assignments to same column \"{}\"", column.text);
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
            }
        }
        let filter = self.optional_where(filter.as_ref())?;
        let targets = table
            .columns
            .iter()
            .zip(assigned)
            .enumerate()
            .map(|(index, pair)| {
                let (column, value) = pair;
                let expr = value.unwrap_or_else(|| Expr {
                    kind: ExprKind::Var(Var {
                        rel: 0,
                        column: index,
                        up: 0,
                    }),
                    ty: column.ty,
                    typmod: column.typmod,
                    position: None,
                });
                Target {
                    expr,
                    name: Rc::clone(&column.name),
                    hidden: false,
                }
            });
        let targets = targets.collect();
        let source = self.close_target(targets, filter)?;
        Ok(Statement::Update(Update { table, source }))
    }

    pub fn delete(&mut self, delete: &ast::Delete) -> Result<Statement> {
        let ast::Delete {
            table: name,
            alias,
            using,
            filter,
            returning,
            with,
        } = delete;
        if let Some(item) = using.first() {
            return Err(self.unsupported("USING in DELETE", item.at()));
        }
        if let Some(returning) = returning {
            return Err(self.unsupported("RETURNING", returning.at));
        }
        if let Some(with) = with {
            return Err(self.unsupported("WITH before DELETE", with.at));
        }
        let table = self.target_table(name, "DELETE")?;
        self.open_target(&table, alias.as_ref())?;
        let filter = self.optional_where(filter.as_ref())?;
        let source = self.close_target(Vec::new(), filter)?;
        Ok(Statement::Delete(Delete { table, source }))
    }

    fn optional_where(&mut self, filter: Option<&ast::Expr>) -> Result<Option<Expr>> {
        filter
            .map(|filter| self.condition(filter, "WHERE", Place::Where))
            .transpose()
    }

    fn close_target(&mut self, targets: Vec<Target>, filter: Option<Expr>) -> Result<Query> {
        let scope = std::mem::take(self.scope()?);
        self.scopes.pop();
        let columns = super::select::result_columns(&targets);
        let select = Select {
            range: scope.range,
            from: Some(From::Entry(0)),
            filter,
            targets,
            distinct: false,
            distinct_on: Vec::new(),
            aggregated: false,
            group_by: Vec::new(),
            having: None,
        };
        Ok(Query {
            body: Body::Select(Box::new(select)),
            order_by: Vec::new(),
            limit: None,
            offset: None,
            columns,
            with: Vec::new(),
        })
    }

    /// Checks a DEFAULT when its column is made.
    ///
    /// # Errors
    /// Those of the expression; 0A000 when it names a column; 42804 when its type does not fit.
    pub fn check_default(&mut self, default: &ast::Expr, column: &ColumnDef) -> Result<()> {
        if let Some(at) = first_column(default) {
            let message = "cannot use column reference in DEFAULT expression";
            return Err(self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, at));
        }
        let bound = self.expr(default, Place::Default)?;
        let has_sublink = |part: &Expr| matches!(part.kind, ExprKind::Sublink(_));
        if super::walk::contains(&bound, &has_sublink) {
            let message = "cannot use subquery in DEFAULT expression";
            return Err(self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, default.at));
        }
        self.assign(bound, column, "default expression").map(|_| ())
    }
}

/// A column at the very top of an expression; deeper ones are refused as unknown.
fn first_column(expr: &ast::Expr) -> Option<Position> {
    matches!(expr.kind, ast::ExprKind::Column(_)).then_some(expr.at)
}

/// The rows of a query that is nothing but VALUES.
fn plain_values(query: &ast::Query) -> Option<&[Vec<ast::Expr>]> {
    let ast::Query {
        with,
        body,
        order_by,
        limit,
        offset,
        locking,
        at: _,
        depth: _,
    } = query;
    let bare = with.is_none()
        && order_by.is_empty()
        && limit.is_none()
        && offset.is_none()
        && locking.is_none();
    match body {
        SetExpr::Values { rows, at: _ } if bare => Some(rows),
        _ => None,
    }
}

/// The source of DEFAULT VALUES: one row without columns.
fn one_empty_row() -> Query {
    Query {
        body: Body::Values(vec![Vec::new()]),
        order_by: Vec::new(),
        limit: None,
        offset: None,
        columns: Vec::new(),
        with: Vec::new(),
    }
}

fn slots(columns: &[ResultColumn]) -> Vec<Expr> {
    let slot = |(index, column): (usize, &ResultColumn)| Expr {
        kind: ExprKind::Slot(index),
        ty: column.ty,
        typmod: column.typmod,
        position: None,
    };
    columns.iter().enumerate().map(slot).collect()
}
