//! CASE and COALESCE: an operand is evaluated only for the rows that come to it.

use super::EvalCx;
use super::merge::Merge;
use super::node::{Env, Evaluated, Halt, Node, before};
use super::operand::each_row;
use crate::value::select::remaining;
use crate::value::{Rows, Type};

/// `CASE [operand] WHEN … THEN … [ELSE …] END`. A WHEN sees the operand as `CaseValue`.
pub(super) struct Case {
    operand: Option<Node>,
    arms: Vec<(Node, Node)>,
    otherwise: Option<Node>,
    merge: Merge,
    undecided: Vec<u32>,
    passed: Vec<u32>,
    still: Vec<u32>,
}

impl Case {
    pub fn new(
        operand: Option<Node>,
        arms: Vec<(Node, Node)>,
        otherwise: Option<Node>,
        ty: Type,
    ) -> Self {
        Case {
            operand,
            arms,
            otherwise,
            merge: Merge::new(ty),
            undecided: Vec::new(),
            passed: Vec::new(),
            still: Vec::new(),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let Case {
            operand,
            arms,
            otherwise,
            merge,
            undecided,
            passed,
            still,
        } = self;
        merge.begin(rows.end());
        let mut halt: Halt = None;
        let mut inside = env;
        if let Some(operand) = operand {
            (inside.case_value, halt) = operand.eval(cx, env, rows);
        }
        undecided.clear();
        each_row(before(rows, &halt), |row| undecided.push(row as u32));
        for (when, then) in arms {
            if undecided.is_empty() {
                break;
            }
            passed.clear();
            let earlier = when.filter(cx, inside, Rows::Picked(undecided), passed);
            if earlier.is_some() {
                halt = earlier;
            }
            let (value, earlier) = then.eval(cx, env, Rows::Picked(passed));
            if earlier.is_some() {
                halt = earlier;
            }
            merge.put(value, before(Rows::Picked(passed), &halt));
            remaining(Rows::Picked(undecided), passed, still);
            if let Some(stop) = &halt {
                still.truncate(still.partition_point(|&row| (row as usize) < stop.row));
            }
            std::mem::swap(undecided, still);
        }
        let rest = Rows::Picked(undecided);
        match otherwise {
            Some(otherwise) => {
                let (value, earlier) = otherwise.eval(cx, env, rest);
                if earlier.is_some() {
                    halt = earlier;
                }
                merge.put(value, before(rest, &halt));
            }
            None => each_row(rest, |row| merge.set_null(row)),
        }
        merge.finish(cx, before(rows, &halt), halt)
    }
}

/// `COALESCE(…)`: the first operand that is not NULL.
pub(super) struct Coalesce {
    operands: Vec<Node>,
    merge: Merge,
    undecided: Vec<u32>,
    found: Vec<u32>,
    still: Vec<u32>,
}

impl Coalesce {
    pub fn new(operands: Vec<Node>, ty: Type) -> Self {
        Coalesce {
            operands,
            merge: Merge::new(ty),
            undecided: Vec::new(),
            found: Vec::new(),
            still: Vec::new(),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let Coalesce {
            operands,
            merge,
            undecided,
            found,
            still,
        } = self;
        merge.begin(rows.end());
        undecided.clear();
        each_row(rows, |row| undecided.push(row as u32));
        let mut halt: Halt = None;
        for operand in operands {
            if undecided.is_empty() {
                break;
            }
            let (value, earlier) = operand.eval(cx, env, Rows::Picked(undecided));
            if earlier.is_some() {
                halt = earlier;
            }
            found.clear();
            still.clear();
            each_row(before(Rows::Picked(undecided), &halt), |row| {
                if value.is_null(row) {
                    still.push(row as u32)
                } else {
                    found.push(row as u32)
                }
            });
            merge.put(value, Rows::Picked(found));
            std::mem::swap(undecided, still);
        }
        each_row(Rows::Picked(undecided), |row| merge.set_null(row));
        merge.finish(cx, before(rows, &halt), halt)
    }
}
