//! Which rows of a table make the sample (`reservoir_*` of `sampling.c`).
//!
//! Every page is read, so that the count of rows is exact, but only the sampled rows are deformed.

use crate::am::Tid;

/// A fair sample of the rows that are shown to it, deterministic for a seed: Vitter's algorithm X in
/// its skipping form by Li (algorithm L), which draws few random numbers.
#[derive(Debug)]
pub struct Reservoir {
    wanted: usize,
    seen: u64,
    tids: Vec<Tid>,
    /// Rows still to be passed over, once the reservoir is full.
    skip: u64,
    w: f64,
    state: u64,
}

impl Reservoir {
    pub fn new(wanted: usize, seed: u64) -> Self {
        Reservoir {
            wanted: wanted.max(1),
            seen: 0,
            tids: Vec::new(),
            skip: 0,
            w: 1.0,
            state: seed,
        }
    }

    /// Rows seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Rows kept, or to be kept.
    pub fn len(&self) -> usize {
        self.tids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tids.is_empty()
    }

    pub fn see(&mut self, tid: Tid) {
        self.seen += 1;
        if self.tids.len() < self.wanted {
            self.tids.push(tid);
            if self.tids.len() == self.wanted {
                self.draw_skip();
            }
        } else if self.skip > 0 {
            self.skip -= 1;
        } else {
            let place = (self.fraction() * self.wanted as f64) as usize;
            self.tids[place.min(self.wanted - 1)] = tid;
            self.draw_skip();
        }
    }

    /// The sample in physical order, which correlation is about.
    pub fn into_sample(mut self) -> Vec<Tid> {
        self.tids.sort_unstable();
        self.tids
    }

    fn draw_skip(&mut self) {
        self.w *= (self.fraction().ln() / self.wanted as f64).exp();
        let skip = (self.fraction().ln() / (1.0 - self.w).ln()).floor();
        self.skip = if skip.is_finite() && skip > 0.0 {
            skip as u64
        } else {
            0
        };
    }

    /// Above 0 and below 1 (SplitMix64).
    fn fraction(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }
}
