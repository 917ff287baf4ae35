//! The compiled tree: every node owns the register its values go to.
//!
//! A node is evaluated for some rows of a batch and answers an [`Operand`]: its register, aligned
//! with the input's physical rows, an input column, or one value for all rows. It also answers
//! where it had to stop; whoever asked goes on with the rows before that, so that an earlier row
//! that fails in a later operand is found. Once the registers have grown to a batch's size,
//! evaluation allocates nothing.

use super::arrays::{Construct, Subscript};
use super::boolean::{BooleanTestNode, Connective, Negation, NullTestNode};
use super::call::Call;
use super::cast::ArrayCast;
use super::choice::{Distinct, MinMax, NullIf};
use super::compare::Compare;
use super::conditional::{Case, Coalesce};
use super::membership::ScalarArray;
use super::row_compare::RowCompare;
use super::sql_call::SqlCall;
use super::widen::Widen;
use super::{EvalCx, Stop, StopCause};
use crate::bind::ParamId;
use crate::value::select::{drop_nulls, select_values};
use crate::value::{Column, Datum, Rows};

/// Where evaluation stopped, if it did not reach the last row.
pub(super) type Halt = Option<Box<Stop>>;
pub(super) type Evaluated<'a> = (Operand<'a>, Halt);

pub(super) use super::operand::Operand;

/// What leaves refer to.
#[derive(Clone, Copy)]
pub(super) struct Env<'a> {
    pub input: &'a [Column],
    /// The arguments of the SQL function whose body is evaluated.
    pub arguments: &'a [Operand<'a>],
    /// The operand of the enclosing CASE.
    pub case_value: Operand<'a>,
}

pub(super) enum Node {
    Const(Datum),
    Slot(usize),
    /// The value is a copy, taken at each evaluation.
    Param {
        id: ParamId,
        value: Datum,
    },
    Argument(usize),
    CaseValue,
    Compare(Box<Compare>),
    And(Box<Connective>),
    Or(Box<Connective>),
    Not(Box<Negation>),
    NullTest(Box<NullTestNode>),
    BooleanTest(Box<BooleanTestNode>),
    Widen(Box<Widen>),
    Call(Box<Call>),
    ArrayCast(Box<ArrayCast>),
    Case(Box<Case>),
    Coalesce(Box<Coalesce>),
    MinMax(Box<MinMax>),
    NullIf(Box<NullIf>),
    Distinct(Box<Distinct>),
    ScalarArray(Box<ScalarArray>),
    RowCompare(Box<RowCompare>),
    Construct(Box<Construct>),
    Subscript(Box<Subscript>),
    SqlCall(Box<SqlCall>),
}

impl Node {
    /// Values for `rows`. Rows outside of `rows`, and from the stop on, are unspecified.
    #[inline]
    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        // The leaves are answered without a call, which shows at one row a batch.
        match self {
            Node::Slot(index) => (Operand::Column(&env.input[*index]), None),
            Node::Const(value) => (Operand::Scalar(value), None),
            node => node.eval_inner(cx, env, rows),
        }
    }

    #[inline(never)]
    fn eval_inner<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        match self {
            Node::Slot(index) => (Operand::Column(&env.input[*index]), None),
            Node::Const(value) => (Operand::Scalar(value), None),
            Node::Param { id, value } => match cx.params.get(*id) {
                Some(computed) => {
                    value.clone_from(computed);
                    (Operand::Scalar(value), None)
                }
                None => (Operand::NULL, missing(*id, rows)),
            },
            Node::Argument(index) => (env.arguments[*index], None),
            Node::CaseValue => (env.case_value, None),
            Node::Compare(node) => node.eval(cx, env, rows),
            Node::And(node) => node.eval(false, cx, env, rows),
            Node::Or(node) => node.eval(true, cx, env, rows),
            Node::Not(node) => node.eval(cx, env, rows),
            Node::NullTest(node) => node.eval(cx, env, rows),
            Node::BooleanTest(node) => node.eval(cx, env, rows),
            Node::Widen(node) => node.eval(cx, env, rows),
            Node::Call(node) => node.eval(cx, env, rows),
            Node::ArrayCast(node) => node.eval(cx, env, rows),
            Node::Case(node) => node.eval(cx, env, rows),
            Node::Coalesce(node) => node.eval(cx, env, rows),
            Node::MinMax(node) => node.eval(cx, env, rows),
            Node::NullIf(node) => node.eval(cx, env, rows),
            Node::Distinct(node) => node.eval(cx, env, rows),
            Node::ScalarArray(node) => node.eval(cx, env, rows),
            Node::RowCompare(node) => node.eval(cx, env, rows),
            Node::Construct(node) => node.eval(cx, env, rows),
            Node::Subscript(node) => node.eval(cx, env, rows),
            Node::SqlCall(node) => node.eval(cx, env, rows),
        }
    }

    /// Appends the rows for which a boolean node is true, those before the stop.
    pub fn filter(
        &mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'_>,
        rows: Rows<'_>,
        out: &mut Vec<u32>,
    ) -> Halt {
        match self {
            Node::Compare(node) => return node.filter(cx, env, rows, out),
            Node::Or(node) => return node.filter_any(cx, env, rows, out),
            _ => {}
        }
        let (value, halt) = self.eval(cx, env, rows);
        let rows = before(rows, &halt);
        match value {
            Operand::Scalar(Datum::Bool(true)) => {
                out.extend(rows.iter().map(|row| row as u32));
            }
            Operand::Scalar(_) => {}
            Operand::Column(column) => {
                let truths = <bool as super::operand::Native>::slice(&column.data);
                let kept = out.len();
                select_values(rows, truths, out, false, |truth| truth);
                if column.nulls.any() {
                    drop_nulls(out, kept, &column.nulls);
                }
            }
        }
        halt
    }
}

/// The parameter is needed for the first of the rows; for no rows it is not.
#[cold]
fn missing(id: ParamId, rows: Rows<'_>) -> Halt {
    if rows.is_empty() {
        return None;
    }
    Some(Box::new(Stop {
        row: rows.at(0),
        cause: Some(StopCause::Produce(id)),
    }))
}

/// The rows that are complete.
#[inline]
pub(super) fn before<'r>(rows: Rows<'r>, halt: &Halt) -> Rows<'r> {
    match halt {
        None => rows,
        Some(stop) => rows.below(stop.row),
    }
}

/// Evaluates two operands; answers the rows for which both are complete.
#[inline]
pub(super) fn eval_pair<'a, 'r>(
    left: &'a mut Node,
    right: &'a mut Node,
    cx: &mut EvalCx<'_>,
    env: Env<'a>,
    rows: Rows<'r>,
) -> (Operand<'a>, Operand<'a>, Rows<'r>, Halt) {
    let (left, mut halt) = left.eval(cx, env, rows);
    let mut rows = before(rows, &halt);
    let (right, earlier) = right.eval(cx, env, rows);
    if earlier.is_some() {
        rows = before(rows, &earlier);
        halt = earlier;
    }
    (left, right, rows, halt)
}
