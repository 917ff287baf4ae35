//! VACUUM, a table and a slice at a time.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::am::{AmCtx, ScanCounters};
use crate::catalog::Table;
use crate::error::Result;
use crate::storage::{Snapshot, Transactions};
use crate::work::Work;

/// The tables still to be vacuumed, and the block reached in the first of them.
pub(super) struct Vacuuming {
    tables: VecDeque<Rc<Table>>,
    block: u32,
    tag: &'static str,
}

impl Vacuuming {
    pub fn new(tables: Vec<Rc<Table>>) -> Self {
        Vacuuming {
            tables: tables.into(),
            block: 0,
            tag: "VACUUM",
        }
    }

    pub fn tag(&self) -> &'static str {
        self.tag
    }

    /// One slice of work. True: all is done.
    pub fn advance(&mut self, snapshot: Snapshot, transactions: &Transactions) -> Result<bool> {
        let Some(table) = self.tables.front() else {
            return Ok(true);
        };
        let (mut counters, mut work) = (ScanCounters::default(), Work::default());
        let mut cx = AmCtx {
            snapshot,
            transactions,
            counters: &mut counters,
            work: &mut work,
        };
        match table.storage.vacuum(&mut cx, self.block)? {
            Some(next) => self.block = next,
            None => {
                self.tables.pop_front();
                self.block = 0;
            }
        }
        Ok(self.tables.is_empty())
    }
}
