//! LIMIT and OFFSET (PostgreSQL's `nodeLimit.c`).

use crate::error::{Error, Result, sqlstate};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, Port, PortKind, Restart, Step};
use crate::expr::{Program, StopCause};
use crate::value::Batch;

use super::row_count::count;

/// Skips rows, then passes a number of them, then is done and lets nothing below run on.
pub(in crate::exec) struct Limit {
    limit: Option<Program>,
    offset: Option<Program>,
    state: State,
}

/// `Unknown ─ first step ─> Counting ─ limit reached ─> Done`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The two expressions are not computed yet.
    Unknown,
    /// Rows still to skip and, if limited, to pass.
    Counting { skip: u64, pass: Option<u64> },
}

impl Limit {
    pub(in crate::exec) fn new(limit: Option<Program>, offset: Option<Program>) -> Self {
        Limit {
            limit,
            offset,
            state: State::Unknown,
        }
    }

    /// Errors: 2201X, 2201W for a negative number.
    fn compute(&mut self, cx: &mut ExecCx) -> Result<State, StopCause> {
        let skip = match count(&mut self.offset, cx)? {
            Some(n) if n < 0 => {
                return Err(Error::new(
                    sqlstate::INVALID_ROW_COUNT_IN_OFFSET,
                    "OFFSET must not be negative",
                )
                .into());
            }
            skip => skip.unwrap_or(0) as u64,
        };
        let pass = match count(&mut self.limit, cx)? {
            Some(n) if n < 0 => {
                return Err(Error::new(
                    sqlstate::INVALID_ROW_COUNT_IN_LIMIT,
                    "LIMIT must not be negative",
                )
                .into());
            }
            pass => pass.map(|n| n as u64),
        };
        Ok(State::Counting { skip, pass })
    }
}

impl Operator for Limit {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        if self.state == State::Unknown {
            match self.compute(cx) {
                Ok(state) => self.state = state,
                Err(StopCause::Produce(param)) => return Ok(Step::Produce(param)),
                Err(StopCause::Error(error)) => return Err(error),
            }
        }
        let State::Counting { skip, pass } = &mut self.state else {
            return Ok(Step::Need(0));
        };
        if *pass == Some(0) {
            return Ok(Step::Done);
        }
        let batch = match input {
            Input::Go => return Ok(Step::Need(0)),
            Input::End(_) => return Ok(Step::Done),
            Input::Batch(_, batch) => batch,
        };
        let skipped = (*skip).min(batch.len() as u64);
        *skip -= skipped;
        if skipped == batch.len() as u64 {
            return Ok(Step::Need(0));
        }
        std::mem::swap(batch, out);
        out.skip_first(skipped as usize);
        if let Some(pass) = pass {
            out.keep_first((*pass).min(out.len() as u64) as usize);
            *pass -= out.len() as u64;
            if *pass == 0 {
                return Ok(Step::Done);
            }
        }
        Ok(Step::Need(0))
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.state = State::Unknown;
        Restart::All
    }

    fn demand(&self, _port: Port, wanted: usize) -> usize {
        match self.state {
            State::Unknown => wanted,
            State::Counting { skip, pass } => {
                let useful = pass.map_or(wanted as u64, |pass| pass.min(wanted as u64));
                skip.saturating_add(useful).min(usize::MAX as u64) as usize
            }
        }
    }
}
