//! Append: the rows of one child after the other's (UNION ALL).

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::value::Batch;

/// Passes batches through.
pub(in crate::exec) struct Append {
    ports: Vec<PortKind>,
    current: usize,
}

impl Append {
    pub(in crate::exec) fn new(children: usize) -> Self {
        Append {
            ports: vec![PortKind::Stream; children],
            current: 0,
        }
    }
}

impl Operator for Append {
    fn ports(&self) -> &[PortKind] {
        &self.ports
    }

    fn step(&mut self, _cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go => {}
            Input::Batch(_, batch) => std::mem::swap(batch, out),
            Input::End(_) => self.current += 1,
        }
        Ok(if self.current < self.ports.len() {
            Step::Need(self.current)
        } else {
            Step::Done
        })
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.current = 0;
        Restart::All
    }
}
