//! The columnar access method: rows in chunks, a segment a column, each encoded and summarised.
//!
//! It is the storage that mail 1 (Julien Tachoires) wants keys for: a condition is tested on encoded
//! values and on whole chunks before any row is made, and only the columns that are asked for are read.
//! Rows are appended; DELETE sets a bit, UPDATE deletes and appends, VACUUM encodes what is left again.
//! A page, in its counters and sizes, is 8 KiB of a segment.

mod chunk;
mod packed;
mod scan;
mod segment;
mod store;
mod summary;
mod test;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use self::chunk::Chunk;
use self::scan::ColumnarScan;
use self::store::{ColumnarStore, Compacted, Place};
use super::heap::{keys, layout::RowLayout};
use super::{
    AmCtx, KeyShape, KeySupport, Relation, RelationSize, RowShape, ScanSpec, TableAm, TableScan,
    Tid,
};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::storage::Transactions;
use crate::value::{Batch, Rows};

/// The access method `columnar`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Columnar;

impl TableAm for Columnar {
    fn name(&self) -> &'static str {
        "columnar"
    }

    fn key_support(&self, key: &KeyShape) -> KeySupport {
        keys::key_support(key)
    }

    fn create(&self, shape: Rc<RowShape>, memory: &Memory) -> Rc<dyn Relation> {
        Rc::new(ColumnarRelation {
            layout: RowLayout::new(&shape),
            store: RefCell::new(ColumnarStore::new(memory.holding())),
            shape,
        })
    }
}

/// One table's rows.
#[derive(Debug)]
pub struct ColumnarRelation {
    shape: Rc<RowShape>,
    layout: RowLayout,
    store: RefCell<ColumnarStore>,
}

impl ColumnarRelation {
    fn check_columns(&self, batch: &Batch) -> Result<()> {
        let fits = |(column, &ty): (&crate::value::Column, _)| column.ty() == ty;
        if batch.columns.len() >= self.shape.columns.len()
            && batch.columns.iter().zip(&self.shape.columns).all(fits)
        {
            Ok(())
        } else {
            Err(Error::internal(
                "a batch does not have its relation's columns",
            ))
        }
    }
}

impl Relation for ColumnarRelation {
    fn shape(&self) -> &Rc<RowShape> {
        &self.shape
    }

    fn begin_scan(self: Rc<Self>, spec: ScanSpec) -> Result<Box<dyn TableScan>> {
        if spec
            .columns
            .iter()
            .any(|&column| column >= self.shape.columns.len())
        {
            return Err(Error::internal(
                "a scan wants a column that its relation does not have",
            ));
        }
        Ok(Box::new(ColumnarScan::new(self, spec)))
    }

    fn insert(&self, cx: &mut AmCtx<'_>, batch: &Batch, rows: Rows<'_>) -> Result<()> {
        self.check_columns(batch)?;
        let mut store = self.store.borrow_mut();
        store.begin_change(cx.snapshot, cx.transactions);
        store.append(&self.shape, batch, rows)
    }

    fn delete(&self, cx: &mut AmCtx<'_>, tid: Tid) -> Result<bool> {
        let mut store = self.store.borrow_mut();
        store.begin_change(cx.snapshot, cx.transactions);
        match Place::of(tid) {
            Some(place) if store.is_visible(place, cx.snapshot) => store.delete(place, cx.snapshot),
            _ => Ok(false),
        }
    }

    fn update(&self, cx: &mut AmCtx<'_>, tid: Tid, batch: &Batch, row: usize) -> Result<bool> {
        let deleted = self.delete(cx, tid)?;
        if deleted {
            self.insert(cx, batch, Rows::Range(row, row + 1))?;
        }
        Ok(deleted)
    }

    fn fetch(
        &self,
        cx: &mut AmCtx<'_>,
        tid: Tid,
        columns: &[usize],
        out: &mut Batch,
    ) -> Result<bool> {
        let mut store = self.store.borrow_mut();
        store.settle(cx.transactions);
        let Some(place) = Place::of(tid).filter(|&place| store.is_visible(place, cx.snapshot))
        else {
            return Ok(false);
        };
        let rows = out.physical_rows();
        for (&column, to) in columns.iter().zip(&mut out.columns) {
            store.chunks[place.chunk].segments[column].extend(place.row, place.row + 1, to);
        }
        out.set_physical_rows(rows + 1);
        Ok(true)
    }

    fn vacuum(&self, cx: &mut AmCtx<'_>, from: u32) -> Result<Option<u32>> {
        let mut store = self.store.borrow_mut();
        store.settle(cx.transactions);
        let mut at = from as usize;
        while at < store.chunks.len() {
            if cx.work.is_exhausted() && at > from as usize {
                return Ok(Some(at as u32));
            }
            let rows = store.chunks[at].rows;
            let compacted = store.compact(at)?;
            cx.work.spend(if compacted == Compacted::Unchanged {
                1
            } else {
                1 + rows as u32
            });
            if compacted != Compacted::Emptied {
                at += 1;
            }
        }
        Ok(None)
    }

    fn size(&self) -> RelationSize {
        let store = self.store.borrow();
        RelationSize {
            pages: store.chunks.iter().map(Chunk::pages).sum::<u64>() as u32,
            rows: store.rows,
            bytes: store.bytes(),
        }
    }

    fn settle(&self, transactions: &Transactions) {
        self.store.borrow_mut().settle(transactions);
    }
}
