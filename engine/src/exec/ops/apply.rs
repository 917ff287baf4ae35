//! Apply: computes a correlated sub-select for each row of the child and appends its value as one
//! more column. EXPLAIN shows it as PostgreSQL's SubPlan.
//!
//! 1. A guard that is not true (the AND, OR or CASE around the sub-select needs no value): NULL.
//! 2. Set the parameters from the row; have the sub-select started over.
//! 3. Gather its rows until the value is known.

use crate::bind::ParamId;
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, Port, PortKind, Restart, Step};
use crate::exec::producer::Gathered;
use crate::expr::{Program, StopCause};
use crate::memory::Memory;
use crate::plan::ApplyResult;
use crate::value::{Batch, Datum, Type};

use super::quantified::Quantified;
use super::row_value::row_value;

const ROWS: usize = 0;
const SUBSELECT: usize = 1;

/// Row by row.
pub(in crate::exec) struct Apply {
    guard: Option<Program>,
    params: Vec<(ParamId, Program)>,
    outcome: Outcome,
    /// The child's columns, then the value.
    types: Vec<Type>,
    batch_rows: usize,
    batch: Box<Batch>,
    place: usize,
    /// Bytes of the values given since the last batch was handed on.
    given_bytes: u64,
    state: State,
}

/// What the sub-select's rows come to.
enum Outcome {
    Value(Gathered),
    Quantified(Box<Quantified>),
}

/// `Idle ─ batch ─> Next ─ row bound ─> Bound ─ value known ─> Next ─ rows used up ─> Idle`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Next,
    Bound,
}

impl Apply {
    pub(in crate::exec) fn new(
        guard: Option<Program>,
        params: Vec<(ParamId, Program)>,
        result: &ApplyResult,
        types: Vec<Type>,
        batch_rows: usize,
        memory: &Memory,
    ) -> Result<Self> {
        Ok(Apply {
            guard,
            params,
            outcome: match result {
                ApplyResult::Value(kind) => Outcome::Value(Gathered::new(*kind, memory)),
                ApplyResult::Quantified {
                    test,
                    operators,
                    all,
                } => Outcome::Quantified(Box::new(Quantified::compile(test, operators, *all)?)),
            },
            types,
            batch_rows,
            batch: Box::default(),
            place: 0,
            given_bytes: 0,
            state: State::Idle,
        })
    }

    /// The parameters its own expressions read.
    pub(in crate::exec) fn reads(&self) -> Vec<ParamId> {
        let programs = self
            .guard
            .iter()
            .chain(self.params.iter().map(|(_, program)| program));
        let mut reads: Vec<ParamId> = programs
            .flat_map(|program| program.params())
            .copied()
            .collect();
        if let Outcome::Quantified(quantified) = &self.outcome {
            reads.extend(quantified.params());
        }
        reads
    }

    fn run(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        loop {
            match self.state {
                State::Idle => return Ok(Step::Need(ROWS)),
                State::Bound => return Ok(Step::Need(SUBSELECT)),
                State::Next if self.place == self.batch.len() => self.state = State::Idle,
                State::Next if out.is_full() || self.given_bytes >= Batch::FULL_BYTES => {
                    return Ok(Step::More);
                }
                State::Next if cx.work.is_exhausted() => return Ok(Step::Yield),
                State::Next => match self.bind(cx) {
                    Ok(true) => {
                        self.state = State::Bound;
                        return Ok(Step::Rescan(SUBSELECT));
                    }
                    Ok(false) => self.give(&Datum::Null, out),
                    Err(cause) => return stopped(cause),
                },
            }
        }
    }

    /// Sets the parameters for the row at the place. False: the guard forbids.
    fn bind(&mut self, cx: &mut ExecCx) -> Result<bool, StopCause> {
        let (columns, row) = (&self.batch.columns, self.batch.row(self.place));
        if let Some(guard) = &mut self.guard
            && row_value(guard, cx, columns, row)?.as_bool() != Some(true)
        {
            return Ok(false);
        }
        for (param, program) in &mut self.params {
            let value = row_value(program, cx, columns, row)?;
            cx.params.set(*param, value);
        }
        match &mut self.outcome {
            Outcome::Value(gathered) => gathered.reset(),
            Outcome::Quantified(quantified) => quantified.start(cx, columns, row)?,
        }
        Ok(true)
    }

    /// Gives the row at the place with the sub-select's value.
    fn give(&mut self, value: &Datum, out: &mut Batch) {
        out.prepare(&self.types);
        self.given_bytes += value.copied_bytes();
        let (row, n) = (self.batch.row(self.place), self.batch.columns.len());
        for (to, from) in out.columns.iter_mut().zip(&self.batch.columns) {
            to.push_from(from, row);
        }
        out.columns[n].push(value);
        out.set_physical_rows(out.physical_rows() + 1);
        self.place += 1;
        self.state = State::Next;
    }

    fn give_outcome(&mut self, out: &mut Batch) {
        let value = match &mut self.outcome {
            Outcome::Value(gathered) => gathered.take(),
            Outcome::Quantified(quantified) => quantified.take(),
        };
        self.give(&value, out);
    }
}

fn stopped(cause: StopCause) -> Result<Step> {
    match cause {
        StopCause::Produce(param) => Ok(Step::Produce(param)),
        StopCause::Error(error) => Err(error),
    }
}

impl Operator for Apply {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream, PortKind::Pulled]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        if out.is_empty() {
            self.given_bytes = 0;
        }
        match input {
            Input::Go => {}
            Input::Batch(ROWS, batch) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
                self.state = State::Next;
            }
            Input::End(ROWS) => return Ok(Step::Done),
            Input::Batch(_, batch) => {
                let known = match &mut self.outcome {
                    Outcome::Value(gathered) => gathered.add(batch).map_err(StopCause::Error),
                    Outcome::Quantified(quantified) => quantified.add(cx, batch),
                };
                match known {
                    Ok(true) => self.give_outcome(out),
                    Ok(false) => {}
                    Err(cause) => return stopped(cause),
                }
            }
            Input::End(_) => self.give_outcome(out),
        }
        self.run(cx, out)
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.state = State::Idle;
        Restart::All
    }

    fn demand(&self, port: Port, wanted: usize) -> usize {
        match (port, &self.outcome) {
            (SUBSELECT, Outcome::Value(gathered)) => gathered.demand(self.batch_rows),
            (SUBSELECT, Outcome::Quantified(quantified)) => quantified.demand(self.batch_rows),
            _ => wanted,
        }
    }
}
