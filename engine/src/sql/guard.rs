//! What may be parsed at all: how deeply a statement may nest and how long its chains may be.
//!
//! The tokens are counted before `sqlparser` sees them, because its parser recurses for every
//! bracket and its trees are dropped recursively, one level for every operator of a chain. Where
//! the stack ends the browser's engine is lost, so nothing may get near it.

use super::MAX_DEPTH;
use super::keywords::Category;
use super::token::{Lexeme, Token};
use crate::error::{Error, Position, Result, sqlstate};

/// The most levels a statement may nest, counted by what they cost: a level of one takes at most
/// 4 kB of stack to parse, to lower and to drop.
const MAX_NESTING: u32 = 160;

const PARENTHESIS_COST: u32 = 2;
const PREFIX_COST: u32 = 2;
const JOIN_COST: u32 = 2;
const ARRAY_COST: u32 = 3;
const CASE_COST: u32 = 3;
const CALL_COST: u32 = 4;
const JOINED_TABLE_COST: u32 = 5;
const QUERY_COST: u32 = 3;

/// What a query counts among the levels of a syntax tree.
pub(super) const QUERY_DEPTH: u16 = 5;

/// The most operators between two commas or keywords that separate expressions. A tree is at most
/// as deep as that; [`MAX_DEPTH`] then holds for its true depth.
const MAX_CHAIN: u32 = 300;

/// The most expressions and queries within one another that may be parsed or lowered at the same
/// time, at up to 7 kB of stack each. It bounds what operators nest by their precedence alone.
pub(super) const MAX_RECURSION: usize = 110;

pub(super) fn too_deep(at: Position) -> Error {
    Error::new(
        sqlstate::STATEMENT_TOO_COMPLEX,
        "stack depth limit exceeded",
    )
    .with_hint(format!(
        "Statements may have some {} levels of parentheses and chains of {MAX_DEPTH} \
         operators. AND, OR, IN lists and VALUES rows may be longer.",
        MAX_NESTING / PARENTHESIS_COST
    ))
    .at(Some(at))
}

/// What is open at a place: a bracket, or CASE.
struct Level {
    /// What closes it.
    close: Close,
    /// What it and its parts cost.
    cost: u32,
    /// Operators since the last separator.
    chain: u32,
    /// Set operations of this query.
    set_operations: u32,
    /// Joins whose ON or USING is still to come.
    pending_joins: u32,
    /// The next join is a natural one, which has neither.
    natural: bool,
    /// Prefix operators whose operands reach to the next separator.
    prefixes: u32,
    /// Signs in a row.
    signs: u32,
    /// BETWEENs whose AND is still to come.
    betweens: u32,
}

#[derive(PartialEq)]
enum Close {
    Char(u8),
    End,
    Never,
}

impl Level {
    fn new(close: Close, cost: u32) -> Self {
        Level {
            close,
            cost,
            chain: 0,
            set_operations: 0,
            pending_joins: 0,
            natural: false,
            prefixes: 0,
            signs: 0,
            betweens: 0,
        }
    }

    fn separate(&mut self) {
        self.chain = 0;
        self.prefixes = 0;
        self.signs = 0;
        self.betweens = 0;
    }

    fn total(&self) -> u32 {
        self.cost + PREFIX_COST * (self.prefixes + self.signs) + JOIN_COST * self.pending_joins
    }
}

/// Counts the levels of a statement.
///
/// # Errors
/// 54001 at the token that opens one level too many.
pub(super) fn check(lexemes: &[Lexeme]) -> Result<()> {
    let mut open = vec![Level::new(Close::Never, 0)];
    let mut below = 0;
    for (i, lexeme) in lexemes.iter().enumerate() {
        let previous = i.checked_sub(1).map(|i| &lexemes[i].token);
        let next = lexemes.get(i + 1).map(|next| &next.token);
        let top = open.len() - 1;
        let level = &mut open[top];
        let mut opened = None;
        match &lexeme.token {
            Token::Char(b'(') => {
                let cost = if starts_query(next) {
                    QUERY_COST
                } else if may_hold_query(&lexemes[..i], level) {
                    JOINED_TABLE_COST
                } else if previous.is_some_and(is_operand_end) {
                    CALL_COST
                } else {
                    PARENTHESIS_COST
                };
                opened = Some(Level::new(Close::Char(b')'), cost));
            }
            Token::Char(b'[') => opened = Some(Level::new(Close::Char(b']'), ARRAY_COST)),
            Token::Char(c @ (b')' | b']')) => {
                while open.len() > 1 {
                    let closed = open.pop().map(|level| level.close);
                    if let Some(level) = open.last() {
                        below -= level.total();
                    }
                    if closed == Some(Close::Char(*c)) {
                        break;
                    }
                }
            }
            Token::Char(b',') => level.separate(),
            Token::Op(op) => {
                let is_sign = op == "+" || op == "-";
                if previous.is_some_and(is_operand_end) {
                    level.chain += 1;
                    level.signs = 0;
                } else if is_sign {
                    level.signs += 1;
                } else {
                    level.prefixes += 1;
                }
            }
            Token::TypeCast => level.chain += 1,
            Token::Keyword(keyword) => {
                level.signs = 0;
                match keyword.word {
                    "case" => opened = Some(Level::new(Close::End, CASE_COST)),
                    "end" if level.close == Close::End => {
                        open.pop();
                        if let Some(level) = open.last() {
                            below -= level.total();
                        }
                    }
                    "not" if !continues_not(previous, next) => level.prefixes += 1,
                    "between" => {
                        level.chain += 1;
                        level.betweens += 1;
                    }
                    "and" if level.betweens > 0 => level.betweens -= 1,
                    "is" | "isnull" | "notnull" | "in" | "like" | "ilike" | "similar" | "at"
                    | "collate" | "operator" | "overlaps" => level.chain += 1,
                    "union" | "intersect" | "except" => {
                        level.separate();
                        level.set_operations += 1;
                    }
                    "join" if !previous.is_some_and(|p| p.is_keyword("cross")) => {
                        level.separate();
                        level.pending_joins += u32::from(!level.natural);
                        level.natural = false;
                    }
                    "on" | "using" => {
                        level.separate();
                        level.pending_joins = level.pending_joins.saturating_sub(1);
                    }
                    "natural" => level.natural = true,
                    "select" | "from" | "where" | "group" | "having" | "order" | "limit"
                    | "offset" | "values" | "set" | "returning" | "when" | "then" | "else"
                    | "and" | "or" | "by" | "as" => level.separate(),
                    _ => {}
                }
            }
            _ => level.signs = 0,
        }
        if let Some(new) = opened {
            below += open.last().map_or(0, Level::total);
            open.push(new);
        }
        let Some(level) = open.last() else { continue };
        if below + level.total() > MAX_NESTING
            || level.chain > MAX_CHAIN
            || level.set_operations > MAX_CHAIN
        {
            return Err(too_deep(lexeme.at));
        }
    }
    Ok(())
}

/// Whether the parenthesis behind these tokens may hold a query or joined tables, or one that does.
fn may_hold_query(before: &[Lexeme], level: &Level) -> bool {
    let Some(previous) = before.last() else {
        return true;
    };
    match &previous.token {
        Token::Char(b'(') => level.cost == JOINED_TABLE_COST,
        Token::Keyword(keyword) => matches!(
            keyword.word,
            "from"
                | "join"
                | "using"
                | "lateral"
                | "union"
                | "intersect"
                | "except"
                | "all"
                | "distinct"
                | "as"
                | "materialized"
                | "exists"
                | "array"
                | "explain"
                | "analyze"
                | "analyse"
                | "verbose"
        ),
        Token::Ident(_) | Token::Quoted(_) => {
            let name = before.iter().rev().take_while(|lexeme| {
                matches!(
                    lexeme.token,
                    Token::Ident(_) | Token::Quoted(_) | Token::Char(b'.')
                )
            });
            let start = before.len() - name.count();
            start > 0 && before[start - 1].token.is_keyword("into")
        }
        _ => false,
    }
}

fn starts_query(token: Option<&Token>) -> bool {
    matches!(
        token,
        Some(Token::Keyword(k)) if matches!(k.word, "select" | "values" | "with" | "table")
    )
}

/// NOT is a prefix unless it belongs to IS NOT, NOT IN, NOT LIKE, NOT NULL, …
fn continues_not(previous: Option<&Token>, next: Option<&Token>) -> bool {
    let words = ["between", "in", "like", "ilike", "similar", "null"];
    previous.is_some_and(|token| token.is_keyword("is"))
        || (previous.is_some_and(is_operand_end)
            && next.is_some_and(|token| words.iter().any(|word| token.is_keyword(word))))
}

/// Whether an operator behind this token has an operand on its left.
fn is_operand_end(token: &Token) -> bool {
    match token {
        Token::Ident(_) | Token::Quoted(_) | Token::Param(_) | Token::Number(_) => true,
        Token::String(_) | Token::BitString => true,
        Token::Char(c) => matches!(c, b')' | b']'),
        Token::Keyword(keyword) => {
            keyword.category != Category::Reserved
                || matches!(keyword.word, "null" | "true" | "false" | "end" | "user")
                || keyword.word.starts_with("current_")
                || keyword.word.starts_with("local")
                || keyword.word == "session_user"
        }
        _ => false,
    }
}
