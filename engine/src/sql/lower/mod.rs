//! `sqlparser`'s tree to ours.
//!
//! Every struct of `sqlparser` is taken apart field by field, without `..`, so that a clause it
//! knows and we do not cannot be passed over. The cursor steps over the tokens of each node on the
//! way, which gives the node its place and its names; what `sqlparser` let pass (an alias without
//! AS in INSERT, JOIN without ON, …) is met there as the token PostgreSQL stumbles over.

mod call;
mod column;
mod dml;
mod expr;
mod from;
mod group;
mod operand;
mod query;
mod select;
mod special;

pub(super) use expr::like_operator;

use super::ast::{Expr, Query, Statement};
use super::dialect;
use super::reader::Reader;
use crate::error::Result;

impl Reader {
    /// Parses and lowers `a_expr`.
    pub fn expr(&mut self) -> Result<Expr> {
        let parsed = dialect::parse_expr(self)?;
        self.lower_expr(parsed)
    }

    /// Parses and lowers a query with all its clauses.
    pub fn query(&mut self) -> Result<Query> {
        let parsed = dialect::parse_query(self, self.last())?;
        self.lower_query(parsed)
    }

    /// Parses and lowers a query, INSERT, UPDATE or DELETE.
    pub fn query_or_change(&mut self) -> Result<Statement> {
        let parsed = dialect::parse_statement(self)?;
        self.lower_statement(parsed)
    }
}
