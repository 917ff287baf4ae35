//! The functions SQL gives a syntax of their own (`func_expr_common_subexpr` in `gram.y`).

use super::call::call_of;
use crate::error::{Position, Result};
use crate::sql::ast::*;
use crate::sql::reader::Reader;
use crate::sql::token::Token;
use sqlparser::ast as sp;

impl Reader {
    #[inline(never)]
    pub(super) fn lower_special(
        &mut self,
        at: Position,
        syntax: Syntax,
        list: sp::FunctionArgumentList,
    ) -> Result<ExprKind> {
        let sp::FunctionArgumentList {
            duplicate_treatment,
            args,
            clauses,
        } = list;
        if duplicate_treatment.is_some() || !clauses.is_empty() {
            self.bump();
            self.bump();
            return self.unexpected();
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            match arg {
                sp::FunctionArg::Unnamed(sp::FunctionArgExpr::Expr(value)) => values.push(value),
                _ => return self.unsupported("an argument by name here"),
            }
        }
        self.bump();
        self.expect_char(b'(')?;
        let mut operands = Operands {
            reader: self,
            values: values.into_iter(),
        };
        let kind = match syntax {
            Syntax::Coalesce => ExprKind::Coalesce(operands.rest()?),
            Syntax::Greatest => ExprKind::Greatest(operands.rest()?),
            Syntax::Least => ExprKind::Least(operands.rest()?),
            Syntax::Grouping => ExprKind::Grouping(operands.rest()?),
            Syntax::NullIf => {
                let left = Box::new(operands.next()?);
                operands.reader.expect_char(b',')?;
                ExprKind::NullIf(left, Box::new(operands.next()?))
            }
            Syntax::Substring => operands.substring(at)?,
            Syntax::Position => {
                let part = operands.next()?;
                operands.reader.expect_word("in")?;
                let text = operands.next()?;
                builtin_call("position", at, vec![text, part])
            }
            Syntax::Overlay => operands.overlay(at)?,
            Syntax::Trim => operands.trim(at)?,
        };
        self.expect_char(b')')?;
        Ok(kind)
    }

    /// `EXTRACT(field FROM value)`
    #[inline(never)]
    pub(super) fn lower_extract(&mut self, at: Position, value: sp::Expr) -> Result<Expr> {
        self.expect_word("extract")?;
        self.expect_char(b'(')?;
        let field_at = self.at();
        let field = match self.peek() {
            Token::String(text) | Token::Ident(text) | Token::Quoted(text) => text.clone(),
            Token::Keyword(keyword) => keyword.word.to_string(),
            _ => return self.unexpected(),
        };
        self.bump();
        self.expect_word("from")?;
        let value = self.lower_expr(value)?;
        self.expect_char(b')')?;
        let field = self.node(field_at, ExprKind::String(field))?;
        self.node(at, builtin_call("extract", at, vec![field, value]))
    }
}

/// Functions whose arguments words may separate, or which are no functions at all.
#[derive(Clone, Copy)]
pub(super) enum Syntax {
    Coalesce,
    Greatest,
    Least,
    Grouping,
    NullIf,
    Substring,
    Position,
    Overlay,
    Trim,
}

impl Syntax {
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "coalesce" => Syntax::Coalesce,
            "greatest" => Syntax::Greatest,
            "least" => Syntax::Least,
            "grouping" => Syntax::Grouping,
            "nullif" => Syntax::NullIf,
            "substring" => Syntax::Substring,
            "position" => Syntax::Position,
            "overlay" => Syntax::Overlay,
            "trim" => Syntax::Trim,
            _ => return None,
        })
    }
}

/// The operands of such a function in the order of the text.
struct Operands<'a> {
    reader: &'a mut Reader,
    values: std::vec::IntoIter<sp::Expr>,
}

impl Operands<'_> {
    fn next(&mut self) -> Result<Expr> {
        match self.values.next() {
            Some(value) => self.reader.lower_expr(value),
            None => self.reader.unexpected(),
        }
    }

    /// All that are left, with commas between them.
    fn rest(&mut self) -> Result<Vec<Expr>> {
        let values = self.values.by_ref().collect();
        self.reader.lower_list(values, Reader::lower_expr)
    }

    /// Those behind the first of a list.
    fn more(&mut self, list: &mut Vec<Expr>) -> Result<()> {
        while self.reader.eat_char(b',') {
            list.push(self.next()?);
        }
        Ok(())
    }

    fn substring(&mut self, at: Position) -> Result<ExprKind> {
        let mut args = Vec::new();
        if self.values.len() > 0 {
            args.push(self.next()?);
        }
        if self.reader.eat_word("from") {
            args.push(self.next()?);
            if self.reader.eat_word("for") {
                args.push(self.next()?);
            }
        } else if self.reader.eat_word("for") {
            let length = self.next()?;
            if self.reader.eat_word("from") {
                args.push(self.next()?);
            } else {
                let one = ExprKind::Number("1".to_string());
                args.push(self.reader.node(at, one)?);
            }
            args.push(length);
        } else {
            self.more(&mut args)?;
        }
        Ok(builtin_call("substring", at, args))
    }

    fn overlay(&mut self, at: Position) -> Result<ExprKind> {
        let mut args = Vec::new();
        if self.values.len() > 0 {
            args.push(self.next()?);
        }
        if self.reader.eat_word("placing") {
            args.push(self.next()?);
            self.reader.expect_word("from")?;
            args.push(self.next()?);
            if self.reader.eat_word("for") {
                args.push(self.next()?);
            }
        } else {
            self.more(&mut args)?;
        }
        Ok(builtin_call("overlay", at, args))
    }

    fn trim(&mut self, at: Position) -> Result<ExprKind> {
        let name = match self.reader.keyword() {
            "leading" => "ltrim",
            "trailing" => "rtrim",
            _ => "btrim",
        };
        if self.reader.is_any_word(&["both", "leading", "trailing"]) {
            self.reader.bump();
        }
        if self.reader.eat_word("from") {
            return Ok(builtin_call(name, at, self.rest()?));
        }
        let first = self.next()?;
        let mut args;
        if self.reader.eat_word("from") {
            args = self.rest()?;
            args.push(first);
        } else {
            args = vec![first];
            self.more(&mut args)?;
        }
        Ok(builtin_call(name, at, args))
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
