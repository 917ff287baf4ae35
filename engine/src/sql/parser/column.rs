//! The elements of CREATE TABLE: columns, constraints, storage options.

use super::Parser;
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::token::Token;

/// What stands between the parentheses of CREATE TABLE.
#[derive(Default)]
pub(super) struct TableElements {
    pub columns: Vec<ColumnDefinition>,
    pub constraints: Vec<(&'static str, Position)>,
}

impl Parser<'_> {
    pub(super) fn table_elements(&mut self) -> Result<TableElements> {
        let mut elements = TableElements::default();
        self.expect_char(b'(')?;
        if self.eat_char(b')') {
            return Ok(elements);
        }
        loop {
            let at = self.at();
            if self.eat_word("constraint") {
                self.name()?;
            }
            let constraint = match self.keyword() {
                "check" => Some("CHECK constraint"),
                "unique" => Some("UNIQUE constraint"),
                "primary" => Some("PRIMARY KEY constraint"),
                "foreign" => Some("FOREIGN KEY constraint"),
                "exclude" if self.is_word_at(1, "using") || self.peek_at(1).is_char(b'(') => {
                    Some("EXCLUDE constraint")
                }
                "like" => Some("LIKE in CREATE TABLE"),
                _ => None,
            };
            match constraint {
                Some(constraint) => {
                    elements.constraints.push((constraint, at));
                    self.skip_element()?;
                }
                None => {
                    let column = self.column_definition()?;
                    elements.columns.push(column);
                }
            }
            if !self.eat_char(b',') {
                break;
            }
        }
        self.expect_char(b')')?;
        Ok(elements)
    }

    /// Steps over the rest of an element that is refused by name.
    fn skip_element(&mut self) -> Result<()> {
        let mut depth = 0;
        loop {
            match self.peek() {
                Token::Char(b'(') => depth += 1,
                Token::Char(b')' | b',') if depth == 0 => return Ok(()),
                Token::Char(b')') => depth -= 1,
                Token::End | Token::Bad(_) => return self.unexpected(),
                _ => {}
            }
            self.bump();
        }
    }

    fn column_definition(&mut self) -> Result<ColumnDefinition> {
        let name = self.name()?;
        let ty = self.type_name()?;
        let mut column = ColumnDefinition {
            name,
            ty,
            not_null: false,
            default: None,
            others: Vec::new(),
        };
        let mut null = false;
        loop {
            let at = self.at();
            if self.eat_word("constraint") {
                self.name()?;
                continue;
            }
            let word = match self.peek() {
                Token::Keyword(k) => k.word,
                _ => return Ok(column),
            };
            match word {
                "not" if self.is_word_at(1, "null") => {
                    self.eat_words(&["not", "null"]);
                    column.not_null = true;
                }
                "null" => {
                    self.bump();
                    null = true;
                }
                "default" => {
                    self.bump();
                    let from = self.start_offset();
                    let expr = self.restricted_expr()?;
                    if column.default.is_some() {
                        return Err(self.clash("default values", &column.name, at));
                    }
                    column.default = Some((expr, self.source(from, self.last_end)));
                }
                "check" | "unique" | "primary" | "references" | "generated" | "collate"
                | "storage" | "compression" => {
                    let feature = match word {
                        "check" => "CHECK constraint",
                        "unique" => "UNIQUE constraint",
                        "primary" => "PRIMARY KEY constraint",
                        "references" => "FOREIGN KEY constraint",
                        "generated" => "GENERATED column",
                        "collate" => "COLLATE of a column",
                        _ => "STORAGE and COMPRESSION of a column",
                    };
                    column.others.push((feature, at));
                    self.skip_element()?;
                }
                _ => return self.unexpected(),
            }
            if null && column.not_null {
                let message = format!(
                    "conflicting NULL/NOT NULL declarations for column \"{}\"",
                    column.name.text
                );
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message).at(Some(at)));
            }
        }
    }

    fn clash(&self, what: &str, column: &Name, at: Position) -> Error {
        let message = format!("multiple {what} specified for column \"{}\"", column.text);
        Error::new(sqlstate::SYNTAX_ERROR, message).at(Some(at))
    }

    /// `WITH (name = value, …)`, or nothing.
    pub(super) fn with_options(&mut self) -> Result<Vec<RelOption>> {
        if self.is_word("with") && self.peek_at(1).is_char(b'(') {
            self.bump();
            return self.rel_options();
        }
        Ok(Vec::new())
    }

    /// `(name = value, name, …)`
    pub(super) fn rel_options(&mut self) -> Result<Vec<RelOption>> {
        self.parenthesized(|parser| {
            let mut name = parser.label()?;
            if parser.eat_char(b'.') {
                let rest = parser.label()?;
                name.text = format!("{}.{}", name.text, rest.text);
            }
            let mut value = None;
            if parser.eat_op("=") {
                value = Some(parser.option_value()?);
            }
            Ok(RelOption { name, value })
        })
    }

    /// The value of an option as text: a word, a string, a number.
    pub(super) fn option_value(&mut self) -> Result<String> {
        let negative = self.eat_op("-");
        let positive = !negative && self.eat_op("+");
        let text = match self.peek() {
            Token::Number(text) if negative => format!("-{text}"),
            Token::Number(text) => text.clone(),
            _ if negative || positive => return self.unexpected(),
            Token::String(text) | Token::Ident(text) | Token::Quoted(text) => text.clone(),
            Token::Keyword(keyword) => keyword.word.to_string(),
            _ => return self.unexpected(),
        };
        self.bump();
        Ok(text)
    }
}
