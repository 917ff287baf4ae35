//! CTE Scan: the rows of a WITH query, which all its scans share (PostgreSQL's `nodeCtescan.c`).
//!
//! Rows that another scan has asked for already are read again; only when they are used up is the
//! query run on, by as many rows as are wanted.

use crate::bind::ParamId;
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::instr::OperatorFacts;
use crate::value::Batch;

use super::shared_rows::SharedRows;

/// A reader of shared rows. `param` stands for the query that makes them.
pub(in crate::exec) struct CteScan {
    param: ParamId,
    rows: SharedRows,
    /// Rows given since the last rescan.
    given: usize,
}

impl CteScan {
    pub(in crate::exec) fn new(param: ParamId, rows: SharedRows) -> Self {
        CteScan {
            param,
            rows,
            given: 0,
        }
    }
}

impl Operator for CteScan {
    fn ports(&self) -> &[PortKind] {
        &[]
    }

    fn step(&mut self, cx: &mut ExecCx, _input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        let mut rows = self.rows.borrow_mut();
        if self.given < rows.len() {
            self.given += rows.copy(self.given, out, &mut cx.work);
            return Ok(Step::More);
        }
        if rows.ended {
            return Ok(Step::Done);
        }
        rows.want = out.room().max(1);
        Ok(Step::Produce(self.param))
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.given = 0;
        Restart::Nothing
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory = facts.peak_memory.max(self.rows.borrow().peak());
    }
}
