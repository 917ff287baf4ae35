//! A script cut into statements, each scanned only when it is reached.

use super::lexer::Lexer;
use super::token::Token;
use crate::error::Position;

/// One statement of a script, without the semicolon that ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementText<'a> {
    pub text: &'a str,
    /// Where its first token stands in the script.
    pub start: Position,
    /// Byte range in the script.
    pub offset: usize,
}

/// Hands out the statements of a script one by one.
///
/// A semicolon ends a statement unless it stands in a string, a quoted identifier, a dollar-quoted
/// body, a comment, or between BEGIN ATOMIC and END of a function's body. Empty statements are
/// skipped. Text that cannot be scanned (an open quote) belongs to the statement it starts in.
#[derive(Debug)]
pub struct Script<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
}

impl<'a> Script<'a> {
    pub fn new(text: &'a str) -> Self {
        Script::starting_at(text, Position { line: 1, column: 1 })
    }

    /// The rest of a longer script, whose first character stands at `start` there.
    pub fn starting_at(text: &'a str, start: Position) -> Self {
        Script {
            text,
            lexer: Lexer::new(text, start),
        }
    }

    /// Where the next character to be scanned stands.
    pub fn position(&self) -> Position {
        self.lexer.position()
    }

    /// Bytes of the script that have been handed out.
    pub fn consumed(&self) -> usize {
        self.lexer.offset()
    }
}

impl<'a> Iterator for Script<'a> {
    type Item = StatementText<'a>;

    fn next(&mut self) -> Option<StatementText<'a>> {
        let first = loop {
            let lexeme = self.lexer.next_token();
            match lexeme.token {
                Token::End => return None,
                Token::Char(b';') => {}
                _ => break lexeme,
            }
        };
        let (offset, start) = (first.start, first.at);
        let mut body = RoutineBody::new(&first.token);
        let mut end = first.end;
        loop {
            let lexeme = self.lexer.next_token();
            match lexeme.token {
                Token::End => break,
                Token::Char(b';') if !body.is_open() => break,
                token => {
                    body.read(&token);
                    end = lexeme.end;
                }
            }
        }
        Some(StatementText {
            text: &self.text[offset..end],
            start,
            offset,
        })
    }
}

/// Knows whether a CREATE statement stands inside BEGIN ATOMIC … END, where semicolons are its own.
struct RoutineBody {
    creates: bool,
    after_begin: bool,
    depth: u32,
}

impl RoutineBody {
    fn new(first: &Token) -> Self {
        RoutineBody {
            creates: first.is_keyword("create"),
            after_begin: false,
            depth: 0,
        }
    }

    fn is_open(&self) -> bool {
        self.depth > 0
    }

    fn read(&mut self, token: &Token) {
        if !self.creates {
            return;
        }
        if self.after_begin && token.is_keyword("atomic") {
            self.depth = 1;
        } else if self.depth > 0 && token.is_keyword("case") {
            self.depth += 1;
        } else if self.depth > 0 && token.is_keyword("end") {
            self.depth -= 1;
        }
        self.after_begin = token.is_keyword("begin");
    }
}
