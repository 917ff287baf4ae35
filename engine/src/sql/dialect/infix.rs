//! Which operators follow an expression, and how tightly they bind (`%left`, `%nonassoc` and
//! `a_expr` in `gram.y`).

use super::{Parsed, TuplescopeDialect};
use crate::sql::reader::Reader;
use crate::sql::token::Token;
use sqlparser::ast::{BinaryOperator, Expr, InTarget};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer as sp;

/// Precedences, lowest first, by the numbers `sqlparser` compares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Level {
    /// What follows is no operator.
    None = 0,
    Or = 10,
    And = 20,
    Not = 30,
    Is = 40,
    Comparison = 50,
    /// BETWEEN, IN, LIKE
    Pattern = 60,
    Operator = 70,
    Sum = 80,
    Product = 90,
    Power = 100,
    AtTimeZone = 110,
    Collate = 120,
    UnaryMinus = 130,
    TypeCast = 140,
}

pub(super) fn operator_level(op: &str) -> Level {
    match op {
        "<" | ">" | "=" | "<=" | ">=" | "<>" => Level::Comparison,
        "+" | "-" => Level::Sum,
        "*" | "/" | "%" => Level::Product,
        "^" => Level::Power,
        _ => Level::Operator,
    }
}

impl TuplescopeDialect {
    pub(super) fn precedence(&self, next: &Reader) -> u8 {
        self.level(next) as u8
    }

    fn level(&self, next: &Reader) -> Level {
        let keyword = match next.peek() {
            Token::Op(op) => return operator_level(op),
            Token::TypeCast => return Level::TypeCast,
            Token::Keyword(keyword) => keyword.word,
            _ => return Level::None,
        };
        if keyword == "operator" && next.peek_at(1).is_char(b'(') {
            return Level::Operator;
        }
        if self.restricted.get() {
            // Of the tests a `b_expr` has IS DISTINCT FROM only.
            return if keyword == "is" {
                Level::Is
            } else {
                Level::None
            };
        }
        match keyword {
            "or" => Level::Or,
            "and" => Level::And,
            "is" | "isnull" | "notnull" => Level::Is,
            "like" | "ilike" | "between" | "in" => Level::Pattern,
            "similar" if next.is_word_at(1, "to") => Level::Pattern,
            "not" if is_pattern_at(next, 1) => Level::Pattern,
            "overlaps" => Level::Operator,
            "at" if next.is_word_at(1, "time") => Level::AtTimeZone,
            "collate" => Level::Collate,
            _ => Level::None,
        }
    }

    /// The expression behind `left`; `None` leaves it to `sqlparser`.
    pub(super) fn infix(
        &self,
        parser: &mut Parser,
        left: &Expr,
        precedence: u8,
    ) -> Option<Parsed<Expr>> {
        let next = self.here(parser);
        if does_not_associate(left, &next) {
            return Some(self.unexpected(parser));
        }
        let Token::Keyword(keyword) = next.peek() else {
            let operator = match next.peek() {
                Token::Op(op) => op.clone(),
                _ => return None,
            };
            return is_quantifier(&next, 1).then(|| {
                parser.advance_token();
                self.quantified(parser, left, operator)
            });
        };
        let negated = keyword.word == "not";
        let word = match next.peek_at(usize::from(negated)) {
            Token::Keyword(keyword) => keyword.word,
            _ => return None,
        };
        match word {
            "and" | "or" => Some(self.chain(parser, left, word)),
            "in" => Some(self.in_target(parser, left, negated)),
            "between" => Some(self.between(parser, left, negated)),
            "like" | "ilike" if is_quantifier(&next, 1 + usize::from(negated)) => {
                self.go_to(parser, next.index() + 1 + usize::from(negated));
                let symbol = crate::sql::lower::like_operator(word == "ilike", negated);
                Some(self.quantified(parser, left, symbol.to_string()))
            }
            "like" | "ilike" if is_quantifier_word(&next, 1 + usize::from(negated)) => {
                Some(self.unexpected_at(next.index() + 2 + usize::from(negated)))
            }
            "isnull" => {
                parser.advance_token();
                Some(Ok(Expr::IsNull(Box::new(left.clone()))))
            }
            "is" => self.is_test(parser),
            "collate" => {
                parser.advance_token();
                let collation = parser.parse_object_name(false);
                Some(collation.map(|collation| Expr::Collate {
                    expr: Box::new(left.clone()),
                    collation,
                }))
            }
            "overlaps" => Some(self.unsupported(parser, "OVERLAPS")),
            "operator" => {
                let mut behind = next.clone();
                let op = match behind.qualified_operator() {
                    Ok(op) => op,
                    Err(_) => return Some(self.unexpected_at(behind.index())),
                };
                let quantified = is_quantifier(&behind, 0);
                if !quantified {
                    return None;
                }
                self.go_to(parser, behind.index());
                Some(self.quantified(parser, left, op.symbol))
            }
            _ if precedence == Level::None as u8 => Some(self.unexpected(parser)),
            _ => None,
        }
    }

    /// A chain of ANDs or of ORs as one node: the first term, and the others side by side. As a
    /// tree of pairs a long chain could not be dropped without running out of stack.
    fn chain(&self, parser: &mut Parser, first: &Expr, word: &str) -> Parsed<Expr> {
        let (keyword, op, level) = if word == "and" {
            (Keyword::AND, BinaryOperator::And, Level::And)
        } else {
            (Keyword::OR, BinaryOperator::Or, Level::Or)
        };
        let mut others = Vec::new();
        while parser.parse_keyword(keyword) {
            others.push(parser.parse_subexpr(level as u8)?);
        }
        Ok(Expr::BinaryOp {
            left: Box::new(first.clone()),
            op,
            right: Box::new(Expr::Struct {
                values: others,
                fields: Vec::new(),
            }),
        })
    }

    /// `ANY|SOME|ALL ( query or array )` behind an operator.
    fn quantified(&self, parser: &mut Parser, left: &Expr, op: String) -> Parsed<Expr> {
        let keyword = parser.parse_one_of_keywords(&[Keyword::ANY, Keyword::SOME, Keyword::ALL]);
        let index = self.index(parser);
        parser.expect_token(&sp::Token::LParen)?;
        let right = self.with_restriction(false, || {
            if self.reader.is_query_parenthesis(index) {
                return parser.parse_query().map(Expr::Subquery);
            }
            let array = parser.parse_expr()?;
            Ok(Expr::Nested(Box::new(array)))
        })?;
        parser.expect_token(&sp::Token::RParen)?;
        let left = Box::new(left.clone());
        let compare_op = BinaryOperator::Custom(op);
        let right = Box::new(right);
        Ok(match keyword {
            Some(Keyword::ALL) => Expr::AllOp {
                left,
                compare_op,
                right,
            },
            keyword => Expr::AnyOp {
                left,
                compare_op,
                right,
                is_some: keyword == Some(Keyword::SOME),
            },
        })
    }

    /// `IN (…)`: the parentheses are known to hold a query or a list.
    fn in_target(&self, parser: &mut Parser, left: &Expr, negated: bool) -> Parsed<Expr> {
        let _ = parser.parse_keyword(Keyword::NOT);
        parser.expect_keyword(Keyword::IN)?;
        let index = self.index(parser);
        parser.expect_token(&sp::Token::LParen)?;
        let target = if self.reader.is_query_parenthesis(index) {
            InTarget::Subquery(parser.parse_query()?)
        } else {
            InTarget::List(parser.parse_comma_separated(Parser::parse_expr)?)
        };
        parser.expect_token(&sp::Token::RParen)?;
        Ok(Expr::In {
            expr: Box::new(left.clone()),
            target,
            negated,
            global: false,
        })
    }

    /// `BETWEEN [SYMMETRIC] low AND high`, where low is a `b_expr`.
    fn between(&self, parser: &mut Parser, left: &Expr, negated: bool) -> Parsed<Expr> {
        let _ = parser.parse_keyword(Keyword::NOT);
        parser.expect_keyword(Keyword::BETWEEN)?;
        let _ = parser.parse_one_of_keywords(&[Keyword::SYMMETRIC, Keyword::ASYMMETRIC]);
        let low = self.with_restriction(true, || parser.parse_expr())?;
        parser.expect_keyword(Keyword::AND)?;
        let high = parser.parse_subexpr(Level::Pattern as u8)?;
        Ok(Expr::Between {
            expr: Box::new(left.clone()),
            negated,
            low: Box::new(low),
            high: Box::new(high),
        })
    }

    /// Refuses what IS cannot be followed by; the rest is `sqlparser`'s.
    fn is_test(&self, parser: &mut Parser) -> Option<Parsed<Expr>> {
        let mut behind = self.here(parser);
        behind.bump();
        behind.eat_word("not");
        match behind.keyword() {
            word if self.restricted.get() && word != "distinct" => {
                Some(self.unexpected_at(behind.index()))
            }
            "null" | "true" | "false" | "unknown" => None,
            "distinct" if behind.is_word_at(1, "from") => None,
            "distinct" => Some(self.unexpected_at(behind.index() + 1)),
            "document" => Some(self.unsupported(parser, "IS DOCUMENT")),
            "normalized" | "nfc" | "nfd" | "nfkc" | "nfkd" => {
                Some(self.unsupported(parser, "IS NORMALIZED"))
            }
            _ => Some(self.unexpected_at(behind.index())),
        }
    }
}

fn is_pattern_at(cursor: &Reader, n: usize) -> bool {
    ["like", "ilike", "between", "in", "similar"]
        .iter()
        .any(|word| cursor.is_word_at(n, word))
}

/// ANY, SOME or ALL with its parenthesis.
fn is_quantifier(cursor: &Reader, n: usize) -> bool {
    is_quantifier_word(cursor, n) && cursor.peek_at(n + 1).is_char(b'(')
}

fn is_quantifier_word(cursor: &Reader, n: usize) -> bool {
    let words = ["any", "some", "all"];
    words.iter().any(|word| cursor.is_word_at(n, word))
}

/// Comparisons, IS DISTINCT FROM, LIKE and BETWEEN do not associate: `a < b < c` is an error.
fn does_not_associate(left: &Expr, next: &Reader) -> bool {
    match left {
        Expr::BinaryOp {
            op:
                BinaryOperator::Eq
                | BinaryOperator::NotEq
                | BinaryOperator::Lt
                | BinaryOperator::Gt
                | BinaryOperator::LtEq
                | BinaryOperator::GtEq,
            ..
        } => matches!(next.peek(), Token::Op(op) if operator_level(op) == Level::Comparison),
        Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } | Expr::Between { .. } => {
            is_pattern_at(next, usize::from(next.is_word("not")))
        }
        Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) => {
            next.is_any_word(&["is", "isnull", "notnull"])
        }
        _ => false,
    }
}
