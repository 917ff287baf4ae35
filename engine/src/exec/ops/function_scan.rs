//! Function Scan: the rows of a set-returning function in FROM; a plain function gives one row.

use crate::catalog::FunctionRef;
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Progress, Restart, Step};
use crate::expr::{EvalCounters, Program, SetFunction, StopCause, make_set_function};
use crate::value::{Batch, Datum, Type};

use super::series_length::series_length;

/// A source with a cursor: rows are computed as they are asked for, and none beyond.
pub(in crate::exec) struct FunctionScan {
    function: Function,
    state: State,
    types: Vec<Type>,
    total: Option<u64>,
    done: u64,
}

/// What is in FROM.
pub(in crate::exec) enum Function {
    Set {
        function: FunctionRef,
        args: Vec<Program>,
    },
    /// A call that gives one value.
    Plain(Program),
}

/// `Unknown ─ arguments computed ─> Known ─ call started ─> Running`; a rescan goes back to `Known`,
/// or to `Unknown` if the arguments changed.
enum State {
    Unknown,
    Known(Vec<Datum>),
    Running(Vec<Datum>, Box<dyn SetFunction>),
}

impl FunctionScan {
    pub(in crate::exec) fn new(function: Function, types: Vec<Type>) -> Self {
        FunctionScan {
            function,
            state: State::Unknown,
            types,
            total: None,
            done: 0,
        }
    }

    /// Brings the call to run. Some(step): not yet.
    fn start(&mut self, cx: &mut ExecCx, function: &FunctionRef) -> Result<Option<Step>> {
        if let State::Unknown = self.state {
            let Function::Set { args, .. } = &mut self.function else {
                return Ok(None);
            };
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                match arg.eval_scalar(&mut cx.eval(&mut EvalCounters::default())) {
                    Ok(value) => values.push(value),
                    Err(StopCause::Produce(param)) => return Ok(Some(Step::Produce(param))),
                    Err(StopCause::Error(error)) => return Err(error),
                }
            }
            self.state = State::Known(values);
        }
        if let State::Known(values) = &mut self.state {
            let values = std::mem::take(values);
            self.total = series_length(function, &values);
            let call = make_set_function(function, &values, &cx.memory)?;
            self.state = State::Running(values, call);
        }
        Ok(None)
    }
}

impl Operator for FunctionScan {
    fn ports(&self) -> &[PortKind] {
        &[]
    }

    fn step(&mut self, cx: &mut ExecCx, _input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        out.prepare(&self.types);
        let function = match &mut self.function {
            Function::Set { function, .. } => FunctionRef::clone(function),
            Function::Plain(program) => {
                return match program.eval_scalar(&mut cx.eval(&mut EvalCounters::default())) {
                    Ok(value) => {
                        out.push_row(&[value]);
                        Ok(Step::Done)
                    }
                    Err(StopCause::Produce(param)) => Ok(Step::Produce(param)),
                    Err(StopCause::Error(error)) => Err(error),
                };
            }
        };
        if let Some(step) = self.start(cx, &function)? {
            return Ok(step);
        }
        let State::Running(_, call) = &mut self.state else {
            return Ok(Step::Done);
        };
        loop {
            let (before, room) = (out.physical_rows(), out.room());
            let more = call.next(&mut out.columns, room, &mut cx.work);
            let after = out.columns[0].len();
            out.set_physical_rows(after);
            self.done += (after - before) as u64;
            if !more? {
                return Ok(Step::Done);
            }
            if out.is_full() {
                return Ok(Step::More);
            }
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, changed: Changed) -> Restart {
        self.done = 0;
        let state = std::mem::replace(&mut self.state, State::Unknown);
        // The same arguments give the same rows, as from PostgreSQL's tuplestore.
        if let (State::Known(values) | State::Running(values, _), false) = (state, changed.own) {
            self.state = State::Known(values);
        }
        Restart::Nothing
    }

    fn progress(&self) -> Option<Progress> {
        self.total.map(|total| Progress::Rows {
            done: self.done,
            total,
        })
    }
}
