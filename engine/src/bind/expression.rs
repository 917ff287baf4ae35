//! Expressions (`transformExprRecurse` in `parse_expr.c`).

use super::binder::{Binder, Place};
use super::coerce::{coerced, known, null};
use super::{Expr, ExprKind};
use crate::catalog::{Coercion, FunctionFacts, FunctionKind, Origin, Volatility};
use crate::error::{Position, Result, sqlstate};
use crate::sql::ast::{self, IsTest, QualifiedName, Subscript, TypeName};
use crate::value::{BooleanTest, Datum, Numeric, Type};
use std::rc::Rc;

impl Binder<'_> {
    /// An expression that stands in `place`. Literals may still be of type `unknown`.
    ///
    /// # Errors
    /// Those of names and types; 0A000 for what does not exist here.
    pub fn expr(&mut self, expr: &ast::Expr, place: Place) -> Result<Expr> {
        let at = expr.at;
        let bound = match &expr.kind {
            ast::ExprKind::Column(name) => return self.column(name),
            ast::ExprKind::WholeRow(_) => {
                return Err(self.unsupported("a whole row as a value", at));
            }
            ast::ExprKind::Param(number) => return self.numbered_parameter(*number, at),
            ast::ExprKind::Null => null(Type::UNKNOWN),
            ast::ExprKind::Bool(value) => Expr::constant(Datum::Bool(*value), Type::BOOL),
            ast::ExprKind::Number(text) => number(text)?,
            ast::ExprKind::String(text) => {
                Expr::constant(Datum::text(text.as_str()), Type::UNKNOWN)
            }
            ast::ExprKind::TypedString { ty, text } => {
                let (target, typmod) = self.resolve_type(ty)?;
                let literal = Expr::constant(Datum::text(text.as_str()), Type::UNKNOWN);
                self.explicit_cast(literal.at(self.at(at)), target, typmod, at)?
            }
            ast::ExprKind::Unary { op, arg } => return self.prefix_operator(op, arg, at, place),
            ast::ExprKind::Binary { op, left, right } => {
                return self.binary_operator(op, left, right, at, place);
            }
            ast::ExprKind::And(terms) => {
                ExprKind::And(self.conditions(terms, "AND", place)?).of(Type::BOOL)
            }
            ast::ExprKind::Or(terms) => {
                ExprKind::Or(self.conditions(terms, "OR", place)?).of(Type::BOOL)
            }
            ast::ExprKind::Not(arg) => {
                let arg = self.condition(arg, "NOT", place)?;
                ExprKind::Not(Box::new(arg)).of(Type::BOOL)
            }
            ast::ExprKind::Is { arg, test, negated } => {
                self.is_test(arg, *test, *negated, place)?
            }
            ast::ExprKind::IsDistinct {
                left,
                right,
                negated,
            } => self.is_distinct(left, right, *negated, at, place)?,
            ast::ExprKind::Like {
                arg,
                pattern,
                escape,
                kind,
                negated,
            } => self.like(
                arg,
                pattern,
                escape.as_deref(),
                (*kind, *negated),
                at,
                place,
            )?,
            ast::ExprKind::Between {
                arg,
                low,
                high,
                symmetric,
                negated,
            } => self.between(arg, low, high, (*symmetric, *negated), at, place)?,
            ast::ExprKind::InList { arg, list, negated } => {
                self.in_list(arg, list, *negated, at, place)?
            }
            ast::ExprKind::InQuery {
                arg,
                query,
                negated,
            } => self.in_query(arg, query, *negated, at, place)?,
            ast::ExprKind::Quantified {
                left,
                op,
                all,
                array,
            } => self.quantified(left, op, *all, array, at, place)?,
            ast::ExprKind::QuantifiedQuery {
                left,
                op,
                all,
                query,
            } => self.quantified_query(left, op, *all, query, at, place)?,
            ast::ExprKind::Case {
                operand,
                whens,
                otherwise,
            } => self.case(operand.as_deref(), whens, otherwise.as_deref(), place)?,
            ast::ExprKind::Cast { arg, ty } => return self.cast(arg, ty, at, place),
            ast::ExprKind::Collate { arg, collation } => self.collate(arg, collation, at, place)?,
            ast::ExprKind::AtTimeZone { .. } => {
                return Err(self.unsupported("AT TIME ZONE", at));
            }
            ast::ExprKind::Call(call) => return self.call(call, at, place),
            ast::ExprKind::SqlValue { name, precision } => self.sql_value(name, *precision, at)?,
            ast::ExprKind::Coalesce(args) => {
                let args = self.exprs(args, place)?;
                self.forbid_sets(&args, "COALESCE")?;
                let (args, ty) = self.unify(args, "COALESCE")?;
                let typmod = self.common_typmod(&args, ty);
                Expr {
                    typmod,
                    ..ExprKind::Coalesce(args).of(ty)
                }
            }
            ast::ExprKind::NullIf(left, right) => self.null_if(left, right, at, place)?,
            ast::ExprKind::Greatest(args) => self.min_max(args, true, at, place)?,
            ast::ExprKind::Least(args) => self.min_max(args, false, at, place)?,
            ast::ExprKind::Grouping(_) => return Err(self.unsupported("GROUPING", at)),
            ast::ExprKind::Row { .. } => return Err(self.unsupported("a row as a value", at)),
            ast::ExprKind::Array(elements) => self.array(elements, None, at, place)?,
            ast::ExprKind::ArrayQuery(query) => self.array_query(query, at)?,
            ast::ExprKind::Subscript { arg, subscripts } => {
                self.subscript(arg, subscripts, at, place)?
            }
            ast::ExprKind::Field { .. } => {
                return Err(self.unsupported("a field of a row value", at));
            }
            ast::ExprKind::Exists(query) => self.exists(query)?,
            ast::ExprKind::ScalarQuery(query) => self.scalar_query(query, at)?,
            ast::ExprKind::Default => {
                let message = "DEFAULT is not allowed in this context";
                return Err(self.error(sqlstate::SYNTAX_ERROR, message, at));
            }
        };
        Ok(bound.at(self.at(at)))
    }

    pub fn exprs(&mut self, exprs: &[ast::Expr], place: Place) -> Result<Vec<Expr>> {
        exprs.iter().map(|expr| self.expr(expr, place)).collect()
    }

    /// A Boolean; `construct` is what messages call the place.
    pub fn condition(&mut self, expr: &ast::Expr, construct: &str, place: Place) -> Result<Expr> {
        let bound = self.expr(expr, place)?;
        self.boolean(bound, construct)
    }

    fn conditions(
        &mut self,
        terms: &[ast::Expr],
        construct: &str,
        place: Place,
    ) -> Result<Vec<Expr>> {
        terms
            .iter()
            .map(|term| self.condition(term, construct, place))
            .collect()
    }

    /// # Errors
    /// 0A000: set-returning functions inside of CASE or COALESCE.
    pub fn forbid_sets(&self, exprs: &[Expr], construct: &str) -> Result<()> {
        match exprs.iter().find(|expr| super::walk::returns_set(expr)) {
            Some(expr) => {
                let message = format!("set-returning functions are not allowed in {construct}");
                let error = crate::error::Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message);
                Err(error.at(expr.position))
            }
            None => Ok(()),
        }
    }

    fn is_test(
        &mut self,
        arg: &ast::Expr,
        test: IsTest,
        negated: bool,
        place: Place,
    ) -> Result<Expr> {
        let (construct, boolean_test) = match (test, negated) {
            (IsTest::Null, _) => return self.null_test(arg, negated, place),
            (IsTest::True, false) => ("IS TRUE", BooleanTest::IsTrue),
            (IsTest::True, true) => ("IS NOT TRUE", BooleanTest::IsNotTrue),
            (IsTest::False, false) => ("IS FALSE", BooleanTest::IsFalse),
            (IsTest::False, true) => ("IS NOT FALSE", BooleanTest::IsNotFalse),
            (IsTest::Unknown, false) => ("IS UNKNOWN", BooleanTest::IsUnknown),
            (IsTest::Unknown, true) => ("IS NOT UNKNOWN", BooleanTest::IsNotUnknown),
        };
        let arg = Box::new(self.condition(arg, construct, place)?);
        Ok(ExprKind::BooleanTest {
            arg,
            test: boolean_test,
        }
        .of(Type::BOOL))
    }

    /// A row is NULL if all its fields are, and NOT NULL if none is.
    fn null_test(&mut self, arg: &ast::Expr, negated: bool, place: Place) -> Result<Expr> {
        let test = |arg: Expr| {
            let arg = Box::new(known(arg));
            ExprKind::NullTest { arg, negated }.of(Type::BOOL)
        };
        if let ast::ExprKind::Row { fields, .. } = &arg.kind {
            let fields = self.exprs(fields, place)?;
            if fields.is_empty() {
                return Ok(Expr::constant(Datum::Bool(true), Type::BOOL));
            }
            return Ok(ExprKind::And(fields.into_iter().map(test).collect()).of(Type::BOOL));
        }
        Ok(test(self.expr(arg, place)?))
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        whens: &[(ast::Expr, ast::Expr)],
        otherwise: Option<&ast::Expr>,
        place: Place,
    ) -> Result<Expr> {
        let operand = match operand {
            Some(operand) => Some(known(self.expr(operand, place)?)),
            None => None,
        };
        let mut conditions = Vec::with_capacity(whens.len());
        let mut results = Vec::with_capacity(whens.len() + 1);
        for (when, then) in whens {
            let condition = match &operand {
                Some(operand) => {
                    let value = Expr {
                        kind: ExprKind::CaseValue,
                        ty: operand.ty,
                        typmod: operand.typmod,
                        position: operand.position,
                    };
                    let when_value = self.expr(when, place)?;
                    self.operator_call("=", value, when_value, when.at)?
                }
                None => self.expr(when, place)?,
            };
            conditions.push(self.boolean(condition, "CASE/WHEN")?);
            results.push(self.expr(then, place)?);
        }
        // PostgreSQL looks at the ELSE first when it settles on a type.
        let default = match otherwise {
            Some(otherwise) => self.expr(otherwise, place)?,
            None => null(Type::UNKNOWN),
        };
        results.insert(0, default);
        self.forbid_sets(&results, "CASE")?;
        let (mut results, ty) = self.unify(results, "CASE")?;
        let typmod = self.common_typmod(&results, ty);
        let default = results.remove(0);
        let arms = conditions.into_iter().zip(results).collect();
        let otherwise = otherwise.map(|_| Box::new(default));
        let operand = operand.map(Box::new);
        Ok(Expr {
            typmod,
            ..ExprKind::Case {
                operand,
                arms,
                otherwise,
            }
            .of(ty)
        })
    }

    fn cast(&mut self, arg: &ast::Expr, ty: &TypeName, at: Position, place: Place) -> Result<Expr> {
        let (target, typmod) = self.resolve_type(ty)?;
        // The elements of an array that is written out are cast one by one.
        if let (ast::ExprKind::Array(elements), true) = (&arg.kind, target.array) {
            let array = self.array(elements, Some(target), arg.at, place)?;
            return Ok(super::coerce::with_typmod(
                array,
                typmod,
                Coercion::Explicit,
            ));
        }
        let arg = self.expr(arg, place)?;
        self.explicit_cast(arg, target, typmod, at)
    }

    /// Text compares in C order, so COLLATE "C" changes nothing; other collations do not exist.
    fn collate(
        &mut self,
        arg: &ast::Expr,
        collation: &QualifiedName,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let arg = self.expr(arg, place)?;
        if !matches!(
            arg.ty.base,
            crate::value::Base::Text | crate::value::Base::Varchar
        ) && arg.ty != Type::UNKNOWN
        {
            let message = format!("collations are not supported by type {}", arg.ty.name());
            return Err(self.error(sqlstate::DATATYPE_MISMATCH, message, at));
        }
        match collation.object() {
            "C" | "POSIX" | "default" | "ucs_basic" => Ok(known(arg)),
            other => Err(self.unsupported(format!("collation \"{other}\""), at)),
        }
    }

    fn sql_value(&mut self, name: &str, precision: Option<i64>, at: Position) -> Result<Expr> {
        let ty = match (name, precision) {
            ("current_date", None) => Type::DATE,
            ("localtimestamp", None) => Type::TIMESTAMP,
            _ => return Err(self.unsupported(name.to_uppercase(), at)),
        };
        let function = Rc::new(FunctionFacts {
            name: Rc::from(name),
            args: Vec::new(),
            result: ty,
            kind: FunctionKind::Plain,
            strict: false,
            volatility: Volatility::Stable,
            leakproof: false,
            returns_set: false,
            origin: Origin::Builtin,
        });
        let notation = super::Notation::Function;
        Ok(ExprKind::Call {
            function,
            notation,
            args: Vec::new(),
        }
        .of(ty))
    }

    fn null_if(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let left = self.expr(left, place)?;
        let right = self.expr(right, place)?;
        let equal = self.boolean_operator("=", left.ty, right.ty, "NULLIF", at)?;
        let (left, right) = self.operands(&equal, left, right)?;
        let (ty, typmod) = (left.ty, left.typmod);
        let kind = ExprKind::NullIf {
            equal,
            left: Box::new(left),
            right: Box::new(right),
        };
        Ok(Expr {
            typmod,
            ..kind.of(ty)
        })
    }

    fn min_max(
        &mut self,
        args: &[ast::Expr],
        greatest: bool,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let construct = if greatest { "GREATEST" } else { "LEAST" };
        let args = self.exprs(args, place)?;
        self.forbid_sets(&args, construct)?;
        let (args, ty) = self.unify(args, construct)?;
        let typmod = self.common_typmod(&args, ty);
        let less = self.find_operator("<", Some(ty), ty, at)?;
        Ok(Expr {
            typmod,
            ..ExprKind::MinMax {
                greatest,
                less,
                args,
            }
            .of(ty)
        })
    }

    /// `ARRAY[…]`, whose elements become those of `target` if a cast stands around it.
    pub fn array(
        &mut self,
        elements: &[ast::Expr],
        target: Option<Type>,
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let nested = elements
            .iter()
            .find(|e| matches!(e.kind, ast::ExprKind::Array(_)));
        if let Some(nested) = nested {
            return Err(self.unsupported("an array of more than one dimension", nested.at));
        }
        let elements = self.exprs(elements, place)?;
        if let Some(target) = target {
            let element = target.element();
            let cast = |expr: Expr| self.explicit_cast(expr, element, -1, at);
            let elements = elements.into_iter().map(cast).collect::<Result<_>>()?;
            return Ok(ExprKind::Array(elements).of(target));
        }
        if elements.is_empty() {
            let message = "cannot determine type of empty array";
            let hint = "Explicitly cast to the desired type, for example ARRAY[]::integer[].";
            let error = self.error(sqlstate::INDETERMINATE_DATATYPE, message, at);
            return Err(error.with_hint(hint));
        }
        let (elements, ty) = self.unify(elements, "ARRAY")?;
        if ty.array {
            return Err(self.unsupported("an array of more than one dimension", at));
        }
        Ok(ExprKind::Array(elements).of(ty.to_array()))
    }

    fn subscript(
        &mut self,
        arg: &ast::Expr,
        subscripts: &[Subscript],
        at: Position,
        place: Place,
    ) -> Result<Expr> {
        let array = self.expr(arg, place)?;
        if !array.ty.array {
            let message = format!(
                "cannot subscript type {} because it does not support subscripting",
                array.ty.name()
            );
            return Err(self.error(sqlstate::DATATYPE_MISMATCH, message, arg.at));
        }
        let index = match subscripts {
            [Subscript::Index(index)] => index,
            [Subscript::Slice(..)] => return Err(self.unsupported("an array slice", at)),
            _ => return Err(self.unsupported("more than one subscript", at)),
        };
        let index = self.expr(index, place)?;
        let position = super::coerce::location(&index);
        let Some(index) = coerced(index, Type::INT4, Coercion::Assignment)? else {
            let message = "array subscript must have type integer";
            let error = crate::error::Error::new(sqlstate::DATATYPE_MISMATCH, message);
            return Err(error.at(position));
        };
        let (ty, typmod) = (array.ty.element(), array.typmod);
        let kind = ExprKind::Subscript {
            array: Box::new(array),
            index: Box::new(index),
        };
        Ok(Expr {
            typmod,
            ..kind.of(ty)
        })
    }
}

impl ExprKind {
    pub(super) fn of(self, ty: Type) -> Expr {
        Expr::new(self, ty)
    }
}

/// A number as written: integer if it fits, else bigint, else numeric (`make_const`).
fn number(text: &str) -> Result<Expr> {
    if let Ok(value) = text.parse::<i32>() {
        return Ok(Expr::constant(Datum::Int4(value), Type::INT4));
    }
    if let Ok(value) = text.parse::<i64>() {
        return Ok(Expr::constant(Datum::Int8(value), Type::INT8));
    }
    Ok(Expr::constant(
        Datum::Numeric(Numeric::parse(text)?),
        Type::NUMERIC,
    ))
}
