//! Users' SQL functions: their bodies bound, and inlined where PostgreSQL inlines them
//! (`inline_function` in `clauses.c`).

use std::rc::Rc;

use super::binder::{Binder, Parameters, Place};
use super::coerce::{coerced, known};
use super::{Expr, ExprKind, Notation, walk};
use crate::catalog::{Coercion, FunctionFacts, FunctionRef, Origin, Volatility};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{Distinct, Query, Select, SelectItem, SetExpr, Statement};
use crate::sql::{Script, parse_statement};

/// An argument that the body uses more than once is inlined only if it costs no more than ten
/// operators, by PostgreSQL's reckoning.
const MAX_REPEATED_COST: usize = 10;
/// What a function of a user costs, in operators.
const SQL_FUNCTION_COST: usize = 100;

impl Binder<'_> {
    /// The call of a user's function: its body in place of the call, or a call of its body.
    pub fn sql_function_call(
        &mut self,
        function: FunctionRef,
        notation: Notation,
        args: Vec<Expr>,
        at: Position,
    ) -> Result<Expr> {
        let body = self
            .function_body(&function)
            .map_err(|error| match error.position {
                Some(_) => error,
                None => error.at(self.at(at)),
            })?;
        let position = self.at(at);
        if may_inline(&function, &body, &args) {
            let mut inlined = body;
            walk::each_mut(&mut inlined, 0, &mut |part, _| {
                if let ExprKind::Argument(index) = part.kind
                    && let Some(arg) = args.get(index)
                {
                    *part = arg.clone();
                }
            });
            return Ok(inlined.at(position));
        }
        let ty = function.result;
        let kind = ExprKind::SqlCall {
            function,
            notation,
            args,
            body: Rc::new(body),
        };
        Ok(kind.of(ty).at(position))
    }

    /// The one expression a function computes, of the function's result type. Arguments stand in it
    /// as [`ExprKind::Argument`].
    ///
    /// # Errors
    /// Those of its text; 42P13 when its type is not the declared one; 0A000 for a body that is
    /// more than `SELECT expression`; 54001 when it calls itself.
    pub fn function_body(&self, function: &FunctionFacts) -> Result<Expr> {
        let Origin::User(body) = &function.origin else {
            return Err(Error::internal("a built-in function has no body"));
        };
        let mut inner = self.expansion(&function.name)?;
        inner.parameters = Some(Parameters {
            types: function.args.clone(),
            names: body.argument_names.clone(),
        });
        let (expr, _) = inner.single_expression(&body.source)?;
        let from = expr.ty;
        coerced(expr, function.result, Coercion::Assignment)?.ok_or_else(|| {
            let result = function.result.name();
            let message = format!("return type mismatch in function declared to return {result}");
            let error = Error::new(sqlstate::INVALID_FUNCTION_DEFINITION, message);
            error.with_detail(format!("Actual return type is {}.", from.name()))
        })
    }

    fn single_expression(&mut self, source: &str) -> Result<(Expr, Position)> {
        let more =
            || Error::unsupported("a SQL function that is more than SELECT of one expression");
        let mut statements = Script::new(source);
        let statement = statements.next().ok_or_else(more)?;
        if statements.next().is_some() {
            return Err(more());
        }
        let parsed = parse_statement(statement).map_err(Error::without_position)?;
        let Statement::Query(query) = parsed else {
            return Err(more());
        };
        let Query {
            with,
            body,
            order_by,
            limit,
            offset,
            locking,
            at: _,
            depth: _,
        } = *query;
        let SetExpr::Select(select) = body else {
            return Err(more());
        };
        let Select {
            distinct,
            items,
            into,
            from,
            filter,
            group_by,
            group_distinct,
            having,
            windows,
            at,
        } = *select;
        let plain = with.is_none()
            && order_by.is_empty()
            && limit.is_none()
            && offset.is_none()
            && locking.is_none()
            && distinct == Distinct::No
            && into.is_none()
            && from.is_empty()
            && filter.is_none()
            && group_by.is_empty()
            && !group_distinct
            && having.is_none()
            && windows.is_empty();
        let [SelectItem::Expr { expr, alias: _ }] = &items[..] else {
            return Err(more());
        };
        if !plain {
            return Err(more());
        }
        let bound = known(self.expr(expr, Place::FunctionBody)?);
        if walk::contains(&bound, &|part| matches!(part.kind, ExprKind::Sublink(_))) {
            return Err(Error::unsupported("a sub-select in a SQL function"));
        }
        Ok((bound, at))
    }
}

/// The rules of `inline_function`.
fn may_inline(function: &FunctionFacts, body: &Expr, args: &[Expr]) -> bool {
    let volatility = volatility(body);
    if volatility > function.volatility {
        return false;
    }
    if function.strict && !is_strict(body) {
        return false;
    }
    args.iter().enumerate().all(|(index, arg)| {
        let mut uses = 0;
        walk::each(body, 0, &mut |part, _| {
            uses += usize::from(matches!(part.kind, ExprKind::Argument(i) if i == index));
        });
        match uses {
            // A strict function must look at the argument even if its body does not.
            0 => !function.strict,
            1 => true,
            _ => cost(arg) <= MAX_REPEATED_COST && volatility_of_argument(arg),
        }
    })
}

fn volatility_of_argument(arg: &Expr) -> bool {
    volatility(arg) < Volatility::Volatile
}

/// The most volatile function an expression calls.
fn volatility(expr: &Expr) -> Volatility {
    let mut worst = Volatility::Immutable;
    walk::each(expr, 0, &mut |part, _| match &part.kind {
        ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } => {
            worst = worst.max(function.volatility);
        }
        ExprKind::Distinct { equal, .. } | ExprKind::NullIf { equal, .. } => {
            worst = worst.max(equal.function.volatility);
        }
        ExprKind::ScalarArray { operator, .. } => {
            worst = worst.max(operator.function.volatility);
        }
        _ => {}
    });
    worst
}

/// What evaluating an expression costs, in operators; a sub-select costs too much.
fn cost(expr: &Expr) -> usize {
    let mut total = 0;
    walk::each(expr, 0, &mut |part, _| {
        total += match &part.kind {
            ExprKind::Sublink(_) | ExprKind::SqlCall { .. } => SQL_FUNCTION_COST,
            ExprKind::Call { .. }
            | ExprKind::Distinct { .. }
            | ExprKind::NullIf { .. }
            | ExprKind::MinMax { .. }
            | ExprKind::ScalarArray { .. }
            | ExprKind::RowCompare { .. } => 1,
            ExprKind::Cast { .. } => 1,
            _ => 0,
        };
    });
    total
}

/// False if a part of the expression may give something for NULL
/// (`contain_nonstrict_functions`).
fn is_strict(expr: &Expr) -> bool {
    !walk::contains(expr, &|part| match &part.kind {
        ExprKind::Const(_)
        | ExprKind::Var(_)
        | ExprKind::Slot(_)
        | ExprKind::Param(_)
        | ExprKind::Argument(_)
        | ExprKind::Not(_)
        | ExprKind::Subscript { .. }
        | ExprKind::Cast { .. } => false,
        ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } => !function.strict,
        // Not strict for an empty array, which a constant array is not (`is_strict_saop`).
        ExprKind::ScalarArray {
            operator, array, ..
        } => {
            let filled = matches!(&array.kind, ExprKind::Array(elements) if !elements.is_empty());
            !operator.function.strict || !filled
        }
        ExprKind::CaseValue
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::NullTest { .. }
        | ExprKind::BooleanTest { .. }
        | ExprKind::Distinct { .. }
        | ExprKind::Case { .. }
        | ExprKind::Coalesce(_)
        | ExprKind::NullIf { .. }
        | ExprKind::MinMax { .. }
        | ExprKind::RowCompare { .. }
        | ExprKind::Array(_)
        | ExprKind::Sublink(_)
        | ExprKind::Aggregate(_) => true,
    })
}
