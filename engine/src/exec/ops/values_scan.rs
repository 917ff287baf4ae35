//! Values Scan: rows written out in the query.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Progress, Restart, Step};
use crate::expr::{EvalCounters, Program, StopCause};
use crate::value::{Batch, Datum, Type};

/// A source: one list of expressions a row, computed when the row is asked for.
pub(in crate::exec) struct ValuesScan {
    rows: Vec<Vec<Program>>,
    types: Vec<Type>,
    next: usize,
    /// The row being computed, so that a failing value leaves no half row behind.
    row: Vec<Datum>,
}

impl ValuesScan {
    pub(in crate::exec) fn new(rows: Vec<Vec<Program>>, types: Vec<Type>) -> Self {
        ValuesScan {
            rows,
            types,
            next: 0,
            row: Vec::new(),
        }
    }
}

impl Operator for ValuesScan {
    fn ports(&self) -> &[PortKind] {
        &[]
    }

    fn step(&mut self, cx: &mut ExecCx, _input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        out.prepare(&self.types);
        while let Some(values) = self.rows.get_mut(self.next) {
            if out.is_full() {
                return Ok(Step::More);
            }
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            self.row.clear();
            for value in values {
                cx.work.spend(value.cost());
                match value.eval_scalar(&mut cx.eval(&mut EvalCounters::default())) {
                    Ok(value) => self.row.push(value),
                    Err(StopCause::Produce(param)) => return Ok(Step::Produce(param)),
                    Err(StopCause::Error(error)) => return Err(error),
                }
            }
            out.push_row(&self.row);
            self.next += 1;
        }
        Ok(Step::Done)
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.next = 0;
        Restart::Nothing
    }

    fn progress(&self) -> Option<Progress> {
        Some(Progress::Rows {
            done: self.next as u64,
            total: self.rows.len() as u64,
        })
    }
}
