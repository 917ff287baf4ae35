//! When keys are asked for, tested, counted and refused, and what the planner is promised.

use super::super::{TESTED, Table, ints};
use super::{array, compare, drain, select, small};
use crate::am::{KeyShape, KeySupport, ScanCounters, ScanKey, ScanStep, TableAm};
use crate::error::sqlstate;
use crate::storage::INVALID_XID;
use crate::value::Comparison::{Eq, Ge, Gt, Lt, Ne};
use crate::value::{Base, Batch, BooleanTest, Datum, Type};

#[test]
fn keys_are_not_asked_for_without_a_visible_tuple() {
    let mut table = Table::new(&[Type::INT4]);
    let mut scan = table.scan(&[0], false, true);
    let mut out = Batch::with_types(&[Type::INT4]);
    out.want = 5;
    assert_eq!(
        scan.next(&mut table.cx(INVALID_XID, 0), &mut out),
        Ok(ScanStep::End)
    );
    let xid = table.transactions.begin();
    table.insert_as(xid, 0, &ints([1, 2])).expect("inserted");
    scan.rescan_asking();
    assert_eq!(
        scan.next(&mut table.cx(xid, 0), &mut out),
        Ok(ScanStep::End)
    );
    scan.rescan_asking();
    assert_eq!(
        scan.next(&mut table.cx(xid, 1), &mut out),
        Ok(ScanStep::NeedKeys)
    );
    assert_eq!(table.counters.visible, 0);
}

#[test]
fn a_rescan_takes_a_different_number_of_keys() {
    let mut table = small();
    let mut scan = table.scan(&[0], false, true);
    let two = [
        compare(0, Gt, Datum::Int4(1)),
        compare(0, Lt, Datum::Int4(3)),
    ];
    assert_eq!(drain(&mut table, &mut *scan, &two), ["2"]);
    scan.rescan(None).expect("keeps");
    assert_eq!(drain(&mut table, &mut *scan, &[]), ["2"]);
    scan.rescan(Some(&two[..1])).expect("replaces");
    assert_eq!(drain(&mut table, &mut *scan, &[]), ["2", "3"]);
    scan.rescan(Some(&[])).expect("drops");
    assert_eq!(drain(&mut table, &mut *scan, &[]).len(), 4);
    scan.rescan_asking();
    assert_eq!(drain(&mut table, &mut *scan, &two[1..]), ["1", "2"]);
}

#[test]
fn keys_run_after_the_visibility_check() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints([1, 2]));
    let xid = table.transactions.begin();
    table.insert_as(xid, 0, &ints([3, 4, 5])).expect("inserted");
    assert_eq!(select(&mut table, &[compare(0, Ge, Datum::Int4(2))]), "2");
    assert_eq!(
        (table.counters.visible, table.counters.key_evaluations),
        (2, 2)
    );
}

#[test]
fn a_tuple_that_fails_a_key_is_not_tested_with_the_next() {
    let mut table = Table::new(&[Type::INT4, Type::TEXT]);
    let row = |i: i32| vec![Datum::Int4(i), Datum::text("x")];
    table.insert(&(0..10).map(row).collect::<Vec<_>>());
    let keys = [
        compare(0, Lt, Datum::Int4(4)),
        compare(0, Gt, Datum::Int4(0)),
        compare(1, Eq, Datum::text("y")),
    ];
    assert_eq!(select(&mut table, &keys), "");
    let ScanCounters {
        visible,
        removed_by_keys,
        key_evaluations,
        ..
    } = table.counters;
    assert_eq!(
        (visible, removed_by_keys, key_evaluations),
        (10, 10, 10 + 4 + 3)
    );
}

#[test]
fn mistaken_keys_are_internal_errors() {
    let table = small();
    let mut scan = table.scan(&[0], false, true);
    let mistaken = [
        compare(0, Eq, Datum::text("1")),
        compare(0, Eq, Datum::Float8(1.0)),
        compare(7, Eq, Datum::Int4(1)),
        compare(0, Eq, Datum::Date(1)),
        array(0, Eq, true, &[Datum::text("1")]),
        ScanKey::Array {
            column: 0,
            op: Eq,
            any: true,
            array: Datum::Int4(1),
        },
        ScanKey::Boolean {
            column: 0,
            test: BooleanTest::IsTrue,
        },
        ScanKey::Prefix {
            column: 0,
            prefix: "1".into(),
        },
        ScanKey::Row {
            columns: vec![0],
            op: Eq,
            values: Vec::new(),
        },
        ScanKey::Row {
            columns: vec![0],
            op: Lt,
            values: vec![Datum::Bool(true)],
        },
        ScanKey::AnyOf(vec![vec![compare(0, Eq, Datum::Bool(true))]]),
    ];
    for key in mistaken {
        let error = scan
            .set_keys(std::slice::from_ref(&key))
            .expect_err("a mistaken key");
        assert_eq!(error.sqlstate, sqlstate::INTERNAL_ERROR, "{key:?}");
    }
}

#[test]
fn what_the_heap_promises() {
    let support = |key: &KeyShape| TESTED.key_support(key);
    let compare = |column, value| KeyShape::Compare {
        column,
        op: Eq,
        value,
    };
    let exact = [
        (Type::INT2, Type::INT8),
        (Type::INT4, Type::INT4),
        (Type::FLOAT4, Type::FLOAT8),
        (Type::TEXT, Type::VARCHAR),
        (Type::VARCHAR, Type::TEXT),
        (Type::DATE, Type::DATE),
        (Type::TIMESTAMP, Type::TIMESTAMP),
        (Type::BOOL, Type::BOOL),
        (Type::NUMERIC, Type::NUMERIC),
    ];
    for (column, value) in exact {
        assert_eq!(
            support(&compare(column, value)),
            KeySupport::Exact,
            "{column:?} {value:?}"
        );
        let array = KeyShape::Array {
            column,
            op: Ne,
            any: false,
            element: value,
        };
        assert_eq!(support(&array), KeySupport::Exact);
    }
    let none = [
        (Type::INT4, Type::FLOAT8),
        (Type::INT4, Type::NUMERIC),
        (Type::DATE, Type::TIMESTAMP),
        (Type::DATE, Type::INT4),
        (Type::array_of(Base::Int4), Type::array_of(Base::Int4)),
    ];
    for (column, value) in none {
        assert_eq!(
            support(&compare(column, value)),
            KeySupport::No,
            "{column:?} {value:?}"
        );
    }
    assert_eq!(support(&KeyShape::Null), KeySupport::Exact);
    assert_eq!(support(&KeyShape::Boolean), KeySupport::Exact);
    assert_eq!(support(&KeyShape::Prefix), KeySupport::Inexact);
    let row = |columns: &[Type], values: &[Type]| KeyShape::Row {
        columns: columns.to_vec(),
        op: Lt,
        values: values.to_vec(),
    };
    assert_eq!(
        support(&row(&[Type::INT4, Type::TEXT], &[Type::INT8, Type::TEXT])),
        KeySupport::Exact
    );
    assert_eq!(support(&row(&[Type::INT4], &[Type::TEXT])), KeySupport::No);
    let mixed = KeyShape::AnyOf(vec![vec![KeyShape::Null], vec![KeyShape::Prefix]]);
    assert_eq!(support(&mixed), KeySupport::Inexact);
    let impossible = KeyShape::AnyOf(vec![vec![KeyShape::Null, compare(Type::INT4, Type::TEXT)]]);
    assert_eq!(support(&impossible), KeySupport::No);
}
