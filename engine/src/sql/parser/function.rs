//! Calls, and the functions SQL gives a syntax of their own (`func_expr` in `gram.y`).

use super::{Parser, is_type_or_function_name};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::keywords::Keyword;
use crate::sql::token::Token;

impl Parser<'_> {
    /// A call behind its name, with everything a call can have behind its parentheses.
    #[inline(never)]
    pub(super) fn call(&mut self, at: Position, name: QualifiedName) -> Result<Expr> {
        let mut call = self.application(name)?;
        if self.is_word("within") {
            self.bump();
            self.expect_word("group")?;
            self.expect_char(b'(')?;
            call.within_group = Some(self.order_by()?);
            self.expect_char(b')')?;
        }
        if self.is_word("filter") && self.peek_at(1).is_char(b'(') {
            self.bump();
            self.expect_char(b'(')?;
            self.expect_word("where")?;
            call.filter = Some(self.expr()?);
            self.expect_char(b')')?;
        }
        if self.eat_word("over") {
            call.over = Some(if self.is_char(b'(') {
                Window::Inline(self.window_spec()?)
            } else {
                Window::Named(self.name()?)
            });
        }
        self.node(at, ExprKind::Call(Box::new(call)))
    }

    /// `name ( arguments )`
    #[inline(never)]
    pub(super) fn application(&mut self, name: QualifiedName) -> Result<Call> {
        self.expect_char(b'(')?;
        let mut call = call_of(name, Vec::new());
        if self.eat_op("*") {
            call.args = CallArgs::Star;
            self.expect_char(b')')?;
            return Ok(call);
        }
        if self.eat_char(b')') {
            return Ok(call);
        }
        if self.eat_word("distinct") {
            call.distinct = true;
        } else {
            self.eat_word("all");
        }
        let mut variadic = false;
        let args = self.comma_separated(|parser| {
            if variadic {
                return parser.unexpected();
            }
            variadic = parser.eat_word("variadic");
            parser.argument()
        })?;
        call.args = CallArgs::List { args, variadic };
        if self.is_word("order") {
            call.order_by = self.order_by()?;
        }
        self.expect_char(b')')?;
        Ok(call)
    }

    #[inline(never)]
    fn argument(&mut self) -> Result<Argument> {
        let named = matches!(self.peek_at(1), Token::ColonEquals | Token::EqualsGreater);
        let mut name = None;
        if named {
            name = self.name_if(is_type_or_function_name);
            if name.is_none() {
                return self.unexpected();
            }
            self.bump();
        }
        Ok(Argument {
            name,
            value: self.expr()?,
        })
    }

    /// `(base PARTITION BY … ORDER BY … frame)`
    #[inline(never)]
    pub(super) fn window_spec(&mut self) -> Result<WindowSpec> {
        self.expect_char(b'(')?;
        let mut base = None;
        let clause = matches!(
            self.peek(),
            Token::Keyword(k) if matches!(k.word, "partition" | "range" | "rows" | "groups")
        );
        if !clause {
            base = self.name_if(super::is_column_name);
        }
        let mut partition_by = Vec::new();
        if self.eat_word("partition") {
            self.expect_word("by")?;
            partition_by = self.comma_separated(Self::expr)?;
        }
        let mut order_by = Vec::new();
        if self.is_word("order") {
            order_by = self.order_by()?;
        }
        let mut frame = None;
        if !self.is_char(b')') {
            let starts = matches!(
                self.peek(),
                Token::Keyword(k) if matches!(k.word, "range" | "rows" | "groups")
            );
            if !starts {
                return self.unexpected();
            }
            frame = Some(self.at());
            while !self.is_char(b')') {
                if matches!(self.peek(), Token::End | Token::Bad(_)) {
                    return self.unexpected();
                }
                self.bump();
            }
        }
        self.expect_char(b')')?;
        Ok(WindowSpec {
            base,
            partition_by,
            order_by,
            frame,
        })
    }

    /// COALESCE, EXTRACT, CURRENT_DATE and the like; `None` if the keyword is none of them here.
    #[inline(never)]
    pub(super) fn special_function(
        &mut self,
        at: Position,
        keyword: Keyword,
    ) -> Result<Option<Expr>> {
        let word = keyword.word;
        if let "current_date" | "current_role" | "current_user" | "session_user" | "user"
        | "current_catalog" = word
        {
            self.bump();
            return self
                .node(
                    at,
                    ExprKind::SqlValue {
                        name: word,
                        precision: None,
                    },
                )
                .map(Some);
        }
        if let "current_time" | "current_timestamp" | "localtime" | "localtimestamp" = word {
            self.bump();
            let mut precision = None;
            if self.eat_char(b'(') {
                precision = Some(self.signed_integer()?);
                self.expect_char(b')')?;
            }
            return self
                .node(
                    at,
                    ExprKind::SqlValue {
                        name: word,
                        precision,
                    },
                )
                .map(Some);
        }
        if !self.peek_at(1).is_char(b'(') {
            if word == "current_schema" {
                self.bump();
                let kind = ExprKind::SqlValue {
                    name: word,
                    precision: None,
                };
                return self.node(at, kind).map(Some);
            }
            return Ok(None);
        }
        let kind = match word {
            "coalesce" => ExprKind::Coalesce(self.special_arguments()?),
            "greatest" => ExprKind::Greatest(self.special_arguments()?),
            "least" => ExprKind::Least(self.special_arguments()?),
            "grouping" => ExprKind::Grouping(self.special_arguments()?),
            "nullif" => {
                self.bump();
                self.expect_char(b'(')?;
                let left = Box::new(self.expr()?);
                self.expect_char(b',')?;
                let right = Box::new(self.expr()?);
                self.expect_char(b')')?;
                ExprKind::NullIf(left, right)
            }
            "extract" => self.extract(at)?,
            "substring" => self.substring(at)?,
            "position" => self.position(at)?,
            "overlay" => self.overlay(at)?,
            "trim" => self.trim(at)?,
            "normalize" | "treat" | "xmlconcat" | "xmlelement" | "xmlexists" | "xmlforest"
            | "xmlparse" | "xmlpi" | "xmlroot" | "xmlserialize" => {
                return self.unsupported(word.to_uppercase());
            }
            _ => return Ok(None),
        };
        self.node(at, kind).map(Some)
    }

    fn special_arguments(&mut self) -> Result<Vec<Expr>> {
        self.bump();
        self.parenthesized(Self::expr)
    }

    /// `EXTRACT(field FROM value)`
    #[inline(never)]
    fn extract(&mut self, at: Position) -> Result<ExprKind> {
        self.bump();
        self.expect_char(b'(')?;
        let field_at = self.at();
        let field = match self.peek() {
            Token::String(text) | Token::Ident(text) | Token::Quoted(text) => text.clone(),
            Token::Keyword(k)
                if matches!(
                    k.word,
                    "year" | "month" | "day" | "hour" | "minute" | "second"
                ) =>
            {
                k.word.to_string()
            }
            _ => return self.unexpected(),
        };
        self.bump();
        self.expect_word("from")?;
        let value = self.expr()?;
        self.expect_char(b')')?;
        let field = self.node(field_at, ExprKind::String(field))?;
        Ok(builtin_call("extract", at, vec![field, value]))
    }

    /// `SUBSTRING(text FROM start FOR length)` and the call with commas.
    #[inline(never)]
    fn substring(&mut self, at: Position) -> Result<ExprKind> {
        self.bump();
        self.expect_char(b'(')?;
        let text = self.expr()?;
        let mut args = vec![text];
        if self.eat_word("similar") {
            return self.unsupported("SUBSTRING … SIMILAR");
        }
        if self.eat_word("from") {
            args.push(self.expr()?);
            if self.eat_word("for") {
                args.push(self.expr()?);
            }
        } else if self.eat_word("for") {
            let length = self.expr()?;
            if self.eat_word("from") {
                args.push(self.expr()?);
            } else {
                args.push(self.node(at, ExprKind::Number("1".to_string()))?);
            }
            args.push(length);
        } else {
            while self.eat_char(b',') {
                args.push(self.expr()?);
            }
        }
        self.expect_char(b')')?;
        Ok(builtin_call("substring", at, args))
    }

    /// `POSITION(part IN text)`
    #[inline(never)]
    fn position(&mut self, at: Position) -> Result<ExprKind> {
        self.bump();
        self.expect_char(b'(')?;
        let part = self.restricted_expr()?;
        self.expect_word("in")?;
        let text = self.restricted_expr()?;
        self.expect_char(b')')?;
        Ok(builtin_call("position", at, vec![text, part]))
    }

    /// `OVERLAY(text PLACING new FROM start FOR length)` and the call with commas.
    #[inline(never)]
    fn overlay(&mut self, at: Position) -> Result<ExprKind> {
        self.bump();
        self.expect_char(b'(')?;
        let mut args = vec![self.expr()?];
        if self.eat_word("placing") {
            args.push(self.expr()?);
            self.expect_word("from")?;
            args.push(self.expr()?);
            if self.eat_word("for") {
                args.push(self.expr()?);
            }
        } else {
            while self.eat_char(b',') {
                args.push(self.expr()?);
            }
        }
        self.expect_char(b')')?;
        Ok(builtin_call("overlay", at, args))
    }

    /// `TRIM([BOTH|LEADING|TRAILING] [characters] FROM text)`
    #[inline(never)]
    fn trim(&mut self, at: Position) -> Result<ExprKind> {
        self.bump();
        self.expect_char(b'(')?;
        let name = match self.peek() {
            Token::Keyword(k) if k.word == "leading" => "ltrim",
            Token::Keyword(k) if k.word == "trailing" => "rtrim",
            _ => "btrim",
        };
        if name != "btrim" || self.is_word("both") {
            self.bump();
        }
        let mut args = Vec::new();
        if self.eat_word("from") {
            args = self.comma_separated(Self::expr)?;
        } else {
            let first = self.expr()?;
            if self.eat_word("from") {
                args = self.comma_separated(Self::expr)?;
                args.push(first);
            } else {
                args.push(first);
                while self.eat_char(b',') {
                    args.push(self.expr()?);
                }
            }
        }
        self.expect_char(b')')?;
        Ok(builtin_call(name, at, args))
    }

    /// Complains of arguments that only an aggregate or a window function can have.
    pub(super) fn plain_application(&mut self, name: QualifiedName) -> Result<Call> {
        let at = name.at();
        let call = self.application(name)?;
        if call.distinct || !call.order_by.is_empty() || call.args == CallArgs::Star {
            let feature = if call.args == CallArgs::Star {
                format!(
                    "{}(*) specified, but {0} is not an aggregate function",
                    call.name
                )
            } else if call.distinct {
                format!(
                    "DISTINCT specified, but {} is not an aggregate function",
                    call.name
                )
            } else {
                format!(
                    "ORDER BY specified, but {} is not an aggregate function",
                    call.name
                )
            };
            return Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, feature).at(Some(at)));
        }
        Ok(call)
    }
}

/// A call of one of PostgreSQL's own functions with plain arguments.
fn builtin_call(name: &str, at: Position, args: Vec<Expr>) -> ExprKind {
    let name = QualifiedName {
        parts: vec![Name {
            text: name.to_string(),
            at,
        }],
    };
    let args = args
        .into_iter()
        .map(|value| Argument { name: None, value })
        .collect();
    ExprKind::Call(Box::new(call_of(name, args)))
}

fn call_of(name: QualifiedName, args: Vec<Argument>) -> Call {
    Call {
        name,
        args: CallArgs::List {
            args,
            variadic: false,
        },
        distinct: false,
        order_by: Vec::new(),
        within_group: None,
        filter: None,
        over: None,
    }
}
