//! Ranges, floats, text order and the other types.

use super::{array, column, compare, select, small};
use crate::am::ScanKey;
use crate::value::Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
use crate::value::{BooleanTest, Datum, Numeric, Type};

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
