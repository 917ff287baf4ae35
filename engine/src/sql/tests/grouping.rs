//! How operators group: PostgreSQL's answer for some hundred random expressions.

use super::{ExprKind, Position, parse_expression};
use crate::sql::ast::{Expr, IsTest, LikeKind};

/// Expressions, each with every operator in parentheses. PostgreSQL deparses both alike
/// (`pg_get_viewdef`), over a type that has all of the operators.
const GROUPING: &str = include_str!("grouping.txt");

#[test]
fn random_expressions_group_as_in_postgresql() {
    let mut lines = GROUPING.lines();
    let mut wrong = Vec::new();
    while let (Some(text), Some(expected)) = (lines.next(), lines.next()) {
        let expected = expected.trim_start_matches("=> ");
        let parsed = parse_expression(text, Position { line: 1, column: 1 });
        let found = parsed.map_or_else(|error| error.to_string(), |expr| parenthesized(&expr));
        if found != expected {
            wrong.push(format!("{text}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// SQL for an expression with every operator in parentheses.
fn parenthesized(expr: &Expr) -> String {
    let sql = parenthesized;
    let list = |list: &[Expr], by: &str| list.iter().map(sql).collect::<Vec<_>>().join(by);
    let not = |negated: &bool| if *negated { "not " } else { "" };
    match &expr.kind {
        ExprKind::Column(name) => name.to_string(),
        ExprKind::Number(text) if text.starts_with('-') => format!("({text})"),
        ExprKind::Number(text) => text.clone(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Null => "null".to_string(),
        ExprKind::Array(items) => format!("array[{}]", list(items, ", ")),
        ExprKind::Unary { op, arg } => format!("({} {})", op.symbol, sql(arg)),
        ExprKind::Binary { op, left, right } => {
            format!("({} {} {})", sql(left), op.symbol, sql(right))
        }
        ExprKind::And(terms) => format!("({})", list(terms, " and ")),
        ExprKind::Or(terms) => format!("({})", list(terms, " or ")),
        ExprKind::Not(arg) => format!("(not {})", sql(arg)),
        ExprKind::Is { arg, test, negated } => {
            let test = match test {
                IsTest::Null => "null",
                IsTest::True => "true",
                IsTest::False => "false",
                IsTest::Unknown => "unknown",
            };
            format!("({} is {}{test})", sql(arg), not(negated))
        }
        ExprKind::IsDistinct {
            left,
            right,
            negated,
        } => {
            let (left, right) = (sql(left), sql(right));
            format!("({left} is {}distinct from {right})", not(negated))
        }
        ExprKind::Like {
            arg,
            pattern,
            kind,
            negated,
            escape: None,
        } => {
            let word = match kind {
                LikeKind::Like => "like",
                LikeKind::ILike => "ilike",
                LikeKind::SimilarTo => "similar to",
            };
            format!("({} {}{word} {})", sql(arg), not(negated), sql(pattern))
        }
        ExprKind::Between {
            arg,
            low,
            high,
            symmetric,
            negated,
        } => {
            let word = if *symmetric {
                "between symmetric"
            } else {
                "between"
            };
            let (arg, low, high) = (sql(arg), sql(low), sql(high));
            format!("({arg} {}{word} {low} and {high})", not(negated))
        }
        ExprKind::InList {
            arg,
            list: items,
            negated,
        } => format!("({} {}in ({}))", sql(arg), not(negated), list(items, ", ")),
        ExprKind::Quantified {
            left,
            op,
            all: false,
            array,
        } => format!("({} {} any ({}))", sql(left), op.symbol, sql(array)),
        ExprKind::Cast { arg, ty } => format!("({}::{})", sql(arg), ty.name),
        ExprKind::Collate { arg, collation } => format!("({} collate \"{collation}\")", sql(arg)),
        ExprKind::AtTimeZone { arg, zone } => {
            format!("({} at time zone {})", sql(arg), sql(zone))
        }
        ExprKind::Case {
            operand: None,
            whens,
            otherwise: None,
        } => {
            let whens = whens.iter();
            let whens = whens.map(|(when, then)| format!("when {} then {}", sql(when), sql(then)));
            format!("case  {}  end", whens.collect::<Vec<_>>().join(" "))
        }
        other => format!("{other:?}"),
    }
}
