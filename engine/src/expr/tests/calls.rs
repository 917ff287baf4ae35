//! Each function, operator and cast with constants, with columns and with mixtures of both.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use super::{text_of, type_named, unescape, value_of, with_context};
use crate::bind::{CastContext, CastMethod, Expr, ExprKind, Notation};
use crate::catalog::{Catalog, FunctionFacts, FunctionRef, Resolution};
use crate::expr::{Params, Program, Stop, StopCause};
use crate::value::{Column, Datum, Rows, Type};

const CALLS: &str = include_str!("testdata/calls.txt");

struct Case {
    args: Vec<Datum>,
    expected: Result<Option<String>, String>,
    line: &'static str,
}

/// The lines of each signature.
fn cases() -> BTreeMap<&'static str, (Vec<Type>, Vec<Case>)> {
    let mut all = BTreeMap::new();
    for line in CALLS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [signature, args @ .., expected] = &fields[..] else {
            panic!("{line}");
        };
        let (types, cases) = all
            .entry(*signature)
            .or_insert_with(|| (argument_types(signature), Vec::new()));
        let args = types
            .iter()
            .zip(args)
            .map(|(&ty, text)| value_of(ty, text))
            .collect();
        let expected = match expected.strip_prefix("ERROR ") {
            Some(error) => Err(error.to_string()),
            None => Ok(unescape(expected)),
        };
        cases.push(Case {
            args,
            expected,
            line,
        });
    }
    all
}

fn argument_types(signature: &str) -> Vec<Type> {
    if let Some((from, _)) = signature.split_once("::") {
        return vec![type_named(from).0];
    }
    let (_, types) = signature.split_once('(').unwrap();
    let types = types.strip_suffix(')').unwrap();
    types
        .split(',')
        .filter(|ty| !ty.is_empty())
        .map(|ty| type_named(ty).0)
        .collect()
}

/// The call of a signature over these arguments; `None` for what the catalog does not know.
fn call(signature: &str, args: Vec<Expr>) -> Option<Expr> {
    if let Some((_, to)) = signature.split_once("::") {
        let arg = args.into_iter().next()?;
        let (ty, typmod) = type_named(to);
        let method = if arg.ty == ty {
            CastMethod::Typmod
        } else if (arg.ty.is_string() || ty.is_string()) && arg.ty != Type::BOOL {
            CastMethod::InOut
        } else {
            CastMethod::Convert
        };
        let context = CastContext::Explicit;
        let kind = ExprKind::Cast {
            arg: Box::new(arg),
            method,
            context,
        };
        return Some(Expr {
            typmod,
            ..Expr::new(kind, ty)
        });
    }
    let (name, _) = signature.split_once('(')?;
    let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
    let catalog = Catalog::new(Vec::new());
    let function = match catalog.resolve_function(name, &types) {
        Resolution::Found(function) => function,
        _ if name == "like_escape" => like_escape(&catalog, &types)?,
        _ => operator_function(&catalog, name, &types)?,
    };
    let result = function.result;
    Some(Expr::new(
        ExprKind::Call {
            function,
            notation: Notation::Function,
            args,
        },
        result,
    ))
}

/// Not of the catalog: the binder writes it for LIKE … ESCAPE.
fn like_escape(catalog: &Catalog, types: &[Type]) -> Option<FunctionRef> {
    let concatenation = operator_function(catalog, "textcat", types)?;
    Some(Rc::new(FunctionFacts {
        name: "like_escape".into(),
        ..(*concatenation).clone()
    }))
}

/// The function of an operator, which is no function of the catalog's by its own name.
fn operator_function(catalog: &Catalog, name: &str, types: &[Type]) -> Option<FunctionRef> {
    const OPERATORS: [&str; 32] = [
        "+", "-", "*", "/", "%", "&", "|", "#", "~", "<<", ">>", "^", "@", "|/", "||/", "||", "=",
        "<>", "<", "<=", ">", ">=", "~<~", "~>=~", "~~", "!~~", "~~*", "!~~*", "&&", "@>", "<@",
        "^@",
    ];
    OPERATORS.iter().find_map(|operator| {
        let found = match types {
            [right] => catalog.resolve_operator(operator, None, *right),
            [left, right] => catalog.resolve_operator(operator, Some(*left), *right),
            _ => return None,
        };
        match found {
            Resolution::Found(found) if &*found.function.name == name => {
                Some(Rc::clone(&found.function))
            }
            _ => None,
        }
    })
}

/// Evaluates with argument `i` as a column where bit `i` of `columns` is set, else as a constant.
fn evaluate(
    signature: &str,
    types: &[Type],
    args: &[Datum],
    columns: usize,
) -> Option<Result<Option<String>, String>> {
    let exprs = types.iter().zip(args).enumerate().map(|(i, (&ty, value))| {
        if columns >> i & 1 == 1 {
            Expr::slot(i, ty)
        } else {
            Expr::constant(value.clone(), ty)
        }
    });
    let expr = call(signature, exprs.collect())?;
    let input: Vec<Column> = types
        .iter()
        .zip(args)
        .map(|(&ty, value)| Column::constant(ty, value, 3))
        .collect();
    let mut program = match Program::compile(&expr) {
        Ok(program) => program,
        Err(error) => return Some(Err(format!("{} {}", error.sqlstate, error.message))),
    };
    let params = Params::default();
    Some(with_context(&params, |cx| {
        let (column, stop) = program.eval(cx, &input, Rows::Picked(&[1]));
        match stop.map(Stop::of_single_row) {
            Some(StopCause::Error(error)) => Err(format!("{} {}", error.sqlstate, error.message)),
            Some(StopCause::Produce(_)) => panic!("no parameters"),
            None => Ok(text_of(&column.get(1))),
        }
    }))
}

#[test]
fn functions_operators_and_casts_answer_as_postgresql() {
    let mut wrong = String::new();
    let mut failures = 0;
    for (signature, (types, cases)) in cases() {
        for case in &cases {
            for columns in 0..1 << types.len().min(3) {
                let answer = evaluate(signature, &types, &case.args, columns);
                if answer.as_ref() != Some(&case.expected) {
                    failures += 1;
                    let _ = writeln!(wrong, "{} (columns {columns:b}): {answer:?}", case.line);
                    break;
                }
            }
        }
    }
    assert!(failures == 0, "{failures} wrong answers:\n{wrong}");
}

/// All the good cases of a signature in one batch, dense and picked, then with a bad one among them.
#[test]
fn batches_answer_as_single_rows() {
    for (signature, (types, cases)) in cases() {
        let good: Vec<&Case> = cases.iter().filter(|case| case.expected.is_ok()).collect();
        let bad = cases.iter().find(|case| case.expected.is_err());
        let mut input: Vec<Column> = types.iter().map(|&ty| Column::new(ty)).collect();
        for case in &good {
            for (column, value) in input.iter_mut().zip(&case.args) {
                column.push(value);
            }
        }
        let slots = types
            .iter()
            .enumerate()
            .map(|(i, &ty)| Expr::slot(i, ty))
            .collect();
        let Some(expr) = call(signature, slots) else {
            panic!("{signature} is not in the catalog");
        };
        let Ok(mut program) = Program::compile(&expr) else {
            continue;
        };
        let params = Params::default();
        let odd: Vec<u32> = (0..good.len() as u32).filter(|row| row % 2 == 1).collect();
        for rows in [
            Rows::Range(0, good.len()),
            Rows::Picked(&odd),
            Rows::Range(good.len() / 2, good.len()),
        ] {
            with_context(&params, |cx| {
                let (column, stop) = program.eval(cx, &input, rows);
                assert_eq!(stop, None, "{signature}");
                for row in rows.iter() {
                    let expected = good[row].expected.clone();
                    assert_eq!(
                        Ok(text_of(&column.get(row))),
                        expected,
                        "{}",
                        good[row].line
                    );
                }
            });
        }
        let Some(bad) = bad else {
            continue;
        };
        for (column, value) in input.iter_mut().zip(&bad.args) {
            column.push(value);
            column.push(value);
        }
        with_context(&params, |cx| {
            let (column, stop) = program.eval(cx, &input, Rows::Range(0, good.len() + 2));
            let stop = stop.unwrap_or_else(|| panic!("{} did not fail", bad.line));
            assert_eq!(stop.row, good.len(), "{}", bad.line);
            for (row, case) in good.iter().enumerate() {
                assert_eq!(
                    Ok(text_of(&column.get(row))),
                    case.expected,
                    "{}",
                    case.line
                );
            }
        });
    }
}
