//! The value of a LIMIT or OFFSET clause, which Limit and a bounded Sort both need.

use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::expr::{EvalCounters, Program, StopCause};
use crate::value::Datum;

/// NULL means what no clause means.
pub(super) fn count(
    program: &mut Option<Program>,
    cx: &mut ExecCx,
) -> Result<Option<i64>, StopCause> {
    let Some(program) = program else {
        return Ok(None);
    };
    let value = program.eval_scalar(&mut cx.eval(&mut EvalCounters::default()))?;
    match (value.as_i64(), value) {
        (None, Datum::Null) => Ok(None),
        (Some(n), _) => Ok(Some(n)),
        (None, _) => Err(Error::internal("a row count is no integer").into()),
    }
}
