//! A set operation over sorted rows, one group at a time.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Input, Restart, Step};
use crate::value::{Batch, Column, Type, equal_values};

use super::{Command, Counts, side};

pub(in crate::exec) struct Sorted {
    command: Command,
    types: Vec<Type>,
    batch: Box<Batch>,
    place: usize,
    /// The row of the group at hand, if there is one.
    group: Vec<Column>,
    counts: Counts,
    state: State,
}

/// ```text
/// Taking ─ batch ─> Counting ─ rows used up ─> Taking ─ input ends ─> Closing, last group
///                      └─ another group ─> Closing ─ row given ─> Counting
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Taking,
    Counting,
    /// So many copies of the group's row are still to be given; then more rows, or the end.
    Closing {
        left: u64,
        last: bool,
    },
}

impl Sorted {
    pub(super) fn new(command: Command, types: Vec<Type>) -> Self {
        Sorted {
            command,
            group: types.iter().map(|&ty| Column::new(ty)).collect(),
            types,
            batch: Box::default(),
            place: 0,
            counts: [0, 0],
            state: State::Taking,
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
                self.state = State::Counting;
            }
            Input::End(_) => self.close(true),
            Input::Go => {}
        }
        out.prepare(&self.types);
        loop {
            match self.state {
                State::Taking => return Ok(Step::Need(0)),
                State::Counting if self.place == self.batch.len() => self.state = State::Taking,
                State::Counting if cx.work.is_exhausted() => return Ok(Step::Yield),
                State::Counting => self.count(cx)?,
                State::Closing {
                    left: 0,
                    last: true,
                } => return Ok(Step::Done),
                State::Closing {
                    left: 0,
                    last: false,
                } => {
                    self.group.iter_mut().for_each(Column::clear);
                    self.counts = [0, 0];
                    self.state = State::Counting;
                }
                State::Closing { .. } if out.is_full() => return Ok(Step::More),
                State::Closing { .. } if cx.work.is_exhausted() => return Ok(Step::Yield),
                State::Closing { left, last } => {
                    for (to, from) in out.columns.iter_mut().zip(&self.group) {
                        to.push_from(from, 0);
                        cx.work.spend_bytes(from.copied_bytes(0));
                    }
                    out.set_physical_rows(out.physical_rows() + 1);
                    cx.work.spend(1);
                    self.state = State::Closing {
                        left: left - 1,
                        last,
                    };
                }
            }
        }
    }

    /// Counts the row at the place, or closes the group before it.
    fn count(&mut self, cx: &mut ExecCx) -> Result<()> {
        let row = self.batch.row(self.place);
        let first = self.counts == [0, 0];
        let keys = &self.batch.columns[..self.types.len()];
        if first {
            for (to, from) in self.group.iter_mut().zip(keys) {
                to.push_from(from, row);
            }
        }
        let same = first
            || keys
                .iter()
                .zip(&self.group)
                .all(|(a, b)| match (a.is_null(row), b.is_null(0)) {
                    (false, false) => equal_values(a, row, b, 0),
                    (a_null, b_null) => a_null && b_null,
                });
        if !same {
            self.close(false);
            return Ok(());
        }
        self.counts[side(self.batch.columns.last(), row)?] += 1;
        self.place += 1;
        cx.work.spend(1 + self.types.len() as u32);
        Ok(())
    }

    fn close(&mut self, last: bool) {
        let left = self.command.copies(self.counts);
        self.state = State::Closing { left, last };
    }

    pub(super) fn rescan(&mut self) -> Restart {
        self.group.iter_mut().for_each(Column::clear);
        self.counts = [0, 0];
        self.place = self.batch.len();
        self.state = State::Taking;
        Restart::All
    }
}
