//! ANALYZE of one table, in slices.
//!
//! 1. A scan of row addresses counts the rows and picks the sample (`acquire_sample_rows`; here every
//!    page is read, which without disks costs little and makes the count exact).
//! 2. The sampled rows are fetched, in physical order.
//! 3. Column by column the sample is sorted and looked through (`compute_scalar_stats`).

use std::rc::Rc;

use crate::am::{AmCtx, ScanSpec, ScanStep, TableScan, Tid};
use crate::catalog::{
    ColumnStatistics, Reservoir, SAMPLE_ROWS_A_TARGET, SampleSort, SampledColumn, Table,
    TableStatistics,
};
use crate::error::Result;
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Type, Vector};

/// Row addresses looked at in one step of the scan.
const SCANNED_AT_ONCE: usize = 4096;
/// Bytes that a sampled row's address takes.
const ADDRESS_BYTES: u64 = 8;
/// The sample is the same each time: equal tables get equal statistics.
const SEED: u64 = 0x7475_706C_6573;

/// ```text
/// Sample ──▶ Fetch ──▶ Compute (column by column) ──▶ the statistics
/// ```
enum Stage {
    Start,
    Sample {
        scan: Box<dyn TableScan>,
        reservoir: Reservoir,
    },
    Fetch {
        tids: Vec<Tid>,
        next: usize,
    },
    Compute {
        /// Which of the columns.
        column: usize,
        sort: Option<SampleSort>,
    },
}

pub(super) struct Analyzing {
    /// The table's columns to look at.
    columns: Vec<usize>,
    target: usize,
    stage: Stage,
    rows: u64,
    sample: Batch,
    holding: Holding,
    found: Vec<ColumnStatistics>,
}

impl Analyzing {
    pub fn new(table: &Table, columns: Vec<usize>, target: u64, memory: &Memory) -> Self {
        let types: Vec<Type> = columns.iter().map(|&c| table.columns[c].ty).collect();
        Analyzing {
            sample: Batch::with_types(&types),
            found: Vec::with_capacity(columns.len()),
            columns,
            target: target as usize,
            stage: Stage::Start,
            rows: 0,
            holding: memory.holding(),
        }
    }

    /// One slice of work; the statistics when all is done.
    pub fn advance(
        &mut self,
        table: &Table,
        cx: &mut AmCtx<'_>,
    ) -> Result<Option<TableStatistics>> {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Start) {
            Stage::Start => {
                let spec = ScanSpec {
                    columns: Vec::new(),
                    with_tid: true,
                    has_keys: false,
                };
                let wanted = self.target as u64 * SAMPLE_ROWS_A_TARGET;
                Stage::Sample {
                    scan: Rc::clone(&table.storage).begin_scan(spec)?,
                    reservoir: Reservoir::new(wanted as usize, SEED ^ u64::from(table.oid)),
                }
            }
            Stage::Sample { scan, reservoir } => self.sample(scan, reservoir, cx)?,
            Stage::Fetch { tids, next } => self.fetch(tids, next, table, cx)?,
            Stage::Compute { column, sort } if column < self.columns.len() => {
                self.compute(column, sort, cx)
            }
            Stage::Compute { .. } => return Ok(Some(self.statistics(table))),
        };
        Ok(None)
    }

    fn sample(
        &mut self,
        mut scan: Box<dyn TableScan>,
        mut reservoir: Reservoir,
        cx: &mut AmCtx<'_>,
    ) -> Result<Stage> {
        let mut out = Batch::default();
        loop {
            out.reset(&[Type::INT8], SCANNED_AT_ONCE);
            let step = scan.next(cx, &mut out)?;
            if let [column] = &out.columns[..]
                && let Vector::Int8(tids) = &column.data
            {
                let rows = out.rows();
                rows.iter()
                    .for_each(|row| reservoir.see(Tid(tids[row] as u64)));
            }
            self.holding.set(reservoir.len() as u64 * ADDRESS_BYTES)?;
            if step == ScanStep::End {
                self.rows = reservoir.seen();
                let tids = reservoir.into_sample();
                return Ok(Stage::Fetch { tids, next: 0 });
            }
            if step == ScanStep::Pause || cx.work.is_exhausted() {
                return Ok(Stage::Sample { scan, reservoir });
            }
        }
    }

    fn fetch(
        &mut self,
        tids: Vec<Tid>,
        mut next: usize,
        table: &Table,
        cx: &mut AmCtx<'_>,
    ) -> Result<Stage> {
        let before = self.sample.physical_rows();
        while next < tids.len() && !cx.work.is_exhausted() {
            (table.storage).fetch(cx, tids[next], &self.columns, &mut self.sample)?;
            cx.work.spend(1 + self.columns.len() as u32);
            next += 1;
        }
        let fetched = self.sample.accounted_from(before);
        cx.work.spend_bytes(fetched);
        self.holding.grow(fetched)?;
        Ok(if next < tids.len() {
            Stage::Fetch { tids, next }
        } else {
            Stage::Compute {
                column: 0,
                sort: None,
            }
        })
    }

    fn compute(&mut self, column: usize, sort: Option<SampleSort>, cx: &mut AmCtx<'_>) -> Stage {
        let sampled = SampledColumn {
            values: &self.sample.columns[column],
            table_rows: self.rows as f64,
            target: self.target,
        };
        let mut sort = sort.unwrap_or_else(|| SampleSort::new(sampled.comparable_rows()));
        if !sort.advance(sampled.values, cx.work) {
            return Stage::Compute {
                column,
                sort: Some(sort),
            };
        }
        self.found.push(sampled.statistics(&sort.into_order()));
        Stage::Compute {
            column: column + 1,
            sort: None,
        }
    }

    fn statistics(&mut self, table: &Table) -> TableStatistics {
        let known = table.statistics.as_ref();
        let mut columns = known.map_or_else(Vec::new, |known| known.columns.clone());
        columns.resize(table.columns.len(), None);
        // An empty table tells nothing of its columns: what was known of them stays.
        if self.rows > 0 {
            for (column, found) in self.columns.iter().zip(self.found.drain(..)) {
                columns[*column] = Some(Rc::new(found));
            }
        }
        TableStatistics {
            pages: table.storage.size().pages,
            rows: self.rows as f64,
            columns,
        }
    }
}
