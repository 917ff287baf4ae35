//! WorkTable Scan: the rows of the round before, in the recursive part of a WITH query (PostgreSQL's
//! `nodeWorktablescan.c`).

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::value::Batch;

use super::shared_rows::SharedRows;

/// A reader of the work table, which the Recursive Union above fills between two runs.
pub(in crate::exec) struct WorkTableScan {
    rows: SharedRows,
    given: usize,
}

impl WorkTableScan {
    pub(in crate::exec) fn new(rows: SharedRows) -> Self {
        WorkTableScan { rows, given: 0 }
    }
}

impl Operator for WorkTableScan {
    fn ports(&self) -> &[PortKind] {
        &[]
    }

    fn step(&mut self, cx: &mut ExecCx, _input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        let rows = self.rows.borrow();
        if self.given == rows.len() {
            return Ok(Step::Done);
        }
        self.given += rows.copy(self.given, out, &mut cx.work);
        Ok(if self.given == rows.len() {
            Step::Done
        } else {
            Step::More
        })
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.given = 0;
        Restart::Nothing
    }
}
