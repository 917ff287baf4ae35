//! A plan on a few lines, for the report of a failing one.

use std::fmt::Write;

use crate::bind::{Expr, ExprKind, Notation};
use crate::plan::{Plan, PlanNode};

pub fn show(plan: &Plan) -> String {
    let mut out = String::new();
    node(&plan.root, 0, &mut out);
    for subplan in &plan.subplans {
        let _ = writeln!(out, "{:?}", subplan.kind);
        node(&subplan.root, 1, &mut out);
    }
    out
}

fn node(node: &PlanNode, depth: usize, out: &mut String) {
    let _ = write!(out, "{}{}", "  ".repeat(depth), node.kind.name());
    let mut detail = format!("{:?}", Kind(node));
    detail.truncate(400);
    let _ = write!(out, " {detail}");
    if let Some(filter) = &node.filter {
        let _ = write!(out, " filter {}", text(filter));
    }
    if let Some(targets) = &node.project {
        let _ = write!(out, " project [{}]", list(targets));
    }
    out.push('\n');
    node.children
        .iter()
        .for_each(|child| self::node(child, depth + 1, out));
}

struct Kind<'a>(&'a PlanNode);

impl std::fmt::Debug for Kind<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use crate::plan::NodeKind::*;
        match &self.0.kind {
            SeqScan(scan) => {
                write!(f, "{} {:?}", scan.alias, scan.columns)?;
                for key in &scan.keys {
                    match &key.test {
                        crate::plan::PlannedTest::Compare { column, op, value } => {
                            write!(f, " key {column} {op:?} {}", text(value))?;
                        }
                        other => write!(f, " key {other:?}")?,
                    }
                }
                Ok(())
            }
            FunctionScan { args, .. } => write!(f, "({})", list(args)),
            ValuesScan { rows, .. } => rows.iter().try_for_each(|row| write!(f, "({})", list(row))),
            Result { one_time_filter } => write!(f, "{:?}", one_time_filter.as_ref().map(text)),
            NestedLoop {
                kind,
                join_filter,
                params,
            } => {
                write!(
                    f,
                    "{kind:?} {params:?} {:?}",
                    join_filter.as_ref().map(text)
                )
            }
            HashJoin {
                kind,
                keys,
                join_filter,
            } => {
                write!(f, "{kind:?} {:?}", join_filter.as_ref().map(text))?;
                keys.iter()
                    .try_for_each(|key| write!(f, " {} = {}", text(&key.outer), text(&key.inner)))
            }
            Aggregate {
                strategy,
                groups,
                aggregates,
            } => {
                write!(f, "{strategy:?} by {}", list(groups))?;
                aggregates.iter().try_for_each(|call| {
                    let filter = call.filter.as_ref().map(text);
                    write!(
                        f,
                        " {}({}) {} {filter:?}",
                        call.function.name,
                        list(&call.args),
                        call.distinct
                    )
                })
            }
            Sort { keys, bound } => write!(
                f,
                "{keys:?} {:?}",
                bound.as_ref().map(|bound| text(&bound.limit))
            ),
            Limit { limit, offset } => {
                write!(
                    f,
                    "{:?} offset {:?}",
                    limit.as_ref().map(text),
                    offset.as_ref().map(text)
                )
            }
            Apply(apply) => {
                write!(f, "{} {:?}", apply.subplan, apply.guard.as_ref().map(text))?;
                match &apply.result {
                    crate::plan::ApplyResult::Value(kind) => write!(f, " {kind:?}")?,
                    crate::plan::ApplyResult::Quantified {
                        test,
                        operators,
                        all,
                    } => {
                        write!(f, " {} {} all {all}", list(test), operators[0].name)?;
                    }
                }
                apply
                    .params
                    .iter()
                    .try_for_each(|(param, value)| write!(f, " ${param} := {}", text(value)))
            }
            ProjectSet { targets } => targets.iter().try_for_each(|target| match target {
                crate::plan::SetTarget::Plain(expr) => write!(f, "{}, ", text(expr)),
                crate::plan::SetTarget::Set { args, .. } => write!(f, "series({}), ", list(args)),
            }),
            _ => Ok(()),
        }
    }
}

fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Const(value) => format!("{value:?}"),
        ExprKind::Slot(slot) => format!("#{slot}"),
        ExprKind::Param(param) => format!("${param}"),
        ExprKind::Call {
            notation: Notation::Operator(operator),
            args,
            ..
        } => {
            format!("({} {} {})", text(&args[0]), operator.name, text(&args[1]))
        }
        ExprKind::And(parts) => format!("AND({})", list(parts)),
        ExprKind::Or(parts) => format!("OR({})", list(parts)),
        ExprKind::Not(arg) => format!("NOT {}", text(arg)),
        ExprKind::NullTest { arg, negated } => format!("({} ISNULL {negated})", text(arg)),
        ExprKind::Case {
            arms, otherwise, ..
        } => format!(
            "CASE {} THEN {} ELSE {:?}",
            text(&arms[0].0),
            text(&arms[0].1),
            otherwise.as_ref().map(|otherwise| text(otherwise))
        ),
        other => format!("{other:?}"),
    }
}
