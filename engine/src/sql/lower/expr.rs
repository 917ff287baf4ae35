//! Operators: chains from left to right without recursion, then what stands between them.

use crate::error::Result;
use crate::sql::ast::{Expr, ExprKind, IsTest, LikeKind, OperatorName};
use crate::sql::reader::Reader;
use crate::sql::token::Token;
use sqlparser::ast as sp;

/// What stands behind an operand, without it.
enum Suffix {
    Binary(Box<sp::Expr>),
    /// The other terms of a chain.
    Chain {
        and: bool,
        others: Vec<sp::Expr>,
    },
    Quantified {
        all: bool,
        right: Box<sp::Expr>,
    },
    Is {
        test: IsTest,
        negated: bool,
    },
    IsDistinct {
        right: Box<sp::Expr>,
        negated: bool,
    },
    In {
        target: sp::InTarget,
        negated: bool,
    },
    Between {
        low: Box<sp::Expr>,
        high: Box<sp::Expr>,
        negated: bool,
    },
    Like {
        kind: LikeKind,
        pattern: Box<sp::Expr>,
        escape: Option<Box<sp::Expr>>,
        negated: bool,
    },
    Cast,
    Collate,
    AtTimeZone(Box<sp::Expr>),
}

impl Reader {
    pub(super) fn lower_expr(&mut self, expr: sp::Expr) -> Result<Expr> {
        self.deeper(1, |reader| reader.lower_chain_of_suffixes(expr))
    }

    fn lower_chain_of_suffixes(&mut self, expr: sp::Expr) -> Result<Expr> {
        let mut suffixes = Vec::new();
        let mut operand = expr;
        let first = loop {
            match take_suffix(operand) {
                Peeled::Suffix(left, suffix) => {
                    suffixes.push(suffix);
                    operand = left;
                }
                Peeled::Operand(first) => break first,
            }
        };
        let mut left = self.lower_operand(first)?;
        while let Some(suffix) = suffixes.pop() {
            left = self.lower_suffix(left, suffix)?;
        }
        Ok(left)
    }

    pub(super) fn lower_boxed(&mut self, expr: sp::Expr) -> Result<Box<Expr>> {
        self.lower_expr(expr).map(Box::new)
    }

    pub(super) fn lower_optional(&mut self, expr: Option<sp::Expr>) -> Result<Option<Expr>> {
        expr.map(|expr| self.lower_expr(expr)).transpose()
    }

    #[inline(never)]
    fn lower_suffix(&mut self, left: Expr, suffix: Suffix) -> Result<Expr> {
        let at = self.at();
        let arg = Box::new(left);
        let kind = match suffix {
            Suffix::Binary(right) => {
                let op = self.operator()?;
                ExprKind::Binary {
                    op,
                    left: arg,
                    right: self.lower_boxed(*right)?,
                }
            }
            Suffix::Chain { and, others } => self.lower_chain(*arg, and, others)?,
            Suffix::Quantified { all, right } => return self.lower_quantified(arg, all, right),
            Suffix::Is { test, negated } => {
                self.is_test(test, negated)?;
                ExprKind::Is { arg, test, negated }
            }
            Suffix::IsDistinct { right, negated } => {
                self.expect_word("is")?;
                self.expect_negation(negated)?;
                self.expect_words(&["distinct", "from"])?;
                ExprKind::IsDistinct {
                    left: arg,
                    right: self.lower_boxed(*right)?,
                    negated,
                }
            }
            Suffix::In { target, negated } => return self.lower_in(arg, target, negated),
            Suffix::Between { low, high, negated } => {
                self.expect_negation(negated)?;
                self.expect_word("between")?;
                let symmetric = self.eat_word("symmetric");
                if !symmetric {
                    self.eat_word("asymmetric");
                }
                let low = self.lower_boxed(*low)?;
                self.expect_word("and")?;
                ExprKind::Between {
                    arg,
                    low,
                    high: self.lower_boxed(*high)?,
                    symmetric,
                    negated,
                }
            }
            Suffix::Like {
                kind,
                pattern,
                escape,
                negated,
            } => {
                self.expect_negation(negated)?;
                self.expect_words(match kind {
                    LikeKind::Like => &["like"],
                    LikeKind::ILike => &["ilike"],
                    LikeKind::SimilarTo => &["similar", "to"],
                })?;
                let pattern = self.lower_boxed(*pattern)?;
                let mut escape_character = None;
                if let Some(escape) = escape {
                    self.expect_word("escape")?;
                    escape_character = Some(self.lower_boxed(*escape)?);
                }
                ExprKind::Like {
                    arg,
                    pattern,
                    escape: escape_character,
                    kind,
                    negated,
                }
            }
            Suffix::Cast => {
                if !matches!(self.peek(), Token::TypeCast) {
                    return self.unexpected();
                }
                self.bump();
                let ty = self.type_name()?;
                ExprKind::Cast { arg, ty }
            }
            Suffix::Collate => {
                self.expect_word("collate")?;
                let collation = self.qualified_name()?;
                ExprKind::Collate { arg, collation }
            }
            Suffix::AtTimeZone(zone) => {
                self.expect_words(&["at", "time", "zone"])?;
                ExprKind::AtTimeZone {
                    arg,
                    zone: self.lower_boxed(*zone)?,
                }
            }
        };
        self.node(at, kind)
    }

    #[inline(never)]
    fn lower_chain(&mut self, first: Expr, and: bool, others: Vec<sp::Expr>) -> Result<ExprKind> {
        let word = if and { "and" } else { "or" };
        let mut terms = Vec::with_capacity(others.len() + 1);
        terms.push(first);
        for other in others {
            self.expect_word(word)?;
            terms.push(self.lower_expr(other)?);
        }
        Ok(if and {
            ExprKind::And(terms)
        } else {
            ExprKind::Or(terms)
        })
    }

    /// An operator between operands or before one, with its schema if it has one.
    pub(super) fn operator(&mut self) -> Result<OperatorName> {
        if self.is_word("operator") {
            return self.qualified_operator();
        }
        Ok(OperatorName {
            schema: None,
            symbol: self.operator_symbol()?,
        })
    }

    fn expect_negation(&mut self, negated: bool) -> Result<()> {
        if negated {
            self.expect_word("not")?;
        }
        Ok(())
    }

    /// The words of `IS [NOT] NULL` and its kin, ISNULL and NOTNULL included.
    fn is_test(&mut self, test: IsTest, negated: bool) -> Result<()> {
        let word = match test {
            IsTest::Null => {
                let short = if negated { "notnull" } else { "isnull" };
                if self.eat_word(short) {
                    return Ok(());
                }
                "null"
            }
            IsTest::True => "true",
            IsTest::False => "false",
            IsTest::Unknown => "unknown",
        };
        self.expect_word("is")?;
        self.expect_negation(negated)?;
        self.expect_word(word)?;
        Ok(())
    }

    #[inline(never)]
    fn lower_quantified(
        &mut self,
        left: Box<Expr>,
        all: bool,
        right: Box<sp::Expr>,
    ) -> Result<Expr> {
        let at = self.at();
        let op = if self.is_any_word(&["not", "like", "ilike"]) {
            let negated = self.eat_word("not");
            let insensitive = self.is_word("ilike");
            self.bump();
            OperatorName {
                schema: None,
                symbol: like_operator(insensitive, negated).to_string(),
            }
        } else {
            self.operator()?
        };
        let words: &[&str] = if all { &["all"] } else { &["any", "some"] };
        if !self.is_any_word(words) {
            return self.unexpected();
        }
        self.bump();
        let kind = match *right {
            sp::Expr::Subquery(query) => ExprKind::QuantifiedQuery {
                left,
                op,
                all,
                query: Box::new(self.lower_query_in_parentheses(query)?),
            },
            sp::Expr::Nested(array) => {
                self.expect_char(b'(')?;
                let array = self.lower_boxed(*array)?;
                self.expect_char(b')')?;
                ExprKind::Quantified {
                    left,
                    op,
                    all,
                    array,
                }
            }
            _ => return self.unexpected(),
        };
        self.node(at, kind)
    }

    #[inline(never)]
    fn lower_in(&mut self, arg: Box<Expr>, target: sp::InTarget, negated: bool) -> Result<Expr> {
        let at = self.at();
        self.expect_negation(negated)?;
        self.expect_word("in")?;
        let kind = match target {
            sp::InTarget::List(list) => ExprKind::InList {
                arg,
                list: self.lower_parenthesized(list, Self::lower_expr)?,
                negated,
            },
            sp::InTarget::Subquery(query) => ExprKind::InQuery {
                arg,
                query: Box::new(self.lower_query_in_parentheses(query)?),
                negated,
            },
            sp::InTarget::Unnest(_) | sp::InTarget::Table { name: _, args: _ } => {
                return self.unexpected();
            }
        };
        self.node(at, kind)
    }
}

/// An expression without its last suffix, or an operand, which has none.
enum Peeled {
    Suffix(sp::Expr, Suffix),
    Operand(sp::Expr),
}

#[inline(never)]
fn take_suffix(expr: sp::Expr) -> Peeled {
    use sp::Expr::*;
    let is = |arg: Box<sp::Expr>, test, negated| Peeled::Suffix(*arg, Suffix::Is { test, negated });
    let like = |arg: Box<sp::Expr>,
                kind,
                pattern: Box<sp::Expr>,
                escape: Option<Box<sp::Expr>>,
                negated| {
        Peeled::Suffix(
            *arg,
            Suffix::Like {
                kind,
                pattern,
                escape,
                negated,
            },
        )
    };
    match expr {
        BinaryOp { left, op, right } => match *right {
            Struct {
                values: others,
                fields: _,
            } => {
                let and = op == sp::BinaryOperator::And;
                Peeled::Suffix(*left, Suffix::Chain { and, others })
            }
            _ => Peeled::Suffix(*left, Suffix::Binary(right)),
        },
        // The operator is read from the tokens, where it has its schema and its place.
        AnyOp {
            left,
            compare_op: _,
            right,
            is_some: _,
        } => Peeled::Suffix(*left, Suffix::Quantified { all: false, right }),
        AllOp {
            left,
            compare_op: _,
            right,
        } => Peeled::Suffix(*left, Suffix::Quantified { all: true, right }),
        IsNull(arg) => is(arg, IsTest::Null, false),
        IsNotNull(arg) => is(arg, IsTest::Null, true),
        IsTrue(arg) => is(arg, IsTest::True, false),
        IsNotTrue(arg) => is(arg, IsTest::True, true),
        IsFalse(arg) => is(arg, IsTest::False, false),
        IsNotFalse(arg) => is(arg, IsTest::False, true),
        IsUnknown(arg) => is(arg, IsTest::Unknown, false),
        IsNotUnknown(arg) => is(arg, IsTest::Unknown, true),
        IsDistinctFrom(left, right) => Peeled::Suffix(
            *left,
            Suffix::IsDistinct {
                right,
                negated: false,
            },
        ),
        IsNotDistinctFrom(left, right) => Peeled::Suffix(
            *left,
            Suffix::IsDistinct {
                right,
                negated: true,
            },
        ),
        In {
            expr,
            target,
            negated,
            global: false,
        } => Peeled::Suffix(*expr, Suffix::In { target, negated }),
        Between {
            expr,
            negated,
            low,
            high,
        } => Peeled::Suffix(*expr, Suffix::Between { low, high, negated }),
        Like {
            negated,
            any: false,
            expr,
            pattern,
            escape_char,
        } => like(expr, LikeKind::Like, pattern, escape_char, negated),
        ILike {
            negated,
            any: false,
            expr,
            pattern,
            escape_char,
        } => like(expr, LikeKind::ILike, pattern, escape_char, negated),
        SimilarTo {
            negated,
            expr,
            pattern,
            escape_char,
        } => like(expr, LikeKind::SimilarTo, pattern, escape_char, negated),
        Cast {
            kind: sp::CastKind::DoubleColon,
            expr,
            data_type: _,
            format: None,
        } => Peeled::Suffix(*expr, Suffix::Cast),
        Collate { expr, collation: _ } => Peeled::Suffix(*expr, Suffix::Collate),
        AtTimeZone {
            timestamp,
            time_zone,
        } => Peeled::Suffix(*timestamp, Suffix::AtTimeZone(time_zone)),
        operand => Peeled::Operand(operand),
    }
}

/// PostgreSQL's operator behind LIKE and ILIKE.
pub fn like_operator(insensitive: bool, negated: bool) -> &'static str {
    match (insensitive, negated) {
        (true, false) => "~~*",
        (true, true) => "!~~*",
        (false, false) => "~~",
        (false, true) => "!~~",
    }
}
