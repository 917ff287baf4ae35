//! The elements of `= ANY (array)` and `<> ALL (array)`: tried one by one up to eight, hashed from
//! nine on (`MIN_ARRAY_SIZE_FOR_HASHED_SAOP`).

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;

const HASHED_FROM: usize = 9;

/// A set of distinct values.
#[derive(Clone, Debug)]
pub enum Elements<T> {
    Few(Vec<T>),
    Hashed(HashTable<T>),
}

impl<T: Hash + Eq> Elements<T> {
    /// `values` are distinct.
    pub fn new(values: Vec<T>) -> Self {
        if values.len() < HASHED_FROM {
            return Elements::Few(values);
        }
        let mut table = HashTable::with_capacity(values.len());
        for value in values {
            table.insert_unique(hash(&value), value, hash);
        }
        Elements::Hashed(table)
    }

    /// `probe` hashes as the elements do.
    #[inline]
    pub fn contains<Q>(&self, probe: &Q) -> bool
    where
        T: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        match self {
            Elements::Few(values) => values.iter().any(|value| value.borrow() == probe),
            Elements::Hashed(table) => table
                .find(hash(probe), |value| value.borrow() == probe)
                .is_some(),
        }
    }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut state = Mixer(0);
    value.hash(&mut state);
    state.finish()
}

/// Multiply and rotate, eight bytes at a time: short values, no adversary, and no wide multiply,
/// which is slow in wasm.
struct Mixer(u64);

impl Mixer {
    #[inline]
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Mixer {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            self.mix(u64::from_le_bytes(word));
        }
        for &byte in rest {
            self.mix(u64::from(byte));
        }
    }

    #[inline]
    fn write_i64(&mut self, value: i64) {
        self.mix(value as u64);
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    /// The table takes its slot from the low bits, which a multiplication mixes least.
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_sets_hold_what_was_put_in() {
        for count in [0, 1, 8, 9, 1000] {
            let set = Elements::new((0..count).map(|i| i * 3).collect::<Vec<i64>>());
            assert_eq!(matches!(set, Elements::Hashed(_)), count >= 9);
            for i in 0..count {
                assert!(set.contains(&(i * 3)) && !set.contains(&(i * 3 + 1)));
            }
            let text: Vec<Box<[u8]>> = (0..count)
                .map(|i| i.to_string().into_bytes().into())
                .collect();
            let set = Elements::new(text);
            assert!((0..count).all(|i| set.contains(i.to_string().as_bytes())));
            assert!(!set.contains(&b"x"[..]));
        }
    }
}
