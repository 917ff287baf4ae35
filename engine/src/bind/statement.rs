//! Bound statements: what a session executes.

use std::rc::Rc;

use super::expr::Expr;
use super::query::Query;
use crate::catalog::{ColumnDef, FunctionFacts, OperatorFacts, Table, View};

#[derive(Debug)]
pub enum Statement {
    Query(Query),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
    Explain(Explain),
    CreateTable(CreateTable),
    /// The columns are those of the query.
    CreateTableAs {
        name: String,
        if_not_exists: bool,
        /// None: the default one.
        access_method: Option<String>,
        options: RelOptions,
        query: Query,
    },
    CreateView {
        name: String,
        or_replace: bool,
        view: View,
    },
    CreateFunction {
        or_replace: bool,
        function: FunctionFacts,
    },
    CreateOperator(OperatorFacts),
    Drop {
        kind: ObjectKind,
        names: Vec<String>,
        if_exists: bool,
        cascade: bool,
    },
    DropFunction {
        functions: Vec<FunctionFacts>,
    },
    DropOperator {
        operators: Vec<OperatorFacts>,
    },
    /// `None` resets the option.
    AlterTableOptions {
        table: Rc<Table>,
        options: Vec<(String, Option<String>)>,
    },
    Truncate(Vec<Rc<Table>>),
    Vacuum(Vacuum),
    /// `value` `None`: SET … TO DEFAULT or RESET.
    Set {
        name: String,
        value: Option<String>,
        local: bool,
    },
    ResetAll,
    Show(String),
    ShowAll,
    Begin,
    Commit,
    Rollback,
}

/// VACUUM, ANALYZE, or both.
#[derive(Debug)]
pub struct Vacuum {
    /// None: all of them.
    pub tables: Vec<VacuumTable>,
    pub vacuum: bool,
    pub analyze: bool,
}

#[derive(Debug)]
pub struct VacuumTable {
    pub table: Rc<Table>,
    /// The columns to analyze; `None`: all of them.
    pub columns: Option<Vec<usize>>,
}

/// Options as written: `WITH (quals_push_down = on)`; the catalog checks names and values.
pub type RelOptions = Vec<(String, String)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Table,
    View,
}

/// `source` gives rows; `row` makes a whole table row of each (casts, defaults), its `Slot`s being
/// the source's columns.
#[derive(Debug)]
pub struct Insert {
    pub table: Rc<Table>,
    pub source: Query,
    pub row: Vec<Expr>,
}

/// `source` is a SELECT whose range entry 0 is the table; its targets are the new row, one a column.
#[derive(Debug)]
pub struct Update {
    pub table: Rc<Table>,
    pub source: Query,
}

/// `source` is a SELECT whose range entry 0 is the table; it has no targets.
#[derive(Debug)]
pub struct Delete {
    pub table: Rc<Table>,
    pub source: Query,
}

#[derive(Debug)]
pub struct Explain {
    pub statement: Box<Statement>,
    pub options: ExplainOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplainOptions {
    pub analyze: bool,
    pub verbose: bool,
    pub costs: bool,
    pub settings: bool,
    pub buffers: bool,
    /// `None`: on with ANALYZE.
    pub timing: Option<bool>,
    /// `None`: on with ANALYZE.
    pub summary: Option<bool>,
    pub format: Format,
}

#[derive(Debug)]
pub struct CreateTable {
    pub name: String,
    pub if_not_exists: bool,
    pub columns: Vec<ColumnDef>,
    /// None: the default one.
    pub access_method: Option<String>,
    pub options: RelOptions,
}
