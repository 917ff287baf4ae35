//! Counted work: what one step of an operator may do before it yields.

/// Work left in the current step, in units of about one simple row operation (some 10 ns).
///
/// Operators and scans read no clock: they spend units and pause when none is left, so that steps,
/// batches and pages read are the same on every machine. The driver renews the allowance before each step.
#[derive(Clone, Debug)]
pub struct Work {
    allowance: u32,
    left: u32,
    /// Bytes of long values handled since the allowance was renewed.
    bytes: u64,
}

/// Bytes of a value that are read or written for one unit of work.
const BYTES_A_UNIT: u64 = 16;

impl Work {
    /// About a millisecond: short enough for a cancel within 200 ms, long enough to cost nothing.
    pub const DEFAULT_ALLOWANCE: u32 = 100_000;

    /// An allowance of 1 makes everything yield after each piece of work, which tests do.
    pub fn new(allowance: u32) -> Self {
        Work {
            allowance: allowance.max(1),
            left: allowance.max(1),
            bytes: 0,
        }
    }

    #[inline]
    pub fn spend(&mut self, units: u32) {
        self.left = self.left.saturating_sub(units);
    }

    /// Pays for bytes of texts, arrays and long numbers that were read or written.
    #[inline]
    pub fn spend_bytes(&mut self, bytes: u64) {
        let before = self.bytes / BYTES_A_UNIT;
        self.bytes = self.bytes.saturating_add(bytes);
        self.spend((self.bytes / BYTES_A_UNIT - before).min(u64::from(u32::MAX)) as u32);
    }

    /// Bytes paid for since the allowance was renewed.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes one loop over rows may handle before it stops behind a row: what a quarter
    /// of the allowance pays for. It depends on nothing that was done before, so that expressions
    /// evaluated one after the other over the same rows stop after about as many of them.
    pub fn bytes_at_once(&self) -> u64 {
        (u64::from(self.allowance) * BYTES_A_UNIT / 4).max(1)
    }

    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// True when half is spent: no new step should begin in this slice, so that every step has
    /// at least the other half.
    #[inline]
    pub fn is_low(&self) -> bool {
        self.left <= self.allowance / 2
    }

    #[inline]
    pub fn left(&self) -> u32 {
        self.left
    }

    #[inline]
    pub fn renew(&mut self) {
        self.left = self.allowance;
        self.bytes = 0;
    }
}

impl Default for Work {
    fn default() -> Self {
        Work::new(Work::DEFAULT_ALLOWANCE)
    }
}
