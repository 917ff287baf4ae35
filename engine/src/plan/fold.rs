//! Constant folding, as PostgreSQL's `eval_const_expressions` does it: parts that are the same for
//! every row are computed once, when planning, and boolean logic is simplified by what is known.
//!
//! An error in a constant part is raised here, as PostgreSQL raises it when planning; the arms of a
//! CASE after one that is always taken, and operands after a deciding one, are not looked at.

use super::planner::Planner;
use crate::bind::{CastMethod, Expr, ExprKind};
use crate::catalog::{FunctionFacts, Volatility};
use crate::error::{Error, Result};
use crate::expr::{EvalCounters, EvalCx, Params, Program, Random, StopCause};
use crate::value::{Array, Base, Column, Datum, Type};
use crate::work::Work;

/// Memory that a constant takes in a plan, besides the expression's own.
fn bytes_of(value: &Datum) -> u64 {
    match value {
        Datum::Array(array) => array.elements.accounted_bytes(),
        other => other.copied_bytes(),
    }
}

impl Planner<'_> {
    /// Folds an expression of any level; sub-selects are folded when they are planned.
    ///
    /// Errors: those of evaluating constant parts.
    pub fn fold(&self, expr: Expr) -> Result<Expr> {
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
            ExprKind::And(args) => self.fold_and(args)?.at(position),
            ExprKind::Or(args) => self.fold_or(args)?.at(position),
            ExprKind::Not(arg) => self.negate(self.fold(*arg)?)?.at(position),
            ExprKind::Case {
                operand,
                arms,
                otherwise,
            } => self.fold_case(operand, arms, otherwise, &again)?,
            ExprKind::Coalesce(args) => self.fold_coalesce(args, &again)?,
            ExprKind::NullTest { arg, negated } => {
                let arg = self.fold(*arg)?;
                match &arg.kind {
                    ExprKind::Const(value) => boolean(value.is_null() != negated),
                    _ => again(ExprKind::NullTest {
                        arg: Box::new(arg),
                        negated,
                    }),
                }
            }
            ExprKind::BooleanTest { arg, test } => {
                let arg = self.fold(*arg)?;
                match &arg.kind {
                    ExprKind::Const(value) => boolean(test.of(value.as_bool())),
                    _ => again(ExprKind::BooleanTest {
                        arg: Box::new(arg),
                        test,
                    }),
                }
            }
            ExprKind::Call {
                function,
                notation,
                args,
            } => {
                let args = self.fold_all(args)?;
                if let Some(simpler) = self.boolean_equality(&function, &args)? {
                    return Ok(simpler.at(position));
                }
                if function.strict && !function.returns_set && args.iter().any(is_null) {
                    return Ok(again(ExprKind::Const(Datum::Null)));
                }
                let constant =
                    !function.returns_set && is_immutable(&function) && args.iter().all(is_const);
                let call = again(ExprKind::Call {
                    function,
                    notation,
                    args,
                });
                if constant { self.evaluate(call)? } else { call }
            }
            ExprKind::SqlCall {
                function,
                notation,
                args,
                body,
            } => {
                let args = self.fold_all(args)?;
                if function.strict && args.iter().any(is_null) {
                    return Ok(again(ExprKind::Const(Datum::Null)));
                }
                let constant = is_immutable(&function) && args.iter().all(is_const);
                let call = again(ExprKind::SqlCall {
                    function,
                    notation,
                    args,
                    body,
                });
                if constant { self.evaluate(call)? } else { call }
            }
            ExprKind::ScalarArray {
                operator,
                any,
                left,
                array,
            } => {
                let (left, array) = (self.fold(*left)?, self.fold(*array)?);
                // Whatever the left side is: an unknown set gives an unknown answer.
                if operator.function.strict && is_null(&array) {
                    return Ok(again(ExprKind::Const(Datum::Null)));
                }
                let constant =
                    is_immutable(&operator.function) && is_const(&left) && is_const(&array);
                let test = again(ExprKind::ScalarArray {
                    operator,
                    any,
                    left: Box::new(left),
                    array: Box::new(array),
                });
                if constant { self.evaluate(test)? } else { test }
            }
            ExprKind::Cast {
                arg,
                method,
                context,
            } => {
                let arg = self.fold(*arg)?;
                if let (CastMethod::Relabel, ExprKind::Const(value)) = (method, &arg.kind) {
                    return Ok(again(ExprKind::Const(value.clone())));
                }
                let constant = is_const(&arg) && is_immutable_cast(&arg, ty, method);
                let cast = again(ExprKind::Cast {
                    arg: Box::new(arg),
                    method,
                    context,
                });
                if constant { self.evaluate(cast)? } else { cast }
            }
            ExprKind::Array(elements) => {
                let elements = self.fold_all(elements)?;
                match constant_array(&elements, ty) {
                    Some(array) => {
                        self.memory
                            .check(bytes_of(&array))
                            .map_err(|error| error.at(position))?;
                        again(ExprKind::Const(array))
                    }
                    None => again(ExprKind::Array(elements)),
                }
            }
            other => self.fold_children(again(other))?,
        })
    }

    /// For the rest: the parts are folded, and the whole if nothing in it varies.
    fn fold_children(&self, mut expr: Expr) -> Result<Expr> {
        let mut failed = Ok(());
        let mut constant = true;
        let mut parts = 0;
        expr.each_child_mut(|child| {
            if failed.is_err() {
                return;
            }
            let taken = std::mem::replace(child, placeholder(child.ty));
            match self.fold(taken) {
                Ok(done) => *child = done,
                Err(error) => failed = Err(error),
            }
            parts += 1;
            constant &= is_const(child);
        });
        failed?;
        // Nothing equals NULL, so that only the left side is left, and the right one is not evaluated.
        let is_null = |expr: &Expr| matches!(expr.kind, ExprKind::Const(Datum::Null));
        if let ExprKind::NullIf { left, right, .. } = &mut expr.kind
            && (is_null(left) || is_null(right))
        {
            let ty = left.ty;
            return Ok(std::mem::replace(left, placeholder(ty)));
        }
        let pure = match &expr.kind {
            ExprKind::Distinct { equal, .. } | ExprKind::NullIf { equal, .. } => {
                is_immutable(&equal.function)
            }
            ExprKind::MinMax { less, .. } => is_immutable(&less.function),
            ExprKind::RowCompare { operators, .. } => {
                operators.iter().all(|o| is_immutable(&o.function))
            }
            ExprKind::Subscript { .. } => true,
            _ => false,
        };
        if pure && constant && parts > 0 {
            self.evaluate(expr)
        } else {
            Ok(expr)
        }
    }

    fn fold_all(&self, exprs: Vec<Expr>) -> Result<Vec<Expr>> {
        exprs.into_iter().map(|expr| self.fold(expr)).collect()
    }

    /// `simplify_and_arguments`: true is left out, false decides, NULL stays unless false decides.
    pub fn fold_and(&self, args: Vec<Expr>) -> Result<Expr> {
        let mut kept = Vec::with_capacity(args.len());
        let mut null = false;
        for arg in args {
            let arg = self.fold(arg)?;
            match arg.kind {
                ExprKind::Const(Datum::Bool(true)) => {}
                ExprKind::Const(Datum::Bool(false)) => return Ok(boolean(false)),
                ExprKind::Const(_) => null = true,
                ExprKind::And(inner) => kept.extend(inner),
                _ => kept.push(arg),
            }
        }
        Ok(match (kept.len(), null) {
            (0, false) => boolean(true),
            (0, true) => Expr::constant(Datum::Null, Type::BOOL),
            (1, false) => kept.swap_remove(0),
            _ => {
                kept.extend(null.then(|| Expr::constant(Datum::Null, Type::BOOL)));
                Expr::new(ExprKind::And(kept), Type::BOOL)
            }
        })
    }

    /// `simplify_or_arguments`.
    pub fn fold_or(&self, args: Vec<Expr>) -> Result<Expr> {
        let mut kept = Vec::with_capacity(args.len());
        let mut null = false;
        for arg in args {
            let arg = self.fold(arg)?;
            match arg.kind {
                ExprKind::Const(Datum::Bool(false)) => {}
                ExprKind::Const(Datum::Bool(true)) => return Ok(boolean(true)),
                ExprKind::Const(_) => null = true,
                ExprKind::Or(inner) => kept.extend(inner),
                _ => kept.push(arg),
            }
        }
        Ok(match (kept.len(), null) {
            (0, false) => boolean(false),
            (0, true) => Expr::constant(Datum::Null, Type::BOOL),
            (1, false) => kept.swap_remove(0),
            _ => {
                kept.extend(null.then(|| Expr::constant(Datum::Null, Type::BOOL)));
                Expr::new(ExprKind::Or(kept), Type::BOOL)
            }
        })
    }

    fn fold_case(
        &self,
        operand: Option<Box<Expr>>,
        arms: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
        again: &dyn Fn(ExprKind) -> Expr,
    ) -> Result<Expr> {
        let mut operand = operand.map(|operand| self.fold(*operand)).transpose()?;
        let known = operand.take_if(|operand| is_const(operand));
        let mut kept = Vec::with_capacity(arms.len());
        let mut default = None;
        for (when, then) in arms {
            let when = match &known {
                Some(value) => with_case_value(when, value),
                None => when,
            };
            let when = self.fold(when)?;
            match when.kind {
                ExprKind::Const(Datum::Bool(true)) => {
                    default = Some(self.fold(then)?);
                    break;
                }
                ExprKind::Const(_) => {}
                _ => kept.push((when, self.fold(then)?)),
            }
        }
        let default = match (default, otherwise) {
            (Some(default), _) => Some(default),
            (None, Some(otherwise)) => Some(self.fold(*otherwise)?),
            (None, None) => None,
        };
        if kept.is_empty() {
            return Ok(default.unwrap_or_else(|| again(ExprKind::Const(Datum::Null))));
        }
        let (operand, otherwise) = (operand.map(Box::new), default.map(Box::new));
        Ok(again(ExprKind::Case {
            operand,
            arms: kept,
            otherwise,
        }))
    }

    /// NULLs are left out; nothing after a constant is ever looked at.
    fn fold_coalesce(&self, args: Vec<Expr>, again: &dyn Fn(ExprKind) -> Expr) -> Result<Expr> {
        let mut kept = Vec::with_capacity(args.len());
        for arg in args {
            let arg = self.fold(arg)?;
            match arg.kind {
                ExprKind::Const(Datum::Null) => {}
                ExprKind::Const(_) if kept.is_empty() => return Ok(arg),
                ExprKind::Const(_) => {
                    kept.push(arg);
                    break;
                }
                _ => kept.push(arg),
            }
        }
        Ok(match kept.len() {
            0 => again(ExprKind::Const(Datum::Null)),
            1 => kept.swap_remove(0),
            _ => again(ExprKind::Coalesce(kept)),
        })
    }

    /// `x = true` is `x`, `x = false` is `NOT x` (`simplify_boolean_equality`).
    fn boolean_equality(&self, function: &FunctionFacts, args: &[Expr]) -> Result<Option<Expr>> {
        let equal = match &*function.name {
            "booleq" => true,
            "boolne" => false,
            _ => return Ok(None),
        };
        let [left, right] = args else { return Ok(None) };
        let (value, other) = match (&left.kind, &right.kind) {
            (ExprKind::Const(Datum::Bool(value)), _) => (*value, right),
            (_, ExprKind::Const(Datum::Bool(value))) => (*value, left),
            _ => return Ok(None),
        };
        if is_const(other) {
            return Ok(None);
        }
        Ok(Some(if value == equal {
            other.clone()
        } else {
            self.negate(other.clone())?
        }))
    }

    /// The value of an expression without columns and parameters.
    fn evaluate(&self, expr: Expr) -> Result<Expr> {
        let (mut counters, mut random) = (EvalCounters::default(), Random::from_seed(0));
        let mut work = Work::default();
        let mut cx = EvalCx {
            params: &Params::with_count(0),
            counters: &mut counters,
            now: 0,
            random: &mut random,
            setting: &|_| None,
            work: &mut work,
            memory: self.memory,
        };
        match Program::compile(&expr)?.eval_scalar(&mut cx) {
            Ok(value) => {
                let mut folded = self.folded.get() + bytes_of(&value);
                // The constants it was computed from go.
                expr.each_child(|child| {
                    if let ExprKind::Const(value) = &child.kind {
                        folded = folded.saturating_sub(bytes_of(value));
                    }
                });
                self.folded.set(folded);
                self.memory
                    .fits(folded)
                    .map_err(|error| error.at(expr.position))?;
                Ok(Expr {
                    kind: ExprKind::Const(value),
                    ..expr
                })
            }
            Err(StopCause::Error(error)) => Err(error.at(expr.position)),
            Err(_) => Err(Error::internal("a constant expression needs a parameter")),
        }
    }

    /// The arguments of a function in FROM; the call itself is not evaluated.
    pub fn prepare_arguments(&mut self, call: &mut Expr) -> Result<Expr> {
        let mut call = std::mem::replace(call, placeholder(call.ty));
        let mut failed = Ok(());
        call.each_child_mut(|child| {
            let taken = std::mem::replace(child, placeholder(child.ty));
            match self.prepare(taken) {
                Ok(done) => *child = done,
                Err(error) => failed = Err(error),
            }
        });
        failed.map(|()| call)
    }
}

fn placeholder(ty: Type) -> Expr {
    Expr::new(ExprKind::CaseValue, ty)
}

pub(super) fn boolean(value: bool) -> Expr {
    Expr::constant(Datum::Bool(value), Type::BOOL)
}

pub(super) fn is_const(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(_))
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(Datum::Null))
}

fn is_immutable(function: &FunctionFacts) -> bool {
    function.volatility == Volatility::Immutable
}

/// Text from and to dates depends on settings in PostgreSQL (`date_in` and its kin are stable). An
/// untyped literal is read at once, unless it names the time of the statement.
fn is_immutable_cast(arg: &Expr, to: Type, method: CastMethod) -> bool {
    let is_date = |ty: Type| matches!(ty.base, Base::Date | Base::Timestamp);
    let is_read = |ty: Type| is_date(ty) || ty.base == Base::Interval;
    let is_text = |ty: Type| matches!(ty.base, Base::Text | Base::Varchar | Base::Bpchar);
    let names_now = |text: &str| {
        let text = text.to_ascii_lowercase();
        ["now", "today", "tomorrow", "yesterday"]
            .iter()
            .any(|word| text.contains(word))
    };
    match &arg.kind {
        ExprKind::Const(Datum::Text(text)) if arg.ty == Type::UNKNOWN => {
            !(is_date(to) && names_now(text))
        }
        _ => {
            method != CastMethod::InOut
                || !(is_date(arg.ty) && is_text(to) || is_text(arg.ty) && is_read(to))
        }
    }
}

/// `CASE x WHEN …` with `x` known. An inner CASE has an operand of its own.
fn with_case_value(mut expr: Expr, value: &Expr) -> Expr {
    if let ExprKind::CaseValue = expr.kind {
        return value.clone();
    }
    let inner_case = matches!(
        expr.kind,
        ExprKind::Case {
            operand: Some(_),
            ..
        }
    );
    let mut first = true;
    expr.each_child_mut(|child| {
        if first || !inner_case {
            let taken = std::mem::replace(child, placeholder(child.ty));
            *child = with_case_value(taken, value);
        }
        first = false;
    });
    expr
}

fn constant_array(elements: &[Expr], ty: Type) -> Option<Datum> {
    let mut column = Column::new(ty.element());
    for element in elements {
        match &element.kind {
            ExprKind::Const(value) if value.fits(ty.element()) => column.push(value),
            _ => return None,
        }
    }
    Some(Datum::Array(std::rc::Rc::new(Array::new(column))))
}
