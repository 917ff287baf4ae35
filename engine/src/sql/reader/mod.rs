//! A cursor over the tokens of one statement.
//!
//! `sqlparser` finds the structure of a statement; its tree has no place for many of the words and
//! positions it read. So the tree is lowered beside this cursor, which steps over every token of
//! the statement in order: a token that no node accounts for stops it with a syntax error, and the
//! cursor knows where each node stands. Statements that `sqlparser` has no tree for (settings,
//! VACUUM, CREATE OPERATOR, …) are read from it alone.

mod parentheses;
mod types;

use super::ast::{Expr, ExprKind, Name, QualifiedName};
use super::keywords::Category;
use super::lexer::{Lexer, near};
use super::token::{Lexeme, Token};
use super::{MAX_DEPTH, guard};
use crate::error::{Error, Position, Result, sqlstate};
use parentheses::{Parenthesis, parentheses};
use std::rc::Rc;

/// Cloning it gives a second cursor at the same place.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    text: Rc<str>,
    lexemes: Rc<[Lexeme]>,
    parentheses: Rc<[Parenthesis]>,
    index: usize,
    /// Expressions and queries that are being lowered around this place.
    depth: usize,
}

impl Reader {
    pub fn new(text: &str, start: Position) -> Self {
        let mut lexer = Lexer::new(text, start);
        let mut lexemes = Vec::new();
        loop {
            let lexeme = lexer.next_token();
            let last = matches!(lexeme.token, Token::End);
            lexemes.push(lexeme);
            if last {
                break;
            }
        }
        Reader {
            text: text.into(),
            parentheses: parentheses(&lexemes).into(),
            lexemes: lexemes.into(),
            index: 0,
            depth: 0,
        }
    }

    pub fn lexemes(&self) -> &Rc<[Lexeme]> {
        &self.lexemes
    }

    /// The number of the next token in the statement.
    pub fn index(&self) -> usize {
        self.index
    }

    /// A cursor at another token of the statement.
    pub fn placed(&self, index: usize) -> Self {
        Reader {
            index: index.min(self.lexemes.len() - 1),
            ..self.clone()
        }
    }

    pub fn go_to(&mut self, index: usize) {
        self.index = index.min(self.lexemes.len() - 1);
    }

    /// How many more expressions and queries may nest here.
    pub fn levels_left(&self) -> usize {
        guard::MAX_RECURSION.saturating_sub(self.depth)
    }

    /// Runs `lower` as so many levels deeper.
    pub fn deeper<T>(
        &mut self,
        levels: usize,
        lower: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.depth += levels;
        let lowered = lower(self);
        self.depth -= levels;
        lowered
    }

    /// The number of the statement's last token, its end.
    pub fn last(&self) -> usize {
        self.lexemes.len() - 1
    }

    // Looking and taking.

    pub fn lexeme(&self, n: usize) -> &Lexeme {
        let last = self.lexemes.len() - 1;
        &self.lexemes[(self.index + n).min(last)]
    }

    pub fn peek(&self) -> &Token {
        &self.lexeme(0).token
    }

    pub fn peek_at(&self, n: usize) -> &Token {
        &self.lexeme(n).token
    }

    pub fn at(&self) -> Position {
        self.lexeme(0).at
    }

    pub fn start_offset(&self) -> usize {
        self.lexeme(0).start
    }

    /// Where the last token taken ends.
    pub fn last_end(&self) -> usize {
        match self.index {
            0 => 0,
            index => self.lexemes[index - 1].end,
        }
    }

    pub fn bump(&mut self) {
        self.go_to(self.index + 1);
    }

    /// The keyword that stands next, or an empty string.
    pub fn keyword(&self) -> &'static str {
        match self.peek() {
            Token::Keyword(keyword) => keyword.word,
            _ => "",
        }
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.peek().is_keyword(word)
    }

    pub fn is_word_at(&self, n: usize, word: &str) -> bool {
        self.peek_at(n).is_keyword(word)
    }

    pub fn is_any_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_word(word))
    }

    pub fn is_char(&self, c: u8) -> bool {
        self.peek().is_char(c)
    }

    /// Whether the token of this number opens a query in parentheses.
    pub fn is_query_parenthesis(&self, index: usize) -> bool {
        let parenthesis = self.parentheses.get(index);
        parenthesis.is_some_and(|parenthesis| parenthesis.holds_query)
    }

    /// The number of the token that closes the parenthesis of this number: the last of the
    /// statement if none does.
    pub fn closing(&self, index: usize) -> usize {
        let parenthesis = self.parentheses.get(index);
        parenthesis.map_or(self.lexemes.len() - 1, |parenthesis| parenthesis.closing)
    }

    pub fn is_query_parenthesis_at(&self, n: usize) -> bool {
        self.is_query_parenthesis(self.index + n)
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// Takes all of these keywords or none.
    pub fn eat_words(&mut self, words: &[&str]) -> bool {
        let mut at = words.iter().enumerate();
        let found = at.all(|(n, word)| self.is_word_at(n, word));
        if found {
            self.go_to(self.index + words.len());
        }
        found
    }

    pub fn eat_char(&mut self, c: u8) -> bool {
        let found = self.is_char(c);
        if found {
            self.bump();
        }
        found
    }

    pub fn eat_op(&mut self, op: &str) -> bool {
        let found = self.peek().is_op(op);
        if found {
            self.bump();
        }
        found
    }

    pub fn expect_word(&mut self, word: &str) -> Result<Position> {
        let at = self.at();
        if self.eat_word(word) {
            Ok(at)
        } else {
            self.unexpected()
        }
    }

    pub fn expect_words(&mut self, words: &[&str]) -> Result<()> {
        for word in words {
            self.expect_word(word)?;
        }
        Ok(())
    }

    pub fn expect_char(&mut self, c: u8) -> Result<Position> {
        let at = self.at();
        if self.eat_char(c) {
            Ok(at)
        } else {
            self.unexpected()
        }
    }

    pub fn expect_end(&self) -> Result<()> {
        match self.peek() {
            Token::End => Ok(()),
            _ => self.unexpected(),
        }
    }

    /// Text between two byte offsets of the statement.
    pub fn source(&self, from: usize, to: usize) -> String {
        self.text[from..to].trim().to_string()
    }

    /// Leaves the rest of a statement unread whose grammar is not known here.
    pub fn skip_statement(&mut self) {
        while !matches!(self.peek(), Token::End | Token::Bad(_)) {
            self.bump();
        }
    }

    /// Steps over balanced parentheses whose contents are not lowered.
    pub fn skip_parentheses(&mut self) -> Result<()> {
        self.expect_char(b'(')?;
        let mut depth = 1;
        while depth > 0 {
            match self.peek() {
                Token::Char(b'(') => depth += 1,
                Token::Char(b')') => depth -= 1,
                Token::End | Token::Bad(_) => return self.unexpected(),
                _ => {}
            }
            self.bump();
        }
        Ok(())
    }

    // Errors.

    /// PostgreSQL's syntax error at the next token.
    pub fn syntax_error(&self) -> Error {
        let lexeme = self.lexeme(usize::from(self.is_half_clause()));
        let error = match &lexeme.token {
            Token::Bad(error) => (**error).clone(),
            Token::End => Error::new(sqlstate::SYNTAX_ERROR, "syntax error at end of input"),
            _ => near("syntax error", &self.text[lexeme.start..lexeme.end]),
        };
        error.at(Some(lexeme.at))
    }

    /// Whether ORDER or GROUP stands behind an operand without its BY: then what stands in place
    /// of BY is wrong.
    fn is_half_clause(&self) -> bool {
        let behind_operand = self.index > 0
            && matches!(
                self.lexemes[self.index - 1].token,
                Token::Ident(_) | Token::Quoted(_) | Token::Number(_) | Token::Char(b')')
            );
        behind_operand && self.is_any_word(&["order", "group"]) && !self.is_word_at(1, "by")
    }

    pub fn unexpected<T>(&self) -> Result<T> {
        Err(self.syntax_error())
    }

    pub fn unsupported<T>(&self, feature: impl std::fmt::Display) -> Result<T> {
        Err(Error::unsupported(feature).at(Some(self.at())))
    }

    /// A node over parts that are already there.
    pub fn node(&self, at: Position, kind: ExprKind) -> Result<Expr> {
        let depth = self.checked_depth(kind.parts_depth() + 1, at)?;
        Ok(Expr { kind, at, depth })
    }

    pub fn checked_depth(&self, depth: u16, at: Position) -> Result<u16> {
        if depth > MAX_DEPTH {
            Err(guard::too_deep(at))
        } else {
            Ok(depth)
        }
    }

    // Names.

    pub fn name_if(&mut self, allowed: impl Fn(Category) -> bool) -> Option<Name> {
        let text = match self.peek() {
            Token::Ident(text) | Token::Quoted(text) => text.clone(),
            Token::Keyword(keyword) if allowed(keyword.category) => keyword.word.to_string(),
            _ => return None,
        };
        let at = self.at();
        self.bump();
        Some(Name { text, at })
    }

    /// `ColId`: the name of a column, table, alias, …
    pub fn name(&mut self) -> Result<Name> {
        match self.name_if(is_column_name) {
            Some(name) => Ok(name),
            None => self.unexpected(),
        }
    }

    /// `ColLabel`: any word.
    pub fn label(&mut self) -> Result<Name> {
        match self.name_if(|_| true) {
            Some(name) => Ok(name),
            None => self.unexpected(),
        }
    }

    /// `any_name`: `a`, `schema.a`.
    pub fn qualified_name(&mut self) -> Result<QualifiedName> {
        let first = self.name()?;
        self.more_parts(first)
    }

    /// The name of a table, at most with its schema and database (`makeRangeVarFromQualifiedName`).
    pub fn relation_name(&mut self) -> Result<QualifiedName> {
        let name = self.qualified_name()?;
        if name.parts.len() > 3 {
            let message = format!("improper qualified name (too many dotted names): {name}");
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message).at(Some(name.at())));
        }
        Ok(name)
    }

    pub fn more_parts(&mut self, first: Name) -> Result<QualifiedName> {
        let mut parts = vec![first];
        while self.eat_char(b'.') {
            parts.push(self.label()?);
        }
        Ok(QualifiedName { parts })
    }

    /// A function's name, which may be a keyword like LEFT.
    pub fn function_name(&mut self) -> Result<QualifiedName> {
        match self.name_if(is_type_or_function_name) {
            Some(first) => self.more_parts(first),
            None => self.unexpected(),
        }
    }

    /// Any operator, without parentheses.
    pub fn operator_symbol(&mut self) -> Result<String> {
        match self.peek() {
            Token::Op(op) => {
                let op = op.clone();
                self.bump();
                Ok(op)
            }
            _ => self.unexpected(),
        }
    }

    // Lists.

    pub fn comma_separated<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut list = vec![read(self)?];
        while self.eat_char(b',') {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// `( item, … )`
    pub fn parenthesized<T>(&mut self, read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect_char(b'(')?;
        let list = self.comma_separated(read)?;
        self.expect_char(b')')?;
        Ok(list)
    }

    /// A list of names in parentheses.
    pub fn name_list(&mut self) -> Result<Vec<Name>> {
        self.parenthesized(Self::name)
    }

    /// Lowers the items of a list one by one, stepping over the commas between them.
    pub fn lower_list<S, T>(
        &mut self,
        items: Vec<S>,
        mut lower: impl FnMut(&mut Self, S) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            if !list.is_empty() {
                self.expect_char(b',')?;
            }
            list.push(lower(self, item)?);
        }
        Ok(list)
    }

    /// [`lower_list`](Self::lower_list) of large items, which are kept off the stack.
    pub fn lower_boxes<S, T>(
        &mut self,
        items: Vec<S>,
        lower: impl FnMut(&mut Self, Box<S>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.lower_list(boxes(items), lower)
    }

    /// [`lower_list`](Self::lower_list) in parentheses.
    pub fn lower_parenthesized<S, T>(
        &mut self,
        items: Vec<S>,
        lower: impl FnMut(&mut Self, S) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.expect_char(b'(')?;
        let list = self.lower_list(items, lower)?;
        self.expect_char(b')')?;
        Ok(list)
    }
}

#[inline(never)]
pub(super) fn boxes<S>(items: Vec<S>) -> Vec<Box<S>> {
    items.into_iter().map(Box::new).collect()
}

pub(super) fn is_column_name(category: Category) -> bool {
    matches!(category, Category::Unreserved | Category::ColumnName)
}

pub(super) fn is_type_or_function_name(category: Category) -> bool {
    matches!(category, Category::Unreserved | Category::TypeFunctionName)
}
