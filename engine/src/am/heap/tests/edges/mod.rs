//! The rules at the edges of qual push-down, one test a rule.

mod nulls_and_arrays;
mod protocol;
mod values;

use std::rc::Rc;

use super::{Table, shown};
use crate::am::{ScanCounters, ScanKey, ScanStep, TableScan};
use crate::storage::INVALID_XID;
use crate::value::{Array, Base, Batch, Column, Comparison, Datum, Type};

fn compare(column: usize, op: Comparison, value: Datum) -> ScanKey {
    ScanKey::Compare { column, op, value }
}

fn array(column: usize, op: Comparison, any: bool, elements: &[Datum]) -> ScanKey {
    let base = elements
        .iter()
        .find(|e| !e.is_null())
        .map_or(Base::Int4, |e| e.natural_type().base);
    let mut column_of = Column::new(Type::scalar(base));
    elements.iter().for_each(|element| column_of.push(element));
    ScanKey::Array {
        column,
        op,
        any,
        array: Datum::Array(Rc::new(Array::new(column_of))),
    }
}

fn null_array(op: Comparison, any: bool) -> ScanKey {
    ScanKey::Array {
        column: 0,
        op,
        any,
        array: Datum::Null,
    }
}

fn column(ty: Type, values: Vec<Datum>) -> Table {
    let mut table = Table::new(&[ty]);
    table.insert(
        &values
            .into_iter()
            .map(|value| vec![value])
            .collect::<Vec<_>>(),
    );
    table
}

/// Integers 1, 2, 3 and a NULL.
fn small() -> Table {
    column(
        Type::INT4,
        vec![Datum::Int4(1), Datum::Int4(2), Datum::Int4(3), Datum::Null],
    )
}

/// Runs a scan to its end, giving the keys when they are asked for.
fn drain(table: &mut Table, scan: &mut dyn TableScan, keys: &[ScanKey]) -> Vec<String> {
    let types = table.types();
    let (mut out, mut rows) = (Batch::default(), Vec::new());
    loop {
        out.reset(&types, 10_000);
        let step = scan
            .next(&mut table.cx(INVALID_XID, 0), &mut out)
            .expect("rows");
        rows.extend((0..out.len()).map(|row| shown(&out, row)));
        match step {
            ScanStep::NeedKeys => scan.set_keys(keys).expect("supported keys"),
            ScanStep::End => return rows,
            ScanStep::Rows | ScanStep::Pause => table.work.renew(),
        }
    }
}

fn select(table: &mut Table, keys: &[ScanKey]) -> String {
    let columns: Vec<usize> = (0..table.types().len()).collect();
    let mut scan = table.scan(&columns, false, true);
    table.counters = ScanCounters::default();
    drain(table, &mut *scan, keys).join(" ")
}
