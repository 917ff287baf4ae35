//! A filter's evaluation over a batch, in windows, with its place kept between two steps.

use crate::bind::ParamId;
use crate::error::Error;
use crate::exec::context::ExecCx;
use crate::expr::{EvalCounters, Program, StopCause};
use crate::instr::OperatorFacts;
use crate::value::{Batch, Column, Rows};
use crate::work::Work;

/// How many of `rest` rows the work left allows at `cost` units a row; at least one.
#[inline]
pub(super) fn window(work: &Work, cost: u32, rest: usize) -> usize {
    // Nearly always all of them, and a division costs more than a row.
    if rest as u64 * u64::from(cost) <= u64::from(work.left()) {
        return rest.max(1);
    }
    ((work.left() / cost) as usize).clamp(1, rest)
}

/// What a run came to.
#[derive(Debug)]
pub(super) enum Selected {
    /// All rows were tested.
    All,
    /// The work allowance is spent; run again after a pause.
    Paused,
    /// The row at the place needs a parameter; run again when it has its value.
    Produce(ParamId),
    /// The row at the place failed.
    Failed(Error),
}

/// A boolean program, and how far it has tested the rows at hand.
pub(super) struct Selector {
    program: Program,
    /// Rows tested, counted among the rows at hand.
    place: usize,
    /// The physical rows that passed, of those tested.
    kept: Vec<u32>,
    counters: EvalCounters,
    tested: u64,
    passed: u64,
}

impl Selector {
    pub(super) fn new(program: Program) -> Self {
        Selector {
            program,
            place: 0,
            kept: Vec::new(),
            counters: EvalCounters::default(),
            tested: 0,
            passed: 0,
        }
    }

    /// New rows are at hand.
    #[inline]
    pub(super) fn start(&mut self) {
        self.place = 0;
        self.kept.clear();
    }

    /// Tests one row on its own, without a place to keep; `None`, and nothing done, where that takes
    /// [`Selector::run`].
    #[inline]
    pub(super) fn test_one(
        &mut self,
        cx: &mut ExecCx,
        columns: &[Column],
        row: usize,
    ) -> Option<bool> {
        let passes = self.program.test_one(&mut self.counters, columns, row)?;
        cx.work.spend(self.program.cost().saturating_mul(2));
        self.tested += 1;
        self.passed += u64::from(passes);
        Some(passes)
    }

    /// Tests the rows from the place on: the same `rows` in every call since [`Selector::start`].
    #[inline]
    pub(super) fn run(&mut self, cx: &mut ExecCx, columns: &[Column], rows: Rows<'_>) -> Selected {
        loop {
            let rest = rows.len() - self.place;
            if rest == 0 {
                return Selected::All;
            }
            if cx.work.is_exhausted() {
                return Selected::Paused;
            }
            let n = window(&cx.work, self.program.cost(), rest);
            let asked = rows.slice(self.place, self.place + n);
            let before = self.kept.len();
            let stop = self.program.filter(
                &mut cx.eval(&mut self.counters),
                columns,
                asked,
                &mut self.kept,
            );
            let done = match &stop {
                None => n,
                Some(stop) => asked.below(stop.row).len(),
            };
            cx.work
                .spend((done as u32 + 1).saturating_mul(self.program.cost()));
            self.place += done;
            self.tested += done as u64;
            self.passed += (self.kept.len() - before) as u64;
            // After a pause the work left decides, as after a window.
            match stop.and_then(|stop| stop.cause) {
                None => {}
                Some(StopCause::Error(error)) => return Selected::Failed(error),
                Some(StopCause::Produce(param)) => return Selected::Produce(param),
            }
        }
    }

    /// Leaves the rows before `place` untested.
    pub(super) fn skip_to(&mut self, place: usize) {
        self.place = place;
    }

    /// Rows tested, counted among the rows at hand.
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// The physical rows that passed so far.
    pub(super) fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// Moves the batch at hand into `out`, with those of its rows that passed.
    #[inline]
    pub(super) fn give(&mut self, batch: &mut Box<Batch>, out: &mut Box<Batch>) {
        std::mem::swap(batch, out);
        if self.kept.len() < out.len() {
            out.swap_selection(&mut self.kept);
        }
    }

    /// Copies the rows that passed so far into `out`, and forgets them: the rest of the batch is
    /// still to be tested.
    pub(super) fn copy(&mut self, batch: &Batch, out: &mut Batch) {
        out.prepare(&batch.types());
        for (to, from) in out.columns.iter_mut().zip(&batch.columns) {
            to.gather(from, &self.kept);
        }
        out.set_physical_rows(out.physical_rows() + self.kept.len());
        self.kept.clear();
    }

    pub(super) fn tested(&self) -> u64 {
        self.tested
    }

    pub(super) fn removed(&self) -> u64 {
        self.tested - self.passed
    }

    pub(super) fn report(&self, facts: &mut OperatorFacts) {
        facts.qual_evaluations += self.counters.qual_evaluations;
    }
}
