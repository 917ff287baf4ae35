//! Bound expressions: every name resolved, every type known, every implicit cast written out.
//!
//! The same tree serves before and after planning. Before, columns are [`Var`]s, sub-selects and
//! aggregates stand in the tree; the planner replaces them by [`ExprKind::Slot`]s (columns of the
//! operator's input row) and [`ExprKind::Param`]s, and the executor compiles only such trees.

use std::rc::Rc;

use super::query::Query;
use crate::catalog::{FunctionRef, OperatorRef};
use crate::error::Position;
use crate::value::{BooleanTest, Comparison, Datum, Type};

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    /// PostgreSQL's typmod: -1 for none, else as `atttypmod` (numeric: ((p << 16) | s) + 4, varchar: n + 4).
    pub typmod: i32,
    pub position: Option<Position>,
}

/// A column of a range-table entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Var {
    /// Index into the range table of the SELECT that owns the entry.
    pub rel: usize,
    pub column: usize,
    /// How many SELECTs further out that range table is; above 0 the reference is correlated.
    pub up: usize,
}

/// Index of an executor parameter (the result of an InitPlan, the outer row's value in an Apply).
pub type ParamId = usize;

/// How a call was written, which is how EXPLAIN writes it again.
#[derive(Clone, Debug)]
pub enum Notation {
    Function,
    Operator(OperatorRef),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastMethod {
    /// Same representation, other name (varchar to text).
    Relabel,
    /// By a cast function of the engine between two base types, or element by element for arrays.
    Convert,
    /// Through text: the output of one type read by the other's input.
    InOut,
    /// To the same type with another typmod: `numeric(10,2)`, `varchar(5)`.
    Typmod,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastContext {
    Implicit,
    Assignment,
    Explicit,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Const(Datum),
    Var(Var),
    /// Column `i` of the operator's input row; for a join, the outer side's columns come first.
    Slot(usize),
    Param(ParamId),
    /// Argument `i` (from 0) of the SQL function whose body this is.
    Argument(usize),
    /// The operand of the enclosing CASE, computed once a row.
    CaseValue,
    /// A function or operator; strict unless its facts say otherwise.
    Call {
        function: FunctionRef,
        notation: Notation,
        args: Vec<Expr>,
    },
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    NullTest {
        arg: Box<Expr>,
        negated: bool,
    },
    BooleanTest {
        arg: Box<Expr>,
        test: BooleanTest,
    },
    /// `left IS [NOT] DISTINCT FROM right` by the equality operator of their type.
    Distinct {
        equal: OperatorRef,
        left: Box<Expr>,
        right: Box<Expr>,
        negated: bool,
    },
    Case {
        operand: Option<Box<Expr>>,
        arms: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Coalesce(Vec<Expr>),
    /// `NULLIF(left, right)` by the equality operator.
    NullIf {
        equal: OperatorRef,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// GREATEST and LEAST; NULLs are left out.
    MinMax {
        greatest: bool,
        less: OperatorRef,
        args: Vec<Expr>,
    },
    /// `left op ANY (array)` or `left op ALL (array)`; IN and NOT IN over lists come here too.
    ScalarArray {
        operator: OperatorRef,
        any: bool,
        left: Box<Expr>,
        array: Box<Expr>,
    },
    /// `(a, b) op (c, d)`; `operators` are the columns' own `=`, `<`, … of that comparison.
    RowCompare {
        op: Comparison,
        operators: Vec<OperatorRef>,
        left: Vec<Expr>,
        right: Vec<Expr>,
    },
    Array(Vec<Expr>),
    Subscript {
        array: Box<Expr>,
        index: Box<Expr>,
    },
    Cast {
        arg: Box<Expr>,
        method: CastMethod,
        context: CastContext,
    },
    /// A user's SQL function that could not be inlined. The body sees the arguments as `Argument`s;
    /// a strict function whose argument is NULL gives NULL without running it.
    SqlCall {
        function: FunctionRef,
        notation: Notation,
        args: Vec<Expr>,
        body: Rc<Expr>,
    },
    /// A sub-select, before planning only.
    Sublink(Box<Sublink>),
    /// An aggregate call, before planning only.
    Aggregate(Box<AggregateCall>),
}

#[derive(Clone, Debug)]
pub struct Sublink {
    pub kind: SublinkKind,
    pub query: Query,
    /// True if the query refers to a column of an enclosing SELECT.
    pub correlated: bool,
}

#[derive(Clone, Debug)]
pub enum SublinkKind {
    Exists,
    /// One column, at most one row (21000), NULL for none.
    Scalar,
    /// `ARRAY(SELECT …)`
    Array,
    /// `test op ANY (SELECT …)`, one operator a column.
    Any {
        test: Vec<Expr>,
        operators: Vec<OperatorRef>,
    },
    All {
        test: Vec<Expr>,
        operators: Vec<OperatorRef>,
    },
}

#[derive(Clone, Debug)]
pub struct AggregateCall {
    pub function: FunctionRef,
    /// Empty for `count(*)`.
    pub args: Vec<Expr>,
    pub distinct: bool,
    pub order_by: Vec<AggregateOrder>,
    pub filter: Option<Expr>,
}

/// One item of an aggregate's own ORDER BY.
#[derive(Clone, Debug)]
pub struct AggregateOrder {
    pub expr: Expr,
    pub descending: bool,
    pub nulls_first: bool,
}

impl Expr {
    pub fn new(kind: ExprKind, ty: Type) -> Self {
        Expr {
            kind,
            ty,
            typmod: -1,
            position: None,
        }
    }

    pub fn constant(value: Datum, ty: Type) -> Self {
        Expr::new(ExprKind::Const(value), ty)
    }

    pub fn slot(index: usize, ty: Type) -> Self {
        Expr::new(ExprKind::Slot(index), ty)
    }

    pub fn at(mut self, position: Option<Position>) -> Self {
        self.position = position;
        self
    }
}

/// One walk for shared and for mutable trees: which children an expression has is said once.
macro_rules! visit_children {
    ($kind:expr, $see:ident, $iter:ident $(, $mutability:tt)?) => {
        match $kind {
            ExprKind::Const(_)
            | ExprKind::Var(_)
            | ExprKind::Slot(_)
            | ExprKind::Param(_)
            | ExprKind::Argument(_)
            | ExprKind::CaseValue => {}
            ExprKind::Call { args, .. }
            | ExprKind::SqlCall { args, .. }
            | ExprKind::And(args)
            | ExprKind::Or(args)
            | ExprKind::Coalesce(args)
            | ExprKind::MinMax { args, .. }
            | ExprKind::Array(args) => args.$iter().for_each($see),
            ExprKind::Not(arg)
            | ExprKind::NullTest { arg, .. }
            | ExprKind::BooleanTest { arg, .. }
            | ExprKind::Cast { arg, .. } => $see(arg),
            ExprKind::Distinct { left, right, .. } | ExprKind::NullIf { left, right, .. } => {
                $see(left);
                $see(right);
            }
            ExprKind::Case { operand, arms, otherwise } => {
                if let Some(operand) = operand {
                    $see(operand);
                }
                for (when, then) in arms {
                    $see(when);
                    $see(then);
                }
                if let Some(otherwise) = otherwise {
                    $see(otherwise);
                }
            }
            ExprKind::ScalarArray { left, array, .. } => {
                $see(left);
                $see(array);
            }
            ExprKind::RowCompare { left, right, .. } => {
                left.$iter().for_each(&mut $see);
                right.$iter().for_each(&mut $see);
            }
            ExprKind::Subscript { array, index } => {
                $see(array);
                $see(index);
            }
            ExprKind::Sublink(link) => {
                let Sublink { kind, .. } = &$($mutability)? **link;
                match kind {
                    SublinkKind::Any { test, .. } | SublinkKind::All { test, .. } => {
                        test.$iter().for_each($see)
                    }
                    SublinkKind::Exists | SublinkKind::Scalar | SublinkKind::Array => {}
                }
            }
            ExprKind::Aggregate(call) => {
                let AggregateCall { args, order_by, filter, .. } = &$($mutability)? **call;
                args.$iter().for_each(&mut $see);
                for item in order_by.$iter() {
                    $see(&$($mutability)? item.expr);
                }
                if let Some(filter) = filter {
                    $see(filter);
                }
            }
        }
    };
}

impl Expr {
    /// Shows `see` the direct sub-expressions, left to right (those of a sub-select are not among them).
    pub fn each_child<'a>(&'a self, mut see: impl FnMut(&'a Expr)) {
        visit_children!(&self.kind, see, iter)
    }

    /// As [`Expr::each_child`], to change them.
    pub fn each_child_mut(&mut self, mut see: impl FnMut(&mut Expr)) {
        visit_children!(&mut self.kind, see, iter_mut, mut)
    }
}
