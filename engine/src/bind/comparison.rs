//! Constructs made of comparisons: rows, IN, BETWEEN, ANY and ALL over arrays, IS DISTINCT FROM
//! (`parse_expr.c`).

use super::binder::{Binder, Place};
use super::coerce::{coerced, known};
use super::{Expr, ExprKind, walk};
use crate::catalog::{Coercion, OperatorRef, can_coerce, common_type};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, OperatorName};
use crate::value::{Comparison, Type};

impl Binder<'_> {
    /// `(a, b) op (c, d)` (`make_row_comparison_op`).
    pub fn row_comparison(
        &mut self,
        name: &str,
        left: &[ast::Expr],
        right: &[ast::Expr],
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let left = self.exprs(left, place)?;
        let right = self.exprs(right, place)?;
        self.row_comparison_of(name, left, right, at)
    }

    fn row_comparison_of(
        &mut self,
        name: &str,
        left: Vec<Expr>,
        right: Vec<Expr>,
        at: Position,
    ) -> Result<Expr> {
        if left.len() != right.len() {
            let message = "unequal number of entries in row expressions";
            return Err(self.error(sqlstate::SYNTAX_ERROR, message, at));
        }
        if left.is_empty() {
            let message = "cannot compare rows of zero length";
            return Err(self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, at));
        }
        let op = match name {
            "=" => Comparison::Eq,
            "<>" => Comparison::Ne,
            "<" => Comparison::Lt,
            "<=" => Comparison::Le,
            ">" => Comparison::Gt,
            ">=" => Comparison::Ge,
            _ => {
                for (l, r) in left.iter().zip(&right) {
                    let result = self.find_operator(name, Some(l.ty), r.ty, at)?.result();
                    if result != Type::BOOL {
                        let message = format!(
                            "row comparison operator must yield type boolean, not type {}",
                            result.name()
                        );
                        return Err(self.error(sqlstate::DATATYPE_MISMATCH, message, at));
                    }
                }
                let message =
                    format!("could not determine interpretation of row comparison operator {name}");
                let hint = "Row comparison operators must be associated with btree operator \
                            families.";
                let error = self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, at);
                return Err(error.with_hint(hint));
            }
        };
        if matches!(op, Comparison::Eq | Comparison::Ne) || left.len() == 1 {
            let pairs: Vec<(Expr, Expr)> = left.into_iter().zip(right).collect();
            let mut terms = Vec::with_capacity(pairs.len());
            for (l, r) in pairs {
                terms.push(self.operator_call(name, l, r, at)?);
            }
            let expr = match (terms.len(), op) {
                (1, _) => return terms.pop().ok_or_else(|| Error::internal("no term")),
                (_, Comparison::Eq) => ExprKind::And(terms).of(Type::BOOL),
                _ => ExprKind::Or(terms).of(Type::BOOL),
            };
            return Ok(expr.at(self.at(at)));
        }
        let mut operators = Vec::with_capacity(left.len());
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for (l, r) in left.into_iter().zip(right) {
            let operator = self.boolean_operator(name, l.ty, r.ty, "row comparison", at)?;
            let (l, r) = self.operands(&operator, l, r)?;
            operators.push(operator);
            lefts.push(l);
            rights.push(r);
        }
        let kind = ExprKind::RowCompare {
            op,
            operators,
            left: lefts,
            right: rights,
        };
        Ok(kind.of(Type::BOOL).at(self.at(at)))
    }

    pub fn is_distinct(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        negated: bool,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        // `x IS DISTINCT FROM NULL` is a NULL test, as in PostgreSQL.
        for (null, other) in [(right, left), (left, right)] {
            if matches!(null.kind, ast::ExprKind::Null) {
                let arg = Box::new(known(self.expr(other, place)?));
                return Ok(ExprKind::NullTest {
                    arg,
                    negated: !negated,
                }
                .of(Type::BOOL));
            }
        }
        let left = self.expr(left, place)?;
        let right = self.expr(right, place)?;
        let equal = self.boolean_operator("=", left.ty, right.ty, "IS DISTINCT FROM", at)?;
        let (left, right) = self.operands(&equal, left, right)?;
        let (left, right) = (Box::new(left), Box::new(right));
        Ok(ExprKind::Distinct {
            equal,
            left,
            right,
            negated,
        }
        .of(Type::BOOL))
    }

    pub fn between(
        &mut self,
        arg: &ast::Expr,
        low: &ast::Expr,
        high: &ast::Expr,
        (symmetric, negated): (bool, bool),
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let arg = self.expr(arg, place)?;
        let low = self.expr(low, place)?;
        let high = self.expr(high, place)?;
        let (from, to) = if negated { ("<", ">") } else { (">=", "<=") };
        let mut range = |low: Expr, high: Expr| -> Result<Expr> {
            let above = self.operator_call(from, arg.clone(), low, at)?;
            let below = self.operator_call(to, arg.clone(), high, at)?;
            let terms = vec![self.boolean(above, "AND")?, self.boolean(below, "AND")?];
            let kind = if negated {
                ExprKind::Or(terms)
            } else {
                ExprKind::And(terms)
            };
            Ok(kind.of(Type::BOOL))
        };
        if !symmetric {
            return range(low, high);
        }
        let terms = vec![range(low.clone(), high.clone())?, range(high, low)?];
        let kind = if negated {
            ExprKind::And(terms)
        } else {
            ExprKind::Or(terms)
        };
        Ok(kind.of(Type::BOOL))
    }

    /// `x IN (a, b)`: an array where the items share a type and are no columns, comparisons else
    /// (`transformAExprIn`).
    pub fn in_list(
        &mut self,
        arg: &ast::Expr,
        list: &[ast::Expr],
        negated: bool,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let name = if negated { "<>" } else { "=" };
        if let ast::ExprKind::Row { fields, .. } = &arg.kind {
            return self.row_in_list(fields, list, negated, at, place);
        }
        let left = self.expr(arg, place)?;
        let items = self.exprs(list, place)?;
        let has_var = |expr: &Expr| {
            let mut found = false;
            walk::each_var(expr, &mut |_, _| found = true);
            found
        };
        let (with_columns, without): (Vec<Expr>, Vec<Expr>) = items.into_iter().partition(has_var);
        let mut terms = Vec::new();
        let mut rest = Vec::new();
        let types: Vec<Type> = [&left].into_iter().chain(&without).map(|e| e.ty).collect();
        let common = common_type(&types).ok().filter(|ty| {
            !ty.array
                && types
                    .iter()
                    .all(|from| can_coerce(*from, *ty, Coercion::Implicit))
        });
        match common {
            Some(ty) if without.len() > 1 => {
                let items = without
                    .into_iter()
                    .map(|item| self.to_common(item, ty, "IN"));
                let array = ExprKind::Array(items.collect::<Result<_>>()?).of(ty.to_array());
                let operator = self.boolean_operator(name, left.ty, ty, "IN", at)?;
                terms.push(self.scalar_array(operator, !negated, left.clone(), array, at)?);
            }
            _ => rest = without,
        }
        for item in rest.into_iter().chain(with_columns) {
            terms.push(self.operator_call(name, left.clone(), item, at)?);
        }
        self.any_term(terms, negated)
    }

    fn any_term(&self, mut terms: Vec<Expr>, negated: bool) -> Result<Expr> {
        if terms.len() == 1 {
            return terms.pop().ok_or_else(|| Error::internal("no term"));
        }
        let kind = if negated {
            ExprKind::And(terms)
        } else {
            ExprKind::Or(terms)
        };
        Ok(kind.of(Type::BOOL))
    }

    fn row_in_list(
        &mut self,
        fields: &[ast::Expr],
        list: &[ast::Expr],
        negated: bool,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let name = if negated { "<>" } else { "=" };
        let left = self.exprs(fields, place)?;
        let mut terms = Vec::with_capacity(list.len());
        for item in list {
            let ast::ExprKind::Row { fields, .. } = &item.kind else {
                return Err(self.unsupported("a comparison of a row with a value", item.at));
            };
            let right = self.exprs(fields, place)?;
            terms.push(self.row_comparison_of(name, left.clone(), right, at)?);
        }
        self.any_term(terms, negated)
    }

    /// `left op ANY|ALL (array)`
    pub fn quantified(
        &mut self,
        left: &ast::Expr,
        op: &OperatorName,
        all: bool,
        array: &ast::Expr,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        self.check_operator_schema(op, at)?;
        let left = self.expr(left, place)?;
        let array = self.expr(array, place)?;
        // An untyped literal is an array of what the left side is.
        let element = match array.ty {
            Type::UNKNOWN => Type::UNKNOWN,
            ty if ty.array => ty.element(),
            _ => {
                let message = "op ANY/ALL (array) requires array on right side";
                return Err(self.error(sqlstate::WRONG_OBJECT_TYPE, message, at));
            }
        };
        let operator = self.find_operator(&op.symbol, Some(left.ty), element, at)?;
        if operator.result() != Type::BOOL {
            let message = "op ANY/ALL (array) requires operator to yield boolean";
            return Err(self.error(sqlstate::WRONG_OBJECT_TYPE, message, at));
        }
        self.scalar_array(operator, !all, left, array, at)
    }

    fn scalar_array(
        &mut self,
        operator: OperatorRef,
        any: bool,
        left: Expr,
        array: Expr,
        at: Position,
    ) -> Result<Expr> {
        let wanted = operator.left.unwrap_or(operator.right);
        let left = self.as_argument(left, wanted)?;
        let Some(array) = coerced(array, operator.right.to_array(), Coercion::Implicit)? else {
            return Err(self.no_array_of(operator.right, at));
        };
        self.forbid_sets(std::slice::from_ref(&array), "op ANY/ALL (array)")?;
        let (left, array) = (Box::new(left), Box::new(array));
        Ok(ExprKind::ScalarArray {
            operator,
            any,
            left,
            array,
        }
        .of(Type::BOOL))
    }
}
