//! Users' SQL functions: their bodies bound, and inlined where PostgreSQL inlines them
//! (`inline_function` in `clauses.c`).

use std::rc::Rc;

use super::binder::{Binder, Parameters, Place};
use super::coerce::{coerced, known};
use super::sql_query::{in_place, reads_tables};
use super::{Expr, ExprKind, Notation, walk};
use crate::catalog::{Coercion, FunctionFacts, FunctionRef, Origin, Volatility};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, Distinct, Query, Select, SelectItem, SetExpr, Statement};
use crate::sql::{Script, parse_statement};
use crate::value::Type;

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
        if reads_tables(&body) {
            return Ok(in_place(&function, body, args)?.at(position));
        }
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

    /// The one expression a function computes, of the function's result type; a sub-select, if it
    /// computes more. Arguments stand in it as [`ExprKind::Argument`].
    ///
    /// # Errors
    /// Those of its text; 42P13 when its type is not the declared one; 0A000 for a body that is
    /// more than one SELECT; 54001 when it calls itself.
    pub fn function_body(&self, function: &FunctionFacts) -> Result<Expr> {
        let Origin::User(body) = &function.origin else {
            return Err(Error::internal("a built-in function has no body"));
        };
        let mut inner = self.expansion(&function.name)?;
        inner.parameters = Some(Parameters {
            types: function.args.clone(),
            names: body.argument_names.clone(),
        });
        let expr = inner.body_expression(&body.source, function.result)?;
        let from = expr.ty;
        coerced(expr, function.result, Coercion::Assignment)?.ok_or_else(|| {
            let is = format!("Actual return type is {}.", from.name());
            type_mismatch(function.result).with_detail(is)
        })
    }

    fn body_expression(&mut self, source: &str, result: Type) -> Result<Expr> {
        let more = || Error::unsupported("a SQL function that is more than one SELECT");
        let mut statements = Script::new(source);
        let statement = statements.next().ok_or_else(more)?;
        if statements.next().is_some() {
            return Err(more());
        }
        let parsed = parse_statement(statement).map_err(Error::without_position)?;
        let Statement::Query(query) = parsed else {
            return Err(more());
        };
        match only_expression(&query) {
            Some(expr) => Ok(known(self.expr(expr, Place::FunctionBody)?)),
            None => self.first_row(&query, result),
        }
    }
}

/// 42P13
pub(super) fn type_mismatch(result: Type) -> Error {
    let result = result.name();
    let message = format!("return type mismatch in function declared to return {result}");
    Error::new(sqlstate::INVALID_FUNCTION_DEFINITION, message)
}

/// The expression of a query that is nothing but `SELECT expression`.
fn only_expression(query: &Query) -> Option<&ast::Expr> {
    let Query {
        with: None,
        body: SetExpr::Select(select),
        order_by,
        limit: None,
        offset: None,
        locking: None,
        at: _,
        depth: _,
    } = query
    else {
        return None;
    };
    let Select {
        distinct: Distinct::No,
        items,
        into: None,
        from,
        filter: None,
        group_by,
        group_distinct: false,
        having: None,
        windows,
        at: _,
    } = &**select
    else {
        return None;
    };
    let [SelectItem::Expr { expr, alias: _ }] = &items[..] else {
        return None;
    };
    let plain = order_by.is_empty() && from.is_empty() && group_by.is_empty() && windows.is_empty();
    plain.then_some(expr)
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
