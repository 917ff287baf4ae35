//! The heap: rows in the order they came, on PostgreSQL's pages, with PostgreSQL's tuple headers and
//! visibility. Everything on a page is byte for byte what PostgreSQL would write, so sizes agree with it.

mod array_payload;
mod change;
mod deform;
mod form;
mod insert;
mod key_round;
pub(in crate::am) mod keys;
mod late_test;
pub(in crate::am) mod layout;
mod one_row;
mod output;
mod page_entry;
mod scan;
mod store;
#[cfg(test)]
mod tests;
mod tuple;
mod vacuum;
mod visibility;

use std::cell::RefCell;
use std::rc::Rc;

use self::deform::NULL;
use self::layout::RowLayout;
use self::output::{Candidate, Output, PageView};
use self::scan::HeapScan;
use self::store::{HeapStore, corrupted_page};
use super::{
    AmCtx, KeyShape, KeySupport, Relation, RelationSize, RowShape, ScanSpec, TableAm, TableScan,
    Tid,
};
use crate::error::Result;
use crate::memory::Memory;
use crate::storage::{BlockFile, Transactions, page_flags};
use crate::value::{Batch, Rows};

/// The access method `heap`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

impl TableAm for Heap {
    fn name(&self) -> &'static str {
        "heap"
    }

    fn key_support(&self, key: &KeyShape) -> KeySupport {
        keys::key_support(key)
    }

    fn has_fill_factor(&self) -> bool {
        true
    }

    fn create(&self, shape: Rc<RowShape>, memory: &Memory) -> Rc<dyn Relation> {
        Rc::new(HeapRelation::new(shape, memory))
    }
}

/// One table's rows.
#[derive(Debug)]
pub struct HeapRelation {
    shape: Rc<RowShape>,
    layout: RowLayout,
    store: RefCell<HeapStore>,
}

impl HeapRelation {
    fn new(shape: Rc<RowShape>, memory: &Memory) -> Self {
        HeapRelation {
            layout: RowLayout::new(&shape),
            store: RefCell::new(HeapStore::new(memory.holding(), shape.fill_factor)),
            shape,
        }
    }
}

impl Relation for HeapRelation {
    fn shape(&self) -> &Rc<RowShape> {
        &self.shape
    }

    fn begin_scan(self: Rc<Self>, spec: ScanSpec) -> Result<Box<dyn TableScan>> {
        Ok(Box::new(HeapScan::new(self, spec)?))
    }

    fn insert(&self, cx: &mut AmCtx<'_>, batch: &Batch, rows: Rows<'_>) -> Result<()> {
        let mut store = self.store.borrow_mut();
        store.begin_change(cx.snapshot.xid, cx.transactions);
        insert::insert(&mut store, &self.layout, cx.snapshot, batch, rows)
    }

    fn delete(&self, cx: &mut AmCtx<'_>, tid: Tid) -> Result<bool> {
        change::delete(&mut self.store.borrow_mut(), cx, tid)
    }

    fn update(&self, cx: &mut AmCtx<'_>, tid: Tid, batch: &Batch, row: usize) -> Result<bool> {
        change::update(
            &mut self.store.borrow_mut(),
            &self.layout,
            cx,
            tid,
            batch,
            row,
        )
    }

    fn fetch(
        &self,
        cx: &mut AmCtx<'_>,
        tid: Tid,
        columns: &[usize],
        out: &mut Batch,
    ) -> Result<bool> {
        let mut store = self.store.borrow_mut();
        let Some(at) = change::find_visible(&mut store, cx, tid)? else {
            return Ok(false);
        };
        let block = tid.block();
        let page = store
            .file
            .page(block)
            .ok_or_else(|| corrupted_page(block))?;
        let spec = ScanSpec {
            columns: columns.to_vec(),
            ..ScanSpec::default()
        };
        let view = PageView {
            page,
            block,
            plain: page.has(page_flags::NO_NULLS),
        };
        let tuple = Candidate::new(usize::from(tid.offset()), at);
        let mut scratch = vec![NULL; self.layout.attributes.len()];
        Output::new(&self.layout, spec)?
            .append_one(&self.layout, view, tuple, &mut scratch, out)
            .map_err(|damaged| view.error(damaged))?;
        Ok(true)
    }

    fn vacuum(&self, cx: &mut AmCtx<'_>, from: u32) -> Result<Option<u32>> {
        vacuum::vacuum(&mut self.store.borrow_mut(), &self.layout, cx, from)
    }

    fn size(&self) -> RelationSize {
        let store = self.store.borrow();
        RelationSize {
            pages: store.file.blocks(),
            rows: store.rows,
            bytes: store.file.bytes(),
        }
    }

    fn settle(&self, transactions: &Transactions) {
        self.store.borrow_mut().settle(transactions);
    }
}
