//! Aggregation without groups: one row, even of no input.

use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::Groups;
use crate::instr::{AggregateFacts, OperatorFacts};
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Type};

use super::calls::{AggregateCalls, Updated};

/// Rows between two looks at the memory that states have grown to.
const ACCOUNT_EVERY: usize = 256;

/// Takes all rows in, then gives one.
pub(in crate::exec) struct PlainAggregate {
    calls: AggregateCalls,
    types: Vec<Type>,
    batch: Box<Batch>,
    place: usize,
    state: State,
    /// Rows taken in since the memory was accounted for.
    unaccounted: usize,
    holding: Holding,
}

/// `Taking ─ input ends ─> Giving ─ the row given ─> (done)`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Taking,
    Giving,
}

impl PlainAggregate {
    pub(in crate::exec) fn new(
        mut calls: AggregateCalls,
        types: Vec<Type>,
        memory: &Memory,
    ) -> Self {
        calls.grow(1);
        PlainAggregate {
            calls,
            types,
            batch: Box::default(),
            place: 0,
            state: State::Taking,
            unaccounted: 0,
            holding: memory.holding(),
        }
    }

    fn take(&mut self, cx: &mut ExecCx) -> Result<Step> {
        while self.place < self.batch.len() {
            if cx.work.is_exhausted() {
                self.account()?;
                return Ok(Step::Yield);
            }
            let n = self
                .calls
                .window(&cx.work, 0, self.batch.len() - self.place);
            let rows = self.batch.rows().slice(self.place, self.place + n);
            match self
                .calls
                .update(cx, &self.batch.columns, rows, Groups::One(0))
            {
                Updated::All => self.place += n,
                Updated::Paused => {
                    self.account()?;
                    return Ok(Step::Yield);
                }
                Updated::Produce(param) => return Ok(Step::Produce(param)),
                Updated::Failed(error) => return Err(error),
            }
        }
        self.count(self.batch.len())
    }

    /// Rows have been taken in.
    #[inline]
    fn count(&mut self, rows: usize) -> Result<Step> {
        self.unaccounted += rows;
        if self.unaccounted >= ACCOUNT_EVERY {
            self.account()?;
        }
        Ok(Step::Need(0))
    }

    /// Takes a batch of one row in; keeps it where a parameter is to be produced first.
    #[inline]
    fn take_one(&mut self, cx: &mut ExecCx, batch: &mut Box<Batch>) -> Result<Step> {
        match self.calls.update_one(cx, &batch.columns, batch.row(0), 0) {
            Updated::All => self.count(1),
            Updated::Failed(error) => Err(error),
            Updated::Produce(param) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
                Ok(Step::Produce(param))
            }
            Updated::Paused => Err(Error::internal("an aggregate paused behind its only row")),
        }
    }

    fn account(&mut self) -> Result<()> {
        self.unaccounted = 0;
        self.holding.set(self.calls.accounted_bytes())
    }
}

impl Operator for PlainAggregate {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Build]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Batch(_, batch) if batch.len() == 1 && !cx.work.is_exhausted() => {
                self.take_one(cx, batch)
            }
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
                self.take(cx)
            }
            Input::End(_) => {
                self.account()?;
                self.state = State::Giving;
                Ok(Step::More)
            }
            Input::Go if self.state == State::Taking => self.take(cx),
            Input::Go => {
                out.prepare(&self.types);
                self.calls.finish(0..1, &mut out.columns)?;
                out.set_physical_rows(1);
                Ok(Step::Done)
            }
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, changed: Changed) -> Restart {
        if self.state == State::Giving && !changed.anything() {
            return Restart::Nothing;
        }
        self.calls.reset();
        self.calls.grow(1);
        self.place = self.batch.len();
        self.state = State::Taking;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory += self.holding.peak();
        facts.aggregate = Some(AggregateFacts {
            groups: 1,
            bytes: self.holding.peak(),
        });
    }
}
