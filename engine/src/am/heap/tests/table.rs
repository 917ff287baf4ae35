//! A table of the access method that is tested, and what is in it.

use std::rc::Rc;

use super::TESTED;
use crate::am::{
    AmCtx, Relation, RowShape, ScanCounters, ScanSpec, ScanStep, TableAm, TableScan, Tid,
};
use crate::error::Result;
use crate::memory::Memory;
use crate::storage::{INVALID_XID, Snapshot, Transactions, Xid};
use crate::value::{Batch, Datum, Type};
use crate::work::Work;

/// A relation, its transactions and a budget.
pub struct Table {
    pub relation: Rc<dyn Relation>,
    pub transactions: Transactions,
    pub memory: Memory,
    pub counters: ScanCounters,
    pub work: Work,
}

impl Table {
    pub fn new(columns: &[Type]) -> Self {
        Table::with_limit(columns, u64::MAX)
    }

    pub fn with_limit(columns: &[Type], limit: u64) -> Self {
        Table::create(columns, limit, 100)
    }

    pub fn create(columns: &[Type], limit: u64, fill_factor: u8) -> Self {
        let memory = Memory::with_limit(limit);
        let shape = Rc::new(RowShape {
            columns: columns.to_vec(),
            fill_factor,
        });
        Table {
            relation: TESTED.create(shape, &memory),
            transactions: Transactions::default(),
            memory,
            counters: ScanCounters::default(),
            work: Work::default(),
        }
    }

    pub fn types(&self) -> Vec<Type> {
        self.relation.shape().columns.clone()
    }

    pub fn cx(&mut self, xid: Xid, command: u32) -> AmCtx<'_> {
        AmCtx {
            snapshot: Snapshot { xid, command },
            transactions: &self.transactions,
            counters: &mut self.counters,
            work: &mut self.work,
        }
    }

    pub fn insert_as(&mut self, xid: Xid, command: u32, rows: &[Vec<Datum>]) -> Result<()> {
        let mut batch = Batch::with_types(&self.types());
        rows.iter().for_each(|row| batch.push_row(row));
        let relation = Rc::clone(&self.relation);
        relation.insert(&mut self.cx(xid, command), &batch, batch.rows())
    }

    /// Inserts and commits.
    pub fn insert(&mut self, rows: &[Vec<Datum>]) {
        let xid = self.transactions.begin();
        self.insert_as(xid, 0, rows).expect("inserted");
        self.transactions.commit(xid);
    }

    pub fn scan(&self, columns: &[usize], with_tid: bool, has_keys: bool) -> Box<dyn TableScan> {
        let spec = ScanSpec {
            columns: columns.to_vec(),
            with_tid,
            has_keys,
        };
        Rc::clone(&self.relation).begin_scan(spec).expect("a scan")
    }

    /// All rows that the snapshot sees, as text.
    pub fn rows_seen_by(&mut self, xid: Xid, command: u32) -> Vec<String> {
        let columns: Vec<usize> = (0..self.types().len()).collect();
        let mut scan = self.scan(&columns, false, false);
        let (types, mut rows) = (self.types(), Vec::new());
        loop {
            let mut out = Batch::default();
            out.reset(&types, 100);
            let step = scan
                .next(&mut self.cx(xid, command), &mut out)
                .expect("rows");
            rows.extend((0..out.len()).map(|row| shown(&out, row)));
            self.work.renew();
            match step {
                ScanStep::Rows | ScanStep::Pause => {}
                ScanStep::End => return rows,
                ScanStep::NeedKeys => panic!("a scan without keys asked for keys"),
            }
        }
    }

    /// Rows and where they are.
    pub fn rows_with_addresses(&mut self) -> Vec<(Tid, Vec<Datum>)> {
        let mut types = self.types();
        let columns: Vec<usize> = (0..types.len()).collect();
        let mut scan = self.scan(&columns, true, false);
        types.push(Type::INT8);
        let (mut rows, mut out) = (Vec::new(), Batch::default());
        loop {
            out.reset(&types, 1000);
            let step = scan
                .next(&mut self.cx(INVALID_XID, 0), &mut out)
                .expect("rows");
            for row in 0..out.len() {
                let mut values: Vec<Datum> =
                    out.columns.iter().map(|column| column.get(row)).collect();
                let tid = values
                    .pop()
                    .and_then(|tid| tid.as_i64())
                    .expect("an address");
                rows.push((Tid(tid as u64), values));
            }
            self.work.renew();
            if step == ScanStep::End {
                return rows;
            }
        }
    }

    pub fn vacuum(&mut self) {
        let relation = Rc::clone(&self.relation);
        let mut from = Some(0);
        while let Some(block) = from {
            self.work.renew();
            from = relation
                .vacuum(&mut self.cx(INVALID_XID, 0), block)
                .expect("vacuumed");
        }
        self.work.renew();
    }

    pub fn rows(&mut self) -> Vec<String> {
        self.rows_seen_by(INVALID_XID, 0)
    }
}

/// The `row`th row that counts, as text.
pub fn shown(batch: &Batch, row: usize) -> String {
    let row = batch.row(row);
    let values: Vec<String> = batch
        .columns
        .iter()
        .map(|column| text(&column.get(row)))
        .collect();
    values.join("|")
}

fn text(value: &Datum) -> String {
    match value {
        Datum::Null => String::new(),
        Datum::Bool(v) => v.to_string(),
        Datum::Int2(v) => v.to_string(),
        Datum::Int4(v) | Datum::Date(v) => v.to_string(),
        Datum::Int8(v) | Datum::Timestamp(v) => v.to_string(),
        Datum::Float4(v) => v.to_string(),
        Datum::Float8(v) => v.to_string(),
        Datum::Interval(v) => format!("{:?}", v.parts()),
        Datum::Numeric(v) => v.to_string(),
        Datum::Text(v) => v.to_string(),
        Datum::Array(v) => {
            let elements: Vec<String> = (0..v.len()).map(|i| text(&v.elements.get(i))).collect();
            format!("{{{}}}", elements.join(","))
        }
    }
}

pub fn ints(values: impl IntoIterator<Item = i32>) -> Vec<Vec<Datum>> {
    values
        .into_iter()
        .map(|value| vec![Datum::Int4(value)])
        .collect()
}
