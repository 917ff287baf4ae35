//! What stands between operators: names, literals, parentheses, prefixes (`c_expr` in `gram.y`).

use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{Expr, ExprKind, Name, Query, Subscript};
use crate::sql::dialect;
use crate::sql::reader::{Reader, is_column_name};
use crate::sql::token::Token;
use sqlparser::ast as sp;

impl Reader {
    #[inline(never)]
    pub(super) fn lower_operand(&mut self, expr: sp::Expr) -> Result<Expr> {
        use sp::Expr::*;
        let at = self.at();
        match expr {
            Identifier(_) | CompoundIdentifier(_) => self.lower_column(at),
            // `sqlparser` keeps no star among its names: it stands behind the last point.
            QualifiedWildcard(sp::ObjectName(parts), _) => self.lower_whole_row(at, parts.len()),
            Value(sp::ValueWithSpan { value: _, span: _ }) => self.lower_literal(at),
            Nested(inner) => {
                self.expect_char(b'(')?;
                let inner = self.lower_expr(*inner)?;
                self.expect_char(b')')?;
                Ok(inner)
            }
            Tuple(fields) => {
                let explicit = self.eat_word("row");
                let fields = self.lower_parenthesized(fields, Self::lower_expr)?;
                self.node(at, ExprKind::Row { fields, explicit })
            }
            Subquery(query) => {
                let query = Box::new(self.lower_query_in_parentheses(query)?);
                self.node(at, ExprKind::ScalarQuery(query))
            }
            Exists {
                subquery,
                negated: false,
            } => {
                self.expect_word("exists")?;
                let query = Box::new(self.lower_query_in_parentheses(subquery)?);
                self.node(at, ExprKind::Exists(query))
            }
            UnaryOp {
                op: sp::UnaryOperator::Not,
                expr,
            } => {
                self.expect_word("not")?;
                let arg = self.lower_boxed(*expr)?;
                self.node(at, ExprKind::Not(arg))
            }
            UnaryOp { op: _, expr: arg }
            | Prefixed {
                prefix: _,
                value: arg,
            } => self.lower_prefix_operator(at, *arg),
            CompoundFieldAccess { root, access_chain } => {
                self.lower_field_access(at, *root, access_chain)
            }
            TypedString(sp::TypedString {
                data_type: _,
                value: _,
                uses_odbc_syntax: false,
            }) => self.lower_typed_string(at),
            Cast {
                kind: sp::CastKind::Cast,
                expr,
                data_type: _,
                format: None,
            } => {
                self.expect_word("cast")?;
                self.expect_char(b'(')?;
                let arg = self.lower_boxed(*expr)?;
                self.expect_word("as")?;
                let ty = self.type_name()?;
                self.expect_char(b')')?;
                self.node(at, ExprKind::Cast { arg, ty })
            }
            Case {
                case_token: _,
                end_token: _,
                operand,
                conditions,
                else_result,
            } => self.lower_case(at, operand, conditions, else_result),
            Array(sp::Array { elem, named: _ }) => {
                self.expect_word("array")?;
                self.lower_array(at, elem)
            }
            Function(function) => self.lower_function(at, function),
            Extract {
                field: _,
                syntax: sp::ExtractSyntax::From,
                expr,
            } => self.lower_extract(at, *expr),
            other => self.refuse(&other),
        }
    }

    /// Nodes the dialect does not let `sqlparser` make: another database's syntax.
    #[cold]
    fn refuse(&self, expr: &sp::Expr) -> Result<Expr> {
        match expr {
            sp::Expr::IsNormalized {
                expr: _,
                form: _,
                negated: _,
            } => self.unsupported("IS NORMALIZED"),
            _ => self.unexpected(),
        }
    }

    fn lower_column(&mut self, at: Position) -> Result<Expr> {
        if self.is_word("default") {
            let message = "DEFAULT is not allowed in this context";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message).at(Some(at)));
        }
        let name = self.qualified_name()?;
        self.node(at, ExprKind::Column(name))
    }

    /// `t.*` with so many parts before the star.
    pub(super) fn lower_whole_row(&mut self, at: Position, parts: usize) -> Result<Expr> {
        let first = self.name()?;
        let mut name = crate::sql::ast::QualifiedName { parts: vec![first] };
        for _ in 1..parts {
            self.expect_char(b'.')?;
            name.parts.push(self.label()?);
        }
        self.expect_char(b'.')?;
        if !self.eat_op("*") {
            return self.unexpected();
        }
        self.node(at, ExprKind::WholeRow(name))
    }

    fn lower_literal(&mut self, at: Position) -> Result<Expr> {
        let kind = match self.peek() {
            Token::Number(text) => ExprKind::Number(text.clone()),
            Token::String(text) => ExprKind::String(text.clone()),
            Token::Param(number) => ExprKind::Param(*number),
            Token::Keyword(keyword) => match keyword.word {
                "null" => ExprKind::Null,
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                _ => return self.unexpected(),
            },
            _ => return self.unexpected(),
        };
        self.bump();
        self.node(at, kind)
    }

    #[inline(never)]
    fn lower_prefix_operator(&mut self, at: Position, arg: sp::Expr) -> Result<Expr> {
        let op = self.operator()?;
        let arg = self.lower_expr(arg)?;
        // A sign before a number is part of the number (`doNegate`), so that -2147483648 is an
        // integer and -9223372036854775808 a bigint.
        if op.symbol == "-"
            && op.schema.is_none()
            && let ExprKind::Number(text) = &arg.kind
        {
            let text = match text.strip_prefix('-') {
                Some(positive) => positive.to_string(),
                None => format!("-{text}"),
            };
            return self.node(at, ExprKind::Number(text));
        }
        let arg = Box::new(arg);
        self.node(at, ExprKind::Unary { op, arg })
    }

    /// `[index]`, `[low:high]` and `.field` behind a column, a parameter or parentheses.
    #[inline(never)]
    fn lower_field_access(
        &mut self,
        at: Position,
        root: sp::Expr,
        chain: Vec<sp::AccessExpr>,
    ) -> Result<Expr> {
        let may_have_fields = match &root {
            sp::Expr::Identifier(_) | sp::Expr::CompoundIdentifier(_) => true,
            sp::Expr::Nested(_) | sp::Expr::Subquery(_) => true,
            sp::Expr::Value(value) => matches!(value.value, sp::Value::Placeholder(_)),
            _ => false,
        };
        let mut expr = self.lower_operand(root)?;
        if !may_have_fields {
            return self.unexpected();
        }
        let mut subscripts = Vec::new();
        let mut subscripts_at = at;
        for access in chain {
            let place = self.at();
            match access {
                sp::AccessExpr::Subscript(subscript) => {
                    if subscripts.is_empty() {
                        subscripts_at = place;
                    }
                    subscripts.push(self.lower_subscript(subscript)?);
                }
                sp::AccessExpr::Dot(field) => {
                    if !subscripts.is_empty() {
                        let arg = Box::new(expr);
                        let subscripts = std::mem::take(&mut subscripts);
                        let kind = ExprKind::Subscript { arg, subscripts };
                        expr = self.node(subscripts_at, kind)?;
                    }
                    self.expect_char(b'.')?;
                    let field = self.lower_field(field)?;
                    let arg = Box::new(expr);
                    expr = self.node(place, ExprKind::Field { arg, field })?;
                }
            }
        }
        if !subscripts.is_empty() {
            let arg = Box::new(expr);
            expr = self.node(subscripts_at, ExprKind::Subscript { arg, subscripts })?;
        }
        Ok(expr)
    }

    fn lower_field(&mut self, field: sp::Expr) -> Result<Name> {
        let name = self.label()?;
        match field {
            sp::Expr::Identifier(_) => Ok(name),
            _ => self.unexpected(),
        }
    }

    fn lower_subscript(&mut self, subscript: sp::Subscript) -> Result<Subscript> {
        self.expect_char(b'[')?;
        let lowered = match subscript {
            sp::Subscript::Index { index } => Subscript::Index(self.lower_expr(index)?),
            sp::Subscript::Slice {
                lower_bound,
                upper_bound,
                stride,
            } => {
                let low = self.lower_optional(lower_bound)?;
                self.expect_char(b':')?;
                let high = self.lower_optional(upper_bound)?;
                if stride.is_some() {
                    return self.unexpected();
                }
                Subscript::Slice(low, high)
            }
        };
        self.expect_char(b']')?;
        Ok(lowered)
    }

    fn lower_typed_string(&mut self, at: Position) -> Result<Expr> {
        let ty = self.type_name()?;
        let Token::String(text) = self.peek() else {
            return self.unexpected();
        };
        let text = text.clone();
        self.bump();
        self.node(at, ExprKind::TypedString { ty, text })
    }

    #[inline(never)]
    fn lower_case(
        &mut self,
        at: Position,
        operand: Option<Box<sp::Expr>>,
        conditions: Vec<sp::CaseWhen>,
        else_result: Option<Box<sp::Expr>>,
    ) -> Result<Expr> {
        self.expect_word("case")?;
        let mut lowered_operand = None;
        if let Some(operand) = operand {
            lowered_operand = Some(self.lower_boxed(*operand)?);
        }
        let mut whens = Vec::with_capacity(conditions.len());
        for sp::CaseWhen { condition, result } in conditions {
            self.expect_word("when")?;
            let when = self.lower_expr(condition)?;
            self.expect_word("then")?;
            whens.push((when, self.lower_expr(result)?));
        }
        let mut otherwise = None;
        if let Some(result) = else_result {
            self.expect_word("else")?;
            otherwise = Some(self.lower_boxed(*result)?);
        }
        self.expect_word("end")?;
        let operand = lowered_operand;
        self.node(
            at,
            ExprKind::Case {
                operand,
                whens,
                otherwise,
            },
        )
    }

    /// `[a, b]`, or `[[a], [b]]` without the word ARRAY inside.
    fn lower_array(&mut self, at: Position, elements: Vec<sp::Expr>) -> Result<Expr> {
        self.expect_char(b'[')?;
        let nested = self.is_char(b'[');
        let elements = self.lower_list(elements, |reader, element| {
            if reader.is_char(b'[') != nested {
                return reader.unexpected();
            }
            match element {
                sp::Expr::Array(sp::Array { elem, named: _ }) if nested => {
                    reader.lower_array(reader.at(), elem)
                }
                element => reader.lower_expr(element),
            }
        })?;
        self.expect_char(b']')?;
        self.node(at, ExprKind::Array(elements))
    }

    /// `( query )`: the tree has an empty SELECT in its place, now the query itself is parsed.
    pub(super) fn lower_query_in_parentheses(&mut self, _place: Box<sp::Query>) -> Result<Query> {
        let closing = self.closing(self.index());
        self.expect_char(b'(')?;
        let query = dialect::parse_query(self, closing)?;
        let query = self.lower_query(query)?;
        self.expect_char(b')')?;
        Ok(query)
    }

    /// A name that may be a column's, without qualification.
    pub(super) fn lower_name(&mut self, ident: sp::Ident) -> Result<Name> {
        let sp::Ident {
            value: _,
            quote_style: _,
            span: _,
        } = ident;
        match self.name_if(is_column_name) {
            Some(name) => Ok(name),
            None => self.unexpected(),
        }
    }
}
