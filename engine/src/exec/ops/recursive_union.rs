//! Recursive Union: WITH RECURSIVE (PostgreSQL's `nodeRecursiveunion.c`).
//!
//! 1. Give the rows of the non-recursive part; they are the first work table.
//! 2. Run the recursive part over the work table; its rows are given, and are the next work table.
//! 3. Repeat until a round gives nothing.
//!
//! Under UNION a row that was given before is neither given nor worked on again. Rows go up as they
//! come, so that a recursion without an end ends under a LIMIT.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::instr::OperatorFacts;
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Type};

use super::group_table::GroupTable;
use super::references::with_references;
use super::shared_rows::{KeptRows, SharedRows};

const FIRST: usize = 0;
const AGAIN: usize = 1;

/// Runs its second input round by round.
pub(in crate::exec) struct RecursiveUnion {
    types: Vec<Type>,
    /// What UNION has given already.
    seen: Option<Seen>,
    work_table: SharedRows,
    next: SharedRows,
    batch: Box<Batch>,
    state: State,
}

/// All rows given so far.
struct Seen {
    table: GroupTable,
    groups: Vec<u32>,
    fresh: Vec<u32>,
    holding: Holding,
}

/// ```text
/// First ─ non-recursive part ends ─> Round ─ recursive part ends ─> Round …, until a round is empty
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    First,
    Round,
}

/// What came of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Batch,
    Nothing,
}

impl RecursiveUnion {
    pub(in crate::exec) fn new(
        all: bool,
        types: Vec<Type>,
        work_table: SharedRows,
        memory: &Memory,
    ) -> Self {
        RecursiveUnion {
            seen: (!all).then(|| Seen {
                table: GroupTable::new(&types),
                groups: Vec::new(),
                fresh: Vec::new(),
                holding: memory.holding(),
            }),
            next: KeptRows::shared(types.clone(), memory),
            types,
            work_table,
            batch: Box::default(),
            state: State::First,
        }
    }

    /// Gives the rows of the batch at hand that are new. False: the work allowance ran out first.
    fn give(&mut self, cx: &mut ExecCx, out: &mut Box<Batch>) -> Result<Pending> {
        if let Some(seen) = &mut self.seen {
            let n = self.batch.len();
            if !seen.table.reserve(n, &mut cx.work) {
                return Ok(Pending::Batch);
            }
            let known = seen.table.len();
            let (table, groups) = (&mut seen.table, &mut seen.groups);
            let rows = self.batch.rows();
            with_references(&self.batch.columns, |keys| table.find(keys, rows, groups));
            // Groups are numbered in the order they are met.
            seen.fresh.clear();
            let mut next = known as u32;
            for (row, &group) in rows.iter().zip(&seen.groups) {
                if group == next {
                    seen.fresh.push(row as u32);
                    next += 1;
                }
            }
            cx.work.spend((n * (1 + self.types.len())) as u32);
            seen.holding.set(seen.table.accounted_bytes())?;
            if seen.fresh.len() < n {
                self.batch.swap_selection(&mut seen.fresh);
            }
        }
        cx.work.spend(self.batch.len() as u32);
        self.next.borrow_mut().append(&self.batch)?;
        std::mem::swap(&mut self.batch, out);
        self.batch.begin(0);
        Ok(Pending::Nothing)
    }

    /// A part has ended: the rows it gave are the work table of the next round.
    fn next_round(&mut self) -> Step {
        std::mem::swap(
            &mut *self.work_table.borrow_mut(),
            &mut *self.next.borrow_mut(),
        );
        self.next.borrow_mut().clear();
        if self.work_table.borrow().len() == 0 {
            return Step::Done;
        }
        self.state = State::Round;
        Step::Rescan(AGAIN)
    }

    fn port(&self) -> usize {
        match self.state {
            State::First => FIRST,
            State::Round => AGAIN,
        }
    }
}

impl Operator for RecursiveUnion {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream, PortKind::Pulled]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go if self.batch.is_empty() => return Ok(Step::Need(self.port())),
            Input::Go => {}
            Input::Batch(_, batch) => std::mem::swap(batch, &mut self.batch),
            Input::End(_) => return Ok(self.next_round()),
        }
        Ok(match self.give(cx, out)? {
            Pending::Batch => Step::Yield,
            Pending::Nothing if out.is_empty() => Step::Need(self.port()),
            Pending::Nothing => Step::More,
        })
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        if let Some(seen) = &mut self.seen {
            seen.table.clear();
            seen.holding.shrink(seen.holding.bytes());
        }
        self.work_table.borrow_mut().clear();
        self.next.borrow_mut().clear();
        self.batch.begin(0);
        self.state = State::First;
        // The recursive part is started over before each round.
        Restart::Only(FIRST)
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory += self.next.borrow().peak() + self.work_table.borrow().peak();
        if let Some(seen) = &self.seen {
            facts.peak_memory += seen.holding.peak();
        }
    }
}
