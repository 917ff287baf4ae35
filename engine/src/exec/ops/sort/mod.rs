//! Sort: in memory, in bounded pieces; under a LIMIT only the rows that can still be among the first.
//!
//! 1. Rows are taken in as columns. Each has an *entry*: an order-preserving prefix of its first key and
//!    its number. Comparing prefixes decides most comparisons; equal ones compare the columns.
//! 2. Entries are sorted in runs of a fixed length, then merged pairwise, as far as the work allowance
//!    of a step goes.
//! 3. Rows are given out by their sorted entries. Rows equal in all keys stay in input order.

mod entries;
mod merge;

use std::mem;

use entries::{Entry, Order};
use merge::MergeSort;

use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::{Program, StopCause};
use crate::instr::{OperatorFacts, SortFacts, SortMethod};
use crate::memory::{Holding, Memory};
use crate::value::{Batch, KeyOrder, Rows, Type};

use super::row_count::count;

/// A bound above this sorts everything: pruning would cost more than it saves.
const MOST_BOUND: u64 = 4096;
/// Rows taken in beyond the bound before the worst are dropped.
const PRUNE_AFTER: usize = 1024;
/// Accounted bytes of an entry.
const ENTRY_BYTES: u64 = 16;

/// Takes all rows in, then gives them in order.
pub(in crate::exec) struct Sort {
    order: Order,
    types: Vec<Type>,
    bound: Option<Bound>,
    rows: Batch,
    entries: Vec<Entry>,
    /// Rows taken in so far, dropped ones included.
    taken: u64,
    /// Accounted bytes of the rows.
    bytes: u64,
    /// Scratch of pruning: the rows that stay.
    stay: Vec<u32>,
    picked: Vec<u32>,
    state: State,
    holding: Holding,
}

/// LIMIT and OFFSET of the node above.
pub(in crate::exec) struct Bound {
    limit: Option<Program>,
    offset: Option<Program>,
    /// Rows that can be asked for; `None`: all, or not known yet.
    rows: Option<usize>,
}

/// ```text
/// Starting ─ bound known ─> Taking ─ input ends ─> Sorting ─ sorted ─> Giving
/// ```
enum State {
    Starting,
    Taking,
    Sorting(MergeSort<Entry>),
    /// Rows given so far.
    Giving(usize),
}

impl Bound {
    pub(in crate::exec) fn new(limit: Program, offset: Option<Program>) -> Self {
        Bound {
            limit: Some(limit),
            offset,
            rows: None,
        }
    }
}

impl Sort {
    pub(in crate::exec) fn new(
        keys: Vec<KeyOrder>,
        types: Vec<Type>,
        bound: Option<Bound>,
        memory: &Memory,
    ) -> Self {
        Sort {
            order: Order::new(keys, &types),
            rows: Batch::with_types(&types),
            types,
            bound,
            entries: Vec::new(),
            taken: 0,
            bytes: 0,
            stay: Vec::new(),
            picked: Vec::new(),
            state: State::Starting,
            holding: memory.holding(),
        }
    }

    /// Computes the bound. The Limit above reports a negative number, and NULL bounds nothing.
    fn start(&mut self, cx: &mut ExecCx) -> Result<Step, StopCause> {
        if let Some(bound) = &mut self.bound {
            let offset = count(&mut bound.offset, cx)?.unwrap_or(0).max(0) as u64;
            bound.rows = count(&mut bound.limit, cx)?
                .map(|limit| offset.saturating_add(limit.max(0) as u64))
                .filter(|&rows| rows <= MOST_BOUND)
                .map(|rows| rows as usize);
        }
        self.state = State::Taking;
        Ok(Step::Need(0))
    }

    fn bound(&self) -> Option<usize> {
        self.bound.as_ref().and_then(|bound| bound.rows)
    }

    fn take(&mut self, cx: &mut ExecCx, batch: &Batch) -> Result<Step> {
        let from = self.rows.physical_rows();
        if self.taken + batch.len() as u64 >= u64::from(u32::MAX) {
            return Err(Error::unsupported("sorting more than 4294967294 rows"));
        }
        self.rows.append(batch);
        self.order.add_entries(
            &self.rows.columns,
            Rows::Range(from, self.rows.physical_rows()),
            &mut self.entries,
        );
        self.taken += batch.len() as u64;
        self.bytes += self.rows.accounted_from(from);
        cx.work.spend(batch.len() as u32);
        if let Some(bound) = self.bound()
            && self.entries.len() >= bound * 2 + PRUNE_AFTER
        {
            self.prune(cx, bound);
        }
        self.holding
            .set(self.bytes + self.entries.len() as u64 * ENTRY_BYTES)?;
        Ok(Step::Need(0))
    }

    /// Keeps the first `bound` rows of the order, in input order.
    fn prune(&mut self, cx: &mut ExecCx, bound: usize) {
        let (order, columns) = (&self.order, &self.rows.columns);
        cx.work.spend(self.entries.len() as u32 * 4);
        if bound > 0 {
            self.entries
                .select_nth_unstable_by(bound - 1, |a, b| order.compare(columns, a, b));
        }
        self.stay.clear();
        self.stay
            .extend(self.entries[..bound].iter().map(|entry| entry.row));
        self.stay.sort_unstable();
        let mut kept = Batch::with_types(&self.types);
        for (to, from) in kept.columns.iter_mut().zip(columns) {
            to.gather(from, &self.stay);
        }
        kept.set_physical_rows(bound);
        self.rows = kept;
        self.bytes = self.rows.accounted_bytes();
        self.entries.clear();
        self.order
            .add_entries(&self.rows.columns, Rows::Range(0, bound), &mut self.entries);
    }

    fn sort(&mut self, cx: &mut ExecCx) -> Step {
        let State::Sorting(sort) = &mut self.state else {
            return Step::More;
        };
        let (order, columns) = (&self.order, &self.rows.columns);
        match sort.run(&mut cx.work, |a, b| order.compare(columns, a, b)) {
            None => Step::Yield,
            Some(sorted) => {
                self.holding.shrink(sorted.len() as u64 * ENTRY_BYTES);
                self.entries = sorted;
                self.state = State::Giving(0);
                Step::More
            }
        }
    }

    fn give(&mut self, cx: &mut ExecCx, from: usize, out: &mut Batch) -> Step {
        let most = (self.entries.len() - from).min(out.want);
        out.prepare(&self.types);
        self.picked.clear();
        self.picked.extend(
            self.entries[from..from + most]
                .iter()
                .map(|entry| entry.row),
        );
        if self.bytes >= Batch::FULL_BYTES {
            let n = self.rows.rows_to_fill(Rows::Picked(&self.picked));
            self.picked.truncate(n);
        }
        let n = self.picked.len();
        for (to, column) in out.columns.iter_mut().zip(&self.rows.columns) {
            to.gather(column, &self.picked);
        }
        out.set_physical_rows(n);
        cx.work.spend(n as u32);
        if self.bytes >= Batch::FULL_BYTES {
            cx.work.spend_bytes(out.accounted_bytes());
        }
        self.state = State::Giving(from + n);
        if from + n < self.entries.len() {
            Step::More
        } else {
            Step::Done
        }
    }
}

impl Operator for Sort {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Build]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Batch(_, batch) => self.take(cx, batch),
            Input::End(_) => {
                // Merging takes a second vector of entries.
                self.holding.grow(self.entries.len() as u64 * ENTRY_BYTES)?;
                self.state = State::Sorting(MergeSort::new(mem::take(&mut self.entries)));
                Ok(Step::More)
            }
            Input::Go => match self.state {
                State::Starting => match self.start(cx) {
                    Ok(step) => Ok(step),
                    Err(StopCause::Produce(param)) => Ok(Step::Produce(param)),
                    Err(StopCause::Error(error)) => Err(error),
                },
                State::Taking => Ok(Step::Need(0)),
                State::Sorting(_) => Ok(self.sort(cx)),
                State::Giving(given) => Ok(self.give(cx, given, out)),
            },
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, changed: Changed) -> Restart {
        if matches!(self.state, State::Giving(_)) && !changed.anything() {
            self.state = State::Giving(0);
            return Restart::Nothing;
        }
        self.rows.reset(&self.types, 0);
        self.entries.clear();
        self.taken = 0;
        self.bytes = 0;
        self.holding.shrink(self.holding.bytes());
        self.state = State::Starting;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory += self.holding.peak();
        let method = if self
            .bound()
            .is_some_and(|bound| (bound as u64) < self.taken)
        {
            SortMethod::TopN
        } else {
            SortMethod::Quicksort
        };
        facts.sort = Some(SortFacts {
            method,
            bytes: self.holding.peak(),
        });
    }
}
