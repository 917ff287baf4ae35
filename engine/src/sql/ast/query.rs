//! Queries as parsed.

use super::{Call, Expr, Name, QualifiedName, SortItem, TypeName, WindowSpec, deepest};
use crate::error::Position;

/// A SELECT, VALUES, TABLE or set operation with its WITH, ORDER BY and LIMIT.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub with: Option<With>,
    pub body: SetExpr,
    pub order_by: Vec<SortItem>,
    pub limit: Option<Limit>,
    pub offset: Option<Expr>,
    /// Where FOR UPDATE or FOR SHARE stands.
    pub locking: Option<Position>,
    pub at: Position,
    pub depth: u16,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// LIMIT ALL
    All,
    Count(Expr),
    /// FETCH … WITH TIES
    WithTies(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct With {
    pub recursive: bool,
    pub tables: Vec<CommonTable>,
    pub at: Position,
}

/// `name (columns) AS [NOT] MATERIALIZED (query)`
#[derive(Clone, Debug, PartialEq)]
pub struct CommonTable {
    pub name: Name,
    pub columns: Vec<Name>,
    pub materialized: Option<bool>,
    pub query: Query,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SetExpr {
    Select(Box<Select>),
    Values {
        rows: Vec<Vec<Expr>>,
        at: Position,
    },
    /// `TABLE t`
    Table(QualifiedName),
    /// A query in parentheses with clauses of its own.
    Query(Box<Query>),
    Operation(Box<SetOperation>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SetOperation {
    pub op: SetOperator,
    pub all: bool,
    pub left: SetExpr,
    pub right: SetExpr,
    pub at: Position,
    pub depth: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    Union,
    Intersect,
    Except,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    pub distinct: Distinct,
    pub items: Vec<SelectItem>,
    /// SELECT … INTO makes a table.
    pub into: Option<QualifiedName>,
    pub from: Vec<FromItem>,
    pub filter: Option<Expr>,
    pub group_by: Vec<GroupItem>,
    /// GROUP BY DISTINCT
    pub group_distinct: bool,
    pub having: Option<Expr>,
    pub windows: Vec<(Name, WindowSpec)>,
    pub at: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Distinct {
    No,
    All,
    On(Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum SelectItem {
    /// `*`
    Star(Position),
    /// `t.*`
    QualifiedStar(QualifiedName),
    Expr {
        expr: Expr,
        alias: Option<Name>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum GroupItem {
    Expr(Expr),
    /// `()`
    Empty(Position),
    Rollup(Position),
    Cube(Position),
    GroupingSets(Position),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    pub name: Name,
    pub columns: Vec<Name>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FromItem {
    Table {
        name: QualifiedName,
        alias: Option<Alias>,
        /// Where TABLESAMPLE stands.
        sample: Option<Position>,
    },
    Query {
        query: Box<Query>,
        lateral: bool,
        alias: Option<Alias>,
        at: Position,
    },
    Function {
        call: Box<Call>,
        lateral: bool,
        ordinality: bool,
        alias: Option<Alias>,
        /// `AS (a int, b text)`
        definitions: Vec<(Name, TypeName)>,
        at: Position,
    },
    Join(Box<Join>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    pub kind: JoinKind,
    pub left: FromItem,
    pub right: FromItem,
    pub condition: JoinCondition,
    /// Only for a join in parentheses.
    pub alias: Option<Alias>,
    pub at: Position,
    pub depth: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

#[derive(Clone, Debug, PartialEq)]
pub enum JoinCondition {
    None,
    On(Expr),
    Using {
        columns: Vec<Name>,
        alias: Option<Name>,
    },
    Natural,
}

impl SetExpr {
    /// Levels of nodes, as in [`Expr::depth`](super::Expr::depth).
    pub fn depth(&self) -> u16 {
        match self {
            SetExpr::Select(select) => select.depth(),
            SetExpr::Values { rows, .. } => rows.iter().map(deepest).max().unwrap_or(0),
            SetExpr::Table(_) => 0,
            SetExpr::Query(query) => query.depth,
            SetExpr::Operation(operation) => operation.depth,
        }
    }
}

impl Select {
    fn depth(&self) -> u16 {
        let items = self.items.iter().filter_map(|item| match item {
            SelectItem::Expr { expr, .. } => Some(expr),
            SelectItem::Star(_) | SelectItem::QualifiedStar(_) => None,
        });
        let groups = self.group_by.iter().filter_map(|item| match item {
            GroupItem::Expr(expr) => Some(expr),
            _ => None,
        });
        let from = self.from.iter().map(FromItem::depth).max().unwrap_or(0);
        let distinct = match &self.distinct {
            Distinct::On(exprs) => deepest(exprs),
            Distinct::No | Distinct::All => 0,
        };
        deepest(items)
            .max(deepest(groups))
            .max(deepest(&self.filter))
            .max(deepest(&self.having))
            .max(distinct)
            .max(from)
    }
}

impl FromItem {
    pub fn depth(&self) -> u16 {
        match self {
            FromItem::Table { .. } => 0,
            FromItem::Query { query, .. } => query.depth,
            FromItem::Function { call, .. } => call.depth(),
            FromItem::Join(join) => join.depth,
        }
    }

    pub fn at(&self) -> Position {
        match self {
            FromItem::Table { name, .. } => name.at(),
            FromItem::Query { at, .. } | FromItem::Function { at, .. } => *at,
            FromItem::Join(join) => join.at,
        }
    }
}
