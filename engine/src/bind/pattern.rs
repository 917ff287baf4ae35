//! LIKE and ILIKE.

use super::binder::{Binder, Place};
use super::{Expr, ExprKind, Notation};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, LikeKind};
use crate::value::{Datum, Type};

impl Binder<'_> {
    pub fn like(
        &mut self,
        arg: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
        (kind, negated): (LikeKind, bool),
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let symbol = match (kind, negated) {
            (LikeKind::SimilarTo, _) => return Err(self.unsupported("SIMILAR TO", at)),
            (LikeKind::Like, false) => "~~",
            (LikeKind::Like, true) => "!~~",
            (LikeKind::ILike, false) => "~~*",
            (LikeKind::ILike, true) => "!~~*",
        };
        let arg = self.expr(arg, place)?;
        let mut pattern = self.expr(pattern, place)?;
        if let Some(escape) = escape {
            let escape = self.expr(escape, place)?;
            pattern = self.with_escape(pattern, escape, at)?;
        }
        self.operator_call(symbol, arg, pattern, at)
    }

    /// A pattern whose escape character is the usual backslash (`like_escape`). Two constants are
    /// rewritten at once.
    fn with_escape(&mut self, pattern: Expr, escape: Expr, at: Position) -> Result<Expr> {
        if let (ExprKind::Const(Datum::Text(p)), ExprKind::Const(Datum::Text(e))) =
            (&pattern.kind, &escape.kind)
        {
            let rewritten = like_escape(p, e).map_err(|error| error.at(self.at(at)))?;
            let kind = ExprKind::Const(Datum::text(rewritten));
            return Ok(Expr {
                kind,
                ty: Type::TEXT,
                ..pattern
            });
        }
        let types = [pattern.ty, escape.ty];
        let Some(function) = self.catalog.resolve_function("like_escape", &types).found() else {
            let message = format!(
                "function pg_catalog.like_escape({}, {}) does not exist",
                pattern.ty.name(),
                escape.ty.name()
            );
            let hint = "No function matches the given name and argument types. You might need to \
                        add explicit type casts.";
            let error = self.error(sqlstate::UNDEFINED_FUNCTION, message, at);
            return Err(error.with_hint(hint));
        };
        let pattern = self.as_argument(pattern, Type::TEXT)?;
        let escape = self.as_argument(escape, Type::TEXT)?;
        self.function_call(function, Notation::Function, vec![pattern, escape], at)
    }
}

/// A LIKE pattern with another escape character, or none, written with the backslash
/// (`MB_do_like_escape`).
///
/// # Errors
/// 22025 for an escape of more than one character.
fn like_escape(pattern: &str, escape: &str) -> Result<String> {
    let mut escapes = escape.chars();
    let escape = escapes.next();
    if escapes.next().is_some() {
        let error = Error::new(sqlstate::INVALID_ESCAPE_SEQUENCE, "invalid escape string");
        return Err(error.with_hint("Escape string must be empty or one character."));
    }
    if escape == Some('\\') {
        return Ok(pattern.to_string());
    }
    let mut out = String::with_capacity(pattern.len());
    let mut after_escape = false;
    for c in pattern.chars() {
        if Some(c) == escape && !after_escape {
            out.push('\\');
            after_escape = true;
        } else if c == '\\' {
            out.push('\\');
            // An escaped backslash already has its own.
            if !after_escape {
                out.push('\\');
            }
            after_escape = false;
        } else {
            out.push(c);
            after_escape = false;
        }
    }
    Ok(out)
}
