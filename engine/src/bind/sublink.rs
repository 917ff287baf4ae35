//! Sub-selects in expressions (`transformSubLink` in `parse_expr.c`).

use super::binder::{Binder, Place};
use super::{Expr, ExprKind, Query, Sublink, SublinkKind};
use crate::catalog::OperatorRef;
use crate::error::{Position, Result, sqlstate};
use crate::sql::ast::{self, OperatorName};
use crate::value::Type;

impl Binder<'_> {
    /// A query inside of an expression, and whether it refers to columns around it.
    fn inner_query(&mut self, query: &ast::Query) -> Result<(Query, bool)> {
        let outer = std::mem::replace(&mut self.reached, usize::MAX);
        let bound = self.query(query)?;
        let correlated = self.reached < self.scopes.len();
        self.reached = self.reached.min(outer);
        Ok((bound, correlated))
    }

    pub fn exists(&mut self, query: &ast::Query) -> Result<Expr> {
        let (query, correlated) = self.inner_query(query)?;
        let link = Sublink {
            kind: SublinkKind::Exists,
            query,
            correlated,
        };
        Ok(ExprKind::Sublink(Box::new(link)).of(Type::BOOL))
    }

    fn single_column(&self, query: &Query, at: Position) -> Result<(Type, i32)> {
        match &query.columns[..] {
            [column] => Ok((column.ty, column.typmod)),
            _ => {
                let message = "subquery must return only one column";
                Err(self.error(sqlstate::SYNTAX_ERROR, message, at))
            }
        }
    }

    pub fn scalar_query(&mut self, query: &ast::Query, at: Position) -> Result<Expr> {
        let (query, correlated) = self.inner_query(query)?;
        let (ty, typmod) = self.single_column(&query, at)?;
        let link = Sublink {
            kind: SublinkKind::Scalar,
            query,
            correlated,
        };
        Ok(Expr {
            typmod,
            ..ExprKind::Sublink(Box::new(link)).of(ty)
        })
    }

    pub fn array_query(&mut self, query: &ast::Query, at: Position) -> Result<Expr> {
        let (query, correlated) = self.inner_query(query)?;
        let (ty, typmod) = self.single_column(&query, at)?;
        if ty.array {
            return Err(self.unsupported("an array of more than one dimension", at));
        }
        let link = Sublink {
            kind: SublinkKind::Array,
            query,
            correlated,
        };
        Ok(Expr {
            typmod,
            ..ExprKind::Sublink(Box::new(link)).of(ty.to_array())
        })
    }

    /// `x IN (SELECT …)` is `x = ANY (SELECT …)`, and NOT IN its negation.
    pub fn in_query(
        &mut self,
        arg: &ast::Expr,
        query: &ast::Query,
        negated: bool,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let any = self.any_or_all(arg, "=", false, query, at, place)?;
        if !negated {
            return Ok(any);
        }
        Ok(ExprKind::Not(Box::new(any)).of(Type::BOOL))
    }

    pub fn quantified_query(
        &mut self,
        left: &ast::Expr,
        op: &OperatorName,
        all: bool,
        query: &ast::Query,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        self.any_or_all(left, &op.symbol, all, query, at, place)
    }

    fn any_or_all(
        &mut self,
        left: &ast::Expr,
        name: &str,
        all: bool,
        query: &ast::Query,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let test = match &left.kind {
            ast::ExprKind::Row { fields, .. } => self.exprs(fields, place)?,
            _ => vec![self.expr(left, place)?],
        };
        let (mut query, correlated) = self.inner_query(query)?;
        if test.len() != query.columns.len() {
            let few = if test.len() < query.columns.len() {
                "many"
            } else {
                "few"
            };
            let message = format!("subquery has too {few} columns");
            return Err(self.error(sqlstate::SYNTAX_ERROR, message, at));
        }
        let supported = test.len() == 1 || (name == "=" && !all) || (name == "<>" && all);
        if !supported {
            let feature = "a comparison of rows with a sub-select by other than = ANY and <> ALL";
            return Err(self.unsupported(feature, at));
        }
        let mut operators: Vec<OperatorRef> = Vec::with_capacity(test.len());
        let mut wanted = Vec::with_capacity(test.len());
        let mut coerced = Vec::with_capacity(test.len());
        for (expr, column) in test.into_iter().zip(&query.columns) {
            let operator = self.find_operator(name, Some(expr.ty), column.ty, at)?;
            if operator.result() != Type::BOOL {
                let message = format!(
                    "operator {name} must return type boolean, not type {}",
                    operator.result().name()
                );
                return Err(self.error(sqlstate::DATATYPE_MISMATCH, message, at));
            }
            coerced.push(self.as_argument(expr, operator.left.unwrap_or(operator.right))?);
            wanted.push(operator.right);
            operators.push(operator);
        }
        query = self.with_column_types(query, &wanted)?;
        let kind = if all {
            SublinkKind::All {
                test: coerced,
                operators,
            }
        } else {
            SublinkKind::Any {
                test: coerced,
                operators,
            }
        };
        let link = Sublink {
            kind,
            query,
            correlated,
        };
        Ok(ExprKind::Sublink(Box::new(link)).of(Type::BOOL))
    }
}
