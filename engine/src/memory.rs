//! Memory accounting: what tables, hash tables, sorts and results hold, against one settable limit.

use std::cell::Cell;
use std::rc::Rc;

use crate::error::{Error, Result, sqlstate};

/// The places in which a value is at once.
const COPIES: u64 = 4;

/// One budget, shared by everything a session holds. Counts are `u64` and by fixed sizes, so that
/// wasm32 and x86-64 agree; going over the limit is an error (53200), never a trap.
#[derive(Clone, Debug)]
pub struct Memory {
    inner: Rc<Inner>,
}

#[derive(Debug)]
struct Inner {
    used: Cell<u64>,
    peak: Cell<u64>,
    limit: Cell<u64>,
}

impl Memory {
    pub fn with_limit(limit: u64) -> Self {
        Memory {
            inner: Rc::new(Inner {
                used: Cell::new(0),
                peak: Cell::new(0),
                limit: Cell::new(limit),
            }),
        }
    }

    pub fn set_limit(&self, limit: u64) {
        self.inner.limit.set(limit);
    }

    pub fn limit(&self) -> u64 {
        self.inner.limit.get()
    }

    pub fn used(&self) -> u64 {
        self.inner.used.get()
    }

    pub fn peak(&self) -> u64 {
        self.inner.peak.get()
    }

    /// Takes `bytes` out of the budget. Errors: 53200 when that would pass the limit; nothing is taken then.
    pub fn take(&self, bytes: u64) -> Result<()> {
        let used = self.inner.used.get().saturating_add(bytes);
        if used > self.inner.limit.get() {
            return Err(self.exhausted(bytes));
        }
        self.inner.used.set(used);
        if used > self.inner.peak.get() {
            self.inner.peak.set(used);
        }
        Ok(())
    }

    pub fn give_back(&self, bytes: u64) {
        debug_assert!(bytes <= self.inner.used.get(), "memory given back twice");
        self.inner
            .used
            .set(self.inner.used.get().saturating_sub(bytes));
    }

    /// Says whether a value of `bytes` may be made; nothing is taken. A value is in several places
    /// at once on its way to a result (where it is made, as a constant, in two batches), so that
    /// many times its size must be left. Errors: 53200.
    #[inline]
    pub fn check(&self, bytes: u64) -> Result<()> {
        self.fits(bytes.saturating_mul(COPIES))
    }

    /// Says whether `bytes` could be taken. Errors: 53200.
    #[inline]
    pub fn fits(&self, bytes: u64) -> Result<()> {
        if self.inner.used.get().saturating_add(bytes) > self.inner.limit.get() {
            return Err(self.exhausted(bytes));
        }
        Ok(())
    }

    /// An empty holding on this budget.
    pub fn holding(&self) -> Holding {
        Holding {
            memory: self.clone(),
            bytes: 0,
            peak: 0,
        }
    }

    #[cold]
    fn exhausted(&self, bytes: u64) -> Error {
        Error::new(sqlstate::OUT_OF_MEMORY, "out of memory")
            .with_detail(format!(
                "Failed on request of size {bytes}: {} of the limit of {} bytes are in use.",
                self.used(),
                self.limit()
            ))
            .with_hint("Use fewer rows, drop a table, or raise memory_limit.")
    }
}

/// What one owner (an operator, a relation) has taken; given back when it is dropped.
#[derive(Debug)]
pub struct Holding {
    memory: Memory,
    bytes: u64,
    peak: u64,
}

impl Holding {
    /// Holds `bytes` in all from now on. Errors: 53200; the holding is unchanged then.
    pub fn set(&mut self, bytes: u64) -> Result<()> {
        if bytes > self.bytes {
            self.memory.take(bytes - self.bytes)?;
        } else {
            self.memory.give_back(self.bytes - bytes);
        }
        self.bytes = bytes;
        self.peak = self.peak.max(bytes);
        Ok(())
    }

    pub fn grow(&mut self, bytes: u64) -> Result<()> {
        self.set(self.bytes + bytes)
    }

    pub fn shrink(&mut self, bytes: u64) {
        let less = bytes.min(self.bytes);
        self.memory.give_back(less);
        self.bytes -= less;
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn peak(&self) -> u64 {
        self.peak
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.memory.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_must_fit_four_times() {
        let memory = Memory::with_limit(100);
        memory.take(20).unwrap();
        memory.check(20).unwrap();
        assert_eq!(
            memory.check(21).unwrap_err().sqlstate,
            sqlstate::OUT_OF_MEMORY
        );
        assert_eq!(memory.used(), 20);
    }

    #[test]
    fn past_the_limit_is_an_error_and_takes_nothing() {
        let memory = Memory::with_limit(100);
        let mut a = memory.holding();
        a.set(60).unwrap();
        let mut b = memory.holding();
        assert_eq!(b.set(41).unwrap_err().sqlstate, sqlstate::OUT_OF_MEMORY);
        assert_eq!((memory.used(), b.bytes()), (60, 0));
        drop(a);
        b.set(41).unwrap();
        assert_eq!((memory.used(), memory.peak()), (41, 60));
    }
}
