//! Plans of SQL text, as EXPLAIN shows them.

mod barriers;
mod costs;
mod layout;
mod postgresql;
mod push_down;

use std::rc::Rc;

use super::render;
use crate::am::heap::Heap;
use crate::am::{AmCtx, Relation, RelationSize, RowShape, ScanSpec, TableAm, TableScan, Tid};
use crate::bind::{Explain, ExplainOptions, Format, Statement, bind};
use crate::catalog::{Catalog, Table, TableOptions, TableStatistics};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::plan::{self, Plan};
use crate::settings::{Settings, parse_bool};
use crate::sql::{Script, parse_statement};
use crate::storage::Transactions;
use crate::value::{Batch, Rows};

/// A catalog of empty tables, and settings.
struct Database {
    catalog: Catalog,
    settings: Settings,
}

impl Database {
    fn with(script: &str) -> Self {
        let mut database = Database {
            catalog: Catalog::new(vec![Rc::new(Heap)]),
            settings: Settings::default(),
        };
        database.run(script);
        database
    }

    /// Runs definitions and SETs.
    fn run(&mut self, script: &str) {
        for statement in Script::new(script) {
            let parsed = parse_statement(statement).expect(statement.text);
            match bind(&self.catalog, &parsed).expect(statement.text) {
                Statement::CreateTable(create) => {
                    let am: Rc<dyn TableAm> = Rc::new(Heap);
                    let columns = create.columns.iter().map(|column| column.ty).collect();
                    let shape = Rc::new(RowShape {
                        columns,
                        fill_factor: 100,
                    });
                    let option = create
                        .options
                        .iter()
                        .find(|(name, _)| name == "quals_push_down");
                    let table = Table {
                        oid: self.catalog.new_oid(),
                        name: create.name.as_str().into(),
                        columns: create.columns,
                        storage: am.create(shape, &Memory::with_limit(1 << 30)),
                        am,
                        statistics: None,
                        options: TableOptions {
                            quals_push_down: option.and_then(|(_, value)| parse_bool(value)),
                            ..TableOptions::default()
                        },
                    };
                    self.catalog.put_table(Rc::new(table));
                }
                Statement::CreateView { view, .. } => self.catalog.put_view(Rc::new(view)),
                Statement::CreateFunction { function, .. } => {
                    self.catalog.put_function(Rc::new(function))
                }
                Statement::CreateOperator(operator) => self.catalog.put_operator(Rc::new(operator)),
                Statement::Set {
                    name,
                    value: Some(value),
                    ..
                } => {
                    self.settings.set(&name, &value).expect(statement.text);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn bound(&self, sql: &str) -> Result<Statement> {
        let statement = Script::new(sql).next().expect("a statement");
        bind(&self.catalog, &parse_statement(statement)?)
    }

    fn plan(&self, statement: Statement) -> Result<Plan> {
        let memory = Memory::with_limit(self.settings.memory_limit());
        match statement {
            Statement::Query(query) => plan::query(query, &self.catalog, &self.settings, &memory),
            Statement::Insert(insert) => {
                plan::insert(insert, &self.catalog, &self.settings, &memory)
            }
            Statement::Update(update) => {
                plan::update(update, &self.catalog, &self.settings, &memory)
            }
            Statement::Delete(delete) => {
                plan::delete(delete, &self.catalog, &self.settings, &memory)
            }
            Statement::Explain(Explain { statement, .. }) => self.plan(*statement),
            other => panic!("{other:?}"),
        }
    }

    fn explain(&self, sql: &str, options: &ExplainOptions) -> String {
        match self.bound(sql).and_then(|statement| self.plan(statement)) {
            Ok(plan) => render(&plan, None, 0, &self.settings, options),
            Err(error) => error.to_string(),
        }
    }

    /// EXPLAIN (COSTS OFF).
    fn shape(&self, sql: &str) -> String {
        self.explain(sql, &without_costs())
    }
}

fn without_costs() -> ExplainOptions {
    ExplainOptions {
        analyze: false,
        verbose: false,
        costs: false,
        settings: false,
        buffers: false,
        timing: None,
        summary: None,
        format: Format::Text,
    }
}

/// A relation that only tells its size.
struct Sized {
    shape: Rc<RowShape>,
    size: RelationSize,
}

impl Relation for Sized {
    fn settle(&self, _: &Transactions) {}

    fn shape(&self) -> &Rc<RowShape> {
        &self.shape
    }

    fn begin_scan(self: Rc<Self>, _: ScanSpec) -> Result<Box<dyn TableScan>> {
        Err(Error::unsupported("a scan"))
    }

    fn insert(&self, _: &mut AmCtx<'_>, _: &Batch, _: Rows<'_>) -> Result<()> {
        Err(Error::unsupported("an insert"))
    }

    fn delete(&self, _: &mut AmCtx<'_>, _: Tid) -> Result<bool> {
        Err(Error::unsupported("a delete"))
    }

    fn update(&self, _: &mut AmCtx<'_>, _: Tid, _: &Batch, _: usize) -> Result<bool> {
        Err(Error::unsupported("an update"))
    }

    fn fetch(&self, _: &mut AmCtx<'_>, _: Tid, _: &[usize], _: &mut Batch) -> Result<bool> {
        Err(Error::unsupported("a fetch"))
    }

    fn vacuum(&self, _: &mut AmCtx<'_>, _: u32) -> Result<Option<u32>> {
        Err(Error::unsupported("a vacuum"))
    }

    fn size(&self) -> RelationSize {
        self.size
    }
}

impl Database {
    /// Pretends that a table has so many pages and rows.
    fn resize(&mut self, table: &str, pages: u32, rows: u64) {
        let table = Rc::clone(self.catalog.table(table).expect("a table"));
        let size = RelationSize {
            pages,
            rows,
            bytes: u64::from(pages) * 8192,
        };
        let shape = Rc::clone(table.storage.shape());
        self.catalog.put_table(Rc::new(Table {
            storage: Rc::new(Sized { shape, size }),
            statistics: Some(Rc::new(TableStatistics {
                pages,
                rows: rows as f64,
                columns: Vec::new(),
            })),
            ..(*table).clone()
        }));
    }
}
