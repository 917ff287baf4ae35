//! The operator protocol: one copy of operator logic, run by two drivers.
//!
//! An operator is a *resumable function*. It is given an input batch, or nothing, or the end of a
//! port; it may add rows to `out`; it answers what should happen next. It never calls a child and
//! never knows who called it. The pull driver (Volcano: the root is stepped, and what it needs is
//! fetched from below) and the push driver (a source is stepped, and what it gives goes up at once)
//! differ only in whom they step next.
//!
//! The ten rules, which debug builds assert as far as a driver can see them:
//!
//! 1. Only the port that was asked for is fed: Build ports first, then Stream, in port order.
//! 2. Batches are swapped, never cloned. `out` and the input are boxes: a swap moves one pointer.
//! 3. `out` comes in empty, with a demand ([`Batch::want`]), except in the middle of a Rescan or of a
//!    Pulled input. Its columns may hold the leavings of an earlier batch: who fills it begins with
//!    [`Batch::prepare`]; who swaps the input into it need not.
//! 4. A step on a Build port leaves `out` empty.
//! 5. [`Step::More`] means: call again with [`Input::Go`]. Each such call makes progress.
//! 6. On failure the error is returned with the good rows already in `out`; the rows are delivered first.
//! 7. Rows go up before a [`Step::Yield`], and before a parameter is produced.
//! 8. After [`Step::Done`] an operator is not stepped until it was rescanned.
//! 9. One step does a bounded amount of *work*, counted in [`crate::work::Work`] and never in
//!    batches: loops spend units and yield, their place kept in `self`, when none are left.
//! 10. An operator reads no clock: batches, steps and pages read are the same on every machine.

use super::context::ExecCx;
use crate::bind::ParamId;
use crate::error::Result;
use crate::instr::{OperatorFacts, ScanPages};
use crate::value::Batch;

/// Index of an operator's input, from 0.
pub type Port = usize;

/// How a port is fed, which is where the push driver cuts pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortKind {
    /// Rows flow through.
    Stream,
    /// All rows are taken in before any is given out: the end of a pipeline.
    Build,
    /// Run again and again by the operator's own choice, and by pull under both drivers
    /// (the inner side of a nested loop, the sub-select of an Apply).
    Pulled,
}

/// What a step is called with.
#[derive(Debug)]
pub enum Input<'a> {
    /// Nothing new: go on.
    Go,
    /// Rows on a port, at least one.
    Batch(Port, &'a mut Box<Batch>),
    /// The port has no more rows. Its own call, so that a batch never means two things.
    End(Port),
}

/// What the driver is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Feed this port, or end it.
    Need(Port),
    /// Step again with [`Input::Go`], once the rows in `out` are handed on.
    More,
    /// No rows beyond those in `out`.
    Done,
    /// Run the Pulled port from its start, with the parameters as they are now; then step with `Go`.
    Rescan(Port),
    /// The work allowance is spent: as `More`, after a pause.
    Yield,
    /// This parameter's producer must run first; then step with `Go`: the input was kept.
    Produce(ParamId),
}

/// Which inputs a rescanned operator wants to have started over; the others are replayed or go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// None: it replays what it has kept.
    Nothing,
    All,
    Only(Port),
}

/// What has changed since the run before, for [`Operator::rescan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// A parameter of the operator's own expressions.
    pub own: bool,
    /// Bit `p`: a parameter of something below port `p` (ports from 63 on share a bit).
    pub below: u64,
}

impl Changed {
    pub const NOTHING: Changed = Changed {
        own: false,
        below: 0,
    };

    pub fn port(self, port: Port) -> bool {
        self.below >> port.min(63) & 1 == 1
    }

    pub fn anything(self) -> bool {
        self.own || self.below != 0
    }
}

/// How far a source has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    Pages(ScanPages),
    Rows { done: u64, total: u64 },
}

impl Progress {
    /// From 0 to 1.
    pub fn fraction(self) -> f64 {
        let (done, total) = match self {
            Progress::Pages(pages) => (f64::from(pages.done), f64::from(pages.total)),
            Progress::Rows { done, total } => (done as f64, total as f64),
        };
        if total > 0.0 {
            (done / total).min(1.0)
        } else {
            1.0
        }
    }
}

/// An operator. The contract is the module's documentation.
pub trait Operator {
    fn ports(&self) -> &[PortKind];

    /// One step. Errors: those of the operator's expressions and storage, and 53200.
    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step>;

    /// Back to the start, in any state. Says which inputs start over as well.
    fn rescan(&mut self, cx: &mut ExecCx, changed: Changed) -> Restart;

    /// How many rows to ask of `port` when `wanted` are wanted of this operator: never more than
    /// it can use, so that nothing below is computed for nothing (Limit, semi-joins). At least 1.
    fn demand(&self, _port: Port, wanted: usize) -> usize {
        wanted
    }

    /// Adds what the operator has counted. Asked between steps, while running and afterwards.
    fn report(&self, _facts: &mut OperatorFacts) {}

    /// For a source whose size is known.
    fn progress(&self) -> Option<Progress> {
        None
    }
}
