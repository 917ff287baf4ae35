//! Values Scan: rows written out in the query.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Progress, Restart, Step};
use crate::expr::{EvalCounters, Program, StopCause};
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Datum, Type};

/// Accounted bytes of a value that is known, and of one that is computed.
const KNOWN_BYTES: u64 = 24;
const COMPUTED_BYTES: u64 = 512;

/// One value of a row.
pub(in crate::exec) enum Value {
    Known(Datum),
    /// When the row is asked for.
    Computed(Box<Program>),
}

/// A source: one list of values a row.
pub(in crate::exec) struct ValuesScan {
    rows: Vec<Vec<Value>>,
    types: Vec<Type>,
    next: usize,
    /// The row being computed, so that a failing value leaves no half row behind.
    row: Vec<Datum>,
    holding: Holding,
}

impl ValuesScan {
    pub(in crate::exec) fn new(types: Vec<Type>, memory: &Memory) -> Self {
        ValuesScan {
            rows: Vec::new(),
            types,
            next: 0,
            row: Vec::new(),
            holding: memory.holding(),
        }
    }

    /// Errors: 53200.
    pub(in crate::exec) fn add(&mut self, row: Vec<Value>) -> Result<()> {
        let bytes = row.iter().map(|value| match value {
            Value::Known(value) => KNOWN_BYTES + value.copied_bytes(),
            Value::Computed(_) => COMPUTED_BYTES,
        });
        self.holding.grow(bytes.sum())?;
        self.rows.push(row);
        Ok(())
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
                let program = match value {
                    Value::Known(value) => {
                        cx.work.spend(1);
                        cx.work.spend_bytes(value.copied_bytes());
                        self.row.push(value.clone());
                        continue;
                    }
                    Value::Computed(program) => program,
                };
                cx.work.spend(program.cost());
                match program.eval_scalar(&mut cx.eval(&mut EvalCounters::default())) {
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
