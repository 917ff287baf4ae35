//! The aggregate calls of a node, brought up to date with rows of the input.
//!
//! Calls are updated one after the other over a window of rows, which is what makes them fast. The
//! error reported is that of the first failing row all the same: what follows a failure is computed
//! for the rows before it only.

use std::ops::Range;

use crate::bind::ParamId;
use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::expr::{Accumulator, EvalCounters, Groups, Program, Stop, StopCause};
use crate::value::{Column, Rows};
use crate::work::Work;

use crate::exec::ops::selector::window;

/// `function(args) FILTER (WHERE filter)`
pub(in crate::exec) struct Call {
    pub(in crate::exec) accumulator: Accumulator,
    pub(in crate::exec) args: Vec<Program>,
    pub(in crate::exec) filter: Option<Program>,
}

/// What a call takes of a row.
#[derive(Clone, Copy)]
enum Takes {
    /// Nothing: `count(*)`.
    Nothing,
    /// The value of an input column.
    Column(usize),
    /// What is computed, or only some rows.
    More,
}

impl Takes {
    fn of(call: &Call) -> Self {
        match (call.args.as_slice(), &call.filter) {
            ([], None) => Takes::Nothing,
            ([arg], None) => arg.slot().map_or(Takes::More, Takes::Column),
            _ => Takes::More,
        }
    }
}

/// All calls of a node, and how far the window at hand has come.
pub(in crate::exec) struct AggregateCalls {
    calls: Vec<(Takes, Call)>,
    cost: u32,
    /// Rows of the window at hand; 0: there is none.
    window: usize,
    /// The call being updated, and the rows of the window it has seen.
    call: usize,
    place: usize,
    /// The first failing row of the window so far, as a count of rows before it.
    failed: Option<(usize, Error)>,
    picked: Vec<u32>,
    picked_groups: Vec<u32>,
}

/// What an update came to.
pub(super) enum Updated {
    All,
    /// The work allowance is spent: update again with the same window after a pause.
    Paused,
    /// Update again with the same window when the parameter has its value.
    Produce(ParamId),
    Failed(Error),
}

impl AggregateCalls {
    pub(in crate::exec) fn new(calls: Vec<Call>) -> Self {
        let programs = calls
            .iter()
            .flat_map(|call| call.args.iter().chain(&call.filter));
        let cost = programs
            .map(Program::cost)
            .fold(calls.len() as u32, u32::saturating_add);
        AggregateCalls {
            calls: (calls.into_iter())
                .map(|call| (Takes::of(&call), call))
                .collect(),
            cost: cost.max(1),
            window: 0,
            call: 0,
            place: 0,
            failed: None,
            picked: Vec::new(),
            picked_groups: Vec::new(),
        }
    }

    /// How many of `rest` rows to hand to [`AggregateCalls::update`] next: those of a window begun, or
    /// as many as the work left allows at `extra` units a row besides the calls' own.
    pub(super) fn window(&mut self, work: &Work, extra: u32, rest: usize) -> usize {
        if self.window == 0 {
            self.window = window(work, self.cost.saturating_add(extra), rest);
        }
        self.window
    }

    /// The window turned out to be shorter; nothing of it was added yet.
    pub(super) fn shrink_window(&mut self, rows: usize) {
        self.window = rows;
    }

    /// The window is given up; nothing of it was added.
    pub(super) fn forget_window(&mut self) {
        self.window = 0;
    }

    pub(super) fn grow(&mut self, groups: usize) {
        for (_, call) in &mut self.calls {
            call.accumulator.grow(groups);
        }
    }

    pub(super) fn reset(&mut self) {
        for (_, call) in &mut self.calls {
            call.accumulator.reset();
        }
        (self.window, self.call, self.place, self.failed) = (0, 0, 0, None);
    }

    pub(super) fn accounted_bytes(&self) -> u64 {
        self.calls
            .iter()
            .map(|(_, call)| call.accumulator.accounted_bytes())
            .sum()
    }

    /// Adds a window of rows to their groups. After [`Updated::Paused`] and [`Updated::Produce`] it
    /// goes on where it was.
    pub(super) fn update(
        &mut self,
        cx: &mut ExecCx,
        columns: &[Column],
        rows: Rows<'_>,
        groups: Groups<'_>,
    ) -> Updated {
        debug_assert_eq!(rows.len(), self.window);
        if (self.call, self.place) == (0, 0) {
            cx.work.spend((rows.len() as u32).saturating_mul(self.cost));
        }
        while self.call < self.calls.len() {
            let end = self.failed.as_ref().map_or(rows.len(), |(row, _)| *row);
            while self.place < end {
                let part = rows.slice(self.place, end);
                let groups = match groups {
                    Groups::One(group) => Groups::One(group),
                    Groups::Each(ids) => Groups::Each(&ids[self.place..end]),
                };
                let (_, call) = &mut self.calls[self.call];
                let buffers = (&mut self.picked, &mut self.picked_groups);
                let Err(stop) = update_call(call, buffers, cx, columns, part, groups) else {
                    break;
                };
                self.place += part.below(stop.row).len();
                match stop.cause {
                    None if cx.work.is_exhausted() => return Updated::Paused,
                    None => {}
                    Some(StopCause::Produce(param)) => return Updated::Produce(param),
                    Some(StopCause::Error(error)) => {
                        self.failed = Some((self.place, error));
                        break;
                    }
                }
            }
            self.call += 1;
            self.place = 0;
        }
        (self.window, self.call) = (0, 0);
        match self.failed.take() {
            None => Updated::All,
            Some((_, error)) => Updated::Failed(error),
        }
    }

    /// Adds one row to a group: a window of one that needs no place to be kept unless a call stops. No
    /// window is begun.
    #[inline(always)]
    pub(super) fn update_one(
        &mut self,
        cx: &mut ExecCx,
        columns: &[Column],
        row: usize,
        group: usize,
    ) -> Updated {
        debug_assert_eq!((self.window, self.call, self.place), (0, 0, 0));
        cx.work.spend(self.cost);
        for (at, (takes, call)) in self.calls.iter_mut().enumerate() {
            let added = match *takes {
                Takes::Nothing => call.accumulator.update_one(group, &[], row),
                Takes::Column(slot) => (call.accumulator).update_one(group, &[&columns[slot]], row),
                Takes::More => {
                    let buffers = (&mut self.picked, &mut self.picked_groups);
                    let rows = Rows::Range(row, row + 1);
                    update_call(call, buffers, cx, columns, rows, Groups::One(group))
                }
            };
            if let Err(stop) = added {
                match stop.of_single_row() {
                    StopCause::Error(error) => return Updated::Failed(error),
                    StopCause::Produce(param) => {
                        (self.window, self.call) = (1, at);
                        return Updated::Produce(param);
                    }
                }
            }
        }
        Updated::All
    }

    /// Appends the results of a range of groups to `out`, one column a call. Errors: of the final
    /// functions; `out` then holds the groups before the failing one.
    pub(super) fn finish(&mut self, groups: Range<usize>, out: &mut [Column]) -> Result<()> {
        let before = out.first().map_or(0, Column::len);
        let all = self.finish_range(groups.clone(), out);
        if all.is_ok() {
            return Ok(());
        }
        out.iter_mut().for_each(|column| column.truncate(before));
        for group in groups {
            let good = out.first().map_or(0, Column::len);
            if let Err(error) = self.finish_range(group..group + 1, out) {
                out.iter_mut().for_each(|column| column.truncate(good));
                return Err(error);
            }
        }
        all
    }

    fn finish_range(&mut self, groups: Range<usize>, out: &mut [Column]) -> Result<()> {
        for ((_, call), column) in self.calls.iter_mut().zip(out) {
            call.accumulator.finish(groups.clone(), column)?;
        }
        Ok(())
    }
}

/// Updates one call. On a stop all rows before it are added, and none from it on.
fn update_call(
    call: &mut Call,
    (picked, picked_groups): (&mut Vec<u32>, &mut Vec<u32>),
    cx: &mut ExecCx,
    columns: &[Column],
    rows: Rows<'_>,
    groups: Groups<'_>,
) -> Result<(), Stop> {
    let mut counters = EvalCounters::default();
    let Some(filter) = &mut call.filter else {
        return update_rows(call, cx, columns, rows, groups);
    };
    picked.clear();
    let stop = filter.filter(&mut cx.eval(&mut counters), columns, rows, picked);
    let groups = match groups {
        Groups::One(group) => Groups::One(group),
        Groups::Each(ids) => {
            picked_groups.clear();
            let mut wanted = picked.iter().copied().peekable();
            for (i, row) in rows.iter().enumerate() {
                if wanted.next_if_eq(&(row as u32)).is_some() {
                    picked_groups.push(ids[i]);
                }
            }
            Groups::Each(picked_groups)
        }
    };
    update_rows(call, cx, columns, Rows::Picked(picked), groups)?;
    stop.map_or(Ok(()), Err)
}

fn update_rows(
    call: &mut Call,
    cx: &mut ExecCx,
    columns: &[Column],
    rows: Rows<'_>,
    groups: Groups<'_>,
) -> Result<(), Stop> {
    match call.args.as_mut_slice() {
        [] => call.accumulator.update(groups, &[], rows),
        [arg] => {
            let mut counters = EvalCounters::default();
            let (column, stop) = arg.eval(&mut cx.eval(&mut counters), columns, rows);
            let rows = stop.as_ref().map_or(rows, |stop| rows.below(stop.row));
            call.accumulator
                .update(first(groups, rows.len()), &[column], rows)?;
            stop.map_or(Ok(()), Err)
        }
        args => {
            let (mut values, mut rows, mut stop) = (Vec::with_capacity(args.len()), rows, None);
            for arg in args {
                let mut counters = EvalCounters::default();
                let (column, stopped) = arg.eval(&mut cx.eval(&mut counters), columns, rows);
                if let Some(stopped) = stopped {
                    rows = rows.below(stopped.row);
                    stop = Some(stopped);
                }
                values.push(column);
            }
            call.accumulator
                .update(first(groups, rows.len()), &values, rows)?;
            stop.map_or(Ok(()), Err)
        }
    }
}

/// The groups of the first `n` rows.
fn first(groups: Groups<'_>, n: usize) -> Groups<'_> {
    match groups {
        Groups::Each(ids) => Groups::Each(&ids[..n]),
        one => one,
    }
}
