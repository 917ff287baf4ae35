//! VACUUM (PostgreSQL's `vacuumlazy.c`): removes dead tuples, compacts pages, freezes what is left, marks
//! pages visible to everyone, and gives back empty pages at the end. There are no indexes, so a dead
//! tuple's line pointer is free at once.

use super::layout::RowLayout;
use super::store::{HeapStore, corrupted_page, corrupted_tuple};
use super::tuple::{self, PLAIN_DATA_OFFSET, Shape, infomask};
use super::visibility::{Standing, examine};
use crate::am::AmCtx;
use crate::error::Result;
use crate::storage::{
    BlockFile, INVALID_XID, LinePointer, LineState, PAGE_SIZE, Page, Transactions, page_flags,
};

/// See [`crate::am::Relation::vacuum`].
pub fn vacuum(
    store: &mut HeapStore,
    layout: &RowLayout,
    cx: &mut AmCtx<'_>,
    from: u32,
) -> Result<Option<u32>> {
    store.settle(cx.transactions);
    if from == 0 {
        store.counted = 0;
    }
    for block in from..store.file.blocks() {
        if cx.work.is_exhausted() && block > from {
            return Ok(Some(block));
        }
        let page = store.page_mut(block)?;
        cx.work.spend(1 + page.line_count() as u32);
        let rows = clean(page, block, layout, cx.transactions)?;
        let free = page.free_space();
        store.counted += rows;
        store.free_space.record(block, free);
    }
    drop_empty_tail(store);
    store.forget_target();
    store.rows = store.counted;
    Ok(None)
}

/// Cleans one page and answers how many rows it has. Errors: XX001 for a page that cannot be right.
fn clean(
    page: &mut Page,
    block: u32,
    layout: &RowLayout,
    transactions: &Transactions,
) -> Result<u64> {
    if !page.is_sound() {
        return Err(corrupted_page(block));
    }
    let (mut rows, mut freed, mut all_live, mut no_nulls) = (0, false, true, true);
    for line in 1..=page.line_count() {
        let pointer = page.line(line);
        let standing = match pointer.state() {
            LineState::Unused => continue,
            LineState::Dead => Standing::Dead,
            LineState::Normal if pointer.offset() + PLAIN_DATA_OFFSET <= PAGE_SIZE => {
                examine(page.bytes_mut(), pointer.offset(), transactions)
            }
            LineState::Normal | LineState::Redirect => return Err(corrupted_tuple(block)),
        };
        match standing {
            Standing::Dead => {
                page.set_line(line, LinePointer::UNUSED);
                freed = true;
                continue;
            }
            Standing::Live => freeze(page.bytes_mut(), pointer.offset()),
            Standing::Inserted { .. } | Standing::Deleted { .. } => all_live = false,
        }
        rows += u64::from(!matches!(standing, Standing::Deleted { .. }));
        let shape = Shape::of(page.bytes(), pointer.offset());
        no_nulls &= !shape.has_null && shape.attributes >= layout.attributes.len();
    }
    if freed && !page.compact() {
        return Err(corrupted_page(block));
    }
    if all_live {
        page.set_prune_xid(INVALID_XID);
    }
    page.put(page_flags::ALL_VISIBLE, all_live);
    page.put(page_flags::NO_NULLS, no_nulls);
    Ok(rows)
}

/// Makes the tuple independent of who wrote it, and forgets a deletion that was rolled back.
fn freeze(page: &mut [u8; PAGE_SIZE], at: usize) {
    let mask = tuple::infomask(page, at);
    tuple::set_infomask(page, at, mask | infomask::XMIN_FROZEN);
    if tuple::xmax(page, at) != INVALID_XID {
        tuple::clear_deleter(page, at);
    }
}

fn drop_empty_tail(store: &mut HeapStore) {
    let mut blocks = store.file.blocks();
    while blocks > 0
        && store
            .file
            .page(blocks - 1)
            .is_some_and(|page| page.line_count() == 0)
    {
        blocks -= 1;
    }
    store.truncate(blocks);
}
