//! Tuplescope's engine: SQL text in; rows and the counters of every plan node out.
//!
//! # The life of a query
//!
//! A host (the native shell, the page's worker) holds a [`session::Session`] and gives it a script with
//! [`start`](session::Session::start). Each [`resume`](session::Session::resume) does one bounded piece
//! of work and says by an [`Event`](session::Event) what came of it.
//!
//! 1. [`sql::Script`] cuts the script into statements, one at a time; [`sql::parse_statement`] makes a
//!    syntax tree of the next one, every node with its place in the script.
//! 2. [`bind::bind`] resolves names and types against the [`catalog::Catalog`] and writes implicit casts
//!    out: from here on an expression is a [`bind::Expr`] and nothing is looked up by name again.
//! 3. [`plan::query`] and its siblings choose nodes, an order and, for every table scan, which conditions
//!    become [`ScanKey`](am::ScanKey)s: a [`plan::Plan`], which is data and is never consumed.
//! 4. [`exec::Execution`] builds operators from the plan. Their expressions are compiled to
//!    [`expr::Program`]s over column vectors. A driver, pull or push, steps the operators; rows travel as
//!    [`value::Batch`]es.
//! 5. At the bottom a [`am::TableScan`] reads the pages of a [`am::Relation`] ([`storage`]), shows the
//!    snapshot's tuples only, tests the keys, and fills a batch with the columns asked for.
//! 6. What every node did is counted in [`instr`]; [`explain::render`] writes plan and counters in
//!    PostgreSQL's words.
//!
//! Errors are [`error::Error`]s with PostgreSQL's SQLSTATE. Memory is taken from one
//! [`memory::Memory`] budget. Work is counted by [`work::Work`] and never timed, so counters are the
//! same on every machine.

pub mod am;
pub mod bind;
pub mod catalog;
pub mod error;
pub mod exec;
pub mod explain;
pub mod expr;
pub mod instr;
pub mod memory;
pub mod plan;
pub mod session;
pub mod settings;
pub mod sql;
pub mod storage;
pub mod value;
pub mod work;
