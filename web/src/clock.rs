//! The browser's clock.

use engine::instr::Clock;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the worker started, in steps of 5 µs to 1 ms.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

const NS_PER_MS: f64 = 1e6;
/// Steps looked at to find the smallest; with the coarsest clock this takes 8 ms.
const STEPS_SEEN: usize = 8;

/// `performance.now`, with its step as found when the engine started.
#[derive(Debug)]
pub struct PerformanceClock {
    step_ns: u64,
}

impl PerformanceClock {
    /// Watches the clock for a few steps.
    pub fn start() -> Self {
        let mut smallest = f64::INFINITY;
        let mut before = now();
        let mut seen = 0;
        while seen < STEPS_SEEN {
            let after = now();
            if after > before {
                smallest = smallest.min(after - before);
                before = after;
                seen += 1;
            }
        }
        PerformanceClock {
            step_ns: rounded((smallest * NS_PER_MS) as u64),
        }
    }
}

/// Microseconds between 1970 and 2000, PostgreSQL's epoch.
const EPOCH_US: i64 = 946_684_800_000_000;

/// Microseconds since 2000-01-01 UTC.
pub fn wall_clock() -> i64 {
    (js_sys::Date::now() * 1000.0) as i64 - EPOCH_US
}

/// Browsers round to whole microseconds; the difference of two floats is a little off.
fn rounded(ns: u64) -> u64 {
    if ns < 1000 {
        ns.max(1)
    } else {
        (ns + 500) / 1000 * 1000
    }
}

impl Clock for PerformanceClock {
    #[inline]
    fn now_ns(&self) -> u64 {
        (now() * NS_PER_MS) as u64
    }

    fn step_ns(&self) -> u64 {
        self.step_ns
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn steps_are_rounded_to_what_browsers_use() {
        assert_eq!(rounded(99_999), 100_000);
        assert_eq!(rounded(5_000), 5_000);
        assert_eq!(rounded(4_999), 5_000);
        assert_eq!(rounded(1_000_001), 1_000_000);
        assert_eq!(rounded(41), 41);
        assert_eq!(rounded(0), 1);
    }
}
