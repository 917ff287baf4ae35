//! What an expression takes from its context: parameters, the random sequence, settings, the time.

use std::rc::Rc;

use super::{text_of, with_context};
use crate::bind::{Expr, ExprKind, Notation};
use crate::catalog::{Catalog, FunctionRef};
use crate::expr::{Params, Program, Random, Stop, StopCause};
use crate::value::{Column, Datum, Rows, Type};

fn function(name: &str, types: &[Type]) -> FunctionRef {
    Catalog::new(Vec::new())
        .resolve_function(name, types)
        .found()
        .unwrap()
}

fn operator(name: &str, left: Expr, right: Expr) -> Expr {
    let catalog = Catalog::new(Vec::new());
    let operator = catalog
        .resolve_operator(name, Some(left.ty), right.ty)
        .found()
        .unwrap();
    call(Rc::clone(&operator.function), vec![left, right])
}

fn call(function: FunctionRef, args: Vec<Expr>) -> Expr {
    let ty = function.result;
    Expr::new(
        ExprKind::Call {
            function,
            notation: Notation::Function,
            args,
        },
        ty,
    )
}

fn random() -> Expr {
    call(function("random", &[]), Vec::new())
}

fn integers(values: &[i32]) -> Vec<Column> {
    let mut column = Column::new(Type::INT4);
    values
        .iter()
        .for_each(|&value| column.push(&Datum::Int4(value)));
    vec![column]
}

#[test]
fn a_seed_gives_postgresqls_sequence() {
    let seed = Expr::constant(Datum::Float8(0.5), Type::FLOAT8);
    let mut setseed =
        Program::compile(&call(function("setseed", &[Type::FLOAT8]), vec![seed])).unwrap();
    let mut random = Program::compile(&random()).unwrap();
    assert!(setseed.is_volatile() && random.is_volatile());
    let params = Params::default();
    with_context(&params, |cx| {
        setseed.eval_scalar(cx).unwrap();
        let (column, stop) = random.eval(cx, &[], Rows::Range(0, 2));
        assert_eq!(stop, None);
        // select setseed(0.5); select random() from generate_series(1, 2)
        let texts: Vec<_> = (0..2)
            .map(|row| text_of(&column.get(row)).unwrap())
            .collect();
        assert_eq!(texts, ["0.9851677175347999", "0.825301858027981"]);
    });
}

#[test]
fn volatile_expressions_go_no_further_than_the_row_that_fails() {
    let input = integers(&[1, 1, 0, 1, 1]);
    let one = Expr::constant(Datum::Int4(1), Type::INT4);
    let zero = Expr::constant(Datum::Float8(-1.0), Type::FLOAT8);
    let positive = operator(">", random(), zero);
    let quotient = operator("/", one.clone(), Expr::slot(0, Type::INT4));
    let divides = operator("=", quotient, one);
    let both = Expr::new(ExprKind::And(vec![positive, divides]), Type::BOOL);
    let mut program = Program::compile(&both).unwrap();
    let params = Params::default();
    // The context starts from the same seed.
    let mut expected = Random::from_seed(1);
    with_context(&params, |cx| {
        let mut kept = Vec::new();
        let stop = program
            .filter(cx, &input, Rows::Range(0, 5), &mut kept)
            .unwrap();
        assert_eq!((stop.row, &kept[..]), (2, &[0, 1][..]));
        assert!(matches!(&stop.cause, Some(StopCause::Error(error)) if error.sqlstate == "22012"));
        let drawn: Vec<f64> = (0..4).map(|_| expected.fraction()).collect();
        assert_eq!(cx.random.fraction(), drawn[3]);
    });
}

#[test]
fn a_parameter_is_asked_for_where_it_is_first_needed() {
    // slot > 1 AND slot = $0: the first rows do not need the parameter.
    let slot = || Expr::slot(0, Type::INT4);
    let large = operator(">", slot(), Expr::constant(Datum::Int4(1), Type::INT4));
    let equal = operator("=", slot(), Expr::new(ExprKind::Param(0), Type::INT4));
    let both = Expr::new(ExprKind::And(vec![large, equal]), Type::BOOL);
    let mut program = Program::compile(&both).unwrap();
    assert_eq!(program.params(), [0]);
    let input = integers(&[1, 1, 2, 3, 2]);
    let mut params = Params::with_count(1);
    let mut kept = Vec::new();
    with_context(&params, |cx| {
        let stop = program.filter(cx, &input, Rows::Range(0, 5), &mut kept);
        assert_eq!(
            stop,
            Some(Stop {
                row: 2,
                cause: Some(StopCause::Produce(0))
            })
        );
        assert_eq!(cx.counters.qual_evaluations, 2);
    });
    params.set(0, Datum::Int4(2));
    with_context(&params, |cx| {
        assert_eq!(
            program.filter(cx, &input, Rows::Range(2, 5), &mut kept),
            None
        );
        assert_eq!(cx.counters.qual_evaluations, 6);
    });
    assert_eq!(kept, [2, 4]);
    params.clear(0);
    let mut scalar = Program::compile(&Expr::new(ExprKind::Param(0), Type::INT4)).unwrap();
    with_context(&params, |cx| {
        assert_eq!(scalar.eval_scalar(cx).unwrap_err(), StopCause::Produce(0));
    });
}

#[test]
fn constants_and_parameters_fill_columns() {
    let mut constant = Program::compile(&Expr::constant(Datum::text("x"), Type::TEXT)).unwrap();
    let mut param = Program::compile(&Expr::new(ExprKind::Param(3), Type::INT4)).unwrap();
    let mut params = Params::default();
    params.set(3, Datum::Int4(8));
    with_context(&params, |cx| {
        for rows in [Rows::Range(0, 3), Rows::Range(5, 9), Rows::Picked(&[2, 7])] {
            let (column, _) = constant.eval(cx, &[], rows);
            assert!(rows.iter().all(|row| column.get(row).as_str() == Some("x")));
            let (column, _) = param.eval(cx, &[], rows);
            assert!(rows.iter().all(|row| column.get(row).as_i64() == Some(8)));
        }
        let mut packed = Column::new(Type::INT4);
        assert_eq!(
            param.append(cx, &[], Rows::Picked(&[2, 7]), &mut packed),
            None
        );
        assert_eq!(packed.len(), 2);
    });
}

#[test]
fn settings_come_from_the_session() {
    let name = |name: &str| Expr::constant(Datum::text(name), Type::TEXT);
    let setting = |name| call(function("current_setting", &[Type::TEXT]), vec![name]);
    let params = Params::default();
    let mut known = Program::compile(&setting(name("a.b"))).unwrap();
    let mut unknown = Program::compile(&setting(name("no.such"))).unwrap();
    with_context(&params, |cx| {
        assert_eq!(known.eval_scalar(cx).unwrap().as_str(), Some("value"));
        let StopCause::Error(error) = unknown.eval_scalar(cx).unwrap_err() else {
            panic!("not an error");
        };
        assert_eq!(
            error.message,
            "unrecognized configuration parameter \"no.such\""
        );
    });
}

#[test]
fn what_is_not_there_is_named_with_its_position() {
    let position = Some(crate::error::Position { line: 2, column: 7 });
    let text = || Expr::slot(0, Type::TEXT);
    let expr = call(
        function("to_number", &[Type::TEXT, Type::TEXT]),
        vec![text(), text()],
    );
    let error = Program::compile(&expr.at(position)).err().unwrap();
    assert_eq!((error.sqlstate, error.position), ("0A000", position));
    assert_eq!(
        error.message,
        "function to_number(text, text) is not supported"
    );
}
