//! VACUUM and ANALYZE, a table and a slice at a time.

use std::collections::VecDeque;
use std::rc::Rc;

use super::analyze::Analyzing;
use crate::am::{AmCtx, ScanCounters};
use crate::bind::VacuumTable;
use crate::catalog::{Table, TableStatistics};
use crate::error::Result;
use crate::memory::Memory;
use crate::storage::{Snapshot, Transactions};
use crate::work::Work;

/// What is done to each table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tasks {
    pub vacuum: bool,
    pub analyze: bool,
}

/// What the caller does next.
pub(super) enum Progress {
    /// Call again after a pause.
    Paused,
    /// Put the table, which knows more of itself now, into the catalog; then call again.
    Learned(Rc<Table>),
    Done,
}

/// What happens to the first table.
///
/// ```text
/// Vacuum ──▶ Analyze ──▶ the next table
/// ```
enum Stage {
    /// The block reached.
    Vacuum(u32),
    Analyze(Box<Analyzing>),
}

/// The tables still to be looked after, and how far the first one is.
pub(super) struct Vacuuming {
    tables: VecDeque<VacuumTable>,
    tasks: Tasks,
    /// `default_statistics_target`
    target: u64,
    memory: Memory,
    stage: Stage,
}

impl Vacuuming {
    pub fn new(tables: Vec<VacuumTable>, tasks: Tasks, target: u64, memory: &Memory) -> Self {
        let mut vacuuming = Vacuuming {
            tables: tables.into(),
            tasks,
            target,
            memory: memory.clone(),
            stage: Stage::Vacuum(0),
        };
        vacuuming.begin_table();
        vacuuming
    }

    pub fn tag(&self) -> &'static str {
        if self.tasks.vacuum {
            "VACUUM"
        } else {
            "ANALYZE"
        }
    }

    fn begin_table(&mut self) {
        self.stage = Stage::Vacuum(0);
        if !self.tasks.vacuum {
            self.begin_analyze();
        }
    }

    fn begin_analyze(&mut self) {
        if let Some(VacuumTable { table, columns }) = self.tables.front() {
            let all = || (0..table.columns.len()).collect();
            let columns = columns.clone().unwrap_or_else(all);
            let analyzing = Analyzing::new(table, columns, self.target, &self.memory);
            self.stage = Stage::Analyze(Box::new(analyzing));
        }
    }

    /// One slice of work. Errors: 53200 for a sample that does not fit; XX001 for a damaged page.
    pub fn advance(&mut self, snapshot: Snapshot, transactions: &Transactions) -> Result<Progress> {
        let Some(VacuumTable { table, .. }) = self.tables.front_mut() else {
            return Ok(Progress::Done);
        };
        let (mut counters, mut work) = (ScanCounters::default(), Work::default());
        let mut cx = AmCtx {
            snapshot,
            transactions,
            counters: &mut counters,
            work: &mut work,
        };
        let learned = match &mut self.stage {
            Stage::Vacuum(block) => match table.storage.vacuum(&mut cx, *block)? {
                Some(next) => {
                    *block = next;
                    return Ok(Progress::Paused);
                }
                None => measured(table),
            },
            Stage::Analyze(analyzing) => match analyzing.advance(table, &mut cx)? {
                None => return Ok(Progress::Paused),
                Some(statistics) => statistics,
            },
        };
        *table = Rc::new(Table {
            statistics: Some(Rc::new(learned)),
            ..Table::clone(table)
        });
        let table = Rc::clone(table);
        match self.stage {
            Stage::Vacuum(_) if self.tasks.analyze => self.begin_analyze(),
            Stage::Vacuum(_) | Stage::Analyze(_) => {
                self.tables.pop_front();
                self.begin_table();
            }
        }
        Ok(Progress::Learned(table))
    }
}

/// VACUUM has seen every row and counted it.
fn measured(table: &Table) -> TableStatistics {
    let size = table.storage.size();
    TableStatistics {
        pages: size.pages,
        rows: size.rows as f64,
        columns: table
            .statistics
            .as_ref()
            .map_or_else(Vec::new, |known| known.columns.clone()),
    }
}
