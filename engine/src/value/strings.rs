//! A column's strings: one byte arena and an end offset a row.

/// Strings stored end to end. Row `i` is `bytes[end(i - 1)..end(i)]`. Rows are appended in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strings {
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl Strings {
    pub const fn new() -> Self {
        Strings {
            ends: Vec::new(),
            bytes: Vec::new(),
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    #[inline]
    pub fn bytes_of(&self, row: usize) -> &[u8] {
        let start = if row == 0 {
            0
        } else {
            self.ends[row - 1] as usize
        };
        &self.bytes[start..self.ends[row] as usize]
    }

    /// The row as text. Only valid UTF-8 is ever pushed, so the check never fails;
    /// a page that was damaged on its way in shows as an empty string rather than as undefined behavior.
    #[inline]
    pub fn get(&self, row: usize) -> &str {
        std::str::from_utf8(self.bytes_of(row)).unwrap_or_default()
    }

    #[inline]
    pub fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    /// Appends a row given as the bytes of a valid UTF-8 string.
    #[inline]
    pub fn push_bytes(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Appends what `write` adds to the arena as one row.
    #[inline]
    pub fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Appends empty rows until there are `rows`.
    pub fn pad_to(&mut self, rows: usize) {
        if self.ends.len() < rows {
            self.ends.resize(rows, self.bytes.len() as u32);
        }
    }

    pub fn clear(&mut self) {
        self.ends.clear();
        self.bytes.clear();
    }

    pub fn truncate(&mut self, rows: usize) {
        if rows < self.ends.len() {
            self.bytes.truncate(if rows == 0 {
                0
            } else {
                self.ends[rows - 1] as usize
            });
            self.ends.truncate(rows);
        }
    }

    /// Appends the rows `from..to` of `other`.
    pub fn extend_range(&mut self, other: &Strings, from: usize, to: usize) {
        if from >= to {
            return;
        }
        let start = if from == 0 { 0 } else { other.ends[from - 1] };
        let base = self.bytes.len() as u32;
        self.bytes
            .extend_from_slice(&other.bytes[start as usize..other.ends[to - 1] as usize]);
        self.ends
            .extend(other.ends[from..to].iter().map(|&end| end - start + base));
    }

    /// Appends the rows of `other` named by `rows`.
    pub fn gather(&mut self, other: &Strings, rows: &[u32]) {
        self.ends.reserve(rows.len());
        for &row in rows {
            self.push_bytes(other.bytes_of(row as usize));
        }
    }

    /// Bytes of text in the rows from `row` on.
    pub fn text_bytes_from(&self, row: usize) -> u64 {
        let start = if row == 0 {
            0
        } else {
            self.ends[row - 1] as usize
        };
        (self.bytes.len() - start) as u64
    }

    /// Bytes of text held.
    pub fn text_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}
