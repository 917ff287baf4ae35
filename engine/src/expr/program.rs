//! A compiled expression and its three uses: values, selection, one value.

use super::compile::Compiler;
use super::node::{Env, Halt, Node, Operand, before};
use super::{EvalCx, Stop, StopCause};
use crate::bind::{Expr, ParamId};
use crate::error::Result;
use crate::value::{Column, Datum, Rows, Type};

/// A compiled expression: registers of column vectors, no allocation per row, nor per batch once
/// the registers have grown to its size.
///
/// The answers are those of evaluation row by row, left to right: an operand of AND, OR, CASE or
/// COALESCE is evaluated only for the rows that need it, and of all failing rows the first one's
/// error is reported, after the rows before it. Volatile expressions are evaluated row by row.
pub struct Program {
    root: Node,
    ty: Type,
    cost: u32,
    volatile: bool,
    params: Vec<ParamId>,
    /// Holds the value of a scalar root, and what a volatile program gave row by row.
    written: Column,
    between: Selections,
}

impl Program {
    /// Errors: 0A000 for a function that has no implementation here, with its position.
    pub fn compile(expr: &Expr) -> Result<Program> {
        let mut compiler = Compiler::default();
        let root = compiler.compile(expr)?;
        Ok(Program {
            root,
            ty: expr.ty,
            cost: compiler.cost.max(1),
            volatile: compiler.volatile,
            params: compiler.params,
            written: Column::new(expr.ty),
            between: Selections::default(),
        })
    }

    pub fn ty(&self) -> Type {
        self.ty
    }

    /// Work units a row; an integer comparison is 1.
    pub fn cost(&self) -> u32 {
        self.cost
    }

    pub fn is_volatile(&self) -> bool {
        self.volatile
    }

    /// The parameters it reads, ascending.
    pub fn params(&self) -> &[ParamId] {
        &self.params
    }

    /// Values for `rows` of the input columns, at the same physical positions. Positions outside
    /// of `rows`, and from the stop on, are unspecified.
    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        input: &'a [Column],
        rows: Rows<'_>,
    ) -> (&'a Column, Option<Stop>) {
        let env = Env {
            input,
            arguments: &[],
            case_value: Operand::NULL,
        };
        if self.volatile {
            return self.eval_by_row(cx, env, rows);
        }
        // A constant's column is written once.
        if let Node::Const(value) = &self.root {
            if self.written.len() < rows.end() {
                fill(&mut self.written, value, 0, rows.end());
            }
            return (&self.written, None);
        }
        let (value, halt) = self.root.eval(cx, env, rows);
        let stop = halt.map(|stop| *stop);
        match value {
            Operand::Column(column) => (column, stop),
            Operand::Scalar(value) => {
                let from = if rows.is_empty() {
                    rows.end()
                } else {
                    rows.at(0)
                };
                fill(&mut self.written, value, from, rows.end());
                (&self.written, stop)
            }
        }
    }

    fn eval_by_row<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> (&'a Column, Option<Stop>) {
        self.written.clear();
        for row in rows.iter() {
            let (value, halt) = self.root.eval(cx, env, Rows::Range(row, row + 1));
            if let Some(stop) = halt {
                return (&self.written, Some(*stop));
            }
            self.written.pad_to(row);
            value.push_to(&mut self.written, row);
        }
        (&self.written, None)
    }

    /// Appends the values of `rows`, packed, to `out`, a column of this type: a projection.
    pub fn append(
        &mut self,
        cx: &mut EvalCx<'_>,
        input: &[Column],
        rows: Rows<'_>,
        out: &mut Column,
    ) -> Option<Stop> {
        let (column, stop) = self.eval(cx, input, rows);
        let rows = match &stop {
            None => rows,
            Some(stop) => rows.below(stop.row),
        };
        match rows {
            Rows::Range(from, to) => out.extend_range(column, from, to),
            Rows::Picked(rows) => out.gather(column, rows),
        }
        stop
    }

    /// Appends to `out` the physical rows (ascending) for which the boolean expression is true.
    ///
    /// Top-level AND is PostgreSQL's list of quals (`ExecQual`): a row leaves at the first conjunct
    /// that is not true, NULL included.
    pub fn filter(
        &mut self,
        cx: &mut EvalCx<'_>,
        input: &[Column],
        rows: Rows<'_>,
        out: &mut Vec<u32>,
    ) -> Option<Stop> {
        if rows.len() == 1
            && let Node::Compare(node) = &self.root
            && let Some(truth) = node.test_one(input, rows.at(0))
        {
            cx.counters.qual_evaluations += 1;
            if truth {
                out.push(rows.at(0) as u32);
            }
            return None;
        }
        let env = Env {
            input,
            arguments: &[],
            case_value: Operand::NULL,
        };
        let mut evaluations = 0;
        let halt = if self.volatile {
            let mut halt = None;
            for row in rows.iter() {
                halt = self.filter_rows(cx, env, Rows::Range(row, row + 1), out, &mut evaluations);
                if halt.is_some() {
                    break;
                }
            }
            halt
        } else {
            self.filter_rows(cx, env, rows, out, &mut evaluations)
        };
        cx.counters.qual_evaluations += evaluations;
        halt.map(|stop| *stop)
    }

    fn filter_rows(
        &mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'_>,
        rows: Rows<'_>,
        out: &mut Vec<u32>,
        evaluations: &mut u64,
    ) -> Halt {
        let kept = out.len();
        let (mut rows, mut stop) = (rows, None);
        // After a stop the rows before it are filtered again: only then are the counts those of
        // evaluation row by row. It happens once in a statement, or once an InitPlan.
        loop {
            let (count, halt) = match &mut self.root {
                Node::And(and) => {
                    filter_all(&mut and.operands, cx, env, rows, out, &mut self.between)
                }
                root => (rows.len() as u64, root.filter(cx, env, rows, out)),
            };
            if halt.is_none() {
                *evaluations += count;
                return stop;
            }
            out.truncate(kept);
            rows = before(rows, &halt);
            stop = halt;
        }
    }

    /// One value, without input columns (LIMIT, key values, defaults).
    pub fn eval_scalar(&mut self, cx: &mut EvalCx<'_>) -> Result<Datum, StopCause> {
        let env = Env {
            input: &[],
            arguments: &[],
            case_value: Operand::NULL,
        };
        let (value, halt) = self.root.eval(cx, env, Rows::Range(0, 1));
        match halt {
            None => Ok(value.datum(0)),
            Some(stop) => Err(stop.cause),
        }
    }
}

/// Narrows `rows` conjunct by conjunct. Also answers how many evaluations that took.
fn filter_all(
    conjuncts: &mut [Node],
    cx: &mut EvalCx<'_>,
    env: Env<'_>,
    rows: Rows<'_>,
    out: &mut Vec<u32>,
    between: &mut Selections,
) -> (u64, Halt) {
    let Selections { passed, tested } = between;
    let last = conjuncts.len() - 1;
    let mut count = 0;
    for (i, conjunct) in conjuncts.iter_mut().enumerate() {
        let asked = if i == 0 { rows } else { Rows::Picked(tested) };
        count += asked.len() as u64;
        if i == last {
            return (count, conjunct.filter(cx, env, asked, out));
        }
        passed.clear();
        let halt = conjunct.filter(cx, env, asked, passed);
        if halt.is_some() {
            return (count, halt);
        }
        std::mem::swap(passed, tested);
    }
    (count, None)
}

/// The selections between the conjuncts of a filter.
#[derive(Default)]
struct Selections {
    passed: Vec<u32>,
    tested: Vec<u32>,
}

/// Makes `column` hold `value` in the rows `from..to`.
fn fill(column: &mut Column, value: &Datum, from: usize, to: usize) {
    column.clear();
    column.pad_to(from);
    for _ in from..to {
        column.push(value);
    }
}
