//! What a session needs of the program around it.

use std::rc::Rc;

use crate::instr::Clock;

/// The host's side of a session: small traits and functions with an in-memory twin for tests.
#[derive(Clone)]
pub struct Host {
    /// Measures plan nodes and statements.
    pub clock: Rc<dyn Clock>,
    /// Microseconds since 2000-01-01 UTC, for `now()`.
    pub wall_clock: fn() -> i64,
    /// Where `random()` starts.
    pub seed: u64,
}

impl Host {
    /// A host without time: the clock ticks once a read, and it is always 2000-01-01.
    pub fn still() -> Self {
        Host {
            clock: Rc::new(crate::instr::FakeClock::with_step(1000)),
            wall_clock: || 0,
            seed: 1,
        }
    }
}
