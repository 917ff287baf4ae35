//! Merge Join: two inputs sorted by their keys, read side by side (PostgreSQL's `nodeMergejoin.c`).
//!
//! 1. For an outer row, pass over the inner rows with lower keys.
//! 2. The inner rows with equal keys are its group; it stays at hand for the outer rows that follow
//!    with the same key, where PostgreSQL marks a place and returns to it.
//! 3. Pair the row with its group; close it.
//! 4. What is passed over without a match is given, if the join keeps it, where it is passed over.
//!
//! The inner side is pulled under both drivers: a pipeline cannot wait for another one's row.

mod window;

use std::cmp::Ordering;

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::Program;
use crate::instr::OperatorFacts;
use crate::memory::Memory;
use crate::plan::JoinType;
use crate::value::Batch;

use super::pairs::{JoinFilter, JoinedTypes, Pairs};
use super::row_keys::RowKeys;
use window::Window;

const OUTER: usize = 0;
const INNER: usize = 1;

/// The keys of both sides, and how both are sorted.
pub(in crate::exec) struct MergeKeys {
    pub(in crate::exec) outer: Vec<Program>,
    pub(in crate::exec) inner: Vec<Program>,
    pub(in crate::exec) descending: Vec<bool>,
    /// Rows whose first key is NULL come first; otherwise nothing behind the first such row matches.
    pub(in crate::exec) nulls_first: bool,
}

/// Joins two sorted inputs.
pub(in crate::exec) struct MergeJoin {
    kind: JoinType,
    keys: RowKeys,
    descending: Vec<bool>,
    nulls_first: bool,
    has_filter: bool,
    pairs: Pairs,
    outer: Box<Batch>,
    place: usize,
    /// The bytes to be copied of the widest outer row at hand, and of any inner row so far.
    outer_bytes: u64,
    inner_bytes: u64,
    window: Window,
    /// Rows of the window that are passed over or in the group.
    next: usize,
    /// The first row of the group at hand, which ends at `next`.
    group: Option<usize>,
    /// Rows of the window that need not be given any more.
    given: usize,
    outer_side: Side,
    inner_side: Side,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Running,
    Ended,
}

/// ```text
/// Row ─ behind the group ─> Seeking ─ equal key ─> Filling ─ other key ─> Pairing ─ all ─> Row
///  │ └─ of the group ──────────────────────────────────────────────────────> Pairing
///  │               Seeking ─ higher key ─> Row
///  └─ outer side ends ─> Draining
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The outer row at the place is to be looked at.
    Row,
    /// Its group is looked for.
    Seeking,
    /// Its group is read.
    Filling,
    /// It is paired with its group; so many rows are.
    Pairing(usize),
    /// The rest of the inner side is given.
    Draining,
}

/// What part of the work came to.
enum Move {
    On,
    Answer(Step),
}

impl MergeJoin {
    pub(in crate::exec) fn new(
        kind: JoinType,
        keys: MergeKeys,
        joined: JoinedTypes,
        filter: Option<JoinFilter>,
        memory: &Memory,
    ) -> Self {
        MergeJoin {
            kind,
            keys: RowKeys::new(keys.outer),
            descending: keys.descending,
            nulls_first: keys.nulls_first,
            has_filter: filter.is_some(),
            window: Window::new(joined.inner.clone(), keys.inner, memory),
            pairs: Pairs::new(kind, joined, filter),
            outer: Box::default(),
            place: 0,
            outer_bytes: 0,
            inner_bytes: 0,
            next: 0,
            group: None,
            given: 0,
            outer_side: Side::Running,
            inner_side: Side::Running,
            state: State::Row,
        }
    }

    fn run(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        loop {
            if self.pairs.is_begun()
                && let Some(step) = self.flush(cx, out)?
            {
                return Ok(step);
            }
            if cx.work.is_exhausted() {
                return Ok(match self.flush(cx, out)? {
                    Some(step) => step,
                    None => Step::Yield,
                });
            }
            let next = match self.state {
                State::Row => self.row(cx, out)?,
                State::Seeking => self.seek(cx, out)?,
                State::Filling => self.fill(cx, out)?,
                State::Pairing(paired) => self.pair(cx, paired, out)?,
                State::Draining => self.drain(cx, out)?,
            };
            if let Move::Answer(step) = next {
                return Ok(step);
            }
        }
    }

    /// Deals with the candidates at hand. Some(step): answer that.
    fn flush(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Option<Step>> {
        self.pairs
            .flush(cx, &self.outer.columns, self.window.columns(), out)
    }

    fn row(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Move> {
        if self.place == self.outer.len() {
            return self.next_outer(cx, out);
        }
        if self.place == self.keys.known() {
            // An error in a key comes behind the rows before it.
            if let Some(step) = self.flush(cx, out)? {
                return Ok(Move::Answer(step));
            }
            if let Some(step) = self.keys.advance(cx, &self.outer)? {
                return Ok(Move::Answer(step));
            }
        }
        cx.work.spend(1);
        let columns = &self.keys.columns;
        if columns.iter().any(|key| key.is_null(self.place)) {
            let is_last = !self.nulls_first && columns[0].is_null(self.place);
            if is_last && !self.kind.keeps_outer() {
                return self.end_of_outer(cx, out);
            }
            return self.close(cx, out);
        }
        self.state = match self.group {
            None => State::Seeking,
            Some(group) => {
                let keys = &self.keys.columns;
                match self
                    .window
                    .compare(group, keys, self.place, &self.descending)
                {
                    Ordering::Equal => State::Pairing(0),
                    _ => {
                        // Without a filter the whole group has a match.
                        if !self.has_filter {
                            self.given = self.next;
                        }
                        self.group = None;
                        State::Seeking
                    }
                }
            }
        };
        Ok(Move::On)
    }

    fn next_outer(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Move> {
        if let Some(step) = self.flush(cx, out)? {
            return Ok(Move::Answer(step));
        }
        match self.outer_side {
            Side::Running => Ok(Move::Answer(Step::Need(OUTER))),
            Side::Ended => self.end_of_outer(cx, out),
        }
    }

    /// No outer row can have a match any more.
    fn end_of_outer(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Move> {
        if let Some(step) = self.flush(cx, out)? {
            return Ok(Move::Answer(step));
        }
        if !self.kind.keeps_inner() {
            return Ok(Move::Answer(Step::Done));
        }
        if self.group.take().is_some() && !self.has_filter {
            self.given = self.next;
        }
        self.state = State::Draining;
        Ok(Move::On)
    }

    /// The outer row at the place has no further candidates.
    fn close(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Move> {
        if !self.pairs.fits_more(out) {
            return self.make_room(cx, out);
        }
        self.pairs.close(self.outer.row(self.place) as u32);
        self.place += 1;
        self.state = State::Row;
        Ok(Move::On)
    }

    /// Deals with the candidates at hand, which could fill the output.
    fn make_room(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Move> {
        if let Some(step) = self.flush(cx, out)? {
            return Ok(Move::Answer(step));
        }
        Ok(match self.pairs.is_enough(out) {
            true => Move::Answer(Step::More),
            false => Move::On,
        })
    }

    /// Gives the inner rows that were passed over without a match.
    fn give(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Option<Step>> {
        if !self.kind.keeps_inner() {
            self.given = self.next;
        }
        while self.given < self.next {
            if let Some(step) = self.flush(cx, out)? {
                return Ok(Some(step));
            }
            if out.is_full() || self.pairs.is_wide(out) {
                return Ok(Some(Step::More));
            }
            if cx.work.is_exhausted() {
                return Ok(Some(Step::Yield));
            }
            let rows = (self.given, self.next);
            self.given = self
                .pairs
                .give_unmatched(cx, self.window.columns(), rows, out);
        }
        Ok(None)
    }

    /// Makes row `next` be in the window. Some(step): answer that, unless the side has ended.
    fn reach(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Option<Step>> {
        if let Some(step) = self.flush(cx, out)? {
            return Ok(Some(step));
        }
        let needed = match self.group {
            Some(group) => group.min(self.given),
            None => self.given,
        };
        let dropped = self.window.drop_first(needed)?;
        if dropped > 0 {
            self.next -= dropped;
            self.given -= dropped;
            self.group = self.group.map(|group| group - dropped);
            self.pairs.drop_first_inner(dropped, self.window.len());
        }
        if !self.window.has_more() {
            return Ok(Some(Step::Need(INNER)));
        }
        self.window.take(cx)
    }

    fn seek(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Move> {
        if let Some(step) = self.give(cx, out)? {
            return Ok(Move::Answer(step));
        }
        let mut ended = self.next == self.window.len() && self.inner_side == Side::Ended;
        if self.next == self.window.len() && !ended {
            return Ok(self.reach(cx, out)?.map_or(Move::On, Move::Answer));
        }
        if !ended && self.window.has_null(self.next) {
            let is_last = !self.nulls_first && self.window.first_key_is_null(self.next);
            ended = is_last && !self.kind.keeps_inner();
            if !ended {
                return Ok(self.pass_over(cx));
            }
        }
        if ended {
            if self.kind.keeps_outer() {
                return self.close(cx, out);
            }
            let step = self.flush(cx, out)?;
            return Ok(Move::Answer(step.unwrap_or(Step::Done)));
        }
        let order =
            self.window
                .compare(self.next, &self.keys.columns, self.place, &self.descending);
        match order {
            Ordering::Less => Ok(self.pass_over(cx)),
            Ordering::Equal => {
                self.group = Some(self.next);
                self.next += 1;
                self.state = State::Filling;
                Ok(Move::On)
            }
            Ordering::Greater => self.close(cx, out),
        }
    }

    /// Passes over the inner row.
    fn pass_over(&mut self, cx: &mut ExecCx) -> Move {
        self.next += 1;
        cx.work.spend(1);
        Move::On
    }

    fn fill(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Move> {
        let Some(group) = self.group else {
            self.state = State::Row;
            return Ok(Move::On);
        };
        let before = self.next;
        let end = self.window.len();
        let most = end.min(before + cx.work.left() as usize);
        while self.next < most && self.window.same(group, self.next) {
            self.next += 1;
        }
        cx.work.spend((self.next - before) as u32);
        if self.next == end && self.inner_side == Side::Running {
            return Ok(self.reach(cx, out)?.map_or(Move::On, Move::Answer));
        }
        if self.next < most || self.next == end {
            self.state = State::Pairing(0);
        }
        Ok(Move::On)
    }

    fn pair(&mut self, cx: &mut ExecCx, mut paired: usize, out: &mut Batch) -> Result<Move> {
        let group = self.group.unwrap_or(self.next);
        let row = self.outer.row(self.place) as u32;
        if paired > 0 && self.pairs.is_settled() {
            return self.close(cx, out);
        }
        let work = cx.work.left() as usize;
        let most = match self.pairs.takes_one() {
            true => 1,
            false => self.next - group,
        };
        let mut left = work;
        while paired < most && left > 0 && self.pairs.fits_more(out) {
            self.pairs.push(row, (group + paired) as u32);
            paired += 1;
            left -= 1;
        }
        cx.work.spend((work - left) as u32);
        self.state = State::Pairing(paired);
        match paired == most {
            true => self.close(cx, out),
            false if left == 0 => Ok(Move::On),
            false => self.make_room(cx, out),
        }
    }

    fn drain(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Move> {
        let end = self.window.len();
        if self.next < end {
            self.next = end;
        }
        if let Some(step) = self.give(cx, out)? {
            return Ok(Move::Answer(step));
        }
        if self.inner_side == Side::Ended && !self.window.has_more() {
            return Ok(Move::Answer(Step::Done));
        }
        Ok(self.reach(cx, out)?.map_or(Move::On, Move::Answer))
    }
}

impl Operator for MergeJoin {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream, PortKind::Pulled]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go => {}
            Input::Batch(OUTER, batch) => {
                std::mem::swap(batch, &mut self.outer);
                self.place = 0;
                self.keys.start();
                self.outer_bytes = self.outer.widest(cx.batch_rows);
                self.pairs.start(self.outer_bytes + self.inner_bytes);
            }
            Input::Batch(_, batch) => {
                self.inner_bytes = self.inner_bytes.max(batch.widest(cx.batch_rows));
                self.pairs.start(self.outer_bytes + self.inner_bytes);
                self.window.receive(batch);
            }
            Input::End(OUTER) => self.outer_side = Side::Ended,
            Input::End(_) => self.inner_side = Side::Ended,
        }
        self.run(cx, out)
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.pairs.clear();
        self.window.clear();
        self.place = self.outer.len();
        (self.next, self.given, self.group) = (0, 0, None);
        (self.outer_side, self.inner_side) = (Side::Running, Side::Running);
        self.state = State::Row;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        self.pairs.report(facts);
        facts.peak_memory += self.window.peak();
    }
}
