//! The probe side of a hash join.
//!
//! 1. Wait for the table. An inner join with an empty one is done without reading an outer row.
//! 2. Compute the keys and hashes of an outer batch.
//! 3. Walk each row's chain and note the rows whose keys are equal as candidates, until the demand
//!    could be met; filter and give them.

use crate::bind::JoinKind;
use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::Program;
use crate::instr::OperatorFacts;
use crate::value::{Batch, Type};

use super::table::{END, HashTable, TableSlot};
use crate::exec::ops::pairs::{JoinFilter, Pairs};
use crate::exec::ops::row_keys::RowKeys;

const BUILD: usize = 0;
const PROBE: usize = 1;

/// Joins the outer rows with those of the table.
pub(in crate::exec) struct HashJoin {
    kind: JoinKind,
    slot: TableSlot,
    table: Option<Box<HashTable>>,
    keys: RowKeys,
    pairs: Pairs,
    outer: Box<Batch>,
    hashes: Vec<u64>,
    place: usize,
    chain: Chain,
}

/// How far the chain of the row at the place was walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    /// Not looked up yet.
    Unknown,
    /// The next row to compare.
    At(u32),
}

impl HashJoin {
    pub(in crate::exec) fn new(
        kind: JoinKind,
        keys: Vec<Program>,
        types: Vec<Type>,
        outer_columns: usize,
        filter: Option<JoinFilter>,
        slot: TableSlot,
    ) -> Self {
        HashJoin {
            kind,
            slot,
            table: None,
            keys: RowKeys::new(keys),
            pairs: Pairs::new(kind, types, outer_columns, filter),
            outer: Box::default(),
            hashes: Vec::new(),
            place: 0,
            chain: Chain::Unknown,
        }
    }

    /// No outer row can have a match, nor is one asked for without.
    fn is_hopeless(&self) -> bool {
        self.kind == JoinKind::Inner && self.table.as_ref().is_none_or(|table| table.len() == 0)
    }

    fn probe(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        let Some(table) = &self.table else {
            return Err(Error::internal("a hash join probes without a table"));
        };
        loop {
            if let Some(step) = self
                .pairs
                .flush(cx, &self.outer.columns, table.columns(), out)?
            {
                return Ok(step);
            }
            if self.place == self.outer.len() {
                return Ok(Step::Need(PROBE));
            }
            if self.pairs.is_enough(out) {
                return Ok(Step::More);
            }
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            if self.place == self.keys.known() {
                if let Some(step) = self.keys.advance(cx, &self.outer)? {
                    return Ok(step);
                }
                self.keys.hash(&mut self.hashes);
            }
            let mut room = self.pairs.room(out).min(cx.work.left() as usize);
            let before = room;
            while room > 0 && self.place < self.keys.known() {
                let (row, hash) = (self.outer.row(self.place) as u32, self.hashes[self.place]);
                let mut at = match self.chain {
                    Chain::Unknown => table.head(hash),
                    Chain::At(at) => at,
                };
                while at != END && room > 0 {
                    if table.matches(at, hash, &self.keys.columns, self.place) {
                        self.pairs.push(row, at);
                        room -= 1;
                    }
                    at = table.next(at);
                }
                self.chain = Chain::At(at);
                if at != END || room == 0 {
                    break;
                }
                self.pairs.close(row);
                room -= usize::from(self.kind == JoinKind::Left);
                self.place += 1;
                self.chain = Chain::Unknown;
                cx.work.spend(1);
            }
            cx.work.spend((before - room) as u32 + 1);
        }
    }
}

impl Operator for HashJoin {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Build, PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go if self.table.is_none() => return Ok(Step::Need(BUILD)),
            // Also after a rescan that kept the table.
            Input::Go if self.is_hopeless() => return Ok(Step::Done),
            Input::Go => {}
            Input::End(BUILD) => {
                self.table = self.slot.borrow_mut().take();
                return Ok(if self.is_hopeless() {
                    Step::Done
                } else {
                    Step::Need(PROBE)
                });
            }
            Input::End(_) => return Ok(Step::Done),
            Input::Batch(BUILD, _) => return Err(Error::internal("a Hash gives no rows")),
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.outer);
                self.place = 0;
                self.chain = Chain::Unknown;
                self.keys.start();
                self.hashes.clear();
                let inner = self.table.as_ref().map_or(0, |table| table.widest());
                let copies = cx.batch_rows.max(self.outer.len());
                self.pairs.start(self.outer.widest(copies) + inner);
            }
        }
        self.probe(cx, out)
    }

    fn rescan(&mut self, _cx: &mut ExecCx, changed: Changed) -> Restart {
        self.pairs.clear();
        self.place = self.outer.len();
        self.chain = Chain::Unknown;
        if self.table.is_some() && !changed.port(BUILD) {
            return Restart::Only(PROBE);
        }
        self.table = None;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        self.pairs.report(facts);
    }
}
