//! Projection: the output columns, computed from the input's rows.
//!
//! Expressions are computed window by window, a window being the rows that the work allowance pays
//! for. What is computed of a batch goes up before a pause.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::{EvalCounters, Program, StopCause};
use crate::value::{Batch, Type};

use super::selector::window;

/// Computes a target list.
pub(in crate::exec) struct Project {
    targets: Vec<Program>,
    types: Vec<Type>,
    /// Units a row, all targets together.
    cost: u32,
    /// Several volatile targets take their turns row by row, as in PostgreSQL.
    by_row: bool,
    batch: Box<Batch>,
    /// Rows of the batch computed so far.
    place: usize,
}

impl Project {
    pub(in crate::exec) fn new(targets: Vec<Program>) -> Self {
        Project {
            types: targets.iter().map(Program::ty).collect(),
            cost: targets
                .iter()
                .map(Program::cost)
                .fold(1, u32::saturating_add),
            by_row: targets.iter().filter(|target| target.is_volatile()).count() > 1,
            targets,
            batch: Box::default(),
            place: 0,
        }
    }

    fn compute(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        out.prepare(&self.types);
        let all = self.batch.rows();
        while self.place < all.len() {
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            let n = if self.by_row {
                1
            } else {
                window(&cx.work, self.cost, all.len() - self.place)
            };
            let mut rows = all.slice(self.place, self.place + n);
            let before = out.physical_rows();
            let (mut stopped, mut cause) = (false, None);
            for (target, column) in self.targets.iter_mut().zip(&mut out.columns) {
                let mut counters = EvalCounters::default();
                let stop = target.append(
                    &mut cx.eval(&mut counters),
                    &self.batch.columns,
                    rows,
                    column,
                );
                if let Some(stop) = stop {
                    // The targets after this one are computed for the rows before it only, so that
                    // the first failing row decides, whichever its target.
                    rows = rows.below(stop.row);
                    (stopped, cause) = (true, stop.cause);
                }
            }
            let after = before + rows.len();
            if stopped {
                out.columns
                    .iter_mut()
                    .for_each(|column| column.truncate(after));
            }
            out.set_physical_rows(after);
            self.place += rows.len();
            cx.work.spend((rows.len() as u32).saturating_mul(self.cost));
            match cause {
                None => {}
                Some(StopCause::Error(error)) => return Err(error),
                Some(StopCause::Produce(param)) => return Ok(Step::Produce(param)),
            }
        }
        Ok(Step::Need(0))
    }
}

impl Operator for Project {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
                self.compute(cx, out)
            }
            Input::Go if self.place < self.batch.len() => self.compute(cx, out),
            Input::Go => Ok(Step::Need(0)),
            Input::End(_) => Ok(Step::Done),
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.place = self.batch.len();
        Restart::All
    }
}
