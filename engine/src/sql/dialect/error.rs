//! What a failed parse is called: PostgreSQL's syntax error, or the name of what is missing here.

use super::{Failure, TuplescopeDialect};
use crate::error::{Error, Position, sqlstate};
use crate::sql::guard;
use crate::sql::reader::Reader;
use crate::sql::token::Token;
use sqlparser::parser::ParserError;

impl TuplescopeDialect {
    /// The error for the statement's author and the number of the token it names; `next` is the
    /// token the parser had come to.
    pub(super) fn explain(&self, error: ParserError, next: usize) -> (usize, Error) {
        let error = match self.failure.take() {
            Some(Failure::Engine(error)) => return (next, error),
            Some(Failure::Parser(error)) => error,
            None => error,
        };
        match error {
            ParserError::RecursionLimitExceeded => {
                (next, guard::too_deep(self.reader.placed(next).at()))
            }
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
                let index = token_number(&message).unwrap_or(next).min(self.end);
                let place = Place {
                    cursor: self.reader.placed(index),
                };
                if let Some(index) = place.earlier_error() {
                    return (index, self.reader.placed(index).syntax_error());
                }
                let error = place.known_error();
                let error = error.unwrap_or_else(|| place.cursor.syntax_error());
                (index, error)
            }
        }
    }
}

/// The number of the token an error names: `… found: x at Line: 1, Column: 7`.
fn token_number(message: &str) -> Option<usize> {
    let (_, column) = message.rsplit_once(" at Line: 1, Column: ")?;
    let column: usize = column.trim().parse().ok()?;
    column.checked_sub(1)
}

pub(in crate::sql) fn limit_with_comma(at: Position) -> Error {
    let message = "LIMIT #,# syntax is not supported";
    Error::new(sqlstate::SYNTAX_ERROR, message)
        .with_hint("Use separate LIMIT and OFFSET clauses.")
        .at(Some(at))
}

/// The token no grammar rule of `sqlparser` has, and what stands before it.
struct Place {
    cursor: Reader,
}

impl Place {
    /// What PostgreSQL reads here and `sqlparser` does not, or what PostgreSQL has words of its
    /// own for.
    fn known_error(&self) -> Option<Error> {
        let at = self.cursor.at();
        let unsupported =
            |feature: &str, at: Position| Some(Error::unsupported(feature).at(Some(at)));
        match self.cursor.peek() {
            Token::Char(b',') => self.back_to(&["limit"]).map(limit_with_comma),
            Token::Keyword(k) if matches!(k.word, "search" | "cycle") && self.is_char(1, b')') => {
                unsupported("SEARCH and CYCLE in WITH", at)
            }
            Token::Keyword(k) if k.word == "offset" && self.back_to(&["fetch"]).is_some() => {
                unsupported("OFFSET after FETCH", at)
            }
            _ if self.word(2) == "fetch" && self.is_count_start() => {
                unsupported("FETCH with an expression", at)
            }
            _ if self.ends_row_expansion() => unsupported("expansion of a row value", at),
            Token::Char(b'[') if self.is_assigned() => {
                unsupported("UPDATE of a part of a column", at)
            }
            Token::Char(b'[')
                if self.cursor.placed(0).is_word("insert")
                    && (self.is_char(2, b'(') || self.is_char(2, b',')) =>
            {
                unsupported("INSERT into a part of a column", at)
            }
            Token::Keyword(k) if k.word == "from" && self.word(1) == "rows" => {
                unsupported("ROWS FROM", at)
            }
            Token::Keyword(k) if k.word == "sets" && self.word(1) == "grouping" => {
                unsupported("GROUPING SETS within GROUPING SETS", at)
            }
            Token::End => None,
            _ if self.is_in_on_conflict() => unsupported("INSERT … ON CONFLICT", at),
            _ => None,
        }
    }

    /// The token PostgreSQL stumbles over, if `sqlparser` reads on from there.
    fn earlier_error(&self) -> Option<usize> {
        let cursor = &self.cursor;
        let quantifier = |n| cursor.is_word_at(n, "all") || cursor.is_word_at(n, "distinct");
        if quantifier(0) && quantifier(1) {
            return Some(cursor.index() + 1);
        }
        // OUTER without its side.
        if self.word(1) == "outer" && !matches!(self.word(2), "left" | "right" | "full") {
            return Some(cursor.index() - 1);
        }
        let read = &cursor.lexemes()[..cursor.index()];
        if let Some(index) = insert_error(&cursor.placed(0))
            && index < read.len()
        {
            return Some(index);
        }
        // SELECT for a name: `WITH x (SELECT 1)`, `WITH x AS (…), SELECT`.
        read.windows(3).enumerate().find_map(|(i, tokens)| {
            if !tokens[2].token.is_keyword("select") {
                return None;
            }
            let is_name = matches!(tokens[0].token, Token::Ident(_) | Token::Quoted(_));
            let is_target = i > 0 && read[i - 1].token.is_keyword("into");
            let columns = is_name && !is_target && tokens[1].token.is_char(b'(');
            let table = tokens[0].token.is_char(b')') && tokens[1].token.is_char(b',');
            (columns || table).then_some(i + 2)
        })
    }

    fn token(&self, back: usize) -> Option<&Token> {
        let index = self.cursor.index().checked_sub(back)?;
        self.cursor.lexemes().get(index).map(|lexeme| &lexeme.token)
    }

    fn word(&self, back: usize) -> &'static str {
        match self.token(back) {
            Some(Token::Keyword(keyword)) => keyword.word,
            _ => "",
        }
    }

    fn is_char(&self, back: usize, c: u8) -> bool {
        self.token(back).is_some_and(|token| token.is_char(c))
    }

    /// `(`, `+` or `-` where FETCH wants its count.
    fn is_count_start(&self) -> bool {
        self.is_char(0, b'(') || self.token(0).is_some_and(|t| t.is_op("+") || t.is_op("-"))
    }

    /// Behind `(row).*`.
    fn ends_row_expansion(&self) -> bool {
        self.token(1).is_some_and(|token| token.is_op("*"))
            && self.is_char(2, b'.')
            && self.is_char(3, b')')
    }

    /// Before `[` in `SET column[…] = …`.
    fn is_assigned(&self) -> bool {
        self.word(2) == "set" || (self.is_char(2, b',') && self.back_to(&["set"]).is_some())
    }

    fn is_in_on_conflict(&self) -> bool {
        let words = self.cursor.lexemes()[..=self.cursor.index()].iter();
        let words = words.map(|lexeme| &lexeme.token).collect::<Vec<_>>();
        let first_is_insert = words.iter().any(|token| token.is_keyword("insert"));
        let mut pairs = words.windows(2);
        first_is_insert
            && pairs.any(|pair| pair[0].is_keyword("on") && pair[1].is_keyword("conflict"))
    }

    /// Where one of these words stands before the token, in the same clause and parentheses.
    fn back_to(&self, words: &[&str]) -> Option<Position> {
        let mut depth = 0;
        for lexeme in self.cursor.lexemes()[..self.cursor.index()].iter().rev() {
            match &lexeme.token {
                Token::Char(b')') => depth += 1,
                Token::Char(b'(') if depth == 0 => return None,
                Token::Char(b'(') => depth -= 1,
                Token::Keyword(k) if depth == 0 && words.contains(&k.word) => {
                    return Some(lexeme.at);
                }
                Token::Keyword(k)
                    if depth == 0
                        && matches!(
                            k.word,
                            "select"
                                | "from"
                                | "where"
                                | "group"
                                | "order"
                                | "values"
                                | "returning"
                                | "offset"
                        ) =>
                {
                    return None;
                }
                _ => {}
            }
        }
        None
    }
}

/// What PostgreSQL stumbles over before the values of INSERT: a word in place of INTO, or an alias
/// without AS.
fn insert_error(statement: &Reader) -> Option<usize> {
    let mut cursor = statement.clone();
    if !cursor.eat_word("insert") {
        return None;
    }
    if !cursor.eat_word("into") {
        return Some(cursor.index());
    }
    cursor.qualified_name().ok()?;
    let may_follow = [
        "as",
        "default",
        "overriding",
        "select",
        "table",
        "values",
        "with",
    ];
    let is_word = matches!(
        cursor.peek(),
        Token::Ident(_) | Token::Quoted(_) | Token::Keyword(_)
    );
    (is_word && !cursor.is_any_word(&may_follow)).then_some(cursor.index())
}
