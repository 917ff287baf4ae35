//! PostgreSQL's 8 KiB page (`bufpage.h`, `itemid.h`): a header, line pointers growing up, items growing down.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0..8 | `pd_lsn` (always 0: there is no log) |
//! | 8..10 | `pd_checksum` (always 0: as with `data_checksums = off`) |
//! | 10..12 | `pd_flags` |
//! | 12..14 | `pd_lower`: end of the line pointers |
//! | 14..16 | `pd_upper`: start of the items |
//! | 16..18 | `pd_special`: 8192, a heap page has no special space |
//! | 18..20 | `pd_pagesize_version`: 8192 and layout version 4 |
//! | 20..24 | `pd_prune_xid` |
//! | 24.. | line pointers of four bytes: offset 15 bits, state 2, length 15 |
//!
//! Reads never leave the page whatever its bytes say: a damaged page gives wrong numbers, and those
//! who read items check them.

use super::Xid;

pub const PAGE_SIZE: usize = 8192;
/// `SizeOfPageHeaderData`
pub const PAGE_HEADER_SIZE: usize = 24;
/// `sizeof(ItemIdData)`
pub const LINE_SIZE: usize = 4;
/// `MaxHeapTupleSize`: the longest item that an empty page takes.
pub const MAX_ITEM_SIZE: usize = PAGE_SIZE - max_align(PAGE_HEADER_SIZE + LINE_SIZE);

/// Bytes that the usual processors fetch at once.
pub const CACHE_LINE: usize = 64;

const LAYOUT_VERSION: u16 = 4;

const FLAGS: usize = 10;
const LOWER: usize = 12;
const UPPER: usize = 14;
const SPECIAL: usize = 16;
const SIZE_AND_VERSION: usize = 18;
const PRUNE_XID: usize = 20;

/// Rounded up to `MAXIMUM_ALIGNOF`, where every item starts.
pub const fn max_align(length: usize) -> usize {
    align_up(length, 8)
}

/// Rounded up to a multiple of `align`, a power of two, without a division.
#[inline(always)]
pub const fn align_up(at: usize, align: usize) -> usize {
    (at + align - 1) & !(align - 1)
}

/// Bits of `pd_flags`.
pub mod page_flags {
    /// `PD_HAS_FREE_LINES`: there may be unused line pointers.
    pub const HAS_FREE_LINES: u16 = 0x0001;
    /// `PD_ALL_VISIBLE`: every tuple is visible to everyone.
    pub const ALL_VISIBLE: u16 = 0x0004;
    /// Not PostgreSQL's (which leaves the upper bits unused): no tuple has a NULL or lacks a column,
    /// so that a scan may read a column at its fixed offset without looking at tuple headers.
    pub const NO_NULLS: u16 = 0x0100;
}

/// The state of a line pointer (`lp_flags`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineState {
    /// `LP_UNUSED`: free for the next item.
    Unused,
    /// `LP_NORMAL`: points to an item.
    Normal,
    /// `LP_REDIRECT`: points to another line pointer; heap-only tuples are not built here, so it is never written.
    Redirect,
    /// `LP_DEAD`
    Dead,
}

/// A line pointer (`ItemIdData`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinePointer(u32);

impl LinePointer {
    pub const UNUSED: LinePointer = LinePointer(0);

    /// To an item of `length` bytes (unaligned) at `offset`; both below 2^15.
    #[inline]
    pub const fn normal(offset: usize, length: usize) -> Self {
        LinePointer(offset as u32 | 1 << 15 | (length as u32) << 17)
    }

    #[inline]
    pub const fn offset(self) -> usize {
        (self.0 & 0x7FFF) as usize
    }

    #[inline]
    pub const fn length(self) -> usize {
        (self.0 >> 17) as usize
    }

    #[inline]
    pub const fn state(self) -> LineState {
        match self.0 >> 15 & 3 {
            0 => LineState::Unused,
            1 => LineState::Normal,
            2 => LineState::Redirect,
            _ => LineState::Dead,
        }
    }

    /// The item starts within a page.
    #[inline]
    pub const fn is_within_page(self) -> bool {
        self.0 & 0x7FFF < PAGE_SIZE as u32
    }

    #[inline]
    pub const fn is_normal(self) -> bool {
        self.0 >> 15 & 3 == 1
    }
}

/// One page. All zeros is a page that was never initialised (`PageIsNew`).
#[derive(Clone)]
pub struct Page {
    bytes: [u8; PAGE_SIZE],
}

impl Page {
    pub const fn zeroed() -> Self {
        Page {
            bytes: [0; PAGE_SIZE],
        }
    }

    /// `PageInit`, for a zeroed page.
    pub fn initialise(&mut self) {
        self.put_u16(FLAGS, page_flags::NO_NULLS);
        self.put_u16(LOWER, PAGE_HEADER_SIZE as u16);
        self.put_u16(UPPER, PAGE_SIZE as u16);
        self.put_u16(SPECIAL, PAGE_SIZE as u16);
        self.put_u16(SIZE_AND_VERSION, PAGE_SIZE as u16 | LAYOUT_VERSION);
    }

    #[inline]
    pub fn bytes(&self) -> &[u8; PAGE_SIZE] {
        &self.bytes
    }

    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8; PAGE_SIZE] {
        &mut self.bytes
    }

    #[inline]
    fn u16_at(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    #[inline]
    fn put_u16(&mut self, at: usize, value: u16) {
        self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }

    #[inline]
    /// Reads a byte of each cache line, so that all of the page comes into the processor's cache at once and in
    /// order, rather than line by line where a tuple is looked at. The answer means nothing.
    pub fn warm(&self) -> u8 {
        (self.bytes().iter().step_by(CACHE_LINE)).fold(0, |all, byte| all ^ byte)
    }

    pub fn has(&self, flag: u16) -> bool {
        self.u16_at(FLAGS) & flag != 0
    }

    pub fn set(&mut self, flag: u16) {
        self.put_u16(FLAGS, self.u16_at(FLAGS) | flag);
    }

    pub fn clear(&mut self, flag: u16) {
        self.put_u16(FLAGS, self.u16_at(FLAGS) & !flag);
    }

    /// Sets or clears the flag.
    pub fn put(&mut self, flag: u16, value: bool) {
        if value {
            self.set(flag)
        } else {
            self.clear(flag)
        }
    }

    /// `pd_prune_xid`: the oldest transaction that may have left something to prune; 0 for none.
    pub fn set_prune_xid(&mut self, xid: Xid) {
        self.bytes[PRUNE_XID..PRUNE_XID + 4].copy_from_slice(&xid.to_le_bytes());
    }

    fn lower(&self) -> usize {
        usize::from(self.u16_at(LOWER))
    }

    fn upper(&self) -> usize {
        usize::from(self.u16_at(UPPER))
    }

    /// The checks of `PageIsVerifiedExtended`, and the size and version.
    pub fn is_sound(&self) -> bool {
        PAGE_HEADER_SIZE <= self.lower()
            && self.lower() <= self.upper()
            && self.upper() <= PAGE_SIZE
            && usize::from(self.u16_at(SPECIAL)) == PAGE_SIZE
            && self.u16_at(SIZE_AND_VERSION) == PAGE_SIZE as u16 | LAYOUT_VERSION
    }

    /// Line pointers, unused ones too (`PageGetMaxOffsetNumber`).
    #[inline]
    pub fn line_count(&self) -> usize {
        (self.lower().min(PAGE_SIZE)).saturating_sub(PAGE_HEADER_SIZE) / LINE_SIZE
    }

    /// Line pointer `line`, counted from 1. One that does not exist is unused.
    #[inline]
    pub fn line(&self, line: usize) -> LinePointer {
        if line == 0 || line > self.line_count() {
            return LinePointer::UNUSED;
        }
        let at = PAGE_HEADER_SIZE + (line - 1) * LINE_SIZE;
        match self.bytes.get(at..at + LINE_SIZE) {
            Some(&[a, b, c, d]) => LinePointer(u32::from_le_bytes([a, b, c, d])),
            _ => LinePointer::UNUSED,
        }
    }

    /// All line pointers in order.
    #[inline]
    pub fn lines(&self) -> impl ExactSizeIterator<Item = LinePointer> + '_ {
        let (lines, _) = self.bytes[PAGE_HEADER_SIZE..].as_chunks::<LINE_SIZE>();
        lines[..self.line_count().min(lines.len())]
            .iter()
            .map(|&bytes| LinePointer(u32::from_le_bytes(bytes)))
    }

    /// Writes line pointer `line`, which exists.
    pub fn set_line(&mut self, line: usize, pointer: LinePointer) {
        debug_assert!(line >= 1 && line <= self.line_count());
        let at = PAGE_HEADER_SIZE + (line - 1) * LINE_SIZE;
        if let Some(bytes) = self.bytes.get_mut(at..at + LINE_SIZE) {
            bytes.copy_from_slice(&pointer.0.to_le_bytes());
        }
    }

    /// Bytes between the line pointers and the items; none on a damaged page, which then takes no item.
    #[inline]
    pub fn gap(&self) -> usize {
        let (lower, upper) = (self.lower(), self.upper());
        if PAGE_HEADER_SIZE <= lower && lower <= upper && upper <= PAGE_SIZE {
            upper - lower
        } else {
            0
        }
    }

    /// `PageGetHeapFreeSpace`: bytes for one more item, its line pointer paid for.
    #[inline]
    pub fn free_space(&self) -> usize {
        self.gap().saturating_sub(LINE_SIZE)
    }

    /// Room for `count` items of `length` bytes each, all on new line pointers. Answers the first one's
    /// line and offset; the next ones follow at higher lines and lower offsets, one aligned length apart.
    /// `None`: they do not fit.
    pub fn append(&mut self, count: usize, length: usize) -> Option<(usize, usize)> {
        let aligned = max_align(length);
        if count * (aligned + LINE_SIZE) > self.gap() {
            return None;
        }
        let (lower, upper) = (self.lower(), self.upper());
        let (lines, _) = self.bytes[lower..lower + count * LINE_SIZE].as_chunks_mut::<LINE_SIZE>();
        let mut offset = upper;
        for line in lines {
            offset -= aligned;
            *line = LinePointer::normal(offset, length).0.to_le_bytes();
        }
        self.put_u16(LOWER, (lower + count * LINE_SIZE) as u16);
        self.put_u16(UPPER, offset as u16);
        Some(((lower - PAGE_HEADER_SIZE) / LINE_SIZE + 1, upper - aligned))
    }

    /// `PageAddItem`: room for one item, on an unused line pointer if there is one. Answers line and offset.
    pub fn add(&mut self, length: usize) -> Option<(usize, usize)> {
        if self.has(page_flags::HAS_FREE_LINES) {
            let aligned = max_align(length);
            if aligned > self.gap() {
                return None;
            }
            let free = self
                .lines()
                .position(|pointer| pointer.state() == LineState::Unused);
            if let Some(index) = free {
                let offset = self.upper() - aligned;
                self.put_u16(UPPER, offset as u16);
                self.set_line(index + 1, LinePointer::normal(offset, length));
                return Some((index + 1, offset));
            }
            self.clear(page_flags::HAS_FREE_LINES);
        }
        self.append(1, length)
    }

    /// `PageRepairFragmentation`: moves the items that line pointers still point to together at the end of
    /// the page, drops unused line pointers at the end of the array, and notes whether others are left.
    /// False: the page is damaged (items overlap or leave the page), and was left alone.
    pub fn compact(&mut self) -> bool {
        let mut items: Vec<(usize, LinePointer)> = self
            .lines()
            .enumerate()
            .filter(|(_, pointer)| pointer.is_normal())
            .map(|(index, pointer)| (index + 1, pointer))
            .collect();
        items.sort_unstable_by_key(|(_, pointer)| std::cmp::Reverse(pointer.offset()));
        let mut above = PAGE_SIZE;
        for (_, pointer) in &items {
            if pointer.offset() + max_align(pointer.length()) > above
                || pointer.offset() < self.lower()
            {
                return false;
            }
            above = pointer.offset();
        }
        let mut upper = PAGE_SIZE;
        for (line, pointer) in items {
            let (from, length) = (pointer.offset(), pointer.length());
            upper -= max_align(length);
            if upper != from {
                self.bytes.copy_within(from..from + length, upper);
                self.set_line(line, LinePointer::normal(upper, length));
            }
        }
        self.put_u16(UPPER, upper as u16);
        let mut count = self.line_count();
        while count > 0 && self.line(count).state() == LineState::Unused {
            count -= 1;
        }
        self.put_u16(LOWER, (PAGE_HEADER_SIZE + count * LINE_SIZE) as u16);
        if self
            .lines()
            .any(|pointer| pointer.state() == LineState::Unused)
        {
            self.set(page_flags::HAS_FREE_LINES);
        } else {
            self.clear(page_flags::HAS_FREE_LINES);
        }
        true
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Page(lower {}, upper {})", self.lower(), self.upper())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Page {
        let mut page = Page::zeroed();
        page.initialise();
        page
    }

    #[test]
    fn a_page_takes_what_postgresqls_takes() {
        assert_eq!(MAX_ITEM_SIZE, 8160);
        let mut page = empty();
        let mut count = 0;
        while page.add(28).is_some() {
            count += 1;
        }
        assert_eq!(count, 226);
        assert!(empty().append(226, 28).is_some() && empty().append(227, 28).is_none());
        assert!(empty().add(MAX_ITEM_SIZE).is_some() && empty().add(MAX_ITEM_SIZE + 1).is_none());
    }

    #[test]
    fn items_are_found_where_they_were_put() {
        let mut page = empty();
        assert_eq!(page.append(2, 28), Some((1, 8160)));
        assert_eq!(page.add(33), Some((3, 8088)));
        let pointer = page.line(2);
        assert_eq!(
            (pointer.offset(), pointer.length(), pointer.state()),
            (8128, 28, LineState::Normal)
        );
        assert_eq!(page.line(4), LinePointer::UNUSED);
        assert_eq!(page.line(0), LinePointer::UNUSED);
        assert!(page.is_sound());
    }

    #[test]
    fn compaction_moves_items_and_frees_lines() {
        let mut page = empty();
        for value in 1..=4u8 {
            let (_, at) = page.add(24).expect("room");
            page.bytes_mut()[at] = value;
        }
        page.set_line(2, LinePointer::UNUSED);
        page.set_line(4, LinePointer::UNUSED);
        assert!(page.compact());
        assert_eq!(
            (page.line_count(), page.gap()),
            (3, PAGE_SIZE - 24 - 12 - 48)
        );
        assert!(page.has(page_flags::HAS_FREE_LINES));
        let value_of = |page: &Page, line| page.bytes()[page.line(line).offset()];
        assert_eq!((value_of(&page, 1), value_of(&page, 3)), (1, 3));
        assert_eq!(page.add(24).map(|(line, _)| line), Some(2));
        assert_eq!(page.add(24).map(|(line, _)| line), Some(4));
        assert!(!page.has(page_flags::HAS_FREE_LINES));
    }

    #[test]
    fn a_damaged_page_is_left_alone() {
        let mut page = empty();
        page.add(24).expect("room");
        page.add(24).expect("room");
        page.set_line(2, LinePointer::normal(8164, 24));
        assert!(!page.compact());
        page.bytes_mut()[LOWER] = 0xFF;
        page.bytes_mut()[LOWER + 1] = 0xFF;
        assert!(!page.is_sound());
        assert_eq!(
            page.lines().count(),
            (PAGE_SIZE - PAGE_HEADER_SIZE) / LINE_SIZE
        );
    }
}
