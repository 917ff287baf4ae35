//! The inner rows a merge join looks at: those that came last, and as many before as are still needed.

use std::cmp::Ordering;

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::Step;
use crate::expr::Program;
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Column, Rows, Type, compare_values};

use crate::exec::ops::row_keys::RowKeys;

/// Fewer rows than these are not worth moving away.
const LEAST_DROPPED: usize = 64;

/// Rows and their keys, in the order they came. Rows are appended behind and dropped in front.
pub(super) struct Window {
    types: Vec<Type>,
    rows: Batch,
    keys: Vec<Column>,
    /// A batch on its way in, and how many of its rows are in.
    batch: Box<Batch>,
    taken: usize,
    batch_keys: RowKeys,
    holding: Holding,
    bytes: u64,
}

impl Window {
    pub(super) fn new(types: Vec<Type>, keys: Vec<Program>, memory: &Memory) -> Self {
        Window {
            rows: Batch::with_types(&types),
            types,
            keys: keys.iter().map(|key| Column::new(key.ty())).collect(),
            batch: Box::default(),
            taken: 0,
            batch_keys: RowKeys::new(keys),
            holding: memory.holding(),
            bytes: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.physical_rows()
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.rows.columns
    }

    pub(super) fn peak(&self) -> u64 {
        self.holding.peak()
    }

    pub(super) fn clear(&mut self) {
        self.rows.reset(&self.types, 0);
        self.keys.iter_mut().for_each(Column::clear);
        self.taken = self.batch.len();
        self.bytes = 0;
        self.holding.shrink(self.holding.bytes());
    }

    /// A new batch; the one before is in.
    pub(super) fn receive(&mut self, batch: &mut Box<Batch>) {
        debug_assert_eq!(self.taken, self.batch.len());
        std::mem::swap(batch, &mut self.batch);
        self.taken = 0;
        self.batch_keys.start();
    }

    /// True if rows of the batch at hand are not in yet.
    pub(super) fn has_more(&self) -> bool {
        self.taken < self.batch.len()
    }

    /// Appends those rows of the batch at hand whose keys can be computed. Some(step): none can.
    pub(super) fn take(&mut self, cx: &mut ExecCx) -> Result<Option<Step>> {
        if let Some(step) = self.batch_keys.advance(cx, &self.batch)? {
            return Ok(Some(step));
        }
        let (from, to, before) = (self.taken, self.batch_keys.known(), self.len());
        let rows = self.batch.rows().slice(from, to);
        for (into, column) in self.rows.columns.iter_mut().zip(&self.batch.columns) {
            match rows {
                Rows::Range(a, b) => into.extend_range(column, a, b),
                Rows::Picked(rows) => into.gather(column, rows),
            }
        }
        for (into, key) in self.keys.iter_mut().zip(&self.batch_keys.columns) {
            into.extend_range(key, from, to);
        }
        self.rows.set_physical_rows(before + to - from);
        self.taken = to;
        cx.work.spend((to - from) as u32);
        self.bytes += self.accounted_from(before);
        self.holding.set(self.bytes)?;
        Ok(None)
    }

    fn accounted_from(&self, row: usize) -> u64 {
        let keys = self.keys.iter().map(|key| key.accounted_from(row));
        self.rows.accounted_from(row) + keys.sum::<u64>()
    }

    /// Drops the first `n` rows if that is worth moving the others: they are the fewer. Answers how
    /// many it dropped.
    pub(super) fn drop_first(&mut self, n: usize) -> Result<usize> {
        let all = self.len();
        if n < LEAST_DROPPED.max(all.div_ceil(2)) {
            return Ok(0);
        }
        let moved = |column: &Column| {
            let mut rest = Column::new(column.ty());
            rest.extend_range(column, n, all);
            rest
        };
        let mut rows = Batch::with_types(&self.types);
        rows.columns = self.rows.columns.iter().map(moved).collect();
        rows.set_physical_rows(all - n);
        self.keys = self.keys.iter().map(moved).collect();
        self.rows = rows;
        self.bytes = self.accounted_from(0);
        self.holding.set(self.bytes)?;
        Ok(n)
    }

    /// The row has a NULL key: it matches nothing.
    pub(super) fn has_null(&self, row: usize) -> bool {
        self.keys.iter().any(|key| key.is_null(row))
    }

    pub(super) fn first_key_is_null(&self, row: usize) -> bool {
        self.keys.first().is_some_and(|key| key.is_null(row))
    }

    /// The order of two rows of the window.
    pub(super) fn same(&self, a: usize, b: usize) -> bool {
        !self.has_null(b)
            && self
                .keys
                .iter()
                .all(|key| compare_values(key, a, key, b).is_eq())
    }

    /// The order of a row and of row `i` of other keys; no key is NULL.
    pub(super) fn compare(
        &self,
        row: usize,
        others: &[Column],
        i: usize,
        descending: &[bool],
    ) -> Ordering {
        for ((key, other), &descending) in self.keys.iter().zip(others).zip(descending) {
            let ordering = compare_values(key, row, other, i);
            if ordering.is_ne() {
                return if descending {
                    ordering.reverse()
                } else {
                    ordering
                };
            }
        }
        Ordering::Equal
    }
}
