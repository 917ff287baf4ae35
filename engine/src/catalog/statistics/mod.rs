//! What ANALYZE knows of a table and its columns (`pg_class`, `pg_statistic`), and how it comes to
//! know it from a sample of the rows (`analyze.c`).

mod column;
mod reservoir;
mod sort;

#[cfg(test)]
mod tests;

use std::rc::Rc;

pub use column::{ColumnStatistics, CommonValues, SampledColumn};
pub use reservoir::Reservoir;
pub use sort::SampleSort;

/// What is known of a table since VACUUM or ANALYZE last looked at it.
#[derive(Clone, Debug, Default)]
pub struct TableStatistics {
    /// `relpages`
    pub pages: u32,
    /// `reltuples`; below 0: not known.
    pub rows: f64,
    /// A table's columns in order; `None` for those never analyzed. May be shorter than the table.
    pub columns: Vec<Option<Rc<ColumnStatistics>>>,
}

impl TableStatistics {
    pub fn column(&self, column: usize) -> Option<&Rc<ColumnStatistics>> {
        self.columns.get(column)?.as_ref()
    }
}

/// Sampled rows for each entry of the longest list (`std_typanalyze`): by Chaudhuri, Motwani and
/// Narasayya's bound, enough for a histogram whose bins are off by half at most.
pub const SAMPLE_ROWS_A_TARGET: u64 = 300;
