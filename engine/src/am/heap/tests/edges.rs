//! The rules at the edges of qual push-down, one test a rule.

use std::rc::Rc;

use super::{Table, ints, shown};
use crate::am::heap::Heap;
use crate::am::{KeyShape, KeySupport, ScanCounters, ScanKey, ScanStep, TableAm, TableScan};
use crate::error::sqlstate;
use crate::storage::INVALID_XID;
use crate::value::{Array, Base, Batch, BooleanTest, Column, Comparison, Datum, Numeric, Type};

use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};

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
    let mut out = Batch::default();
    out.reset(&types, 10_000);
    loop {
        match scan
            .next(&mut table.cx(INVALID_XID, 0), &mut out)
            .expect("rows")
        {
            ScanStep::NeedKeys => scan.set_keys(keys).expect("supported keys"),
            ScanStep::End => return (0..out.len()).map(|row| shown(&out, row)).collect(),
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

#[test]
fn a_constant_null_reads_no_page() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..1000));
    let mut scan = table.scan(&[0], false, true);
    scan.set_keys(&[compare(0, Eq, Datum::Null)])
        .expect("a supported key");
    assert!(drain(&mut table, &mut *scan, &[]).is_empty());
    let expected = ScanCounters {
        pages_skipped: 5,
        ..ScanCounters::default()
    };
    assert_eq!(table.counters, expected);
}

#[test]
fn a_run_time_null_ends_the_scan_at_the_first_visible_tuple() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..1000));
    assert_eq!(select(&mut table, &[compare(0, Eq, Datum::Null)]), "");
    let expected = ScanCounters {
        pages_read: 1,
        pages_skipped: 4,
        ..ScanCounters::default()
    };
    assert_eq!(table.counters, expected);
}

#[test]
fn a_null_column_fails_every_comparison() {
    let mut table = column(Type::INT4, vec![Datum::Null]);
    for op in [Eq, Ne, Lt, Le, Gt, Ge] {
        assert_eq!(select(&mut table, &[compare(0, op, Datum::Int4(1))]), "");
        assert_eq!(
            select(&mut table, &[array(0, op, true, &[Datum::Int4(1)])]),
            ""
        );
        assert_eq!(
            select(&mut table, &[array(0, op, false, &[Datum::Int4(1)])]),
            ""
        );
    }
}

#[test]
fn null_tests() {
    let mut table = small();
    assert_eq!(
        select(
            &mut table,
            &[ScanKey::Null {
                column: 0,
                negated: true
            }]
        ),
        "1 2 3"
    );
    let is_null = [ScanKey::Null {
        column: 0,
        negated: false,
    }];
    assert_eq!(select(&mut table, &is_null), "");
    assert_eq!(table.counters.removed_by_keys, 3);
    assert_eq!(table.counters.visible, 4);
}

#[test]
fn all_of_an_empty_array_is_true_even_for_a_null() {
    let mut table = small();
    assert_eq!(select(&mut table, &[array(0, Eq, false, &[])]), "1 2 3 ");
    assert_eq!(
        (table.counters.visible, table.counters.removed_by_keys),
        (4, 0)
    );
}

#[test]
fn any_of_a_null_or_empty_array_gives_no_rows() {
    let mut table = small();
    for op in [Eq, Ne, Lt, Ge] {
        assert_eq!(select(&mut table, &[null_array(op, true)]), "");
        assert_eq!(select(&mut table, &[array(0, op, true, &[])]), "");
    }
}

#[test]
fn a_null_element_never_makes_any_true() {
    let mut table = small();
    assert_eq!(
        select(
            &mut table,
            &[array(0, Eq, true, &[Datum::Null, Datum::Int4(2)])]
        ),
        "2"
    );
    assert_eq!(
        select(
            &mut table,
            &[array(0, Ne, true, &[Datum::Null, Datum::Int4(2)])]
        ),
        "1 3"
    );
    assert_eq!(
        select(&mut table, &[array(0, Eq, true, &[Datum::Null])]),
        ""
    );
}

#[test]
fn all_of_a_null_array_or_with_a_null_element_gives_no_rows() {
    let mut table = small();
    for op in [Eq, Ne, Lt, Ge] {
        assert_eq!(select(&mut table, &[null_array(op, false)]), "");
        assert_eq!(
            select(
                &mut table,
                &[array(0, op, false, &[Datum::Int4(9), Datum::Null])]
            ),
            ""
        );
    }
}

#[test]
fn arrays_of_8_9_and_1000_elements_with_duplicates() {
    let mut table = column(Type::INT4, (1..=12).map(Datum::Int4).collect());
    for length in [8, 9, 1000] {
        let odd: Vec<Datum> = (0..length).map(|i| Datum::Int8((2 * i + 1) % 9)).collect();
        assert_eq!(
            select(&mut table, &[array(0, Eq, true, &odd[..4])]),
            "1 3 5 7"
        );
        let all: Vec<Datum> = (0..length).map(|i| Datum::Int8(i % 7 + 2)).collect();
        assert_eq!(
            select(&mut table, &[array(0, Eq, true, &all)]),
            "2 3 4 5 6 7 8"
        );
        assert_eq!(table.counters.key_evaluations, 12);
        assert_eq!(
            select(&mut table, &[array(0, Ne, false, &all)]),
            "1 9 10 11 12"
        );
        let many: Vec<Datum> = (0..length).map(|i| Datum::Int8(i * 3)).collect();
        assert_eq!(select(&mut table, &[array(0, Eq, true, &many)]), "3 6 9 12");
    }
}

#[test]
fn an_integer_against_a_bigint_out_of_range_does_not_wrap() {
    let mut table = small();
    let beyond = || Datum::Int8((1 << 32) + 2);
    let below = || Datum::Int8(-(1 << 40));
    assert_eq!(select(&mut table, &[compare(0, Eq, beyond())]), "");
    assert_eq!(select(&mut table, &[compare(0, Ne, beyond())]), "1 2 3");
    assert_eq!(select(&mut table, &[compare(0, Lt, beyond())]), "1 2 3");
    assert_eq!(select(&mut table, &[compare(0, Ge, beyond())]), "");
    assert_eq!(select(&mut table, &[compare(0, Gt, below())]), "1 2 3");
    assert_eq!(select(&mut table, &[compare(0, Le, below())]), "");
    assert_eq!(
        select(&mut table, &[compare(0, Le, Datum::Int8(i64::MAX))]),
        "1 2 3"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Lt, Datum::Int8(i64::MIN))]),
        ""
    );
    assert_eq!(
        select(&mut table, &[compare(0, Gt, Datum::Int8(i64::MAX))]),
        ""
    );
    let mut table = column(
        Type::INT2,
        vec![Datum::Int2(i16::MIN), Datum::Int2(i16::MAX), Datum::Null],
    );
    assert_eq!(
        select(&mut table, &[compare(0, Gt, Datum::Int4(-40_000))]),
        "-32768 32767"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Lt, Datum::Int4(32_767))]),
        "-32768"
    );
    assert_eq!(
        select(
            &mut table,
            &[array(
                0,
                Eq,
                true,
                &[Datum::Int8(98_303), Datum::Int8(32_767)]
            )]
        ),
        "32767"
    );
}

#[test]
fn nan_equals_itself_and_is_greatest_and_zeros_are_equal() {
    let values = [1.0, f64::NAN, -0.0, f64::INFINITY]
        .map(Datum::Float8)
        .to_vec();
    let mut table = column(Type::FLOAT8, values);
    assert_eq!(
        select(&mut table, &[compare(0, Eq, Datum::Float8(f64::NAN))]),
        "NaN"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Gt, Datum::Float8(f64::INFINITY))]),
        "NaN"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Ge, Datum::Float8(0.0))]),
        "1 NaN -0 inf"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Lt, Datum::Float8(0.0))]),
        ""
    );
    assert_eq!(
        select(&mut table, &[compare(0, Lt, Datum::Float8(f64::NAN))]),
        "1 -0 inf"
    );
    let nans = [Datum::Float8(f64::NAN), Datum::Float8(0.0)];
    assert_eq!(select(&mut table, &[array(0, Eq, true, &nans)]), "NaN -0");
}

#[test]
fn a_real_column_is_compared_with_a_double_as_a_double() {
    let mut table = column(Type::FLOAT4, vec![Datum::Float4(0.1), Datum::Float4(0.5)]);
    assert_eq!(
        select(&mut table, &[compare(0, Eq, Datum::Float8(0.1))]),
        ""
    );
    assert_eq!(
        select(&mut table, &[compare(0, Gt, Datum::Float8(0.1))]),
        "0.1 0.5"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Eq, Datum::Float4(0.1))]),
        "0.1"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Eq, Datum::Float8(0.5))]),
        "0.5"
    );
}

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
fn text_compares_in_c_order() {
    let texts = ["", "a", "B", "ab", "é", "a\u{10000}"]
        .map(Datum::text)
        .to_vec();
    let mut table = column(Type::TEXT, texts);
    assert_eq!(select(&mut table, &[compare(0, Eq, Datum::text("a"))]), "a");
    assert_eq!(
        select(&mut table, &[compare(0, Lt, Datum::text("a"))]),
        " B"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Gt, Datum::text("a"))]),
        "ab é a\u{10000}"
    );
    let two = [Datum::text("B"), Datum::text("é")];
    assert_eq!(select(&mut table, &[array(0, Eq, true, &two)]), "B é");
    let prefix = ScanKey::Prefix {
        column: 0,
        prefix: "a".into(),
    };
    assert_eq!(select(&mut table, &[prefix]), "a ab a\u{10000}");
}

#[test]
fn booleans_dates_timestamps_and_numerics() {
    let mut table = column(
        Type::BOOL,
        vec![Datum::Bool(true), Datum::Null, Datum::Bool(false)],
    );
    let test = |test| [ScanKey::Boolean { column: 0, test }];
    assert_eq!(select(&mut table, &test(BooleanTest::IsTrue)), "true");
    assert_eq!(select(&mut table, &test(BooleanTest::IsNotTrue)), " false");
    assert_eq!(select(&mut table, &test(BooleanTest::IsUnknown)), "");
    assert_eq!(table.counters.removed_by_keys, 2);
    assert_eq!(
        select(&mut table, &[compare(0, Lt, Datum::Bool(true))]),
        "false"
    );
    let mut table = column(Type::DATE, vec![Datum::Date(-1), Datum::Date(5)]);
    assert_eq!(select(&mut table, &[compare(0, Gt, Datum::Date(0))]), "5");
    let mut table = column(
        Type::TIMESTAMP,
        vec![Datum::Timestamp(i64::MIN), Datum::Timestamp(5)],
    );
    assert_eq!(
        select(&mut table, &[compare(0, Lt, Datum::Timestamp(5))]),
        i64::MIN.to_string()
    );
    let numeric = |text: &str| Datum::Numeric(Numeric::parse(text).expect("a number"));
    let mut table = column(
        Type::NUMERIC,
        ["1.5", "NaN", "-2", "1.50"].map(numeric).to_vec(),
    );
    assert_eq!(
        select(&mut table, &[compare(0, Eq, numeric("1.500"))]),
        "1.5 1.50"
    );
    assert_eq!(
        select(&mut table, &[compare(0, Gt, numeric("1e100"))]),
        "NaN"
    );
    let hashed: Vec<Datum> = (0..9).map(|i| numeric(&format!("{i}.5000"))).collect();
    assert_eq!(
        select(&mut table, &[array(0, Ne, false, &hashed)]),
        "NaN -2"
    );
}

#[test]
fn rows_compare_pair_by_pair_with_nulls() {
    let mut table = Table::new(&[Type::INT4, Type::INT8]);
    let row = |a: i32, b: i64| vec![Datum::Int4(a), Datum::Int8(b)];
    table.insert(&[
        row(1, 1),
        row(1, 2),
        row(2, 0),
        vec![Datum::Int4(1), Datum::Null],
    ]);
    let mut rows = |op, a, b| {
        select(
            &mut table,
            &[ScanKey::Row {
                columns: vec![0, 1],
                op,
                values: vec![a, b],
            }],
        )
    };
    use Datum::{Int4, Int8, Null};
    assert_eq!(rows(Lt, Int4(1), Int8(2)), "1|1");
    assert_eq!(rows(Le, Int8(1), Int4(2)), "1|1 1|2");
    assert_eq!(rows(Gt, Int4(1), Null), "2|0");
    assert_eq!(rows(Ge, Null, Int4(0)), "");
    assert_eq!(rows(Eq, Int4(1), Int8(2)), "1|2");
    assert_eq!(rows(Ne, Int4(1), Int8(2)), "1|1 2|0");
    assert_eq!(rows(Ne, Int4(2), Null), "1|1 1|2 1|");
    assert_eq!(rows(Eq, Int4(1), Null), "");
    assert_eq!(rows(Ne, Null, Null), "");
}

#[test]
fn an_or_of_groups_counts_one_test_a_tuple() {
    let mut table = small();
    let groups = vec![
        vec![compare(0, Eq, Datum::Int4(1))],
        vec![
            compare(0, Gt, Datum::Int4(2)),
            compare(0, Lt, Datum::Int4(9)),
        ],
        vec![compare(0, Eq, Datum::Null)],
    ];
    assert_eq!(select(&mut table, &[ScanKey::AnyOf(groups)]), "1 3");
    assert_eq!(table.counters.key_evaluations, 4);
    let impossible = vec![
        vec![compare(0, Eq, Datum::Null)],
        vec![array(0, Eq, true, &[])],
    ];
    assert_eq!(select(&mut table, &[ScanKey::AnyOf(impossible)]), "");
    assert_eq!(table.counters.visible, 0);
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
    let support = |key: &KeyShape| Heap.key_support(key);
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
