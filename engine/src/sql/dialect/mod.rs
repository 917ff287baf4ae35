//! The dialect under which `sqlparser` reads PostgreSQL 15's SQL.
//!
//! It delegates to `sqlparser`'s PostgreSQL dialect and hooks what that one reads otherwise than
//! PostgreSQL does: which statements there are, what an expression may begin with ([`prefix`]),
//! which operators follow and how tightly they bind ([`infix`]), types, column constraints, and
//! which words may be aliases (`gram.y`, `kwlist.h`).

mod call;
mod error;
mod infix;
mod prefix;
mod tokens;

pub(super) use error::limit_with_comma;

use super::keywords::Category;
use super::reader::{Reader, is_column_name, is_type_or_function_name};
use super::token::{Lexeme, Token};
use crate::error::{Error, Result};
use sqlparser::ast::{
    ColumnDef, ColumnOption, DataType, Expr, Ident, ObjectName, ObjectNamePart, Query, Statement,
    TableConstraint,
};
use sqlparser::dialect::{Dialect, PostgreSqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::TokenWithSpan;
use std::any::TypeId;
use std::cell::{Cell, RefCell};

/// What a hook answers.
type Parsed<T> = std::result::Result<T, ParserError>;

/// Prefixes a statement may make the parser read, per token: it backtracks in places, and what
/// fails after much backtracking must end.
const WORK_PER_TOKEN: usize = 64;

/// PostgreSQL's grammar for one statement, whose tokens it knows.
#[derive(Debug)]
pub(super) struct TuplescopeDialect {
    base: PostgreSqlDialect,
    reader: Reader,
    /// The number of the token where the parser's part ends.
    end: usize,
    /// Inside a `b_expr`, which has no AND, OR, NOT, LIKE, IN, BETWEEN nor IS NULL.
    restricted: Cell<bool>,
    /// What ended the parse, when `sqlparser`'s own error would not say it.
    failure: RefCell<Option<Failure>>,
    work_left: Cell<usize>,
}

#[derive(Debug)]
enum Failure {
    Parser(ParserError),
    Engine(Error),
}

/// Parses a part of a statement from the reader's place on, to the token of number `end`.
///
/// A query in parentheses is not parsed with what is around it: for its text the parser is given
/// an empty SELECT. It is parsed by itself when it is lowered, so that sub-selects do not nest in
/// `sqlparser`, whose functions for a FROM item take tens of kilobytes of stack.
///
/// # Errors
/// 42601 in PostgreSQL's words at the token that cannot be there; 0A000 for what PostgreSQL
/// accepts and `sqlparser` or this engine does not; 54001 for too much nesting.
fn parse_until<T>(
    reader: &Reader,
    end: usize,
    part: impl FnOnce(&TuplescopeDialect, &mut Parser<'_>) -> Parsed<T>,
) -> Result<T> {
    let tokens = tokens::tokens(reader, end);
    let dialect = TuplescopeDialect {
        base: PostgreSqlDialect {},
        reader: reader.clone(),
        end,
        restricted: Cell::new(false),
        failure: RefCell::new(None),
        work_left: Cell::new(1000 + WORK_PER_TOKEN * tokens.len()),
    };
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(reader.levels_left())
        .with_tokens_with_locations(tokens);
    let (index, error) = match part(&dialect, &mut parser) {
        Ok(parsed) => return Ok(parsed),
        Err(error) => dialect.explain(error, dialect.index(&parser)),
    };
    drop(parser);
    Err(earlier_error(reader, index).unwrap_or(error))
}

/// The first error in the queries in parentheses before the token of number `end`: they have not
/// been parsed yet, and PostgreSQL reads from left to right.
fn earlier_error(reader: &Reader, end: usize) -> Option<Error> {
    let mut index = reader.index();
    while index < end {
        if !reader.is_query_parenthesis(index) {
            index += 1;
            continue;
        }
        let closing = reader.closing(index);
        let mut inner = reader.placed(index + 1);
        let parsed = inner.deeper(1, |inner| {
            parse_until(inner, closing, |dialect, parser| {
                parser.parse_query()?;
                if dialect.index(parser) == closing {
                    Ok(())
                } else {
                    dialect.unexpected(parser)
                }
            })
        });
        if let Err(error) = parsed {
            return Some(error);
        }
        index = closing;
    }
    None
}

/// `a_expr`
#[inline(never)]
pub(super) fn parse_expr(reader: &Reader) -> Result<Expr> {
    parse_until(reader, reader.last(), |_, parser| parser.parse_expr())
}

/// `SelectStmt`, before the token of number `end`.
#[inline(never)]
pub(super) fn parse_query(reader: &Reader, end: usize) -> Result<Box<Query>> {
    parse_until(reader, end, |_, parser| parser.parse_query())
}

/// The columns and constraints of CREATE TABLE in their parentheses.
pub(super) fn parse_columns(reader: &Reader) -> Result<(Vec<ColumnDef>, Vec<TableConstraint>)> {
    parse_until(reader, reader.last(), |_, parser| parser.parse_columns())
}

/// A query, INSERT, UPDATE or DELETE, with or without WITH.
#[inline(never)]
pub(super) fn parse_statement(reader: &Reader) -> Result<Statement> {
    parse_until(reader, reader.last(), |dialect, parser| {
        match dialect.parse_statement(parser) {
            Some(statement) => statement,
            None => parser.expected_ref("a statement", parser.peek_token_ref()),
        }
    })
}

impl TuplescopeDialect {
    /// The number of the next token in the statement.
    fn index(&self, parser: &Parser<'_>) -> usize {
        self.index_of(parser.peek_token_ref())
    }

    fn index_of(&self, token: &TokenWithSpan) -> usize {
        match token.span.start.column {
            0 => self.end,
            column => usize::try_from(column - 1).map_or(self.end, |index| index.min(self.end)),
        }
    }

    /// A cursor at the parser's next token.
    fn here(&self, parser: &Parser<'_>) -> Reader {
        self.reader.placed(self.index(parser))
    }

    /// Moves the parser to a token further on.
    fn go_to(&self, parser: &mut Parser<'_>, index: usize) {
        while self.index(parser) < index {
            parser.advance_token();
        }
    }

    /// PostgreSQL's syntax error at the next token.
    fn unexpected<T>(&self, parser: &Parser<'_>) -> Parsed<T> {
        self.unexpected_at(self.index(parser))
    }

    fn unexpected_at<T>(&self, index: usize) -> Parsed<T> {
        let message = format!("syntax error{}", tokens::location(index));
        Err(ParserError::ParserError(message))
    }

    /// Ends the parse with an error of our own.
    fn fail<T>(&self, error: Error) -> Parsed<T> {
        self.record(Failure::Engine(error));
        Err(ParserError::ParserError(String::new()))
    }

    fn unsupported<T>(&self, parser: &Parser<'_>, feature: &str) -> Parsed<T> {
        let at = self.here(parser).at();
        self.fail(Error::unsupported(feature).at(Some(at)))
    }

    fn record(&self, failure: Failure) {
        let mut recorded = self.failure.borrow_mut();
        if recorded.is_none() {
            *recorded = Some(failure);
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Runs `parse` where `b_expr` ends: inside parentheses everything is allowed again.
    fn with_restriction<T>(&self, restricted: bool, parse: impl FnOnce() -> T) -> T {
        let before = self.restricted.replace(restricted);
        let parsed = parse();
        self.restricted.set(before);
        parsed
    }

    /// Reads a type with the cursor that also lowers types, and moves the parser behind it.
    fn data_type(&self, parser: &mut Parser<'_>) -> Parsed<DataType> {
        let mut cursor = self.here(parser);
        match cursor.type_name() {
            Ok(ty) => {
                self.go_to(parser, cursor.index());
                let parts = ty.name.parts.into_iter();
                let parts = parts.map(|part| ObjectNamePart::Identifier(Ident::new(part.text)));
                Ok(DataType::Custom(ObjectName(parts.collect()), Vec::new()))
            }
            Err(error) if error == cursor.syntax_error() => self.unexpected_at(cursor.index()),
            Err(error) => self.fail(error),
        }
    }

    /// The constraints and clauses of a column that `sqlparser` has not or reads otherwise.
    fn column_option(&self, parser: &mut Parser<'_>) -> Parsed<Option<ColumnOption>> {
        let word = self.here(parser).keyword();
        match word {
            "default" => {
                parser.advance_token();
                let value = self.with_restriction(true, || parser.parse_expr())?;
                Ok(Some(ColumnOption::Default(value)))
            }
            "collate" => {
                parser.advance_token();
                Ok(Some(ColumnOption::Collation(
                    parser.parse_object_name(false)?,
                )))
            }
            "storage" | "compression" => {
                parser.advance_token();
                parser.parse_identifier()?;
                Ok(Some(ColumnOption::DialectSpecific(Vec::new())))
            }
            _ => Ok(None),
        }
    }

    /// `BareColLabel`, or any word after AS.
    fn is_label(&self, explicit: bool, lexeme: &Lexeme) -> bool {
        match &lexeme.token {
            Token::Keyword(keyword) => explicit || keyword.bare_label,
            _ => true,
        }
    }
}

impl Dialect for TuplescopeDialect {
    /// `sqlparser` asks in places whether the dialect *is* PostgreSQL's.
    fn dialect(&self) -> TypeId {
        self.base.dialect()
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        self.base.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        self.base.is_identifier_part(ch)
    }

    // What gram.y has of the features sqlparser makes optional.

    fn supports_cte_materialization(&self) -> bool {
        self.base.supports_cte_materialization()
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        self.base.supports_filter_during_aggregation()
    }

    fn supports_group_by_expr(&self) -> bool {
        self.base.supports_group_by_expr()
    }

    fn supports_named_fn_args_with_expr_name(&self) -> bool {
        self.base.supports_named_fn_args_with_expr_name()
    }

    fn supports_named_fn_args_with_assignment_operator(&self) -> bool {
        self.base.supports_named_fn_args_with_assignment_operator()
    }

    fn supports_empty_projections(&self) -> bool {
        self.base.supports_empty_projections()
    }

    fn supports_select_wildcard_with_alias(&self) -> bool {
        self.base.supports_select_wildcard_with_alias()
    }

    fn supports_order_by_using_operator(&self) -> bool {
        self.base.supports_order_by_using_operator()
    }

    fn supports_left_associative_joins_without_parens(&self) -> bool {
        self.base.supports_left_associative_joins_without_parens()
    }

    fn supports_notnull_operator(&self) -> bool {
        self.base.supports_notnull_operator()
    }

    fn supports_insert_table_alias(&self) -> bool {
        self.base.supports_insert_table_alias()
    }

    fn supports_table_inheritance_markers(&self) -> bool {
        self.base.supports_table_inheritance_markers()
    }

    fn supports_exclude_constraint(&self) -> bool {
        self.base.supports_exclude_constraint()
    }

    // The hooks.

    fn parse_statement(&self, parser: &mut Parser) -> Option<Parsed<Statement>> {
        let word = match self.here(parser).peek() {
            Token::Char(b'(') => "select",
            Token::Keyword(keyword) => keyword.word,
            _ => return Some(self.unexpected(parser)),
        };
        Some(match word {
            "select" | "values" | "table" | "with" => parser.parse_query().map(Statement::Query),
            "insert" => {
                let token = parser.next_token();
                parser.parse_insert(token)
            }
            "update" => {
                let token = parser.next_token();
                parser.parse_update(token)
            }
            "delete" => {
                let token = parser.next_token();
                if !self.here(parser).is_word("from") {
                    return Some(self.unexpected(parser));
                }
                parser.parse_delete(token)
            }
            _ => self.unexpected(parser),
        })
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Parsed<Expr>> {
        Some(self.prefix(parser))
    }

    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &Expr,
        precedence: u8,
    ) -> Option<Parsed<Expr>> {
        self.infix(parser, expr, precedence)
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Parsed<u8>> {
        Some(Ok(self.precedence(&self.here(parser))))
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        match precedence {
            // A subscript ends at a colon, however loosely its operators bind.
            Precedence::Colon => self.prec_unknown(),
            other => self.base.prec_value(other),
        }
    }

    fn parse_data_type(&self, parser: &mut Parser) -> Option<Parsed<DataType>> {
        Some(self.data_type(parser))
    }

    fn parse_column_option(
        &self,
        parser: &mut Parser,
    ) -> Parsed<Option<Parsed<Option<ColumnOption>>>> {
        let option = self.column_option(parser)?;
        Ok(option.map(|option| Ok(Some(option))))
    }

    fn is_select_item_alias(&self, explicit: bool, _: &Keyword, parser: &mut Parser) -> bool {
        let index = self.index_of(parser.get_current_token());
        self.is_label(explicit, &self.reader.lexemes()[index])
    }

    /// `ColId`, with AS and without.
    fn is_table_factor_alias(&self, _: bool, _: &Keyword, parser: &mut Parser) -> bool {
        let current = parser.get_current_token();
        let index = self.index_of(current);
        match &self.reader.lexemes()[index].token {
            // `UPDATE t SET a = 1` has no alias, `SELECT … FROM t set` has.
            Token::Keyword(keyword) if keyword.word == "set" => {
                let after = self.reader.placed(index + 1);
                match after.peek() {
                    Token::Keyword(next) => !is_column_name(next.category),
                    Token::Ident(_) | Token::Quoted(_) | Token::Char(b'(') => false,
                    _ => true,
                }
            }
            Token::Keyword(keyword) => is_column_name(keyword.category),
            _ => true,
        }
    }

    fn is_table_factor(&self, _: &Keyword, parser: &mut Parser) -> bool {
        let index = self.index_of(parser.get_current_token());
        let cursor = self.reader.placed(index);
        let Token::Keyword(keyword) = cursor.peek() else {
            return true;
        };
        let calls = cursor.peek_at(1).is_char(b'(');
        let in_parentheses = index > 0 && self.reader.lexemes()[index - 1].token.is_char(b'(');
        match keyword.word {
            // A derived table is parsed speculatively, and its query cannot fail: it is the alias
            // that does, and then the query's first word is taken for a table's name.
            "select" if in_parentheses => {
                let closing = self.reader.closing(index - 1);
                let alias = self.reader.placed(closing + 1);
                let error = alias.index() + usize::from(alias.is_word("as"));
                if let Err(error) = self.unexpected_at::<()>(error) {
                    self.record(Failure::Parser(error));
                }
                false
            }
            word @ ("coalesce" | "greatest" | "least" | "nullif" | "current_date"
            | "current_timestamp" | "cast" | "extract" | "xmltable") => {
                let feature = format!("{} in FROM", word.to_uppercase());
                let error = Error::unsupported(feature).at(Some(cursor.at()));
                self.record(Failure::Engine(error));
                false
            }
            "rows" if cursor.is_word_at(1, "from") => {
                let error = Error::unsupported("ROWS FROM").at(Some(cursor.at()));
                self.record(Failure::Engine(error));
                false
            }
            _ if is_column_name(keyword.category) => true,
            _ => calls && is_type_or_function_name(keyword.category),
        }
    }
}

fn is_reserved(category: Category) -> bool {
    category == Category::Reserved
}
