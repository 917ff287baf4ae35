//! Keys tested on values that are in the output already, as a filter above the scan would test them.
//!
//! Where many tuples pass, testing them on the page first saves little and costs a second look at each
//! tuple. A batch is filled with candidates that are not tested then, the keys are tested on dense
//! columns, and the rows that fail are deselected: that is the filter's work, but for a few
//! instructions a row (up to 5 % measured on fixed columns). Columns that
//! only keys look at are read to the side. It is chosen a batch at a time, by how many passed last.

use super::deform::{Damaged, Start};
use super::keys::Keys;
use super::layout::RowLayout;
use super::output::{Candidate, Output, PageView};
use crate::am::ScanSpec;
use crate::error::Result;
use crate::value::{Batch, Rows, Type};

/// What a scan tests its keys with, once rows are in the output.
#[derive(Debug)]
pub struct LateTest {
    /// All keys are ranges.
    possible: bool,
    /// The keys' columns that are not wanted otherwise, of as many rows as the output.
    aside: Output,
    types: Vec<Type>,
    values: Batch,
    /// What appending the wanted columns that no key looks at costs; 4 for one at a fixed offset.
    spared: usize,
    /// Rows that passed: memory that is used anew for each batch.
    passed: Vec<u32>,
}

impl LateTest {
    pub fn new(layout: &RowLayout, keys: &Keys, output: &Output) -> Result<Self> {
        let mut columns = Vec::new();
        let ranges = keys.all_ranges().unwrap_or_default();
        for &(column, _) in ranges {
            if output.position(column).is_none() && !columns.contains(&column) {
                columns.push(column);
            }
        }
        let is_key = |column| ranges.iter().any(|&(of_key, _)| of_key == column);
        let cost = |&column: &usize| match layout.attributes[column].fixed_offset() {
            _ if is_key(column) => 0,
            Some(_) => 4,
            None => 40,
        };
        Ok(LateTest {
            possible: keys.all_ranges().is_some(),
            types: (columns.iter())
                .map(|&column| layout.attributes[column].ty)
                .collect(),
            spared: output.columns().iter().map(cost).sum(),
            aside: Output::new(
                layout,
                ScanSpec {
                    columns,
                    ..ScanSpec::default()
                },
            )?,
            values: Batch::default(),
            passed: Vec::new(),
        })
    }

    /// Whether it can be used on pages like this. Walking through tuples for the keys' sake alone is for
    /// tests that come first.
    #[inline]
    pub fn suits(&self, plain: bool) -> bool {
        self.possible && !self.aside.walks(plain)
    }

    /// Whether it costs least where so many rows pass, by counted instructions. Noting where the columns
    /// are of a tuple that is walked through costs more than testing a number, less than NULLs do.
    pub fn pays(&self, keys: &Keys, plain: bool, passed: usize, tested: usize) -> bool {
        match (plain, keys.all_lead()) {
            (false, _) => passed * 4 >= tested * 3,
            (true, false) => passed * 4 >= tested,
            (true, true) => passed * (10 + self.spared) >= tested * self.spared.saturating_sub(5),
        }
    }

    /// Begins a batch.
    pub fn begin(&mut self) {
        self.values.reset(&self.types, 0);
    }

    /// Appends tuples that are not tested. On damage the rows before it are appended.
    pub fn append(
        &mut self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        output: &mut Output,
        scratch: &mut [Start],
        out: &mut Batch,
    ) -> Result<(), Damaged> {
        let before = out.physical_rows();
        let appended = output.append(layout, view, tuples, scratch, out);
        if self.types.is_empty() {
            return appended;
        }
        let tuples = &tuples[..out.physical_rows() - before];
        let aside = (self.aside).append(layout, view, tuples, scratch, &mut self.values);
        out.keep_first(self.values.physical_rows());
        appended.and(aside)
    }

    /// Tests the keys on all rows of a batch without a selection, and deselects the rows that fail. If all
    /// fail, the batch is empty afterwards, without a selection. Answers how many passed, and the tests made.
    pub fn run(&mut self, keys: &Keys, output: &Output, out: &mut Batch) -> (usize, u64) {
        let rows = out.physical_rows();
        let (mut evaluations, mut count) = (0, rows);
        let ranges = keys.all_ranges().unwrap_or_default();
        for (at, &(column, range)) in ranges.iter().enumerate() {
            let column = match (output.position(column), self.aside.position(column)) {
                (Some(at), _) => &out.columns[at],
                (None, Some(at)) => &self.values.columns[at],
                (None, None) => continue,
            };
            evaluations += count as u64;
            if at == 0 {
                self.passed.clear();
                range.select(column, Rows::Range(0, rows), &mut self.passed);
            } else {
                range.retain(column, &mut self.passed);
            }
            count = self.passed.len();
        }
        if count == 0 {
            out.keep_first(0);
        } else if count < rows {
            out.swap_selection(&mut self.passed);
        }
        (count, evaluations)
    }
}
