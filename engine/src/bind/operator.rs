//! Operators and the constructs that are made of them (`parse_oper.c`, `parse_expr.c`).

use std::rc::Rc;

use super::binder::{Binder, Place};
use super::coerce::{coerced, implicitly, known};
use super::{Expr, ExprKind, Notation, same, walk};
use crate::catalog::{Coercion, OperatorRef, Resolution, can_coerce, common_type};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, LikeKind, OperatorName};
use crate::value::{Comparison, Datum, Type};

impl Binder<'_> {
    /// The operator for these types.
    ///
    /// # Errors
    /// 42883, 42725, 0A000 when it is one for a type that does not exist here.
    pub fn find_operator(
        &self,
        name: &str,
        left: Option<Type>,
        right: Type,
        at: Position,
    ) -> Result<OperatorRef> {
        let resolution = self.catalog.resolve_operator(name, left, right);
        let (sqlstate, problem, hint) = match resolution {
            Resolution::Found(operator) => return Ok(operator),
            Resolution::Undetermined => return Err(self.undetermined(at)),
            Resolution::NoArrayOf(ty) => return Err(self.no_array_of(ty, at)),
            Resolution::Foreign(ty) => return Err(self.unsupported(format!("type {ty}"), at)),
            Resolution::NotFound if left.is_none() => (
                sqlstate::UNDEFINED_FUNCTION,
                "operator does not exist",
                "No operator matches the given name and argument type. You might need to add an \
                 explicit type cast.",
            ),
            Resolution::NotFound => (
                sqlstate::UNDEFINED_FUNCTION,
                "operator does not exist",
                "No operator matches the given name and argument types. You might need to add \
                 explicit type casts.",
            ),
            Resolution::Ambiguous => (
                sqlstate::AMBIGUOUS_FUNCTION,
                "operator is not unique",
                "Could not choose a best candidate operator. You might need to add explicit type \
                 casts.",
            ),
        };
        let left = left.map(|ty| format!("{} ", ty.name())).unwrap_or_default();
        let message = format!("{problem}: {left}{name} {}", right.name());
        Err(self.error(sqlstate, message, at).with_hint(hint))
    }

    pub fn undetermined(&self, at: Position) -> Error {
        let message = "could not determine polymorphic type because input has type unknown";
        self.error(sqlstate::DATATYPE_MISMATCH, message, at)
    }

    pub fn no_array_of(&self, ty: Type, at: Position) -> Error {
        let message = format!("could not find array type for data type {}", ty.name());
        self.error(sqlstate::UNDEFINED_OBJECT, message, at)
    }

    /// An operator whose result must be Boolean.
    pub fn boolean_operator(
        &self,
        name: &str,
        left: Type,
        right: Type,
        construct: &str,
        at: Position,
    ) -> Result<OperatorRef> {
        let operator = self.find_operator(name, Some(left), right, at)?;
        if operator.result() != Type::BOOL {
            let message = format!("{construct} requires = operator to yield boolean");
            return Err(self.error(sqlstate::DATATYPE_MISMATCH, message, at));
        }
        Ok(operator)
    }

    /// Both operands as the operator wants them.
    pub fn operands(
        &self,
        operator: &OperatorRef,
        left: Expr,
        right: Expr,
    ) -> Result<(Expr, Expr)> {
        let wanted = operator.left.unwrap_or(operator.right);
        let left = self.as_argument(left, wanted)?;
        let right = self.as_argument(right, operator.right)?;
        Ok((left, right))
    }

    /// An argument as the function or operator that was chosen for it wants it.
    pub fn as_argument(&self, arg: Expr, wanted: Type) -> Result<Expr> {
        implicitly(arg, wanted)?
            .ok_or_else(|| Error::internal("an argument does not fit the function chosen for it"))
    }

    /// `left name right` with its implicit casts; a user's function behind it may be inlined.
    pub fn operator_call(
        &mut self,
        name: &str,
        left: Expr,
        right: Expr,
        at: Position,
    ) -> Result<Expr> {
        let operator = self.find_operator(name, Some(left.ty), right.ty, at)?;
        let (left, right) = self.operands(&operator, left, right)?;
        self.apply(operator, vec![left, right], at)
    }

    fn apply(&mut self, operator: OperatorRef, args: Vec<Expr>, at: Position) -> Result<Expr> {
        let function = Rc::clone(&operator.function);
        let notation = Notation::Operator(operator);
        self.function_call(function, notation, args, at)
    }

    pub fn prefix_operator(
        &mut self,
        op: &OperatorName,
        arg: &ast::Expr,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        self.check_operator_schema(op, at)?;
        let arg = self.expr(arg, place)?;
        let operator = self.find_operator(&op.symbol, None, arg.ty, at)?;
        let arg = self.as_argument(arg, operator.right)?;
        self.apply(operator, vec![arg], at)
    }

    fn check_operator_schema(&self, op: &OperatorName, at: Position) -> Result<()> {
        match &op.schema {
            Some(schema) if !super::binder::is_schema(&schema.text) => {
                let message = format!("operator does not exist: {}.{}", schema.text, op.symbol);
                Err(self.error(sqlstate::UNDEFINED_FUNCTION, message, at))
            }
            _ => Ok(()),
        }
    }

    pub fn binary_operator(
        &mut self,
        op: &OperatorName,
        left: &ast::Expr,
        right: &ast::Expr,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        self.check_operator_schema(op, at)?;
        // A chain `a + b + c` leans to the left: walk down it instead of recursing.
        let mut chain = vec![(op, right, at)];
        let mut innermost = left;
        while let ast::ExprKind::Binary { op, left, right } = &innermost.kind {
            self.check_operator_schema(op, innermost.at)?;
            chain.push((op, right, innermost.at));
            innermost = left;
        }
        let mut left: Option<Expr> = None;
        while let Some((op, right, at)) = chain.pop() {
            let first = left.is_none();
            let whole = match (first, &innermost.kind, &right.kind) {
                (
                    true,
                    ast::ExprKind::Row { fields: a, .. },
                    ast::ExprKind::Row { fields: b, .. },
                ) => self.row_comparison(&op.symbol, a, b, at, place)?,
                (true, ast::ExprKind::Row { .. }, ast::ExprKind::ScalarQuery(_)) => {
                    return Err(self.unsupported("a comparison of a row with a sub-select", at));
                }
                _ => {
                    let l = match left {
                        Some(left) => left,
                        None => self.expr(innermost, place)?,
                    };
                    let r = self.expr(right, place)?;
                    self.operator_call(&op.symbol, l, r, at)?
                }
            };
            left = Some(whole);
        }
        left.ok_or_else(|| Error::internal("a chain of operators without an operator"))
    }

    /// `(a, b) op (c, d)` (`make_row_comparison_op`).
    fn row_comparison(
        &mut self,
        name: &str,
        left: &[ast::Expr],
        right: &[ast::Expr],
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let left = self.exprs(left, place)?;
        let right = self.exprs(right, place)?;
        self.row_comparison_of(name, left, right, at)
    }

    fn row_comparison_of(
        &mut self,
        name: &str,
        left: Vec<Expr>,
        right: Vec<Expr>,
        at: Position,
    ) -> Result<Expr> {
        if left.len() != right.len() {
            let message = "unequal number of entries in row expressions";
            return Err(self.error(sqlstate::SYNTAX_ERROR, message, at));
        }
        if left.is_empty() {
            let message = "cannot compare rows of zero length";
            return Err(self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, at));
        }
        let op = match name {
            "=" => Comparison::Eq,
            "<>" => Comparison::Ne,
            "<" => Comparison::Lt,
            "<=" => Comparison::Le,
            ">" => Comparison::Gt,
            ">=" => Comparison::Ge,
            _ => {
                for (l, r) in left.iter().zip(&right) {
                    let result = self.find_operator(name, Some(l.ty), r.ty, at)?.result();
                    if result != Type::BOOL {
                        let message = format!(
                            "row comparison operator must yield type boolean, not type {}",
                            result.name()
                        );
                        return Err(self.error(sqlstate::DATATYPE_MISMATCH, message, at));
                    }
                }
                let message =
                    format!("could not determine interpretation of row comparison operator {name}");
                let hint = "Row comparison operators must be associated with btree operator \
                            families.";
                let error = self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, at);
                return Err(error.with_hint(hint));
            }
        };
        if matches!(op, Comparison::Eq | Comparison::Ne) || left.len() == 1 {
            let pairs: Vec<(Expr, Expr)> = left.into_iter().zip(right).collect();
            let mut terms = Vec::with_capacity(pairs.len());
            for (l, r) in pairs {
                terms.push(self.operator_call(name, l, r, at)?);
            }
            let expr = match (terms.len(), op) {
                (1, _) => return terms.pop().ok_or_else(|| Error::internal("no term")),
                (_, Comparison::Eq) => ExprKind::And(terms).of(Type::BOOL),
                _ => ExprKind::Or(terms).of(Type::BOOL),
            };
            return Ok(expr.at(self.at(at)));
        }
        let mut operators = Vec::with_capacity(left.len());
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for (l, r) in left.into_iter().zip(right) {
            let operator = self.boolean_operator(name, l.ty, r.ty, "row comparison", at)?;
            let (l, r) = self.operands(&operator, l, r)?;
            operators.push(operator);
            lefts.push(l);
            rights.push(r);
        }
        let kind = ExprKind::RowCompare {
            op,
            operators,
            left: lefts,
            right: rights,
        };
        Ok(kind.of(Type::BOOL).at(self.at(at)))
    }

    pub fn is_distinct(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        negated: bool,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        // `x IS DISTINCT FROM NULL` is a NULL test, as in PostgreSQL.
        for (null, other) in [(right, left), (left, right)] {
            if matches!(null.kind, ast::ExprKind::Null) {
                let arg = Box::new(known(self.expr(other, place)?));
                return Ok(ExprKind::NullTest {
                    arg,
                    negated: !negated,
                }
                .of(Type::BOOL));
            }
        }
        let left = self.expr(left, place)?;
        let right = self.expr(right, place)?;
        let equal = self.boolean_operator("=", left.ty, right.ty, "IS DISTINCT FROM", at)?;
        let (left, right) = self.operands(&equal, left, right)?;
        let (left, right) = (Box::new(left), Box::new(right));
        Ok(ExprKind::Distinct {
            equal,
            left,
            right,
            negated,
        }
        .of(Type::BOOL))
    }

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

    pub fn between(
        &mut self,
        arg: &ast::Expr,
        low: &ast::Expr,
        high: &ast::Expr,
        (symmetric, negated): (bool, bool),
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let arg = self.expr(arg, place)?;
        let low = self.expr(low, place)?;
        let high = self.expr(high, place)?;
        let (from, to) = if negated { ("<", ">") } else { (">=", "<=") };
        let mut range = |low: Expr, high: Expr| -> Result<Expr> {
            let above = self.operator_call(from, arg.clone(), low, at)?;
            let below = self.operator_call(to, arg.clone(), high, at)?;
            let terms = vec![self.boolean(above, "AND")?, self.boolean(below, "AND")?];
            let kind = if negated {
                ExprKind::Or(terms)
            } else {
                ExprKind::And(terms)
            };
            Ok(kind.of(Type::BOOL))
        };
        if !symmetric {
            return range(low, high);
        }
        let terms = vec![range(low.clone(), high.clone())?, range(high, low)?];
        let kind = if negated {
            ExprKind::And(terms)
        } else {
            ExprKind::Or(terms)
        };
        Ok(kind.of(Type::BOOL))
    }

    /// `x IN (a, b)`: an array where the items share a type and are no columns, comparisons else
    /// (`transformAExprIn`).
    pub fn in_list(
        &mut self,
        arg: &ast::Expr,
        list: &[ast::Expr],
        negated: bool,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let name = if negated { "<>" } else { "=" };
        if let ast::ExprKind::Row { fields, .. } = &arg.kind {
            return self.row_in_list(fields, list, negated, at, place);
        }
        let left = self.expr(arg, place)?;
        let items = self.exprs(list, place)?;
        let has_var = |expr: &Expr| {
            let mut found = false;
            walk::each_var(expr, &mut |_, _| found = true);
            found
        };
        let (with_columns, without): (Vec<Expr>, Vec<Expr>) = items.into_iter().partition(has_var);
        let mut terms = Vec::new();
        let mut rest = Vec::new();
        let types: Vec<Type> = [&left].into_iter().chain(&without).map(|e| e.ty).collect();
        let common = common_type(&types).ok().filter(|ty| {
            !ty.array
                && types
                    .iter()
                    .all(|from| can_coerce(*from, *ty, Coercion::Implicit))
        });
        match common {
            Some(ty) if without.len() > 1 => {
                let items = without
                    .into_iter()
                    .map(|item| self.to_common(item, ty, "IN"));
                let array = ExprKind::Array(items.collect::<Result<_>>()?).of(ty.to_array());
                let operator = self.boolean_operator(name, left.ty, ty, "IN", at)?;
                terms.push(self.scalar_array(operator, !negated, left.clone(), array, at)?);
            }
            _ => rest = without,
        }
        for item in rest.into_iter().chain(with_columns) {
            terms.push(self.operator_call(name, left.clone(), item, at)?);
        }
        self.any_term(terms, negated)
    }

    fn any_term(&self, mut terms: Vec<Expr>, negated: bool) -> Result<Expr> {
        if terms.len() == 1 {
            return terms.pop().ok_or_else(|| Error::internal("no term"));
        }
        let kind = if negated {
            ExprKind::And(terms)
        } else {
            ExprKind::Or(terms)
        };
        Ok(kind.of(Type::BOOL))
    }

    fn row_in_list(
        &mut self,
        fields: &[ast::Expr],
        list: &[ast::Expr],
        negated: bool,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let name = if negated { "<>" } else { "=" };
        let left = self.exprs(fields, place)?;
        let mut terms = Vec::with_capacity(list.len());
        for item in list {
            let ast::ExprKind::Row { fields, .. } = &item.kind else {
                return Err(self.unsupported("a comparison of a row with a value", item.at));
            };
            let right = self.exprs(fields, place)?;
            terms.push(self.row_comparison_of(name, left.clone(), right, at)?);
        }
        self.any_term(terms, negated)
    }

    /// `left op ANY|ALL (array)`
    pub fn quantified(
        &mut self,
        left: &ast::Expr,
        op: &OperatorName,
        all: bool,
        array: &ast::Expr,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        self.check_operator_schema(op, at)?;
        let left = self.expr(left, place)?;
        let array = self.expr(array, place)?;
        // An untyped literal is an array of what the left side is.
        let element = match array.ty {
            Type::UNKNOWN => Type::UNKNOWN,
            ty if ty.array => ty.element(),
            _ => {
                let message = "op ANY/ALL (array) requires array on right side";
                return Err(self.error(sqlstate::WRONG_OBJECT_TYPE, message, at));
            }
        };
        let operator = self.find_operator(&op.symbol, Some(left.ty), element, at)?;
        if operator.result() != Type::BOOL {
            let message = "op ANY/ALL (array) requires operator to yield boolean";
            return Err(self.error(sqlstate::WRONG_OBJECT_TYPE, message, at));
        }
        self.scalar_array(operator, !all, left, array, at)
    }

    fn scalar_array(
        &mut self,
        operator: OperatorRef,
        any: bool,
        left: Expr,
        array: Expr,
        at: Position,
    ) -> Result<Expr> {
        let wanted = operator.left.unwrap_or(operator.right);
        let left = self.as_argument(left, wanted)?;
        let Some(array) = coerced(array, operator.right.to_array(), Coercion::Implicit)? else {
            return Err(self.no_array_of(operator.right, at));
        };
        self.forbid_sets(std::slice::from_ref(&array), "op ANY/ALL (array)")?;
        let (left, array) = (Box::new(left), Box::new(array));
        Ok(ExprKind::ScalarArray {
            operator,
            any,
            left,
            array,
        }
        .of(Type::BOOL))
    }

    /// True if two expressions mean the same.
    pub fn is_same(&self, a: &Expr, b: &Expr) -> bool {
        same::same(a, b)
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
