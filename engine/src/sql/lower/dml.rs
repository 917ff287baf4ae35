//! INSERT, UPDATE, DELETE, and WITH in front of any of them or of a query.

use crate::error::{Error, Result};
use crate::sql::ast::*;
use crate::sql::reader::Reader;
use sqlparser::ast as sp;

impl Reader {
    pub(super) fn lower_statement(&mut self, statement: sp::Statement) -> Result<Statement> {
        match statement {
            sp::Statement::Query(query) => self.lower_query_or_change(query),
            statement => self.lower_change(statement, None),
        }
    }

    /// A query; with WITH in front, INSERT, UPDATE and DELETE are the body of one too.
    fn lower_query_or_change(&mut self, query: Box<sp::Query>) -> Result<Statement> {
        let changes = matches!(
            *query.body,
            sp::SetExpr::Insert(_) | sp::SetExpr::Update(_) | sp::SetExpr::Delete(_)
        );
        if !changes {
            return Ok(Statement::Query(Box::new(self.lower_query(query)?)));
        }
        let sp::Query {
            with,
            body,
            order_by: _,
            limit_clause: _,
            fetch: _,
            locks: _,
            for_clause: _,
            settings: _,
            format_clause: _,
            pipe_operators: _,
        } = *query;
        let with = with.map(|with| self.lower_with(with)).transpose()?;
        match *body {
            sp::SetExpr::Insert(statement)
            | sp::SetExpr::Update(statement)
            | sp::SetExpr::Delete(statement) => self.lower_change(statement, with),
            _ => self.unexpected(),
        }
    }

    fn lower_change(&mut self, statement: sp::Statement, with: Option<With>) -> Result<Statement> {
        match statement {
            sp::Statement::Insert(insert) => self.lower_insert(insert, with),
            sp::Statement::Update(update) => self.lower_update(update, with),
            sp::Statement::Delete(delete) => self.lower_delete(delete, with),
            _ => self.unexpected(),
        }
    }

    #[inline(never)]
    fn lower_insert(&mut self, insert: sp::Insert, with: Option<With>) -> Result<Statement> {
        // The cursor meets the words of every field that is passed over.
        let sp::Insert {
            insert_token: _,
            optimizer_hints: _,
            or: _,
            ignore: _,
            into: _,
            table: _,
            table_alias,
            columns,
            by_name: _,
            overwrite: _,
            source,
            assignments: _,
            partitioned: _,
            after_columns: _,
            overriding: _,
            has_table_keyword: _,
            on,
            returning,
            output: _,
            replace_into: _,
            priority: _,
            insert_alias: _,
            settings: _,
            format_clause: _,
            multi_table_insert_type: _,
            multi_table_into_clauses: _,
            multi_table_when_clauses: _,
            multi_table_else_clause: _,
        } = insert;
        self.expect_words(&["insert", "into"])?;
        let table = self.relation_name()?;
        let mut alias = None;
        if let Some(sp::TableAliasWithoutColumns {
            explicit: _,
            alias: name,
        }) = table_alias
            && !self.is_word("table")
        {
            self.expect_word("as")?;
            alias = Some(self.lower_name(name)?);
        }
        let mut names = Vec::new();
        if !columns.is_empty() {
            names = self.lower_parenthesized(columns, Self::lower_insert_column)?;
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
        let source = match source {
            Some(query) => Some(self.lower_query(query)?),
            None => {
                self.expect_words(&["default", "values"])?;
                None
            }
        };
        let mut on_conflict = None;
        if let Some(on) = on {
            on_conflict = Some(self.at());
            self.lower_on_conflict(on)?;
        }
        let returning = self.lower_returning(returning)?;
        Ok(Statement::Insert(Box::new(Insert {
            table,
            alias,
            columns: names,
            source,
            overriding,
            on_conflict,
            returning,
            with,
        })))
    }

    fn lower_insert_column(&mut self, column: sp::ObjectName) -> Result<Name> {
        let sp::ObjectName(_) = column;
        let name = self.name()?;
        if self.is_char(b'[') || self.is_char(b'.') {
            return self.unsupported("INSERT into a part of a column");
        }
        Ok(name)
    }

    /// Steps over `ON CONFLICT (…) DO …`, of which our tree keeps the place.
    #[inline(never)]
    fn lower_on_conflict(&mut self, on: sp::OnInsert) -> Result<()> {
        self.expect_words(&["on", "conflict"])?;
        let sp::OnInsert::OnConflict(sp::OnConflict {
            conflict_target,
            action,
        }) = on
        else {
            return self.unexpected();
        };
        match conflict_target {
            Some(sp::ConflictTarget::Columns {
                columns: _,
                predicate,
            }) => {
                self.name_list()?;
                self.lower_clause("where", predicate)?;
            }
            Some(sp::ConflictTarget::OnConstraint(_)) => {
                self.expect_words(&["on", "constraint"])?;
                self.qualified_name()?;
            }
            None => {}
        }
        self.expect_word("do")?;
        match action {
            sp::OnConflictAction::DoNothing => {
                self.expect_word("nothing")?;
            }
            sp::OnConflictAction::DoUpdate(sp::DoUpdate {
                assignments,
                selection,
            }) => {
                self.expect_words(&["update", "set"])?;
                self.lower_list(assignments, Self::lower_assignment)?;
                self.lower_clause("where", selection)?;
            }
        }
        Ok(())
    }

    fn lower_returning(
        &mut self,
        returning: Option<Vec<sp::SelectItem>>,
    ) -> Result<Option<Returning>> {
        let at = self.at();
        let Some(items) = returning else {
            return Ok(None);
        };
        self.expect_word("returning")?;
        let items = self.lower_boxes(items, Self::lower_select_item)?;
        Ok(Some(Returning { items, at }))
    }

    /// `relation_expr_opt_alias`: a table with an alias, and nothing joined to it.
    fn lower_target(
        &mut self,
        table: sp::TableWithJoins,
    ) -> Result<(QualifiedName, Option<Alias>)> {
        let sp::TableWithJoins { relation, joins } = table;
        let sp::TableFactor::Table {
            name: _,
            alias,
            args,
            with_hints: _,
            version: _,
            with_ordinality: _,
            partitions: _,
            json_path: _,
            sample: _,
            index_directives: _,
            inheritance: _,
        } = relation
        else {
            return self.unexpected();
        };
        let name = self.lower_relation()?;
        if args.is_some() {
            return self.unexpected();
        }
        let mut lowered = None;
        if let Some(alias) = alias {
            self.eat_word("as");
            let sp::TableAlias {
                explicit: _,
                name,
                columns: _,
                at: _,
            } = alias;
            let name = self.lower_name(name)?;
            let columns = Vec::new();
            lowered = Some(Alias { name, columns });
        }
        if joins.is_empty() {
            Ok((name, lowered))
        } else {
            self.unexpected()
        }
    }

    #[inline(never)]
    fn lower_update(&mut self, update: sp::Update, with: Option<With>) -> Result<Statement> {
        let sp::Update {
            update_token: _,
            optimizer_hints: _,
            table,
            on_cluster: _,
            assignments,
            from,
            selection,
            returning,
            output: _,
            or: _,
            order_by: _,
            limit: _,
            settings: _,
        } = update;
        self.expect_word("update")?;
        let (table, alias) = self.lower_target(table)?;
        self.expect_word("set")?;
        let assignments = self.lower_list(assignments, Self::lower_assignment)?;
        let from = match from {
            Some(sp::UpdateTableFromKind::AfterSet(tables)) => {
                self.expect_word("from")?;
                self.lower_boxes(tables, Self::lower_table_with_joins)?
            }
            // Before SET the cursor has met the word already.
            Some(sp::UpdateTableFromKind::BeforeSet(_)) => return self.unexpected(),
            None => Vec::new(),
        };
        let filter = self.lower_clause("where", selection)?;
        let returning = self.lower_returning(returning)?;
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

    fn lower_assignment(&mut self, assignment: sp::Assignment) -> Result<Assignment> {
        let sp::Assignment { target, value } = assignment;
        let at = self.at();
        match target {
            sp::AssignmentTarget::Tuple(_) => {
                self.name_list()?;
                if !self.eat_op("=") {
                    return self.unexpected();
                }
                match value {
                    sp::Expr::Tuple(values) => {
                        self.eat_word("row");
                        self.lower_parenthesized(values, Self::lower_value)?;
                    }
                    value => {
                        self.lower_value(value)?;
                    }
                }
                let feature = "UPDATE of several columns at once";
                Ok(Assignment::Unsupported { feature, at })
            }
            sp::AssignmentTarget::ColumnName(_) => {
                let column = self.name()?;
                if self.is_char(b'.') {
                    return self.unsupported("UPDATE of a part of a column");
                }
                if !self.eat_op("=") {
                    return self.unexpected();
                }
                let value = self.lower_value(value)?;
                Ok(Assignment::Column { column, value })
            }
        }
    }

    #[inline(never)]
    fn lower_delete(&mut self, delete: sp::Delete, with: Option<With>) -> Result<Statement> {
        let sp::Delete {
            delete_token: _,
            optimizer_hints: _,
            tables: _,
            from,
            on_cluster: _,
            using,
            selection,
            returning,
            output: _,
            order_by: _,
            limit: _,
            settings: _,
        } = delete;
        self.expect_words(&["delete", "from"])?;
        let (sp::FromTable::WithFromKeyword(from) | sp::FromTable::WithoutKeyword(from)) = from;
        let Some(target) = from.into_iter().next() else {
            return Err(Error::internal("DELETE from no table"));
        };
        let (table, alias) = self.lower_target(target)?;
        let mut tables = Vec::new();
        if let Some(using) = using {
            self.expect_word("using")?;
            tables = self.lower_boxes(using, Self::lower_table_with_joins)?;
        }
        let filter = self.lower_clause("where", selection)?;
        let returning = self.lower_returning(returning)?;
        Ok(Statement::Delete(Box::new(Delete {
            table,
            alias,
            using: tables,
            filter,
            returning,
            with,
        })))
    }
}
