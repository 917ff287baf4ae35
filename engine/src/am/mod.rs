//! The table access method API: PostgreSQL's `TableAmRoutine`, the part a playground needs.
//!
//! An access method is asked three things: when planning, which conditions it can test itself
//! ([`TableAm::key_support`]); when executing, for batches of rows ([`TableScan::next`]); and for
//! changes. It never calls the executor: a scan whose key values are not known yet says
//! [`ScanStep::NeedKeys`] at the first visible tuple, so that an error in a key expression is not
//! raised on an empty table.

pub mod columnar;
pub mod heap;
mod scan_key;

use std::rc::Rc;

pub use scan_key::{KeyShape, KeySupport, ScanKey};

use crate::error::Result;
use crate::memory::Memory;
use crate::storage::{Snapshot, Transactions};
use crate::value::{Batch, Rows, Type};
use crate::work::Work;

/// A row's place in its relation: block in the upper 48 bits, line pointer (from 1) in the lower 16.
/// As a column it travels as `bigint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tid(pub u64);

impl Tid {
    pub const fn new(block: u32, offset: u16) -> Self {
        Tid((block as u64) << 16 | offset as u64)
    }

    pub const fn block(self) -> u32 {
        (self.0 >> 16) as u32
    }

    pub const fn offset(self) -> u16 {
        self.0 as u16
    }
}

/// An access method: one for each `USING name`, stateless.
pub trait TableAm {
    /// The name in `pg_am`.
    fn name(&self) -> &'static str;
    /// Asked when planning, once a pushable condition.
    fn key_support(&self, key: &KeyShape) -> KeySupport;
    /// True if it keeps part of each page free for updates (`fillfactor`).
    fn has_fill_factor(&self) -> bool {
        false
    }
    /// New, empty storage for rows of these types.
    fn create(&self, shape: Rc<RowShape>, memory: &Memory) -> Rc<dyn Relation>;
}

/// The columns of a relation, as storage sees them.
#[derive(Clone, Debug, PartialEq)]
pub struct RowShape {
    pub columns: Vec<Type>,
    /// Percent of a page that INSERT fills (`fillfactor`).
    pub fill_factor: u8,
}

/// One relation's storage.
pub trait Relation {
    fn shape(&self) -> &Rc<RowShape>;
    fn begin_scan(self: Rc<Self>, spec: ScanSpec) -> Result<Box<dyn TableScan>>;
    /// Appends `rows` of the batch (all of the relation's columns, in order) as the snapshot's transaction.
    /// Errors: 53200; 54000 `row is too big` for a row that fits no page. Rows before the error stay,
    /// invisible once the transaction aborts.
    fn insert(&self, cx: &mut AmCtx<'_>, batch: &Batch, rows: Rows<'_>) -> Result<()>;
    /// Marks a row deleted. False: it already was, by the same transaction (nothing to do).
    fn delete(&self, cx: &mut AmCtx<'_>, tid: Tid) -> Result<bool>;
    /// Deletes the row at `tid` and appends `row` of the batch as its new version. False as in `delete`.
    fn update(&self, cx: &mut AmCtx<'_>, tid: Tid, batch: &Batch, row: usize) -> Result<bool>;
    /// Appends the wanted columns of the row at `tid` to `out`, if the snapshot sees it.
    fn fetch(
        &self,
        cx: &mut AmCtx<'_>,
        tid: Tid,
        columns: &[usize],
        out: &mut Batch,
    ) -> Result<bool>;
    /// Removes dead rows and freezes the rest, from block `from` on, until `cx.work` is spent.
    /// Some(block): call again from there. None: done.
    fn vacuum(&self, cx: &mut AmCtx<'_>, from: u32) -> Result<Option<u32>>;
    fn size(&self) -> RelationSize;
    /// A transaction has been rolled back: gives back the memory of what only it could see.
    fn settle(&self, transactions: &Transactions);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelationSize {
    pub pages: u32,
    /// Rows as far as known without a scan (inserted less deleted); the planner's `reltuples`.
    pub rows: u64,
    pub bytes: u64,
}

/// What a scan is to return.
#[derive(Clone, Debug, Default)]
pub struct ScanSpec {
    /// Table columns in output order; the batch gets these columns.
    pub columns: Vec<usize>,
    /// One more output column, last: the row's [`Tid`] as bigint.
    pub with_tid: bool,
    /// The scan has keys: it asks for them ([`ScanStep::NeedKeys`]) at the first visible tuple.
    pub has_keys: bool,
}

pub trait TableScan {
    /// Appends visible rows that satisfy the keys to `out` until its demand is met, or ends before that
    /// with what is worth handing on.
    ///
    /// `out` comes without a selection. If it comes empty, it may go back with one, where the keys were
    /// tested on its columns: the rows that count are those of [`Batch::rows`], and such a batch is handed
    /// on before more is asked for.
    fn next(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<ScanStep>;
    /// The keys' values, after [`ScanStep::NeedKeys`]. Their number may differ from scan to scan.
    fn set_keys(&mut self, keys: &[ScanKey]) -> Result<()>;
    /// Starts over. `None` keeps the keys; `Some` replaces them (an empty slice: none).
    /// To have changed values asked for again, lazily, use [`TableScan::rescan_asking`].
    fn rescan(&mut self, keys: Option<&[ScanKey]>) -> Result<()>;
    /// Starts over and asks for the keys again at the first visible tuple.
    fn rescan_asking(&mut self);
    fn progress(&self) -> PagesDone;
}

/// What the caller does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanStep {
    /// `out` is full (or has rows worth handing on); call again for more.
    Rows,
    /// Call `set_keys`, then `next` again.
    NeedKeys,
    /// The work allowance is spent; `out` may have rows. Call again after a pause.
    Pause,
    /// No rows beyond those in `out`.
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PagesDone {
    pub done: u32,
    pub total: u32,
}

/// What a call into an access method works with.
pub struct AmCtx<'a> {
    pub snapshot: Snapshot,
    pub transactions: &'a Transactions,
    pub counters: &'a mut ScanCounters,
    pub work: &'a mut Work,
}

/// Filled by the access method, copied into the node's counters by the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanCounters {
    pub pages_read: u64,
    /// Pages not looked at because their summary or a NULL key rules them out.
    pub pages_skipped: u64,
    /// Tuples the snapshot sees.
    pub visible: u64,
    pub removed_by_keys: u64,
    /// Key tests made, one a key and tuple (a tuple that fails the first key makes one).
    pub key_evaluations: u64,
}
