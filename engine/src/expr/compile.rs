//! From bound expressions to nodes.

use super::boolean::{BooleanTestNode, Connective, Negation, NullTestNode};
use super::cast::{self, Cast};
use super::functions;
use super::node::Node;
use crate::bind::{Expr, ExprKind, ParamId};
use crate::catalog::{FunctionFacts, Origin, Volatility};
use crate::error::{Error, Result};
use crate::value::{Datum, Type};

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
            ExprKind::Call { function, args, .. } => {
                return self
                    .call(function, args)
                    .map_err(|error| error.at(expr.position));
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
            _ => return Err(Error::unsupported("this expression").at(expr.position)),
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

    fn call(&mut self, function: &FunctionFacts, args: &[Expr]) -> Result<Node> {
        if function.volatility == Volatility::Volatile {
            self.volatile = true;
        }
        if matches!(function.origin, Origin::User(_)) {
            return Err(Error::internal("a user's function was not given its body"));
        }
        let mut nodes = Vec::with_capacity(args.len());
        for arg in args {
            nodes.push(self.compile(arg)?);
        }
        let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        functions::compile(self, function, &types, nodes)
    }
}
