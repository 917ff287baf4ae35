//! Inserts (PostgreSQL's `heap_multi_insert`): rows of fixed width without NULLs are written column by
//! column straight onto the page; all others are formed one by one.

use super::form::{TupleFormer, check_columns};
use super::layout::RowLayout;
use super::store::{HeapStore, corrupted_page};
use super::tuple::{HEADER_SIZE, PLAIN_DATA_OFFSET, ctid_bytes, header};
use crate::am::Tid;
use crate::error::Result;
use crate::storage::{LINE_SIZE, Page, Snapshot, max_align, page_flags};
use crate::value::{Batch, Rows, Vector};

/// Appends the rows. Errors as [`crate::am::Relation::insert`].
pub fn insert(
    store: &mut HeapStore,
    layout: &RowLayout,
    snapshot: Snapshot,
    batch: &Batch,
    rows: Rows<'_>,
) -> Result<()> {
    check_columns(layout, batch)?;
    let columns = &batch.columns[..layout.attributes.len()];
    let plain = columns.iter().all(|column| !column.nulls.any());
    let mut former = TupleFormer::default();
    let mut done = 0;
    while done < rows.len() {
        if plain && let Some(length) = layout.fixed_length {
            let block = store.page_for(length)?;
            let written = write_plain(
                store,
                layout,
                snapshot,
                batch,
                rows.slice(done, rows.len()),
                block,
                length,
            )?;
            done += written;
            store.rows += written as u64;
            if written > 0 {
                continue;
            }
        }
        former.form(layout, batch, rows.at(done), snapshot, 0);
        store.place(former.tuple(), former.has_null())?;
        done += 1;
        store.rows += 1;
    }
    Ok(())
}

/// Writes as many of the rows as the page takes. None are written on a page with free line pointers,
/// which takes tuples one by one.
fn write_plain(
    store: &mut HeapStore,
    layout: &RowLayout,
    snapshot: Snapshot,
    batch: &Batch,
    rows: Rows<'_>,
    block: u32,
    length: usize,
) -> Result<usize> {
    let reserved = store.reserved;
    let page = store.page_mut(block)?;
    if page.has(page_flags::HAS_FREE_LINES) {
        return Ok(0);
    }
    let count = capacity(page, length, reserved).min(rows.len());
    let Some((line, first)) = page.append(count, length) else {
        return Err(corrupted_page(block));
    };
    page.clear(page_flags::ALL_VISIBLE);
    let stride = max_align(length);
    let attributes = layout.attributes.len();
    let header = header(
        snapshot.xid,
        snapshot.command,
        attributes,
        0,
        PLAIN_DATA_OFFSET,
    );
    write_headers(
        page,
        &header,
        Tid::new(block, line as u16),
        first,
        count,
        stride,
    );
    let rows = rows.slice(0, count);
    for (attribute, column) in layout.attributes.iter().zip(&batch.columns) {
        let at = first + attribute.fixed_offset().unwrap_or(PLAIN_DATA_OFFSET);
        write_column(page, &column.data, rows, at, stride);
    }
    Ok(count)
}

/// How many more tuples of `length` bytes an insert may put on the page; at least one on an empty page.
fn capacity(page: &Page, length: usize, reserved: usize) -> usize {
    let each = max_align(length) + LINE_SIZE;
    let fit = page.gap() / each;
    let kept = page.gap().saturating_sub(reserved) / each;
    if page.line_count() == 0 {
        kept.max(1).min(fit)
    } else {
        kept
    }
}

/// The page is zero where no tuple ever was, but not after a vacuum: padding is cleared with the header.
fn write_headers(
    page: &mut Page,
    header: &[u8; HEADER_SIZE],
    tid: Tid,
    first: usize,
    count: usize,
    stride: usize,
) {
    let end = first + stride;
    let start = end - count * stride;
    let mut template = [0u8; PLAIN_DATA_OFFSET];
    template[..HEADER_SIZE].copy_from_slice(header);
    let block = ctid_bytes(tid);
    let slots = page.bytes_mut()[start..end].rchunks_exact_mut(stride);
    for (line, slot) in (tid.offset()..).zip(slots) {
        let (head, data) = slot.split_at_mut(PLAIN_DATA_OFFSET);
        template[12..16].copy_from_slice(&block[..4]);
        template[16..18].copy_from_slice(&line.to_le_bytes());
        head.copy_from_slice(&template);
        data.fill(0);
    }
}

/// Writes a column's values, the first at `at` and each next one `stride` lower.
fn write_column(page: &mut Page, data: &Vector, rows: Rows<'_>, at: usize, stride: usize) {
    macro_rules! write {
        ($values:expr, $value:ident => $bytes:expr) => {{
            let values = $values;
            match rows {
                Rows::Range(from, to) => descend(
                    page,
                    values[from..to].iter().map(|&$value| $bytes),
                    at,
                    stride,
                ),
                Rows::Picked(rows) => {
                    let picked = rows.iter().map(|&row| {
                        let $value = values[row as usize];
                        $bytes
                    });
                    descend(page, picked, at, stride)
                }
            }
        }};
    }
    match data {
        Vector::Bool(v) => write!(v, value => [u8::from(value)]),
        Vector::Int2(v) => write!(v, value => value.to_le_bytes()),
        Vector::Int4(v) => write!(v, value => value.to_le_bytes()),
        Vector::Int8(v) => write!(v, value => value.to_le_bytes()),
        Vector::Float4(v) => write!(v, value => value.to_le_bytes()),
        Vector::Float8(v) => write!(v, value => value.to_le_bytes()),
        Vector::Interval(v) => write!(v, value => value.to_le_bytes()),
        // A layout of fixed length has no such column.
        Vector::Numeric(_) | Vector::Text(_) | Vector::Array(_) => {}
    }
}

fn descend<const N: usize>(
    page: &mut Page,
    values: impl Iterator<Item = [u8; N]>,
    at: usize,
    stride: usize,
) {
    let bytes = page.bytes_mut();
    let mut at = at;
    for value in values {
        if let Some(slot) = bytes.get_mut(at..at + N) {
            slot.copy_from_slice(&value);
        }
        at = at.wrapping_sub(stride);
    }
}
