//! Nested Loop: the inner side is run again for every outer row, with the row's values as parameters.
//!
//! 1. Take an outer row; set the parameters; have the inner side started over.
//! 2. Pair the row with each inner batch; the join filter sees the pairs of a batch at once. A semi
//!    or anti join stops the inner side at the first match.
//! 3. At the end of the inner side the row is closed: a left join gives it NULLs if nothing matched.

use crate::bind::ParamId;
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, Port, PortKind, Restart, Step};
use crate::instr::OperatorFacts;
use crate::plan::JoinType;
use crate::value::Batch;

use super::pairs::{JoinFilter, JoinedTypes, Pairs};

const OUTER: usize = 0;
const INNER: usize = 1;

/// Joins row by row on the outer side, batch by batch on the inner side.
pub(in crate::exec) struct NestedLoop {
    /// Parameters, each set from an outer column.
    params: Vec<(ParamId, usize)>,
    pairs: Pairs,
    outer: Box<Batch>,
    place: usize,
    kind: JoinType,
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
        kind: JoinType,
        params: Vec<(ParamId, usize)>,
        joined: JoinedTypes,
        filter: Option<JoinFilter>,
    ) -> Self {
        NestedLoop {
            params,
            pairs: Pairs::new(kind, joined, filter),
            kind,
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
                    if self.pairs.is_settled() {
                        self.state = State::Closing;
                        continue;
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
                    let room = self.pairs.room(out);
                    let mut n = rest.min(room.candidates).min(cx.work.left() as usize);
                    if self.pairs.takes_one() {
                        n = 1;
                    } else if self.pairs.rows_a_candidate() > 0 {
                        n = n.min(room.rows);
                    }
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

    fn demand(&self, port: Port, wanted: usize) -> usize {
        match port {
            INNER if self.pairs.takes_one() => 1,
            // Several inner rows may be tested for one row of the output.
            INNER if self.kind.first_match_decides() => usize::MAX,
            _ => wanted,
        }
    }

    fn report(&self, facts: &mut OperatorFacts) {
        self.pairs.report(facts);
    }
}
