//! Options: WITH (…) of tables and views, and the values of settings.

use crate::error::Result;
use crate::sql::ast::RelOption;
use crate::sql::reader::Reader;
use crate::sql::token::Token;

impl Reader {
    /// `WITH (name = value, …)`, or nothing.
    pub fn with_options(&mut self) -> Result<Vec<RelOption>> {
        if self.is_word("with") && self.peek_at(1).is_char(b'(') {
            self.bump();
            return self.rel_options();
        }
        Ok(Vec::new())
    }

    /// `(name = value, name, …)`
    pub fn rel_options(&mut self) -> Result<Vec<RelOption>> {
        self.parenthesized(|reader| {
            let mut name = reader.label()?;
            if reader.eat_char(b'.') {
                let rest = reader.label()?;
                name.text = format!("{}.{}", name.text, rest.text);
            }
            let mut value = None;
            if reader.eat_op("=") {
                value = Some(reader.option_value()?);
            }
            Ok(RelOption { name, value })
        })
    }

    /// The value of an option as text: a word, a string, a number.
    pub fn option_value(&mut self) -> Result<String> {
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
