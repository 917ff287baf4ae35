//! The first step of a statement: parsed, bound, planned or carried out at once.

use std::rc::Rc;

use super::event::ColumnHeader;
use super::statement::{QueryTag, Running, Task};
use super::vacuum::{Tasks, Vacuuming};
use super::{PlannedExecution, Session};
use crate::bind::{self, Explain, Insert, RelOptions, Statement, VacuumTable};
use crate::catalog::{ColumnDef, Table};
use crate::error::{Error, Result, sqlstate};
use crate::exec::{ExecCx, Execution};
use crate::plan::{self, Plan};
use crate::sql::{self, StatementText, ast};
use crate::value::{Datum, Type};

/// What a statement's syntax tree, bound query and plan take for a byte of its text, about; an
/// ordinary statement is not worth counting.
const BYTES_A_BYTE: u64 = 100;
const ORDINARY_BYTES: u64 = 1 << 16;

fn bytes_of_statement(text: u64) -> u64 {
    text.saturating_sub(ORDINARY_BYTES) * BYTES_A_BYTE
}

impl Session {
    pub(super) fn begin(&mut self, running: &mut Running, text: StatementText<'_>) -> Result<()> {
        running
            .holding
            .set(bytes_of_statement(text.text.len() as u64))?;
        let parsed = sql::parse_statement(text)?;
        if !matches!(parsed, ast::Statement::Transaction(_)) {
            self.transaction.check_usable()?;
        }
        let bound = bind::bind(&self.catalog, &parsed)?;
        self.carry_out(running, bound)
    }

    fn carry_out(&mut self, running: &mut Running, statement: Statement) -> Result<()> {
        if changes_catalog(&statement) {
            running.undo = Some(self.catalog.clone());
        }
        match statement {
            Statement::Query(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_) => {
                let (run, tag) = self.run_plan(statement)?;
                if tag == QueryTag::Select {
                    running.columns = headers(&run.plan);
                }
                running.work = Task::Query { run, tag };
            }
            Statement::Explain(explain) => self.explain(running, explain)?,
            Statement::CreateTable(create) => {
                self.create_table(create, running)?;
                running.done("CREATE TABLE");
            }
            Statement::CreateTableAs {
                name,
                if_not_exists,
                access_method,
                options,
                query,
            } => {
                if self.already_there(&name, if_not_exists, running)? {
                    running.done("CREATE TABLE AS");
                } else {
                    let table =
                        self.table_for(&name, access_method.as_deref(), &options, &query)?;
                    let run = self.run_insert(table, query)?;
                    running.work = Task::Query {
                        run,
                        tag: QueryTag::CreateTableAs,
                    };
                }
            }
            Statement::CreateView {
                or_replace, view, ..
            } => {
                self.create_view(or_replace, view)?;
                running.done("CREATE VIEW");
            }
            Statement::CreateFunction {
                or_replace,
                function,
            } => {
                self.create_function(or_replace, function)?;
                running.done("CREATE FUNCTION");
            }
            Statement::CreateOperator(operator) => {
                self.create_operator(operator)?;
                running.done("CREATE OPERATOR");
            }
            Statement::Drop {
                kind,
                names,
                if_exists,
                cascade,
            } => {
                self.drop_relations(kind, &names, if_exists, cascade, running)?;
                running.done(match kind {
                    bind::ObjectKind::Table => "DROP TABLE",
                    bind::ObjectKind::View => "DROP VIEW",
                });
            }
            Statement::DropFunction { functions } => {
                self.drop_functions(&functions)?;
                running.done("DROP FUNCTION");
            }
            Statement::DropOperator { operators } => {
                self.drop_operators(&operators);
                running.done("DROP OPERATOR");
            }
            Statement::AlterTableOptions { table, options } => {
                self.alter_table_options(&table, &options)?;
                running.done("ALTER TABLE");
            }
            Statement::Truncate(tables) => {
                self.truncate(&tables);
                running.done("TRUNCATE TABLE");
            }
            Statement::Vacuum(vacuum) => self.vacuum(running, vacuum)?,
            Statement::Set { name, value, local } => {
                self.set_statement(running, &name, value.as_deref(), local)?;
            }
            Statement::ResetAll => {
                self.settings.reset_all();
                self.memory.set_limit(self.settings.memory_limit());
                running.done("RESET");
            }
            Statement::Show(name) => {
                let value = self.settings.show(&name)?;
                running.lines(&[&name], vec![vec![Datum::text(value)]], "SHOW");
            }
            Statement::ShowAll => self.show_all(running),
            Statement::Begin => {
                if !self.transaction.begin(&self.catalog, &self.settings) {
                    running.warn("there is already a transaction in progress");
                }
                running.done("BEGIN");
            }
            Statement::Commit => match self
                .transaction
                .commit(&mut self.catalog, &mut self.settings)
            {
                Some(false) => {
                    self.memory.set_limit(self.settings.memory_limit());
                    self.settle_relations();
                    running.done("ROLLBACK");
                }
                Some(true) => running.done("COMMIT"),
                None => {
                    running.warn(NO_TRANSACTION);
                    running.done("COMMIT");
                }
            },
            Statement::Rollback => {
                if !self
                    .transaction
                    .rollback(&mut self.catalog, &mut self.settings)
                {
                    running.warn(NO_TRANSACTION);
                }
                self.memory.set_limit(self.settings.memory_limit());
                self.settle_relations();
                running.done("ROLLBACK");
            }
        }
        Ok(())
    }

    /// Plans a statement that has a plan.
    fn plan(&self, statement: Statement) -> Result<(Plan, QueryTag)> {
        let (catalog, settings, memory) = (&self.catalog, &self.settings, &self.memory);
        Ok(match statement {
            Statement::Query(query) => (
                plan::query(query, catalog, settings, memory)?,
                QueryTag::Select,
            ),
            Statement::Insert(insert) => (
                plan::insert(insert, catalog, settings, memory)?,
                QueryTag::Insert,
            ),
            Statement::Update(update) => (
                plan::update(update, catalog, settings, memory)?,
                QueryTag::Update,
            ),
            Statement::Delete(delete) => (
                plan::delete(delete, catalog, settings, memory)?,
                QueryTag::Delete,
            ),
            _ => return Err(Error::unsupported("EXPLAIN of this statement")),
        })
    }

    fn run_plan(&mut self, statement: Statement) -> Result<(PlannedExecution, QueryTag)> {
        let begun = self.host.clock.now_ns();
        let (plan, tag) = self.plan(statement)?;
        let planning_ns = self.host.clock.now_ns().saturating_sub(begun);
        let writes = tag != QueryTag::Select;
        Ok((self.execution(plan, planning_ns, writes)?, tag))
    }

    fn execution(
        &mut self,
        plan: Plan,
        planning_ns: u64,
        writes: bool,
    ) -> Result<PlannedExecution> {
        let plan = Rc::new(plan);
        let snapshot = self.transaction.snapshot(writes);
        let history = Rc::clone(self.transaction.history());
        let cx = ExecCx::new(&self.settings, &self.memory, snapshot, history)
            .with_host((self.host.wall_clock)(), self.random.clone());
        let execution = Execution::start(Rc::clone(&plan), cx, Rc::clone(&self.host.clock))?;
        Ok(PlannedExecution {
            plan,
            execution,
            planning_ns,
        })
    }

    fn explain(&mut self, running: &mut Running, explain: Explain) -> Result<()> {
        let Explain { statement, options } = explain;
        if options.analyze {
            let (run, _) = self.run_plan(*statement)?;
            running.columns = vec![query_plan()];
            running.work = Task::Explain { run, options };
            return Ok(());
        }
        let begun = self.host.clock.now_ns();
        let (plan, _) = self.plan(*statement)?;
        let planning_ns = self.host.clock.now_ns().saturating_sub(begun);
        let text = crate::explain::render(&plan, None, planning_ns, &self.settings, &options);
        running.columns = vec![query_plan()];
        running.work = Task::explained(&text, &options, None);
        Ok(())
    }

    /// The new table of CREATE TABLE AS.
    fn table_for(
        &mut self,
        name: &str,
        access_method: Option<&str>,
        given: &RelOptions,
        query: &bind::Query,
    ) -> Result<Rc<Table>> {
        let columns = query
            .columns
            .iter()
            .map(|column| ColumnDef {
                name: Rc::clone(&column.name),
                ty: if column.ty == Type::UNKNOWN {
                    Type::TEXT
                } else {
                    column.ty
                },
                typmod: column.typmod,
                not_null: false,
                default: None,
            })
            .collect();
        let storage = self.storage(access_method, given)?;
        Ok(self.make_table(name.into(), columns, storage))
    }

    fn run_insert(&mut self, table: Rc<Table>, source: bind::Query) -> Result<PlannedExecution> {
        let row = source
            .columns
            .iter()
            .enumerate()
            .map(|(i, c)| bind::Expr::slot(i, c.ty))
            .collect();
        let (run, _) = self.run_plan(Statement::Insert(Insert { table, source, row }))?;
        Ok(run)
    }

    fn vacuum(&mut self, running: &mut Running, vacuum: bind::Vacuum) -> Result<()> {
        let bind::Vacuum {
            mut tables,
            vacuum,
            analyze,
        } = vacuum;
        if vacuum && self.transaction.is_in_block() {
            return Err(Error::new(
                sqlstate::ACTIVE_SQL_TRANSACTION,
                "VACUUM cannot run inside a transaction block",
            ));
        }
        if tables.is_empty() {
            let all = |table: &Rc<Table>| VacuumTable {
                table: Rc::clone(table),
                columns: None,
            };
            tables = self.catalog.tables().map(all).collect();
        }
        let target = self.settings.default_statistics_target();
        let tasks = Tasks { vacuum, analyze };
        running.work = Task::Vacuum(Box::new(Vacuuming::new(
            tables,
            tasks,
            target,
            &self.memory,
        )));
        Ok(())
    }

    fn set_statement(
        &mut self,
        running: &mut Running,
        name: &str,
        value: Option<&str>,
        local: bool,
    ) -> Result<()> {
        if local && !self.transaction.is_in_block() {
            running.warn("SET LOCAL can only be used in transaction blocks");
            self.settings.show(name)?;
            running.done("SET");
            return Ok(());
        }
        if local {
            return Err(Error::unsupported("SET LOCAL inside a transaction block"));
        }
        match value {
            None => {
                self.settings.reset(name)?;
                running.done("RESET");
            }
            Some(value) => {
                if self.settings.set(name, value)? == crate::settings::Effect::Inert {
                    running.notice(&format!("setting \"{name}\" has no effect here"));
                }
                running.done("SET");
            }
        }
        self.memory.set_limit(self.settings.memory_limit());
        Ok(())
    }

    fn show_all(&self, running: &mut Running) {
        let rows = crate::settings::DEFINITIONS
            .iter()
            .filter_map(|definition| {
                let value = self.settings.show(definition.name).ok()?;
                Some(vec![
                    Datum::text(definition.name),
                    Datum::text(value),
                    Datum::text(definition.help),
                ])
            })
            .collect();
        running.lines(&["name", "setting", "description"], rows, "SHOW");
    }
}

const NO_TRANSACTION: &str = "there is no transaction in progress";

fn changes_catalog(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::CreateTable(_)
            | Statement::CreateTableAs { .. }
            | Statement::Drop { .. }
            | Statement::DropFunction { .. }
            | Statement::AlterTableOptions { .. }
            | Statement::Vacuum(_)
    )
}

fn headers(plan: &Plan) -> Vec<ColumnHeader> {
    plan.columns
        .iter()
        .map(|column| ColumnHeader {
            name: column.label.to_string(),
            ty: column.ty,
        })
        .collect()
}

fn query_plan() -> ColumnHeader {
    ColumnHeader {
        name: "QUERY PLAN".to_string(),
        ty: Type::TEXT,
    }
}

impl Running {
    /// Rows of text that are known at once.
    fn lines(&mut self, names: &[&str], rows: Vec<Vec<Datum>>, tag: &str) {
        self.columns = names
            .iter()
            .map(|name| ColumnHeader {
                name: name.to_string(),
                ty: Type::TEXT,
            })
            .collect();
        let types = vec![Type::TEXT; names.len()];
        self.work = Task::Lines {
            rows,
            types,
            tag: tag.to_string(),
            run: None,
        };
    }
}

impl Task {
    /// EXPLAIN's output: a row a line as text, one row as JSON.
    pub(super) fn explained(
        text: &str,
        options: &bind::ExplainOptions,
        run: Option<PlannedExecution>,
    ) -> Task {
        let rows = match options.format {
            bind::Format::Text => text.lines().map(|line| vec![Datum::text(line)]).collect(),
            bind::Format::Json => vec![vec![Datum::text(text)]],
        };
        Task::Lines {
            rows,
            types: vec![Type::TEXT],
            tag: "EXPLAIN".to_string(),
            run,
        }
    }
}
