//! One statement from its text to its end.

use std::rc::Rc;

use super::event::{ColumnHeader, Event, Executed, Finished, Started};
use super::vacuum::{Progress, Vacuuming};
use super::{PlannedExecution, Session, cancel_error};
use crate::bind::ExplainOptions;
use crate::catalog::Catalog;
use crate::error::{Error, Position, Result};
use crate::exec::{Execution, Flow};
use crate::memory::Holding;
use crate::sql::StatementText;
use crate::value::{Datum, Type};

/// A statement that has begun and not yet ended.
pub(super) struct Running {
    statement: usize,
    sql: String,
    start: Position,
    begun_ns: u64,
    pub(super) columns: Vec<ColumnHeader>,
    pub(super) notices: Vec<String>,
    pub(super) work: Task,
    /// Rows handed to the host.
    returned: u64,
    /// The catalog before the statement changed it; a failed one goes back there.
    pub(super) undo: Option<Catalog>,
    /// What its text becomes on the way to a plan.
    pub(super) holding: Holding,
}

/// What is left to do.
///
/// ```text
/// Query ──▶ (rows …) ──▶ Done
/// Explain ──▶ Lines ──▶ Done
/// Vacuum ──▶ Done
/// ```
pub(super) enum Task {
    /// Runs a plan and hands its rows on (a SELECT), or counts what it changed.
    Query {
        run: PlannedExecution,
        tag: QueryTag,
    },
    /// Runs a plan, drops its rows and then shows what it did.
    Explain {
        run: PlannedExecution,
        options: ExplainOptions,
    },
    /// Text lines still to hand on, as rows of one column or more.
    Lines {
        rows: Vec<Vec<Datum>>,
        types: Vec<Type>,
        tag: String,
        run: Option<PlannedExecution>,
    },
    Vacuum(Box<Vacuuming>),
    /// Nothing is left but to say so.
    Done {
        tag: String,
        run: Option<PlannedExecution>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryTag {
    Select,
    Insert,
    Update,
    Delete,
    /// CREATE TABLE AS answers as SELECT does, but returns no rows.
    CreateTableAs,
}

impl QueryTag {
    fn text(self, rows: u64) -> String {
        match self {
            QueryTag::Select | QueryTag::CreateTableAs => format!("SELECT {rows}"),
            QueryTag::Insert => format!("INSERT 0 {rows}"),
            QueryTag::Update => format!("UPDATE {rows}"),
            QueryTag::Delete => format!("DELETE {rows}"),
        }
    }
}

impl Running {
    pub fn new(statement: usize, text: StatementText<'_>, begun_ns: u64, holding: Holding) -> Self {
        Running {
            statement,
            sql: text.text.to_string(),
            start: text.start,
            begun_ns,
            columns: Vec::new(),
            notices: Vec::new(),
            work: Task::Done {
                tag: String::new(),
                run: None,
            },
            returned: 0,
            undo: None,
            holding,
        }
    }

    pub fn started(&self) -> Started {
        Started {
            statement: self.statement,
            columns: self.columns.clone(),
            plan: self.work.run().map(|run| Rc::clone(&run.plan)),
        }
    }

    pub fn notice(&mut self, message: &str) {
        self.notices.push(format!("NOTICE:  {message}"));
    }

    pub fn warn(&mut self, message: &str) {
        self.notices.push(format!("WARNING:  {message}"));
    }

    pub fn execution(&self) -> Option<&Execution> {
        self.work.run().map(|run| &run.execution)
    }
}

impl Task {
    fn run(&self) -> Option<&PlannedExecution> {
        match self {
            Task::Query { run, .. } | Task::Explain { run, .. } => Some(run),
            Task::Lines { run, .. } | Task::Done { run, .. } => run.as_ref(),
            Task::Vacuum(_) => None,
        }
    }

    fn into_run(self) -> Option<PlannedExecution> {
        match self {
            Task::Query { run, .. } | Task::Explain { run, .. } => Some(run),
            Task::Lines { run, .. } | Task::Done { run, .. } => run,
            Task::Vacuum(_) => None,
        }
    }
}

/// What a piece of work came to.
enum Piece {
    Rows(u64),
    Yielded,
    /// The statement has ended with this tag and number of rows.
    Ended {
        tag: String,
        rows: u64,
    },
}

impl Session {
    /// One piece of work on the running statement.
    pub(super) fn advance(&mut self, running: &mut Running) -> Event {
        match self.piece(running) {
            Ok(Piece::Rows(rows)) => {
                running.returned += rows;
                Event::Rows
            }
            Ok(Piece::Yielded) => Event::Yielded,
            Ok(Piece::Ended { tag, rows }) => self.succeed(running, tag, rows),
            Err(error) => self.fail(running, error),
        }
    }

    fn piece(&mut self, running: &mut Running) -> Result<Piece> {
        if self.cancelled {
            return Err(cancel_error(false));
        }
        if let Some(limit) = self.settings.statement_timeout()
            && self.host.clock.now_ns().saturating_sub(running.begun_ns) / 1_000_000 >= limit
        {
            return Err(cancel_error(true));
        }
        match &mut running.work {
            Task::Query { run, tag } => {
                let flow = run.execution.resume(&mut self.rows)?;
                Ok(match flow {
                    Flow::Rows => Piece::Rows(self.rows.len() as u64),
                    Flow::Yield => Piece::Yielded,
                    Flow::End => {
                        let rows = match tag {
                            QueryTag::Select => running.returned,
                            _ => run.execution.modified_rows(),
                        };
                        Piece::Ended {
                            tag: tag.text(rows),
                            rows,
                        }
                    }
                })
            }
            Task::Explain { run, .. } => {
                if run.execution.resume(&mut self.rows)? != Flow::End {
                    return Ok(Piece::Yielded);
                }
                let done = Task::Done {
                    tag: String::new(),
                    run: None,
                };
                if let Task::Explain { run, options } = std::mem::replace(&mut running.work, done) {
                    let executed = self.executed(&run);
                    running.work =
                        Task::explained(&executed.explain(&options), &options, Some(run));
                }
                Ok(Piece::Yielded)
            }
            Task::Lines {
                rows,
                types,
                tag,
                run,
            } => {
                self.rows.reset(types, rows.len());
                for row in rows.iter() {
                    self.rows.push_row(row);
                }
                running.work = Task::Done {
                    tag: std::mem::take(tag),
                    run: run.take(),
                };
                if self.rows.is_empty() {
                    Ok(Piece::Yielded)
                } else {
                    Ok(Piece::Rows(self.rows.len() as u64))
                }
            }
            Task::Vacuum(vacuum) => {
                let snapshot = self.transaction.snapshot(false);
                let transactions = Rc::clone(self.transaction.history());
                Ok(match vacuum.advance(snapshot, &transactions)? {
                    Progress::Paused => Piece::Yielded,
                    Progress::Learned(table) => {
                        self.catalog.put_table(table);
                        Piece::Yielded
                    }
                    Progress::Done => Piece::Ended {
                        tag: vacuum.tag().to_string(),
                        rows: 0,
                    },
                })
            }
            Task::Done { tag, .. } => Ok(Piece::Ended {
                tag: std::mem::take(tag),
                rows: running.returned,
            }),
        }
    }

    fn succeed(&mut self, running: &mut Running, tag: String, rows: u64) -> Event {
        let executed = self.end_execution(running);
        self.transaction.end_statement();
        Event::Finished(Box::new(self.finished(
            running,
            Some(tag),
            rows,
            None,
            executed,
        )))
    }

    pub(super) fn fail(&mut self, running: &mut Running, error: Error) -> Event {
        let executed = self.end_execution(running);
        self.transaction.fail_statement();
        if let Some(catalog) = running
            .undo
            .take()
            .filter(|_| !self.transaction.is_in_block())
        {
            self.catalog.restore(catalog);
        }
        self.settle_relations();
        let rows = running.returned;
        Event::Finished(Box::new(self.finished(
            running,
            None,
            rows,
            Some(error),
            executed,
        )))
    }

    /// After a rollback: the memory that only the rolled back transaction could reach is given back.
    pub(super) fn settle_relations(&self) {
        if !self.transaction.is_in_block() {
            for table in self.catalog.tables() {
                table.storage.settle(self.transaction.history());
            }
        }
    }

    /// Takes the execution apart: its report stays, its memory is given back.
    fn end_execution(&mut self, running: &mut Running) -> Option<Executed> {
        let done = Task::Done {
            tag: String::new(),
            run: None,
        };
        let run = std::mem::replace(&mut running.work, done).into_run()?;
        let executed = self.executed(&run);
        self.random = run.execution.context().random.clone();
        Some(executed)
    }

    fn executed(&self, run: &PlannedExecution) -> Executed {
        Executed {
            plan: Rc::clone(&run.plan),
            report: run.execution.report(),
            planning_ns: run.planning_ns,
            settings: self.settings.clone(),
        }
    }

    fn finished(
        &self,
        running: &mut Running,
        tag: Option<String>,
        rows: u64,
        error: Option<Error>,
        executed: Option<Executed>,
    ) -> Finished {
        Finished {
            statement: running.statement,
            sql: std::mem::take(&mut running.sql),
            start: running.start,
            tag,
            columns: std::mem::take(&mut running.columns),
            rows,
            error,
            notices: std::mem::take(&mut running.notices),
            executed,
            elapsed_ns: self.host.clock.now_ns().saturating_sub(running.begun_ns),
        }
    }
}
