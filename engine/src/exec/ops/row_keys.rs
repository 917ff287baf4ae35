//! Key expressions of a batch's rows (join and group keys), computed ahead of their use.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::Step;
use crate::expr::{EvalCounters, Program, StopCause};
use crate::value::{Batch, Column, Rows, hash_rows};

use super::references::with_references;

/// The keys of the rows at hand: column `k`, row `i` is key `k` of the batch's `i`th row.
pub(super) struct RowKeys {
    programs: Vec<Program>,
    pub(super) columns: Vec<Column>,
    known: usize,
}

impl RowKeys {
    pub(super) fn new(programs: Vec<Program>) -> Self {
        RowKeys {
            columns: programs.iter().map(|key| Column::new(key.ty())).collect(),
            programs,
            known: 0,
        }
    }

    /// A new batch is at hand.
    pub(super) fn start(&mut self) {
        self.columns.iter_mut().for_each(Column::clear);
        self.known = 0;
    }

    /// How many of the batch's rows have their keys computed.
    pub(super) fn known(&self) -> usize {
        self.known
    }

    /// The hashes of all known rows' keys.
    pub(super) fn hash(&self, hashes: &mut Vec<u64>) {
        with_references(&self.columns, |keys| {
            hash_rows(keys, Rows::Range(0, self.known), hashes)
        });
    }

    /// Computes keys from the first unknown row on. Some(step): none could be.
    ///
    /// Rows before one that stops count as known; the row itself stops again when it is the first
    /// unknown one. So an error or a parameter comes in its turn, after the rows before it.
    pub(super) fn advance(&mut self, cx: &mut ExecCx, batch: &Batch) -> Result<Option<Step>> {
        let mut rows = batch.rows().slice(self.known, batch.len());
        let mut cause = None;
        for (key, column) in self.programs.iter_mut().zip(&mut self.columns) {
            cx.work
                .spend((rows.len() as u32).saturating_mul(key.cost()));
            let mut counters = EvalCounters::default();
            if let Some(stop) =
                key.append(&mut cx.eval(&mut counters), &batch.columns, rows, column)
            {
                rows = rows.below(stop.row);
                cause = Some(stop.cause);
            }
        }
        self.known += rows.len();
        if let Some(cause) = cause {
            self.columns
                .iter_mut()
                .for_each(|column| column.truncate(self.known));
            match cause {
                StopCause::Error(error) if rows.is_empty() => return Err(error),
                StopCause::Produce(param) if rows.is_empty() => {
                    return Ok(Some(Step::Produce(param)));
                }
                _ => {}
            }
        }
        Ok(None)
    }
}
