//! Expressions made to have the type they must have (`parse_coerce.c`).

use super::binder::Binder;
use super::{CastContext, CastMethod, Expr, ExprKind};
use crate::catalog::{CastPath, Coercion, cast_path, common_type};
use crate::error::{Position, Result, sqlstate};
use crate::value::datetime::parse_interval;
use crate::value::text::parse_datum;
use crate::value::{Base, Datum, Type};

/// The expression as `target`; `None` if `coercion` may not do that. An untyped literal is read at
/// once, as PostgreSQL does, unless it names the time of the statement.
///
/// # Errors
/// Those of the type's input function, at the literal.
pub(super) fn coerced(expr: Expr, target: Type, coercion: Coercion) -> Result<Option<Expr>> {
    if expr.ty == target {
        return Ok(Some(expr));
    }
    if let (Type::UNKNOWN, ExprKind::Const(value)) = (expr.ty, &expr.kind) {
        let value = match value {
            Datum::Text(text) => match parse_datum(target, text, None) {
                Ok(value) => Some(value),
                Err(error) if error.sqlstate == sqlstate::FEATURE_NOT_SUPPORTED => None,
                Err(error) => return Err(error.at(expr.position)),
            },
            value => Some(value.clone()),
        };
        if let Some(value) = value {
            let kind = ExprKind::Const(value);
            return Ok(Some(Expr {
                kind,
                ty: target,
                ..expr
            }));
        }
    }
    let Some(path) = cast_path(expr.ty, target, coercion) else {
        return Ok(None);
    };
    let method = match path {
        CastPath::Relabel => CastMethod::Relabel,
        CastPath::Function => CastMethod::Convert,
        CastPath::InOut => CastMethod::InOut,
    };
    Ok(Some(cast(expr, target, -1, method, coercion)))
}

fn cast(arg: Expr, ty: Type, typmod: i32, method: CastMethod, coercion: Coercion) -> Expr {
    let position = arg.position;
    let context = match coercion {
        Coercion::Implicit => CastContext::Implicit,
        Coercion::Assignment => CastContext::Assignment,
        Coercion::Explicit => CastContext::Explicit,
    };
    let kind = ExprKind::Cast {
        arg: Box::new(arg),
        method,
        context,
    };
    Expr {
        kind,
        ty,
        typmod,
        position,
    }
}

/// The expression with its length or precision enforced (`coerce_type_typmod`).
pub(super) fn with_typmod(expr: Expr, typmod: i32, coercion: Coercion) -> Expr {
    if typmod < 0 || expr.typmod == typmod || !has_typmods(expr.ty) {
        return expr;
    }
    let ty = expr.ty;
    cast(expr, ty, typmod, CastMethod::Typmod, coercion)
}

/// An untyped literal that becomes an interval of some fields: these say what its numbers count
/// (`coerce_type`). Any other expression stays.
fn interval_literal(expr: Expr, target: Type, typmod: i32) -> Result<Expr> {
    match (&expr.kind, expr.ty, target) {
        (ExprKind::Const(Datum::Text(text)), Type::UNKNOWN, Type::INTERVAL) => {
            let value = parse_interval(text, typmod).map_err(|error| error.at(expr.position))?;
            Ok(Expr {
                kind: ExprKind::Const(Datum::Interval(value)),
                ty: target,
                typmod,
                ..expr
            })
        }
        _ => Ok(expr),
    }
}

fn has_typmods(ty: Type) -> bool {
    matches!(
        ty.base,
        Base::Numeric | Base::Varchar | Base::Bpchar | Base::Interval
    )
}

/// Gives the parts of a CASE, VALUES, … the type they have in common.
pub(super) fn implicitly(expr: Expr, target: Type) -> Result<Option<Expr>> {
    coerced(expr, target, Coercion::Implicit)
}

impl Binder<'_> {
    /// A cast that was written out.
    ///
    /// # Errors
    /// 42846
    pub fn explicit_cast(
        &self,
        expr: Expr,
        target: Type,
        typmod: i32,
        at: Position,
    ) -> Result<Expr> {
        let from = expr.ty;
        let expr = interval_literal(expr, target, typmod)?;
        match coerced(expr, target, Coercion::Explicit)? {
            Some(expr) => Ok(with_typmod(expr, typmod, Coercion::Explicit)),
            None => {
                let message = format!("cannot cast type {} to {}", from.name(), target.name());
                Err(self.error(sqlstate::CANNOT_COERCE, message, at))
            }
        }
    }

    /// A condition: `construct` is what messages call it, as "WHERE".
    ///
    /// # Errors
    /// 42804
    pub fn boolean(&self, expr: Expr, construct: &str) -> Result<Expr> {
        self.coerce_argument(expr, Type::BOOL, construct)
    }

    /// # Errors
    /// 42804: `argument of LIMIT must be type bigint, not type text`
    pub fn coerce_argument(&self, expr: Expr, target: Type, construct: &str) -> Result<Expr> {
        let (from, position) = (expr.ty, location(&expr));
        if super::walk::returns_set(&expr) {
            let message = format!("argument of {construct} must not return a set");
            let error = crate::error::Error::new(sqlstate::DATATYPE_MISMATCH, message);
            return Err(error.at(position));
        }
        let coercion = match construct {
            "LIMIT" | "OFFSET" => Coercion::Assignment,
            _ => Coercion::Implicit,
        };
        coerced(expr, target, coercion)?.ok_or_else(|| {
            let message = format!(
                "argument of {construct} must be type {}, not type {}",
                target.name(),
                from.name()
            );
            crate::error::Error::new(sqlstate::DATATYPE_MISMATCH, message).at(position)
        })
    }

    /// The common type of some expressions, to which each is then coerced.
    ///
    /// # Errors
    /// 42804: `CASE types integer and text cannot be matched`
    pub fn unify(&self, exprs: Vec<Expr>, construct: &str) -> Result<(Vec<Expr>, Type)> {
        let types: Vec<Type> = exprs.iter().map(|expr| expr.ty).collect();
        let ty = common_type(&types).map_err(|clash| {
            let message = format!(
                "{construct} types {} and {} cannot be matched",
                clash.settled.name(),
                clash.other.name()
            );
            crate::error::Error::new(sqlstate::DATATYPE_MISMATCH, message)
                .at(location(&exprs[clash.index]))
        })?;
        let exprs = exprs
            .into_iter()
            .map(|expr| self.to_common(expr, ty, construct));
        Ok((exprs.collect::<Result<_>>()?, ty))
    }

    pub fn to_common(&self, expr: Expr, ty: Type, construct: &str) -> Result<Expr> {
        let (from, position) = (expr.ty, location(&expr));
        implicitly(expr, ty)?.ok_or_else(|| {
            let message = format!(
                "{construct} could not convert type {} to {}",
                from.name(),
                ty.name()
            );
            crate::error::Error::new(sqlstate::CANNOT_COERCE, message).at(position)
        })
    }

    /// The typmod the parts share, or none.
    pub fn common_typmod(&self, exprs: &[Expr], ty: Type) -> i32 {
        let mut exprs = exprs.iter();
        match exprs.next() {
            Some(first) if first.ty == ty && exprs.all(|expr| expr.typmod == first.typmod) => {
                first.typmod
            }
            _ => -1,
        }
    }

    /// A value on its way into a column.
    ///
    /// # Errors
    /// 42804: `column "a" is of type integer but expression is of type text`
    pub fn assign(
        &self,
        expr: Expr,
        column: &crate::catalog::ColumnDef,
        subject: &str,
    ) -> Result<Expr> {
        let (from, position) = (expr.ty, location(&expr));
        let expr = interval_literal(expr, column.ty, column.typmod)?;
        match coerced(expr, column.ty, Coercion::Assignment)? {
            Some(expr) => Ok(with_typmod(expr, column.typmod, Coercion::Assignment)),
            None => {
                let message = format!(
                    "column \"{}\" is of type {} but {subject} is of type {}",
                    column.name,
                    column.ty.name(),
                    from.name()
                );
                let error = crate::error::Error::new(sqlstate::DATATYPE_MISMATCH, message);
                let hint = "You will need to rewrite or cast the expression.";
                Err(error.with_hint(hint).at(position))
            }
        }
    }
}

/// Where messages point that speak of a whole expression: at its first token (`exprLocation`).
pub(super) fn location(expr: &Expr) -> Option<Position> {
    let mut first = expr.position;
    expr.each_child(|child| {
        first = match (first, location(child)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    });
    first
}

/// An untyped literal that nothing has given a type is text.
pub(super) fn known(expr: Expr) -> Expr {
    match expr.ty {
        Type::UNKNOWN => Expr {
            ty: Type::TEXT,
            ..expr
        },
        _ => expr,
    }
}

/// A NULL of a type.
pub(super) fn null(ty: Type) -> Expr {
    Expr::constant(Datum::Null, ty)
}
