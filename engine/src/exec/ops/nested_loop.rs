//! Nested Loop: the inner side is run again for every outer row, with the row's values as parameters.
//!
//! 1. Take an outer row; set the parameters; have the inner side started over.
//! 2. Pair the row with each inner batch; the join filter sees the pairs of a batch at once.
//! 3. At the end of the inner side the row is closed: a left join gives it NULLs if nothing matched.

use crate::bind::{JoinKind, ParamId};
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::instr::OperatorFacts;
use crate::value::{Batch, Type};

use super::pairs::{JoinFilter, Pairs};

const OUTER: usize = 0;
const INNER: usize = 1;

/// Joins row by row on the outer side, batch by batch on the inner side.
pub(in crate::exec) struct NestedLoop {
    /// Parameters, each set from an outer column.
    params: Vec<(ParamId, usize)>,
    pairs: Pairs,
    outer: Box<Batch>,
    place: usize,
    /// The bytes to be copied of the widest outer row.
    widest: u64,
    inner: Box<Batch>,
    state: State,
}

/// ```text
/// Idle ─ outer batch ─> Next ─ row bound ─> Bound ─ inner batch ─> Pairing ─ used up ─> Bound
///   ^                    │ ^                  └─ inner side ends ─> Closing ┐
///   └── rows used up ────┘ └────────────────────────────────────────────────┘
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// The outer row at the place is to be bound.
    Next,
    /// The inner side runs for it.
    Bound,
    /// Inner rows paired so far.
    Pairing(usize),
    Closing,
}

impl NestedLoop {
    pub(in crate::exec) fn new(
        kind: JoinKind,
        params: Vec<(ParamId, usize)>,
        types: Vec<Type>,
        outer_columns: usize,
        filter: Option<JoinFilter>,
    ) -> Self {
        NestedLoop {
            params,
            pairs: Pairs::new(kind, types, outer_columns, filter),
            outer: Box::default(),
            place: 0,
            widest: 0,
            inner: Box::default(),
            state: State::Idle,
        }
    }

    fn run(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        loop {
            match self.state {
                State::Idle => return Ok(Step::Need(OUTER)),
                State::Next if self.place == self.outer.len() => self.state = State::Idle,
                State::Next => {
                    if out.is_full() || self.pairs.is_wide(out) {
                        return Ok(Step::More);
                    }
                    let row = self.outer.row(self.place);
                    for &(param, column) in &self.params {
                        cx.params.set(param, self.outer.columns[column].get(row));
                    }
                    self.state = State::Bound;
                    return Ok(Step::Rescan(INNER));
                }
                State::Bound => return Ok(Step::Need(INNER)),
                State::Pairing(paired) => {
                    if let Some(step) =
                        self.pairs
                            .flush(cx, &self.outer.columns, &self.inner.columns, out)?
                    {
                        return Ok(step);
                    }
                    let rest = self.inner.len() - paired;
                    if rest == 0 {
                        self.state = State::Bound;
                        continue;
                    }
                    if self.pairs.is_enough(out) {
                        return Ok(Step::More);
                    }
                    if cx.work.is_exhausted() {
                        return Ok(Step::Yield);
                    }
                    let n = rest.min(self.pairs.room(out)).min(cx.work.left() as usize);
                    let row = self.outer.row(self.place) as u32;
                    for i in paired..paired + n {
                        self.pairs.push(row, self.inner.row(i) as u32);
                    }
                    cx.work.spend(n as u32);
                    self.state = State::Pairing(paired + n);
                }
                State::Closing => {
                    if out.is_full() || self.pairs.is_wide(out) {
                        return Ok(Step::More);
                    }
                    self.pairs.close(self.outer.row(self.place) as u32);
                    let step =
                        self.pairs
                            .flush(cx, &self.outer.columns, &self.inner.columns, out)?;
                    debug_assert_eq!(step, None, "a closed row has no candidates left to filter");
                    self.place += 1;
                    self.state = State::Next;
                }
            }
        }
    }
}

impl Operator for NestedLoop {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream, PortKind::Pulled]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go => {}
            Input::Batch(OUTER, batch) => {
                std::mem::swap(batch, &mut self.outer);
                self.place = 0;
                self.widest = self.outer.widest(cx.batch_rows);
                self.state = State::Next;
            }
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.inner);
                self.pairs
                    .start(self.widest + self.inner.widest(cx.batch_rows));
                self.state = State::Pairing(0);
            }
            Input::End(OUTER) => return Ok(Step::Done),
            Input::End(_) => self.state = State::Closing,
        }
        self.run(cx, out)
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.pairs.clear();
        self.state = State::Idle;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        self.pairs.report(facts);
    }
}
