//! Loops that append the rows of which something is true.

use super::{Bitmap, Rows};

/// Rows of a dense range that are tested together, into the bits of a word.
const BLOCK: usize = 32;

/// Appends the rows whose value passes the test, or fails it where `inverted`. Most filters reject most rows or let most pass:
/// both cost a dense range one vectorized test a block.
#[inline(always)]
pub fn select_values<T: Copy>(
    rows: Rows<'_>,
    values: &[T],
    out: &mut Vec<u32>,
    inverted: bool,
    test: impl Fn(T) -> bool,
) {
    let Rows::Range(from, to) = rows else {
        return select_rows(rows, out, |row| test(values[row]) ^ inverted);
    };
    let flip = if inverted { u32::MAX } else { 0 };
    let (blocks, rest) = values[from..to].as_chunks::<BLOCK>();
    let mut row = from as u32;
    for block in blocks {
        let mut mask = 0;
        for (bit, &value) in block.iter().enumerate() {
            mask |= u32::from(test(value)) << bit;
        }
        push_block(out, row, mask ^ flip);
        row += BLOCK as u32;
    }
    for &value in rest {
        if test(value) ^ inverted {
            out.push(row);
        }
        row += 1;
    }
}

/// As [`select_values`], of two values a row.
#[inline(always)]
pub fn select_pairs<T: Copy>(
    rows: Rows<'_>,
    a: &[T],
    b: &[T],
    out: &mut Vec<u32>,
    inverted: bool,
    test: impl Fn(T, T) -> bool,
) {
    let Rows::Range(from, to) = rows else {
        return select_rows(rows, out, |row| test(a[row], b[row]) ^ inverted);
    };
    let flip = if inverted { u32::MAX } else { 0 };
    let (a_blocks, a_rest) = a[from..to].as_chunks::<BLOCK>();
    let (b_blocks, b_rest) = b[from..to].as_chunks::<BLOCK>();
    let mut row = from as u32;
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        let mut mask = 0;
        for (bit, (&a, &b)) in a.iter().zip(b).enumerate() {
            mask |= u32::from(test(a, b)) << bit;
        }
        push_block(out, row, mask ^ flip);
        row += BLOCK as u32;
    }
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        if test(a, b) ^ inverted {
            out.push(row);
        }
        row += 1;
    }
}

/// Appends the rows of a block whose bits are set.
#[inline]
fn push_block(out: &mut Vec<u32>, first: u32, mask: u32) {
    match mask {
        0 => {}
        u32::MAX => out.extend(first..first + BLOCK as u32),
        mut mask => {
            out.reserve(BLOCK);
            while mask != 0 {
                out.push(first + mask.trailing_zeros());
                mask &= mask - 1;
            }
        }
    }
}

/// Appends the rows that pass the test.
#[inline(always)]
pub fn select_rows(rows: Rows<'_>, out: &mut Vec<u32>, test: impl Fn(usize) -> bool) {
    match rows {
        Rows::Range(from, to) => {
            for row in from..to {
                if test(row) {
                    out.push(row as u32);
                }
            }
        }
        Rows::Picked(rows) => {
            for &row in rows {
                if test(row as usize) {
                    out.push(row);
                }
            }
        }
    }
}

/// Takes the rows that are NULL out of `rows[kept..]`.
pub fn drop_nulls(rows: &mut Vec<u32>, kept: usize, nulls: &Bitmap) {
    if !nulls.any() {
        return;
    }
    let mut at = kept;
    for i in kept..rows.len() {
        let row = rows[i];
        rows[at] = row;
        at += usize::from(!nulls.get(row as usize));
    }
    rows.truncate(at);
}

/// The rows that are not among those that passed; both ascending.
pub fn remaining(rows: Rows<'_>, passed: &[u32], still: &mut Vec<u32>) {
    still.clear();
    let mut passed = passed.iter().peekable();
    for row in rows.iter() {
        let row = row as u32;
        if passed.next_if(|&&passed| passed == row).is_none() {
            still.push(row);
        }
    }
}

/// Rows gathered from several selections without a row in common, in any order.
#[derive(Default)]
pub struct Gathered {
    words: Vec<u64>,
}

impl Gathered {
    pub fn clear(&mut self) {
        self.words.clear();
    }

    pub fn add(&mut self, rows: &[u32]) {
        let Some(&last) = rows.last() else {
            return;
        };
        let end = last as usize / 64 + 1;
        if self.words.len() < end {
            self.words.resize(end, 0);
        }
        for &row in rows {
            self.words[row as usize / 64] |= 1 << (row % 64);
        }
    }

    /// Appends them, ascending, those below `end`.
    pub fn append_to(&self, out: &mut Vec<u32>, end: usize) {
        for (at, &word) in self.words.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let row = at as u32 * 64 + word.trailing_zeros();
                if row as usize >= end {
                    return;
                }
                out.push(row);
                word &= word - 1;
            }
        }
    }
}
