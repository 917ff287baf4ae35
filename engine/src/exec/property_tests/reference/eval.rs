//! Expressions, evaluated for one row at a time.

use crate::bind::{Expr, ExprKind, Notation, ParamId};
use crate::plan::SubPlanKind;
use crate::value::Datum;

use super::{Failure, Reference, Row, Value, sub_select, truth};

impl Reference<'_> {
    /// A filter's top-level AND is a list of conditions: the first one that is not true decides,
    /// NULL included (`ExecQual`).
    pub(super) fn passes(&self, filter: &Expr, row: &[Value]) -> Result<bool, Failure> {
        let ExprKind::And(parts) = &filter.kind else {
            return self.eval(filter, row).map(truth);
        };
        for part in parts {
            if !self.passes(part, row)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn param(&self, param: ParamId) -> Result<Value, Failure> {
        let init = self
            .plan
            .subplans
            .iter()
            .find_map(|subplan| match &subplan.kind {
                SubPlanKind::Init {
                    result,
                    param: theirs,
                } if *theirs == param => Some((result, &subplan.root)),
                _ => None,
            });
        match init {
            None => Ok(self.params.borrow()[&param]),
            Some((result, root)) => {
                let known = self.produced.borrow().get(&param).cloned();
                known.unwrap_or_else(|| {
                    let value = sub_select(*result, self.node(root));
                    self.produced.borrow_mut().insert(param, value.clone());
                    value
                })
            }
        }
    }

    pub(super) fn eval(&self, expr: &Expr, row: &[Value]) -> Result<Value, Failure> {
        Ok(match &expr.kind {
            ExprKind::Const(Datum::Bool(value)) => Some(i64::from(*value)),
            ExprKind::Const(value) => value.as_i64(),
            ExprKind::Slot(slot) => row[*slot],
            ExprKind::Param(param) => self.param(*param)?,
            ExprKind::And(parts) => {
                let mut result = Some(1);
                for part in parts {
                    match self.eval(part, row)? {
                        Some(0) => return Ok(Some(0)),
                        None => result = None,
                        Some(_) => {}
                    }
                }
                result
            }
            ExprKind::Or(parts) => {
                let mut result = Some(0);
                for part in parts {
                    match self.eval(part, row)? {
                        Some(1) => return Ok(Some(1)),
                        None => result = None,
                        Some(_) => {}
                    }
                }
                result
            }
            ExprKind::Not(arg) => self.eval(arg, row)?.map(|value| 1 - value),
            ExprKind::NullTest { arg, negated } => {
                Some(i64::from(self.eval(arg, row)?.is_none() != *negated))
            }
            ExprKind::Case {
                arms, otherwise, ..
            } => {
                for (when, then) in arms {
                    if truth(self.eval(when, row)?) {
                        return self.eval(then, row);
                    }
                }
                otherwise
                    .as_ref()
                    .map_or(Ok(None), |otherwise| self.eval(otherwise, row))?
            }
            ExprKind::Call {
                notation: Notation::Operator(operator),
                args,
                ..
            } => {
                let values = args
                    .iter()
                    .map(|arg| self.eval(arg, row))
                    .collect::<Result<Row, _>>()?;
                let (Some(a), Some(b)) = (values[0], values[1]) else {
                    return Ok(None);
                };
                match &*operator.name {
                    "+" => Some(a + b),
                    "-" => Some(a - b),
                    "*" => Some(a * b),
                    "/" | "%" if b == 0 => return Err("division by zero".to_string()),
                    "/" => Some(a / b),
                    "%" => Some(a % b),
                    name => compare(name, Some(a), Some(b)),
                }
            }
            other => panic!("the generator makes no {other:?}"),
        })
    }
}

pub(super) fn compare(operator: &str, a: Value, b: Value) -> Value {
    let (a, b) = (a?, b?);
    Some(i64::from(match operator {
        "=" => a == b,
        "<>" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        other => panic!("the generator makes no {other}"),
    }))
}
