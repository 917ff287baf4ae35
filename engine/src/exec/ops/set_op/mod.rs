//! SetOp: INTERSECT and EXCEPT (PostgreSQL's `nodeSetOp.c`). The last column of the input says which
//! side a row is of; rows that are alike in the others are one group, NULL equal to NULL.
//!
//! 1. Count each group's rows of either side: in a hash table, or of sorted rows one group at a time.
//! 2. Give a group's row as often as the command says.

mod hashed;
mod sorted;

use crate::bind::SetOperation;
use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::instr::OperatorFacts;
use crate::memory::Memory;
use crate::plan::AggregateStrategy;
use crate::value::{Batch, Column, Type, Vector};

use hashed::Hashed;
use sorted::Sorted;

/// Hashed or sorted.
pub(in crate::exec) enum SetOp {
    Hashed(Hashed),
    Sorted(Sorted),
}

/// What a group's counts come to.
#[derive(Clone, Copy, Debug)]
struct Command {
    operation: SetOperation,
    all: bool,
}

/// A group's rows of the left and of the right side.
type Counts = [u64; 2];

impl SetOp {
    /// `types`: of the input, the side's column included.
    pub(in crate::exec) fn new(
        operation: SetOperation,
        all: bool,
        strategy: AggregateStrategy,
        mut types: Vec<Type>,
        memory: &Memory,
    ) -> Self {
        types.pop();
        let command = Command { operation, all };
        match strategy {
            AggregateStrategy::Hashed => SetOp::Hashed(Hashed::new(command, types, memory)),
            AggregateStrategy::Plain | AggregateStrategy::Sorted => {
                SetOp::Sorted(Sorted::new(command, types))
            }
        }
    }
}

impl Command {
    /// How often a group's row is given.
    fn copies(self, [left, right]: Counts) -> u64 {
        match (self.operation, self.all) {
            (SetOperation::Intersect, false) => u64::from(left > 0 && right > 0),
            (SetOperation::Intersect, true) => left.min(right),
            (SetOperation::Except, false) => u64::from(left > 0 && right == 0),
            (SetOperation::Except, true) => left.saturating_sub(right),
        }
    }
}

/// Which side a row of the input is of.
fn side(column: Option<&Column>, row: usize) -> Result<usize> {
    match column.map(|column| &column.data) {
        Some(Vector::Int4(sides)) => Ok(usize::from(sides[row] != 0)),
        _ => Err(Error::internal(
            "a set operation cannot tell its sides apart",
        )),
    }
}

impl Operator for SetOp {
    fn ports(&self) -> &[PortKind] {
        match self {
            SetOp::Hashed(_) => &[PortKind::Build],
            SetOp::Sorted(_) => &[PortKind::Stream],
        }
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match self {
            SetOp::Hashed(hashed) => hashed.step(cx, input, out),
            SetOp::Sorted(sorted) => sorted.step(cx, input, out),
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, changed: Changed) -> Restart {
        match self {
            SetOp::Hashed(hashed) => hashed.rescan(changed),
            SetOp::Sorted(sorted) => sorted.rescan(),
        }
    }

    /// A group takes any number of rows.
    fn demand(&self, _port: usize, _wanted: usize) -> usize {
        usize::MAX
    }

    fn report(&self, facts: &mut OperatorFacts) {
        if let SetOp::Hashed(hashed) = self {
            hashed.report(facts);
        }
    }
}
