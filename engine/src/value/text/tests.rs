//! Tables whose answers a PostgreSQL 15 gave.

use std::borrow::Cow;

use super::*;
use crate::error::Result;
use crate::value::{Numeric, datetime};

/// The tables write backslash, newline and tab as escapes, to keep one case a line.
fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                _ => '\\',
            },
            other => other,
        });
    }
    plain
}

/// The answer in the tables' form: the text, or `!SQLSTATE message` with its detail.
fn shown<T>(result: Result<T>, write: impl Fn(T, &mut String)) -> String {
    match result {
        Ok(value) => {
            let mut text = String::new();
            write(value, &mut text);
            text
        }
        Err(error) => {
            let detail = error
                .detail
                .as_deref()
                .map_or(String::new(), |detail| format!(" DETAIL {detail}"));
            format!("!{} {}{detail}", error.sqlstate, error.message)
        }
    }
}

#[test]
fn input_is_postgresqls() {
    for line in include_str!("testdata/input.txt").lines() {
        let [kind, input, expected] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let (input, expected) = (unescape(input), unescape(expected));
        let answer = match kind {
            // The table shows booleans by their cast to text, which spells them out.
            "bool" => shown(parse_bool(&input), |value, out| {
                out.push_str(if value { "true" } else { "false" })
            }),
            "int2" => shown(parse_int2(&input), write_int2),
            "int4" => shown(parse_int4(&input), write_int4),
            "int8" => shown(parse_int8(&input), write_int8),
            "float4" => shown(parse_float4(&input), write_float4),
            "float8" => shown(parse_float8(&input), write_float8),
            _ => panic!("unknown type: {line}"),
        };
        assert_eq!(answer, expected, "{line}");
    }
}

#[test]
fn float_output_is_postgresqls() {
    for line in include_str!("testdata/float_output.txt").lines() {
        let [kind, bits, expected] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let bits = u64::from_str_radix(bits, 16).expect("bits");
        let mut text = String::new();
        if kind == "float8" {
            write_float8(f64::from_bits(bits), &mut text);
            assert_eq!(parse_float8(&text).map(f64::to_bits), Ok(bits), "{line}");
        } else {
            write_float4(f32::from_bits(bits as u32), &mut text);
            assert_eq!(
                parse_float4(&text).map(f32::to_bits),
                Ok(bits as u32),
                "{line}"
            );
        }
        assert_eq!(text, expected, "{line}");
    }
}

#[test]
fn special_floats() {
    for (value, expected) in [
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
        (-f64::INFINITY, "-Infinity"),
    ] {
        let (mut long, mut short) = (String::new(), String::new());
        write_float8(value, &mut long);
        write_float4(value as f32, &mut short);
        assert_eq!((long.as_str(), short.as_str()), (expected, expected));
    }
    let hexadecimal =
        parse_float8("0x1p3").map_err(|error| (error.sqlstate, error.into_data().message));
    assert_eq!(
        hexadecimal,
        Err((
            "0A000",
            "hexadecimal floating-point input is not supported".into()
        ))
    );
}

#[test]
fn arrays_are_postgresqls() {
    for line in include_str!("testdata/array.txt").lines() {
        let (input, expected) = line.split_once('\t').expect("a table line");
        let (input, expected) = (unescape(input), unescape(expected));
        let result = parse_array(&input);
        if let Err(error) = &result
            && error.sqlstate == sqlstate::FEATURE_NOT_SUPPORTED
        {
            assert!(
                input.trim_start().starts_with("{{") || input.contains(" {"),
                "{line}"
            );
            continue;
        }
        let answer = shown(result, |elements, out| {
            out.push('[');
            out.push_str(&elements.iter().map(json).collect::<Vec<_>>().join(","));
            out.push_str("] ");
            write_array(elements.iter().map(|element| element.as_deref()), out);
        });
        assert_eq!(answer, expected, "{line}");
    }
}

fn json(element: &Option<Cow<'_, str>>) -> String {
    match element {
        None => "null".to_string(),
        Some(text) => {
            let escaped = text
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n")
                .replace('\t', "\\t");
            format!("\"{escaped}\"")
        }
    }
}

#[test]
fn array_features_left_out() {
    for input in ["{{1},{2}}", " { {1} }", "[1:2]={1,2}"] {
        assert_eq!(
            parse_array(input).map_err(|error| error.sqlstate),
            Err("0A000"),
            "{input}"
        );
    }
}

#[test]
fn unescaped_elements_are_borrowed() {
    let elements = parse_array("{a, \"b c\",d\\e}").expect("an array");
    let borrowed = |element: &Option<Cow<'_, str>>| matches!(element, Some(Cow::Borrowed(_)));
    assert_eq!(
        elements.iter().map(borrowed).collect::<Vec<_>>(),
        [true, true, false]
    );
}

#[test]
fn lengths_of_varchar() {
    assert_eq!(cast_varchar("abcdef", 3), "abc");
    assert_eq!(cast_varchar("éèà", 2), "éè");
    assert_eq!(cast_varchar("ab", 3), "ab");
    assert_eq!(store_varchar("abc  ", 3), Ok("abc"));
    assert_eq!(store_varchar("éèà", 3), Ok("éèà"));
    let too_long =
        store_varchar("abcd", 3).map_err(|error| (error.sqlstate, error.into_data().message));
    assert_eq!(
        too_long,
        Err((
            "22001",
            "value too long for type character varying(3)".into()
        ))
    );
}

/// Whatever a user types is read or refused; nothing panics, and what is read can be written.
#[test]
fn any_text_is_read_or_refused() {
    const PIECES: [&str; 40] = [
        "0",
        "1",
        "9",
        "12",
        "2024",
        "99999999999999999999",
        "-",
        "+",
        ".",
        "e",
        "E5",
        "e-400",
        ":",
        "/",
        ",",
        " ",
        "\t",
        "\\",
        "\"",
        "{",
        "}",
        "NULL",
        "nan",
        "inf",
        "infinity",
        "t",
        "true",
        "of",
        "jan",
        "bc",
        "am",
        "j",
        "y",
        "z",
        "é",
        "日",
        "\u{1F600}",
        "\u{a0}",
        "x",
        "",
    ];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let mut read = 0;
    for _ in 0..40_000 {
        let text: String = (0..below(9)).map(|_| PIECES[below(PIECES.len())]).collect();
        let mut out = String::new();
        read += u32::from(
            parse_bool(&text)
                .map(|value| write_bool(value, &mut out))
                .is_ok(),
        );
        read += u32::from(
            parse_int2(&text)
                .map(|value| write_int2(value, &mut out))
                .is_ok(),
        );
        read += u32::from(
            parse_int4(&text)
                .map(|value| write_int4(value, &mut out))
                .is_ok(),
        );
        read += u32::from(
            parse_int8(&text)
                .map(|value| write_int8(value, &mut out))
                .is_ok(),
        );
        read += u32::from(
            parse_float4(&text)
                .map(|value| write_float4(value, &mut out))
                .is_ok(),
        );
        read += u32::from(
            parse_float8(&text)
                .map(|value| write_float8(value, &mut out))
                .is_ok(),
        );
        read += u32::from(
            Numeric::parse(&text)
                .map(|value| value.write_to(&mut out))
                .is_ok(),
        );
        read += u32::from(
            datetime::parse_date(&text, Some(0))
                .map(|value| datetime::write_date(value, &mut out))
                .is_ok(),
        );
        read += u32::from(
            datetime::parse_timestamp(&text, None)
                .map(|value| datetime::write_timestamp(value, &mut out))
                .is_ok(),
        );
        if let Ok(elements) = parse_array(&text) {
            let mut literal = String::new();
            write_array(
                elements.iter().map(|element| element.as_deref()),
                &mut literal,
            );
            assert_eq!(parse_array(&literal).as_ref(), Ok(&elements), "{text:?}");
            read += 1;
        }
    }
    assert!(
        read > 1_000,
        "the pieces make too few readable texts: {read}"
    );
}
