//! GREATEST and LEAST, NULLIF, IS DISTINCT FROM.

use std::cmp::Ordering;

use super::EvalCx;
use super::call::eval_all;
use super::compare::{Form, order_at};
use super::merge::Merge;
use super::node::{Env, Evaluated, Halt, Node, Operand, before, eval_pair};
use super::operand::{Native, each_row, grow};
use crate::value::{Column, Rows, Type};

/// `GREATEST(…)` and `LEAST(…)`: NULLs are left out; of equal values the first stays.
pub(super) struct MinMax {
    wanted: Ordering,
    form: Form,
    operands: Vec<Node>,
    merge: Merge,
}

impl MinMax {
    pub fn new(greatest: bool, form: Form, operands: Vec<Node>, ty: Type) -> Self {
        let wanted = if greatest {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        MinMax {
            wanted,
            form,
            operands,
            merge: Merge::new(ty),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let MinMax {
            wanted,
            form,
            operands,
            merge,
        } = self;
        let mut values = vec![Operand::NULL; operands.len()];
        let (rows, halt) = eval_all(operands, &mut values, cx, env, rows);
        merge.begin(rows.end());
        each_row(rows, |row| {
            let mut best = None;
            for &value in &values {
                if value.is_null(row) {
                    continue;
                }
                match best {
                    Some(best) if order_at(*form, value, best, row) != *wanted => {}
                    _ => best = Some(value),
                }
            }
            match best {
                Some(best) => merge.put(best, Rows::Range(row, row + 1)),
                None => merge.set_null(row),
            }
        });
        merge.finish(cx, rows, halt)
    }
}

/// A boolean node over two values, which it sees as the arguments 0 and 1: an operator that is
/// applied to operands evaluated elsewhere.
pub(super) struct Test(Node);

impl Test {
    pub fn new(node: Node) -> Self {
        Test(node)
    }

    pub fn eval<'b>(
        &'b mut self,
        cx: &mut EvalCx<'_>,
        input: &'b [Column],
        arguments: &'b [Operand<'b>; 2],
        rows: Rows<'_>,
    ) -> Evaluated<'b> {
        self.0.eval(
            cx,
            Env {
                input,
                arguments,
                case_value: Operand::NULL,
            },
            rows,
        )
    }
}

impl Test {
    /// True for an operator that never fails, so that nothing depends on which rows it sees.
    pub fn is_infallible(&self) -> bool {
        matches!(self.0, Node::Compare(_))
    }

    /// Appends the rows where the operator is true.
    pub fn filter(
        &mut self,
        cx: &mut EvalCx<'_>,
        input: &[Column],
        arguments: &[Operand<'_>; 2],
        rows: Rows<'_>,
        out: &mut Vec<u32>,
    ) -> Halt {
        self.0.filter(
            cx,
            Env {
                input,
                arguments,
                case_value: Operand::NULL,
            },
            rows,
            out,
        )
    }
}

/// `NULLIF(left, right)`: NULL where the two are equal, else the left one.
pub(super) struct NullIf {
    equal: Test,
    left: Node,
    right: Node,
    merge: Merge,
}

impl NullIf {
    pub fn new(equal: Test, left: Node, right: Node, ty: Type) -> Self {
        NullIf {
            equal,
            left,
            right,
            merge: Merge::new(ty),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let NullIf {
            equal,
            left,
            right,
            merge,
        } = self;
        let (left, right, rows, halt) = eval_pair(left, right, cx, env, rows);
        let arguments = [left, right];
        let (equal, earlier) = equal.eval(cx, env.input, &arguments, rows);
        let rows = before(rows, &earlier);
        merge.begin(rows.end());
        merge.put(left, rows);
        each_row(rows, |row| {
            if equal.truth(row) == Some(true) {
                merge.set_null(row);
            }
        });
        merge.finish(cx, rows, earlier.or(halt))
    }
}

/// `left IS [NOT] DISTINCT FROM right`
pub(super) struct Distinct {
    equal: Test,
    left: Node,
    right: Node,
    negated: bool,
    out: Column,
}

impl Distinct {
    pub fn new(equal: Test, left: Node, right: Node, negated: bool) -> Self {
        Distinct {
            equal,
            left,
            right,
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
        let Distinct {
            equal,
            left,
            right,
            negated,
            out,
        } = self;
        let (left, right, rows, halt) = eval_pair(left, right, cx, env, rows);
        let arguments = [left, right];
        let (equal, earlier) = equal.eval(cx, env.input, &arguments, rows);
        let truths = bool::vector(&mut out.data);
        grow(truths, rows.end());
        each_row(before(rows, &earlier), |row| {
            let distinct = match (left.is_null(row), right.is_null(row)) {
                (false, false) => equal.truth(row) != Some(true),
                (left_null, right_null) => left_null != right_null,
            };
            truths[row] = distinct != *negated;
        });
        (Operand::Column(out), earlier.or(halt))
    }
}
