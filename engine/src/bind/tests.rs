//! Parse analysis compared with PostgreSQL 15's: columns, types, errors and their places.

mod forms;
mod show;

use std::rc::Rc;

use super::{Statement, bind};
use crate::am::heap::Heap;
use crate::am::{RowShape, TableAm};
use crate::catalog::{Catalog, Table, TableOptions};
use crate::error::Result;
use crate::memory::Memory;
use crate::sql::{Script, parse_statement};
use crate::value::{Base, Type};

const SETUP: &str = include_str!("tests/setup.sql");
/// Statements with the columns PostgreSQL describes, or its error and where it points.
const DESCRIBED: &str = include_str!("tests/described.txt");

fn bind_one(catalog: &Catalog, sql: &str) -> Result<Statement> {
    let statement = Script::new(sql).next().expect("a statement");
    bind(catalog, &parse_statement(statement)?)
}

/// Runs the definitions of a script, which need no rows.
fn define(catalog: &mut Catalog, script: &str) {
    for statement in Script::new(script) {
        let parsed = parse_statement(statement).expect(statement.text);
        let bound = bind(catalog, &parsed).expect(statement.text);
        match bound {
            Statement::CreateTable(create) => {
                let am: Rc<dyn TableAm> = Rc::new(Heap);
                let columns = create.columns.iter().map(|column| column.ty).collect();
                let shape = Rc::new(RowShape {
                    columns,
                    fill_factor: 100,
                });
                let table = Table {
                    oid: catalog.new_oid(),
                    name: Rc::from(create.name.as_str()),
                    columns: create.columns,
                    storage: am.create(shape, &Memory::with_limit(1 << 30)),
                    am,
                    options: TableOptions::default(),
                    statistics: None,
                };
                catalog.put_table(Rc::new(table));
            }
            Statement::CreateView { view, .. } => catalog.put_view(Rc::new(view)),
            Statement::CreateFunction { function, .. } => catalog.put_function(Rc::new(function)),
            Statement::CreateOperator(operator) => catalog.put_operator(Rc::new(operator)),
            other => panic!("{other:?}"),
        }
    }
}

fn catalog() -> Catalog {
    let mut catalog = Catalog::new(vec![Rc::new(Heap)]);
    define(&mut catalog, SETUP);
    catalog
}

/// `format_type(type, typmod)`
fn type_name(ty: Type, typmod: i32) -> String {
    let modifier = match ty.base {
        Base::Numeric if typmod >= 4 => {
            format!("({},{})", (typmod - 4) >> 16, (typmod - 4) & 0x7ff)
        }
        Base::Varchar if typmod >= 4 => format!("({})", typmod - 4),
        _ => String::new(),
    };
    let name = format!("{}{modifier}", ty.element().name());
    if ty.array { format!("{name}[]") } else { name }
}

fn described(statement: Result<Statement>) -> String {
    match statement {
        Ok(Statement::Query(query)) => {
            let column = |column: &super::ResultColumn| {
                format!("{} {}", column.name, type_name(column.ty, column.typmod))
            };
            let columns: Vec<String> = query.columns.iter().map(column).collect();
            if columns.is_empty() {
                "-".to_string()
            } else {
                columns.join(", ")
            }
        }
        Ok(_) => "-".to_string(),
        Err(error) => {
            let at = error
                .position
                .map(|at| format!(" at {}", at.column))
                .unwrap_or_default();
            format!("{}: {}{at}", error.sqlstate, error.message)
        }
    }
}

#[test]
fn statements_are_described_as_by_postgresql() {
    let catalog = catalog();
    let mut wrong = Vec::new();
    let mut lines = DESCRIBED.lines();
    while let (Some(sql), Some(expected)) = (lines.next(), lines.next()) {
        let expected = expected.trim_start_matches("=> ");
        let found = described(bind_one(&catalog, sql));
        if found != expected {
            wrong.push(format!("{sql}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Everything the parser lets through can be bound and dropped on a browser's stack.
#[test]
fn deep_statements_bind_on_a_small_stack() {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        let catalog = catalog();
        for n in [30, 60, 90, 150, 190, 245] {
            let times = |part: &str| part.repeat(n);
            for sql in [
                format!("SELECT 1{}", times(" + 1")),
                format!("SELECT x{} FROM t", times(" || 'a'")),
                format!("SELECT {}1{}", times("("), times(")")),
                format!("SELECT {}true", times("NOT ")),
                format!("SELECT {}i FROM t", times("- ")),
                format!("SELECT i{} FROM t", times("::int")),
                format!("SELECT {}1{}", times("CASE WHEN true THEN "), times(" END")),
                format!("SELECT {}1{}", times("abs("), times(")")),
                format!("SELECT {}1{}", times("(SELECT "), times(")")),
                format!(
                    "SELECT * FROM {}u{}",
                    times("(SELECT * FROM "),
                    times(") q")
                ),
                format!("SELECT 1{}", times(" UNION ALL SELECT 1")),
                format!("SELECT 1{}", times(" UNION SELECT 1")),
                format!("SELECT 1 FROM u{}", times(" CROSS JOIN (SELECT 1) q")),
                format!("SELECT {}true{}", times("true AND (false OR "), times(")")),
                format!("SELECT i{} FROM t", times(" IS NULL")),
                format!(
                    "SELECT i FROM t WHERE {}true{}",
                    times("EXISTS (SELECT 1 WHERE "),
                    times(")")
                ),
            ] {
                if let Ok(parsed) = parse_statement(Script::new(&sql).next().expect("one")) {
                    let _ = bind(&catalog, &parsed);
                }
            }
        }
    });
    thread.expect("a thread").join().expect("no overflow");
}

#[test]
fn long_lists_are_bound() {
    let catalog = catalog();
    let numbers = ", 1".repeat(10_000);
    for sql in [
        format!("SELECT i IN (0{numbers}) FROM t"),
        format!(
            "INSERT INTO u (i, j) VALUES (0, 0){}",
            ", (1, '2')".repeat(10_000)
        ),
        format!("VALUES (0){}", ", (1.5)".repeat(10_000)),
        format!("SELECT i = 0{} FROM t", " OR i = 1".repeat(10_000)),
    ] {
        assert!(bind_one(&catalog, &sql).is_ok(), "{}", &sql[..40]);
    }
}
