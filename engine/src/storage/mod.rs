//! Pages, relation files and transactions: what lies below the access methods.

mod block_file;
mod free_space;
mod page;
mod transaction;
pub mod varlena;

pub use block_file::{BlockFile, MemoryFile, PagePlace};
pub use free_space::FreeSpaceMap;
pub use page::{
    CACHE_LINE, LINE_SIZE, LinePointer, LineState, MAX_ITEM_SIZE, PAGE_HEADER_SIZE, PAGE_SIZE,
    Page, align_up, max_align, page_flags,
};
pub use transaction::{FROZEN_XID, INVALID_XID, Snapshot, Transactions, Xid, XidState};
