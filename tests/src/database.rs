//! A session for tests that look inside: rows, errors, counters, EXPLAIN.

use engine::error::Error;
use engine::instr::NodeReport;
use engine::plan::{NodeKind, PlanNode, SeqScan};
use engine::session::{Event, Finished, Host, Session};
use engine::value::text::write_value;

pub struct Database {
    pub session: Session,
}

/// What one statement came to.
pub struct Outcome {
    pub rows: Vec<Vec<Option<String>>>,
    pub finished: Finished,
}

impl Database {
    pub fn new() -> Database {
        Database {
            session: Session::new(Host::still()),
        }
    }

    /// A database after a script, every statement of which must succeed.
    pub fn after(script: &str) -> Database {
        let mut database = Database::new();
        database.execute(script);
        database
    }

    pub fn with_settings(settings: &[(&str, &str)]) -> Database {
        let mut database = Database::new();
        for (name, value) in settings {
            database.session.set(name, value).expect("a valid setting");
        }
        database
    }

    /// Runs a script, every statement of which must succeed.
    pub fn execute(&mut self, script: &str) {
        for outcome in self.run(script) {
            if let Some(error) = outcome.finished.error {
                panic!("{}: {error}", outcome.finished.sql);
            }
        }
    }

    /// Runs a script to its end.
    pub fn run(&mut self, script: &str) -> Vec<Outcome> {
        self.session.start(script);
        let (mut outcomes, mut rows) = (Vec::new(), Vec::new());
        loop {
            match self.session.resume() {
                Event::Rows => rows.extend(self.texts()),
                Event::Started(_) | Event::Yielded => {}
                Event::Finished(finished) => {
                    outcomes.push(Outcome {
                        rows: std::mem::take(&mut rows),
                        finished: *finished,
                    });
                }
                Event::End => return outcomes,
            }
        }
    }

    /// The only statement's outcome, which must be a success.
    pub fn query(&mut self, sql: &str) -> Outcome {
        let outcome = self.run(sql).pop().expect("a statement");
        if let Some(error) = &outcome.finished.error {
            panic!("{sql}: {error}");
        }
        outcome
    }

    /// The first value of the first row.
    pub fn value(&mut self, sql: &str) -> String {
        let mut rows = self.query(sql).rows;
        rows.swap_remove(0)
            .swap_remove(0)
            .unwrap_or_else(|| "NULL".to_string())
    }

    /// The only statement's error.
    pub fn error(&mut self, sql: &str) -> Error {
        let outcome = self.run(sql).pop().expect("a statement");
        outcome
            .finished
            .error
            .unwrap_or_else(|| panic!("{sql} succeeded"))
    }

    /// EXPLAIN's lines without costs.
    pub fn explain(&mut self, sql: &str) -> Vec<String> {
        let rows = self.query(&format!("EXPLAIN (COSTS OFF) {sql}")).rows;
        rows.into_iter()
            .flatten()
            .map(Option::unwrap_or_default)
            .collect()
    }

    fn texts(&self) -> Vec<Vec<Option<String>>> {
        let batch = self.session.rows();
        let cell = |column: &engine::value::Column, row| {
            (!column.is_null(row)).then(|| {
                let mut text = String::new();
                write_value(column, row, &mut text);
                text
            })
        };
        batch
            .rows()
            .iter()
            .map(|row| {
                batch
                    .columns
                    .iter()
                    .map(|column| cell(column, row))
                    .collect()
            })
            .collect()
    }
}

impl Default for Database {
    fn default() -> Self {
        Database::new()
    }
}

impl Outcome {
    /// The first node of this kind (EXPLAIN's name) and its counters.
    pub fn node(&self, name: &str) -> (&PlanNode, &NodeReport) {
        let executed = self.finished.executed.as_ref().expect("a plan was run");
        let mut found = None;
        executed.plan.root.each(&mut |node| {
            if node.kind.name() == name && found.is_none() {
                found = Some(node);
            }
        });
        let node = found.unwrap_or_else(|| panic!("no {name} in the plan"));
        (node, &executed.report.nodes[node.id])
    }

    pub fn scan(&self) -> Scan<'_> {
        let (node, report) = self.node("Seq Scan");
        let NodeKind::SeqScan(scan) = &node.kind else {
            unreachable!("named so")
        };
        Scan { scan, report }
    }
}

/// A table scan and what it did.
pub struct Scan<'a> {
    pub scan: &'a SeqScan,
    pub report: &'a NodeReport,
}

impl Scan<'_> {
    pub fn returned(&self) -> u64 {
        self.report.counters.rows_out
    }

    pub fn removed_by_keys(&self) -> u64 {
        self.report.facts.scan.unwrap_or_default().removed_by_keys
    }

    pub fn removed_by_filter(&self) -> u64 {
        self.report.facts.removed_by_filter
    }

    pub fn visible(&self) -> u64 {
        self.report.facts.scan.unwrap_or_default().visible
    }

    pub fn key_evaluations(&self) -> u64 {
        self.report.facts.scan.unwrap_or_default().key_evaluations
    }

    pub fn qual_evaluations(&self) -> u64 {
        self.report.facts.qual_evaluations
    }

    pub fn pages_read(&self) -> u64 {
        self.report.facts.scan.unwrap_or_default().pages_read
    }
}
