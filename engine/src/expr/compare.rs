//! The six comparisons of two operands of one physical type.

use std::cmp::Ordering;
use std::rc::Rc;

use super::EvalCx;
use super::node::{Env, Evaluated, Halt, Node, eval_pair};
use super::operand::{Native, Operand, each_row, grow, map, map_pair, union_nulls};
use crate::value::select::{drop_nulls, select_pairs, select_rows, select_values};
use crate::value::text::without_blanks;
use crate::value::{
    Array, Column, Comparison, Datum, Interval, Numeric, Rows, Type, Vector, compare_arrays,
};

/// What a comparison works on. Cross-type operators (`int48eq`, `date_lt_timestamp`) have their
/// narrower side widened when compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    Text,
    /// Texts compared without the blanks at their ends.
    BlankPadded,
    Interval,
    Array,
}

pub(super) struct Compare {
    op: Comparison,
    form: Form,
    left: Node,
    right: Node,
    /// The same, where it is a column of integers against a constant.
    integer_test: Option<IntegerTest>,
    out: Column,
}

/// An integer column's value lies in a range: each of the six comparisons is one. At one row a batch
/// the general way costs many times the comparison itself; PostgreSQL has its `ExecJust…` functions
/// (`execExprInterp.c`) for the same reason.
#[derive(Clone, Copy)]
struct IntegerTest {
    slot: usize,
    least: i64,
    span: u64,
    negated: bool,
}

impl IntegerTest {
    fn new(op: Comparison, left: &Node, right: &Node) -> Option<IntegerTest> {
        let (&Node::Slot(slot), Node::Const(constant)) = (left, right) else {
            return None;
        };
        let value = match *constant {
            Datum::Int2(value) => i64::from(value),
            Datum::Int4(value) | Datum::Date(value) => i64::from(value),
            Datum::Int8(value) | Datum::Timestamp(value) => value,
            _ => return None,
        };
        let up_to = |value: i64| value.wrapping_sub(i64::MIN) as u64;
        let (least, span, negated) = match op {
            Comparison::Eq => (value, 0, false),
            Comparison::Ne => (value, 0, true),
            Comparison::Le => (i64::MIN, up_to(value), false),
            Comparison::Gt => (i64::MIN, up_to(value), true),
            Comparison::Ge => (value, i64::MAX.wrapping_sub(value) as u64, false),
            Comparison::Lt => (value, i64::MAX.wrapping_sub(value) as u64, true),
        };
        Some(IntegerTest {
            slot,
            least,
            span,
            negated,
        })
    }

    #[inline(always)]
    fn passes(self, input: &[Column], row: usize) -> Option<bool> {
        let column = &input[self.slot];
        let value = match &column.data {
            Vector::Int4(values) => i64::from(values[row]),
            Vector::Int8(values) => values[row],
            Vector::Int2(values) => i64::from(values[row]),
            _ => return None,
        };
        let within = value.wrapping_sub(self.least) as u64 <= self.span;
        Some(within != self.negated && !column.is_null(row))
    }
}

/// A total order on machine values, PostgreSQL's: NaN equals itself and is above all other floats.
pub(super) trait Total: Native + Copy + Default {
    fn equal(a: Self, b: Self) -> bool;
    fn less(a: Self, b: Self) -> bool;
}

macro_rules! total_integers {
    ($($ty:ty)*) => {$(
        impl Total for $ty {
            #[inline(always)]
            fn equal(a: Self, b: Self) -> bool {
                a == b
            }

            #[inline(always)]
            fn less(a: Self, b: Self) -> bool {
                a < b
            }
        }
    )*};
}

macro_rules! total_floats {
    ($($ty:ty)*) => {$(
        impl Total for $ty {
            #[inline(always)]
            fn equal(a: Self, b: Self) -> bool {
                (a == b) | (a.is_nan() & b.is_nan())
            }

            #[inline(always)]
            fn less(a: Self, b: Self) -> bool {
                (a < b) | (b.is_nan() & !a.is_nan())
            }
        }
    )*};
}

total_integers!(bool i16 i32 i64);
total_floats!(f32 f64);

/// Runs `$body` with `$test` bound to a test of two values, and `$inverted` to whether the comparison
/// is its opposite: half as many loops for all six comparisons.
macro_rules! with_test {
    ($op:expr, $ty:ty, $test:ident, $inverted:ident => $body:expr) => {{
        let $inverted = matches!($op, Comparison::Ne | Comparison::Le | Comparison::Ge);
        match $op {
            Comparison::Eq | Comparison::Ne => {
                let $test = |a: $ty, b: $ty| <$ty>::equal(a, b);
                $body
            }
            Comparison::Lt | Comparison::Ge => {
                let $test = |a: $ty, b: $ty| <$ty>::less(a, b);
                $body
            }
            Comparison::Gt | Comparison::Le => {
                let $test = |a: $ty, b: $ty| <$ty>::less(b, a);
                $body
            }
        }
    }};
}

/// Runs `$body` with `$ty` standing for the machine type of a form; `$other` for the forms without.
macro_rules! with_machine_type {
    ($form:expr, $ty:ident => $body:expr, $other:ident => $rest:expr) => {
        match $form {
            Form::Bool => {
                type $ty = bool;
                $body
            }
            Form::Int2 => {
                type $ty = i16;
                $body
            }
            Form::Int4 => {
                type $ty = i32;
                $body
            }
            Form::Int8 => {
                type $ty = i64;
                $body
            }
            Form::Float4 => {
                type $ty = f32;
                $body
            }
            Form::Float8 => {
                type $ty = f64;
                $body
            }
            $other => $rest,
        }
    };
}

/// Runs `$body` with `$test` bound to the test of a row, of a form that is no machine type. What is
/// under a NULL is compared like any value.
macro_rules! with_row_test {
    ($form:expr, $op:expr, $left:expr, $right:expr, $test:ident => $body:expr) => {{
        let (op, left, right) = ($op, $left, $right);
        match $form {
            // Most unequal strings differ in length.
            Form::Text if op == Comparison::Eq => {
                let $test = |row: usize| left.bytes(row) == right.bytes(row);
                $body
            }
            Form::Text if op == Comparison::Ne => {
                let $test = |row: usize| left.bytes(row) != right.bytes(row);
                $body
            }
            Form::Text => {
                let $test = |row: usize| op.holds(left.bytes(row).cmp(right.bytes(row)));
                $body
            }
            Form::BlankPadded => {
                let $test = |row: usize| {
                    let (a, b) = (left.bytes(row), right.bytes(row));
                    op.holds(without_blanks(a).cmp(without_blanks(b)))
                };
                $body
            }
            Form::Numeric => {
                let (left, right) = (left.source::<Numeric>(), right.source::<Numeric>());
                let $test = |row: usize| op.holds(left.at(row).cmp(right.at(row)));
                $body
            }
            other => {
                let $test = |row: usize| op.holds(order_at(other, left, right, row));
                $body
            }
        }
    }};
}

impl Compare {
    /// The truth for one row where a column is compared with a constant of a machine type, the
    /// commonest condition of all; `None` for any other comparison.
    #[inline(always)]
    pub fn test_one(&self, input: &[Column], row: usize) -> Option<bool> {
        match self.integer_test {
            Some(test) => test.passes(input, row),
            None => self.test_machine(input, row),
        }
    }

    #[inline(never)]
    fn test_machine(&self, input: &[Column], row: usize) -> Option<bool> {
        let (Node::Slot(slot), Node::Const(constant)) = (&self.left, &self.right) else {
            return None;
        };
        if constant.is_null() {
            return None;
        }
        let column = &input[*slot];
        with_machine_type!(self.form, Machine => {
            let value = <Machine as Native>::slice(&column.data)[row];
            let constant = *Operand::Scalar(constant).value::<Machine>(0);
            let truth =
                with_test!(self.op, Machine, test, inverted => test(value, constant) != inverted);
            Some(truth && !column.is_null(row))
        }, _other => None)
    }

    pub fn new(op: Comparison, form: Form, left: Node, right: Node) -> Self {
        Compare {
            integer_test: IntegerTest::new(op, &left, &right),
            op,
            form,
            left,
            right,
            out: Column::new(Type::BOOL),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let (left, right, rows, halt) = eval_pair(&mut self.left, &mut self.right, cx, env, rows);
        if left.is_null_scalar() || right.is_null_scalar() {
            return (Operand::NULL, halt);
        }
        compare(self.op, self.form, left, right, rows, &mut self.out);
        (Operand::Column(&self.out), halt)
    }

    /// Appends the rows where the comparison is true, without writing its result out.
    pub fn filter<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
        out: &mut Vec<u32>,
    ) -> Halt {
        let (left, right, rows, halt) = eval_pair(&mut self.left, &mut self.right, cx, env, rows);
        if left.is_null_scalar() || right.is_null_scalar() {
            return halt;
        }
        let kept = out.len();
        let (op, form) = (self.op, self.form);
        with_machine_type!(form, T => select::<T>(op, left, right, rows, out), other => {
            with_row_test!(other, op, left, right, test => select_rows(rows, out, test));
        });
        for nulls in [left.nulls(), right.nulls()].into_iter().flatten() {
            drop_nulls(out, kept, nulls);
        }
        halt
    }
}

/// Writes `left op right` to `out` for `rows`. Neither operand is a NULL scalar.
pub(super) fn compare(
    op: Comparison,
    form: Form,
    left: Operand<'_>,
    right: Operand<'_>,
    rows: Rows<'_>,
    out: &mut Column,
) {
    union_nulls(&mut out.nulls, &[left, right]);
    let out = bool::vector(&mut out.data);
    with_machine_type!(form, T => compare_machine::<T>(op, left, right, rows, out), other => {
        grow(out, rows.end());
        with_row_test!(other, op, left, right, test => each_row(rows, |row| out[row] = test(row)));
    });
}

fn compare_machine<T: Total>(
    op: Comparison,
    left: Operand<'_>,
    right: Operand<'_>,
    rows: Rows<'_>,
    out: &mut Vec<bool>,
) {
    match (left, right) {
        (Operand::Column(_), Operand::Column(_)) if needs_swap(op) => {
            compare_machine::<T>(op.commuted(), right, left, rows, out);
        }
        (Operand::Column(a), Operand::Column(b)) => {
            let (a, b) = (T::slice(&a.data), T::slice(&b.data));
            with_test!(op, T, test, inverted => {
                map_pair(rows, a, b, out, |a, b| test(a, b) ^ inverted);
            });
        }
        (Operand::Column(a), Operand::Scalar(b)) => {
            let b = *T::scalar(b);
            with_test!(op, T, test, inverted => {
                map(rows, T::slice(&a.data), out, |a| test(a, b) ^ inverted);
            });
        }
        (Operand::Scalar(_), Operand::Column(_)) => {
            compare_machine::<T>(op.commuted(), right, left, rows, out);
        }
        (Operand::Scalar(a), Operand::Scalar(b)) => {
            let holds = holds::<T>(op, a, b);
            grow(out, rows.end());
            each_row(rows, |row| out[row] = holds);
        }
    }
}

fn select<T: Total>(
    op: Comparison,
    left: Operand<'_>,
    right: Operand<'_>,
    rows: Rows<'_>,
    out: &mut Vec<u32>,
) {
    match (left, right) {
        (Operand::Column(_), Operand::Column(_)) if needs_swap(op) => {
            select::<T>(op.commuted(), right, left, rows, out);
        }
        (Operand::Column(a), Operand::Column(b)) => {
            let (a, b) = (T::slice(&a.data), T::slice(&b.data));
            with_test!(op, T, test, inverted => select_pairs(rows, a, b, out, inverted, test));
        }
        (Operand::Column(a), Operand::Scalar(b)) => {
            let (a, b) = (T::slice(&a.data), *T::scalar(b));
            with_test!(op, T, test, inverted => {
                select_values(rows, a, out, inverted, |a| test(a, b));
            });
        }
        (Operand::Scalar(_), Operand::Column(_)) => {
            select::<T>(op.commuted(), right, left, rows, out);
        }
        (Operand::Scalar(a), Operand::Scalar(b)) => {
            if holds::<T>(op, a, b) {
                each_row(rows, |row| out.push(row as u32));
            }
        }
    }
}

/// Between two columns `>` and `<=` are the others with the columns swapped.
fn needs_swap(op: Comparison) -> bool {
    matches!(op, Comparison::Gt | Comparison::Le)
}

fn holds<T: Total>(op: Comparison, a: &Datum, b: &Datum) -> bool {
    let (a, b) = (*T::scalar(a), *T::scalar(b));
    with_test!(op, T, test, inverted => test(a, b) ^ inverted)
}

/// The order of two values that are not NULL, by PostgreSQL's order of their type.
pub(super) fn order_at(form: Form, left: Operand<'_>, right: Operand<'_>, row: usize) -> Ordering {
    fn machine<T: Total>(left: Operand<'_>, right: Operand<'_>, row: usize) -> Ordering {
        let (a, b) = (*left.value::<T>(row), *right.value::<T>(row));
        if T::less(a, b) {
            Ordering::Less
        } else if T::equal(a, b) {
            Ordering::Equal
        } else {
            Ordering::Greater
        }
    }
    with_machine_type!(form, T => machine::<T>(left, right, row), other => match other {
        Form::Text => left.bytes(row).cmp(right.bytes(row)),
        Form::BlankPadded => {
            without_blanks(left.bytes(row)).cmp(without_blanks(right.bytes(row)))
        }
        Form::Interval => left
            .value::<Interval>(row)
            .cmp(right.value::<Interval>(row)),
        Form::Numeric => left
            .value::<Numeric>(row)
            .cmp(right.value::<Numeric>(row)),
        _ => compare_arrays(
            left.value::<Rc<Array>>(row),
            right.value::<Rc<Array>>(row),
        ),
    })
}
