//! The tuple header (PostgreSQL's `htup_details.h`), 23 bytes before the NULL bitmap:
//!
//! | bytes | field |
//! | --- | --- |
//! | 0..4 | `t_xmin`: who inserted it |
//! | 4..8 | `t_xmax`: who deleted it |
//! | 8..12 | `t_cid`: the command that inserted or, once `t_xmax` is set, deleted it |
//! | 12..18 | `t_ctid`: block and line of the newer version, or of itself |
//! | 18..20 | `t_infomask2`: number of attributes and flags |
//! | 20..22 | `t_infomask`: flags |
//! | 22 | `t_hoff`: where the data start |
//!
//! All offsets given to and answered by these functions count from the start of the page, and the
//! caller has checked that [`HEADER_SIZE`] bytes are there.

use crate::am::Tid;
use crate::storage::{PAGE_SIZE, Xid, max_align};

/// `SizeofHeapTupleHeader`
pub const HEADER_SIZE: usize = 23;
/// `t_hoff` of a tuple without a NULL bitmap.
pub const PLAIN_DATA_OFFSET: usize = max_align(HEADER_SIZE);

const XMIN: usize = 0;
const XMAX: usize = 4;
const CID: usize = 8;
const CTID: usize = 12;
const INFOMASK2: usize = 18;
const INFOMASK: usize = 20;
const HOFF: usize = 22;

/// Bits of `t_infomask`.
pub mod infomask {
    pub const HAS_NULL: u16 = 0x0001;
    pub const HAS_VARWIDTH: u16 = 0x0002;
    /// The deleting transaction inserted the tuple too. PostgreSQL keeps both commands aside then; here the
    /// inserting one is forgotten, because the tuple was visible to the deleting command and only the
    /// running command and later ones ever look.
    pub const COMBO_CID: u16 = 0x0020;
    pub const XMIN_COMMITTED: u16 = 0x0100;
    pub const XMIN_INVALID: u16 = 0x0200;
    /// Visible to everyone for ever.
    pub const XMIN_FROZEN: u16 = XMIN_COMMITTED | XMIN_INVALID;
    pub const XMAX_COMMITTED: u16 = 0x0400;
    pub const XMAX_INVALID: u16 = 0x0800;
    /// A newer version of an updated row.
    pub const UPDATED: u16 = 0x2000;
}

/// Bits of `t_infomask2` above the number of attributes.
pub const ATTRIBUTES_MASK: u16 = 0x07FF;
/// `HEAP_KEYS_UPDATED`: deleted, or updated in a way that a key may have changed.
pub const KEYS_UPDATED: u16 = 0x2000;

/// `N` bytes at `at`; where they would leave the page, its last ones.
#[inline(always)]
pub fn load<const N: usize>(page: &[u8; PAGE_SIZE], at: usize) -> [u8; N] {
    let at = at.min(PAGE_SIZE - N);
    page[at..].first_chunk::<N>().copied().unwrap_or([0; N])
}

fn store<const N: usize>(page: &mut [u8; PAGE_SIZE], at: usize, bytes: [u8; N]) {
    if let Some(slot) = page.get_mut(at..at + N) {
        slot.copy_from_slice(&bytes);
    }
}

pub fn xmin(page: &[u8; PAGE_SIZE], tuple: usize) -> Xid {
    Xid::from_le_bytes(load(page, tuple + XMIN))
}

pub fn xmax(page: &[u8; PAGE_SIZE], tuple: usize) -> Xid {
    Xid::from_le_bytes(load(page, tuple + XMAX))
}

pub fn cid(page: &[u8; PAGE_SIZE], tuple: usize) -> u32 {
    u32::from_le_bytes(load(page, tuple + CID))
}

#[inline]
pub fn infomask(page: &[u8; PAGE_SIZE], tuple: usize) -> u16 {
    u16::from_le_bytes(load(page, tuple + INFOMASK))
}

pub fn set_infomask(page: &mut [u8; PAGE_SIZE], tuple: usize, mask: u16) {
    store(page, tuple + INFOMASK, mask.to_le_bytes());
}

/// What a tuple's header says about the shape of its data.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// There is a NULL bitmap.
    pub has_null: bool,
    /// Attributes stored; later ones are NULL.
    pub attributes: usize,
    /// `t_hoff`: from the tuple's start to its data.
    pub data_offset: usize,
}

impl Shape {
    #[inline]
    pub fn of(page: &[u8; PAGE_SIZE], tuple: usize) -> Shape {
        let [a, b, c, d, hoff] = load(page, tuple + INFOMASK2);
        Shape {
            has_null: u16::from_le_bytes([c, d]) & infomask::HAS_NULL != 0,
            attributes: usize::from(u16::from_le_bytes([a, b]) & ATTRIBUTES_MASK),
            data_offset: usize::from(hoff),
        }
    }
}

/// Whether attribute `column` is NULL, in a tuple with a NULL bitmap: a set bit is a value.
#[inline]
pub fn is_null(page: &[u8; PAGE_SIZE], tuple: usize, column: usize) -> bool {
    let [bits] = load(page, tuple + HEADER_SIZE + column / 8);
    bits >> (column % 8) & 1 == 0
}

/// Marks the tuple deleted by command `cid` of `xid`; `newer` is the version that takes its place.
pub fn mark_deleted(
    page: &mut [u8; PAGE_SIZE],
    tuple: usize,
    xid: Xid,
    command: u32,
    newer: Option<Tid>,
) {
    let mut mask = infomask(page, tuple) & !(infomask::XMAX_COMMITTED | infomask::XMAX_INVALID);
    if xmin(page, tuple) == xid {
        mask |= infomask::COMBO_CID;
    }
    set_infomask(page, tuple, mask);
    let mask2 = u16::from_le_bytes(load(page, tuple + INFOMASK2)) | KEYS_UPDATED;
    store(page, tuple + INFOMASK2, mask2.to_le_bytes());
    store(page, tuple + XMAX, xid.to_le_bytes());
    store(page, tuple + CID, command.to_le_bytes());
    if let Some(newer) = newer {
        store(page, tuple + CTID, ctid_bytes(newer));
    }
}

/// Forgets a deletion that was rolled back.
pub fn clear_deleter(page: &mut [u8; PAGE_SIZE], tuple: usize) {
    store(page, tuple + XMAX, 0u32.to_le_bytes());
    let mask2 = u16::from_le_bytes(load(page, tuple + INFOMASK2)) & !KEYS_UPDATED;
    store(page, tuple + INFOMASK2, mask2.to_le_bytes());
}

/// Says where the tuple lies, in the tuple itself.
#[inline]
pub fn set_ctid(page: &mut [u8; PAGE_SIZE], tuple: usize, tid: Tid) {
    store(page, tuple + CTID, ctid_bytes(tid));
}

/// `ItemPointerData`: the block's upper and lower halves, then the line.
pub fn ctid_bytes(tid: Tid) -> [u8; 6] {
    let [a, b, c, d] = tid.block().to_le_bytes();
    let [e, f] = tid.offset().to_le_bytes();
    [c, d, a, b, e, f]
}

/// The first 23 bytes of a new tuple.
pub fn header(
    xid: Xid,
    command: u32,
    attributes: usize,
    mask: u16,
    data_offset: usize,
) -> [u8; HEADER_SIZE] {
    let mut header = [0; HEADER_SIZE];
    header[XMIN..XMIN + 4].copy_from_slice(&xid.to_le_bytes());
    header[CID..CID + 4].copy_from_slice(&command.to_le_bytes());
    header[INFOMASK2..INFOMASK2 + 2]
        .copy_from_slice(&(attributes as u16 & ATTRIBUTES_MASK).to_le_bytes());
    header[INFOMASK..INFOMASK + 2].copy_from_slice(&(mask | infomask::XMAX_INVALID).to_le_bytes());
    header[HOFF] = data_offset as u8;
    header
}
