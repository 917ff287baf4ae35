//! Key expressions of a batch's rows (join and group keys), computed ahead of their use.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::Step;
use crate::expr::{EvalCounters, Program, StopCause};
use crate::value::{Batch, Column, Rows, Vector, hash_rows};

use super::references::with_references;

/// The keys of the rows at hand: column `k`, row `i` is key `k` of the batch's `i`th row.
pub(super) struct RowKeys {
    programs: Vec<Program>,
    pub(super) columns: Vec<Column>,
    known: usize,
    fresh_hashes: Vec<u64>,
}

impl RowKeys {
    pub(super) fn new(programs: Vec<Program>) -> Self {
        RowKeys {
            columns: programs.iter().map(|key| Column::new(key.ty())).collect(),
            programs,
            known: 0,
            fresh_hashes: Vec::new(),
        }
    }

    /// A new batch is at hand.
    pub(super) fn start(&mut self) {
        self.columns.iter_mut().for_each(Column::clear);
        self.known = 0;
    }

    /// The batch's columns that are the keys, if each key is one.
    pub(super) fn slots(&self) -> Option<Vec<usize>> {
        self.programs.iter().map(Program::slot).collect()
    }

    /// How many of the batch's rows have their keys computed.
    pub(super) fn known(&self) -> usize {
        self.known
    }

    /// Adds to `hashes`, which are those of the first rows' keys, those of the other known ones.
    pub(super) fn hash(&mut self, hashes: &mut Vec<u64>) {
        let (rows, fresh) = (
            Rows::Range(hashes.len(), self.known),
            &mut self.fresh_hashes,
        );
        with_references(&self.columns, |keys| hash_rows(keys, rows, fresh));
        hashes.append(fresh);
    }

    /// Computes keys from the first unknown row on, when those of all rows before it were used.
    /// Some(step): none could be.
    ///
    /// Long keys are forgotten then, so that those of one window at a time are held.
    ///
    /// Rows before one that stops count as known; the row itself stops again when it is the first
    /// unknown one. So an error or a parameter comes in its turn, after the rows before it.
    pub(super) fn advance(&mut self, cx: &mut ExecCx, batch: &Batch) -> Result<Option<Step>> {
        for column in &mut self.columns {
            if let Vector::Text(texts) = &column.data
                && texts.text_bytes() >= Batch::FULL_BYTES
            {
                column.clear();
                column.pad_to(self.known);
            }
        }
        let mut rows = batch.rows().slice(self.known, batch.len());
        let (mut stopped, mut cause) = (false, None);
        for (key, column) in self.programs.iter_mut().zip(&mut self.columns) {
            cx.work
                .spend((rows.len() as u32).saturating_mul(key.cost()));
            let mut counters = EvalCounters::default();
            if let Some(stop) =
                key.append(&mut cx.eval(&mut counters), &batch.columns, rows, column)
            {
                rows = rows.below(stop.row);
                (stopped, cause) = (true, stop.cause);
            }
        }
        self.known += rows.len();
        if stopped {
            self.columns
                .iter_mut()
                .for_each(|column| column.truncate(self.known));
        }
        match cause {
            Some(StopCause::Error(error)) if rows.is_empty() => Err(error),
            Some(StopCause::Produce(param)) if rows.is_empty() => Ok(Some(Step::Produce(param))),
            _ => Ok(None),
        }
    }
}
