//! Statements that change the catalog.

use std::rc::Rc;

use super::Session;
use super::options;
use super::statement::{Running, Task};
use crate::am::{RowShape, TableAm};
use crate::bind::{CreateTable, ObjectKind, RelOptions};
use crate::catalog::{
    ColumnDef, FunctionFacts, OperatorFacts, Table, TableOptions, TableStatistics, View,
};
use crate::error::{Error, Result, sqlstate};

impl Session {
    pub(super) fn create_table(
        &mut self,
        create: CreateTable,
        running: &mut Running,
    ) -> Result<()> {
        if create.if_not_exists && self.already_there(&create.name, true, running)? {
            return Ok(());
        }
        let storage = self.storage(create.access_method.as_deref(), &create.options)?;
        self.already_there(&create.name, false, running)?;
        self.make_table(create.name.as_str().into(), create.columns, storage);
        Ok(())
    }

    /// The access method that is named, or the default one, and the options, if it takes them.
    pub(super) fn storage(
        &self,
        access_method: Option<&str>,
        given: &RelOptions,
    ) -> Result<(Rc<dyn TableAm>, TableOptions)> {
        let default = self.settings.default_table_access_method();
        let am = self
            .catalog
            .access_method(access_method.unwrap_or(default))?;
        let options = options::parse(&*am, given)?;
        Ok((am, options))
    }

    /// True: the relation exists and IF NOT EXISTS was said. Errors: 42P07.
    pub(super) fn already_there(
        &self,
        name: &str,
        if_not_exists: bool,
        running: &mut Running,
    ) -> Result<bool> {
        if !self.catalog.has_relation(name) {
            return Ok(false);
        }
        let what = format!("relation \"{name}\" already exists");
        if !if_not_exists {
            return Err(Error::new(sqlstate::DUPLICATE_TABLE, what));
        }
        running.notice(&format!("{what}, skipping"));
        Ok(true)
    }

    pub(super) fn make_table(
        &mut self,
        name: Rc<str>,
        columns: Vec<ColumnDef>,
        (am, options): (Rc<dyn TableAm>, TableOptions),
    ) -> Rc<Table> {
        let shape = RowShape {
            columns: columns.iter().map(|column| column.ty).collect(),
            fill_factor: options.fillfactor.unwrap_or(100),
        };
        let storage = am.create(Rc::new(shape), &self.memory);
        let oid = self.catalog.new_oid();
        let table = Rc::new(Table {
            oid,
            name,
            columns,
            am,
            options,
            storage,
            statistics: None,
        });
        self.catalog.put_table(Rc::clone(&table));
        table
    }

    /// Puts empty storage in the table's place; the old one lives until the transaction has ended.
    pub(super) fn truncate(&mut self, tables: &[Rc<Table>]) {
        for table in tables {
            let storage = table
                .am
                .create(Rc::clone(table.storage.shape()), &self.memory);
            self.catalog.put_table(Rc::new(Table {
                storage,
                // The columns' statistics stay, as in PostgreSQL: the new rows may be like the old ones.
                statistics: table.statistics.as_ref().map(|known| {
                    Rc::new(TableStatistics {
                        pages: 0,
                        rows: -1.0,
                        columns: known.columns.clone(),
                    })
                }),
                ..Table::clone(table)
            }));
        }
    }

    pub(super) fn alter_table_options(
        &mut self,
        table: &Table,
        changes: &[(String, Option<String>)],
    ) -> Result<()> {
        let mut changed = Table::clone(table);
        for (name, value) in changes {
            options::apply(&*table.am, &mut changed.options, name, value.as_deref())?;
        }
        self.catalog.put_table(Rc::new(changed));
        Ok(())
    }

    pub(super) fn create_view(&mut self, or_replace: bool, view: View) -> Result<()> {
        let name = &view.name;
        if self.catalog.table(name).is_some() {
            return Err(if or_replace {
                Error::new(
                    sqlstate::WRONG_OBJECT_TYPE,
                    format!("\"{name}\" is not a view"),
                )
            } else {
                Error::new(
                    sqlstate::DUPLICATE_TABLE,
                    format!("relation \"{name}\" already exists"),
                )
            });
        }
        if self.catalog.view(name).is_some() && !or_replace {
            return Err(Error::new(
                sqlstate::DUPLICATE_TABLE,
                format!("relation \"{name}\" already exists"),
            ));
        }
        self.catalog.put_view(Rc::new(view));
        Ok(())
    }

    pub(super) fn create_function(
        &mut self,
        or_replace: bool,
        function: FunctionFacts,
    ) -> Result<()> {
        let known = self
            .catalog
            .functions()
            .iter()
            .find(|f| f.name == function.name && f.args == function.args);
        if let Some(known) = known {
            if !or_replace {
                return Err(Error::new(
                    sqlstate::DUPLICATE_FUNCTION,
                    format!(
                        "function \"{}\" already exists with same argument types",
                        function.name
                    ),
                ));
            }
            if known.result != function.result {
                return Err(Error::new(
                    sqlstate::INVALID_FUNCTION_DEFINITION,
                    "cannot change return type of existing function",
                )
                .with_hint(format!("Use DROP FUNCTION {} first.", signature(&function))));
            }
        }
        self.catalog.put_function(Rc::new(function));
        Ok(())
    }

    pub(super) fn create_operator(&mut self, operator: OperatorFacts) -> Result<()> {
        let known = self.catalog.operators().iter().any(|o| {
            o.name == operator.name && o.left == operator.left && o.right == operator.right
        });
        if known {
            return Err(Error::new(
                sqlstate::DUPLICATE_FUNCTION,
                format!("operator {} already exists", operator.name),
            ));
        }
        self.catalog.put_operator(Rc::new(operator));
        Ok(())
    }

    /// Drops tables or views, and with CASCADE the views over them.
    pub(super) fn drop_relations(
        &mut self,
        kind: ObjectKind,
        names: &[String],
        if_exists: bool,
        cascade: bool,
        running: &mut Running,
    ) -> Result<()> {
        for name in names {
            if !self.droppable(kind, name, if_exists, running)? {
                continue;
            }
            let dependents = self.dependent_views(name, names);
            if !dependents.is_empty() && !cascade {
                return Err(still_needed(kind, name, &dependents, names.len() > 1));
            }
            for view in &dependents {
                running.notice(&format!("drop cascades to view {view}"));
                self.catalog.remove_view(view);
            }
            match kind {
                ObjectKind::Table => drop(self.catalog.remove_table(name)),
                ObjectKind::View => drop(self.catalog.remove_view(name)),
            }
        }
        Ok(())
    }

    /// False: it is not there and IF EXISTS was said. Errors: 42P01, 42809 for the other kind.
    fn droppable(
        &self,
        kind: ObjectKind,
        name: &str,
        if_exists: bool,
        running: &mut Running,
    ) -> Result<bool> {
        let (is_it, is_other, word, other) = match kind {
            ObjectKind::Table => (
                self.catalog.table(name).is_some(),
                self.catalog.view(name).is_some(),
                "table",
                "VIEW",
            ),
            ObjectKind::View => (
                self.catalog.view(name).is_some(),
                self.catalog.table(name).is_some(),
                "view",
                "TABLE",
            ),
        };
        if is_it {
            return Ok(true);
        }
        if is_other {
            return Err(Error::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("\"{name}\" is not a {word}"),
            )
            .with_hint(format!(
                "Use DROP {other} to remove a {}.",
                other.to_ascii_lowercase()
            )));
        }
        let missing = format!("{word} \"{name}\" does not exist");
        if !if_exists {
            return Err(Error::new(sqlstate::UNDEFINED_TABLE, missing));
        }
        running.notice(&format!("{missing}, skipping"));
        Ok(false)
    }

    /// The views that use a relation, directly or through other views; not those in `dropped`.
    fn dependent_views(&self, name: &str, dropped: &[String]) -> Vec<Rc<str>> {
        let mut found: Vec<Rc<str>> = Vec::new();
        let mut todo: Vec<Rc<str>> = vec![name.into()];
        while let Some(used) = todo.pop() {
            for view in self.catalog.views() {
                let new = !found.contains(&view.name) && !dropped.iter().any(|d| **d == *view.name);
                if new && view.uses.contains(&used) {
                    found.push(Rc::clone(&view.name));
                    todo.push(Rc::clone(&view.name));
                }
            }
        }
        found
    }

    pub(super) fn drop_functions(&mut self, functions: &[FunctionFacts]) -> Result<()> {
        for function in functions {
            let user = self
                .catalog
                .operators()
                .iter()
                .find(|o| o.function.name == function.name && o.function.args == function.args);
            if let Some(operator) = user {
                return Err(Error::new(
                    sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
                    format!(
                        "cannot drop function {} because other objects depend on it",
                        signature(function)
                    ),
                )
                .with_detail(format!(
                    "operator {} depends on function {}",
                    operator.name,
                    signature(function)
                ))
                .with_hint("Use DROP ... CASCADE to drop the dependent objects too."));
            }
            self.catalog.remove_function(&function.name, &function.args);
        }
        Ok(())
    }

    pub(super) fn drop_operators(&mut self, operators: &[OperatorFacts]) {
        for operator in operators {
            self.catalog.remove_operator(operator);
        }
    }
}

impl Running {
    pub(super) fn done(&mut self, tag: &str) {
        self.work = Task::Done {
            tag: tag.to_string(),
            run: None,
        };
    }
}

fn still_needed(kind: ObjectKind, name: &str, dependents: &[Rc<str>], one_of_many: bool) -> Error {
    let word = match kind {
        ObjectKind::Table => "table",
        ObjectKind::View => "view",
    };
    let detail: Vec<String> = dependents
        .iter()
        .map(|view| format!("view {view} depends on {word} {name}"))
        .collect();
    let message = if one_of_many {
        "cannot drop desired object(s) because other objects depend on them".to_string()
    } else {
        format!("cannot drop {word} {name} because other objects depend on it")
    };
    Error::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message)
        .with_detail(detail.join("\n"))
        .with_hint("Use DROP ... CASCADE to drop the dependent objects too.")
}

fn signature(function: &FunctionFacts) -> String {
    let args: Vec<String> = function.args.iter().map(|ty| ty.name()).collect();
    format!("{}({})", function.name, args.join(","))
}
