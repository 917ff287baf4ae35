//! Sets of parameters: what an expression or a subtree depends on.

use crate::bind::ParamId;

/// A set of parameters, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamSet {
    words: Vec<u64>,
}

impl ParamSet {
    pub fn insert(&mut self, param: ParamId) {
        let at = param / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (param % 64);
    }

    pub fn contains(&self, param: ParamId) -> bool {
        self.words
            .get(param / 64)
            .is_some_and(|word| word >> (param % 64) & 1 == 1)
    }

    pub fn union(&mut self, other: &ParamSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    pub fn remove(&mut self, other: &ParamSet) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    pub fn meets(&self, other: &ParamSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = ParamId> {
        (0..self.words.len() * 64).filter(|&param| self.contains(param))
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
}

impl FromIterator<ParamId> for ParamSet {
    fn from_iter<I: IntoIterator<Item = ParamId>>(params: I) -> Self {
        let mut set = ParamSet::default();
        for param in params {
            set.insert(param);
        }
        set
    }
}
