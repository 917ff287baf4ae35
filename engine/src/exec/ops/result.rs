//! Result: one row from nothing, or the child's rows, unless a one-time filter forbids.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::{EvalCounters, Program, StopCause};
use crate::value::Batch;

/// Without a child its own row has no columns; the projection above it makes them.
pub(in crate::exec) struct ResultRow {
    one_time_filter: Option<Program>,
    has_child: bool,
    passed: bool,
}

impl ResultRow {
    pub(in crate::exec) fn new(one_time_filter: Option<Program>, has_child: bool) -> Self {
        ResultRow {
            one_time_filter,
            has_child,
            passed: false,
        }
    }
}

impl Operator for ResultRow {
    fn ports(&self) -> &[PortKind] {
        if self.has_child {
            &[PortKind::Stream]
        } else {
            &[]
        }
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Batch(_, batch) => {
                std::mem::swap(batch, out);
                return Ok(Step::Need(0));
            }
            Input::End(_) => return Ok(Step::Done),
            Input::Go => {}
        }
        if !self.passed {
            if let Some(filter) = &mut self.one_time_filter {
                match filter.eval_scalar(&mut cx.eval(&mut EvalCounters::default())) {
                    Ok(value) if value.as_bool() != Some(true) => return Ok(Step::Done),
                    Ok(_) => {}
                    Err(StopCause::Produce(param)) => return Ok(Step::Produce(param)),
                    Err(StopCause::Error(error)) => return Err(error),
                }
            }
            self.passed = true;
        }
        if self.has_child {
            return Ok(Step::Need(0));
        }
        out.prepare(&[]);
        out.set_physical_rows(1);
        Ok(Step::Done)
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.passed = false;
        Restart::All
    }
}
