//! `(a, b) op (c, d)`: the first unequal pair decides, and pairs after it are not looked at.

use std::cmp::Ordering;

use super::EvalCx;
use super::compare::{Form, order_at};
use super::node::{Env, Evaluated, Halt, Node, Operand, eval_pair};
use super::operand::{Native, each_row, grow};
use crate::value::{Column, Comparison, Rows, Type};

pub(super) struct RowCompare {
    op: Comparison,
    pairs: Vec<Pair>,
    undecided: Vec<u32>,
    still: Vec<u32>,
    out: Column,
}

/// Two operands and what they are compared as.
pub(super) struct Pair {
    pub form: Form,
    pub left: Node,
    pub right: Node,
}

impl RowCompare {
    pub fn new(op: Comparison, pairs: Vec<Pair>) -> Self {
        RowCompare {
            op,
            pairs,
            undecided: Vec::new(),
            still: Vec::new(),
            out: Column::new(Type::BOOL),
        }
    }

    /// `=` is an AND of equalities and `<>` an OR of inequalities: a NULL there leaves the row
    /// undecided. For the order comparisons it ends the row as NULL.
    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let RowCompare {
            op,
            pairs,
            undecided,
            still,
            out,
        } = self;
        let Column { data, nulls, .. } = out;
        let truths = bool::vector(data);
        nulls.clear();
        grow(truths, rows.end());
        undecided.clear();
        each_row(rows, |row| {
            truths[row] = op.holds(Ordering::Equal);
            undecided.push(row as u32);
        });
        let null_ends = !matches!(op, Comparison::Eq | Comparison::Ne);
        let mut halt: Halt = None;
        for Pair { form, left, right } in pairs {
            let asked = Rows::Picked(undecided);
            let (left, right, complete, earlier) = eval_pair(left, right, cx, env, asked);
            if earlier.is_some() {
                halt = earlier;
            }
            still.clear();
            each_row(complete, |row| {
                if left.is_null(row) || right.is_null(row) {
                    nulls.set(row);
                    if !null_ends {
                        still.push(row as u32);
                    }
                    return;
                }
                let ordering = order_at(*form, left, right, row);
                if ordering.is_eq() {
                    still.push(row as u32);
                } else {
                    truths[row] = op.holds(ordering);
                    nulls.unset(row);
                }
            });
            std::mem::swap(undecided, still);
            if undecided.is_empty() {
                break;
            }
        }
        (Operand::Column(out), halt)
    }
}
