//! Expressions as parsed.

use super::{Name, QualifiedName, Query, TypeName};
use crate::error::Position;

/// An expression and where PostgreSQL's messages point when they speak of it: an operator's
/// expression at the operator, a call at the function's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub at: Position,
    /// Levels of nodes from here to the deepest leaf, kept within
    /// [`MAX_DEPTH`](crate::sql::MAX_DEPTH) so that recursion over a tree is safe, dropping it too.
    pub depth: u16,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `a`, `t.a`, `s.t.a`
    Column(QualifiedName),
    /// `t.*` as an argument or a row value
    WholeRow(QualifiedName),
    Param(u32),
    Null,
    Bool(bool),
    Number(String),
    String(String),
    /// `date '2020-01-01'`
    TypedString {
        ty: TypeName,
        text: String,
    },
    Unary {
        op: OperatorName,
        arg: Box<Expr>,
    },
    Binary {
        op: OperatorName,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// A whole chain of ANDs.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Is {
        arg: Box<Expr>,
        test: IsTest,
        negated: bool,
    },
    IsDistinct {
        left: Box<Expr>,
        right: Box<Expr>,
        negated: bool,
    },
    Like {
        arg: Box<Expr>,
        pattern: Box<Expr>,
        escape: Option<Box<Expr>>,
        kind: LikeKind,
        negated: bool,
    },
    Between {
        arg: Box<Expr>,
        low: Box<Expr>,
        high: Box<Expr>,
        symmetric: bool,
        negated: bool,
    },
    InList {
        arg: Box<Expr>,
        list: Vec<Expr>,
        negated: bool,
    },
    InQuery {
        arg: Box<Expr>,
        query: Box<Query>,
        negated: bool,
    },
    /// `left op ANY|ALL (array)`
    Quantified {
        left: Box<Expr>,
        op: OperatorName,
        all: bool,
        array: Box<Expr>,
    },
    /// `left op ANY|ALL (SELECT …)`
    QuantifiedQuery {
        left: Box<Expr>,
        op: OperatorName,
        all: bool,
        query: Box<Query>,
    },
    Case {
        operand: Option<Box<Expr>>,
        whens: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Cast {
        arg: Box<Expr>,
        ty: TypeName,
    },
    Collate {
        arg: Box<Expr>,
        collation: QualifiedName,
    },
    AtTimeZone {
        arg: Box<Expr>,
        zone: Box<Expr>,
    },
    Call(Box<Call>),
    /// `current_date`, `localtimestamp(3)`, `current_user`, …
    SqlValue {
        name: &'static str,
        precision: Option<i64>,
    },
    Coalesce(Vec<Expr>),
    NullIf(Box<Expr>, Box<Expr>),
    Greatest(Vec<Expr>),
    Least(Vec<Expr>),
    Grouping(Vec<Expr>),
    Row {
        fields: Vec<Expr>,
        explicit: bool,
    },
    Array(Vec<Expr>),
    ArrayQuery(Box<Query>),
    Subscript {
        arg: Box<Expr>,
        subscripts: Vec<Subscript>,
    },
    /// `(row).field`
    Field {
        arg: Box<Expr>,
        field: Name,
    },
    Exists(Box<Query>),
    ScalarQuery(Box<Query>),
    /// DEFAULT as a value of INSERT or UPDATE.
    Default,
}

/// `+`, or `OPERATOR(schema.+)`.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorName {
    pub schema: Option<Name>,
    pub symbol: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsTest {
    Null,
    True,
    False,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikeKind {
    Like,
    ILike,
    SimilarTo,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    Index(Expr),
    Slice(Option<Expr>, Option<Expr>),
}

/// A call of a function or an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub name: QualifiedName,
    pub args: CallArgs,
    pub distinct: bool,
    pub order_by: Vec<SortItem>,
    pub within_group: Option<Vec<SortItem>>,
    pub filter: Option<Expr>,
    pub over: Option<Window>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallArgs {
    /// `count(*)`
    Star,
    List {
        args: Vec<Argument>,
        variadic: bool,
    },
}

/// An argument, by position or by name (`name => value`).
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub name: Option<Name>,
    pub value: Expr,
}

/// `OVER name` or `OVER (…)`.
#[derive(Clone, Debug, PartialEq)]
pub enum Window {
    Named(Name),
    Inline(WindowSpec),
}

#[derive(Clone, Debug, PartialEq)]
pub struct WindowSpec {
    pub base: Option<Name>,
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<SortItem>,
    /// Where a frame clause stands, if one was given.
    pub frame: Option<Position>,
}

/// One item of ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct SortItem {
    pub expr: Expr,
    pub direction: SortDirection,
    pub nulls_first: Option<bool>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SortDirection {
    Default,
    Asc,
    Desc,
    Using(OperatorName),
}

impl ExprKind {
    /// The depth of the deepest part.
    pub(crate) fn parts_depth(&self) -> u16 {
        use ExprKind::*;
        let boxed = |e: &Option<Box<Expr>>| e.as_ref().map_or(0, |e| e.depth);
        match self {
            Column(_) | WholeRow(_) | Param(_) | Null | Bool(_) | Number(_) | String(_) => 0,
            TypedString { .. } | SqlValue { .. } | Default => 0,
            Unary { arg, .. } | Not(arg) | Is { arg, .. } | Cast { arg, .. } => arg.depth,
            Collate { arg, .. } | Field { arg, .. } => arg.depth,
            Binary { left, right, .. } | IsDistinct { left, right, .. } => {
                left.depth.max(right.depth)
            }
            NullIf(left, right) => left.depth.max(right.depth),
            Quantified { left, array, .. } => left.depth.max(array.depth),
            AtTimeZone { arg, zone } => arg.depth.max(zone.depth),
            And(list) | Or(list) | Coalesce(list) | Greatest(list) | Least(list) => deepest(list),
            Grouping(list) | Array(list) | Row { fields: list, .. } => deepest(list),
            Like {
                arg,
                pattern,
                escape,
                ..
            } => arg.depth.max(pattern.depth).max(boxed(escape)),
            Between { arg, low, high, .. } => arg.depth.max(low.depth).max(high.depth),
            InList { arg, list, .. } => arg.depth.max(deepest(list)),
            InQuery { arg, query, .. } => arg.depth.max(query.depth),
            QuantifiedQuery { left, query, .. } => left.depth.max(query.depth),
            Case {
                operand,
                whens,
                otherwise,
            } => {
                let whens = whens.iter().map(|(when, then)| when.depth.max(then.depth));
                whens
                    .max()
                    .unwrap_or(0)
                    .max(boxed(operand))
                    .max(boxed(otherwise))
            }
            Call(call) => call.depth(),
            ArrayQuery(query) | Exists(query) | ScalarQuery(query) => query.depth,
            Subscript { arg, subscripts } => subscripts
                .iter()
                .map(subscript_depth)
                .max()
                .unwrap_or(0)
                .max(arg.depth),
        }
    }
}

fn subscript_depth(subscript: &Subscript) -> u16 {
    let bound = |e: &Option<Expr>| e.as_ref().map_or(0, |e| e.depth);
    match subscript {
        Subscript::Index(index) => index.depth,
        Subscript::Slice(low, high) => bound(low).max(bound(high)),
    }
}

/// The depth of the deepest of some expressions.
pub fn deepest<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> u16 {
    exprs.into_iter().map(|e| e.depth).max().unwrap_or(0)
}

impl Call {
    pub fn depth(&self) -> u16 {
        let args = match &self.args {
            CallArgs::Star => 0,
            CallArgs::List { args, .. } => deepest(args.iter().map(|a| &a.value)),
        };
        let within = self.within_group.iter().flatten();
        let sorts = self.order_by.iter().chain(within).map(|item| &item.expr);
        let window = match &self.over {
            Some(Window::Inline(spec)) => {
                let sorts = spec.order_by.iter().map(|item| &item.expr);
                deepest(spec.partition_by.iter().chain(sorts))
            }
            Some(Window::Named(_)) | None => 0,
        };
        args.max(deepest(sorts))
            .max(deepest(&self.filter))
            .max(window)
    }
}
