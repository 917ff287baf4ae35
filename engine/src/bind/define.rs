//! CREATE, ALTER and DROP.

use std::rc::Rc;

use super::binder::{Binder, Relation};
use super::{CreateTable, ObjectKind, RelOptions, Statement};
use crate::catalog::{ColumnDef, View};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, AlterAction, DropKind, RelOption};
use crate::value::{Base, Type};

/// `MaxHeapAttributeNumber`
const MAX_COLUMNS: usize = 1600;

impl Binder<'_> {
    pub fn create_table(&mut self, create: &ast::CreateTable) -> Result<Statement> {
        let ast::CreateTable {
            name,
            temporary,
            if_not_exists,
            columns,
            constraints,
            access_method,
            options,
        } = create;
        self.no_temporary(*temporary)?;
        let mut defined: Vec<ColumnDef> = Vec::with_capacity(columns.len());
        for column in columns {
            let ast::ColumnDefinition {
                name,
                ty,
                not_null,
                default,
                others,
            } = column;
            if let Some((feature, at)) = others.first() {
                return Err(self.unsupported(feature, *at));
            }
            if defined.iter().any(|other| *other.name == *name.text) {
                let message = format!("column \"{}\" specified more than once", name.text);
                return Err(self.error(sqlstate::DUPLICATE_COLUMN, message, name.at));
            }
            let (column_type, typmod) = self.column_type(&name.text, ty)?;
            let mut column = ColumnDef {
                name: Rc::from(name.text.as_str()),
                ty: column_type,
                typmod,
                not_null: *not_null,
                default: None,
            };
            if let Some((expr, text)) = default {
                self.check_default(expr, &column)?;
                column.default = Some(Rc::from(text.as_str()));
            }
            defined.push(column);
        }
        if let Some((feature, at)) = constraints.first() {
            return Err(self.unsupported(feature, *at));
        }
        if defined.len() > MAX_COLUMNS {
            let message = format!("tables can have at most {MAX_COLUMNS} columns");
            return Err(Error::new(sqlstate::TOO_MANY_COLUMNS, message));
        }
        Ok(Statement::CreateTable(CreateTable {
            name: self.new_name(name)?,
            if_not_exists: *if_not_exists,
            columns: defined,
            access_method: self.access_method(access_method.as_ref())?,
            options: rel_options(options),
        }))
    }

    fn no_temporary(&self, temporary: Option<Position>) -> Result<()> {
        match temporary {
            Some(at) => Err(self.unsupported("a temporary table or view", at)),
            None => Ok(()),
        }
    }

    fn column_type(&self, name: &str, ty: &ast::TypeName) -> Result<(Type, i32)> {
        let (resolved, typmod) = self.resolve_type(ty)?;
        if ty.set_of {
            let message = format!("column \"{name}\" cannot be declared SETOF");
            return Err(self.error(sqlstate::INVALID_TABLE_DEFINITION, message, ty.name.at()));
        }
        if resolved.base == Base::Void {
            let message = format!("column \"{name}\" has pseudo-type void");
            return Err(self.error(sqlstate::INVALID_TABLE_DEFINITION, message, ty.name.at()));
        }
        Ok((resolved, typmod))
    }

    /// The access method that is named, if it is there.
    fn access_method(&self, name: Option<&ast::Name>) -> Result<Option<String>> {
        name.map(|name| {
            let found = self.catalog.access_method(&name.text);
            found.map_err(|error| error.at(self.at(name.at)))?;
            Ok(name.text.clone())
        })
        .transpose()
    }

    pub fn create_table_as(&mut self, create: &ast::CreateTableAs) -> Result<Statement> {
        let ast::CreateTableAs {
            name,
            temporary,
            if_not_exists,
            columns,
            access_method,
            options,
            query,
            with_data,
        } = create;
        self.no_temporary(*temporary)?;
        if !with_data {
            return Err(self.unsupported("WITH NO DATA", name.at()));
        }
        let mut query = self.query(query)?;
        if columns.len() > query.columns.len() {
            let message = "too many column names were specified";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        for (column, name) in query.columns.iter_mut().zip(columns) {
            column.name = Rc::from(name.text.as_str());
        }
        self.check_result_columns(&query)?;
        Ok(Statement::CreateTableAs {
            name: self.new_name(name)?,
            if_not_exists: *if_not_exists,
            access_method: self.access_method(access_method.as_ref())?,
            options: rel_options(options),
            query,
        })
    }

    /// The columns of a new table or view must have names of their own.
    fn check_result_columns(&self, query: &super::Query) -> Result<()> {
        for (index, column) in query.columns.iter().enumerate() {
            if query.columns[..index]
                .iter()
                .any(|other| other.name == column.name)
            {
                let message = format!("column \"{}\" specified more than once", column.name);
                return Err(Error::new(sqlstate::DUPLICATE_COLUMN, message));
            }
        }
        Ok(())
    }

    pub fn create_view(&mut self, create: &ast::CreateView) -> Result<Statement> {
        let ast::CreateView {
            name,
            or_replace,
            temporary,
            columns,
            options,
            query,
            text,
            check_option,
        } = create;
        self.no_temporary(*temporary)?;
        if let Some(at) = check_option {
            return Err(self.unsupported("WITH CHECK OPTION", *at));
        }
        let mut security_barrier = false;
        for RelOption { name, value } in options {
            match name.text.as_str() {
                "security_barrier" => {
                    security_barrier =
                        self.boolean_option(&name.text, value.as_deref(), name.at)?;
                }
                "check_option" | "security_invoker" => {
                    return Err(self.unsupported(&name.text, name.at));
                }
                other => {
                    let message = format!("unrecognized parameter \"{other}\"");
                    return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
                }
            }
        }
        let mut bound = self.query(query)?;
        if columns.len() > bound.columns.len() {
            let message = "CREATE VIEW specifies more column names than columns";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        for (column, name) in bound.columns.iter_mut().zip(columns) {
            column.name = Rc::from(name.text.as_str());
        }
        self.check_result_columns(&bound)?;
        let view_name = self.new_name(name)?;
        if *or_replace && let Some(existing) = self.catalog.view(&view_name).cloned() {
            self.check_replacement(&existing, &bound)?;
        }
        let view = View {
            name: Rc::from(view_name.as_str()),
            definition: Rc::from(text.as_str()),
            column_names: columns
                .iter()
                .map(|name| Rc::from(name.text.as_str()))
                .collect(),
            security_barrier,
            uses: std::mem::take(&mut self.relations),
        };
        Ok(Statement::CreateView {
            name: view_name,
            or_replace: *or_replace,
            view,
        })
    }

    /// A view may be replaced by one with the same columns and more (`checkViewTupleDesc`).
    fn check_replacement(&mut self, existing: &View, new: &super::Query) -> Result<()> {
        let invalid = |message: String| Error::new(sqlstate::INVALID_TABLE_DEFINITION, message);
        let old = self.view_query(existing)?;
        if new.columns.len() < old.columns.len() {
            return Err(invalid("cannot drop columns from view".to_string()));
        }
        for (old, new) in old.columns.iter().zip(&new.columns) {
            if old.name != new.name {
                let message = format!(
                    "cannot change name of view column \"{}\" to \"{}\"",
                    old.name, new.name
                );
                return Err(invalid(message).with_hint(
                    "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.",
                ));
            }
            if (old.ty, old.typmod) != (new.ty, new.typmod) {
                let message = format!(
                    "cannot change data type of view column \"{}\" from {} to {}",
                    old.name,
                    old.ty.name(),
                    new.ty.name()
                );
                return Err(invalid(message));
            }
        }
        Ok(())
    }

    pub fn boolean_option(&self, name: &str, value: Option<&str>, at: Position) -> Result<bool> {
        match value.map(str::to_ascii_lowercase).as_deref() {
            None | Some("true" | "on" | "yes" | "1") => Ok(true),
            Some("false" | "off" | "no" | "0") => Ok(false),
            Some(other) => {
                let message = format!("invalid value for boolean option \"{name}\": {other}");
                Err(self.error(sqlstate::INVALID_PARAMETER_VALUE, message, at))
            }
        }
    }

    pub fn drop(&mut self, drop: &ast::Drop) -> Result<Statement> {
        let ast::Drop {
            kind,
            names,
            if_exists,
            cascade,
        } = drop;
        let kind = match kind {
            DropKind::Table => ObjectKind::Table,
            DropKind::View => ObjectKind::View,
        };
        let mut dropped = Vec::with_capacity(names.len());
        for name in names {
            match self.object_name(name) {
                Some(object) => dropped.push(object.to_string()),
                // What is in no schema that exists does not exist either.
                None if *if_exists => {}
                None => {
                    let schema = &name.parts[0].text;
                    let message = format!("schema \"{schema}\" does not exist");
                    return Err(Error::new(sqlstate::UNDEFINED_SCHEMA, message));
                }
            }
        }
        Ok(Statement::Drop {
            kind,
            names: dropped,
            if_exists: *if_exists,
            cascade: *cascade,
        })
    }

    pub fn alter_table(&mut self, alter: &ast::AlterTable) -> Result<Statement> {
        let ast::AlterTable {
            name,
            if_exists,
            actions,
        } = alter;
        if *if_exists {
            return Err(self.unsupported("ALTER TABLE IF EXISTS", name.at()));
        }
        let mut options: Vec<(String, Option<String>)> = Vec::new();
        for action in actions {
            match action {
                AlterAction::SetOptions(set) => options.extend(
                    rel_options(set)
                        .into_iter()
                        .map(|(name, value)| (name, Some(value))),
                ),
                AlterAction::ResetOptions(names) => {
                    options.extend(names.iter().map(|name| (name.text.clone(), None)));
                }
                AlterAction::Unsupported { action, at } => {
                    return Err(self.unsupported(format!("ALTER TABLE … {action}"), *at));
                }
            }
        }
        let table = self.table_for(name, "ALTER TABLE")?;
        Ok(Statement::AlterTableOptions { table, options })
    }

    /// A table, and not a view, for a command that is about its storage.
    pub fn table_for(
        &mut self,
        name: &ast::QualifiedName,
        command: &str,
    ) -> Result<Rc<crate::catalog::Table>> {
        match self.relation(name).map_err(Error::without_position)? {
            Relation::Table(table) => Ok(table),
            Relation::View(view) => {
                let message = match command {
                    "ALTER TABLE" => {
                        return Err(self.unsupported("ALTER TABLE of a view", name.at()));
                    }
                    _ => format!("\"{}\" is not a table", view.name),
                };
                Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, message))
            }
        }
    }
}

/// An option without a value is `true`.
fn rel_options(options: &[RelOption]) -> RelOptions {
    let value = |option: &RelOption| option.value.clone().unwrap_or_else(|| "true".to_string());
    options
        .iter()
        .map(|option| (option.name.text.clone(), value(option)))
        .collect()
}
