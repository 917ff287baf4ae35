//! What a session tells its host while a script runs.

use std::rc::Rc;

use crate::bind::ExplainOptions;
use crate::error::{Error, Position};
use crate::explain;
use crate::instr::Report;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::value::Type;

/// The outcome of one bounded piece of work; says what the host does next.
#[derive(Debug)]
pub enum Event {
    /// A statement that gives rows or runs a plan has begun: its columns are known.
    Started(Started),
    /// Take [`super::Session::rows`], then resume.
    Rows,
    /// Nothing to take; resume when there is time.
    Yielded,
    /// A statement has ended, well or badly; the script goes on unless the host stops it.
    Finished(Box<Finished>),
    /// The script is at its end.
    End,
}

#[derive(Debug)]
pub struct Started {
    /// Which statement of the script, from 0.
    pub statement: usize,
    pub columns: Vec<ColumnHeader>,
    /// The plan that will be run, if any.
    pub plan: Option<Rc<Plan>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnHeader {
    pub name: String,
    pub ty: Type,
}

#[derive(Debug)]
pub struct Finished {
    pub statement: usize,
    /// The statement's own text and where it stands in the script.
    pub sql: String,
    pub start: Position,
    /// PostgreSQL's command tag; `None` after an error.
    pub tag: Option<String>,
    pub columns: Vec<ColumnHeader>,
    /// Rows returned, or changed.
    pub rows: u64,
    pub error: Option<Error>,
    pub notices: Vec<String>,
    /// The plan and what its nodes did, also where an error ended it.
    pub executed: Option<Executed>,
    pub elapsed_ns: u64,
}

/// A plan that was run, with its counters.
#[derive(Debug)]
pub struct Executed {
    pub plan: Rc<Plan>,
    pub report: Report,
    pub planning_ns: u64,
    /// As they were when it ran.
    pub settings: Settings,
}

impl Executed {
    /// EXPLAIN (ANALYZE)'s output, in the format that the options name.
    pub fn explain(&self, options: &ExplainOptions) -> String {
        explain::render(
            &self.plan,
            Some(&self.report),
            self.planning_ns,
            &self.settings,
            options,
        )
    }
}
