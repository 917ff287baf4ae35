//! The elements of CREATE TABLE: columns and constraints (`TableElementList` in `gram.y`).

use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::dialect;
use crate::sql::reader::Reader;
use crate::sql::token::Token;
use sqlparser::ast as sp;

/// What stands between the parentheses of CREATE TABLE.
#[derive(Default)]
pub struct TableElements {
    pub columns: Vec<ColumnDefinition>,
    pub constraints: Vec<(&'static str, Position)>,
}

impl Reader {
    pub fn table_elements(&mut self) -> Result<TableElements> {
        let parsed = dialect::parse_columns(self);
        let (columns, constraints) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => return Err(self.element_error(error)),
        };
        let mut columns = columns.into_iter();
        let mut constraints = constraints.into_iter();
        let mut elements = TableElements::default();
        self.expect_char(b'(')?;
        if self.eat_char(b')') {
            return Ok(elements);
        }
        loop {
            let at = self.at();
            if let Some(feature) = self.table_constraint() {
                // None of them is carried out yet: they are refused by name.
                if constraints.next().is_none() {
                    return self.unsupported(feature);
                }
                elements.constraints.push((feature, at));
                self.skip_element()?;
            } else {
                let Some(column) = columns.next() else {
                    return self.unexpected();
                };
                elements.columns.push(self.lower_column_definition(column)?);
            }
            if !self.eat_char(b',') {
                break;
            }
        }
        self.expect_char(b')')?;
        Ok(elements)
    }

    /// The constraint or other element that stands next, if it is no column.
    fn table_constraint(&self) -> Option<&'static str> {
        let named = 2 * usize::from(self.is_word("constraint"));
        let Token::Keyword(keyword) = self.peek_at(named) else {
            return None;
        };
        match keyword.word {
            "check" => Some("CHECK constraint"),
            "unique" => Some("UNIQUE constraint"),
            "primary" => Some("PRIMARY KEY constraint"),
            "foreign" => Some("FOREIGN KEY constraint"),
            "exclude"
                if self.is_word_at(named + 1, "using") || self.peek_at(named + 1).is_char(b'(') =>
            {
                Some("EXCLUDE constraint")
            }
            "like" => Some("LIKE in CREATE TABLE"),
            _ => None,
        }
    }

    /// A constraint `sqlparser` cannot read is refused by name like those it can.
    fn element_error(&self, error: Error) -> Error {
        let mut element = self.clone();
        element.bump();
        loop {
            let start = element.clone();
            let mut feature = element.table_constraint();
            let mut depth = 0;
            let has_error = |reader: &Reader| Some(reader.at()) >= error.position;
            loop {
                match element.peek() {
                    Token::Char(b'(') => depth += 1,
                    Token::Char(b')' | b',') if depth == 0 => break,
                    Token::Char(b')') => depth -= 1,
                    Token::End | Token::Bad(_) => break,
                    Token::Keyword(keyword) if depth == 0 && !has_error(&element) => {
                        feature = feature.or(column_constraint(keyword.word));
                    }
                    _ => {}
                }
                element.bump();
            }
            if has_error(&element) {
                return match feature {
                    Some(feature) if error.sqlstate == sqlstate::SYNTAX_ERROR => {
                        Error::unsupported(feature).at(Some(start.at()))
                    }
                    _ => error,
                };
            }
            if !element.eat_char(b',') {
                return error;
            }
        }
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

    #[inline(never)]
    fn lower_column_definition(&mut self, column: sp::ColumnDef) -> Result<ColumnDefinition> {
        let sp::ColumnDef {
            name,
            data_type: _,
            options,
        } = column;
        let mut column = ColumnDefinition {
            name: self.lower_name(name)?,
            ty: self.type_name()?,
            not_null: false,
            default: None,
            others: Vec::new(),
        };
        let mut null = false;
        for sp::ColumnOptionDef { name, option } in options {
            let at = self.at();
            if name.is_some() {
                self.expect_word("constraint")?;
                self.name()?;
            }
            match option {
                sp::ColumnOption::Null => {
                    self.expect_word("null")?;
                    null = true;
                }
                sp::ColumnOption::NotNull => {
                    self.expect_words(&["not", "null"])?;
                    column.not_null = true;
                }
                sp::ColumnOption::Default(value) => {
                    self.expect_word("default")?;
                    let from = self.start_offset();
                    let value = self.lower_expr(value)?;
                    if column.default.is_some() {
                        return Err(clash("default values", &column.name, at));
                    }
                    column.default = Some((value, self.source(from, self.last_end())));
                }
                // None of the others is carried out yet: they are refused by name.
                _ => match column_constraint(self.keyword()) {
                    Some(feature) => {
                        column.others.push((feature, at));
                        self.skip_element()?;
                        return Ok(column);
                    }
                    None => return self.unexpected(),
                },
            }
            if null && column.not_null {
                let message = format!(
                    "conflicting NULL/NOT NULL declarations for column \"{}\"",
                    column.name.text
                );
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message).at(Some(at)));
            }
        }
        Ok(column)
    }
}

/// What a column's constraint or clause is called that begins with this word.
fn column_constraint(word: &str) -> Option<&'static str> {
    Some(match word {
        "check" => "CHECK constraint",
        "unique" => "UNIQUE constraint",
        "primary" => "PRIMARY KEY constraint",
        "references" => "FOREIGN KEY constraint",
        "generated" => "GENERATED column",
        "collate" => "COLLATE of a column",
        "storage" | "compression" => "STORAGE and COMPRESSION of a column",
        _ => return None,
    })
}

fn clash(what: &str, column: &Name, at: Position) -> Error {
    let message = format!("multiple {what} specified for column \"{}\"", column.text);
    Error::new(sqlstate::SYNTAX_ERROR, message).at(Some(at))
}
