//! Bound trees written on one line.

use crate::bind::{
    Body, CastMethod, Expr, ExprKind, From, JoinKind, Query, Select, Source, SublinkKind, Var,
};
use crate::value::Datum;

fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(expr).collect::<Vec<_>>().join(", ")
}

pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Const(value) => match value {
            Datum::Null => format!("null::{}", e.ty.name()),
            Datum::Text(text) => format!("'{text}'"),
            Datum::Int4(value) => value.to_string(),
            Datum::Int8(value) => format!("{value}L"),
            Datum::Bool(value) => value.to_string(),
            Datum::Numeric(value) => format!("{value}N"),
            other => format!("{other:?}"),
        },
        ExprKind::Var(Var { rel, column, up }) => format!("{}{rel}.{column}", "^".repeat(*up)),
        ExprKind::Slot(slot) => format!("#{slot}"),
        ExprKind::Param(param) => format!("${param}"),
        ExprKind::Argument(index) => format!("arg{index}"),
        ExprKind::CaseValue => "case-value".to_string(),
        ExprKind::Call { function, args, .. } => format!("{}({})", function.name, list(args)),
        ExprKind::And(terms) => format!("and({})", list(terms)),
        ExprKind::Or(terms) => format!("or({})", list(terms)),
        ExprKind::Not(arg) => format!("not({})", expr(arg)),
        ExprKind::NullTest { arg, negated } => {
            format!("{}null({})", if *negated { "not-" } else { "" }, expr(arg))
        }
        ExprKind::BooleanTest { arg, test } => format!("{test:?}({})", expr(arg)),
        ExprKind::Distinct {
            equal,
            left,
            right,
            negated,
        } => format!(
            "{}distinct[{}]({}, {})",
            if *negated { "not-" } else { "" },
            equal.function.name,
            expr(left),
            expr(right)
        ),
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        } => {
            let operand = operand
                .as_ref()
                .map(|o| format!("{} ", expr(o)))
                .unwrap_or_default();
            let arms: Vec<String> = arms
                .iter()
                .map(|(when, then)| format!("{}: {}", expr(when), expr(then)))
                .collect();
            let otherwise = otherwise.as_ref().map(|o| format!(", else: {}", expr(o)));
            format!(
                "case({operand}{}{})",
                arms.join(", "),
                otherwise.unwrap_or_default()
            )
        }
        ExprKind::Coalesce(args) => format!("coalesce({})", list(args)),
        ExprKind::NullIf { equal, left, right } => {
            format!(
                "nullif[{}]({}, {})",
                equal.function.name,
                expr(left),
                expr(right)
            )
        }
        ExprKind::MinMax {
            greatest,
            less,
            args,
        } => {
            let name = if *greatest { "greatest" } else { "least" };
            format!("{name}[{}]({})", less.function.name, list(args))
        }
        ExprKind::ScalarArray {
            operator,
            any,
            left,
            array,
        } => format!(
            "{}[{}]({}, {})",
            if *any { "any" } else { "all" },
            operator.function.name,
            expr(left),
            expr(array)
        ),
        ExprKind::RowCompare {
            op,
            operators,
            left,
            right,
        } => {
            let names: Vec<&str> = operators.iter().map(|o| &*o.function.name).collect();
            format!(
                "row{op:?}[{}](({}), ({}))",
                names.join(" "),
                list(left),
                list(right)
            )
        }
        ExprKind::Array(elements) => format!("[{}]", list(elements)),
        ExprKind::Subscript { array, index } => format!("{}[{}]", expr(array), expr(index)),
        ExprKind::Cast { arg, method, .. } => {
            let method = match method {
                CastMethod::Relabel => "~",
                CastMethod::Convert => "",
                CastMethod::InOut => "text:",
                CastMethod::Typmod => "typmod:",
            };
            format!("{method}{}({})", e.ty.name(), expr(arg))
        }
        ExprKind::SqlCall {
            function,
            args,
            body,
            ..
        } => {
            format!("sql:{}({}){{{}}}", function.name, list(args), expr(body))
        }
        ExprKind::Sublink(link) => {
            let kind = match &link.kind {
                SublinkKind::Exists => "exists".to_string(),
                SublinkKind::Scalar => "scalar".to_string(),
                SublinkKind::Array => "array".to_string(),
                SublinkKind::Any { test, operators } => {
                    format!("any[{}]({})", operators[0].function.name, list(test))
                }
                SublinkKind::All { test, operators } => {
                    format!("all[{}]({})", operators[0].function.name, list(test))
                }
            };
            let correlated = if link.correlated { "correlated " } else { "" };
            format!("{kind}{{{correlated}{}}}", query(&link.query))
        }
        ExprKind::Aggregate(call) => {
            let distinct = if call.distinct { "distinct " } else { "" };
            let filter = call.filter.as_ref().map(|f| format!(" if {}", expr(f)));
            let filter = filter.unwrap_or_default();
            let order: String = call
                .order_by
                .iter()
                .map(|item| format!(" by {}", expr(&item.expr)))
                .collect();
            format!(
                "agg:{}({distinct}{}{order}{filter})",
                call.function.name,
                list(&call.args)
            )
        }
    }
}

pub fn query(q: &Query) -> String {
    let mut out = match &q.body {
        Body::Select(body) => select(body),
        Body::Values(rows) => {
            let rows: Vec<String> = rows.iter().map(|row| format!("({})", list(row))).collect();
            format!("values {}", rows.join(" "))
        }
        Body::UnionAll(parts) => parts.iter().map(query).collect::<Vec<_>>().join(" + "),
        Body::SetOperation {
            operation, parts, ..
        } => format!("{} {operation:?} {}", query(&parts[0]), query(&parts[1])),
        Body::Recursive { parts, .. } => {
            format!("{} again {}", query(&parts[0]), query(&parts[1]))
        }
    };
    for key in &q.order_by {
        let descending = if key.descending { " desc" } else { "" };
        let nulls = if key.nulls_first != key.descending {
            " nulls-exchanged"
        } else {
            ""
        };
        out += &format!(" sort {}{descending}{nulls}", key.target);
    }
    out += &q
        .limit
        .as_ref()
        .map(|limit| format!(" limit {}", expr(limit)))
        .unwrap_or_default();
    out += &q
        .offset
        .as_ref()
        .map(|skip| format!(" offset {}", expr(skip)))
        .unwrap_or_default();
    out
}

fn select(s: &Select) -> String {
    let targets: Vec<String> = s
        .targets
        .iter()
        .map(|t| format!("{}{}", expr(&t.expr), if t.hidden { " hidden" } else { "" }))
        .collect();
    let mut out = format!(
        "select {}{}",
        if s.distinct { "distinct " } else { "" },
        targets.join(", ")
    );
    if let Some(tree) = &s.from {
        out += &format!(" from {}", from(tree, s));
    }
    out += &s
        .filter
        .as_ref()
        .map(|f| format!(" where {}", expr(f)))
        .unwrap_or_default();
    if !s.group_by.is_empty() {
        out += &format!(" group by {}", list(&s.group_by));
    }
    out += &s
        .having
        .as_ref()
        .map(|h| format!(" having {}", expr(h)))
        .unwrap_or_default();
    out
}

fn from(tree: &From, s: &Select) -> String {
    match tree {
        From::Entry(rel) => match &s.range[*rel].source {
            Source::Table(table) => format!("{rel}:{}", table.name),
            Source::Subquery {
                query: inner,
                barrier,
            } => {
                let barrier = if *barrier { "barrier " } else { "" };
                format!("{rel}:{{{barrier}{}}}", query(inner))
            }
            Source::Function(call) => format!("{rel}:{}", expr(call)),
            Source::Common { name, .. } | Source::WorkTable { name, .. } => format!("{rel}:{name}"),
        },
        From::Join {
            kind,
            left,
            right,
            on,
        } => {
            let kind = match kind {
                JoinKind::Inner => "join",
                JoinKind::Left => "left join",
                JoinKind::Full => "full join",
                JoinKind::Semi => "semi join",
                JoinKind::Anti => "anti join",
            };
            let on = on
                .as_ref()
                .map(|on| format!(" on {}", expr(on)))
                .unwrap_or_default();
            format!("({} {kind} {}{on})", from(left, s), from(right, s))
        }
    }
}
