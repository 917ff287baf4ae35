//! NULL values, NULL columns, NULL elements, and arrays of every shape.

use super::super::{Table, ints};
use super::{array, column, compare, drain, null_array, select, small};
use crate::am::{ScanCounters, ScanKey};
use crate::value::Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
use crate::value::{Datum, Type};

#[test]
fn a_constant_null_reads_no_page() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..1000));
    let mut scan = table.scan(&[0], false, true);
    scan.set_keys(&[compare(0, Eq, Datum::Null)])
        .expect("a supported key");
    assert!(drain(&mut table, &mut *scan, &[]).is_empty());
    let counters = table.counters;
    assert!(counters.pages_skipped > 0);
    let pages_skipped = counters.pages_skipped;
    let expected = ScanCounters {
        pages_skipped,
        ..ScanCounters::default()
    };
    assert_eq!(counters, expected);
}

#[test]
fn a_run_time_null_ends_the_scan_at_the_first_visible_tuple() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..1000));
    assert_eq!(select(&mut table, &[compare(0, Eq, Datum::Null)]), "");
    let counters = table.counters;
    assert!(counters.pages_read <= 1 && counters.pages_skipped > 0);
    assert_eq!((counters.visible, counters.key_evaluations), (0, 0));
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
