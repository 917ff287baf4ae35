//! Counted work: what one step of an operator may do before it yields.

/// Work left in the current step, in units of about one simple row operation (some 10 ns).
///
/// Operators and scans read no clock: they spend units and pause when none is left, so that steps,
/// batches and pages read are the same on every machine. The driver renews the allowance before each step.
#[derive(Clone, Debug)]
pub struct Work {
    allowance: u32,
    left: u32,
}

impl Work {
    /// About a millisecond: short enough for a cancel within 200 ms, long enough to cost nothing.
    pub const DEFAULT_ALLOWANCE: u32 = 100_000;

    /// An allowance of 1 makes everything yield after each piece of work, which tests do.
    pub fn new(allowance: u32) -> Self {
        Work {
            allowance: allowance.max(1),
            left: allowance.max(1),
        }
    }

    #[inline]
    pub fn spend(&mut self, units: u32) {
        self.left = self.left.saturating_sub(units);
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
    }
}

impl Default for Work {
    fn default() -> Self {
        Work::new(Work::DEFAULT_ALLOWANCE)
    }
}
