//! Deletes, updates and fetches by address (PostgreSQL's `heap_delete`, `heap_update`, `heap_fetch`).

use super::form::{TupleFormer, check_columns};
use super::layout::RowLayout;
use super::store::{HeapStore, corrupted_tuple};
use super::tuple::{self, PLAIN_DATA_OFFSET, infomask};
use super::visibility::examine;
use crate::am::{AmCtx, Tid};
use crate::error::Result;
use crate::storage::{BlockFile, PAGE_SIZE, max_align, page_flags};
use crate::value::Batch;

/// Where the tuple at `tid` starts on its page, if the snapshot sees it. Errors: XX001.
pub fn find_visible(store: &mut HeapStore, cx: &AmCtx<'_>, tid: Tid) -> Result<Option<usize>> {
    let Some(page) = store.file.page_mut(tid.block()) else {
        return Ok(None);
    };
    let pointer = page.line(usize::from(tid.offset()));
    if !pointer.is_normal() {
        return Ok(None);
    }
    let at = pointer.offset();
    if at + PLAIN_DATA_OFFSET > PAGE_SIZE {
        return Err(corrupted_tuple(tid.block()));
    }
    let standing = examine(page.bytes_mut(), at, cx.transactions);
    Ok(standing.is_visible(cx.snapshot).then_some(at))
}

/// True if the tuple carries a deletion of the running command, which the snapshot does not see yet.
fn is_deleted(store: &HeapStore, tid: Tid, at: usize, cx: &AmCtx<'_>) -> bool {
    store.file.page(tid.block()).is_some_and(|page| {
        tuple::infomask(page.bytes(), at) & infomask::XMAX_INVALID == 0
            && tuple::xmax(page.bytes(), at) == cx.snapshot.xid
    })
}

fn mark(
    store: &mut HeapStore,
    cx: &AmCtx<'_>,
    tid: Tid,
    at: usize,
    newer: Option<Tid>,
) -> Result<()> {
    let page = store.page_mut(tid.block())?;
    tuple::mark_deleted(
        page.bytes_mut(),
        at,
        cx.snapshot.xid,
        cx.snapshot.command,
        newer,
    );
    page.clear(page_flags::ALL_VISIBLE);
    page.set_prune_xid(cx.snapshot.xid);
    Ok(())
}

/// See [`crate::am::Relation::delete`].
pub fn delete(store: &mut HeapStore, cx: &AmCtx<'_>, tid: Tid) -> Result<bool> {
    store.begin_change(cx.snapshot.xid, cx.transactions);
    match find_visible(store, cx, tid)? {
        Some(at) if !is_deleted(store, tid, at, cx) => {
            mark(store, cx, tid, at, None)?;
            store.rows = store.rows.saturating_sub(1);
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// See [`crate::am::Relation::update`]. The new version goes on the same page if it fits there.
pub fn update(
    store: &mut HeapStore,
    layout: &RowLayout,
    cx: &AmCtx<'_>,
    tid: Tid,
    batch: &Batch,
    row: usize,
) -> Result<bool> {
    check_columns(layout, batch)?;
    store.begin_change(cx.snapshot.xid, cx.transactions);
    let at = match find_visible(store, cx, tid)? {
        Some(at) if !is_deleted(store, tid, at, cx) => at,
        _ => return Ok(false),
    };
    let mut former = TupleFormer::default();
    former.form(layout, batch, row, cx.snapshot, infomask::UPDATED);
    let (formed, has_null) = (former.tuple(), former.has_null());
    let fits = max_align(formed.len()) <= store.page_mut(tid.block())?.free_space();
    let newer = match fits
        .then(|| store.put(tid.block(), formed, has_null))
        .transpose()?
        .flatten()
    {
        Some(newer) => newer,
        None => store.place(formed, has_null)?,
    };
    mark(store, cx, tid, at, Some(newer))?;
    Ok(true)
}
