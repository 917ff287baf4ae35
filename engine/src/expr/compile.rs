//! From bound expressions to nodes.

use std::rc::Rc;

use super::arrays::{Construct, Subscript};
use super::boolean::{BooleanTestNode, Connective, Negation, NullTestNode};
use super::cast::{self, Cast};
use super::choice::{Distinct, MinMax, NullIf, Test};
use super::conditional::{Case, Coalesce};
use super::functions::{self, common_form, comparison_of};
use super::membership::ScalarArray;
use super::node::Node;
use super::row_compare::{Pair, RowCompare};
use super::sql_call::SqlCall;
use super::widen::widen;
use crate::bind::{Expr, ExprKind, Notation, ParamId};
use crate::catalog::{FunctionFacts, OperatorFacts, Origin, Volatility};
use crate::error::{Error, Position, Result, sqlstate};
use crate::value::{Array, Column, Comparison, Datum, Type};

/// Compiles one expression and keeps what is known of it as a whole.
#[derive(Default)]
pub(super) struct Compiler {
    /// Work units a row, if every node runs.
    pub cost: u32,
    pub volatile: bool,
    /// Ascending.
    pub params: Vec<ParamId>,
}

impl Compiler {
    pub fn compile(&mut self, expr: &Expr) -> Result<Node> {
        Ok(match &expr.kind {
            ExprKind::Const(value) => Node::Const(value.clone()),
            ExprKind::Slot(index) => Node::Slot(*index),
            ExprKind::Param(id) => {
                if let Err(at) = self.params.binary_search(id) {
                    self.params.insert(at, *id);
                }
                Node::Param {
                    id: *id,
                    value: Datum::Null,
                }
            }
            ExprKind::Argument(index) => Node::Argument(*index),
            ExprKind::CaseValue => Node::CaseValue,
            ExprKind::Call {
                function,
                notation,
                args,
            } => {
                let nodes = self.compile_all(args)?;
                let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
                return self
                    .call(function, &types, nodes)
                    .map_err(|error| as_written(error, notation).at(expr.position));
            }
            ExprKind::And(_) | ExprKind::Or(_) => {
                let is_and = matches!(expr.kind, ExprKind::And(_));
                let mut operands = Vec::new();
                self.operands(expr, is_and, &mut operands)?;
                self.cost += operands.len() as u32;
                match operands.len() {
                    0 => Node::Const(Datum::Bool(is_and)),
                    1 => operands.remove(0),
                    _ if is_and => Node::And(Box::new(Connective::new(operands))),
                    _ => Node::Or(Box::new(Connective::new(operands))),
                }
            }
            ExprKind::Not(arg) => {
                self.cost += 1;
                Node::Not(Box::new(Negation::new(self.compile(arg)?)))
            }
            ExprKind::NullTest { arg, negated } => {
                self.cost += 1;
                Node::NullTest(Box::new(NullTestNode::new(self.compile(arg)?, *negated)))
            }
            ExprKind::BooleanTest { arg, test } => {
                self.cost += 1;
                Node::BooleanTest(Box::new(BooleanTestNode::new(self.compile(arg)?, *test)))
            }
            ExprKind::Cast {
                arg,
                method,
                context,
            } => {
                let cast = Cast {
                    from: arg.ty,
                    to: expr.ty,
                    from_typmod: arg.typmod,
                    to_typmod: expr.typmod,
                    method: *method,
                    context: *context,
                };
                let arg = self.compile(arg)?;
                cast::compile(self, cast, arg)?
            }
            ExprKind::Distinct {
                equal,
                left,
                right,
                negated,
            } => {
                let test = self.test(equal, left.ty, right.ty, expr.position)?;
                let (left, right) = (self.compile(left)?, self.compile(right)?);
                Node::Distinct(Box::new(Distinct::new(test, left, right, *negated)))
            }
            ExprKind::NullIf { equal, left, right } => {
                let test = self.test(equal, left.ty, right.ty, expr.position)?;
                let (left, right) = (self.compile(left)?, self.compile(right)?);
                Node::NullIf(Box::new(NullIf::new(test, left, right, expr.ty)))
            }
            ExprKind::Case {
                operand,
                arms,
                otherwise,
            } => {
                let operand = operand.as_deref().map(|e| self.compile(e)).transpose()?;
                let mut nodes = Vec::with_capacity(arms.len());
                for (when, then) in arms {
                    nodes.push((self.compile(when)?, self.compile(then)?));
                }
                let otherwise = otherwise.as_deref().map(|e| self.compile(e)).transpose()?;
                self.cost += arms.len() as u32 + 1;
                Node::Case(Box::new(Case::new(operand, nodes, otherwise, expr.ty)))
            }
            ExprKind::Coalesce(args) => {
                self.cost += args.len() as u32;
                Node::Coalesce(Box::new(Coalesce::new(self.compile_all(args)?, expr.ty)))
            }
            ExprKind::MinMax {
                greatest,
                less,
                args,
            } => {
                self.refuse_user_defined(less, expr.position)?;
                let form = common_form(expr.ty, expr.ty)
                    .ok_or_else(|| Error::internal("GREATEST of a type without an order"))?;
                self.cost += args.len() as u32 * 2;
                Node::MinMax(Box::new(MinMax::new(
                    *greatest,
                    form,
                    self.compile_all(args)?,
                    expr.ty,
                )))
            }
            ExprKind::ScalarArray {
                operator,
                any,
                left,
                array,
            } => {
                let test = self.test(operator, left.ty, array.ty.element(), expr.position)?;
                let op = comparison_of(&operator.function);
                // The hash of a date is not that of its midnight.
                let hashable = op == Some(if *any { Comparison::Eq } else { Comparison::Ne })
                    && (left.ty == array.ty.element()
                        || left.ty.is_numeric_category()
                        || left.ty.is_string());
                self.cost += 8;
                let (left, array) = (self.compile(left)?, self.compile(array)?);
                Node::ScalarArray(Box::new(ScalarArray::new(
                    left, array, test, *any, hashable,
                )))
            }
            ExprKind::RowCompare {
                op,
                operators,
                left,
                right,
            } => {
                let mut pairs = Vec::with_capacity(left.len());
                for ((left, right), operator) in left.iter().zip(right).zip(operators) {
                    self.refuse_user_defined(operator, expr.position)?;
                    let form = common_form(left.ty, right.ty).ok_or_else(|| {
                        Error::internal("row comparison of types without an order")
                    })?;
                    self.cost += functions::comparison_cost(form);
                    pairs.push(Pair {
                        form,
                        left: widen(self.compile(left)?, left.ty, form)?,
                        right: widen(self.compile(right)?, right.ty, form)?,
                    });
                }
                Node::RowCompare(Box::new(RowCompare::new(*op, pairs)))
            }
            ExprKind::Array(args) => return self.array(args, expr),
            ExprKind::Subscript { array, index } => {
                self.cost += 3;
                let (array, index) = (self.compile(array)?, self.compile(index)?);
                Node::Subscript(Box::new(Subscript::new(array, index, expr.ty)))
            }
            ExprKind::SqlCall {
                function,
                args,
                body,
                ..
            } => {
                if function.volatility == Volatility::Volatile {
                    self.volatile = true;
                }
                let args = self.compile_all(args)?;
                let body = self.compile(body)?;
                Node::SqlCall(Box::new(SqlCall::new(args, body, function.strict, expr.ty)))
            }
            ExprKind::Var(_) | ExprKind::Sublink(_) | ExprKind::Aggregate(_) => {
                return Err(Error::internal(
                    "an expression was compiled before it was planned",
                ));
            }
        })
    }

    /// The operands of AND or OR, those of the same connective inside it included.
    fn operands(&mut self, expr: &Expr, is_and: bool, into: &mut Vec<Node>) -> Result<()> {
        match &expr.kind {
            ExprKind::And(args) if is_and => args
                .iter()
                .try_for_each(|arg| self.operands(arg, is_and, into)),
            ExprKind::Or(args) if !is_and => args
                .iter()
                .try_for_each(|arg| self.operands(arg, is_and, into)),
            _ => {
                into.push(self.compile(expr)?);
                Ok(())
            }
        }
    }

    fn compile_all(&mut self, exprs: &[Expr]) -> Result<Vec<Node>> {
        exprs.iter().map(|expr| self.compile(expr)).collect()
    }

    /// `ARRAY[…]`; of constants it is one.
    fn array(&mut self, args: &[Expr], expr: &Expr) -> Result<Node> {
        if args.iter().any(|arg| arg.ty.array) {
            return Err(Error::unsupported("a multidimensional array").at(expr.position));
        }
        let nodes = self.compile_all(args)?;
        let mut elements = Column::new(expr.ty.element());
        for node in &nodes {
            let Node::Const(value) = node else {
                self.cost += 10 + args.len() as u32;
                return Ok(Node::Construct(Box::new(Construct::new(nodes, expr.ty))));
            };
            elements.push(value);
        }
        Ok(Node::Const(Datum::Array(Rc::new(Array::new(elements)))))
    }

    /// An operator over two values that are computed elsewhere.
    fn test(
        &mut self,
        operator: &OperatorFacts,
        left: Type,
        right: Type,
        position: Option<Position>,
    ) -> Result<Test> {
        self.refuse_user_defined(operator, position)?;
        let arguments = vec![Node::Argument(0), Node::Argument(1)];
        functions::compile(self, &operator.function, &[left, right], arguments)
            .map(Test::new)
            .map_err(|error| error.at(position))
    }

    fn refuse_user_defined(
        &self,
        operator: &OperatorFacts,
        position: Option<Position>,
    ) -> Result<()> {
        if operator.is_user_defined() {
            return Err(Error::unsupported(format_args!(
                "the user-defined operator {} in this place",
                operator.name
            ))
            .at(position));
        }
        Ok(())
    }

    fn call(&mut self, function: &FunctionFacts, types: &[Type], args: Vec<Node>) -> Result<Node> {
        if function.volatility == Volatility::Volatile {
            self.volatile = true;
        }
        if matches!(function.origin, Origin::User(_)) {
            return Err(Error::internal("a user's function was not given its body"));
        }
        functions::compile(self, function, types, args)
    }
}

/// Names the operator, where it is one that is not supported, rather than its function.
fn as_written(error: Error, notation: &Notation) -> Error {
    match notation {
        Notation::Operator(operator) if error.sqlstate == sqlstate::FEATURE_NOT_SUPPORTED => {
            let left = operator
                .left
                .map_or(String::new(), |ty| format!("{} ", ty.name()));
            let (name, right) = (&operator.name, operator.right.name());
            Error::unsupported(format_args!("operator {left}{name} {right}"))
        }
        _ => error,
    }
}
