//! Conditions in the form that splits best (`canonicalize_qual`): what all arms of an OR share is
//! taken out of it, and at the top of a condition NULL is as good as false.

use crate::bind::same::same;
use crate::bind::{Expr, ExprKind};
use crate::value::{Datum, Type};

/// The condition in another form, true for the same rows.
pub(super) fn canonical(condition: Expr) -> Expr {
    let Expr {
        kind,
        ty,
        typmod,
        position,
    } = condition;
    match kind {
        ExprKind::And(args) => {
            let mut kept = Vec::with_capacity(args.len());
            for arg in args {
                let arg = canonical(arg);
                match arg.kind {
                    ExprKind::Const(Datum::Bool(true)) => {}
                    ExprKind::Const(_) => return boolean(false),
                    ExprKind::And(inner) => kept.extend(inner),
                    _ => kept.push(arg),
                }
            }
            joined(kept, ExprKind::And, true)
        }
        ExprKind::Or(args) => {
            let mut arms = Vec::with_capacity(args.len());
            for arg in args {
                let arg = canonical(arg);
                match arg.kind {
                    ExprKind::Const(Datum::Bool(true)) => return arg,
                    ExprKind::Const(_) => {}
                    ExprKind::Or(inner) => arms.extend(inner),
                    _ => arms.push(arg),
                }
            }
            factored(arms)
        }
        kind => Expr {
            kind,
            ty,
            typmod,
            position,
        },
    }
}

/// `process_duplicate_ors`: `(a AND b) OR (a AND c)` is `a AND (b OR c)`.
fn factored(arms: Vec<Expr>) -> Expr {
    let terms = |arm: Expr| match arm.kind {
        ExprKind::And(terms) => terms,
        _ => vec![arm],
    };
    let mut arms: Vec<Vec<Expr>> = arms.into_iter().map(terms).collect();
    let Some(shortest) = arms.iter().min_by_key(|arm| arm.len()) else {
        return boolean(false);
    };
    let mut shared: Vec<Expr> = Vec::new();
    for term in shortest {
        let in_all = arms
            .iter()
            .all(|arm| arm.iter().any(|other| same(term, other)));
        if in_all && !shared.iter().any(|known| same(known, term)) {
            shared.push(term.clone());
        }
    }
    if shared.is_empty() {
        return joined(
            arms.into_iter()
                .map(|arm| joined(arm, ExprKind::And, true))
                .collect(),
            ExprKind::Or,
            false,
        );
    }
    for arm in &mut arms {
        arm.retain(|term| !shared.iter().any(|known| same(known, term)));
    }
    // An arm that says no more than what is shared makes the rest of the OR redundant.
    if !arms.iter().any(Vec::is_empty) {
        let rest = arms
            .into_iter()
            .map(|arm| joined(arm, ExprKind::And, true))
            .collect();
        shared.push(joined(rest, ExprKind::Or, false));
    }
    joined(shared, ExprKind::And, true)
}

fn joined(mut parts: Vec<Expr>, kind: fn(Vec<Expr>) -> ExprKind, empty: bool) -> Expr {
    match parts.len() {
        0 => boolean(empty),
        1 => parts.swap_remove(0),
        _ => Expr::new(kind(parts), Type::BOOL),
    }
}

fn boolean(value: bool) -> Expr {
    Expr::constant(Datum::Bool(value), Type::BOOL)
}
