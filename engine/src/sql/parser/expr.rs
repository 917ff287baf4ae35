//! Expressions by precedence climbing, with `gram.y`'s precedences.

use super::Parser;
use crate::error::{Position, Result};
use crate::sql::ast::{Expr, ExprKind, IsTest, LikeKind, OperatorName};
use crate::sql::token::Token;

/// Precedences, lowest first (`%left`, `%right` and `%nonassoc` in `gram.y`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Lowest,
    Or,
    And,
    Not,
    Is,
    Comparison,
    /// BETWEEN, IN, LIKE
    Pattern,
    Operator,
    Sum,
    Product,
    Power,
    AtTimeZone,
    Collate,
    UnaryMinus,
    TypeCast,
}

/// An infix or postfix construct that the next tokens start.
enum Infix {
    Or,
    And,
    Is,
    IsNull,
    NotNull,
    Operator { qualified: bool },
    Pattern { negated: bool },
    AtTimeZone,
    Collate,
    TypeCast,
}

/// Where an expression stands: a `b_expr` has no AND, OR, NOT, LIKE, IN, BETWEEN nor IS NULL.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    Full,
    Restricted,
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.expr_above(Level::Lowest, Grammar::Full)
    }

    pub(super) fn restricted_expr(&mut self) -> Result<Expr> {
        self.expr_above(Level::Lowest, Grammar::Restricted)
    }

    /// An expression of operators that bind tighter than `level`.
    pub(super) fn expr_above(&mut self, level: Level, grammar: Grammar) -> Result<Expr> {
        self.nested(|parser| {
            let mut left = parser.prefix(grammar)?;
            while let Some((infix, next)) = parser.infix(grammar) {
                if next <= level {
                    break;
                }
                left = parser.infix_expr(left, infix, next, grammar)?;
            }
            Ok(left)
        })
    }

    #[inline(never)]
    fn prefix(&mut self, grammar: Grammar) -> Result<Expr> {
        let at = self.at();
        if self.is_word("not") && grammar == Grammar::Full {
            self.bump();
            let arg = self.expr_above(Level::Not, grammar)?;
            return self.node(at, ExprKind::Not(Box::new(arg)));
        }
        if self.is_qualified_operator() {
            let op = self.qualified_operator()?;
            return self.unary(at, op, Level::Operator, grammar);
        }
        let level = match self.peek() {
            Token::Op(op) if op == "+" || op == "-" => Level::UnaryMinus,
            Token::Op(op) if operator_level(op) == Level::Operator => Level::Operator,
            _ => return self.operand(),
        };
        let symbol = self.operator_symbol()?;
        self.unary(
            at,
            OperatorName {
                schema: None,
                symbol,
            },
            level,
            grammar,
        )
    }

    #[inline(never)]
    fn unary(
        &mut self,
        at: Position,
        op: OperatorName,
        level: Level,
        grammar: Grammar,
    ) -> Result<Expr> {
        let arg = self.expr_above(level, grammar)?;
        // A sign before a number is part of the number (`doNegate`), so that -2147483648 is an
        // integer and -9223372036854775808 a bigint.
        if op.symbol == "-"
            && op.schema.is_none()
            && let ExprKind::Number(text) = &arg.kind
        {
            let text = match text.strip_prefix('-') {
                Some(positive) => positive.to_string(),
                None => format!("-{text}"),
            };
            return self.node(at, ExprKind::Number(text));
        }
        self.node(
            at,
            ExprKind::Unary {
                op,
                arg: Box::new(arg),
            },
        )
    }

    /// `OPERATOR` stands before `(` when it is no column's name.
    fn is_qualified_operator(&mut self) -> bool {
        self.is_word("operator") && self.peek_at(1).is_char(b'(')
    }

    /// `OPERATOR(schema.+)`
    fn qualified_operator(&mut self) -> Result<OperatorName> {
        self.bump();
        self.expect_char(b'(')?;
        let mut schema = None;
        while !matches!(self.peek(), Token::Op(_)) {
            schema = Some(self.name()?);
            self.expect_char(b'.')?;
        }
        let symbol = self.operator_symbol()?;
        self.expect_char(b')')?;
        Ok(OperatorName { schema, symbol })
    }

    /// Any operator, without parentheses.
    pub(super) fn operator_symbol(&mut self) -> Result<String> {
        match self.peek() {
            Token::Op(op) => {
                let op = op.clone();
                self.bump();
                Ok(op)
            }
            _ => self.unexpected(),
        }
    }

    /// What the next tokens continue an expression with, and how tightly.
    #[inline(never)]
    fn infix(&mut self, grammar: Grammar) -> Option<(Infix, Level)> {
        let full = grammar == Grammar::Full;
        match self.peek() {
            Token::Op(op) => {
                let level = operator_level(op);
                return Some((Infix::Operator { qualified: false }, level));
            }
            Token::TypeCast => return Some((Infix::TypeCast, Level::TypeCast)),
            _ => {}
        }
        let found = match self.keyword() {
            "or" if full => (Infix::Or, Level::Or),
            "and" if full => (Infix::And, Level::And),
            "is" => (Infix::Is, Level::Is),
            "isnull" if full => (Infix::IsNull, Level::Is),
            "notnull" if full => (Infix::NotNull, Level::Is),
            "like" | "ilike" | "between" | "in" if full => {
                (Infix::Pattern { negated: false }, Level::Pattern)
            }
            "similar" if full && self.is_word_at(1, "to") => {
                (Infix::Pattern { negated: false }, Level::Pattern)
            }
            "not" if full && self.is_pattern_at(1) => {
                (Infix::Pattern { negated: true }, Level::Pattern)
            }
            "at" if self.is_word_at(1, "time") => (Infix::AtTimeZone, Level::AtTimeZone),
            "collate" => (Infix::Collate, Level::Collate),
            "operator" if self.is_qualified_operator() => {
                (Infix::Operator { qualified: true }, Level::Operator)
            }
            _ => return None,
        };
        Some(found)
    }

    fn is_pattern_at(&mut self, n: usize) -> bool {
        ["like", "ilike", "between", "in", "similar"]
            .iter()
            .any(|word| self.is_word_at(n, word))
    }

    #[inline(never)]
    fn infix_expr(
        &mut self,
        left: Expr,
        infix: Infix,
        level: Level,
        grammar: Grammar,
    ) -> Result<Expr> {
        let at = self.at();
        let arg = Box::new(left);
        match infix {
            Infix::And => self.chain(*arg, "and", Level::And, ExprKind::And),
            Infix::Or => self.chain(*arg, "or", Level::Or, ExprKind::Or),
            Infix::Is => {
                self.bump();
                self.is_test(at, arg, grammar)
            }
            Infix::IsNull | Infix::NotNull => {
                self.bump();
                let negated = matches!(infix, Infix::NotNull);
                self.node(
                    at,
                    ExprKind::Is {
                        arg,
                        test: IsTest::Null,
                        negated,
                    },
                )
            }
            Infix::Operator { qualified } => {
                let op = if qualified {
                    self.qualified_operator()?
                } else {
                    OperatorName {
                        schema: None,
                        symbol: self.operator_symbol()?,
                    }
                };
                self.binary(at, arg, op, level, grammar)
            }
            Infix::Pattern { negated } => {
                if negated {
                    self.bump();
                }
                self.pattern(at, arg, negated)
            }
            Infix::AtTimeZone => {
                for word in ["at", "time", "zone"] {
                    self.expect_word(word)?;
                }
                let zone = Box::new(self.expr_above(Level::AtTimeZone, grammar)?);
                self.node(at, ExprKind::AtTimeZone { arg, zone })
            }
            Infix::Collate => {
                self.bump();
                let collation = self.qualified_name()?;
                self.node(at, ExprKind::Collate { arg, collation })
            }
            Infix::TypeCast => {
                self.bump();
                let ty = self.type_name()?;
                self.node(at, ExprKind::Cast { arg, ty })
            }
        }
    }

    /// A chain of ANDs or of ORs as one node, however long it is.
    #[inline(never)]
    fn chain(
        &mut self,
        first: Expr,
        word: &str,
        level: Level,
        kind: fn(Vec<Expr>) -> ExprKind,
    ) -> Result<Expr> {
        let at = self.at();
        let mut terms = vec![first];
        while self.eat_word(word) {
            terms.push(self.expr_above(level, Grammar::Full)?);
        }
        self.node(at, kind(terms))
    }

    #[inline(never)]
    fn binary(
        &mut self,
        at: Position,
        left: Box<Expr>,
        op: OperatorName,
        level: Level,
        grammar: Grammar,
    ) -> Result<Expr> {
        if grammar == Grammar::Full && self.is_quantifier() {
            return self.quantified(at, left, op);
        }
        let right = Box::new(self.expr_above(level, grammar)?);
        if level == Level::Comparison {
            self.forbid_chain(level, grammar)?;
        }
        self.node(at, ExprKind::Binary { op, left, right })
    }

    /// Comparisons, IS DISTINCT FROM, LIKE and BETWEEN do not associate: `a < b < c` is an error.
    fn forbid_chain(&mut self, level: Level, grammar: Grammar) -> Result<()> {
        match self.infix(grammar) {
            Some((_, next)) if next == level => self.unexpected(),
            _ => Ok(()),
        }
    }

    /// ANY, SOME or ALL behind an operator.
    fn is_quantifier(&mut self) -> bool {
        matches!(self.keyword(), "any" | "some" | "all") && self.peek_at(1).is_char(b'(')
    }

    #[inline(never)]
    fn quantified(&mut self, at: Position, left: Box<Expr>, op: OperatorName) -> Result<Expr> {
        let all = self.is_word("all");
        self.bump();
        if self.starts_query_in_parentheses() {
            let query = Box::new(self.query_in_parentheses()?);
            return self.node(
                at,
                ExprKind::QuantifiedQuery {
                    left,
                    op,
                    all,
                    query,
                },
            );
        }
        self.expect_char(b'(')?;
        let array = Box::new(self.expr()?);
        self.expect_char(b')')?;
        self.node(
            at,
            ExprKind::Quantified {
                left,
                op,
                all,
                array,
            },
        )
    }

    #[inline(never)]
    fn is_test(&mut self, at: Position, arg: Box<Expr>, grammar: Grammar) -> Result<Expr> {
        let negated = self.eat_word("not");
        if self.eat_words(&["distinct", "from"]) {
            let right = Box::new(self.expr_above(Level::Is, grammar)?);
            self.forbid_chain(Level::Is, grammar)?;
            return self.node(
                at,
                ExprKind::IsDistinct {
                    left: arg,
                    right,
                    negated,
                },
            );
        }
        let test = match self.keyword() {
            _ if grammar == Grammar::Restricted => return self.unexpected(),
            "null" => IsTest::Null,
            "true" => IsTest::True,
            "false" => IsTest::False,
            "unknown" => IsTest::Unknown,
            "document" => return self.unsupported("IS DOCUMENT"),
            "normalized" | "nfc" | "nfd" | "nfkc" | "nfkd" => {
                return self.unsupported("IS NORMALIZED");
            }
            _ => return self.unexpected(),
        };
        self.bump();
        self.node(at, ExprKind::Is { arg, test, negated })
    }

    /// BETWEEN, IN, LIKE, ILIKE, SIMILAR TO behind an optional NOT.
    #[inline(never)]
    fn pattern(&mut self, at: Position, arg: Box<Expr>, negated: bool) -> Result<Expr> {
        let kind = match self.keyword() {
            "between" => return self.between(at, arg, negated),
            "in" => return self.in_list(at, arg, negated),
            "like" => LikeKind::Like,
            "ilike" => LikeKind::ILike,
            "similar" => LikeKind::SimilarTo,
            _ => return self.unexpected(),
        };
        self.bump();
        if kind == LikeKind::SimilarTo {
            self.expect_word("to")?;
        } else if self.is_quantifier() {
            let symbol = like_operator(kind, negated).to_string();
            return self.quantified(
                at,
                arg,
                OperatorName {
                    schema: None,
                    symbol,
                },
            );
        }
        let pattern = Box::new(self.expr_above(Level::Pattern, Grammar::Full)?);
        let mut escape = None;
        if self.eat_word("escape") {
            escape = Some(Box::new(self.expr_above(Level::Pattern, Grammar::Full)?));
        }
        self.forbid_chain(Level::Pattern, Grammar::Full)?;
        self.node(
            at,
            ExprKind::Like {
                arg,
                pattern,
                escape,
                kind,
                negated,
            },
        )
    }

    #[inline(never)]
    fn between(&mut self, at: Position, arg: Box<Expr>, negated: bool) -> Result<Expr> {
        self.bump();
        let symmetric = self.eat_word("symmetric");
        if !symmetric {
            self.eat_word("asymmetric");
        }
        let low = Box::new(self.restricted_expr()?);
        self.expect_word("and")?;
        let high = Box::new(self.expr_above(Level::Pattern, Grammar::Full)?);
        self.forbid_chain(Level::Pattern, Grammar::Full)?;
        self.node(
            at,
            ExprKind::Between {
                arg,
                low,
                high,
                symmetric,
                negated,
            },
        )
    }

    #[inline(never)]
    fn in_list(&mut self, at: Position, arg: Box<Expr>, negated: bool) -> Result<Expr> {
        self.bump();
        if self.starts_query_in_parentheses() {
            let query = Box::new(self.query_in_parentheses()?);
            return self.node(
                at,
                ExprKind::InQuery {
                    arg,
                    query,
                    negated,
                },
            );
        }
        let list = self.parenthesized(Self::expr)?;
        self.node(at, ExprKind::InList { arg, list, negated })
    }
}

/// PostgreSQL's operator behind LIKE and its kin.
pub(super) fn like_operator(kind: LikeKind, negated: bool) -> &'static str {
    match (kind, negated) {
        (LikeKind::ILike, false) => "~~*",
        (LikeKind::ILike, true) => "!~~*",
        (_, false) => "~~",
        (_, true) => "!~~",
    }
}

fn operator_level(op: &str) -> Level {
    match op {
        "<" | ">" | "=" | "<=" | ">=" | "<>" => Level::Comparison,
        "+" | "-" => Level::Sum,
        "*" | "/" | "%" => Level::Product,
        "^" => Level::Power,
        _ => Level::Operator,
    }
}
