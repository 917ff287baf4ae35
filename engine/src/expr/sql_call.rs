//! A call of a user's SQL function that was not inlined.

use super::EvalCx;
use super::call::eval_all;
use super::merge::Merge;
use super::node::{Env, Evaluated, Node, Operand, before};
use super::operand::each_row;
use crate::value::{Rows, Type};

/// The body sees the arguments' values; a strict function's body only those rows where none is NULL.
pub(super) struct SqlCall {
    args: Vec<Node>,
    body: Node,
    strict: bool,
    merge: Merge,
    entering: Vec<u32>,
}

impl SqlCall {
    pub fn new(args: Vec<Node>, body: Node, strict: bool, ty: Type) -> Self {
        SqlCall {
            args,
            body,
            strict,
            merge: Merge::new(ty),
            entering: Vec::new(),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let SqlCall {
            args,
            body,
            strict,
            merge,
            entering,
        } = self;
        let mut arguments = vec![Operand::NULL; args.len()];
        let (rows, halt) = eval_all(args, &mut arguments, cx, env, rows);
        merge.begin(rows.end());
        entering.clear();
        each_row(rows, |row| {
            if *strict && arguments.iter().any(|argument| argument.is_null(row)) {
                merge.set_null(row);
            } else {
                entering.push(row as u32);
            }
        });
        let inside = Env {
            input: env.input,
            arguments: &arguments,
            case_value: Operand::NULL,
        };
        let entering = Rows::Picked(entering);
        let (value, earlier) = body.eval(cx, inside, entering);
        merge.put(value, before(entering, &earlier));
        merge.finish(cx, before(rows, &earlier), earlier.or(halt))
    }
}
