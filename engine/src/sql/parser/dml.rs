//! INSERT, UPDATE, DELETE, and WITH in front of any of them or of a query.

use super::Parser;
use crate::error::Result;
use crate::sql::ast::*;

impl Parser<'_> {
    pub(super) fn with_statement(&mut self) -> Result<Statement> {
        let with = self.with()?;
        if self.is_word("insert") {
            self.insert(Some(with))
        } else if self.is_word("update") {
            self.update(Some(with))
        } else if self.is_word("delete") {
            self.delete(Some(with))
        } else {
            Ok(Statement::Query(Box::new(
                self.query_after_with(Some(with))?,
            )))
        }
    }

    pub(super) fn insert(&mut self, with: Option<With>) -> Result<Statement> {
        self.expect_word("insert")?;
        self.expect_word("into")?;
        let table = self.qualified_name()?;
        let mut alias = None;
        if self.eat_word("as") {
            alias = Some(self.name()?);
        }
        let mut columns = Vec::new();
        if self.is_char(b'(') && !self.starts_query_in_parentheses() {
            columns = self.parenthesized(|parser| {
                let name = parser.name()?;
                if parser.is_char(b'[') || parser.is_char(b'.') {
                    return parser.unsupported("INSERT into a part of a column");
                }
                Ok(name)
            })?;
        }
        let mut overriding = None;
        if self.is_word("overriding") {
            overriding = Some(self.at());
            self.bump();
            if !self.eat_word("user") {
                self.expect_word("system")?;
            }
            self.expect_word("value")?;
        }
        let source = if columns.is_empty() && self.eat_words(&["default", "values"]) {
            None
        } else {
            Some(self.query()?)
        };
        let mut on_conflict = None;
        if self.is_word("on") {
            on_conflict = Some(self.at());
            self.bump();
            self.expect_word("conflict")?;
            self.skip_statement();
        }
        let returning = self.returning()?;
        Ok(Statement::Insert(Box::new(Insert {
            table,
            alias,
            columns,
            source,
            overriding,
            on_conflict,
            returning,
            with,
        })))
    }

    fn returning(&mut self) -> Result<Option<Returning>> {
        let at = self.at();
        if !self.eat_word("returning") {
            return Ok(None);
        }
        let items = self.comma_separated(Self::select_item)?;
        Ok(Some(Returning { items, at }))
    }

    /// `relation_expr_opt_alias`: a table with an alias that may not be SET.
    fn target_table(&mut self) -> Result<(QualifiedName, Option<Alias>)> {
        self.eat_word("only");
        let table = self.qualified_name()?;
        self.eat_op("*");
        let mut alias = None;
        if self.eat_word("as") {
            alias = Some(self.name()?);
        } else if !self.is_word("set") {
            alias = self.name_if(super::is_column_name);
        }
        Ok((
            table,
            alias.map(|name| Alias {
                name,
                columns: Vec::new(),
            }),
        ))
    }

    fn where_clause(&mut self) -> Result<Option<Expr>> {
        if !self.eat_word("where") {
            return Ok(None);
        }
        if self.is_word("current") && self.is_word_at(1, "of") {
            return self.unsupported("WHERE CURRENT OF");
        }
        self.expr().map(Some)
    }

    pub(super) fn update(&mut self, with: Option<With>) -> Result<Statement> {
        self.expect_word("update")?;
        let (table, alias) = self.target_table()?;
        self.expect_word("set")?;
        let assignments = self.comma_separated(Self::assignment)?;
        let mut from = Vec::new();
        if self.eat_word("from") {
            from = self.table_refs()?;
        }
        let filter = self.where_clause()?;
        let returning = self.returning()?;
        Ok(Statement::Update(Box::new(Update {
            table,
            alias,
            assignments,
            from,
            filter,
            returning,
            with,
        })))
    }

    fn assignment(&mut self) -> Result<Assignment> {
        let at = self.at();
        if self.is_char(b'(') {
            self.name_list()?;
            if !self.eat_op("=") {
                return self.unexpected();
            }
            self.value()?;
            return Ok(Assignment::Unsupported {
                feature: "UPDATE of several columns at once",
                at,
            });
        }
        let column = self.name()?;
        if self.is_char(b'[') || self.is_char(b'.') {
            return self.unsupported("UPDATE of a part of a column");
        }
        if !self.eat_op("=") {
            return self.unexpected();
        }
        Ok(Assignment::Column {
            column,
            value: self.value()?,
        })
    }

    pub(super) fn delete(&mut self, with: Option<With>) -> Result<Statement> {
        self.expect_word("delete")?;
        self.expect_word("from")?;
        let (table, alias) = self.target_table()?;
        let mut using = Vec::new();
        if self.eat_word("using") {
            using = self.table_refs()?;
        }
        let filter = self.where_clause()?;
        let returning = self.returning()?;
        Ok(Statement::Delete(Box::new(Delete {
            table,
            alias,
            using,
            filter,
            returning,
            with,
        })))
    }
}
