//! One expression for one row: where rows are dealt with singly.

use crate::exec::context::ExecCx;
use crate::expr::{EvalCounters, Program, StopCause};
use crate::value::{Column, Datum, Rows};

/// The value of a program for one row.
pub(super) fn row_value(
    program: &mut Program,
    cx: &mut ExecCx,
    columns: &[Column],
    row: usize,
) -> Result<Datum, StopCause> {
    cx.work.spend(program.cost());
    let mut counters = EvalCounters::default();
    let (column, stop) = program.eval(
        &mut cx.eval(&mut counters),
        columns,
        Rows::Range(row, row + 1),
    );
    match stop {
        None => Ok(column.get(row)),
        Some(stop) => Err(stop.of_single_row()),
    }
}
