//! A table in memory for tests: pages of a few rows, keys tested one tuple at a time.

use std::rc::Rc;

use crate::am::{
    AmCtx, KeyShape, KeySupport, PagesDone, Relation, RelationSize, RowShape, ScanKey, ScanSpec,
    ScanStep, TableAm, TableScan, Tid,
};
use crate::catalog::{ColumnDef, Table, TableOptions};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::storage::Transactions;
use crate::value::{Batch, Datum, Rows, Type};

pub const ROWS_A_PAGE: usize = 10;

struct TestAm;

impl TableAm for TestAm {
    fn name(&self) -> &'static str {
        "test"
    }

    fn key_support(&self, _key: &KeyShape) -> KeySupport {
        KeySupport::Exact
    }

    fn create(&self, shape: Rc<RowShape>, _memory: &Memory) -> Rc<dyn Relation> {
        Rc::new(TestRelation {
            shape,
            rows: Vec::new(),
            fails_at: None,
        })
    }
}

struct TestRelation {
    shape: Rc<RowShape>,
    rows: Vec<Vec<Option<i64>>>,
    fails_at: Option<usize>,
}

/// A table of nullable integers whose scan fails when it comes to row `fails_at`.
pub fn table(
    name: &str,
    rows: Vec<Vec<Option<i64>>>,
    width: usize,
    fails_at: Option<usize>,
) -> Rc<Table> {
    let column = |i: usize| ColumnDef {
        name: Rc::from(format!("c{i}")),
        ty: Type::INT4,
        typmod: -1,
        not_null: false,
        default: None,
    };
    let shape = Rc::new(RowShape {
        columns: vec![Type::INT4; width],
        fill_factor: 100,
    });
    Rc::new(Table {
        oid: 1,
        name: Rc::from(name),
        columns: (0..width).map(column).collect(),
        am: Rc::new(TestAm),
        options: TableOptions::default(),
        statistics: None,
        storage: Rc::new(TestRelation {
            shape,
            rows,
            fails_at,
        }),
    })
}

impl Relation for TestRelation {
    fn settle(&self, _: &Transactions) {}

    fn shape(&self) -> &Rc<RowShape> {
        &self.shape
    }

    fn begin_scan(self: Rc<Self>, spec: ScanSpec) -> Result<Box<dyn TableScan>> {
        let wanted = spec.has_keys;
        Ok(Box::new(TestScan {
            relation: self,
            spec,
            keys: Vec::new(),
            wanted,
            next: 0,
            entered: 0,
        }))
    }

    fn insert(&self, _cx: &mut AmCtx<'_>, _batch: &Batch, _rows: Rows<'_>) -> Result<()> {
        Err(Error::unsupported("INSERT into a test table"))
    }

    fn delete(&self, _cx: &mut AmCtx<'_>, _tid: Tid) -> Result<bool> {
        Err(Error::unsupported("DELETE from a test table"))
    }

    fn update(&self, _cx: &mut AmCtx<'_>, _tid: Tid, _batch: &Batch, _row: usize) -> Result<bool> {
        Err(Error::unsupported("UPDATE of a test table"))
    }

    fn fetch(
        &self,
        _cx: &mut AmCtx<'_>,
        _tid: Tid,
        _columns: &[usize],
        _out: &mut Batch,
    ) -> Result<bool> {
        Ok(false)
    }

    fn vacuum(&self, _cx: &mut AmCtx<'_>, _from: u32) -> Result<Option<u32>> {
        Ok(None)
    }

    fn size(&self) -> RelationSize {
        let pages = self.rows.len().div_ceil(ROWS_A_PAGE) as u32;
        RelationSize {
            pages,
            rows: self.rows.len() as u64,
            bytes: u64::from(pages) * 8192,
        }
    }
}

struct TestScan {
    relation: Rc<TestRelation>,
    spec: ScanSpec,
    keys: Vec<ScanKey>,
    wanted: bool,
    next: usize,
    entered: u32,
}

impl TestScan {
    fn passes(&self, row: &[Option<i64>]) -> bool {
        self.keys.iter().all(|key| match key {
            ScanKey::Compare { column, op, value } => match (row[*column], value.as_i64()) {
                (Some(a), Some(b)) => op.holds(a.cmp(&b)),
                _ => false,
            },
            ScanKey::Null { column, negated } => row[*column].is_none() != *negated,
            _ => false,
        })
    }
}

impl TableScan for TestScan {
    fn next(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<ScanStep> {
        while self.next < self.relation.rows.len() {
            if self.wanted {
                return Ok(ScanStep::NeedKeys);
            }
            if out.is_full() {
                return Ok(ScanStep::Rows);
            }
            if cx.work.is_exhausted() {
                return Ok(ScanStep::Pause);
            }
            if self.relation.fails_at == Some(self.next) {
                return Err(Error::new(
                    "XX001",
                    "invalid page in block 0 of the test table",
                ));
            }
            if self.next / ROWS_A_PAGE >= self.entered as usize {
                self.entered += 1;
                cx.counters.pages_read += 1;
            }
            cx.work.spend(1);
            cx.counters.visible += 1;
            let row = &self.relation.rows[self.next];
            self.next += 1;
            if !self.passes(row) {
                cx.counters.removed_by_keys += 1;
                continue;
            }
            let values: Vec<Datum> = self
                .spec
                .columns
                .iter()
                .map(|&column| row[column].map_or(Datum::Null, |value| Datum::Int4(value as i32)))
                .collect();
            out.push_row(&values);
        }
        Ok(ScanStep::End)
    }

    fn set_keys(&mut self, keys: &[ScanKey]) -> Result<()> {
        self.keys = keys.to_vec();
        self.wanted = false;
        Ok(())
    }

    fn rescan(&mut self, keys: Option<&[ScanKey]>) -> Result<()> {
        (self.next, self.entered) = (0, 0);
        keys.map_or(Ok(()), |keys| self.set_keys(keys))
    }

    fn rescan_asking(&mut self) {
        (self.next, self.entered) = (0, 0);
        self.wanted = self.spec.has_keys;
    }

    fn progress(&self) -> PagesDone {
        PagesDone {
            done: self.entered,
            total: self.relation.size().pages,
        }
    }
}
