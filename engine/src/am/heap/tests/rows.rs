//! Rows in and out, by who wrote them.

use std::rc::Rc;

use super::{Table, ints, shown};
use crate::am::{ScanStep, Tid};
use crate::error::sqlstate;
use crate::storage::INVALID_XID;
use crate::value::{Array, Batch, Column, Datum, Numeric, Type};

#[test]
fn values_of_every_type_come_back() {
    let types = [
        Type::BOOL,
        Type::TEXT,
        Type::INT2,
        Type::FLOAT8,
        Type::NUMERIC,
        Type::DATE,
        Type::FLOAT4,
        Type::VARCHAR,
        Type::TIMESTAMP,
        Type::array_of(crate::value::Base::Int4),
        Type::INT8,
        Type::INT4,
    ];
    let mut elements = Column::new(Type::INT4);
    [Datum::Int4(5), Datum::Null]
        .iter()
        .for_each(|value| elements.push(value));
    let numeric = Numeric::parse("-12345678901234567890.123").expect("a number");
    let full = vec![
        Datum::Bool(true),
        Datum::text("é".repeat(100)),
        Datum::Int2(-2),
        Datum::Float8(1.5),
        Datum::Numeric(numeric),
        Datum::Date(-7),
        Datum::Float4(0.25),
        Datum::text(""),
        Datum::Timestamp(i64::MIN),
        Datum::Array(Rc::new(Array::new(elements))),
        Datum::Int8(i64::MAX),
        Datum::Int4(1),
    ];
    let mut rows = vec![full.clone(), vec![Datum::Null; full.len()]];
    for at in 0..full.len() {
        let mut row = full.clone();
        row[at] = Datum::Null;
        rows.push(row);
    }
    let mut expected = Batch::with_types(&types);
    rows.iter().for_each(|row| expected.push_row(row));
    let mut table = Table::new(&types);
    table.insert(&rows);
    let expected: Vec<String> = (0..rows.len()).map(|row| shown(&expected, row)).collect();
    assert_eq!(table.rows(), expected);
}

#[test]
fn own_changes_are_seen_by_later_commands_only() {
    let mut table = Table::new(&[Type::INT4]);
    let xid = table.transactions.begin();
    table.insert_as(xid, 3, &ints([1])).expect("inserted");
    assert!(table.rows_seen_by(xid, 3).is_empty());
    assert!(table.rows().is_empty());
    assert_eq!(table.rows_seen_by(xid, 4), ["1"]);
    let relation = Rc::clone(&table.relation);
    assert_eq!(
        relation.delete(&mut table.cx(xid, 4), Tid::new(0, 1)),
        Ok(true)
    );
    assert_eq!(table.rows_seen_by(xid, 4), ["1"]);
    assert_eq!(
        relation.delete(&mut table.cx(xid, 4), Tid::new(0, 1)),
        Ok(false)
    );
    assert!(table.rows_seen_by(xid, 5).is_empty());
    table.transactions.commit(xid);
    assert!(table.rows().is_empty());
}

#[test]
fn what_was_rolled_back_is_not_there() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints([1, 2]));
    let relation = Rc::clone(&table.relation);
    let xid = table.transactions.begin();
    let row = Batch::with_types(&[Type::INT4]);
    let mut changed = row.clone();
    changed.push_row(&[Datum::Int4(20)]);
    table.insert_as(xid, 0, &ints([3])).expect("inserted");
    assert_eq!(
        relation.delete(&mut table.cx(xid, 1), Tid::new(0, 1)),
        Ok(true)
    );
    assert_eq!(
        relation.update(&mut table.cx(xid, 1), Tid::new(0, 2), &changed, 0),
        Ok(true)
    );
    assert_eq!(table.rows_seen_by(xid, 2), ["3", "20"]);
    table.transactions.abort(xid);
    assert_eq!(table.rows(), ["1", "2"]);
    let xid = table.transactions.begin();
    assert_eq!(
        relation.update(&mut table.cx(xid, 0), Tid::new(0, 2), &changed, 0),
        Ok(true)
    );
    table.transactions.commit(xid);
    assert_eq!(table.rows(), ["1", "20"]);
    assert_eq!(table.relation.size().rows, 2);
}

#[test]
fn memory_has_a_limit() {
    let mut table = Table::with_limit(&[Type::INT4], 2 * 8192);
    let xid = table.transactions.begin();
    let error = table
        .insert_as(xid, 0, &ints(0..10_000))
        .expect_err("too much");
    assert_eq!(error.sqlstate, sqlstate::OUT_OF_MEMORY);
    table.transactions.abort(xid);
    assert!(table.rows().is_empty());
    assert_eq!(table.memory.used(), 0);
}

#[test]
fn fetch_finds_a_row_by_its_address() {
    let mut table = Table::new(&[Type::INT4, Type::TEXT]);
    table.insert(&[
        vec![Datum::Int4(1), Datum::text("one")],
        vec![Datum::Int4(2), Datum::Null],
    ]);
    let relation = Rc::clone(&table.relation);
    let mut scan = table.scan(&[1], true, false);
    let mut out = Batch::with_types(&[Type::TEXT, Type::INT8]);
    out.want = 10;
    assert_eq!(
        scan.next(&mut table.cx(INVALID_XID, 0), &mut out),
        Ok(ScanStep::End)
    );
    assert_eq!(
        (shown(&out, 0), shown(&out, 1)),
        ("one|1".into(), "|2".into())
    );
    let mut out = Batch::with_types(&[Type::TEXT, Type::INT4]);
    let mut fetch = |tid| relation.fetch(&mut table.cx(INVALID_XID, 0), tid, &[1, 0], &mut out);
    assert_eq!(fetch(Tid(2)), Ok(true));
    assert_eq!(fetch(Tid(1)), Ok(true));
    assert_eq!(fetch(Tid(3)), Ok(false));
    assert_eq!(fetch(Tid::new(1, 1)), Ok(false));
    assert_eq!(
        (shown(&out, 0), shown(&out, 1)),
        ("|2".into(), "one|1".into())
    );
}

#[test]
fn rows_written_by_the_statement_itself_are_not_scanned() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..300));
    let xid = table.transactions.begin();
    let mut scan = table.scan(&[0], false, false);
    let relation = Rc::clone(&table.relation);
    let mut out = Batch::default();
    let mut copied = 0;
    loop {
        out.reset(&[Type::INT4], 7);
        let step = scan.next(&mut table.cx(xid, 0), &mut out).expect("rows");
        relation
            .insert(&mut table.cx(xid, 0), &out, out.rows())
            .expect("inserted");
        copied += out.len();
        if step == ScanStep::End {
            break;
        }
    }
    assert_eq!(copied, 300);
    assert_eq!(table.rows_seen_by(xid, 1).len(), 600);
}
