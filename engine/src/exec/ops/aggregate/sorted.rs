//! Aggregation over sorted groups: a group's row is given when the next group begins.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, Port, PortKind, Restart, Step};
use crate::expr::{Groups, Program};
use crate::instr::{AggregateFacts, OperatorFacts};
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Column, Type, equal_values};

use super::calls::{AggregateCalls, Updated};
use crate::exec::ops::row_keys::RowKeys;

/// Keeps one group at a time.
pub(in crate::exec) struct SortedAggregate {
    calls: AggregateCalls,
    types: Vec<Type>,
    batch: Box<Batch>,
    place: usize,
    /// The keys of the batch's rows, and of the group at hand.
    keys: RowKeys,
    group: Vec<Column>,
    state: State,
    groups: u64,
    holding: Holding,
}

/// ```text
/// Taking ─ batch ─> Grouping ─ rows used up ─> Taking ─ end ─> Ended
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Taking,
    Grouping,
    Ended,
}

impl SortedAggregate {
    pub(in crate::exec) fn new(
        group_by: Vec<Program>,
        mut calls: AggregateCalls,
        types: Vec<Type>,
        memory: &Memory,
    ) -> Self {
        calls.grow(1);
        SortedAggregate {
            group: group_by.iter().map(|key| Column::new(key.ty())).collect(),
            keys: RowKeys::new(group_by),
            calls,
            types,
            batch: Box::default(),
            place: 0,
            state: State::Taking,
            groups: 0,
            holding: memory.holding(),
        }
    }

    fn has_group(&self) -> bool {
        self.groups > 0
    }

    fn run(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        out.prepare(&self.types);
        loop {
            match self.state {
                State::Taking => return Ok(Step::Need(0)),
                State::Ended => {
                    if self.has_group() {
                        self.give(out)?;
                    }
                    return Ok(Step::Done);
                }
                State::Grouping if self.place == self.batch.len() => self.state = State::Taking,
                State::Grouping if cx.work.is_exhausted() => return Ok(Step::Yield),
                State::Grouping => {
                    let step = if self.place == self.keys.known() {
                        self.keys.advance(cx, &self.batch)?
                    } else {
                        self.add(cx, out)?
                    };
                    if let Some(step) = step {
                        return Ok(step);
                    }
                }
            }
        }
    }

    /// Adds the run of rows at the place that belong to the group at hand, or closes that group.
    fn add(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Option<Step>> {
        let same = |keys: &[Column], row: usize, group: &[Column]| {
            keys.iter()
                .zip(group)
                .all(|(a, b)| match (a.is_null(row), b.is_null(0)) {
                    (false, false) => equal_values(a, row, b, 0),
                    (a_null, b_null) => a_null && b_null,
                })
        };
        if !self.has_group() || !same(&self.keys.columns, self.place, &self.group) {
            if self.has_group() {
                if out.is_full() {
                    return Ok(Some(Step::More));
                }
                self.give(out)?;
            }
            for (to, from) in self.group.iter_mut().zip(&self.keys.columns) {
                to.clear();
                to.push_from(from, self.place);
            }
            self.groups += 1;
        }
        let most = self.calls.window(
            &cx.work,
            self.group.len() as u32,
            self.keys.known() - self.place,
        );
        let run = (1..most)
            .find(|&i| !same(&self.keys.columns, self.place + i, &self.group))
            .unwrap_or(most);
        self.calls.shrink_window(run);
        let rows = self.batch.rows().slice(self.place, self.place + run);
        match self
            .calls
            .update(cx, &self.batch.columns, rows, Groups::One(0))
        {
            Updated::All => self.place += run,
            Updated::Paused => {
                self.holding.set(self.calls.accounted_bytes())?;
                return Ok(Some(Step::Yield));
            }
            Updated::Produce(param) => return Ok(Some(Step::Produce(param))),
            Updated::Failed(error) => return Err(error),
        }
        self.holding.set(self.calls.accounted_bytes())?;
        Ok(None)
    }

    /// Gives the row of the group at hand and makes ready for the next.
    fn give(&mut self, out: &mut Batch) -> Result<()> {
        let rows = out.physical_rows();
        let (keys, results) = out.columns.split_at_mut(self.group.len());
        self.calls.finish(0..1, results)?;
        for (to, from) in keys.iter_mut().zip(&self.group) {
            to.push_from(from, 0);
        }
        out.set_physical_rows(rows + 1);
        self.calls.reset();
        self.calls.grow(1);
        Ok(())
    }
}

impl Operator for SortedAggregate {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go => {}
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
                self.keys.start();
                self.state = State::Grouping;
            }
            Input::End(_) => self.state = State::Ended,
        }
        self.run(cx, out)
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.calls.reset();
        self.calls.grow(1);
        self.groups = 0;
        self.place = self.batch.len();
        self.state = State::Taking;
        Restart::All
    }

    /// A group takes any number of rows; what is below is a sort, which has them all.
    fn demand(&self, _port: Port, _wanted: usize) -> usize {
        usize::MAX
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory += self.holding.peak();
        facts.aggregate = Some(AggregateFacts {
            groups: self.groups,
            bytes: self.holding.peak(),
        });
    }
}
