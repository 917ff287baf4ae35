//! What an expression may begin with (`c_expr` and the prefix operators in `gram.y`).
//!
//! `sqlparser` tries a type, a special word and a name in turn and backtracks; here the next two
//! tokens decide, so that an error names the token PostgreSQL names.

use super::infix::Level;
use super::{Parsed, TuplescopeDialect, is_column_name, is_reserved, is_type_or_function_name};
use crate::error::Error;
use crate::sql::guard;
use crate::sql::keywords::Keyword as Word;
use crate::sql::token::Token;
use sqlparser::ast::{
    Array, CastKind, Expr, Function, FunctionArguments, Ident, ObjectName, ObjectNamePart,
    TypedString, UnaryOperator, Value, helpers::attached_token::AttachedToken,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer as sp;

impl TuplescopeDialect {
    pub(super) fn prefix(&self, parser: &mut Parser) -> Parsed<Expr> {
        let index = self.index(parser);
        if self.has_failed() {
            return self.unexpected_at(index);
        }
        match self.work_left.get().checked_sub(1) {
            Some(left) => self.work_left.set(left),
            None => return self.fail(guard::too_deep(self.here(parser).at())),
        }
        let cursor = self.reader.placed(index);
        match cursor.peek() {
            Token::Op(op) if op == "+" || op == "-" => {
                let minus = op == "-";
                self.sign(parser, minus)
            }
            Token::Op(op) if is_user_operator(op) => {
                let symbol = op.clone();
                parser.advance_token();
                self.user_operator(parser, symbol)
            }
            Token::Keyword(keyword) if keyword.word == "not" => {
                if self.restricted.get() {
                    return self.unexpected(parser);
                }
                parser.advance_token();
                let arg = parser.parse_subexpr(Level::Not as u8)?;
                Ok(unary(UnaryOperator::Not, arg))
            }
            Token::Keyword(keyword)
                if keyword.word == "operator" && cursor.peek_at(1).is_char(b'(') =>
            {
                let mut behind = cursor.clone();
                match behind.qualified_operator() {
                    Ok(op) => {
                        self.go_to(parser, behind.index());
                        self.user_operator(parser, op.symbol)
                    }
                    Err(_) => self.unexpected_at(behind.index()),
                }
            }
            _ => self.with_restriction(false, || self.operand(parser, index)),
        }
    }

    fn sign(&self, parser: &mut Parser, minus: bool) -> Parsed<Expr> {
        parser.advance_token();
        let arg = parser.parse_subexpr(Level::UnaryMinus as u8)?;
        let op = if minus {
            UnaryOperator::Minus
        } else {
            UnaryOperator::Plus
        };
        Ok(unary(op, arg))
    }

    /// A prefix operator beyond the signs. `sqlparser` knows a few by name; its node for a prefix
    /// of any spelling holds them all.
    fn user_operator(&self, parser: &mut Parser, symbol: String) -> Parsed<Expr> {
        let arg = parser.parse_subexpr(Level::Operator as u8)?;
        Ok(Expr::Prefixed {
            prefix: Ident::new(symbol),
            value: Box::new(arg),
        })
    }

    #[inline(never)]
    fn operand(&self, parser: &mut Parser, index: usize) -> Parsed<Expr> {
        let cursor = self.reader.placed(index);
        match cursor.peek() {
            Token::Number(text) => self.literal(parser, Value::Number(text.clone(), false)),
            Token::String(_) => self.literal(parser, Value::EscapedStringLiteral(String::new())),
            Token::Param(number) => self.literal(parser, Value::Placeholder(format!("${number}"))),
            Token::BitString => self.unsupported(parser, "a bit string literal"),
            Token::Char(b'(') => self.in_parentheses(parser, index),
            Token::Char(b'[') if index > 0 && self.is_array_element(index) => {
                self.array_elements(parser)
            }
            Token::Keyword(keyword) => self.keyword(parser, *keyword),
            Token::Ident(_) | Token::Quoted(_) => self.name_or_call(parser),
            _ => self.unexpected(parser),
        }
    }

    fn literal(&self, parser: &mut Parser, value: Value) -> Parsed<Expr> {
        let token = parser.next_token();
        Ok(Expr::Value(value.with_span(token.span)))
    }

    fn in_parentheses(&self, parser: &mut Parser, index: usize) -> Parsed<Expr> {
        parser.expect_token(&sp::Token::LParen)?;
        if self.reader.is_query_parenthesis(index) {
            let query = parser.parse_query()?;
            parser.expect_token(&sp::Token::RParen)?;
            return Ok(Expr::Subquery(query));
        }
        let first = parser.parse_expr()?;
        if !parser.consume_token(&sp::Token::Comma) {
            parser.expect_token(&sp::Token::RParen)?;
            return Ok(Expr::Nested(Box::new(first)));
        }
        let mut fields = vec![first];
        fields.extend(parser.parse_comma_separated(Parser::parse_expr)?);
        parser.expect_token(&sp::Token::RParen)?;
        Ok(Expr::Tuple(fields))
    }

    /// Brackets stand for an array only directly inside the brackets of another.
    fn is_array_element(&self, index: usize) -> bool {
        let before = &self.reader.lexemes()[index - 1].token;
        before.is_char(b'[') || before.is_char(b',')
    }

    fn array_elements(&self, parser: &mut Parser) -> Parsed<Expr> {
        parser.expect_token(&sp::Token::LBracket)?;
        let elem = parser.parse_comma_separated0(Parser::parse_expr, sp::Token::RBracket)?;
        parser.expect_token(&sp::Token::RBracket)?;
        Ok(Expr::Array(Array { elem, named: true }))
    }

    #[inline(never)]
    fn keyword(&self, parser: &mut Parser, keyword: Word) -> Parsed<Expr> {
        let opens = self.here(parser).peek_at(1).is_char(b'(');
        match keyword.word {
            "null" => self.literal(parser, Value::Null),
            "true" => self.literal(parser, Value::Boolean(true)),
            "false" => self.literal(parser, Value::Boolean(false)),
            // The value of a column that has a default; where it may stand is checked later.
            "default" => self.word(parser).map(Expr::Identifier),
            "case" => {
                parser.advance_token();
                parser.parse_case_expr()
            }
            "cast" => self.cast(parser),
            "array" => {
                parser.advance_token();
                let index = self.index(parser);
                if self.reader.is_query_parenthesis(index) {
                    return self.array_query(parser);
                }
                self.array_elements(parser)
            }
            "exists" if opens => {
                parser.advance_token();
                parser.parse_exists_expr(false)
            }
            "row" if opens => {
                parser.advance_token();
                parser.expect_token(&sp::Token::LParen)?;
                let fields =
                    parser.parse_comma_separated0(Parser::parse_expr, sp::Token::RParen)?;
                parser.expect_token(&sp::Token::RParen)?;
                Ok(Expr::Tuple(fields))
            }
            "collation" if self.here(parser).is_word_at(1, "for") => {
                self.unsupported(parser, "COLLATION FOR")
            }
            "unique" => self.unsupported(parser, "UNIQUE predicate"),
            "current" if self.here(parser).is_word_at(1, "of") => {
                self.unsupported(parser, "WHERE CURRENT OF")
            }
            _ => {
                if let Some(value) = self.special_function(parser, keyword)? {
                    return Ok(value);
                }
                if let Some(value) = self.typed_literal(parser, keyword)? {
                    return Ok(value);
                }
                self.name_or_call(parser)
            }
        }
    }

    fn array_query(&self, parser: &mut Parser) -> Parsed<Expr> {
        parser.expect_token(&sp::Token::LParen)?;
        let query = parser.parse_query()?;
        parser.expect_token(&sp::Token::RParen)?;
        Ok(Expr::Function(Function {
            args: FunctionArguments::Subquery(query),
            ..plain_function(Ident::new("array"))
        }))
    }

    fn cast(&self, parser: &mut Parser) -> Parsed<Expr> {
        parser.advance_token();
        parser.expect_token(&sp::Token::LParen)?;
        let expr = Box::new(parser.parse_expr()?);
        parser.expect_keyword(Keyword::AS)?;
        let data_type = parser.parse_data_type()?;
        parser.expect_token(&sp::Token::RParen)?;
        Ok(Expr::Cast {
            kind: CastKind::Cast,
            expr,
            data_type,
            format: None,
        })
    }

    /// The next token, whatever word it is.
    pub(super) fn word(&self, parser: &mut Parser) -> Parsed<Ident> {
        let is_word = matches!(
            self.here(parser).peek(),
            Token::Ident(_) | Token::Quoted(_) | Token::Keyword(_)
        );
        if !is_word {
            return self.unexpected(parser);
        }
        parser.parse_identifier()
    }

    /// A column, a whole row, a call or `type 'literal'`.
    #[inline(never)]
    fn name_or_call(&self, parser: &mut Parser) -> Parsed<Expr> {
        let category = match self.here(parser).peek() {
            Token::Keyword(keyword) => Some(keyword.category),
            _ => None,
        };
        if category.is_some_and(is_reserved) {
            return self.unexpected(parser);
        }
        let mut parts = vec![self.word(parser)?];
        while parser.consume_token(&sp::Token::Period) {
            if self.here(parser).peek().is_op("*") {
                let star = AttachedToken(parser.next_token());
                return Ok(Expr::QualifiedWildcard(ObjectName::from(parts), star));
            }
            parts.push(self.word(parser)?);
        }
        let may_call = parts.len() > 1 || category.is_none_or(is_type_or_function_name);
        let next = self.here(parser);
        if may_call && next.is_char(b'(') {
            return parser.parse_function(ObjectName::from(parts));
        }
        if may_call && let Token::String(_) = next.peek() {
            let parts = parts.into_iter().map(ObjectNamePart::Identifier);
            return self.typed_string(parser, ObjectName(parts.collect()));
        }
        if !category.is_none_or(is_column_name) {
            return self.unexpected(parser);
        }
        if parts.len() > 1 {
            return Ok(Expr::CompoundIdentifier(parts));
        }
        match parts.pop() {
            Some(name) => Ok(Expr::Identifier(name)),
            None => self.fail(Error::internal("a name without parts")),
        }
    }

    fn typed_string(&self, parser: &mut Parser, name: ObjectName) -> Parsed<Expr> {
        let token = parser.next_token();
        Ok(Expr::TypedString(TypedString {
            data_type: sqlparser::ast::DataType::Custom(name, Vec::new()),
            value: Value::EscapedStringLiteral(String::new()).with_span(token.span),
            uses_odbc_syntax: false,
        }))
    }

    /// `int '5'`, `timestamp '2020-01-01'`, `interval '1 day'`; `None` if the keyword starts a
    /// column's name instead.
    fn typed_literal(&self, parser: &mut Parser, keyword: Word) -> Parsed<Option<Expr>> {
        if !self.here(parser).starts_typed_literal(keyword) {
            return Ok(None);
        }
        parser.parse_data_type()?;
        if !matches!(self.here(parser).peek(), Token::String(_)) {
            return self.unexpected(parser);
        }
        let literal = self.typed_string(parser, ObjectName(Vec::new()))?;
        if keyword.word == "interval"
            && let Err(error) = self.here(parser).no_interval_fields()
        {
            return self.fail(error);
        }
        Ok(Some(literal))
    }
}

fn unary(op: UnaryOperator, arg: Expr) -> Expr {
    Expr::UnaryOp {
        op,
        expr: Box::new(arg),
    }
}

/// An operator of the class `Op`, which may be a prefix.
fn is_user_operator(op: &str) -> bool {
    super::infix::operator_level(op) == Level::Operator
}

/// A call by name without arguments, to be filled in.
pub(super) fn plain_function(name: Ident) -> Function {
    Function {
        name: ObjectName::from(vec![name]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::None,
        within_group: Vec::new(),
        filter: None,
        null_treatment: None,
        over: None,
    }
}
