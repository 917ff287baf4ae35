//! CREATE, ALTER TABLE, DROP, TRUNCATE.

use super::Parser;
use crate::error::{Position, Result};
use crate::sql::ast::*;
use crate::sql::token::Token;

impl Parser<'_> {
    pub(super) fn create(&mut self) -> Result<Statement> {
        let at = self.expect_word("create")?;
        let or_replace = self.eat_words(&["or", "replace"]);
        let temporary_at = self.at();
        let temporary = self.eat_temporary();
        let temporary = temporary.then_some(temporary_at);
        let unlogged = self.eat_word("unlogged");
        let word = self.keyword();
        match word {
            "table" if !or_replace => self.create_table(temporary),
            "view" => self.create_view(or_replace, temporary),
            "recursive" => self.unsupported("CREATE RECURSIVE VIEW"),
            _ if unlogged || temporary.is_some() => match word {
                "sequence" => self.unsupported("CREATE SEQUENCE"),
                _ => self.unexpected(),
            },
            "function" => self.create_function(or_replace),
            "operator"
                if !or_replace && !self.is_word_at(1, "class") && !self.is_word_at(1, "family") =>
            {
                self.create_operator()
            }
            "operator" | "access" | "aggregate" | "cast" | "collation" | "conversion"
            | "database" | "default" | "domain" | "event" | "extension" | "foreign" | "group"
            | "index" | "language" | "materialized" | "policy" | "procedure" | "publication"
            | "role" | "rule" | "schema" | "sequence" | "server" | "statistics"
            | "subscription" | "tablespace" | "text" | "transform" | "trigger" | "trusted"
            | "type" | "unique" | "user" => {
                self.skip_statement();
                Ok(Statement::Unsupported {
                    command: format!("CREATE {}", word.to_uppercase()),
                    at,
                })
            }
            _ => self.unexpected(),
        }
    }

    /// TEMP, TEMPORARY, LOCAL TEMP, GLOBAL TEMP.
    fn eat_temporary(&mut self) -> bool {
        self.eat_word("temp")
            || self.eat_word("temporary")
            || self.eat_words(&["local", "temp"])
            || self.eat_words(&["local", "temporary"])
            || self.eat_words(&["global", "temp"])
            || self.eat_words(&["global", "temporary"])
    }

    pub(super) fn eat_if_exists(&mut self) -> bool {
        self.eat_words(&["if", "exists"])
    }

    fn create_table(&mut self, temporary: Option<Position>) -> Result<Statement> {
        self.expect_word("table")?;
        let if_not_exists = self.eat_words(&["if", "not", "exists"]);
        let name = self.qualified_name()?;
        if self.is_word("of") || self.is_word("partition") {
            return self.unsupported("CREATE TABLE … OF and PARTITION OF");
        }
        let mut columns = Vec::new();
        if !self.is_char(b'(') || self.is_name_list() {
            if self.is_char(b'(') {
                columns = self.name_list()?;
            }
            let (access_method, options) = self.storage_clauses()?;
            self.expect_word("as")?;
            if self.is_word("execute") {
                return self.unsupported("CREATE TABLE AS EXECUTE");
            }
            let query = self.query()?;
            let mut with_data = true;
            if self.eat_word("with") {
                with_data = !self.eat_word("no");
                self.expect_word("data")?;
            }
            return Ok(Statement::CreateTableAs(Box::new(CreateTableAs {
                name,
                temporary,
                if_not_exists,
                columns,
                access_method,
                options,
                query,
                with_data,
            })));
        }
        let elements = self.table_elements()?;
        if self.is_word("inherits") {
            return self.unsupported("INHERITS");
        }
        if self.is_word("partition") {
            return self.unsupported("PARTITION BY");
        }
        let (access_method, options) = self.storage_clauses()?;
        Ok(Statement::CreateTable(Box::new(CreateTable {
            name,
            temporary,
            if_not_exists,
            columns: elements.columns,
            constraints: elements.constraints,
            access_method,
            options,
        })))
    }

    /// True for `(a, b)`, the columns of CREATE TABLE AS.
    fn is_name_list(&mut self) -> bool {
        matches!(self.peek_at(2), Token::Char(b',' | b')')) && !self.peek_at(1).is_char(b')')
    }

    /// `USING method WITH (…) ON COMMIT … TABLESPACE …`
    fn storage_clauses(&mut self) -> Result<(Option<Name>, Vec<RelOption>)> {
        let mut access_method = None;
        if self.eat_word("using") {
            access_method = Some(self.name()?);
        }
        let options = self.with_options()?;
        if self.is_word("on") {
            return self.unsupported("ON COMMIT");
        }
        if self.is_word("tablespace") {
            return self.unsupported("TABLESPACE");
        }
        self.eat_words(&["without", "oids"]);
        Ok((access_method, options))
    }

    fn create_view(&mut self, or_replace: bool, temporary: Option<Position>) -> Result<Statement> {
        self.expect_word("view")?;
        let name = self.qualified_name()?;
        let mut columns = Vec::new();
        if self.is_char(b'(') {
            columns = self.name_list()?;
        }
        let options = self.with_options()?;
        self.expect_word("as")?;
        let from = self.start_offset();
        let query = self.query()?;
        let text = self.source(from, self.last_end);
        let mut check_option = None;
        if self.is_word("with") {
            check_option = Some(self.at());
            self.bump();
            let _ = self.eat_word("cascaded") || self.eat_word("local");
            self.expect_word("check")?;
            self.expect_word("option")?;
        }
        Ok(Statement::CreateView(Box::new(CreateView {
            name,
            or_replace,
            temporary,
            columns,
            options,
            query,
            text,
            check_option,
        })))
    }

    pub(super) fn alter(&mut self) -> Result<Statement> {
        let at = self.expect_word("alter")?;
        let word = self.keyword();
        if word.is_empty() {
            return self.unexpected();
        }
        if word != "table" {
            self.skip_statement();
            let command = format!("ALTER {}", word.to_uppercase());
            return Ok(Statement::Unsupported { command, at });
        }
        self.bump();
        let if_exists = self.eat_if_exists();
        self.eat_word("only");
        let name = self.qualified_name()?;
        self.eat_op("*");
        let actions = self.comma_separated(Self::alter_action)?;
        Ok(Statement::AlterTable(Box::new(AlterTable {
            name,
            if_exists,
            actions,
        })))
    }

    fn alter_action(&mut self) -> Result<AlterAction> {
        let at = self.at();
        if self.is_word("set") && self.peek_at(1).is_char(b'(') {
            self.bump();
            return Ok(AlterAction::SetOptions(self.rel_options()?));
        }
        if self.is_word("reset") {
            self.bump();
            let names = self.rel_options()?.into_iter().map(|option| option.name);
            return Ok(AlterAction::ResetOptions(names.collect()));
        }
        let action = match (self.peek().clone(), self.peek_at(1)) {
            (Token::Keyword(first), Token::Keyword(second)) => {
                format!("{} {}", first.word, second.word).to_uppercase()
            }
            (Token::Keyword(first), _) => first.word.to_uppercase(),
            _ => return self.unexpected(),
        };
        self.skip_statement();
        Ok(AlterAction::Unsupported { action, at })
    }

    pub(super) fn drop(&mut self) -> Result<Statement> {
        let at = self.expect_word("drop")?;
        let word = self.keyword();
        let kind = match word {
            "table" => DropKind::Table,
            "view" => DropKind::View,
            "function" => return self.drop_functions(),
            "operator" if !self.is_word_at(1, "class") && !self.is_word_at(1, "family") => {
                return self.drop_operators();
            }
            "" => return self.unexpected(),
            _ => {
                self.skip_statement();
                let command = format!("DROP {}", word.to_uppercase());
                return Ok(Statement::Unsupported { command, at });
            }
        };
        self.bump();
        let if_exists = self.eat_if_exists();
        let names = self.comma_separated(Self::qualified_name)?;
        let cascade = self.drop_behavior();
        Ok(Statement::Drop(Drop {
            kind,
            names,
            if_exists,
            cascade,
        }))
    }

    /// `[CASCADE | RESTRICT]`
    pub(super) fn drop_behavior(&mut self) -> bool {
        let cascade = self.eat_word("cascade");
        if !cascade {
            self.eat_word("restrict");
        }
        cascade
    }

    pub(super) fn truncate(&mut self) -> Result<Statement> {
        self.expect_word("truncate")?;
        self.eat_word("table");
        let tables = self.comma_separated(|parser| {
            parser.eat_word("only");
            let name = parser.qualified_name()?;
            parser.eat_op("*");
            Ok(name)
        })?;
        let mut restart_identity = None;
        if self.is_word("restart") {
            restart_identity = Some(self.at());
            self.bump();
            self.expect_word("identity")?;
        } else if self.eat_word("continue") {
            self.expect_word("identity")?;
        }
        let cascade = self.drop_behavior();
        Ok(Statement::Truncate(Truncate {
            tables,
            restart_identity,
            cascade,
        }))
    }
}
