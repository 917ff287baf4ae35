//! A merge sort that can be left and taken up again: sorted runs of a fixed length, merged pairwise.

use std::cmp::Ordering;
use std::mem;

use crate::work::Work;

/// Entries sorted at once: some 0.1 ms.
const RUN: usize = 1024;
/// Work units for sorting one run.
const RUN_COST: u32 = RUN as u32 * 10;

/// The sort of a vector, and how far it has come.
pub(super) struct MergeSort<T> {
    from: Vec<T>,
    /// Of the pass at hand, filled in order.
    into: Vec<T>,
    /// Entries in runs of [`RUN`] that are sorted.
    sorted: usize,
    /// The length of the runs that the pass merges.
    width: usize,
    /// Where the pass takes the next entries from: of the left and of the right run of the pair.
    left: usize,
    right: usize,
}

impl<T: Copy> MergeSort<T> {
    pub(super) fn new(entries: Vec<T>) -> Self {
        MergeSort {
            from: entries,
            into: Vec::new(),
            sorted: 0,
            width: RUN,
            left: 0,
            right: RUN,
        }
    }

    /// Goes on while the work allowance lasts. `None`: not finished.
    pub(super) fn run(
        &mut self,
        work: &mut Work,
        compare: impl Fn(&T, &T) -> Ordering,
    ) -> Option<Vec<T>> {
        let len = self.from.len();
        while self.sorted < len {
            if work.is_exhausted() {
                return None;
            }
            let end = (self.sorted + RUN).min(len);
            self.from[self.sorted..end].sort_unstable_by(&compare);
            self.sorted = end;
            work.spend(RUN_COST);
        }
        while self.width < len {
            if work.is_exhausted() {
                return None;
            }
            if self.into.capacity() < len {
                self.into.reserve_exact(len);
            }
            self.merge(work, &compare);
            if self.into.len() == len {
                mem::swap(&mut self.from, &mut self.into);
                self.into.clear();
                self.width *= 2;
                (self.left, self.right) = (0, self.width.min(len));
            }
        }
        Some(mem::take(&mut self.from))
    }

    /// Merges the pair of runs at hand, as far as the allowance goes.
    fn merge(&mut self, work: &mut Work, compare: &impl Fn(&T, &T) -> Ordering) {
        let len = self.from.len();
        let start = self.into.len() / (2 * self.width) * (2 * self.width);
        let (left_end, right_end) = (
            (start + self.width).min(len),
            (start + 2 * self.width).min(len),
        );
        let before = self.into.len();
        let most = before + work.left().max(1) as usize;
        while self.into.len() < most {
            let take_left = match (self.left < left_end, self.right < right_end) {
                (true, true) => compare(&self.from[self.left], &self.from[self.right]).is_le(),
                (true, false) => true,
                (false, true) => false,
                (false, false) => {
                    self.left = right_end;
                    self.right = (right_end + self.width).min(len);
                    break;
                }
            };
            let at = if take_left {
                &mut self.left
            } else {
                &mut self.right
            };
            self.into.push(self.from[*at]);
            *at += 1;
        }
        if self.left == left_end && self.right == right_end {
            self.left = right_end;
            self.right = (right_end + self.width).min(len);
        }
        work.spend((self.into.len() - before) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_is_sorted_in_any_pieces() {
        let mut state = 1u64;
        for len in [
            0,
            1,
            2,
            RUN - 1,
            RUN,
            RUN + 1,
            2 * RUN,
            3 * RUN + 7,
            5 * RUN + 1,
            8 * RUN,
        ] {
            let numbers: Vec<u64> = (0..len)
                .map(|_| {
                    state = state
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    state >> 40
                })
                .collect();
            let mut expected = numbers.clone();
            expected.sort_unstable();
            for allowance in [1, 7, 1000, u32::MAX] {
                let mut work = Work::new(allowance);
                let mut sort = MergeSort::new(numbers.clone());
                let sorted = loop {
                    work.renew();
                    if let Some(sorted) = sort.run(&mut work, u64::cmp) {
                        break sorted;
                    }
                };
                assert_eq!(sorted, expected, "{len} by {allowance}");
            }
        }
    }
}
