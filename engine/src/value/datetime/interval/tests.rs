use super::super::{parse_timestamp, write_timestamp};
use super::*;

fn shown(interval: Interval) -> String {
    let mut out = String::new();
    write_interval(interval, &mut out);
    out
}

/// The interval's text, or the SQLSTATE of what is none.
fn read(text: &str) -> String {
    match parse_interval(text, -1) {
        Ok(interval) => shown(interval),
        Err(error) => error.sqlstate.to_string(),
    }
}

#[test]
fn equal_spans_are_equal_and_hash_alike_on_pages_too() {
    let month = Interval::new(1, 0, 0);
    let days = Interval::new(0, 30, 0);
    assert!(month == days && month.parts() != days.parts());
    assert!(Interval::new(0, -1, MICROS_PER_DAY) == Interval::ZERO);
    assert!(Interval::new(0, 0, -1) < Interval::ZERO);
    assert!(Interval::new(1, 0, -1) < days);
    let odd = Interval::new(-7, 1 << 30, -5_000_000_000);
    assert_eq!(
        Interval::from_le_bytes(odd.to_le_bytes()).parts(),
        odd.parts()
    );
}

#[test]
fn signs_show_where_they_change() {
    assert_eq!(
        read("-1 year +2 mons -3 days 4:05"),
        "-10 mons -3 days +04:05:00"
    );
    assert_eq!(read("1 mon -1 day"), "1 mon -1 days");
    assert_eq!(read("-0.000001 s"), "-00:00:00.000001");
    assert_eq!(
        shown(Interval::new(0, 0, i64::MIN)),
        "-2562047788:00:54.775808"
    );
}

#[test]
fn bad_input_is_told_from_what_is_out_of_range() {
    for text in [
        "",
        "x",
        "1 day 1 day",
        "P",
        "1:2:3:4",
        "1 day extra",
        "P1YT",
        "p1y",
    ] {
        let expected = if text == "P1YT" { "1 year" } else { "22007" };
        assert_eq!(read(text), expected, "{text}");
    }
    for text in ["99999999999 days", "9223372036854775808 s", "1 day 24:60"] {
        assert_eq!(read(text), "22015", "{text}");
    }
    assert_eq!(read("178956971 years"), "22008");
}

#[test]
fn the_day_of_a_month_is_kept_as_far_as_the_month_has_it() {
    let moved = |from: &str, by: &str| {
        let by = parse_interval(by, -1).unwrap();
        let sum = timestamp_plus_interval(parse_timestamp(from, None).unwrap(), by).unwrap();
        let mut out = String::new();
        write_timestamp(sum, &mut out);
        out
    };
    assert_eq!(moved("2023-01-31", "1 mon"), "2023-02-28 00:00:00");
    assert_eq!(
        moved("2024-03-31 12:00", "-1 mon -1 day"),
        "2024-02-28 12:00:00"
    );
    assert_eq!(moved("0001-01-15", "-1 mon"), "0001-12-15 00:00:00 BC");
}
