//! Where the parentheses of a statement close, and which of them a query fills.

use crate::sql::keywords::Category;
use crate::sql::token::{Lexeme, Token};

/// What is known of an opening parenthesis; of other tokens nothing is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parenthesis {
    pub closing: usize,
    /// A query fills it: behind any number of parentheses stands SELECT, VALUES, WITH or TABLE,
    /// and the inner query is not just a part of an expression as in `((SELECT 1) + 1)`.
    pub holds_query: bool,
}

pub fn parentheses(lexemes: &[Lexeme]) -> Vec<Parenthesis> {
    let last = lexemes.len() - 1;
    let mut found = vec![Parenthesis::default(); lexemes.len()];
    let mut open = Vec::new();
    for (i, lexeme) in lexemes.iter().enumerate() {
        match lexeme.token {
            Token::Char(b'(') => {
                found[i].closing = last;
                open.push(i);
            }
            Token::Char(b')') => {
                if let Some(opening) = open.pop() {
                    found[opening].closing = i;
                }
            }
            _ => {}
        }
    }
    let word = |i: usize| match lexemes.get(i).map(|lexeme| &lexeme.token) {
        Some(Token::Keyword(keyword)) => keyword.word,
        Some(Token::Char(b')')) => ")",
        Some(Token::Char(b'(')) => "(",
        Some(Token::End) | None => "end",
        _ => "",
    };
    for i in (0..last).rev() {
        if word(i) != "(" {
            continue;
        }
        found[i].holds_query = match word(i + 1) {
            "select" | "values" | "with" | "table" => true,
            "(" if found[i + 1].holds_query && !opens_list(lexemes, i) => matches!(
                word(found[i + 1].closing + 1),
                ")" | "end"
                    | "union"
                    | "intersect"
                    | "except"
                    | "order"
                    | "limit"
                    | "offset"
                    | "fetch"
                    | "for"
            ),
            _ => false,
        };
    }
    found
}

/// Whether the parenthesis of this number opens the arguments of a call or a row of VALUES, of
/// which `((SELECT 1))` is then an item.
fn opens_list(lexemes: &[Lexeme], index: usize) -> bool {
    let token = |back: usize| index.checked_sub(back).map(|i| &lexemes[i].token);
    let is_name = |back: usize| match token(back) {
        Some(Token::Ident(_) | Token::Quoted(_)) => true,
        Some(Token::Keyword(keyword)) => {
            keyword.category != Category::Reserved
                && !matches!(
                    keyword.word,
                    "exists" | "explain" | "join" | "materialized" | "verbose"
                )
        }
        _ => false,
    };
    if !is_name(1) {
        return false;
    }
    let mut start = 1;
    while token(start + 1).is_some_and(|token| token.is_char(b'.')) && is_name(start + 2) {
        start += 2;
    }
    !token(start + 1).is_some_and(|token| token.is_keyword("into"))
}
