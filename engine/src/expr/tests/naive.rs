//! A naive evaluator: one row, one recursive function over datums. It shares no code with the
//! kernels, only the tree it reads.

use std::cmp::Ordering;

use crate::bind::{Expr, ExprKind};
use crate::error::Error;
use crate::expr::{Params, StopCause};
use crate::value::{Comparison, Datum};

/// What the leaves of an expression see for one row.
pub struct Scope<'a> {
    pub row: Vec<Datum>,
    pub params: &'a Params,
    pub arguments: Vec<Datum>,
    pub case_value: Datum,
}

type Answer = Result<Datum, StopCause>;

fn fail(sqlstate: &'static str, message: &str) -> Answer {
    Err(StopCause::Error(Error::new(sqlstate, message)))
}

fn order(a: &Datum, b: &Datum) -> Ordering {
    match (a, b) {
        (Datum::Float8(a), Datum::Float8(b)) => a
            .partial_cmp(b)
            .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
        (Datum::Text(a), Datum::Text(b)) => a.cmp(b),
        (Datum::Bool(a), Datum::Bool(b)) => a.cmp(b),
        _ => a.as_i64().unwrap().cmp(&b.as_i64().unwrap()),
    }
}

pub fn eval(expr: &Expr, scope: &Scope<'_>) -> Answer {
    let truth = |expr: &Expr| eval(expr, scope).map(|value| value.as_bool());
    Ok(match &expr.kind {
        ExprKind::Const(value) => value.clone(),
        ExprKind::Slot(index) => scope.row[*index].clone(),
        ExprKind::Argument(index) => scope.arguments[*index].clone(),
        ExprKind::CaseValue => scope.case_value.clone(),
        ExprKind::Param(id) => match scope.params.get(*id) {
            Some(value) => value.clone(),
            None => return Err(StopCause::Produce(*id)),
        },
        ExprKind::Call { function, args, .. } => {
            let args = args
                .iter()
                .map(|arg| eval(arg, scope))
                .collect::<Result<Vec<_>, _>>()?;
            if args.iter().any(Datum::is_null) {
                return Ok(Datum::Null);
            }
            return call(&function.name, &args);
        }
        ExprKind::And(args) | ExprKind::Or(args) => {
            let decisive = matches!(expr.kind, ExprKind::Or(_));
            let mut unknown = false;
            for arg in args {
                match truth(arg)? {
                    Some(truth) if truth == decisive => return Ok(Datum::Bool(decisive)),
                    Some(_) => {}
                    None => unknown = true,
                }
            }
            if unknown {
                Datum::Null
            } else {
                Datum::Bool(!decisive)
            }
        }
        ExprKind::Not(arg) => match truth(arg)? {
            Some(truth) => Datum::Bool(!truth),
            None => Datum::Null,
        },
        ExprKind::NullTest { arg, negated } => Datum::Bool(eval(arg, scope)?.is_null() != *negated),
        ExprKind::BooleanTest { arg, test } => Datum::Bool(test.of(truth(arg)?)),
        ExprKind::Distinct {
            left,
            right,
            negated,
            ..
        } => {
            let (left, right) = (eval(left, scope)?, eval(right, scope)?);
            let distinct = match (left.is_null(), right.is_null()) {
                (true, true) => false,
                (false, false) => order(&left, &right).is_ne(),
                _ => true,
            };
            Datum::Bool(distinct != *negated)
        }
        ExprKind::NullIf { left, right, .. } => {
            let (left, right) = (eval(left, scope)?, eval(right, scope)?);
            let equal = !left.is_null() && !right.is_null() && order(&left, &right).is_eq();
            if equal { Datum::Null } else { left }
        }
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        } => {
            let case_value = match operand {
                Some(operand) => eval(operand, scope)?,
                None => scope.case_value.clone(),
            };
            let inside = Scope {
                row: scope.row.clone(),
                params: scope.params,
                arguments: scope.arguments.clone(),
                case_value,
            };
            for (when, then) in arms {
                if eval(when, &inside)?.as_bool() == Some(true) {
                    return eval(then, scope);
                }
            }
            match otherwise {
                Some(otherwise) => return eval(otherwise, scope),
                None => Datum::Null,
            }
        }
        ExprKind::Coalesce(args) => {
            for arg in args {
                let value = eval(arg, scope)?;
                if !value.is_null() {
                    return Ok(value);
                }
            }
            Datum::Null
        }
        ExprKind::MinMax { greatest, args, .. } => {
            let mut best = Datum::Null;
            for arg in args {
                let value = eval(arg, scope)?;
                let wanted = if *greatest {
                    Ordering::Greater
                } else {
                    Ordering::Less
                };
                if !value.is_null() && (best.is_null() || order(&value, &best) == wanted) {
                    best = value;
                }
            }
            best
        }
        ExprKind::ScalarArray {
            operator,
            any,
            left,
            array,
        } => {
            let (left, array) = (eval(left, scope)?, eval(array, scope)?);
            let Datum::Array(array) = array else {
                return Ok(Datum::Null);
            };
            if array.is_empty() {
                return Ok(Datum::Bool(!any));
            }
            let mut unknown = left.is_null();
            for at in 0..array.len() {
                let element = array.elements.get(at);
                if left.is_null() || element.is_null() {
                    unknown = true;
                    continue;
                }
                let holds = call(&operator.function.name, &[left.clone(), element])?.as_bool();
                if holds == Some(*any) {
                    return Ok(Datum::Bool(*any));
                }
            }
            if unknown {
                Datum::Null
            } else {
                Datum::Bool(!any)
            }
        }
        ExprKind::RowCompare {
            op, left, right, ..
        } => {
            let mut unknown = false;
            for (left, right) in left.iter().zip(right) {
                let (left, right) = (eval(left, scope)?, eval(right, scope)?);
                if left.is_null() || right.is_null() {
                    if !matches!(op, Comparison::Eq | Comparison::Ne) {
                        return Ok(Datum::Null);
                    }
                    unknown = true;
                    continue;
                }
                let ordering = order(&left, &right);
                if ordering.is_ne() {
                    return Ok(Datum::Bool(op.holds(ordering)));
                }
            }
            if unknown {
                Datum::Null
            } else {
                Datum::Bool(op.holds(Ordering::Equal))
            }
        }
        ExprKind::Array(args) => {
            let mut elements = crate::value::Column::new(expr.ty.element());
            for arg in args {
                elements.push(&eval(arg, scope)?);
            }
            Datum::Array(std::rc::Rc::new(crate::value::Array::new(elements)))
        }
        ExprKind::Subscript { array, index } => {
            let array = eval(array, scope)?;
            if array.is_null() {
                return Ok(Datum::Null);
            }
            let index = eval(index, scope)?;
            match (array, index.as_i64()) {
                (Datum::Array(array), Some(index)) if index >= 1 && index <= array.len() as i64 => {
                    array.elements.get(index as usize - 1)
                }
                _ => Datum::Null,
            }
        }
        ExprKind::Cast { arg, .. } => match eval(arg, scope)? {
            Datum::Int4(value) => Datum::Int8(value.into()),
            Datum::Int8(value) => match i32::try_from(value) {
                Ok(value) => Datum::Int4(value),
                Err(_) => return fail("22003", "integer out of range"),
            },
            other => other,
        },
        ExprKind::SqlCall {
            function,
            args,
            body,
            ..
        } => {
            let arguments = args
                .iter()
                .map(|arg| eval(arg, scope))
                .collect::<Result<Vec<_>, _>>()?;
            if function.strict && arguments.iter().any(Datum::is_null) {
                return Ok(Datum::Null);
            }
            let inside = Scope {
                row: scope.row.clone(),
                params: scope.params,
                arguments,
                case_value: Datum::Null,
            };
            return eval(body, &inside);
        }
        ExprKind::Var(_) | ExprKind::Sublink(_) | ExprKind::Aggregate(_) => unreachable!(),
    })
}

/// The functions that the generated expressions call; no argument is NULL.
fn call(name: &str, args: &[Datum]) -> Answer {
    if let [a, b] = args {
        let comparison = match &name[name.len() - 2..] {
            "eq" => Some(Comparison::Eq),
            "ne" => Some(Comparison::Ne),
            "lt" => Some(Comparison::Lt),
            "le" => Some(Comparison::Le),
            "gt" => Some(Comparison::Gt),
            "ge" => Some(Comparison::Ge),
            _ => None,
        };
        if let Some(comparison) = comparison {
            return Ok(Datum::Bool(comparison.holds(order(a, b))));
        }
    }
    let integer = |value: Option<i32>| match value {
        Some(value) => Ok(Datum::Int4(value)),
        None => fail("22003", "integer out of range"),
    };
    match (name, args) {
        ("int4pl", [Datum::Int4(a), Datum::Int4(b)]) => integer(a.checked_add(*b)),
        ("int4mi", [Datum::Int4(a), Datum::Int4(b)]) => integer(a.checked_sub(*b)),
        ("int4mul", [Datum::Int4(a), Datum::Int4(b)]) => integer(a.checked_mul(*b)),
        ("int4div", [Datum::Int4(_), Datum::Int4(0)]) => fail("22012", "division by zero"),
        ("int4div", [Datum::Int4(a), Datum::Int4(b)]) => integer(a.checked_div(*b)),
        ("int48pl", [Datum::Int4(a), Datum::Int8(b)]) => match i64::from(*a).checked_add(*b) {
            Some(sum) => Ok(Datum::Int8(sum)),
            None => fail("22003", "bigint out of range"),
        },
        ("textcat", [Datum::Text(a), Datum::Text(b)]) => Ok(Datum::text(format!("{a}{b}"))),
        ("length", [Datum::Text(a)]) => Ok(Datum::Int4(a.chars().count() as i32)),
        ("left", [Datum::Text(a), Datum::Int4(n)]) => {
            let characters: Vec<char> = a.chars().collect();
            let n = i64::from(*n);
            let kept = if n < 0 {
                characters.len() as i64 + n
            } else {
                n
            };
            Ok(Datum::text(
                characters
                    .iter()
                    .take(kept.max(0) as usize)
                    .collect::<String>(),
            ))
        }
        _ => panic!("{name} is not generated"),
    }
}
