//! Sorting a sample in slices: a merge sort from the bottom up that can stop after any run.

use std::cmp::Ordering;

use crate::value::{Column, compare_values};
use crate::work::Work;

/// Rows sorted at once.
const RUN: usize = 1024;

/// The rows of a sampled column in the order of its values, equal ones in the order of the sample.
#[derive(Debug)]
pub struct SampleSort {
    order: Vec<u32>,
    merged: Vec<u32>,
    /// Length of the runs that are sorted; 0 before the first pass.
    run: usize,
    /// How far this pass has come.
    at: usize,
}

impl SampleSort {
    /// `rows` are the rows to sort, ascending.
    pub fn new(rows: Vec<u32>) -> Self {
        SampleSort {
            merged: Vec::with_capacity(rows.len()),
            order: rows,
            run: 0,
            at: 0,
        }
    }

    /// One slice. True: the rows are sorted.
    pub fn advance(&mut self, column: &Column, work: &mut Work) -> bool {
        while self.run < self.order.len() || self.run == 0 {
            if self.run == 0 {
                self.sort_run(column, work);
            } else {
                self.merge_runs(column, work);
            }
            if self.at >= self.order.len() {
                self.at = 0;
                if self.run > 0 {
                    std::mem::swap(&mut self.order, &mut self.merged);
                    self.merged.clear();
                }
                self.run = (self.run * 2).max(RUN);
            }
            if work.is_exhausted() {
                break;
            }
        }
        self.run > 0 && self.run >= self.order.len()
    }

    pub fn into_order(self) -> Vec<u32> {
        self.order
    }

    fn sort_run(&mut self, column: &Column, work: &mut Work) {
        let end = (self.at + RUN).min(self.order.len());
        self.order[self.at..end].sort_by(|&a, &b| compare(column, a, b));
        pay(column, (end - self.at) * 10, work);
        self.at = end;
    }

    fn merge_runs(&mut self, column: &Column, work: &mut Work) {
        let middle = (self.at + self.run).min(self.order.len());
        let end = (middle + self.run).min(self.order.len());
        let (mut left, mut right) = (self.at, middle);
        while left < middle && right < end {
            if compare(column, self.order[right], self.order[left]).is_lt() {
                self.merged.push(self.order[right]);
                right += 1;
            } else {
                self.merged.push(self.order[left]);
                left += 1;
            }
        }
        self.merged.extend_from_slice(&self.order[left..middle]);
        self.merged.extend_from_slice(&self.order[right..end]);
        pay(column, end - self.at, work);
        self.at = end;
    }
}

fn compare(column: &Column, a: u32, b: u32) -> Ordering {
    compare_values(column, a as usize, column, b as usize)
}

/// A comparison reads both values to their first difference, at worst to their end.
fn pay(column: &Column, comparisons: usize, work: &mut Work) {
    work.spend(comparisons.min(u32::MAX as usize) as u32);
    let rows = column.len().max(1) as u64;
    work.spend_bytes(column.accounted_bytes() / rows * comparisons as u64);
}
