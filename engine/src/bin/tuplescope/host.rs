//! The native clock.

use std::rc::Rc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use engine::instr::Clock;
use engine::session::Host;

struct NativeClock {
    start: Instant,
}

impl Clock for NativeClock {
    fn now_ns(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    fn step_ns(&self) -> u64 {
        1
    }
}

/// Seconds from 1970-01-01 to 2000-01-01.
const POSTGRES_EPOCH: i64 = 946_684_800;

fn wall_clock() -> i64 {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    since_1970.as_micros() as i64 - POSTGRES_EPOCH * 1_000_000
}

pub fn host() -> Host {
    Host {
        clock: Rc::new(NativeClock {
            start: Instant::now(),
        }),
        wall_clock,
        seed: wall_clock() as u64,
    }
}
