//! How much of long values a loop over rows handles: counted as it goes, so that one call of an
//! expression stays short however long its values are.
//!
//! A loop that has handled [`Work::bytes_at_once`](crate::work::Work::bytes_at_once) stops behind a
//! row with a pause. Each loop has that much for itself: a node that is given what another one
//! made does not starve, and a pause never throws away much more than it kept.

use super::node::Halt;
use super::{EvalCx, Stop};
use crate::memory::Memory;

/// The bytes handled by one loop.
pub(super) struct Meter<'m> {
    memory: &'m Memory,
    bytes: u64,
    most: u64,
}

impl<'m> Meter<'m> {
    pub fn new(cx: &EvalCx<'m>) -> Self {
        Meter {
            memory: cx.memory,
            bytes: 0,
            most: cx.work.bytes_at_once(),
        }
    }

    /// For a loop that cannot be left: over the elements of one array.
    pub fn without_pause(cx: &EvalCx<'m>) -> Self {
        Meter {
            most: u64::MAX,
            ..Meter::new(cx)
        }
    }

    #[inline]
    pub fn count(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn memory(&self) -> &'m Memory {
        self.memory
    }

    pub fn parts(&mut self) -> (&mut u64, &'m Memory) {
        (&mut self.bytes, self.memory)
    }

    /// After physical row `row` of rows below `end`: the pause, if it is time and rows are left.
    #[inline]
    pub fn pause(&self, row: usize, end: usize) -> Halt {
        if self.bytes < self.most || row + 1 >= end {
            return None;
        }
        Some(Box::new(Stop::pause(row + 1)))
    }

    /// How many rows, each of so many bytes, the loop may handle.
    pub fn rows(&self, bytes: u64) -> usize {
        let rows = self.most.saturating_sub(self.bytes) / bytes.max(1);
        usize::try_from(rows).unwrap_or(usize::MAX).max(1)
    }

    /// Pays for what was counted.
    #[inline]
    pub fn settle(self, cx: &mut EvalCx<'_>) {
        if self.bytes > 0 {
            cx.work.spend_bytes(self.bytes);
        }
    }
}
