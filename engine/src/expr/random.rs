//! `random()` and `setseed()`: xoroshiro128** seeded by splitmix64, as `pg_prng.c`, so that a seed
//! gives PostgreSQL's sequence.

/// The state of a session's generator.
#[derive(Clone, Debug)]
pub struct Random {
    s0: u64,
    s1: u64,
}

impl Random {
    /// `pg_prng_seed`
    pub fn from_seed(seed: u64) -> Self {
        let mut state = seed;
        let s0 = split_mix(&mut state);
        let s1 = split_mix(&mut state);
        if s0 == 0 && s1 == 0 {
            // The all-zero state is the one that never changes.
            return Random {
                s0: 0x5851_F42D_4C95_7F2D,
                s1: 0x1405_7B7E_F767_814F,
            };
        }
        Random { s0, s1 }
    }

    /// `setseed(seed)`, the seed within -1 and 1 (`pg_prng_fseed`).
    pub fn from_fraction(seed: f64) -> Self {
        let scaled = ((1u64 << 52) - 1) as f64 * seed;
        Random::from_seed(scaled as i64 as u64)
    }

    fn next(&mut self) -> u64 {
        let s0 = self.s0;
        let sx = self.s1 ^ s0;
        let value = s0.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        self.s0 = s0.rotate_left(24) ^ sx ^ (sx << 16);
        self.s1 = sx.rotate_left(37);
        value
    }

    /// A number from 0 (inclusive) to 1 (exclusive): `random()`.
    pub fn fraction(&mut self) -> f64 {
        (self.next() >> 12) as f64 / (1u64 << 52) as f64
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = *state;
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}
