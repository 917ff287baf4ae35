//! A heap's pages and where the next tuple goes (PostgreSQL's `hio.c`).

use super::tuple;
use crate::am::Tid;
use crate::error::{Error, Result, sqlstate};
use crate::memory::Holding;
use crate::storage::{
    BlockFile, FreeSpaceMap, MAX_ITEM_SIZE, MemoryFile, PAGE_SIZE, Page, Transactions, Xid,
    XidState, max_align, page_flags,
};

/// What changes of a heap relation.
#[derive(Debug)]
pub struct HeapStore {
    pub file: MemoryFile,
    pub free_space: FreeSpaceMap,
    /// The page that took the last tuple.
    target: Option<u32>,
    /// Bytes of each page that inserts leave free (`fillfactor`).
    pub reserved: usize,
    /// Rows inserted less rows deleted; corrected by each vacuum.
    pub rows: u64,
    /// Live tuples seen by a vacuum that is under way.
    pub counted: u64,
    writer: Option<Writer>,
}

/// The transaction that changed the relation last, to undo cheaply what it did if it is rolled back.
#[derive(Clone, Copy, Debug)]
struct Writer {
    xid: Xid,
    rows_before: u64,
    /// The first page it appended: from there on all tuples are its own.
    first_new_page: Option<u32>,
}

impl HeapStore {
    pub fn new(holding: Holding, fill_factor: u8) -> Self {
        let filled = usize::from(fill_factor.clamp(10, 100));
        HeapStore {
            file: MemoryFile::new(holding),
            free_space: FreeSpaceMap::default(),
            target: None,
            reserved: PAGE_SIZE * (100 - filled) / 100,
            rows: 0,
            counted: 0,
            writer: None,
        }
    }

    /// Notes who changes the relation next; to be called before each change.
    pub fn begin_change(&mut self, xid: Xid, transactions: &Transactions) {
        self.settle(transactions);
        if self.writer.is_none_or(|writer| writer.xid != xid) {
            self.writer = Some(Writer {
                xid,
                rows_before: self.rows,
                first_new_page: None,
            });
        }
    }

    /// Gives back the pages that a transaction appended before it was rolled back, so that a failed or
    /// cancelled load leaves no memory behind. Called before the relation is looked at.
    pub fn settle(&mut self, transactions: &Transactions) {
        let Some(writer) = self.writer else { return };
        match transactions.state(writer.xid) {
            XidState::InProgress => {}
            XidState::Committed => self.writer = None,
            XidState::Aborted => {
                self.writer = None;
                self.rows = writer.rows_before;
                if let Some(first) = writer.first_new_page {
                    self.truncate(first);
                }
            }
        }
    }

    /// Drops the pages from `blocks` on.
    pub fn truncate(&mut self, blocks: u32) {
        self.file.truncate(blocks);
        self.free_space.truncate(blocks);
        self.target = self.target.filter(|&target| target < blocks);
    }

    /// A page for a new tuple of `length` bytes: the last one used, one with free space, or a new one.
    /// Errors: 54000 for a tuple that fits no page; 53200; XX001.
    pub fn page_for(&mut self, length: usize) -> Result<u32> {
        let aligned = max_align(length);
        if aligned > MAX_ITEM_SIZE {
            return Err(row_too_big(aligned));
        }
        let needed = aligned + self.reserved;
        let mut candidate = self.target.or_else(|| self.free_space.search(needed));
        // What the map does not know may still have room: the last page.
        candidate = candidate.or_else(|| self.file.blocks().checked_sub(1));
        while let Some(block) = candidate {
            let free = self.file.page(block).map_or(0, Page::free_space);
            if free >= needed {
                self.target = Some(block);
                return Ok(block);
            }
            self.free_space.record(block, free);
            candidate = self.free_space.search(needed);
        }
        let block = self.append()?;
        self.target = Some(block);
        Ok(block)
    }

    fn append(&mut self) -> Result<u32> {
        let block = self.file.append()?;
        if let Some(writer) = &mut self.writer {
            writer.first_new_page.get_or_insert(block);
        }
        self.page_mut(block)?.initialise();
        Ok(block)
    }

    /// Lets the free space map choose the next page, as PostgreSQL does after a vacuum.
    pub fn forget_target(&mut self) {
        self.target = None;
        self.free_space.start_over();
    }

    pub fn page_mut(&mut self, block: u32) -> Result<&mut Page> {
        self.file
            .page_mut(block)
            .ok_or_else(|| corrupted_page(block))
    }

    /// Copies a formed tuple to page `block`. None: it does not fit.
    pub fn put(&mut self, block: u32, formed: &[u8], has_null: bool) -> Result<Option<Tid>> {
        let page = self.page_mut(block)?;
        let Some((line, at)) = page.add(formed.len()) else {
            return Ok(None);
        };
        let tid = Tid::new(block, line as u16);
        page.clear(page_flags::ALL_VISIBLE | if has_null { page_flags::NO_NULLS } else { 0 });
        let slot = page.bytes_mut().get_mut(at..at + formed.len());
        slot.ok_or_else(|| corrupted_page(block))?
            .copy_from_slice(formed);
        tuple::set_ctid(page.bytes_mut(), at, tid);
        Ok(Some(tid))
    }

    /// Finds a page for a formed tuple and puts it there.
    pub fn place(&mut self, formed: &[u8], has_null: bool) -> Result<Tid> {
        let block = self.page_for(formed.len())?;
        self.put(block, formed, has_null)?
            .ok_or_else(|| corrupted_page(block))
    }
}

#[cold]
fn row_too_big(length: usize) -> Error {
    Error::new(
        sqlstate::PROGRAM_LIMIT_EXCEEDED,
        format!("row is too big: size {length}, maximum size {MAX_ITEM_SIZE}"),
    )
}

#[cold]
pub fn corrupted_page(block: u32) -> Error {
    Error::new(
        sqlstate::DATA_CORRUPTED,
        format!("invalid page in block {block}"),
    )
}

#[cold]
pub fn corrupted_tuple(block: u32) -> Error {
    Error::new(
        sqlstate::DATA_CORRUPTED,
        format!("invalid tuple in block {block}"),
    )
}
