//! Filter: the rows for which a condition is true.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::Program;
use crate::instr::OperatorFacts;
use crate::value::Batch;

use super::selector::{Selected, Selector};

/// Narrows its input's selection; moves no values.
pub(in crate::exec) struct Filter {
    selector: Selector,
    batch: Box<Batch>,
    state: State,
}

/// `Idle ─ batch ─> Testing ─ all tested ─> Idle`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Testing,
}

impl Filter {
    pub(in crate::exec) fn new(condition: Program) -> Self {
        Filter {
            selector: Selector::new(condition),
            batch: Box::default(),
            state: State::Idle,
        }
    }

    fn test(&mut self, cx: &mut ExecCx, out: &mut Box<Batch>) -> Result<Step> {
        match self
            .selector
            .run(cx, &self.batch.columns, self.batch.rows())
        {
            Selected::All => {
                self.selector.give(&mut self.batch, out);
                self.state = State::Idle;
                Ok(Step::Need(0))
            }
            Selected::Paused => Ok(Step::Yield),
            Selected::Produce(param) => {
                // The rows before it must not wait: a LIMIT above may be met by them.
                self.selector.copy(&self.batch, out);
                Ok(Step::Produce(param))
            }
            Selected::Failed(error) => {
                self.selector.give(&mut self.batch, out);
                Err(error)
            }
        }
    }
}

impl Operator for Filter {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Batch(_, batch) => {
                if batch.len() == 1
                    && !cx.work.is_exhausted()
                    && let Some(passes) = (self.selector).test_one(cx, &batch.columns, batch.row(0))
                {
                    if passes {
                        std::mem::swap(batch, out);
                    }
                    return Ok(Step::Need(0));
                }
                std::mem::swap(batch, &mut self.batch);
                self.selector.start();
                self.state = State::Testing;
                self.test(cx, out)
            }
            Input::Go if self.state == State::Testing => self.test(cx, out),
            Input::Go => Ok(Step::Need(0)),
            Input::End(_) => Ok(Step::Done),
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.state = State::Idle;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.removed_by_filter += self.selector.removed();
        self.selector.report(facts);
    }
}
