//! Random expressions over random batches: value, NULL, first failing row and the work counted are
//! those of the naive evaluator, row by row, however the rows are picked.

use super::naive::{self, Scope};
use super::random::{Dice, Generator, INPUT};
use super::text_of;
use crate::bind::{Expr, ExprKind};
use crate::expr::{EvalCounters, EvalCx, Params, Program, Random, Stop, StopCause};
use crate::memory::Memory;
use crate::value::{Column, Datum, Rows, Type};
use crate::work::Work;

const ROWS: usize = 40;

fn batch(generator: &mut Generator<'_>) -> Vec<Column> {
    INPUT
        .iter()
        .map(|&ty| {
            let mut column = Column::new(ty);
            for _ in 0..ROWS {
                let value = generator.value(ty);
                column.push(&value);
            }
            column
        })
        .collect()
}

fn scope<'a>(input: &[Column], row: usize, params: &'a Params) -> Scope<'a> {
    Scope {
        row: input.iter().map(|column| column.get(row)).collect(),
        params,
        arguments: Vec::new(),
        case_value: Datum::Null,
    }
}

/// Some rows of the batch: all, a part, or a selection.
fn picked(dice: &mut Dice) -> Vec<u32> {
    let from = dice.roll(ROWS) as u32;
    match dice.roll(3) {
        0 => (0..ROWS as u32).collect(),
        1 => (from..ROWS as u32).collect(),
        _ => (0..ROWS as u32).filter(|_| dice.roll(3) == 0).collect(),
    }
}

fn as_rows(rows: &[u32]) -> Rows<'_> {
    match (rows.first(), rows.last()) {
        (Some(&first), Some(&last)) if (last - first) as usize + 1 == rows.len() => {
            Rows::Range(first as usize, last as usize + 1)
        }
        _ => Rows::Picked(rows),
    }
}

fn stopped(row: usize, cause: StopCause) -> Stop {
    Stop {
        row,
        cause: Some(cause),
    }
}

/// The rows still to be evaluated after a pause, which must have got at least one row further.
fn after_pause<'a>(stop: &Option<Stop>, rows: &'a [u32]) -> Option<&'a [u32]> {
    let stop = stop.as_ref().filter(|stop| stop.cause.is_none())?;
    let done = rows.partition_point(|&row| (row as usize) < stop.row);
    assert!(done > 0 && done < rows.len(), "{stop:?} of {rows:?}");
    Some(&rows[done..])
}

fn check_values_before(
    expr: &Expr,
    column: &Column,
    input: &[Column],
    rows: &[u32],
    params: &Params,
) {
    for &row in rows {
        let row = row as usize;
        let value = naive::eval(expr, &scope(input, row, params)).expect("a row before the stop");
        assert_eq!(text_of(&column.get(row)), text_of(&value), "row {row}");
    }
}

fn check_values(
    expr: &Expr,
    program: &mut Program,
    cx: &mut EvalCx<'_>,
    input: &[Column],
    rows: &[u32],
) {
    let params = cx.params;
    let (column, stop) = program.eval(cx, input, as_rows(rows));
    if let Some(rest) = after_pause(&stop, rows) {
        check_values_before(
            expr,
            column,
            input,
            &rows[..rows.len() - rest.len()],
            params,
        );
        return check_values(expr, program, cx, input, rest);
    }
    for &row in rows {
        let row = row as usize;
        match naive::eval(expr, &scope(input, row, params)) {
            Ok(value) => {
                assert!(
                    stop.as_ref().is_none_or(|stop| row < stop.row),
                    "{stop:?} at {row}"
                );
                assert_eq!(text_of(&column.get(row)), text_of(&value), "row {row}");
            }
            Err(cause) => {
                assert_eq!(stop, Some(stopped(row, cause)));
                return;
            }
        }
    }
    assert_eq!(stop, None);
}

/// What a list of quals does with one row: kept or not, and how many were evaluated.
fn naive_filter(expr: &Expr, scope: &Scope<'_>, count: &mut u64) -> Result<bool, StopCause> {
    if let ExprKind::And(conjuncts) = &expr.kind {
        for conjunct in conjuncts {
            if !naive_filter(conjunct, scope, count)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    *count += 1;
    Ok(naive::eval(expr, scope)?.as_bool() == Some(true))
}

fn check_filter(
    expr: &Expr,
    program: &mut Program,
    cx: &mut EvalCx<'_>,
    input: &[Column],
    rows: &[u32],
) {
    let params = cx.params;
    let before = cx.counters.qual_evaluations;
    let mut kept = vec![7];
    let mut stop = program.filter(cx, input, as_rows(rows), &mut kept);
    let mut rest = rows;
    while let Some(after) = after_pause(&stop, rest) {
        rest = after;
        stop = program.filter(cx, input, as_rows(rest), &mut kept);
    }
    let mut expected = vec![7];
    let mut expected_stop = None;
    let mut evaluations = 0;
    for &row in rows {
        let mut count = 0;
        match naive_filter(expr, &scope(input, row as usize, params), &mut count) {
            Ok(true) => expected.push(row),
            Ok(false) => {}
            Err(cause) => {
                expected_stop = Some(stopped(row as usize, cause));
                break;
            }
        }
        evaluations += count;
    }
    assert_eq!((kept, stop), (expected, expected_stop));
    assert_eq!(cx.counters.qual_evaluations - before, evaluations);
}

#[test]
fn programs_answer_as_row_by_row_evaluation() {
    let memory = Memory::with_limit(1 << 30);
    for seed in 0..3_000 {
        let mut dice = Dice::new(seed);
        let mut generator = Generator::new(&mut dice);
        let ty = generator
            .dice
            .pick(&[Type::BOOL, Type::BOOL, Type::INT4, Type::TEXT, Type::INT8]);
        let expr = generator.expr(ty, 4);
        let mut program = Program::compile(&expr).unwrap_or_else(|e| panic!("{seed}: {e}"));
        assert!(program.cost() > 0 && !program.is_volatile());
        for _ in 0..3 {
            let input = batch(&mut generator);
            let mut params = Params::default();
            for (id, &ty) in INPUT.iter().enumerate() {
                if generator.dice.roll(5) > 0 {
                    params.set(id, generator.value(ty));
                }
            }
            let rows = picked(generator.dice);
            let (mut counters, mut random) = (EvalCounters::default(), Random::from_seed(seed));
            // The least allowance pauses after each row that has a text.
            let allowance = generator.dice.pick(&[1, 4, Work::DEFAULT_ALLOWANCE]);
            let mut work = Work::new(allowance);
            let mut cx = EvalCx {
                params: &params,
                counters: &mut counters,
                now: 0,
                random: &mut random,
                setting: &|_| None,
                work: &mut work,
                memory: &memory,
            };
            let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                check_values(&expr, &mut program, &mut cx, &input, &rows);
                if ty == Type::BOOL {
                    check_filter(&expr, &mut program, &mut cx, &input, &rows);
                }
            }));
            assert!(run.is_ok(), "seed {seed}: {expr:?}");
        }
    }
}
