//! Bound queries: the range table, the join tree, the target list.

use std::rc::Rc;

use super::expr::Expr;
use crate::catalog::Table;
use crate::value::Type;

/// A query with its ORDER BY and LIMIT, as it stands alone, in FROM, in a sub-select or in INSERT.
#[derive(Clone, Debug)]
pub struct Query {
    pub body: Body,
    pub order_by: Vec<SortKey>,
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
    /// The visible output columns.
    pub columns: Vec<ResultColumn>,
    /// WITH queries that are computed once for all references to them.
    pub with: Vec<CommonQuery>,
}

/// A WITH query, known by its number in the statement.
#[derive(Clone, Debug)]
pub struct CommonQuery {
    pub id: usize,
    pub name: Rc<str>,
    pub query: Query,
}

#[derive(Clone, Debug)]
pub enum Body {
    Select(Box<Select>),
    Values(Vec<Vec<Expr>>),
    /// UNION ALL of queries whose columns already have the same types (casts are in their targets).
    UnionAll(Vec<Query>),
    /// INTERSECT or EXCEPT of two queries whose columns have the same types.
    SetOperation {
        operation: SetOperation,
        all: bool,
        parts: Box<[Query; 2]>,
    },
    /// The query of a WITH RECURSIVE table: the non-recursive part, and the one that reads the work
    /// table of this number. `all`: UNION ALL.
    Recursive {
        id: usize,
        all: bool,
        parts: Box<[Query; 2]>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    Intersect,
    Except,
}

#[derive(Clone, Debug)]
pub struct ResultColumn {
    pub name: Rc<str>,
    pub ty: Type,
    pub typmod: i32,
}

/// Sorts by target (for a SELECT: any target, hidden ones included) or output column (other bodies).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    pub target: usize,
    pub descending: bool,
    pub nulls_first: bool,
}

#[derive(Clone, Debug)]
pub struct Select {
    /// The range table; `Var::rel` indexes it.
    pub range: Vec<RangeEntry>,
    /// `None`: no FROM clause, one row.
    pub from: Option<From>,
    pub filter: Option<Expr>,
    /// Output expressions, visible ones first, then hidden ones that only ORDER BY needs.
    pub targets: Vec<Target>,
    pub distinct: bool,
    /// DISTINCT ON: the targets that decide which rows are alike; none for DISTINCT.
    pub distinct_on: Vec<usize>,
    /// Aggregated: there is a GROUP BY, a HAVING or an aggregate call.
    pub aggregated: bool,
    pub group_by: Vec<Expr>,
    pub having: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Target {
    pub expr: Expr,
    pub name: Rc<str>,
    pub hidden: bool,
}

#[derive(Clone, Debug)]
pub struct RangeEntry {
    /// The name it goes by in the query: alias, table or function name.
    pub alias: Rc<str>,
    pub columns: Vec<ResultColumn>,
    pub source: Source,
}

#[derive(Clone, Debug)]
pub enum Source {
    Table(Rc<Table>),
    /// `barrier`: a view `WITH (security_barrier)`; no qual from outside that might leak goes in.
    Subquery {
        query: Box<Query>,
        barrier: bool,
    },
    /// A set-returning function (or any function) in FROM; an `ExprKind::Call`.
    Function(Box<Expr>),
    /// A WITH query that is computed once.
    Common {
        id: usize,
        name: Rc<str>,
    },
    /// The rows of the round before, in the recursive part of a WITH query.
    WorkTable {
        id: usize,
        name: Rc<str>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKind {
    Inner,
    Left,
    Full,
    /// Left rows that have a match; the right side has no columns to give. Made by the planner of
    /// EXISTS and IN.
    Semi,
    /// Left rows that have no match; as Semi.
    Anti,
}

#[derive(Clone, Debug)]
pub enum From {
    /// An entry of the range table.
    Entry(usize),
    Join {
        kind: JoinKind,
        left: Box<From>,
        right: Box<From>,
        on: Option<Expr>,
    },
}
