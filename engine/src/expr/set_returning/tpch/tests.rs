//! The rows compared with what `tpchgen` itself writes from its whole text pool.

use std::fmt::Display;

use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};

use super::*;
use crate::value::text::{without_blanks, write_value};
use crate::value::{Base, Vector};

const SCALE: f64 = 0.01;

/// All rows in the format of dbgen's files: values without padding, each with a bar behind it.
fn rows(table: TpchTable, want: usize, allowance: u32) -> Vec<String> {
    let decimals = TpchDecimals::Numeric;
    let columns = table.columns().iter();
    let mut out: Vec<Column> = columns
        .map(|(_, ty)| Column::new(ty.ty(decimals)))
        .collect();
    let memory = Memory::with_limit(1 << 30);
    let mut call = start(table.name(), SCALE, decimals, &memory).unwrap();
    while call
        .next(&mut out, want, &mut Work::new(allowance))
        .unwrap()
    {}
    drop(call);
    assert_eq!(memory.used(), 0);
    (0..out[0].len())
        .map(|row| {
            let mut line = String::new();
            for column in &out {
                match &column.data {
                    Vector::Text(texts) if column.ty().base == Base::Bpchar => {
                        let text = without_blanks(texts.bytes_of(row));
                        line.push_str(std::str::from_utf8(text).unwrap());
                    }
                    _ => write_value(column, row, &mut line),
                }
                line.push('|');
            }
            line
        })
        .collect()
}

fn check<R: Display>(table: TpchTable, expected: impl Iterator<Item = R>) {
    let found = rows(table, 1000, Work::DEFAULT_ALLOWANCE);
    let mut count = 0;
    for (number, expected) in expected.enumerate() {
        let mut expected = expected.to_string();
        if table == TpchTable::Lineitem {
            // dbgen writes quantities as whole numbers; the column has two decimal places.
            let at = expected.match_indices('|').nth(4).map(|(at, _)| at);
            expected.insert_str(at.unwrap(), ".00");
        }
        assert_eq!(found[number], expected, "row {number} of {}", table.name());
        count = number + 1;
    }
    assert_eq!(found.len(), count, "{}", table.name());
}

#[test]
fn every_value_is_dbgens() {
    check(TpchTable::Part, PartGenerator::new(SCALE, 1, 1).iter());
    check(
        TpchTable::Supplier,
        SupplierGenerator::new(SCALE, 1, 1).iter(),
    );
    check(
        TpchTable::Partsupp,
        PartSuppGenerator::new(SCALE, 1, 1).iter(),
    );
    check(
        TpchTable::Customer,
        CustomerGenerator::new(SCALE, 1, 1).iter(),
    );
    check(TpchTable::Orders, OrderGenerator::new(SCALE, 1, 1).iter());
    check(
        TpchTable::Lineitem,
        LineItemGenerator::new(SCALE, 1, 1).iter(),
    );
    check(TpchTable::Nation, NationGenerator::new(SCALE, 1, 1).iter());
    check(TpchTable::Region, RegionGenerator::new(SCALE, 1, 1).iter());
}

#[test]
fn rows_come_in_any_portions() {
    let whole = rows(TpchTable::Nation, 1000, Work::DEFAULT_ALLOWANCE);
    assert_eq!(whole.len(), 25);
    assert_eq!(rows(TpchTable::Nation, 1, 1), whole);
    assert_eq!(rows(TpchTable::Nation, 7, 1), whole);
}

#[test]
fn a_suppliers_remark_stays_in_its_place() {
    let mut text = *b"0123456789012345678901234567890";
    comment::keep_remarks("ab Customer xyz Complaints abcd", &mut text);
    assert_eq!(&text, b"012Customer 2345Complaints67890");
    comment::keep_remarks("nothing of the kind in this one", &mut text);
    assert_eq!(&text, b"012Customer 2345Complaints67890");
}

#[test]
fn what_is_no_table_or_scale_is_refused() {
    let memory = Memory::with_limit(1 << 20);
    let refused = |table, scale| {
        let call = start(table, scale, TpchDecimals::Numeric, &memory);
        call.err().map(|error| error.message.clone())
    };
    assert_eq!(
        refused("lineitems", 1.0).as_deref(),
        Some("TPC-H has no table \"lineitems\"")
    );
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
        assert!(refused("lineitem", scale).is_some(), "{scale}");
    }
}
