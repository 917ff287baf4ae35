//! A growable bitmap, one bit a row. A bitmap of no words stands for "no bit set" of any length.

/// Rows marked by a set bit (as a column's NULLs). Bits beyond the words held are clear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    pub const fn new() -> Self {
        Bitmap { words: Vec::new() }
    }

    /// The first `rows` bits set.
    pub fn all_set(rows: usize) -> Self {
        let mut words = vec![u64::MAX; rows.div_ceil(64)];
        if let Some(last) = words.last_mut()
            && !rows.is_multiple_of(64)
        {
            *last = (1 << (rows % 64)) - 1;
        }
        Bitmap { words }
    }

    /// False only if no bit is set; may be true for words that were cleared bit by bit.
    #[inline]
    pub fn any(&self) -> bool {
        !self.words.is_empty()
    }

    #[inline]
    pub fn get(&self, row: usize) -> bool {
        match self.words.get(row / 64) {
            Some(word) => word >> (row % 64) & 1 == 1,
            None => false,
        }
    }

    #[inline]
    pub fn set(&mut self, row: usize) {
        let at = row / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (row % 64);
    }

    #[inline]
    pub fn unset(&mut self, row: usize) {
        if let Some(word) = self.words.get_mut(row / 64) {
            *word &= !(1 << (row % 64));
        }
    }

    #[inline]
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Keeps the bits below `rows`.
    pub fn truncate(&mut self, rows: usize) {
        let words = rows.div_ceil(64);
        if words < self.words.len() {
            self.words.truncate(words);
        }
        if !rows.is_multiple_of(64) && words == self.words.len() && words > 0 {
            self.words[words - 1] &= (1 << (rows % 64)) - 1;
        }
        if self.words.iter().all(|&word| word == 0) {
            self.words.clear();
        }
    }

    /// Sets every bit that is set in `other`.
    pub fn union(&mut self, other: &Bitmap) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    pub fn copy_from(&mut self, other: &Bitmap) {
        self.words.clear();
        self.words.extend_from_slice(&other.words);
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_beyond_the_words_are_clear() {
        let mut bits = Bitmap::new();
        assert!(!bits.get(1000) && !bits.any());
        bits.set(70);
        assert!(bits.get(70) && !bits.get(69) && !bits.get(71) && bits.count() == 1);
    }

    #[test]
    fn truncate_drops_the_tail_and_forgets_empty_words() {
        let mut bits = Bitmap::all_set(130);
        bits.truncate(65);
        assert_eq!(bits.count(), 65);
        assert!(bits.get(64) && !bits.get(65));
        bits.truncate(0);
        assert!(!bits.any());
    }
}
