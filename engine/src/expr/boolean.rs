//! AND, OR, NOT and the tests of NULL and of truth.

use super::EvalCx;
use super::node::{Env, Evaluated, Halt, Node, Operand, before};
use super::operand::{Native, each_row, grow, map};
use crate::value::select::{Gathered, remaining};
use crate::value::{BooleanTest, Column, Datum, Rows, Type};

/// AND or OR over two or more operands. The next operand is evaluated only for the rows that the
/// ones before left undecided; NULL decides nothing (`ExecEvalBoolAndStep`).
pub(super) struct Connective {
    pub operands: Vec<Node>,
    out: Column,
    undecided: Vec<u32>,
    still: Vec<u32>,
    passed: Vec<u32>,
    gathered: Gathered,
}

impl Connective {
    pub fn new(operands: Vec<Node>) -> Self {
        Connective {
            operands,
            out: Column::new(Type::BOOL),
            undecided: Vec::new(),
            still: Vec::new(),
            passed: Vec::new(),
            gathered: Gathered::default(),
        }
    }

    /// Of an OR, appends the rows where it is true: no operand's result is written out.
    pub fn filter_any(
        &mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'_>,
        rows: Rows<'_>,
        out: &mut Vec<u32>,
    ) -> Halt {
        let Connective {
            operands,
            undecided,
            still,
            passed,
            gathered,
            ..
        } = self;
        gathered.clear();
        let mut halt: Halt = None;
        for (i, operand) in operands.iter_mut().enumerate() {
            let asked = if i == 0 {
                rows
            } else {
                Rows::Picked(undecided)
            };
            if asked.is_empty() {
                break;
            }
            passed.clear();
            let earlier = operand.filter(cx, env, asked, passed);
            gathered.add(passed);
            remaining(before(asked, &earlier), passed, still);
            if earlier.is_some() {
                halt = earlier;
            }
            std::mem::swap(undecided, still);
        }
        gathered.append_to(out, halt.as_ref().map_or(usize::MAX, |stop| stop.row));
        halt
    }

    /// `decisive`: the truth value that settles a row, true for OR, false for AND.
    pub fn eval<'a>(
        &'a mut self,
        decisive: bool,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let Connective {
            operands,
            out,
            undecided,
            still,
            ..
        } = self;
        out.nulls.clear();
        let truths = bool::vector(&mut out.data);
        grow(truths, rows.end());
        each_row(rows, |row| truths[row] = !decisive);
        let mut halt = None;
        for (i, operand) in operands.iter_mut().enumerate() {
            let asked = if i == 0 {
                rows
            } else {
                before(Rows::Picked(undecided), &halt)
            };
            if asked.is_empty() {
                break;
            }
            let (value, earlier) = operand.eval(cx, env, asked);
            still.clear();
            each_row(before(asked, &earlier), |row| match value.truth(row) {
                Some(truth) if truth == decisive => {
                    truths[row] = decisive;
                    out.nulls.unset(row);
                }
                Some(_) => still.push(row as u32),
                None => {
                    out.nulls.set(row);
                    still.push(row as u32);
                }
            });
            if earlier.is_some() {
                halt = earlier;
            }
            std::mem::swap(undecided, still);
        }
        (Operand::Column(out), halt)
    }
}

pub(super) struct Negation {
    arg: Node,
    out: Column,
}

impl Negation {
    pub fn new(arg: Node) -> Self {
        Negation {
            arg,
            out: Column::new(Type::BOOL),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let (value, halt) = self.arg.eval(cx, env, rows);
        let value = match value {
            Operand::Scalar(Datum::Bool(true)) => Operand::Scalar(&Datum::Bool(false)),
            Operand::Scalar(Datum::Bool(false)) => Operand::Scalar(&Datum::Bool(true)),
            Operand::Scalar(_) => Operand::NULL,
            Operand::Column(column) => {
                let rows = before(rows, &halt);
                map(
                    rows,
                    bool::slice(&column.data),
                    bool::vector(&mut self.out.data),
                    |truth: bool| !truth,
                );
                self.out.nulls.copy_from(&column.nulls);
                Operand::Column(&self.out)
            }
        };
        (value, halt)
    }
}

/// `arg IS [NOT] NULL`
pub(super) struct NullTestNode {
    arg: Node,
    negated: bool,
    out: Column,
}

impl NullTestNode {
    pub fn new(arg: Node, negated: bool) -> Self {
        NullTestNode {
            arg,
            negated,
            out: Column::new(Type::BOOL),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let (value, halt) = self.arg.eval(cx, env, rows);
        let negated = self.negated;
        let value = match value {
            Operand::Scalar(value) => constant(value.is_null() != negated),
            Operand::Column(column) if !column.nulls.any() => constant(negated),
            Operand::Column(column) => {
                let out = bool::vector(&mut self.out.data);
                grow(out, rows.end());
                each_row(rows, |row| out[row] = column.nulls.get(row) != negated);
                Operand::Column(&self.out)
            }
        };
        (value, halt)
    }
}

fn constant(truth: bool) -> Operand<'static> {
    Operand::Scalar(if truth {
        &Datum::Bool(true)
    } else {
        &Datum::Bool(false)
    })
}

/// `arg IS [NOT] TRUE`, `FALSE`, `UNKNOWN`
pub(super) struct BooleanTestNode {
    arg: Node,
    test: BooleanTest,
    out: Column,
}

impl BooleanTestNode {
    pub fn new(arg: Node, test: BooleanTest) -> Self {
        BooleanTestNode {
            arg,
            test,
            out: Column::new(Type::BOOL),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let (value, halt) = self.arg.eval(cx, env, rows);
        let test = self.test;
        let value = match value {
            Operand::Scalar(value) => constant(test.of(value.as_bool())),
            column => {
                let out = bool::vector(&mut self.out.data);
                grow(out, rows.end());
                each_row(before(rows, &halt), |row| {
                    out[row] = test.of(column.truth(row))
                });
                Operand::Column(&self.out)
            }
        };
        (value, halt)
    }
}
