//! Sets of the items that a FROM clause joins.

/// How many items one FROM clause may join.
pub const MOST_ITEMS: usize = WORDS * 64;
const WORDS: usize = 4;

/// A set of items, by their numbers (PostgreSQL's `Relids`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ItemSet([u64; WORDS]);

impl ItemSet {
    pub const EMPTY: ItemSet = ItemSet([0; WORDS]);

    pub fn of(item: usize) -> Self {
        let mut set = ItemSet::EMPTY;
        set.insert(item);
        set
    }

    pub fn insert(&mut self, item: usize) {
        self.0[item / 64] |= 1 << (item % 64);
    }

    pub fn union(mut self, other: ItemSet) -> ItemSet {
        for (word, with) in self.0.iter_mut().zip(other.0) {
            *word |= with;
        }
        self
    }

    pub fn intersection(mut self, other: ItemSet) -> ItemSet {
        for (word, with) in self.0.iter_mut().zip(other.0) {
            *word &= with;
        }
        self
    }

    pub fn difference(mut self, other: ItemSet) -> ItemSet {
        for (word, without) in self.0.iter_mut().zip(other.0) {
            *word &= !without;
        }
        self
    }

    pub fn is_empty(self) -> bool {
        self == ItemSet::EMPTY
    }

    pub fn overlaps(self, other: ItemSet) -> bool {
        !self.intersection(other).is_empty()
    }

    pub fn is_subset(self, of: ItemSet) -> bool {
        self.intersection(of) == self
    }

    pub fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The item of a set of one.
    pub fn only(self) -> Option<usize> {
        if self.len() != 1 {
            return None;
        }
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }
}
