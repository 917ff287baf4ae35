//! A compiled expression and its three uses: values, selection, one value.

use super::compile::Compiler;
use super::meter::Meter;
use super::node::{Env, Halt, Node, Operand, before};
use super::{EvalCounters, EvalCx, Stop, StopCause};
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
    /// Selections between the conjuncts of a filter.
    between: Vec<Vec<u32>>,
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
            between: Vec::new(),
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

    /// The input column that is the program's value, if it is one.
    #[inline]
    pub fn slot(&self) -> Option<usize> {
        match self.root {
            Node::Slot(index) => Some(index),
            _ => None,
        }
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
        if let Node::Const(value) = &self.root
            && value.copied_bytes() <= SHORT
        {
            if self.written.len() < rows.end() {
                self.written.clear();
                for _ in 0..rows.end() {
                    self.written.push(value);
                }
            }
            return (&self.written, None);
        }
        let (value, halt) = self.root.eval(cx, env, rows);
        match value {
            Operand::Column(column) => (column, halt.map(|stop| *stop)),
            Operand::Scalar(value) => {
                let rows = before(rows, &halt);
                let pause = fill(&mut self.written, value, rows, cx);
                (&self.written, pause.or(halt).map(|stop| *stop))
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
        let pace = Pace::new(cx);
        for row in rows.iter() {
            let (value, halt) = self.root.eval(cx, env, Rows::Range(row, row + 1));
            if let Some(stop) = halt {
                self.written.pad_to(row);
                return (&self.written, Some(*stop));
            }
            self.written.pad_to(row);
            value.push_to(&mut self.written, row);
            if row + 1 < rows.end() && pace.is_spent(cx) {
                return (&self.written, Some(Stop::pause(row + 1)));
            }
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
            && let Some(truth) = self.test_one(cx.counters, input, rows.at(0))
        {
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
            let (mut halt, pace) = (None, Pace::new(cx));
            for row in rows.iter() {
                halt = self.filter_rows(cx, env, Rows::Range(row, row + 1), out, &mut evaluations);
                if halt.is_none() && row + 1 < rows.end() && pace.is_spent(cx) {
                    halt = Some(Box::new(Stop::pause(row + 1)));
                }
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

    /// Whether a row passes, where the program is a comparison of a column with a constant of a machine
    /// type, or several of them; `None` for any other program. Counts what it evaluates.
    #[inline]
    pub fn test_one(
        &self,
        counters: &mut EvalCounters,
        input: &[Column],
        row: usize,
    ) -> Option<bool> {
        match &self.root {
            Node::Compare(node) => {
                let truth = node.test_one(input, row)?;
                counters.qual_evaluations += 1;
                Some(truth)
            }
            Node::And(and) => {
                let mut evaluations = 0;
                for operand in &and.operands {
                    let Node::Compare(node) = operand else {
                        return None;
                    };
                    evaluations += 1;
                    if !node.test_one(input, row)? {
                        counters.qual_evaluations += evaluations;
                        return Some(false);
                    }
                }
                counters.qual_evaluations += evaluations;
                Some(true)
            }
            _ => None,
        }
    }

    fn filter_rows(
        &mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'_>,
        rows: Rows<'_>,
        out: &mut Vec<u32>,
        evaluations: &mut u64,
    ) -> Halt {
        let Node::And(and) = &mut self.root else {
            let halt = self.root.filter(cx, env, rows, out);
            *evaluations += before(rows, &halt).len() as u64;
            return halt;
        };
        filter_all(
            &mut and.operands,
            cx,
            env,
            rows,
            out,
            &mut self.between,
            evaluations,
        )
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
            Some(stop) => Err(stop.of_single_row()),
        }
    }
}

/// Narrows `rows` conjunct by conjunct: `between[i]` are the rows that pass conjunct `i`, those
/// that pass the last one go to `out`. Where a conjunct stops, those after it are evaluated for the
/// rows before that only, so that all rows before the last stop are dealt with. `evaluations`
/// counts those of these rows, as if they had been evaluated one by one.
fn filter_all(
    conjuncts: &mut [Node],
    cx: &mut EvalCx<'_>,
    env: Env<'_>,
    rows: Rows<'_>,
    out: &mut Vec<u32>,
    between: &mut Vec<Vec<u32>>,
    evaluations: &mut u64,
) -> Halt {
    let last = conjuncts.len() - 1;
    between.resize_with(last, Vec::new);
    let mut halt: Halt = None;
    let mut evaluated = 0;
    for (i, conjunct) in conjuncts.iter_mut().enumerate() {
        let (tested, passed) = between.split_at_mut(i);
        let asked = match tested.last() {
            None => rows,
            Some(tested) => before(Rows::Picked(tested), &halt),
        };
        if asked.is_empty() {
            break;
        }
        evaluated = i + 1;
        let passed = match passed.first_mut() {
            Some(passed) => {
                passed.clear();
                passed
            }
            None => &mut *out,
        };
        let earlier = conjunct.filter(cx, env, asked, passed);
        if earlier.is_some() {
            halt = earlier;
        }
    }
    for i in 0..evaluated {
        let asked = match i.checked_sub(1) {
            None => rows,
            Some(tested) => Rows::Picked(&between[tested]),
        };
        *evaluations += before(asked, &halt).len() as u64;
    }
    halt
}

/// How much of long values a row-by-row evaluation has handled.
struct Pace {
    begun_at: u64,
    most: u64,
}

impl Pace {
    fn new(cx: &EvalCx<'_>) -> Self {
        Pace {
            begun_at: cx.work.bytes(),
            most: cx.work.bytes_at_once(),
        }
    }

    fn is_spent(&self, cx: &EvalCx<'_>) -> bool {
        cx.work.bytes() - self.begun_at >= self.most
    }
}

/// Constants up to this size are written for whole batches.
const SHORT: u64 = 64;

/// Makes `column` hold `value` in these rows, or in as many as may be filled at once: then the
/// answer is a pause.
fn fill(column: &mut Column, value: &Datum, rows: Rows<'_>, cx: &mut EvalCx<'_>) -> Halt {
    column.clear();
    let (mut meter, bytes) = (Meter::new(cx), value.copied_bytes());
    let filled = rows.slice(0, rows.len().min(meter.rows(bytes)));
    for row in filled.iter() {
        column.pad_to(row);
        column.push(value);
    }
    column.pad_to(filled.end());
    meter.count(bytes * filled.len() as u64);
    meter.settle(cx);
    let end = filled.end();
    (filled.len() < rows.len()).then(|| Box::new(Stop::pause(end)))
}
