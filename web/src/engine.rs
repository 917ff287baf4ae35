//! The class that the page's worker holds: a session, driven in slices.

use std::collections::VecDeque;
use std::rc::Rc;

use engine::bind::{ExplainOptions, Format};
use engine::error::Error;
use engine::explain;
use engine::instr::{COUNTER_NAMES, Clock};
use engine::plan::{NodeId, Plan};
use engine::session::{ColumnHeader, Event as SessionEvent, Finished, Host, Session};
use engine::settings::Settings;
use engine::value::Batch;
use engine::value::text::write_value;
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::clock::{PerformanceClock, wall_clock};
use crate::messages::{Column, Event, Notice, Progress, Rows, Statement, StatementError, Table};
use crate::{panic, settings};

const NS_PER_MS: f64 = 1e6;
/// Rows gathered before they are handed over: one crossing for many small batches.
const ROWS_PER_EVENT: usize = 4096;
/// Pieces of work between two looks at the clock; a piece of some rows is short.
const PIECES_PER_LOOK: u32 = 16;

/// How every run shows its plan, without anybody writing EXPLAIN.
const JSON: ExplainOptions = ExplainOptions {
    analyze: true,
    verbose: false,
    costs: true,
    settings: true,
    buffers: false,
    timing: None,
    summary: None,
    format: Format::Json,
};
const TEXT: ExplainOptions = ExplainOptions {
    format: Format::Text,
    ..JSON
};
/// The shape of a plan that has not been run.
const SHAPE: ExplainOptions = ExplainOptions {
    analyze: false,
    ..JSON
};

/// One database and the script that runs in it.
#[wasm_bindgen]
pub struct Engine {
    clock: Rc<PerformanceClock>,
    session: Session,
    /// What the page has not taken yet.
    queue: VecDeque<Event>,
    lent: Vec<Lent>,
    statement: u32,
    begun_ns: u64,
    /// The running plan, until its shape has been told.
    plan: Option<Rc<Plan>>,
    /// The running plan's nodes as EXPLAIN prints them.
    order: Vec<NodeId>,
    /// Columns of the running statement, until its first rows have been told.
    columns: Option<Vec<Column>>,
    rows: Vec<Vec<Option<String>>>,
    kept: usize,
    keep_rows: usize,
    /// The script is to end with the statement that runs.
    cancelled: bool,
}

/// A setting that holds for one script.
struct Lent {
    name: String,
    /// As SHOW prints it during the script, unless the script itself changes it.
    during: String,
    before: String,
}

#[wasm_bindgen]
impl Engine {
    /// An engine with an empty database; watches the clock for a few of its steps.
    #[wasm_bindgen(constructor)]
    #[expect(
        clippy::new_without_default,
        reason = "JavaScript's constructor, which starts a clock"
    )]
    pub fn new() -> Engine {
        panic::keep_last_words();
        let clock = Rc::new(PerformanceClock::start());
        Engine {
            session: session(&clock),
            clock,
            queue: VecDeque::new(),
            lent: Vec::new(),
            statement: 0,
            begun_ns: 0,
            plan: None,
            order: Vec::new(),
            columns: None,
            rows: Vec::new(),
            kept: 0,
            keep_rows: 0,
            cancelled: false,
        }
    }

    pub fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_string()
    }

    /// The settings with the session's values: `Setting[]`.
    pub fn settings_table(&self) -> JsValue {
        to_js(&settings::table(self.session.settings()))
    }

    /// The session's tables in the order of their names: `Table[]`.
    pub fn tables(&self) -> JsValue {
        let mut tables: Vec<Table> = self
            .session
            .catalog()
            .tables()
            .map(|table| Table {
                name: table.name.to_string(),
                columns: table
                    .columns
                    .iter()
                    .map(|column| Column {
                        name: column.name.to_string(),
                        type_name: column.ty.name(),
                    })
                    .collect(),
                quals_push_down: table.options.quals_push_down,
            })
            .collect();
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        to_js(&tables)
    }

    /// What the numbers of `Progress.counters` are, in order, for each node.
    pub fn counter_names(&self) -> Vec<String> {
        COUNTER_NAMES.iter().map(|name| name.to_string()).collect()
    }

    /// The smallest step of the clock, in milliseconds.
    pub fn clock_step_ms(&self) -> f64 {
        self.clock.step_ns() as f64 / NS_PER_MS
    }

    /// Begins a script. `settings` is a list of names and values that hold for this script only; of each
    /// statement's rows the first `keep_rows` are told and the rest counted.
    ///
    /// Throws a text when a setting is refused.
    pub fn start(
        &mut self,
        script: &str,
        settings: JsValue,
        keep_rows: u32,
    ) -> Result<(), JsValue> {
        self.abandon();
        let settings: Vec<(String, String)> =
            serde_wasm_bindgen::from_value(settings).map_err(|error| error.to_string())?;
        for (name, value) in settings {
            if let Err(message) = self.lend(name, &value) {
                self.take_back();
                return Err(message.into());
            }
        }
        self.keep_rows = keep_rows as usize;
        self.session.start(script);
        Ok(())
    }

    /// Works for about `slice_ms` milliseconds, or until there is something to tell: an `Event`.
    pub fn resume(&mut self, slice_ms: f64) -> JsValue {
        let until = self.clock.now_ns() + (slice_ms * NS_PER_MS) as u64;
        let mut pieces = 0;
        loop {
            if let Some(event) = self.queue.pop_front() {
                return to_js(&event);
            }
            if self.cancelled {
                self.session.cancel();
            }
            match self.session.resume() {
                SessionEvent::Started(started) => {
                    self.statement = started.statement as u32;
                    self.begun_ns = self.clock.now_ns();
                    self.order = started
                        .plan
                        .as_deref()
                        .map_or_else(Vec::new, explain::printed_order);
                    self.plan = started.plan;
                    self.columns = Some(columns(&started.columns));
                    self.kept = 0;
                }
                SessionEvent::Rows => self.take_rows(),
                SessionEvent::Yielded => pieces = 0,
                SessionEvent::Finished(finished) => {
                    self.hand_over_rows();
                    self.queue
                        .push_back(Event::Statement(Box::new(statement(*finished))));
                    self.plan = None;
                    self.columns = None;
                    if self.cancelled {
                        self.session.stop();
                    }
                    continue;
                }
                SessionEvent::End => {
                    self.take_back();
                    self.queue.push_back(Event::Done);
                    continue;
                }
            }
            if pieces == 0 {
                pieces = PIECES_PER_LOOK;
                if self.clock.now_ns() >= until {
                    self.hand_over_rows();
                    let progress = self.progress();
                    self.queue.push_back(Event::Progress(progress));
                }
            }
            pieces -= 1;
        }
    }

    /// Asks the running statement to end with 57014, and the script with it.
    pub fn cancel(&mut self) {
        self.cancelled = true;
    }

    /// A fresh database, with every setting at its default.
    pub fn reset(&mut self) {
        self.abandon();
        self.session = session(&self.clock);
    }
}

impl Engine {
    /// Forgets a script that was not run to its end.
    fn abandon(&mut self) {
        self.session.stop();
        self.cancelled = false;
        self.take_back();
        self.queue.clear();
        self.rows.clear();
        self.plan = None;
        self.columns = None;
    }

    fn lend(&mut self, name: String, value: &str) -> Result<(), String> {
        let show = |settings: &Settings| {
            settings
                .show(&name)
                .map_err(|error| error.into_data().message)
        };
        let before = show(self.session.settings())?;
        self.session
            .set(&name, value)
            .map_err(|error| error.into_data().message)?;
        let during = show(self.session.settings())?;
        self.lent.push(Lent {
            name,
            during,
            before,
        });
        Ok(())
    }

    /// Gives lent settings their old values; one that the script has changed itself stays changed.
    fn take_back(&mut self) {
        for Lent {
            name,
            during,
            before,
        } in std::mem::take(&mut self.lent).into_iter().rev()
        {
            if self.session.settings().show(&name).as_ref() == Ok(&during) {
                // SHOW's text of a value is always accepted by SET.
                let _ = self.session.set(&name, &before);
            }
        }
    }

    fn take_rows(&mut self) {
        let batch = self.session.rows();
        let wanted = batch.len().min(self.keep_rows - self.kept);
        self.kept += wanted;
        append_rows(batch, wanted, &mut self.rows);
        if self.rows.len() >= ROWS_PER_EVENT {
            self.hand_over_rows();
        }
    }

    fn hand_over_rows(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        self.queue.push_back(Event::Rows(Rows {
            statement: self.statement,
            columns: self.columns.take(),
            rows: std::mem::take(&mut self.rows),
        }));
    }

    fn progress(&mut self) -> Progress {
        let live = self.session.live();
        let plan = self
            .plan
            .take()
            .map(|plan| explain::render(&plan, None, 0, self.session.settings(), &SHAPE));
        Progress {
            statement: self.statement,
            fraction: live.as_ref().and_then(|live| live.progress),
            elapsed_ms: match &live {
                Some(live) => live.report.execution_ns as f64 / NS_PER_MS,
                None => self.clock.now_ns().saturating_sub(self.begun_ns) as f64 / NS_PER_MS,
            },
            counters: live.map_or(JsValue::NULL, |live| {
                let printed = in_order(&live.report.flat(), &self.order);
                js_sys::Float64Array::from(printed.as_slice()).into()
            }),
            plan,
        }
    }
}

fn session(clock: &Rc<PerformanceClock>) -> Session {
    Session::new(Host {
        clock: Rc::clone(clock) as Rc<dyn Clock>,
        wall_clock,
        seed: (js_sys::Math::random() * (1u64 << 53) as f64) as u64,
    })
}

/// The counters of each node, by plan node id, in the order in which the nodes are printed.
fn in_order(flat: &[f64], order: &[NodeId]) -> Vec<f64> {
    let width = COUNTER_NAMES.len();
    order
        .iter()
        .filter_map(|&id| flat.get(id * width..(id + 1) * width))
        .flatten()
        .copied()
        .collect()
}

fn append_rows(batch: &Batch, wanted: usize, rows: &mut Vec<Vec<Option<String>>>) {
    for i in 0..wanted {
        let row = batch.row(i);
        let values = batch.columns.iter().map(|column| {
            (!column.is_null(row)).then(|| {
                let mut text = String::new();
                write_value(column, row, &mut text);
                text
            })
        });
        rows.push(values.collect());
    }
}

fn columns(headers: &[ColumnHeader]) -> Vec<Column> {
    headers
        .iter()
        .map(|header| Column {
            name: header.name.clone(),
            type_name: header.ty.name(),
        })
        .collect()
}

fn statement(finished: Finished) -> Statement {
    let executed = finished.executed.as_ref();
    let columns = columns(&finished.columns);
    Statement {
        statement: finished.statement as u32,
        plan: executed.map(|executed| executed.explain(&JSON)),
        plan_text: executed.map(|executed| executed.explain(&TEXT)),
        rows_total: if columns.is_empty() { 0 } else { finished.rows },
        columns,
        sql: finished.sql,
        tag: finished.tag.unwrap_or_default(),
        error: finished
            .error
            .map(Error::into_data)
            .map(|error| StatementError {
                sqlstate: error.sqlstate.to_string(),
                message: error.message,
                detail: error.detail,
                hint: error.hint,
                line: error.position.map(|position| position.line),
                column: error.position.map(|position| position.column),
            }),
        notices: finished.notices.into_iter().map(notice).collect(),
        elapsed_ms: finished.elapsed_ns as f64 / NS_PER_MS,
    }
}

/// A notice's severity stands before its text where it is not NOTICE.
fn notice(text: String) -> Notice {
    let (severity, message) = match text.strip_prefix("WARNING:") {
        Some(message) => ("WARNING", message.trim_start().to_string()),
        None => ("NOTICE", text),
    };
    Notice {
        severity: severity.to_string(),
        message,
    }
}

/// To JavaScript's plain objects: NULL as `null`, counts as numbers.
fn to_js(value: &impl Serialize) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
    match value.serialize(&serializer) {
        Ok(value) => value,
        Err(error) => wasm_bindgen::throw_str(&error.to_string()),
    }
}
