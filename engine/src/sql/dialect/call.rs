//! The functions SQL gives a syntax of their own (`func_expr_common_subexpr` in `gram.y`).
//!
//! Each becomes a plain call with its operands in the order of the text; the words between them
//! are read again when the call is lowered.

use super::prefix::plain_function;
use super::{Parsed, TuplescopeDialect};
use crate::sql::keywords::Keyword as Word;
use crate::sql::token::Token;
use sqlparser::ast::{
    DateTimeField, Expr, ExtractSyntax, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, Ident, ObjectName,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer as sp;

impl TuplescopeDialect {
    /// COALESCE, EXTRACT, CURRENT_DATE and the like; `None` if the keyword is none of them here.
    #[inline(never)]
    pub(super) fn special_function(
        &self,
        parser: &mut Parser,
        keyword: Word,
    ) -> Parsed<Option<Expr>> {
        let opens = self.here(parser).peek_at(1).is_char(b'(');
        let call = match keyword.word {
            "current_date" | "current_role" | "current_user" | "session_user" | "user"
            | "current_catalog" => Expr::Function(plain_function(self.word(parser)?)),
            "current_time" | "current_timestamp" | "localtime" | "localtimestamp" => {
                self.time_function(parser)?
            }
            "current_schema" if !opens => Expr::Function(plain_function(self.word(parser)?)),
            _ if !opens => return Ok(None),
            "coalesce" | "greatest" | "least" | "grouping" => {
                let name = self.opened(parser)?;
                let args = parser.parse_comma_separated(Parser::parse_expr)?;
                self.closed(parser, name, args)?
            }
            "nullif" => {
                let name = self.opened(parser)?;
                let mut args = vec![parser.parse_expr()?];
                parser.expect_token(&sp::Token::Comma)?;
                args.push(parser.parse_expr()?);
                self.closed(parser, name, args)?
            }
            "extract" => self.extract(parser)?,
            "substring" => self.substring(parser)?,
            "position" => self.position(parser)?,
            "overlay" => self.overlay(parser)?,
            "trim" => self.trim(parser)?,
            "normalize" | "treat" | "xmlconcat" | "xmlelement" | "xmlexists" | "xmlforest"
            | "xmlparse" | "xmlpi" | "xmlroot" | "xmlserialize" => {
                return self.unsupported(parser, &keyword.word.to_uppercase());
            }
            _ => return Ok(None),
        };
        Ok(Some(call))
    }

    /// Takes the function's name and the parenthesis behind it.
    fn opened(&self, parser: &mut Parser) -> Parsed<Ident> {
        let name = self.word(parser)?;
        parser.expect_token(&sp::Token::LParen)?;
        Ok(name)
    }

    fn closed(&self, parser: &mut Parser, name: Ident, args: Vec<Expr>) -> Parsed<Expr> {
        parser.expect_token(&sp::Token::RParen)?;
        let args = args.into_iter();
        let args = args.map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)));
        Ok(Expr::Function(Function {
            args: FunctionArguments::List(FunctionArgumentList {
                duplicate_treatment: None,
                args: args.collect(),
                clauses: Vec::new(),
            }),
            ..plain_function(name)
        }))
    }

    /// `CURRENT_TIMESTAMP [(precision)]`
    fn time_function(&self, parser: &mut Parser) -> Parsed<Expr> {
        let name = self.word(parser)?;
        if parser.consume_token(&sp::Token::LParen) {
            let mut cursor = self.here(parser);
            if cursor.signed_integer().is_err() {
                return self.unexpected_at(cursor.index());
            }
            self.go_to(parser, cursor.index());
            parser.expect_token(&sp::Token::RParen)?;
        }
        Ok(Expr::Function(plain_function(name)))
    }

    /// `EXTRACT(field FROM value)`
    fn extract(&self, parser: &mut Parser) -> Parsed<Expr> {
        self.opened(parser)?;
        let field = match self.here(parser).peek() {
            Token::String(text) | Token::Ident(text) | Token::Quoted(text) => text.clone(),
            Token::Keyword(k)
                if matches!(
                    k.word,
                    "year" | "month" | "day" | "hour" | "minute" | "second"
                ) =>
            {
                k.word.to_string()
            }
            _ => return self.unexpected(parser),
        };
        parser.advance_token();
        parser.expect_keyword(Keyword::FROM)?;
        let expr = Box::new(parser.parse_expr()?);
        parser.expect_token(&sp::Token::RParen)?;
        Ok(Expr::Extract {
            field: DateTimeField::Custom(Ident::new(field)),
            syntax: ExtractSyntax::From,
            expr,
        })
    }

    /// `SUBSTRING(text FROM start FOR length)`, or a plain call.
    fn substring(&self, parser: &mut Parser) -> Parsed<Expr> {
        let name = self.opened(parser)?;
        if self.here(parser).is_char(b')') {
            return self.plain_call(parser, name);
        }
        let mut args = vec![self.argument(parser)?];
        if self.here(parser).is_word("similar") {
            return self.unsupported(parser, "SUBSTRING … SIMILAR");
        }
        for words in [[Keyword::FROM, Keyword::FOR], [Keyword::FOR, Keyword::FROM]] {
            if parser.parse_keyword(words[0]) {
                args.push(parser.parse_expr()?);
                if parser.parse_keyword(words[1]) {
                    args.push(parser.parse_expr()?);
                }
                return self.closed(parser, name, args);
            }
        }
        self.more_arguments(parser, &mut args)?;
        self.closed(parser, name, args)
    }

    /// `POSITION(part IN text)`; both are a `b_expr`.
    fn position(&self, parser: &mut Parser) -> Parsed<Expr> {
        let name = self.opened(parser)?;
        let part = self.with_restriction(true, || parser.parse_expr())?;
        parser.expect_keyword(Keyword::IN)?;
        let text = self.with_restriction(true, || parser.parse_expr())?;
        self.closed(parser, name, vec![part, text])
    }

    /// `OVERLAY(text PLACING new FROM start FOR length)`, or a plain call.
    fn overlay(&self, parser: &mut Parser) -> Parsed<Expr> {
        let name = self.opened(parser)?;
        if self.here(parser).is_char(b')') {
            return self.plain_call(parser, name);
        }
        let mut args = vec![self.argument(parser)?];
        if parser.parse_keyword(Keyword::PLACING) {
            args.push(parser.parse_expr()?);
            parser.expect_keyword(Keyword::FROM)?;
            args.push(parser.parse_expr()?);
            if parser.parse_keyword(Keyword::FOR) {
                args.push(parser.parse_expr()?);
            }
        } else {
            self.more_arguments(parser, &mut args)?;
        }
        self.closed(parser, name, args)
    }

    /// `TRIM([BOTH|LEADING|TRAILING] [characters] FROM text)`, or a list.
    fn trim(&self, parser: &mut Parser) -> Parsed<Expr> {
        let name = self.opened(parser)?;
        let _ = parser.parse_one_of_keywords(&[Keyword::BOTH, Keyword::LEADING, Keyword::TRAILING]);
        let mut args = Vec::new();
        if !parser.parse_keyword(Keyword::FROM) {
            args.push(parser.parse_expr()?);
            if !parser.parse_keyword(Keyword::FROM) {
                self.more_arguments(parser, &mut args)?;
                return self.closed(parser, name, args);
            }
        }
        args.extend(parser.parse_comma_separated(Parser::parse_expr)?);
        self.closed(parser, name, args)
    }

    /// An argument of a function that has both syntaxes.
    fn argument(&self, parser: &mut Parser) -> Parsed<Expr> {
        let argument = parser.parse_expr()?;
        let named = matches!(
            self.here(parser).peek(),
            Token::ColonEquals | Token::EqualsGreater
        );
        if named {
            return self.unsupported(parser, "an argument by name here");
        }
        Ok(argument)
    }

    fn more_arguments(&self, parser: &mut Parser, args: &mut Vec<Expr>) -> Parsed<()> {
        while parser.consume_token(&sp::Token::Comma) {
            args.push(self.argument(parser)?);
        }
        Ok(())
    }

    /// A call without arguments, of which no such function takes any: the binder says so.
    fn plain_call(&self, parser: &mut Parser, name: Ident) -> Parsed<Expr> {
        parser.prev_token();
        parser.parse_function(ObjectName::from(vec![name]))
    }
}
