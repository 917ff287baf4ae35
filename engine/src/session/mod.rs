//! A session: text in, events out. A script is cut into statements; each is bound, planned and run in
//! bounded pieces of work, so that the host can show progress, cancel, and keep its page alive.
//!
//! ```text
//! start(script) ─▶ resume() ─▶ Started ─▶ Rows … Yielded … ─▶ Finished ─▶ Started … ─▶ End
//! ```

mod analyze;
mod begin;
mod ddl;
mod event;
mod host;
mod options;
mod statement;
mod transaction;
mod vacuum;

#[cfg(test)]
mod tests;

use std::rc::Rc;

pub use event::{ColumnHeader, Event, Executed, Finished, Started};
pub use host::Host;

use crate::am::TableAm;
use crate::am::columnar::Columnar;
use crate::am::heap::Heap;
use crate::catalog::Catalog;
use crate::error::{Error, Position, Result, sqlstate};
use crate::exec::Execution;
use crate::expr::Random;
use crate::instr::Report;
use crate::memory::Memory;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::sql::Script;
use crate::value::Batch;
use statement::Running;
use transaction::TransactionState;

/// One database and one user of it. Nothing outlives the session but what the host keeps.
pub struct Session {
    host: Host,
    catalog: Catalog,
    settings: Settings,
    transaction: TransactionState,
    memory: Memory,
    random: Random,
    script: Option<RunningScript>,
    /// The rows that an [`Event::Rows`] speaks of.
    rows: Batch,
    cancelled: bool,
}

/// A script between `start` and its end.
struct RunningScript {
    text: Rc<str>,
    /// Bytes that have been cut off as statements.
    consumed: usize,
    /// Where the rest begins.
    position: Position,
    statement: usize,
    running: Option<Running>,
}

/// What can be seen of a statement while it runs.
#[derive(Debug)]
pub struct Live {
    pub statement: usize,
    /// Of the current pipeline, 0 to 1, where its length is known.
    pub progress: Option<f64>,
    pub report: Report,
}

impl Session {
    pub fn new(host: Host) -> Self {
        let settings = Settings::default();
        let heap: Rc<dyn TableAm> = Rc::new(Heap);
        Session {
            memory: Memory::with_limit(settings.memory_limit()),
            random: Random::from_seed(host.seed),
            host,
            catalog: Catalog::new(vec![heap, Rc::new(Columnar)]),
            settings,
            transaction: TransactionState::default(),
            script: None,
            rows: Batch::default(),
            cancelled: false,
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Sets a setting for the session, as SET does. Errors: 42704, 22023.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        self.settings.set(name, value)?;
        self.memory.set_limit(self.settings.memory_limit());
        Ok(())
    }

    /// All settings at once: how a host lends settings to one call and takes them back.
    pub fn replace_settings(&mut self, settings: Settings) -> Settings {
        let before = std::mem::replace(&mut self.settings, settings);
        self.memory.set_limit(self.settings.memory_limit());
        before
    }

    /// Begins a script; one that was still running is dropped and its open statement undone.
    pub fn start(&mut self, script: &str) {
        self.stop();
        self.cancelled = false;
        self.script = Some(RunningScript {
            text: script.into(),
            consumed: 0,
            position: Position { line: 1, column: 1 },
            statement: 0,
            running: None,
        });
    }

    /// Ends the script where it is, for a host that stops at the first error.
    pub fn stop(&mut self) {
        if let Some(script) = self.script.take()
            && script.running.is_some()
        {
            drop(script);
            self.transaction.fail_statement();
            self.settle_relations();
        }
    }

    /// Asks the running statement to end with 57014; it does at the next `resume`.
    pub fn cancel(&mut self) {
        self.cancelled = self
            .script
            .as_ref()
            .is_some_and(|script| script.running.is_some());
    }

    /// The rows of the last [`Event::Rows`].
    pub fn rows(&self) -> &Batch {
        &self.rows
    }

    /// The running statement's counters so far.
    pub fn live(&self) -> Option<Live> {
        let script = self.script.as_ref()?;
        let execution = script.running.as_ref()?.execution()?;
        Some(Live {
            statement: script.statement,
            progress: execution.progress(),
            report: execution.report(),
        })
    }

    /// Does one bounded piece of work, about a millisecond.
    pub fn resume(&mut self) -> Event {
        let Some(mut script) = self.script.take() else {
            return Event::End;
        };
        let event = match script.running.take() {
            Some(mut running) => {
                let event = self.advance(&mut running);
                if !matches!(event, Event::Finished(_)) {
                    script.running = Some(running);
                }
                event
            }
            None => match self.next_statement(&mut script) {
                Some(event) => event,
                None => return Event::End,
            },
        };
        if matches!(event, Event::Finished(_)) {
            script.statement += 1;
            self.cancelled = false;
        }
        self.script = Some(script);
        event
    }

    fn next_statement(&mut self, script: &mut RunningScript) -> Option<Event> {
        let text = Rc::clone(&script.text);
        let mut rest = Script::starting_at(&text[script.consumed..], script.position);
        let statement = rest.next()?;
        script.consumed += rest.consumed();
        script.position = rest.position();
        let (begun_ns, holding) = (self.host.clock.now_ns(), self.memory.holding());
        let mut running = Running::new(script.statement, statement, begun_ns, holding);
        match self.begin(&mut running, statement) {
            Ok(()) => {
                let started = running.started();
                script.running = Some(running);
                Some(Event::Started(started))
            }
            Err(error) => Some(self.fail(&mut running, error)),
        }
    }
}

/// The reasons for which a statement is stopped from outside.
fn cancel_error(by_timeout: bool) -> Error {
    let reason = if by_timeout {
        "statement timeout"
    } else {
        "user request"
    };
    Error::new(
        sqlstate::QUERY_CANCELED,
        format!("canceling statement due to {reason}"),
    )
}

/// An execution with the plan it runs.
struct PlannedExecution {
    plan: Rc<Plan>,
    execution: Execution,
    planning_ns: u64,
}
