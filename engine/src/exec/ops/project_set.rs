//! ProjectSet: a target list with set-returning functions (PostgreSQL's `nodeProjectSet.c`).
//!
//! For each input row all set-returning functions run in step; the shorter ones are filled up with
//! NULLs until the longest is done, and the plain targets are repeated.

use crate::catalog::FunctionRef;
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Progress, Restart, Step};
use crate::expr::{Program, SetFunction, StopCause, make_set_function};
use crate::value::{Batch, Column, Datum, Type};
use crate::work::Work;

use super::row_value::row_value;
use super::series_length::series_length;

/// A target.
pub(in crate::exec) enum Target {
    Plain(Program),
    Set {
        function: FunctionRef,
        args: Vec<Program>,
        ty: Type,
    },
}

/// Runs the functions for one input row after the other.
pub(in crate::exec) struct ProjectSet {
    targets: Vec<Target>,
    /// A plain target is volatile.
    by_row: bool,
    types: Vec<Type>,
    batch: Box<Batch>,
    /// The row of the batch at hand; behind the last one when there is none.
    place: usize,
    /// The running calls, one for each target; `None` for plain targets and for calls that are over.
    calls: Vec<Option<Box<dyn SetFunction>>>,
    /// The values of the plain targets for the row at hand, volatile ones left out.
    plain: Vec<Datum>,
    /// Rows to give at once: as many as make a batch full by the bytes of the plain targets, and one
    /// where these are computed anew for each row.
    most_rows: usize,
    state: State,
    done: u64,
    total: Option<u64>,
}

/// `Starting ─ arguments computed ─> Running ─ longest call over ─> Starting (next row)`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Starting,
    Running,
}

impl ProjectSet {
    pub(in crate::exec) fn new(targets: Vec<Target>) -> Self {
        let types = targets
            .iter()
            .map(|target| match target {
                Target::Plain(program) => program.ty(),
                Target::Set { ty, .. } => *ty,
            })
            .collect();
        let volatile = |target: &Target| matches!(target, Target::Plain(p) if p.is_volatile());
        ProjectSet {
            by_row: targets.iter().any(volatile),
            targets,
            types,
            batch: Box::default(),
            place: 0,
            calls: Vec::new(),
            plain: Vec::new(),
            most_rows: usize::MAX,
            state: State::Starting,
            done: 0,
            total: None,
        }
    }

    fn run(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        out.prepare(&self.types);
        while self.place < self.batch.len() {
            if out.is_full() || self.is_wide(out) {
                return Ok(Step::More);
            }
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            let step = match self.state {
                State::Starting => self.start(cx),
                State::Running => self.give(cx, out),
            };
            match step {
                Ok(()) => {}
                Err(StopCause::Produce(param)) => return Ok(Step::Produce(param)),
                Err(StopCause::Error(error)) => return Err(error),
            }
        }
        Ok(Step::Need(0))
    }

    /// Whether the next rows would make `out` wide; never for an empty one.
    fn is_wide(&self, out: &Batch) -> bool {
        self.state == State::Running && !self.by_row && out.physical_rows() >= self.most_rows
    }

    /// Starts the calls for the row at hand.
    fn start(&mut self, cx: &mut ExecCx) -> Result<(), StopCause> {
        let row = self.batch.row(self.place);
        self.calls.clear();
        self.total = None;
        self.done = 0;
        self.plain.clear();
        for target in &mut self.targets {
            let (function, args) = match target {
                Target::Set { function, args, .. } => (function, args),
                Target::Plain(program) => {
                    let value = match program.is_volatile() {
                        true => Datum::Null,
                        false => row_value(program, cx, &self.batch.columns, row)?,
                    };
                    self.plain.push(value);
                    self.calls.push(None);
                    continue;
                }
            };
            self.plain.push(Datum::Null);
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                values.push(row_value(arg, cx, &self.batch.columns, row)?);
            }
            cx.work.spend(1);
            self.total = self.total.max(series_length(function, &values));
            self.calls
                .push(Some(make_set_function(function, &values, &cx.memory)?));
        }
        let bytes: u64 = self.plain.iter().map(Datum::copied_bytes).sum();
        self.most_rows = if self.by_row {
            1
        } else {
            (Batch::FULL_BYTES / bytes.max(1)).max(1) as usize
        };
        self.state = State::Running;
        Ok(())
    }

    /// Appends rows for the row at hand, as many as fit; goes to the next one when the calls are over.
    fn give(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<(), StopCause> {
        let before = out.physical_rows();
        let room = out.room().min(self.most_rows);
        let given = self.give_sets(&mut cx.work, out, before, room);
        let given = match given {
            Ok(given) => given,
            Err(error) => {
                // What fails midway leaves the columns at different lengths: the rows before count.
                out.columns
                    .iter_mut()
                    .for_each(|column| column.truncate(before));
                return Err(error.into());
            }
        };
        let row = self.batch.row(self.place);
        let targets = self.targets.iter_mut().zip(&self.plain);
        for ((target, value), column) in targets.zip(&mut out.columns) {
            let Target::Plain(program) = target else {
                continue;
            };
            let outcome = repeat(program, value, cx, &self.batch.columns, row, given, column);
            if let Err(cause) = outcome {
                out.columns
                    .iter_mut()
                    .for_each(|column| column.truncate(before));
                return Err(cause);
            }
        }
        out.set_physical_rows(before + given);
        self.done += given as u64;
        if self.calls.iter().all(Option::is_none) {
            self.state = State::Starting;
            self.place += 1;
        }
        Ok(())
    }

    /// Has every running call append up to as many values as the first one, and NULLs for those that
    /// are over. Answers how many rows that makes.
    fn give_sets(
        &mut self,
        work: &mut Work,
        out: &mut Batch,
        before: usize,
        room: usize,
    ) -> Result<usize> {
        let mut given = 0;
        for (call, column) in self.calls.iter_mut().zip(&mut out.columns) {
            // The first running call sets the number; the others follow it.
            let most = if given == 0 { room } else { given };
            while let Some(running) = call {
                let have = column.len() - before;
                if have >= most || (given == 0 && have > 0) {
                    break;
                }
                if !running.next(std::slice::from_mut(column), most - have, work)? {
                    *call = None;
                }
            }
            given = given.max(column.len() - before);
        }
        for (target, column) in self.targets.iter().zip(&mut out.columns) {
            if let Target::Set { .. } = target {
                while column.len() < before + given {
                    column.push_null();
                }
            }
        }
        Ok(given)
    }
}

/// Appends `n` values of a plain target for one row: its value repeated, or `n` of a volatile one.
fn repeat(
    program: &mut Program,
    value: &Datum,
    cx: &mut ExecCx,
    columns: &[Column],
    row: usize,
    n: usize,
    out: &mut Column,
) -> Result<(), StopCause> {
    cx.work.spend(n as u32);
    cx.work.spend_bytes(value.copied_bytes() * n as u64);
    for _ in 0..n {
        if program.is_volatile() {
            let value = row_value(program, cx, columns, row)?;
            out.push(&value);
        } else {
            out.push(value);
        }
    }
    Ok(())
}

impl Operator for ProjectSet {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go => {}
            Input::End(_) => return Ok(Step::Done),
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
                self.state = State::Starting;
            }
        }
        self.run(cx, out)
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.place = self.batch.len();
        self.state = State::Starting;
        Restart::All
    }

    fn progress(&self) -> Option<Progress> {
        self.total.map(|total| Progress::Rows {
            done: self.done,
            total,
        })
    }
}
