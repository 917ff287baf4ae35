//! Time, as the host tells it.

use std::cell::Cell;

/// A monotonic clock. In a browser it is coarse (5 µs to 1 ms) and a read costs some 100 ns.
pub trait Clock {
    /// Nanoseconds since some fixed moment.
    fn now_ns(&self) -> u64;
    /// The smallest difference the clock can show.
    fn step_ns(&self) -> u64;
}

/// A clock for tests: every read is one step later than the one before.
#[derive(Debug)]
pub struct FakeClock {
    now: Cell<u64>,
    step: u64,
}

impl FakeClock {
    pub fn with_step(step: u64) -> Self {
        FakeClock {
            now: Cell::new(0),
            step,
        }
    }

    /// Lets time pass without a read.
    pub fn advance(&self, ns: u64) {
        self.now.set(self.now.get() + ns);
    }
}

impl Clock for FakeClock {
    fn now_ns(&self) -> u64 {
        self.now.set(self.now.get() + self.step);
        self.now.get()
    }

    fn step_ns(&self) -> u64 {
        self.step
    }
}
