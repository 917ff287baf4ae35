//! Hashed aggregation: groups in a hash table, given out in the order they were first met.

use std::mem;

use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::{EvalCounters, Groups, Program, StopCause};
use crate::instr::{AggregateFacts, OperatorFacts};
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Column, Rows, Type};

use super::calls::{AggregateCalls, Updated};
use crate::exec::ops::group_table::GroupTable;
use crate::exec::ops::references::with_references;

/// Work units a row for finding its group.
const FIND_COST: u32 = 3;
/// Work units a group for giving it out.
const GIVE_COST: u32 = 4;

/// Rows taken in one by one between two looks at the memory that states have grown to.
const ACCOUNT_EVERY: u32 = 256;

/// Bytes of a group's states that are nothing to give in a batch of any length.
const NARROW: u64 = 64;

/// Takes all rows in, then gives one a group.
pub(in crate::exec) struct HashedAggregate {
    group_by: Vec<Program>,
    /// The input's columns that are the keys, if each key is one.
    key_slots: Option<Vec<usize>>,
    calls: AggregateCalls,
    types: Vec<Type>,
    table: GroupTable,
    batch: Box<Batch>,
    place: usize,
    /// The keys and the groups of the window's rows.
    keys: Vec<Column>,
    ids: Vec<u32>,
    state: State,
    given: usize,
    /// Rows taken in since the memory was accounted for.
    unaccounted: u32,
    holding: Holding,
}

/// ```text
/// Grouping ─ keys computed, groups found ─> Updating ─ calls updated ─> Grouping
/// Grouping ─ input ends ─> Giving
/// ```
#[derive(Debug)]
enum State {
    Grouping,
    /// With the error that the row behind the window fails with.
    Updating(Option<Error>),
    Giving,
}

impl HashedAggregate {
    pub(in crate::exec) fn new(
        group_by: Vec<Program>,
        calls: AggregateCalls,
        types: Vec<Type>,
        memory: &Memory,
    ) -> Self {
        let key_types: Vec<Type> = group_by.iter().map(Program::ty).collect();
        HashedAggregate {
            table: GroupTable::new(&key_types),
            keys: key_types.iter().map(|&ty| Column::new(ty)).collect(),
            key_slots: group_by.iter().map(Program::slot).collect(),
            group_by,
            calls,
            types,
            batch: Box::default(),
            place: 0,
            ids: Vec::new(),
            state: State::Grouping,
            given: 0,
            unaccounted: 0,
            holding: memory.holding(),
        }
    }

    fn cost(&self) -> u32 {
        self.group_by
            .iter()
            .map(Program::cost)
            .fold(FIND_COST, u32::saturating_add)
    }

    /// Takes a batch of one row in without the set-up that pays only for several; `None`, and nothing
    /// done, where its keys are to be computed or there is no work left. A row whose parameter is to be produced first is kept.
    fn take_one(&mut self, cx: &mut ExecCx, batch: &mut Box<Batch>) -> Result<Option<Step>> {
        let Some(slots) = &self.key_slots else {
            return Ok(None);
        };
        if cx.work.is_exhausted() || !self.table.reserve(1, &mut cx.work) {
            return Ok(None);
        }
        cx.work.spend(self.cost());
        let (row, known) = (batch.row(0), self.table.len());
        let group = self.table.find_one(&batch.columns, slots, row);
        let is_new = group == known;
        if is_new {
            self.calls.grow(self.table.len());
        }
        match self.calls.update_one(cx, &batch.columns, row, group) {
            Updated::All => {}
            Updated::Failed(error) => return Err(error),
            Updated::Produce(param) => {
                mem::swap(batch, &mut self.batch);
                self.place = 0;
                self.ids.clear();
                self.ids.push(group as u32);
                self.state = State::Updating(None);
                return Ok(Some(Step::Produce(param)));
            }
            Updated::Paused => {
                return Err(Error::internal("an aggregate paused behind its only row"));
            }
        }
        self.unaccounted += 1;
        if is_new || self.unaccounted >= ACCOUNT_EVERY {
            self.account()?;
        }
        Ok(Some(Step::Need(0)))
    }

    fn take(&mut self, cx: &mut ExecCx) -> Result<Step> {
        loop {
            if let State::Updating(_) = self.state
                && let Some(step) = self.update(cx)?
            {
                return Ok(step);
            }
            let rest = self.batch.len() - self.place;
            if rest == 0 {
                return Ok(Step::Need(0));
            }
            if cx.work.is_exhausted() || !self.table.reserve(rest, &mut cx.work) {
                return Ok(Step::Yield);
            }
            if let Some(step) = self.group(cx, rest)? {
                return Ok(step);
            }
        }
    }

    /// Finds the groups of the next window of rows. Some(step): not yet.
    fn group(&mut self, cx: &mut ExecCx, rest: usize) -> Result<Option<Step>> {
        let cost = self.cost();
        let n = self.calls.window(&cx.work, cost, rest);
        cx.work.spend((n as u32).saturating_mul(cost));
        let mut rows = self.batch.rows().slice(self.place, self.place + n);
        let mut cause = None;
        for (key, column) in self.group_by.iter_mut().zip(&mut self.keys) {
            column.clear();
            let mut counters = EvalCounters::default();
            if let Some(stop) = key.append(
                &mut cx.eval(&mut counters),
                &self.batch.columns,
                rows,
                column,
            ) {
                rows = rows.below(stop.row);
                cause = stop.cause;
            }
        }
        let failed = match cause {
            Some(StopCause::Produce(param)) => {
                // Nothing has been added yet: the window is computed anew when the value is there.
                self.calls.forget_window();
                return Ok(Some(Step::Produce(param)));
            }
            Some(StopCause::Error(error)) => Some(error),
            None => None,
        };
        if rows.is_empty() {
            return failed.map_or(Ok(None), Err);
        }
        self.calls.shrink_window(rows.len());
        let dense = Rows::Range(0, rows.len());
        with_references(&self.keys, |keys| {
            self.table.find(keys, dense, &mut self.ids)
        });
        self.calls.grow(self.table.len());
        self.state = State::Updating(failed);
        Ok(None)
    }

    /// Updates the calls with the window's rows. Some(step): not yet.
    fn update(&mut self, cx: &mut ExecCx) -> Result<Option<Step>> {
        let n = self.ids.len();
        let rows = self.batch.rows().slice(self.place, self.place + n);
        match self
            .calls
            .update(cx, &self.batch.columns, rows, Groups::Each(&self.ids))
        {
            Updated::All => {}
            Updated::Paused => {
                self.account()?;
                return Ok(Some(Step::Yield));
            }
            Updated::Produce(param) => return Ok(Some(Step::Produce(param))),
            Updated::Failed(error) => return Err(error),
        }
        self.place += n;
        self.account()?;
        match mem::replace(&mut self.state, State::Grouping) {
            State::Updating(Some(error)) => Err(error),
            _ => Ok(None),
        }
    }

    fn account(&mut self) -> Result<()> {
        self.unaccounted = 0;
        self.holding
            .set(self.table.accounted_bytes() + self.calls.accounted_bytes())
    }

    /// How many groups to give next: where they may be wide, as many as their keys allow, and one
    /// at a time if the states are wide themselves.
    fn portion(&self, cx: &ExecCx, room: usize) -> usize {
        let affordable = (cx.work.left() / GIVE_COST).max(1) as usize;
        let n = room.min(self.table.len() - self.given).min(affordable);
        let states = self.calls.accounted_bytes();
        if states >= Batch::FULL_BYTES && states / self.table.len() as u64 > NARROW {
            return 1;
        }
        self.table.groups_to_fill(self.given, n)
    }

    fn give(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        out.prepare(&self.types);
        let mut bytes = 0;
        while self.given < self.table.len() {
            if out.is_full() || bytes >= Batch::FULL_BYTES {
                return Ok(Step::More);
            }
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            let (from, before) = (self.given, out.physical_rows());
            let n = self.portion(cx, out.room());
            let (keys, results) = out.columns.split_at_mut(self.table.keys().len());
            let finished = self.calls.finish(from..from + n, results);
            let n = match (&finished, results.first()) {
                (Err(_), Some(column)) => column.len() - before,
                _ => n,
            };
            for (to, key) in keys.iter_mut().zip(self.table.keys()) {
                to.extend_range(key, from, from + n);
            }
            out.set_physical_rows(before + n);
            cx.work.spend(n as u32 * GIVE_COST);
            bytes += out.accounted_from(before);
            self.given += n;
            finished?;
        }
        Ok(Step::Done)
    }
}

impl Operator for HashedAggregate {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Build]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Batch(_, batch) => {
                if batch.len() == 1
                    && let Some(step) = self.take_one(cx, batch)?
                {
                    return Ok(step);
                }
                mem::swap(batch, &mut self.batch);
                self.place = 0;
                self.take(cx)
            }
            Input::End(_) => {
                self.account()?;
                self.state = State::Giving;
                Ok(Step::More)
            }
            Input::Go => match self.state {
                State::Giving => self.give(cx, out),
                _ => self.take(cx),
            },
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, changed: Changed) -> Restart {
        self.given = 0;
        if matches!(self.state, State::Giving) && !changed.anything() {
            return Restart::Nothing;
        }
        self.table.clear();
        self.calls.reset();
        self.holding.shrink(self.holding.bytes());
        self.place = self.batch.len();
        self.state = State::Grouping;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory += self.holding.peak();
        facts.aggregate = Some(AggregateFacts {
            groups: self.table.len() as u64,
            bytes: self.holding.peak(),
        });
    }
}
