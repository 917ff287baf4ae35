//! A recursive-descent parser for PostgreSQL's grammar (`gram.y`), one statement at a time.
//!
//! It accepts what PostgreSQL accepts and rejects what PostgreSQL rejects at the same token: the
//! first that no statement could have there. Statements PostgreSQL has and this engine has not are
//! read as far as they can be named ([`Statement::Unsupported`]).
//!
//! Depth is counted while the tree grows ([`MAX_DEPTH`]): neither parsing nor binding nor dropping
//! a tree can then run out of stack. A chain of ANDs, ORs, list elements or VALUES rows is one
//! level however long it is.

mod column;
mod create;
mod dml;
mod expr;
mod from;
mod function;
mod operand;
mod query;
mod routine;
mod types;
mod utility;

use super::ast::{Expr, ExprKind, Name, QualifiedName, Statement};
use super::keywords::Category;
use super::lexer::{Lexer, near};
use super::script::StatementText;
use super::token::{Lexeme, Token};
use crate::error::{Error, Position, Result, sqlstate};
use std::collections::VecDeque;

/// The most levels of nodes a syntax tree may have: what a chain of operators adds one by one.
/// PostgreSQL's own limit is its stack (`max_stack_depth`); ours is the megabyte of a browser's.
pub const MAX_DEPTH: u16 = 250;

/// The most levels the parser itself may descend, counted by what they cost: parentheses one, a
/// call or CASE more, a sub-select most. A level takes up to 3 kB of stack in a debug build.
const MAX_NESTING: u16 = 200;

/// What a level of each kind counts, by the size of its stack frames.
const CALL_COST: u16 = 2;
const CASE_COST: u16 = 1;
pub(super) const QUERY_DEPTH: u16 = 5;

/// Parses one statement of a script.
///
/// # Errors
/// 42601 with PostgreSQL's wording and the place in the script; 54001 when it nests too deeply.
pub fn parse_statement(statement: StatementText<'_>) -> Result<Statement> {
    let mut parser = Parser::new(statement.text, statement.start);
    let parsed = parser.statement()?;
    parser.expect_end()?;
    Ok(parsed)
}

/// Parses text that is one expression (the body of a `RETURN`).
///
/// # Errors
/// As [`parse_statement`].
pub fn parse_expression(text: &str, start: Position) -> Result<Expr> {
    let mut parser = Parser::new(text, start);
    let expr = parser.expr()?;
    parser.expect_end()?;
    Ok(expr)
}

pub(super) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    ahead: VecDeque<Lexeme>,
    /// Where the last token taken ends.
    last_end: usize,
    nesting: u16,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, start: Position) -> Self {
        let lexer = Lexer::new(text, start);
        Parser {
            text,
            lexer,
            ahead: VecDeque::new(),
            last_end: 0,
            nesting: 0,
        }
    }

    // The cursor.

    fn lexeme(&mut self, n: usize) -> &Lexeme {
        while self.ahead.len() <= n {
            let lexeme = self.lexer.next_token();
            self.ahead.push_back(lexeme);
        }
        &self.ahead[n]
    }

    fn peek(&mut self) -> &Token {
        &self.lexeme(0).token
    }

    fn peek_at(&mut self, n: usize) -> &Token {
        &self.lexeme(n).token
    }

    fn at(&mut self) -> Position {
        self.lexeme(0).at
    }

    fn start_offset(&mut self) -> usize {
        self.lexeme(0).start
    }

    fn bump(&mut self) -> Lexeme {
        let _ = self.lexeme(0);
        match self.ahead.pop_front() {
            Some(lexeme) => {
                self.last_end = lexeme.end;
                lexeme
            }
            None => self.lexer.next_token(),
        }
    }

    /// The keyword that stands next, or an empty string.
    fn keyword(&mut self) -> &'static str {
        match self.peek() {
            Token::Keyword(keyword) => keyword.word,
            _ => "",
        }
    }

    fn is_word(&mut self, word: &str) -> bool {
        self.peek().is_keyword(word)
    }

    fn is_word_at(&mut self, n: usize, word: &str) -> bool {
        self.peek_at(n).is_keyword(word)
    }

    fn is_char(&mut self, c: u8) -> bool {
        self.peek().is_char(c)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// Takes all of these keywords or none.
    fn eat_words(&mut self, words: &[&str]) -> bool {
        let found = words
            .iter()
            .enumerate()
            .all(|(n, word)| self.is_word_at(n, word));
        if found {
            for _ in words {
                self.bump();
            }
        }
        found
    }

    fn eat_char(&mut self, c: u8) -> bool {
        let found = self.is_char(c);
        if found {
            self.bump();
        }
        found
    }

    fn eat_op(&mut self, op: &str) -> bool {
        let found = self.peek().is_op(op);
        if found {
            self.bump();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<Position> {
        let at = self.at();
        if self.eat_word(word) {
            Ok(at)
        } else {
            self.unexpected()
        }
    }

    fn expect_char(&mut self, c: u8) -> Result<Position> {
        let at = self.at();
        if self.eat_char(c) {
            Ok(at)
        } else {
            self.unexpected()
        }
    }

    fn expect_end(&mut self) -> Result<()> {
        match self.peek() {
            Token::End => Ok(()),
            _ => self.unexpected(),
        }
    }

    /// Text between two byte offsets of the statement.
    fn source(&self, from: usize, to: usize) -> String {
        self.text[from..to].trim().to_string()
    }

    // Errors.

    /// PostgreSQL's syntax error at the next token.
    fn unexpected<T>(&mut self) -> Result<T> {
        let text = self.text;
        let lexeme = self.lexeme(0);
        let error = match &lexeme.token {
            Token::Bad(error) => (**error).clone(),
            Token::End => Error::new(sqlstate::SYNTAX_ERROR, "syntax error at end of input"),
            _ => near("syntax error", &text[lexeme.start..lexeme.end]),
        };
        Err(error.at(Some(lexeme.at)))
    }

    fn unsupported<T>(&mut self, feature: impl std::fmt::Display) -> Result<T> {
        let at = self.at();
        Err(Error::unsupported(feature).at(Some(at)))
    }

    // Depth.

    fn too_deep(at: Position) -> Error {
        Error::new(
            sqlstate::STATEMENT_TOO_COMPLEX,
            "stack depth limit exceeded",
        )
        .with_hint(format!(
            "Statements may have {MAX_NESTING} levels of parentheses and chains of \
                 {MAX_DEPTH} operators. AND, OR, IN lists and VALUES rows may be longer."
        ))
        .at(Some(at))
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.deeper(1, parse)
    }

    fn deeper<T>(&mut self, by: u16, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting + by > MAX_NESTING {
            let at = self.at();
            return Err(Self::too_deep(at));
        }
        self.nesting += by;
        let parsed = parse(self);
        self.nesting -= by;
        parsed
    }

    /// A node over parts that are already there.
    fn node(&self, at: Position, kind: ExprKind) -> Result<Expr> {
        let depth = kind.parts_depth() + 1;
        if depth > MAX_DEPTH {
            return Err(Self::too_deep(at));
        }
        Ok(Expr { kind, at, depth })
    }

    // Names.

    fn name_if(&mut self, allowed: impl Fn(Category) -> bool) -> Option<Name> {
        let taken = match self.peek() {
            Token::Ident(_) | Token::Quoted(_) => true,
            Token::Keyword(keyword) => allowed(keyword.category),
            _ => false,
        };
        if !taken {
            return None;
        }
        let lexeme = self.bump();
        let text = match lexeme.token {
            Token::Ident(text) | Token::Quoted(text) => text,
            Token::Keyword(keyword) => keyword.word.to_string(),
            _ => return None,
        };
        Some(Name {
            text,
            at: lexeme.at,
        })
    }

    /// `ColId`: the name of a column, table, alias, …
    fn name(&mut self) -> Result<Name> {
        match self.name_if(is_column_name) {
            Some(name) => Ok(name),
            None => self.unexpected(),
        }
    }

    /// `ColLabel`: any word.
    fn label(&mut self) -> Result<Name> {
        match self.name_if(|_| true) {
            Some(name) => Ok(name),
            None => self.unexpected(),
        }
    }

    /// `any_name`: `a`, `schema.a`.
    fn qualified_name(&mut self) -> Result<QualifiedName> {
        let first = self.name()?;
        self.more_parts(first)
    }

    fn more_parts(&mut self, first: Name) -> Result<QualifiedName> {
        let mut parts = vec![first];
        while self.eat_char(b'.') {
            parts.push(self.label()?);
        }
        Ok(QualifiedName { parts })
    }

    fn comma_separated<T>(
        &mut self,
        mut parse: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut list = vec![parse(self)?];
        while self.eat_char(b',') {
            list.push(parse(self)?);
        }
        Ok(list)
    }

    /// `( item, … )`
    fn parenthesized<T>(&mut self, parse: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect_char(b'(')?;
        let list = self.comma_separated(parse)?;
        self.expect_char(b')')?;
        Ok(list)
    }

    // Statements.

    fn statement(&mut self) -> Result<Statement> {
        let at = self.at();
        let word = match self.peek() {
            Token::Char(b'(') => "select",
            Token::Keyword(keyword) => keyword.word,
            _ => return self.unexpected(),
        };
        match word {
            "select" | "values" | "table" => Ok(Statement::Query(Box::new(self.query()?))),
            "with" => self.with_statement(),
            "insert" => self.insert(None),
            "update" => self.update(None),
            "delete" => self.delete(None),
            "create" => self.create(),
            "alter" => self.alter(),
            "drop" => self.drop(),
            "truncate" => self.truncate(),
            "vacuum" => self.vacuum(),
            "analyze" | "analyse" => self.analyze(),
            "explain" => self.explain(),
            "set" => self.set(),
            "reset" => self.reset(),
            "show" => self.show(),
            "begin" | "start" | "commit" | "end" | "rollback" | "abort" | "savepoint"
            | "release" => self.transaction(word),
            "call" | "checkpoint" | "close" | "cluster" | "comment" | "copy" | "deallocate"
            | "declare" | "discard" | "do" | "execute" | "fetch" | "grant" | "import"
            | "listen" | "load" | "lock" | "merge" | "move" | "notify" | "prepare" | "reassign"
            | "refresh" | "reindex" | "revoke" | "security" | "unlisten" => {
                self.skip_statement();
                Ok(Statement::Unsupported {
                    command: word.to_uppercase(),
                    at,
                })
            }
            _ => self.unexpected(),
        }
    }

    /// Leaves the rest of a statement unread whose grammar is not known here.
    fn skip_statement(&mut self) {
        while !matches!(self.peek(), Token::End | Token::Bad(_)) {
            self.bump();
        }
    }
}

fn is_column_name(category: Category) -> bool {
    matches!(category, Category::Unreserved | Category::ColumnName)
}

fn is_type_or_function_name(category: Category) -> bool {
    matches!(category, Category::Unreserved | Category::TypeFunctionName)
}
