//! Seq Scan: a table's rows, by its access method.
//!
//! 1. The access method appends visible rows that satisfy the scan keys. It asks for the keys at the
//!    first visible tuple; only then are their values computed, so that an error in one is not
//!    raised on an empty table.
//! 2. The filter is evaluated here, as PostgreSQL's `ExecScan` does, and the scan goes on until a row
//!    passes: a rejected tuple costs no hand-over.

use std::mem;

use crate::am::{ScanCounters, ScanStep, TableScan};
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Progress, Restart, Step};
use crate::expr::{Program, StopCause};
use crate::instr::{OperatorFacts, ScanFacts, ScanPages};
use crate::value::{Batch, Type};

use super::scan_keys::KeyTests;
use super::selector::{Selected, Selector};

/// A scan of one table.
pub(in crate::exec) struct SeqScan {
    source: Source,
    filter: Option<Selector>,
    /// The filter begins with conditions that the access method has tested already.
    rechecks: bool,
    /// Rows that the filter has still to see.
    batch: Box<Batch>,
    state: State,
}

/// The access method's scan, and what it is told.
struct Source {
    scan: Box<dyn TableScan>,
    keys: KeyTests,
    types: Vec<Type>,
    counters: ScanCounters,
}

/// Where a scan with a filter is.
///
/// ```text
/// Scanning ── rows ──> Testing ── tested, the scan being done ──> Over
///    ^─── tested ─────────┘
/// ```
#[derive(Debug)]
enum State {
    Scanning,
    /// What the scan answered or how it failed: to follow once the rows at hand are tested.
    Testing(Result<Step>),
    Over,
}

impl SeqScan {
    pub(in crate::exec) fn new(
        scan: Box<dyn TableScan>,
        keys: KeyTests,
        filter: Option<Program>,
        rechecks: bool,
        types: Vec<Type>,
    ) -> Self {
        SeqScan {
            source: Source {
                scan,
                keys,
                types,
                counters: ScanCounters::default(),
            },
            filter: filter.map(Selector::new),
            rechecks,
            batch: Box::default(),
            state: State::Scanning,
        }
    }
}

impl Source {
    /// Appends rows to `out` until its demand is met.
    #[inline(always)]
    fn fill(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        out.prepare(&self.types);
        match self.scan.next(&mut cx.am(&mut self.counters), out) {
            // Nearly always.
            Ok(ScanStep::Rows) => Ok(Step::More),
            other => self.fill_on(cx, out, other),
        }
    }

    /// Goes on with what the access method answered.
    #[inline(never)]
    fn fill_on(
        &mut self,
        cx: &mut ExecCx,
        out: &mut Batch,
        mut answer: Result<ScanStep>,
    ) -> Result<Step> {
        loop {
            match answer? {
                ScanStep::Rows => return Ok(Step::More),
                ScanStep::Pause => return Ok(Step::Yield),
                ScanStep::End => return Ok(Step::Done),
                ScanStep::NeedKeys => match self.keys.evaluate(cx) {
                    Ok(keys) => self.scan.set_keys(&keys)?,
                    Err(StopCause::Produce(param)) => return Ok(Step::Produce(param)),
                    Err(StopCause::Error(error)) => return Err(error),
                },
            }
            answer = self.scan.next(&mut cx.am(&mut self.counters), out);
        }
    }
}

/// As [`scan_and_filter`] when one row is wanted and none is at hand: a row that the filter can test on
/// its own stays where the scan has put it.
#[inline]
fn scan_and_test(
    source: &mut Source,
    filter: &mut Selector,
    batch: &mut Box<Batch>,
    state: &mut State,
    cx: &mut ExecCx,
    out: &mut Box<Batch>,
) -> Result<Step> {
    loop {
        let filled = source.fill(cx, out);
        if out.is_empty() {
            return filled;
        }
        match filter.test_one(cx, &out.columns, out.row(0)) {
            Some(true) => return filled,
            Some(false) => {
                out.begin(1);
                match filled {
                    Ok(Step::More) if cx.work.is_exhausted() => return Ok(Step::Yield),
                    Ok(Step::More) => {}
                    ended => return ended,
                }
            }
            None => {
                batch.begin(1);
                mem::swap(batch, out);
                filter.start();
                *state = State::Testing(filled);
                return scan_and_filter(source, filter, batch, state, cx, out);
            }
        }
    }
}

/// Scans and filters until rows pass.
fn scan_and_filter(
    source: &mut Source,
    filter: &mut Selector,
    batch: &mut Box<Batch>,
    state: &mut State,
    cx: &mut ExecCx,
    out: &mut Box<Batch>,
) -> Result<Step> {
    loop {
        if let State::Scanning = state {
            batch.begin(out.want);
            let filled = source.fill(cx, batch);
            if batch.is_empty() {
                return filled;
            }
            filter.start();
            *state = State::Testing(filled);
        }
        let State::Testing(then) = state else {
            return Ok(Step::Done);
        };
        match filter.run(cx, &batch.columns, batch.rows()) {
            Selected::All => {}
            Selected::Paused => return Ok(Step::Yield),
            Selected::Produce(param) => {
                // The rows before it must not wait: a LIMIT above may be met by them.
                filter.copy(batch, out);
                return Ok(Step::Produce(param));
            }
            Selected::Failed(error) => {
                filter.give(batch, out);
                return Err(error);
            }
        }
        let next = if *then == Ok(Step::Done) {
            State::Over
        } else {
            State::Scanning
        };
        let State::Testing(then) = mem::replace(state, next) else {
            return Ok(Step::Done);
        };
        let none = filter.kept().is_empty();
        if !none {
            filter.give(batch, out);
        }
        if !none || then != Ok(Step::More) {
            return then;
        }
    }
}

impl Operator for SeqScan {
    fn ports(&self) -> &[PortKind] {
        &[]
    }

    fn step(&mut self, cx: &mut ExecCx, _input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match &mut self.filter {
            None => self.source.fill(cx, out),
            Some(filter) if out.want == 1 && matches!(self.state, State::Scanning) => {
                scan_and_test(
                    &mut self.source,
                    filter,
                    &mut self.batch,
                    &mut self.state,
                    cx,
                    out,
                )
            }
            Some(filter) => scan_and_filter(
                &mut self.source,
                filter,
                &mut self.batch,
                &mut self.state,
                cx,
                out,
            ),
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.source.scan.rescan_asking();
        self.state = State::Scanning;
        Restart::Nothing
    }

    fn report(&self, facts: &mut OperatorFacts) {
        let counters = &self.source.counters;
        facts.scan = Some(ScanFacts {
            pages_read: counters.pages_read,
            pages_skipped: counters.pages_skipped,
            visible: counters.visible,
            removed_by_keys: counters.removed_by_keys,
            key_evaluations: counters.key_evaluations,
        });
        if let Some(filter) = &self.filter {
            facts.removed_by_filter += filter.removed();
            filter.report(facts);
            if self.rechecks {
                facts.rows_rechecked += filter.tested();
            }
        }
    }

    fn progress(&self) -> Option<Progress> {
        let pages = self.source.scan.progress();
        Some(Progress::Pages(ScanPages {
            done: pages.done,
            total: pages.total,
        }))
    }
}
