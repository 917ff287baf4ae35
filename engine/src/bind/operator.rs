//! Operators and the constructs that are made of them (`parse_oper.c`, `parse_expr.c`).

use std::rc::Rc;

use super::binder::{Binder, Place};
use super::coerce::implicitly;
use super::{Expr, Notation, same};
use crate::catalog::{OperatorRef, Resolution};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, OperatorName};
use crate::value::Type;

impl Binder<'_> {
    /// The operator for these types.
    ///
    /// # Errors
    /// 42883, 42725, 0A000 when it is one for a type that does not exist here.
    pub fn find_operator(
        &self,
        name: &str,
        left: Option<Type>,
        right: Type,
        at: Position,
    ) -> Result<OperatorRef> {
        let resolution = self.catalog.resolve_operator(name, left, right);
        let (sqlstate, problem, hint) = match resolution {
            Resolution::Found(operator) => return Ok(operator),
            Resolution::Undetermined => return Err(self.undetermined(at)),
            Resolution::NoArrayOf(ty) => return Err(self.no_array_of(ty, at)),
            Resolution::Foreign(ty) => return Err(self.unsupported(format!("type {ty}"), at)),
            Resolution::NotFound if left.is_none() => (
                sqlstate::UNDEFINED_FUNCTION,
                "operator does not exist",
                "No operator matches the given name and argument type. You might need to add an \
                 explicit type cast.",
            ),
            Resolution::NotFound => (
                sqlstate::UNDEFINED_FUNCTION,
                "operator does not exist",
                "No operator matches the given name and argument types. You might need to add \
                 explicit type casts.",
            ),
            Resolution::Ambiguous => (
                sqlstate::AMBIGUOUS_FUNCTION,
                "operator is not unique",
                "Could not choose a best candidate operator. You might need to add explicit type \
                 casts.",
            ),
        };
        let left = left.map(|ty| format!("{} ", ty.name())).unwrap_or_default();
        let message = format!("{problem}: {left}{name} {}", right.name());
        Err(self.error(sqlstate, message, at).with_hint(hint))
    }

    pub fn undetermined(&self, at: Position) -> Error {
        let message = "could not determine polymorphic type because input has type unknown";
        self.error(sqlstate::DATATYPE_MISMATCH, message, at)
    }

    pub fn no_array_of(&self, ty: Type, at: Position) -> Error {
        let message = format!("could not find array type for data type {}", ty.name());
        self.error(sqlstate::UNDEFINED_OBJECT, message, at)
    }

    /// An operator whose result must be Boolean.
    pub fn boolean_operator(
        &self,
        name: &str,
        left: Type,
        right: Type,
        construct: &str,
        at: Position,
    ) -> Result<OperatorRef> {
        let operator = self.find_operator(name, Some(left), right, at)?;
        if operator.result() != Type::BOOL {
            let message = format!("{construct} requires = operator to yield boolean");
            return Err(self.error(sqlstate::DATATYPE_MISMATCH, message, at));
        }
        Ok(operator)
    }

    /// Both operands as the operator wants them.
    pub fn operands(
        &self,
        operator: &OperatorRef,
        left: Expr,
        right: Expr,
    ) -> Result<(Expr, Expr)> {
        let wanted = operator.left.unwrap_or(operator.right);
        let left = self.as_argument(left, wanted)?;
        let right = self.as_argument(right, operator.right)?;
        Ok((left, right))
    }

    /// An argument as the function or operator that was chosen for it wants it.
    pub fn as_argument(&self, arg: Expr, wanted: Type) -> Result<Expr> {
        implicitly(arg, wanted)?
            .ok_or_else(|| Error::internal("an argument does not fit the function chosen for it"))
    }

    /// `left name right` with its implicit casts; a user's function behind it may be inlined.
    pub fn operator_call(
        &mut self,
        name: &str,
        left: Expr,
        right: Expr,
        at: Position,
    ) -> Result<Expr> {
        let operator = self.find_operator(name, Some(left.ty), right.ty, at)?;
        let (left, right) = self.operands(&operator, left, right)?;
        self.apply(operator, vec![left, right], at)
    }

    fn apply(&mut self, operator: OperatorRef, args: Vec<Expr>, at: Position) -> Result<Expr> {
        let function = Rc::clone(&operator.function);
        let notation = Notation::Operator(operator);
        self.function_call(function, notation, args, at)
    }

    pub fn prefix_operator(
        &mut self,
        op: &OperatorName,
        arg: &ast::Expr,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        self.check_operator_schema(op, at)?;
        let arg = self.expr(arg, place)?;
        let operator = self.find_operator(&op.symbol, None, arg.ty, at)?;
        let arg = self.as_argument(arg, operator.right)?;
        self.apply(operator, vec![arg], at)
    }

    pub fn check_operator_schema(&self, op: &OperatorName, at: Position) -> Result<()> {
        match &op.schema {
            Some(schema) if !super::binder::is_schema(&schema.text) => {
                let message = format!("operator does not exist: {}.{}", schema.text, op.symbol);
                Err(self.error(sqlstate::UNDEFINED_FUNCTION, message, at))
            }
            _ => Ok(()),
        }
    }

    pub fn binary_operator(
        &mut self,
        op: &OperatorName,
        left: &ast::Expr,
        right: &ast::Expr,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        self.check_operator_schema(op, at)?;
        // A chain `a + b + c` leans to the left: walk down it instead of recursing.
        let mut chain = vec![(op, right, at)];
        let mut innermost = left;
        while let ast::ExprKind::Binary { op, left, right } = &innermost.kind {
            self.check_operator_schema(op, innermost.at)?;
            chain.push((op, right, innermost.at));
            innermost = left;
        }
        let mut left: Option<Expr> = None;
        while let Some((op, right, at)) = chain.pop() {
            let first = left.is_none();
            let whole = match (first, &innermost.kind, &right.kind) {
                (
                    true,
                    ast::ExprKind::Row { fields: a, .. },
                    ast::ExprKind::Row { fields: b, .. },
                ) => self.row_comparison(&op.symbol, a, b, at, place)?,
                (true, ast::ExprKind::Row { .. }, ast::ExprKind::ScalarQuery(_)) => {
                    return Err(self.unsupported("a comparison of a row with a sub-select", at));
                }
                _ => {
                    let l = match left {
                        Some(left) => left,
                        None => self.expr(innermost, place)?,
                    };
                    let r = self.expr(right, place)?;
                    self.operator_call(&op.symbol, l, r, at)?
                }
            };
            left = Some(whole);
        }
        left.ok_or_else(|| Error::internal("a chain of operators without an operator"))
    }

    /// True if two expressions mean the same.
    pub fn is_same(&self, a: &Expr, b: &Expr) -> bool {
        same::same(a, b)
    }
}
