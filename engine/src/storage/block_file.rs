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

/// Pages to an extent of [`MemoryFile`]: half a MiB.
const EXTENT: usize = 64;

/// The in-memory twin: extents of pages, so that growth never copies what is there (but within the
/// first extent, which grows by doubling and keeps small tables small).
#[derive(Debug)]
pub struct MemoryFile {
    extents: Vec<Vec<Page>>,
    blocks: u32,
    holding: Holding,
}

impl MemoryFile {
    pub fn new(holding: Holding) -> Self {
        MemoryFile {
            extents: Vec::new(),
            blocks: 0,
            holding,
        }
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
        self.extents
            .get(block as usize / EXTENT)?
            .get(block as usize % EXTENT)
    }

    #[inline]
    fn page_mut(&mut self, block: u32) -> Option<&mut Page> {
        self.extents
            .get_mut(block as usize / EXTENT)?
            .get_mut(block as usize % EXTENT)
    }

    fn append(&mut self) -> Result<u32> {
        self.holding.grow(super::PAGE_SIZE as u64)?;
        let block = self.blocks;
        if (block as usize).is_multiple_of(EXTENT) {
            let first = if block == 0 { 1 } else { EXTENT };
            self.extents.push(Vec::with_capacity(first));
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
        self.extents.truncate((blocks as usize).div_ceil(EXTENT));
        let rest = blocks as usize % EXTENT;
        if rest > 0
            && let Some(extent) = self.extents.last_mut()
        {
            extent.truncate(rest);
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
