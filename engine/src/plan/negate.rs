//! NOT goes down a condition to where an operator has a negator.

use super::fold::boolean;
use super::planner::Planner;
use crate::bind::{Expr, ExprKind, Notation};
use crate::catalog::OperatorRef;
use crate::error::Result;
use crate::value::{Datum, Type};

impl Planner<'_> {
    /// An operator by its name and exact operand types.
    pub fn find_operator(&self, name: &str, left: Type, right: Type) -> Option<OperatorRef> {
        let found = self
            .catalog
            .resolve_operator(name, Some(left), right)
            .found()?;
        (found.left == Some(left) && found.right == right).then_some(found)
    }

    /// The operator that is true where `operator` is false.
    pub fn negator(&self, operator: &OperatorRef) -> Option<OperatorRef> {
        self.find_operator(operator.negator.as_ref()?, operator.left?, operator.right)
    }

    /// `negate_clause`: NOT goes down to where an operator has a negator.
    pub fn negate(&self, expr: Expr) -> Result<Expr> {
        let Expr {
            kind,
            ty,
            typmod,
            position,
        } = expr;
        let again = |kind: ExprKind| Expr {
            kind,
            ty,
            typmod,
            position,
        };
        Ok(match kind {
            ExprKind::Const(Datum::Bool(value)) => boolean(!value),
            ExprKind::Const(Datum::Null) => again(ExprKind::Const(Datum::Null)),
            ExprKind::Not(arg) => *arg,
            ExprKind::And(args) => self.fold_or(
                args.into_iter()
                    .map(|arg| self.negate(arg))
                    .collect::<Result<_>>()?,
            )?,
            ExprKind::Or(args) => self.fold_and(
                args.into_iter()
                    .map(|arg| self.negate(arg))
                    .collect::<Result<_>>()?,
            )?,
            ExprKind::NullTest { arg, negated } => again(ExprKind::NullTest {
                arg,
                negated: !negated,
            }),
            ExprKind::BooleanTest { arg, test } => again(ExprKind::BooleanTest {
                arg,
                test: test.negated(),
            }),
            ExprKind::Call {
                notation: Notation::Operator(operator),
                function,
                args,
            } => match self.negator(&operator) {
                Some(negator) => again(ExprKind::Call {
                    function: negator.function.clone(),
                    notation: Notation::Operator(negator),
                    args,
                }),
                None => {
                    let notation = Notation::Operator(operator);
                    not(again(ExprKind::Call {
                        function,
                        notation,
                        args,
                    }))
                }
            },
            ExprKind::ScalarArray {
                operator,
                any,
                left,
                array,
            } => match self.negator(&operator) {
                Some(operator) => again(ExprKind::ScalarArray {
                    operator,
                    any: !any,
                    left,
                    array,
                }),
                None => not(again(ExprKind::ScalarArray {
                    operator,
                    any,
                    left,
                    array,
                })),
            },
            other => not(again(other)),
        })
    }
}

fn not(expr: Expr) -> Expr {
    Expr::new(ExprKind::Not(Box::new(expr)), Type::BOOL)
}
