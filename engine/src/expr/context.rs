//! What evaluation works with, and how it ends before the last row.

use super::Random;
use crate::bind::ParamId;
use crate::error::Error;
use crate::memory::Memory;
use crate::value::Datum;
use crate::work::Work;

/// Evaluation got as far as physical row `row` (exclusive): rows before it are complete and right.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    pub row: usize,
    /// `None` is a pause: as if fewer rows had been asked for. The call has handled as much of long
    /// values as one may, and it has dealt with at least one row: go on with `row`. Evaluation for
    /// a single row never pauses.
    pub cause: Option<StopCause>,
}

/// Why a row has no value, which says what the caller does next.
#[derive(Clone, Debug, PartialEq)]
pub enum StopCause {
    /// Hand on the rows before, then fail the statement.
    Error(Error),
    /// The parameter has no value yet: have its producer run, then evaluate again from `row`.
    Produce(ParamId),
}

impl Stop {
    #[cold]
    pub(crate) fn error(row: usize, error: Error) -> Self {
        Stop {
            row,
            cause: Some(StopCause::Error(error)),
        }
    }

    #[cold]
    pub(crate) fn pause(row: usize) -> Self {
        Stop { row, cause: None }
    }

    /// Of an evaluation for a single row.
    #[cold]
    pub(crate) fn of_single_row(self) -> StopCause {
        let paused = || Error::internal("evaluation paused behind its only row").into();
        self.cause.unwrap_or_else(paused)
    }
}

impl From<Error> for StopCause {
    fn from(error: Error) -> Self {
        StopCause::Error(error)
    }
}

/// The executor's parameters: results of InitPlans, the outer row's values of an Apply.
#[derive(Clone, Debug, Default)]
pub struct Params {
    values: Vec<Option<Datum>>,
}

impl Params {
    pub fn with_count(count: usize) -> Self {
        Params {
            values: vec![None; count],
        }
    }

    /// The value, or `None` while it is not computed. NULL is a value.
    #[inline]
    pub fn get(&self, id: ParamId) -> Option<&Datum> {
        self.values.get(id).and_then(Option::as_ref)
    }

    pub fn set(&mut self, id: ParamId, value: Datum) {
        if id >= self.values.len() {
            self.values.resize(id + 1, None);
        }
        self.values[id] = Some(value);
    }

    /// Makes the parameter "not computed" again.
    pub fn clear(&mut self, id: ParamId) {
        if let Some(value) = self.values.get_mut(id) {
            *value = None;
        }
    }
}

/// Filled by evaluation, copied into the node's counters by the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvalCounters {
    /// Conjuncts of filters evaluated, one a conjunct and row: a row that fails the first makes one.
    /// The same at every batch size: rows that are evaluated again after a stop count once.
    pub qual_evaluations: u64,
}

/// What the host and the statement lend to evaluation.
pub struct EvalCx<'a> {
    pub params: &'a Params,
    pub counters: &'a mut EvalCounters,
    /// The statement's timestamp: microseconds since 2000-01-01, given by the host.
    pub now: i64,
    pub random: &'a mut Random,
    /// `current_setting(name)`: a setting's value as text.
    pub setting: &'a dyn Fn(&str) -> Option<String>,
    /// Pays for the bytes of long values; says how many are handled between two pauses.
    pub work: &'a mut Work,
    /// A value that does not fit what is left of it is an error (53200).
    pub memory: &'a Memory,
}
