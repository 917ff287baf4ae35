//! A set operation by a hash table of groups, given in the order they were first met.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Restart, Step};
use crate::instr::OperatorFacts;
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Type};

use super::{Command, Counts, side};
use crate::exec::ops::group_table::GroupTable;
use crate::exec::ops::references::with_references;

/// Rows to look up at once.
const WINDOW: usize = 1024;

pub(in crate::exec) struct Hashed {
    command: Command,
    types: Vec<Type>,
    table: GroupTable,
    counts: Vec<Counts>,
    batch: Box<Batch>,
    place: usize,
    groups: Vec<u32>,
    state: State,
    holding: Holding,
}

/// `Taking ─ input ends ─> Giving`; a rescan without a change gives again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Taking,
    /// The next group, and how often its row was given.
    Giving(usize, u64),
}

impl Hashed {
    pub(super) fn new(command: Command, types: Vec<Type>, memory: &Memory) -> Self {
        Hashed {
            command,
            table: GroupTable::new(&types),
            types,
            counts: Vec::new(),
            batch: Box::default(),
            place: 0,
            groups: Vec::new(),
            state: State::Taking,
            holding: memory.holding(),
        }
    }

    pub(super) fn step(
        &mut self,
        cx: &mut ExecCx,
        input: Input<'_>,
        out: &mut Batch,
    ) -> Result<Step> {
        match input {
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
            }
            Input::End(_) => {
                self.state = State::Giving(0, 0);
                return Ok(Step::More);
            }
            Input::Go => {}
        }
        match self.state {
            State::Taking => self.take(cx),
            State::Giving(group, copies) => self.give(cx, group, copies, out),
        }
    }

    fn take(&mut self, cx: &mut ExecCx) -> Result<Step> {
        while self.place < self.batch.len() {
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            let rest = self.batch.len() - self.place;
            let n = rest.min(WINDOW).min(cx.work.left().max(1) as usize);
            if !self.table.reserve(n, &mut cx.work) {
                return Ok(Step::Yield);
            }
            let rows = self.batch.rows().slice(self.place, self.place + n);
            let (table, groups) = (&mut self.table, &mut self.groups);
            let keys = &self.batch.columns[..self.types.len()];
            with_references(keys, |keys| table.find(keys, rows, groups));
            self.counts.resize(self.table.len(), [0, 0]);
            let sides = self.batch.columns.last();
            for (row, &group) in rows.iter().zip(&self.groups) {
                self.counts[group as usize][side(sides, row)?] += 1;
            }
            self.place += n;
            cx.work.spend((n * (1 + self.types.len())) as u32);
            self.holding
                .set(self.table.accounted_bytes() + self.counts.len() as u64 * 16)?;
        }
        Ok(Step::Need(0))
    }

    fn give(
        &mut self,
        cx: &mut ExecCx,
        mut group: usize,
        mut given: u64,
        out: &mut Batch,
    ) -> Result<Step> {
        out.prepare(&self.types);
        let most = out.room().min(cx.work.left().max(1) as usize);
        let (mut looks, mut rows) = (cx.work.left().max(1), 0);
        while group < self.counts.len() && rows < most && looks > 0 {
            looks -= 1;
            if given < self.command.copies(self.counts[group]) {
                for (to, from) in out.columns.iter_mut().zip(self.table.keys()) {
                    to.push_from(from, group);
                }
                rows += 1;
                given += 1;
                let copied: u64 = self
                    .table
                    .keys()
                    .iter()
                    .map(|key| key.copied_bytes(group))
                    .sum();
                cx.work.spend_bytes(copied);
            } else {
                (group, given) = (group + 1, 0);
            }
        }
        out.set_physical_rows(out.physical_rows() + rows);
        cx.work.spend(rows as u32 + 1);
        self.state = State::Giving(group, given);
        Ok(if group == self.counts.len() {
            Step::Done
        } else if out.is_full() {
            Step::More
        } else {
            Step::Yield
        })
    }

    pub(super) fn rescan(&mut self, changed: Changed) -> Restart {
        if matches!(self.state, State::Giving(..)) && !changed.anything() {
            self.state = State::Giving(0, 0);
            return Restart::Nothing;
        }
        self.table.clear();
        self.counts.clear();
        self.place = self.batch.len();
        self.state = State::Taking;
        self.holding.shrink(self.holding.bytes());
        Restart::All
    }

    pub(super) fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory += self.holding.peak();
    }
}
