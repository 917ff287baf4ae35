//! Which statement it is.

use crate::error::Result;
use crate::sql::ast::Statement;
use crate::sql::reader::Reader;
use crate::sql::token::Token;

impl Reader {
    pub fn statement(&mut self) -> Result<Statement> {
        let at = self.at();
        let word = match self.peek() {
            Token::Char(b'(') => "select",
            Token::Keyword(keyword) => keyword.word,
            _ => return self.unexpected(),
        };
        match word {
            "select" | "values" | "table" | "with" | "insert" | "update" | "delete" => {
                self.query_or_change()
            }
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
}
