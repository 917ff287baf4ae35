//! Aggregates against PostgreSQL's answers, one group at a time and many interleaved.

use std::collections::BTreeMap;

use super::{text_of, type_named, unescape, value_of};
use crate::catalog::{Catalog, FunctionRef};
use crate::expr::{Accumulator, Groups, StopCause};
use crate::value::{Column, Datum, Rows, Type};

const AGGREGATES: &str = include_str!("testdata/aggregates.txt");

struct Signature {
    function: FunctionRef,
    distinct: bool,
    ty: Type,
}

struct Case {
    values: Vec<Datum>,
    expected: Result<Option<String>, String>,
    line: &'static str,
}

fn signature(text: &str) -> Signature {
    let (name, arg) = text.strip_suffix(')').unwrap().split_once('(').unwrap();
    let (distinct, arg) = match arg.strip_prefix("distinct ") {
        Some(arg) => (true, arg),
        None => (false, arg),
    };
    let ty = type_named(arg).0;
    let types = if name == "string_agg" {
        vec![ty, Type::TEXT]
    } else {
        vec![ty]
    };
    let function = Catalog::new(Vec::new())
        .resolve_function(name, &types)
        .found()
        .unwrap();
    Signature {
        function,
        distinct,
        ty,
    }
}

fn cases() -> BTreeMap<&'static str, Vec<Case>> {
    let mut all: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for line in AGGREGATES.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, values @ .., expected] = &fields[..] else {
            panic!("{line}");
        };
        let ty = signature(name).ty;
        let values = values.iter().map(|text| value_of(ty, text)).collect();
        let expected = match expected.strip_prefix("ERROR ") {
            Some(error) => Err(error.to_string()),
            None => Ok(unescape(expected)),
        };
        all.entry(name).or_default().push(Case {
            values,
            expected,
            line,
        });
    }
    all
}

/// Columns of these values, with a junk value before each and the delimiter beside it.
fn input(ty: Type, values: &[Datum]) -> (Vec<Column>, Vec<u32>) {
    let mut column = Column::new(ty);
    for value in values {
        column.pad_to(column.len() + 1);
        column.push(value);
    }
    let delimiter = Column::constant(Type::TEXT, &Datum::text(","), column.len());
    let rows = (0..values.len() as u32).map(|row| row * 2 + 1).collect();
    (vec![column, delimiter], rows)
}

fn run(
    accumulator: &mut Accumulator,
    arity: usize,
    groups: Groups<'_>,
    ty: Type,
    values: &[Datum],
) -> Result<(), String> {
    let (columns, rows) = input(ty, values);
    let args: Vec<&Column> = columns.iter().take(arity).collect();
    accumulator
        .update(groups, &args, Rows::Picked(&rows))
        .map_err(|stop| match stop.of_single_row() {
            StopCause::Error(error) => format!("{} {}", error.sqlstate, error.message),
            StopCause::Produce(_) => "no parameters".to_string(),
        })
}

#[test]
fn aggregates_answer_as_postgresql() {
    let mut wrong = Vec::new();
    for (name, cases) in cases() {
        let Signature {
            function,
            distinct,
            ty,
        } = signature(name);
        let mut accumulator = Accumulator::new(&function, distinct).unwrap();
        for case in cases {
            accumulator.reset();
            accumulator.grow(1);
            let arity = function.args.len();
            let mut answer = run(&mut accumulator, arity, Groups::One(0), ty, &case.values);
            let mut out = Column::new(function.result);
            if answer.is_ok() {
                answer = accumulator
                    .finish(0..1, &mut out)
                    .map_err(|error| format!("{} {}", error.sqlstate, error.message));
            }
            let answer = answer.map(|()| text_of(&out.get(0)));
            if answer != case.expected {
                wrong.push(format!("{}: {answer:?}", case.line));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong answers:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn many_groups_do_not_disturb_each_other() {
    for (name, cases) in cases() {
        let Signature {
            function,
            distinct,
            ty,
        } = signature(name);
        let cases: Vec<Case> = cases
            .into_iter()
            .filter(|case| case.expected.is_ok())
            .collect();
        // The first values of all groups, then the second ones, and so on.
        let longest = cases.iter().map(|case| case.values.len()).max().unwrap();
        let mut values = Vec::new();
        let mut groups = Vec::new();
        for at in 0..longest {
            for (group, case) in cases.iter().enumerate() {
                if let Some(value) = case.values.get(at) {
                    values.push(value.clone());
                    groups.push(group as u32);
                }
            }
        }
        for batch in [1, 3, 64] {
            let mut accumulator = Accumulator::new(&function, distinct).unwrap();
            accumulator.grow(cases.len());
            for (values, groups) in values.chunks(batch).zip(groups.chunks(batch)) {
                let arity = function.args.len();
                run(&mut accumulator, arity, Groups::Each(groups), ty, values).unwrap();
            }
            let mut out = Column::new(function.result);
            accumulator.finish(0..1, &mut out).unwrap();
            accumulator.finish(1..cases.len(), &mut out).unwrap();
            assert!(accumulator.accounted_bytes() > 0);
            for (group, case) in cases.iter().enumerate() {
                assert_eq!(Ok(text_of(&out.get(group))), case.expected, "{}", case.line);
            }
        }
    }
}

#[test]
fn count_of_rows_counts_nulls() {
    let catalog = Catalog::new(Vec::new());
    let function = catalog.resolve_function("count", &[]).found().unwrap();
    let mut accumulator = Accumulator::new(&function, false).unwrap();
    accumulator.grow(2);
    accumulator
        .update(Groups::One(1), &[], Rows::Range(0, 7))
        .unwrap();
    accumulator
        .update(Groups::Each(&[0, 1]), &[], Rows::Picked(&[3, 9]))
        .unwrap();
    let mut out = Column::new(Type::INT8);
    accumulator.finish(0..2, &mut out).unwrap();
    assert_eq!(
        (out.get(0).as_i64(), out.get(1).as_i64()),
        (Some(1), Some(8))
    );
}
