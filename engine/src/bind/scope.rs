//! What names mean in one SELECT (`parse_relation.c`).

use std::rc::Rc;

use super::binder::{Binder, is_schema};
use super::{Expr, ExprKind, RangeEntry, Var};
use crate::bind::walk;
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::QualifiedName;

/// One SELECT while it is bound.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub range: Vec<RangeEntry>,
    /// What its expressions can name, in the order of `*`.
    pub namespace: Vec<Item>,
    /// Set while FROM itself is bound: its items are not to be seen from within FROM.
    pub hidden: bool,
}

/// A relation or a join in FROM.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// What its columns may be qualified with; a join without an alias has no name.
    pub name: Option<Rc<str>>,
    pub columns: Vec<ItemColumn>,
    /// The name may qualify columns.
    pub qualifies: bool,
    /// The columns may be named alone, and belong to `*`.
    pub unqualified: bool,
    /// False for the left side of a RIGHT or FULL join, seen from a LATERAL item on its right.
    pub lateral_ok: bool,
}

#[derive(Clone, Debug)]
pub(super) struct ItemColumn {
    pub name: Rc<str>,
    /// The column, or for USING what the join makes of two, as seen from this very SELECT.
    pub expr: Expr,
}

impl Item {
    /// All columns of an entry of the range table.
    pub fn of_entry(rel: usize, entry: &RangeEntry) -> Item {
        let columns = entry
            .columns
            .iter()
            .enumerate()
            .map(|(column, result)| ItemColumn {
                name: Rc::clone(&result.name),
                expr: Expr {
                    kind: ExprKind::Var(Var { rel, column, up: 0 }),
                    ty: result.ty,
                    typmod: result.typmod,
                    position: None,
                },
            });
        Item {
            name: Some(Rc::clone(&entry.alias)),
            columns: columns.collect(),
            qualifies: true,
            unqualified: true,
            lateral_ok: true,
        }
    }
}

/// The expression of a column as seen from `up` SELECTs further in.
fn raised(expr: &Expr, up: usize, position: Option<Position>) -> Expr {
    let mut expr = expr.clone();
    walk::further_in(&mut expr, up);
    expr.position = position;
    expr
}

impl Binder<'_> {
    /// A column by its name: `a`, `t.a`.
    ///
    /// # Errors
    /// 42703, 42702, 42P01; 0A000 for LATERAL and whole rows.
    pub fn column(&mut self, name: &QualifiedName) -> Result<Expr> {
        match &name.parts[..] {
            [column] => match self.unqualified_column(&column.text, column.at)? {
                Some(expr) => Ok(expr),
                None => {
                    let found = self.scalar_function_row(&column.text, column.at);
                    let found = found.or_else(|| self.parameter_named(&column.text, column.at));
                    found.ok_or_else(|| self.no_column(&column.text, column.at))
                }
            },
            [table, column] => self.qualified_column(&table.text, &column.text, name),
            [schema, table, column] if is_schema(&schema.text) => {
                self.qualified_column(&table.text, &column.text, name)
            }
            [schema, table, _] => {
                let (schema, table) = (&schema.text, &table.text);
                Err(self.missing_from_entry(&format!("{schema}.{table}"), name.at()))
            }
            _ => {
                let message = format!("cross-database references are not implemented: {name}");
                Err(self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, name.at()))
            }
        }
    }

    fn unqualified_column(&mut self, column: &str, at: Position) -> Result<Option<Expr>> {
        let position = self.at(at);
        for (index, scope) in self.scopes.iter().enumerate().rev() {
            let mut found: Option<&ItemColumn> = None;
            let mut owner: Option<&Item> = None;
            let items = scope.namespace.iter().filter(|item| item.unqualified);
            let columns =
                items.flat_map(|item| item.columns.iter().map(move |column| (item, column)));
            for (item, candidate) in columns {
                if &*candidate.name != column {
                    continue;
                }
                if found.is_some() {
                    let message = format!("column reference \"{column}\" is ambiguous");
                    return Err(self.error(sqlstate::AMBIGUOUS_COLUMN, message, at));
                }
                found = Some(candidate);
                owner = Some(item);
            }
            let Some(found) = found else { continue };
            if scope.hidden {
                continue;
            }
            if let Some(item) = owner.filter(|item| !item.lateral_ok) {
                return Err(self.not_lateral(item, at));
            }
            let expr = raised(&found.expr, self.scopes.len() - 1 - index, position);
            self.reached = self.reached.min(index);
            return Ok(Some(expr));
        }
        Ok(None)
    }

    fn qualified_column(
        &mut self,
        table: &str,
        column: &str,
        name: &QualifiedName,
    ) -> Result<Expr> {
        let position = self.at(name.at());
        for (index, scope) in self.scopes.iter().enumerate().rev() {
            let mut items = scope.namespace.iter();
            let named = items.find(|item| item.qualifies && item.name.as_deref() == Some(table));
            let Some(item) = named else { continue };
            if !scope.hidden && !item.lateral_ok {
                return Err(self.not_lateral(item, name.at()));
            }
            if scope.hidden {
                let message =
                    format!("invalid reference to FROM-clause entry for table \"{table}\"");
                let detail = format!(
                    "There is an entry for table \"{table}\", but it cannot be referenced from \
                     this part of the query."
                );
                let error = self.error(sqlstate::UNDEFINED_TABLE, message, name.at());
                return Err(error.with_detail(detail));
            }
            let mut columns = item
                .columns
                .iter()
                .filter(|candidate| &*candidate.name == column);
            let Some(found) = columns.next() else {
                let message = format!("column {table}.{column} does not exist");
                let error = self.error(sqlstate::UNDEFINED_COLUMN, message, name.at());
                return Err(self.with_similar_column(error, Some(table), column));
            };
            if columns.next().is_some() {
                let message = format!("column reference \"{column}\" is ambiguous");
                return Err(self.error(sqlstate::AMBIGUOUS_COLUMN, message, name.at()));
            }
            let expr = raised(&found.expr, self.scopes.len() - 1 - index, position);
            self.reached = self.reached.min(index);
            return Ok(expr);
        }
        Err(self.missing_from_entry(table, name.at()))
    }

    /// `check_lateral_ref_ok`
    fn not_lateral(&self, item: &Item, at: Position) -> Error {
        let name = item.name.as_deref().unwrap_or("unnamed_join");
        let message = format!("invalid reference to FROM-clause entry for table \"{name}\"");
        self.error(sqlstate::INVALID_COLUMN_REFERENCE, message, at)
            .with_detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.")
    }

    /// The items of `t.*`, which must be of this very SELECT.
    pub fn columns_of(&mut self, name: &QualifiedName) -> Result<Vec<ItemColumn>> {
        let table = match &name.parts[..] {
            [table] => &table.text,
            [schema, table] if is_schema(&schema.text) => &table.text,
            _ => return Err(self.missing_from_entry(&name.to_string(), name.at())),
        };
        for (index, scope) in self.scopes.iter().enumerate().rev() {
            let mut items = scope.namespace.iter();
            let found = items.find(|item| item.qualifies && item.name.as_deref() == Some(table));
            let Some(item) = found else { continue };
            let up = self.scopes.len() - 1 - index;
            let columns = item.columns.iter().map(|column| ItemColumn {
                name: Rc::clone(&column.name),
                expr: raised(&column.expr, up, None),
            });
            let columns = columns.collect();
            self.reached = self.reached.min(index);
            return Ok(columns);
        }
        Err(self.missing_from_entry(table, name.at()))
    }

    pub fn missing_from_entry(&self, table: &str, at: Position) -> Error {
        // The table may be there under an alias.
        for scope in self.scopes.iter().rev() {
            for entry in &scope.range {
                let is_it = matches!(&entry.source, super::Source::Table(t) if &*t.name == table);
                if is_it && &*entry.alias != table {
                    let message =
                        format!("invalid reference to FROM-clause entry for table \"{table}\"");
                    let hint = format!(
                        "Perhaps you meant to reference the table alias \"{}\".",
                        entry.alias
                    );
                    let error = self.error(sqlstate::UNDEFINED_TABLE, message, at);
                    return error.with_hint(hint);
                }
            }
        }
        let mut entries = self.scopes.iter().flat_map(|scope| &scope.range);
        if entries.any(|entry| &*entry.alias == table) {
            let message = format!("invalid reference to FROM-clause entry for table \"{table}\"");
            let detail = format!(
                "There is an entry for table \"{table}\", but it cannot be referenced from this \
                 part of the query."
            );
            return self
                .error(sqlstate::UNDEFINED_TABLE, message, at)
                .with_detail(detail);
        }
        let message = format!("missing FROM-clause entry for table \"{table}\"");
        self.error(sqlstate::UNDEFINED_TABLE, message, at)
    }

    /// The row of a function in FROM that gives scalars is the scalar itself
    /// (`makeWholeRowVar`): `SELECT g FROM generate_series(1, 3) AS g (x)`.
    fn scalar_function_row(&mut self, name: &str, at: Position) -> Option<Expr> {
        let position = self.at(at);
        for (index, scope) in self.scopes.iter().enumerate().rev() {
            let mut items = scope.namespace.iter().filter(|item| item.qualifies);
            let Some(item) = items.find(|item| item.name.as_deref() == Some(name)) else {
                continue;
            };
            let [column] = &item.columns[..] else {
                return None;
            };
            let ExprKind::Var(var) = column.expr.kind else {
                return None;
            };
            let is_function = matches!(
                scope.range.get(var.rel).map(|entry| &entry.source),
                Some(super::Source::Function(_))
            );
            if scope.hidden || !is_function {
                return None;
            }
            let expr = raised(&column.expr, self.scopes.len() - 1 - index, position);
            self.reached = self.reached.min(index);
            return Some(expr);
        }
        None
    }

    fn no_column(&self, column: &str, at: Position) -> Error {
        let is_table = |item: &Item| item.qualifies && item.name.as_deref() == Some(column);
        if self
            .scopes
            .iter()
            .any(|scope| !scope.hidden && scope.namespace.iter().any(is_table))
        {
            return self.unsupported("a whole row as a value", at);
        }
        let message = format!("column \"{column}\" does not exist");
        let error = self.error(sqlstate::UNDEFINED_COLUMN, message, at);
        self.with_similar_column(error, None, column)
    }

    /// Adds PostgreSQL's guess at what was meant (`searchRangeTableForCol`): the column whose name
    /// differs in at most three letters and less than half of them, unless two are as close.
    fn with_similar_column(&self, error: Error, table: Option<&str>, column: &str) -> Error {
        let mut best: Option<(usize, String)> = None;
        let mut equally_close = 0;
        for item in self.scopes.iter().rev().flat_map(|scope| &scope.namespace) {
            let Some(alias) = item.name.as_deref().filter(|_| item.qualifies) else {
                continue;
            };
            let table_distance = table.map_or(0, |table| distance(table, alias));
            for candidate in &item.columns {
                let total = table_distance + distance(column, &candidate.name);
                if total > MAX_DISTANCE || total > column.chars().count() / 2 {
                    continue;
                }
                match &best {
                    Some((known, _)) if *known < total => {}
                    Some((known, _)) if *known == total => equally_close += 1,
                    _ => {
                        best = Some((total, format!("{alias}.{}", candidate.name)));
                        equally_close = 0;
                    }
                }
            }
        }
        match best {
            Some((_, name)) if equally_close == 0 => error.with_hint(format!(
                "Perhaps you meant to reference the column \"{name}\"."
            )),
            _ => error,
        }
    }

    /// A parameter of the function whose body this is, by its name.
    fn parameter_named(&self, name: &str, at: Position) -> Option<Expr> {
        let parameters = self.parameters.as_ref()?;
        let index = parameters
            .names
            .iter()
            .position(|known| known.as_deref() == Some(name))?;
        let ty = parameters.types[index];
        Some(Expr::new(ExprKind::Argument(index), ty).at(self.at(at)))
    }

    /// `$1` in the body of a function.
    ///
    /// # Errors
    /// 42P02
    pub fn numbered_parameter(&self, number: u32, at: Position) -> Result<Expr> {
        let index = usize::try_from(number)
            .ok()
            .and_then(|number| number.checked_sub(1));
        let types = self
            .parameters
            .iter()
            .flat_map(|parameters| &parameters.types);
        match index.and_then(|index| Some((index, *types.clone().nth(index)?))) {
            Some((index, ty)) => Ok(Expr::new(ExprKind::Argument(index), ty).at(self.at(at))),
            None => {
                let message = format!("there is no parameter ${number}");
                Err(self.error(sqlstate::UNDEFINED_PARAMETER, message, at))
            }
        }
    }
}

/// `MAX_FUZZY_DISTANCE`
const MAX_DISTANCE: usize = 3;

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
