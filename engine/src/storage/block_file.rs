//! A relation's file: pages by block number.

use super::Page;
use crate::error::Result;
use crate::memory::Holding;

/// Pages by number, in memory while they are worked on. What keeps them beyond that (a file of the
/// host behind a buffer) is the implementation's business.
pub trait BlockFile {
    fn blocks(&self) -> u32;
    /// `None` for a block past the end.
    fn page(&self, block: u32) -> Option<&Page>;
    fn page_mut(&mut self, block: u32) -> Option<&mut Page>;
    /// Adds a zeroed page at the end and answers its number. Errors: 53200.
    fn append(&mut self) -> Result<u32>;
    /// Drops the pages from `blocks` on.
    fn truncate(&mut self, blocks: u32);
}

/// Pages of the first extent: half a MiB.
const FIRST_EXTENT: u32 = 64;
/// Pages of the longest extents: 16 MiB.
const LONGEST_EXTENT: u32 = 2048;
/// Pages in the extents before the first of the longest.
const SHORTER_EXTENTS: u32 = LONGEST_EXTENT;

/// The in-memory twin: extents of pages, so that growth never copies what is there (but within the
/// first extent, which grows by doubling and keeps small tables small). Each later extent is as long as
/// all before it, up to 16 MiB: growing a wasm memory takes a third of a millisecond however little it grows.
#[derive(Debug)]
pub struct MemoryFile {
    extents: Vec<Vec<Page>>,
    blocks: u32,
    holding: Holding,
}

/// Where a block of a [`MemoryFile`] lies, for those who look at one page again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PagePlace {
    extent: u32,
    at: u32,
}

impl PagePlace {
    #[inline]
    pub fn of(block: u32) -> PagePlace {
        let (extent, at) = place(block);
        PagePlace {
            extent: extent as u32,
            at: at as u32,
        }
    }
}

/// The extent of a block and its place there.
#[inline]
fn place(block: u32) -> (usize, usize) {
    if block < FIRST_EXTENT {
        (0, block as usize)
    } else if block < SHORTER_EXTENTS {
        let first = 1 << block.ilog2();
        let extent = 1 + (first / FIRST_EXTENT).ilog2();
        (extent as usize, (block - first) as usize)
    } else {
        let shorter = 1 + (SHORTER_EXTENTS / FIRST_EXTENT).ilog2();
        let beyond = block - SHORTER_EXTENTS;
        let extent = shorter + beyond / LONGEST_EXTENT;
        (extent as usize, (beyond % LONGEST_EXTENT) as usize)
    }
}

/// Pages to reserve for the extent that starts with `block`. The first grows as a vector does.
fn reserved(block: u32) -> usize {
    block.clamp(1, LONGEST_EXTENT) as usize
}

impl MemoryFile {
    pub fn new(holding: Holding) -> Self {
        MemoryFile {
            extents: Vec::new(),
            blocks: 0,
            holding,
        }
    }

    /// `None` for a place past the end.
    #[inline]
    pub fn page_at(&self, place: PagePlace) -> Option<&Page> {
        (self.extents.get(place.extent as usize)?).get(place.at as usize)
    }

    /// Bytes taken from the memory budget.
    pub fn bytes(&self) -> u64 {
        self.holding.bytes()
    }
}

impl BlockFile for MemoryFile {
    #[inline]
    fn blocks(&self) -> u32 {
        self.blocks
    }

    #[inline]
    fn page(&self, block: u32) -> Option<&Page> {
        let (extent, at) = place(block);
        self.extents.get(extent)?.get(at)
    }

    #[inline]
    fn page_mut(&mut self, block: u32) -> Option<&mut Page> {
        let (extent, at) = place(block);
        self.extents.get_mut(extent)?.get_mut(at)
    }

    fn append(&mut self) -> Result<u32> {
        self.holding.grow(super::PAGE_SIZE as u64)?;
        let block = self.blocks;
        if place(block).1 == 0 {
            self.extents.push(Vec::with_capacity(reserved(block)));
        }
        if let Some(extent) = self.extents.last_mut() {
            extent.push(Page::zeroed());
        }
        self.blocks += 1;
        Ok(block)
    }

    fn truncate(&mut self, blocks: u32) {
        if blocks >= self.blocks {
            return;
        }
        let (extent, at) = place(blocks);
        self.extents
            .truncate(if at > 0 { extent + 1 } else { extent });
        if at > 0
            && let Some(last) = self.extents.last_mut()
        {
            last.truncate(at);
        }
        self.holding
            .shrink(u64::from(self.blocks - blocks) * super::PAGE_SIZE as u64);
        self.blocks = blocks;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::sqlstate;
    use crate::memory::Memory;

    #[test]
    fn every_block_has_a_place_of_its_own() {
        let mut expected = (0, 0);
        for block in 0..20_000 {
            if block >= FIRST_EXTENT && place(block).1 == 0 {
                expected = (expected.0 + 1, 0);
                assert_eq!(reserved(block), block.min(LONGEST_EXTENT) as usize);
            }
            assert_eq!(place(block), expected);
            expected.1 += 1;
        }
        assert_eq!(expected.0, 5 + 1 + (20_000 - 2048) / 2048);
    }

    #[test]
    fn pages_are_counted_limited_and_given_back() {
        let memory = Memory::with_limit(200 * 8192);
        let mut file = MemoryFile::new(memory.holding());
        for block in 0..200 {
            assert_eq!(file.append(), Ok(block));
            file.page_mut(block).expect("just made").bytes_mut()[0] = block as u8;
        }
        assert_eq!(
            file.append().map_err(|e| e.sqlstate),
            Err(sqlstate::OUT_OF_MEMORY)
        );
        assert_eq!((file.blocks(), memory.used()), (200, 200 * 8192));
        file.truncate(128);
        assert!(file.page(128).is_none());
        assert_eq!(file.page(127).map(|page| page.bytes()[0]), Some(127));
        assert_eq!(file.append(), Ok(128));
        file.truncate(3);
        assert_eq!(file.append(), Ok(3));
        assert_eq!(file.page(3).map(|page| page.bytes()[0]), Some(0));
        assert_eq!(memory.used(), 4 * 8192);
        drop(file);
        assert_eq!(memory.used(), 0);
    }
}
