//! What stands between operators (`c_expr` in `gram.y`).

use super::{CALL_COST, CASE_COST, Parser, QUERY_DEPTH, is_column_name, is_type_or_function_name};
use crate::error::{Position, Result};
use crate::sql::ast::{Expr, ExprKind, Name, QualifiedName, Query, Subscript};
use crate::sql::keywords::{Category, Keyword};
use crate::sql::token::Token;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn operand(&mut self) -> Result<Expr> {
        let at = self.at();
        match self.peek() {
            Token::Number(text) => {
                let kind = ExprKind::Number(text.clone());
                self.bump();
                self.node(at, kind)
            }
            Token::String(text) => {
                let kind = ExprKind::String(text.clone());
                self.bump();
                self.node(at, kind)
            }
            Token::Param(number) => {
                let kind = ExprKind::Param(*number);
                self.bump();
                let arg = self.node(at, kind)?;
                self.indirection(arg)
            }
            Token::BitString => self.unsupported("a bit string literal"),
            Token::Char(b'(') => self.in_parentheses(at),
            Token::Keyword(keyword) => {
                let keyword = *keyword;
                self.keyword_operand(at, keyword)
            }
            Token::Ident(_) | Token::Quoted(_) => self.named_operand(at),
            _ => self.unexpected(),
        }
    }

    #[inline(never)]
    fn keyword_operand(&mut self, at: Position, keyword: Keyword) -> Result<Expr> {
        let constant = match keyword.word {
            "null" => Some(ExprKind::Null),
            "true" => Some(ExprKind::Bool(true)),
            "false" => Some(ExprKind::Bool(false)),
            _ => None,
        };
        if let Some(kind) = constant {
            self.bump();
            return self.node(at, kind);
        }
        match keyword.word {
            "case" => self.deeper(CASE_COST, |parser| parser.case(at)),
            "cast" => self.cast(at),
            "array" => self.array(at),
            "exists" if self.peek_at(1).is_char(b'(') => {
                self.bump();
                let query = Box::new(self.query_in_parentheses()?);
                self.node(at, ExprKind::Exists(query))
            }
            "row" if self.peek_at(1).is_char(b'(') => {
                self.bump();
                self.expect_char(b'(')?;
                let mut fields = Vec::new();
                if !self.is_char(b')') {
                    fields = self.comma_separated(Self::expr)?;
                }
                self.expect_char(b')')?;
                self.node(
                    at,
                    ExprKind::Row {
                        fields,
                        explicit: true,
                    },
                )
            }
            "unique" => self.unsupported("UNIQUE predicate"),
            _ => {
                if let Some(expr) = self.special_function(at, keyword)? {
                    return Ok(expr);
                }
                if let Some(expr) = self.typed_literal(at, keyword)? {
                    return Ok(expr);
                }
                self.named_operand(at)
            }
        }
    }

    /// A column, a call or `type 'literal'`.
    #[inline(never)]
    fn named_operand(&mut self, at: Position) -> Result<Expr> {
        let category = match self.peek() {
            Token::Keyword(keyword) => Some(keyword.category),
            _ => None,
        };
        let Some(first) = self.name_if(|c| c != Category::Reserved) else {
            return self.unexpected();
        };
        let mut name = QualifiedName { parts: vec![first] };
        let mut whole_row = false;
        while self.is_char(b'.') {
            self.bump();
            if self.eat_op("*") {
                whole_row = true;
                break;
            }
            name.parts.push(self.label()?);
        }
        let qualified = name.parts.len() > 1;
        let may_call = qualified || category.is_none_or(is_type_or_function_name);
        let may_be_column = category.is_none_or(is_column_name);
        if whole_row {
            return self.node(at, ExprKind::WholeRow(name));
        }
        if may_call && self.is_char(b'(') {
            return self.deeper(CALL_COST, |parser| parser.call(at, name));
        }
        if may_call && let Token::String(text) = self.peek() {
            let text = text.clone();
            self.bump();
            let ty = Self::plain_type(name);
            return self.node(at, ExprKind::TypedString { ty, text });
        }
        if !may_be_column {
            return self.unexpected();
        }
        let column = self.node(at, ExprKind::Column(name))?;
        self.indirection(column)
    }

    /// `[index]`, `[low:high]` and `.field` behind a column, a parameter or parentheses.
    #[inline(never)]
    fn indirection(&mut self, arg: Expr) -> Result<Expr> {
        let mut expr = arg;
        loop {
            let at = self.at();
            if self.is_char(b'[') {
                let mut subscripts = Vec::new();
                while self.eat_char(b'[') {
                    subscripts.push(self.subscript()?);
                    self.expect_char(b']')?;
                }
                expr = self.node(
                    at,
                    ExprKind::Subscript {
                        arg: Box::new(expr),
                        subscripts,
                    },
                )?;
            } else if self.eat_char(b'.') {
                if self.peek().is_op("*") {
                    return self.unsupported("expansion of a row value");
                }
                let field = self.label()?;
                expr = self.node(
                    at,
                    ExprKind::Field {
                        arg: Box::new(expr),
                        field,
                    },
                )?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn subscript(&mut self) -> Result<Subscript> {
        let mut low = None;
        if !self.is_char(b':') {
            low = Some(self.expr()?);
        }
        if !self.eat_char(b':') {
            return match low {
                Some(index) => Ok(Subscript::Index(index)),
                None => self.unexpected(),
            };
        }
        let mut high = None;
        if !self.is_char(b']') {
            high = Some(self.expr()?);
        }
        Ok(Subscript::Slice(low, high))
    }

    #[inline(never)]
    fn in_parentheses(&mut self, at: Position) -> Result<Expr> {
        if self.starts_query_in_parentheses() {
            return self.query_operand(at);
        }
        self.expect_char(b'(')?;
        let first = self.expr()?;
        if self.eat_char(b',') {
            let mut fields = vec![first];
            fields.extend(self.comma_separated(Self::expr)?);
            self.expect_char(b')')?;
            return self.node(
                at,
                ExprKind::Row {
                    fields,
                    explicit: false,
                },
            );
        }
        self.expect_char(b')')?;
        self.indirection(first)
    }

    #[inline(never)]
    fn query_operand(&mut self, at: Position) -> Result<Expr> {
        let query = Box::new(self.query_in_parentheses()?);
        let expr = self.node(at, ExprKind::ScalarQuery(query))?;
        self.indirection(expr)
    }

    /// True if the parentheses that open here hold a query: behind any number of them stands
    /// SELECT, VALUES, WITH or TABLE, and the innermost query is not just a part of an expression
    /// as in `((SELECT 1) + 1)`.
    pub(super) fn starts_query_in_parentheses(&mut self) -> bool {
        if !self.is_char(b'(') {
            return false;
        }
        let mut opened = 0;
        while self.peek_at(opened).is_char(b'(') {
            opened += 1;
        }
        let starts = matches!(
            self.peek_at(opened),
            Token::Keyword(k) if matches!(k.word, "select" | "values" | "with" | "table")
        );
        if !starts || opened == 1 {
            return starts;
        }
        self.query_fills_parentheses(opened)
    }

    /// Whether what follows the inner query's closing parenthesis can belong to a query. Each
    /// closing parenthesis must be followed by another or by a clause of a query.
    fn query_fills_parentheses(&mut self, opened: usize) -> bool {
        let (mut n, mut depth) = (opened, opened);
        loop {
            match self.peek_at(n) {
                Token::Char(b'(') => depth += 1,
                Token::Char(b')') => {
                    depth -= 1;
                    if depth == 0 {
                        return true;
                    }
                    if depth < opened && !self.continues_query(n + 1) {
                        return false;
                    }
                }
                Token::End | Token::Bad(_) | Token::Char(b';') => return true,
                _ => {}
            }
            n += 1;
        }
    }

    fn continues_query(&mut self, n: usize) -> bool {
        match self.peek_at(n) {
            Token::Char(b')') => true,
            Token::Keyword(k) => matches!(
                k.word,
                "union" | "intersect" | "except" | "order" | "limit" | "offset" | "fetch" | "for"
            ),
            _ => false,
        }
    }

    /// `( query )`
    #[inline(never)]
    pub(super) fn query_in_parentheses(&mut self) -> Result<Query> {
        self.deeper(QUERY_DEPTH, |parser| {
            parser.expect_char(b'(')?;
            let query = parser.query()?;
            parser.expect_char(b')')?;
            Ok(query)
        })
    }

    #[inline(never)]
    fn case(&mut self, at: Position) -> Result<Expr> {
        self.bump();
        let mut operand = None;
        if !self.is_word("when") {
            operand = Some(Box::new(self.expr()?));
        }
        let mut whens = Vec::new();
        self.expect_word("when")?;
        loop {
            let when = self.expr()?;
            self.expect_word("then")?;
            whens.push((when, self.expr()?));
            if !self.eat_word("when") {
                break;
            }
        }
        let mut otherwise = None;
        if self.eat_word("else") {
            otherwise = Some(Box::new(self.expr()?));
        }
        self.expect_word("end")?;
        self.node(
            at,
            ExprKind::Case {
                operand,
                whens,
                otherwise,
            },
        )
    }

    #[inline(never)]
    fn cast(&mut self, at: Position) -> Result<Expr> {
        self.bump();
        self.expect_char(b'(')?;
        let arg = Box::new(self.expr()?);
        self.expect_word("as")?;
        let ty = self.type_name()?;
        self.expect_char(b')')?;
        self.node(at, ExprKind::Cast { arg, ty })
    }

    #[inline(never)]
    fn array(&mut self, at: Position) -> Result<Expr> {
        self.bump();
        if self.starts_query_in_parentheses() {
            let query = Box::new(self.query_in_parentheses()?);
            return self.node(at, ExprKind::ArrayQuery(query));
        }
        self.array_elements(at)
    }

    /// `[a, b]`, also nested without the word ARRAY.
    fn array_elements(&mut self, at: Position) -> Result<Expr> {
        self.expect_char(b'[')?;
        let mut elements = Vec::new();
        if !self.is_char(b']') {
            elements = self.comma_separated(|parser| {
                let at = parser.at();
                if parser.is_char(b'[') {
                    return parser.nested(|parser| parser.array_elements(at));
                }
                parser.expr()
            })?;
        }
        self.expect_char(b']')?;
        self.node(at, ExprKind::Array(elements))
    }

    /// A list of names in parentheses.
    pub(super) fn name_list(&mut self) -> Result<Vec<Name>> {
        self.parenthesized(Self::name)
    }
}
