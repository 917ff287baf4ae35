//! VACUUM, ANALYZE, EXPLAIN, settings and transactions.

use super::Parser;
use crate::error::{Position, Result};
use crate::sql::ast::*;
use crate::sql::token::Token;

impl Parser<'_> {
    pub(super) fn vacuum(&mut self) -> Result<Statement> {
        self.expect_word("vacuum")?;
        let mut vacuum = Vacuum {
            vacuum: true,
            analyze: false,
            full: false,
            verbose: false,
            unsupported: None,
            tables: Vec::new(),
        };
        if self.is_char(b'(') {
            self.vacuum_options(&mut vacuum)?;
        } else {
            vacuum.full = self.eat_word("full");
            let at = self.at();
            if self.eat_word("freeze") {
                vacuum.unsupported = Some(("FREEZE".to_string(), at));
            }
            vacuum.verbose = self.eat_word("verbose");
            vacuum.analyze = self.eat_word("analyze") || self.eat_word("analyse");
        }
        self.vacuum_tables(vacuum)
    }

    pub(super) fn analyze(&mut self) -> Result<Statement> {
        self.bump();
        let mut vacuum = Vacuum {
            vacuum: false,
            analyze: true,
            full: false,
            verbose: false,
            unsupported: None,
            tables: Vec::new(),
        };
        if self.is_char(b'(') {
            self.vacuum_options(&mut vacuum)?;
        } else {
            vacuum.verbose = self.eat_word("verbose");
        }
        self.vacuum_tables(vacuum)
    }

    fn vacuum_options(&mut self, vacuum: &mut Vacuum) -> Result<()> {
        let options = self.utility_options()?;
        for ExplainOption { name, value } in options {
            let on = is_on(value.as_deref());
            match name.text.as_str() {
                "analyze" | "analyse" if vacuum.vacuum => vacuum.analyze = on,
                "full" if vacuum.vacuum => vacuum.full = on,
                "verbose" => vacuum.verbose = on,
                _ => vacuum.unsupported = Some((name.text.to_uppercase(), name.at)),
            }
        }
        Ok(())
    }

    fn vacuum_tables(&mut self, mut vacuum: Vacuum) -> Result<Statement> {
        if !matches!(self.peek(), Token::End) {
            vacuum.tables = self.comma_separated(|parser| {
                let name = parser.qualified_name()?;
                let mut columns = Vec::new();
                if parser.is_char(b'(') {
                    columns = parser.name_list()?;
                }
                Ok((name, columns))
            })?;
        }
        Ok(Statement::Vacuum(vacuum))
    }

    pub(super) fn explain(&mut self) -> Result<Statement> {
        self.expect_word("explain")?;
        let mut options = Vec::new();
        // `EXPLAIN (SELECT 1)` explains a query in parentheses.
        if self.is_char(b'(') && !self.starts_query_in_parentheses() {
            options = self.utility_options()?;
        } else {
            for words in [&["analyze", "analyse"][..], &["verbose"]] {
                let at = self.at();
                if words.iter().any(|word| self.eat_word(word)) {
                    let name = Name {
                        text: words[0].to_string(),
                        at,
                    };
                    options.push(ExplainOption { name, value: None });
                }
            }
        }
        let explainable = match self.peek() {
            Token::Char(b'(') => true,
            Token::Keyword(k) => matches!(
                k.word,
                "select"
                    | "values"
                    | "table"
                    | "with"
                    | "insert"
                    | "update"
                    | "delete"
                    | "create"
                    | "declare"
                    | "execute"
                    | "merge"
                    | "refresh"
            ),
            _ => false,
        };
        if !explainable {
            return self.unexpected();
        }
        let statement = self.statement()?;
        Ok(Statement::Explain(Box::new(Explain { options, statement })))
    }

    /// `(name [value], …)`
    fn utility_options(&mut self) -> Result<Vec<ExplainOption>> {
        self.parenthesized(|parser| {
            let mut name = parser.label()?;
            if name.text == "analyse" {
                name.text = "analyze".to_string();
            }
            let mut value = None;
            if !parser.is_char(b',') && !parser.is_char(b')') {
                value = Some(parser.option_value()?);
            }
            Ok(ExplainOption { name, value })
        })
    }

    /// `SET [SESSION | LOCAL] name {TO | =} value, …`
    pub(super) fn set(&mut self) -> Result<Statement> {
        let at = self.expect_word("set")?;
        if self.is_word("constraints") || self.is_word("transaction") {
            return self.set_unsupported(at);
        }
        let mut local = false;
        if self.is_word("local") && !self.is_assignment(1) {
            self.bump();
            local = true;
        } else if self.is_word("session") && !self.is_assignment(1) {
            self.bump();
            if self.is_word("characteristics") || self.is_word("authorization") {
                return self.set_unsupported(at);
            }
        }
        if self.eat_words(&["time", "zone"]) {
            let name = Name {
                text: "timezone".to_string(),
                at,
            };
            let default = self.eat_word("default") || self.eat_word("local");
            let values = if default {
                None
            } else {
                Some(vec![self.option_value()?])
            };
            return Ok(Statement::Set(Set {
                name,
                local,
                values,
            }));
        }
        let special = !self.is_assignment(1)
            && matches!(
                self.peek(),
                Token::Keyword(k) if matches!(k.word, "role" | "schema" | "names" | "transaction")
            );
        if special {
            return self.set_unsupported(at);
        }
        let name = self.setting_name()?;
        if !self.eat_word("to") && !self.eat_op("=") {
            return self.unexpected();
        }
        if self.eat_word("default") {
            return Ok(Statement::Set(Set {
                name,
                local,
                values: None,
            }));
        }
        let values = self.comma_separated(Self::option_value)?;
        Ok(Statement::Set(Set {
            name,
            local,
            values: Some(values),
        }))
    }

    fn set_unsupported(&mut self, at: Position) -> Result<Statement> {
        let word = match self.peek() {
            Token::Keyword(k) => k.word.to_uppercase(),
            _ => return self.unexpected(),
        };
        self.skip_statement();
        Ok(Statement::Unsupported {
            command: format!("SET {word}"),
            at,
        })
    }

    fn is_assignment(&mut self, n: usize) -> bool {
        self.is_word_at(n, "to") || self.peek_at(n).is_op("=") || self.peek_at(n).is_char(b'.')
    }

    fn setting_name(&mut self) -> Result<Name> {
        let mut name = self.name()?;
        while self.eat_char(b'.') {
            let part = self.name()?;
            name.text = format!("{}.{}", name.text, part.text);
        }
        Ok(name)
    }

    pub(super) fn reset(&mut self) -> Result<Statement> {
        self.expect_word("reset")?;
        if self.eat_word("all") {
            return Ok(Statement::Reset(None));
        }
        self.named_setting()
            .map(|name| Statement::Reset(Some(name)))
    }

    pub(super) fn show(&mut self) -> Result<Statement> {
        self.expect_word("show")?;
        if self.eat_word("all") {
            return Ok(Statement::Show(None));
        }
        self.named_setting().map(|name| Statement::Show(Some(name)))
    }

    fn named_setting(&mut self) -> Result<Name> {
        let at = self.at();
        if self.eat_words(&["time", "zone"]) {
            return Ok(Name {
                text: "timezone".to_string(),
                at,
            });
        }
        if self.eat_words(&["transaction", "isolation", "level"]) {
            return Ok(Name {
                text: "transaction_isolation".to_string(),
                at,
            });
        }
        self.setting_name()
    }

    pub(super) fn transaction(&mut self, word: &str) -> Result<Statement> {
        self.bump();
        let transaction = match word {
            "begin" => {
                self.eat_transaction();
                Transaction::Begin {
                    modes: self.transaction_modes()?,
                }
            }
            "start" => {
                self.expect_word("transaction")?;
                Transaction::Begin {
                    modes: self.transaction_modes()?,
                }
            }
            "commit" | "end" => {
                if word == "commit" && self.is_word("prepared") {
                    return self.unsupported("COMMIT PREPARED");
                }
                self.eat_transaction();
                Transaction::Commit {
                    chain: self.chain_clause()?,
                }
            }
            "savepoint" => Transaction::Savepoint(self.name()?),
            "release" => {
                self.eat_word("savepoint");
                Transaction::Release(self.name()?)
            }
            _ => {
                if word == "rollback" && self.is_word("prepared") {
                    return self.unsupported("ROLLBACK PREPARED");
                }
                self.eat_transaction();
                if word == "rollback" && self.eat_word("to") {
                    self.eat_word("savepoint");
                    Transaction::RollbackTo(self.name()?)
                } else {
                    Transaction::Rollback {
                        chain: self.chain_clause()?,
                    }
                }
            }
        };
        Ok(Statement::Transaction(transaction))
    }

    fn eat_transaction(&mut self) {
        let _ = self.eat_word("work") || self.eat_word("transaction");
    }

    /// `AND [NO] CHAIN`
    fn chain_clause(&mut self) -> Result<Option<Position>> {
        let at = self.at();
        if !self.eat_word("and") {
            return Ok(None);
        }
        let no = self.eat_word("no");
        self.expect_word("chain")?;
        Ok((!no).then_some(at))
    }

    /// `ISOLATION LEVEL …`, `READ ONLY`, `DEFERRABLE`, kept as text.
    fn transaction_modes(&mut self) -> Result<Option<(String, Position)>> {
        let at = self.at();
        let from = self.start_offset();
        while !matches!(self.peek(), Token::End) {
            let known = self.eat_words(&["isolation", "level", "read", "committed"])
                || self.eat_words(&["isolation", "level", "read", "uncommitted"])
                || self.eat_words(&["isolation", "level", "repeatable", "read"])
                || self.eat_words(&["isolation", "level", "serializable"])
                || self.eat_words(&["read", "write"])
                || self.eat_words(&["read", "only"])
                || self.eat_words(&["not", "deferrable"])
                || self.eat_word("deferrable");
            if !known {
                return self.unexpected();
            }
            self.eat_char(b',');
        }
        let text = self.source(from, self.last_end.max(from));
        Ok((!text.is_empty()).then_some((text, at)))
    }
}

/// A Boolean option without a value is on.
fn is_on(value: Option<&str>) -> bool {
    !matches!(value, Some("off" | "false" | "0"))
}
