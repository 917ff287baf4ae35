//! Tables whose answers a PostgreSQL 15 gave, and the calendar against itself.

use std::cmp::Ordering;

use super::calendar::{civil_from_days, days_from_civil, days_in_month};
use super::*;
use crate::error::Result;

const DAY_FIELDS: [Field; 14] = [
    Field::Day,
    Field::Week,
    Field::Month,
    Field::Quarter,
    Field::Year,
    Field::Decade,
    Field::Century,
    Field::Millennium,
    Field::IsoYear,
    Field::DayOfWeek,
    Field::IsoDayOfWeek,
    Field::DayOfYear,
    Field::JulianDay,
    Field::Epoch,
];

const TIME_FIELDS: [Field; 5] = [
    Field::Microseconds,
    Field::Milliseconds,
    Field::Second,
    Field::Minute,
    Field::Hour,
];

/// The answer in the tables' form: the text, or `!SQLSTATE message` with its hint.
fn shown<T>(result: Result<T>, write: impl Fn(T, &mut String)) -> String {
    match result {
        Ok(value) => {
            let mut text = String::new();
            write(value, &mut text);
            text
        }
        Err(error) => {
            let hint = error
                .hint
                .as_deref()
                .map_or(String::new(), |hint| format!(" HINT {hint}"));
            format!("!{} {}{hint}", error.sqlstate, error.message)
        }
    }
}

fn date(text: &str) -> i32 {
    parse_date(text, None).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn timestamp(text: &str) -> i64 {
    parse_timestamp(text, None).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn input_is_postgresqls() {
    for line in include_str!("testdata/input.txt").lines() {
        let [input, as_date, as_timestamp] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let answers = [
            shown(parse_date(input, None), write_date),
            shown(parse_timestamp(input, None), write_timestamp),
        ];
        for (answer, expected) in answers.iter().zip([as_date, as_timestamp]) {
            // Without a time zone database a name with punctuation is not told from nonsense.
            if answer.starts_with("!0A000 the time zone name") {
                continue;
            }
            assert_eq!(answer, expected, "{input:?}");
        }
    }
}

#[test]
fn zone_names_are_declared_unsupported() {
    for input in ["2024-01-01 America/New_York", "2024-01-01 EST5EDT"] {
        assert_eq!(
            parse_timestamp(input, None).map_err(|error| error.sqlstate),
            Err("0A000"),
            "{input}"
        );
    }
}

#[test]
fn words_for_the_present_need_a_clock() {
    let now = timestamp("2024-02-29 12:34:56.789");
    for (word, day, moment) in [
        ("now", "2024-02-29", "2024-02-29 12:34:56.789"),
        ("today", "2024-02-29", "2024-02-29 00:00:00"),
        ("Tomorrow", "2024-03-01", "2024-03-01 00:00:00"),
        ("yesterday 04:05", "2024-02-28", "2024-02-28 04:05:00"),
    ] {
        assert_eq!(shown(parse_date(word, Some(now)), write_date), day);
        assert_eq!(
            shown(parse_timestamp(word, Some(now)), write_timestamp),
            moment
        );
        assert_eq!(
            parse_date(word, None).map_err(|error| error.sqlstate),
            Err("0A000")
        );
    }
    let message = parse_date("today", None).map_err(|error| error.into_data().message);
    assert_eq!(
        message,
        Err("the date \"today\" is not supported".to_string())
    );
}

#[test]
fn dates_and_their_fields_are_postgresqls() {
    for line in include_str!("testdata/dates.txt").lines() {
        let columns: Vec<&str> = line.split('|').collect();
        let value: i32 = columns[0].parse().expect("days");
        assert_eq!(shown(Ok(value), write_date), columns[1], "{line}");
        assert_eq!(date(columns[1]), value, "{line}");
        for (field, expected) in DAY_FIELDS.iter().zip(&columns[2..]) {
            let answer = extract_from_date(*field, value).expect("finite");
            assert_eq!(answer.to_string(), *expected, "{field:?} {line}");
        }
    }
}

#[test]
fn timestamps_and_their_fields_are_postgresqls() {
    for line in include_str!("testdata/timestamps.txt").lines() {
        let columns: Vec<&str> = line.split('|').collect();
        let value: i64 = columns[0].parse().expect("microseconds");
        assert_eq!(shown(Ok(value), write_timestamp), columns[1], "{line}");
        assert_eq!(timestamp(columns[1]), value, "{line}");
        for (field, expected) in TIME_FIELDS.iter().chain(&DAY_FIELDS).zip(&columns[2..]) {
            let answer = extract_from_timestamp(*field, value)
                .expect("in range")
                .expect("finite");
            assert_eq!(answer.to_string(), *expected, "{field:?} {line}");
        }
    }
}

#[test]
fn units_are_postgresqls() {
    let (day, moment) = (date("2024-02-29"), timestamp("2024-02-29 12:34:56.789012"));
    for line in include_str!("testdata/units.txt").lines() {
        let [unit, of_date, of_timestamp] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let write = |value: Option<crate::value::Numeric>, out: &mut String| {
            value.expect("finite").write_to(out)
        };
        let answer = shown(
            Field::of_date(unit).map(|field| extract_from_date(field, day)),
            write,
        );
        assert_eq!(answer, of_date, "{unit}");
        let answer =
            Field::of_timestamp(unit).and_then(|field| extract_from_timestamp(field, moment));
        assert_eq!(shown(answer, write), of_timestamp, "{unit}");
    }
}

#[test]
fn fields_of_the_infinities() {
    for (field, expected) in [
        (Field::Day, None),
        (Field::Year, Some("Infinity")),
        (Field::Epoch, Some("Infinity")),
    ] {
        let answer = extract_from_date(field, DATE_INFINITY).map(|value| value.to_string());
        assert_eq!(answer.as_deref(), expected);
    }
    let answer = |field| {
        extract_from_timestamp(field, TIMESTAMP_NEG_INFINITY)
            .map(|value| value.map(|v| v.to_string()))
    };
    assert_eq!(answer(Field::Hour), Ok(None));
    assert_eq!(answer(Field::JulianDay), Ok(Some("-Infinity".to_string())));
}

#[test]
fn make_date_is_postgresqls() {
    for line in include_str!("testdata/make_date.txt").lines() {
        let [year, month, day, expected] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let number = |text: &str| text.parse::<i32>().expect("a number");
        assert_eq!(
            shown(
                make_date(number(year), number(month), number(day)),
                write_date
            ),
            expected,
            "{line}"
        );
    }
}

#[test]
fn days_and_calendar_agree() {
    let mut days = days_from_civil(-4713, 1, 1);
    for year in -4713..=2500 {
        for month in 1..=12 {
            assert_eq!(days_from_civil(year, month, 1), days);
            let last = civil_from_days(days + days_in_month(year, month) - 1);
            assert_eq!(
                (last.year, last.month, last.day),
                (year, month, days_in_month(year, month))
            );
            days += days_in_month(year, month);
        }
    }
}

#[test]
fn sums_and_casts() {
    assert_eq!(
        date_plus_days(date("2024-02-28"), 2),
        Ok(date("2024-03-01"))
    );
    assert_eq!(date_plus_days(DATE_INFINITY, -5), Ok(DATE_INFINITY));
    assert!(date_plus_days(1, i64::MAX).is_err());
    let error =
        |result: Result<i32>| result.map_err(|error| (error.sqlstate, error.into_data().message));
    assert_eq!(
        error(date_plus_days(date("5874897-12-31"), 1)),
        Err(("22008", "date out of range".into()))
    );
    assert_eq!(
        error(date_plus_days(0, i64::from(i32::MIN))),
        Err(("22008", "date out of range".into()))
    );
    assert_eq!(
        date_minus_date(date("2024-03-01"), date("2024-02-01")),
        Ok(29)
    );
    assert_eq!(
        date_minus_date(date("5874897-12-31"), date("4714-11-24 BC")),
        Ok(2_147_483_493)
    );
    assert_eq!(
        error(date_minus_date(DATE_INFINITY, 0)),
        Err(("22008", "cannot subtract infinite dates".into()))
    );
    assert_eq!(
        date_to_timestamp(date("2024-02-29")),
        Ok(timestamp("2024-02-29"))
    );
    assert_eq!(
        date_to_timestamp(DATE_NEG_INFINITY),
        Ok(TIMESTAMP_NEG_INFINITY)
    );
    assert_eq!(
        date_to_timestamp(date("294276-12-31")),
        Ok(timestamp("294276-12-31"))
    );
    let too_late =
        date_to_timestamp(date("294277-01-01")).map_err(|error| error.into_data().message);
    assert_eq!(too_late, Err("date out of range for timestamp".to_string()));
    assert_eq!(
        timestamp_to_date(timestamp("1999-12-31 23:59:59")),
        date("1999-12-31")
    );
    assert_eq!(timestamp_to_date(TIMESTAMP_INFINITY), DATE_INFINITY);
}

#[test]
fn dates_compare_with_timestamps() {
    let compare = |day: &str, moment: &str| compare_date_timestamp(date(day), timestamp(moment));
    assert_eq!(compare("2024-02-29", "2024-02-29"), Ordering::Equal);
    assert_eq!(compare("2024-02-29", "2024-02-29 00:00:01"), Ordering::Less);
    assert_eq!(compare("5874897-12-31", "294276-12-31"), Ordering::Greater);
    assert_eq!(compare("5874897-12-31", "infinity"), Ordering::Less);
    assert_eq!(compare("infinity", "infinity"), Ordering::Equal);
    assert_eq!(compare("-infinity", "4714-11-24 BC"), Ordering::Less);
}
