//! Outer joins that a condition above turns into inner ones (`reduce_outer_joins`).

use super::joins::rels_in;
use super::quals::{Qual, split};
use super::walk::Rels;
use crate::bind::{Expr, ExprKind, From, JoinKind};
use crate::value::BooleanTest;

/// A left join whose inner side must not be NULL for `conditions` to be true is an inner join; a full
/// join keeps the rows of the sides that may be.
pub(super) fn reduce(from: &mut From, conditions: &[Qual]) {
    let mut nonnull = Rels::default();
    for qual in conditions {
        nonnull = nonnull.union(&nonnullable(&qual.expr, true));
    }
    reduce_below(from, &nonnull);
}

fn reduce_below(from: &mut From, nonnull: &Rels) {
    let From::Join {
        kind,
        left,
        right,
        on,
    } = from
    else {
        return;
    };
    let (of_left, of_right) = (
        rels_in(left).overlaps(nonnull),
        rels_in(right).overlaps(nonnull),
    );
    *kind = match *kind {
        JoinKind::Left if of_right => JoinKind::Inner,
        JoinKind::Full if of_left && of_right => JoinKind::Inner,
        JoinKind::Full if of_left => JoinKind::Left,
        JoinKind::Full if of_right => {
            std::mem::swap(left, right);
            JoinKind::Left
        }
        kind => kind,
    };
    let mut own = Rels::default();
    if let Some(on) = on {
        let mut conjuncts = Vec::new();
        split(on.clone(), &mut conjuncts);
        for conjunct in &conjuncts {
            own = own.union(&nonnullable(conjunct, true));
        }
    }
    match kind {
        JoinKind::Inner | JoinKind::Semi => {
            let both = nonnull.union(&own);
            reduce_below(left, &both);
            reduce_below(right, &both);
        }
        // The join's own condition says something about rows of the inner side only.
        JoinKind::Left | JoinKind::Anti => {
            reduce_below(left, nonnull);
            reduce_below(right, &own);
        }
        JoinKind::Full => {
            reduce_below(left, &Rels::default());
            reduce_below(right, &Rels::default());
        }
    }
}

/// `find_nonnullable_rels`: entries for which an all-NULL row makes the expression NULL or, at the top
/// of a condition, not true.
pub(super) fn nonnullable(expr: &Expr, top: bool) -> Rels {
    let all = |args: &mut dyn Iterator<Item = &Expr>, top: bool| {
        args.fold(Rels::default(), |rels, arg| {
            rels.union(&nonnullable(arg, top))
        })
    };
    match &expr.kind {
        ExprKind::Var(var) if var.up == 0 => Rels::of(var.rel),
        ExprKind::Call { function, args, .. } | ExprKind::SqlCall { function, args, .. }
            if function.strict =>
        {
            all(&mut args.iter(), false)
        }
        ExprKind::And(args) if top => all(&mut args.iter(), true),
        // NULL AND false is false: only what is NULL in every arm makes the whole NULL; so for OR.
        ExprKind::And(args) | ExprKind::Or(args) => args
            .iter()
            .map(|arg| nonnullable(arg, top))
            .reduce(|a, b| Rels::of_all(a.iter().filter(|&rel| b.contains(rel))))
            .unwrap_or_default(),
        ExprKind::Not(arg) => nonnullable(arg, false),
        ExprKind::Cast { arg, .. } => nonnullable(arg, top),
        ExprKind::ScalarArray {
            operator,
            any,
            left,
            array,
        } if operator.function.strict => {
            // An empty array gives a value whatever stands on the left.
            let never_empty = super::cost::array_length(array) > 0.0
                && matches!(array.kind, ExprKind::Const(_) | ExprKind::Array(_));
            if never_empty || (*any && top) {
                nonnullable(left, false)
            } else {
                Rels::default()
            }
        }
        ExprKind::NullTest { arg, negated: true } if top => nonnullable(arg, false),
        ExprKind::BooleanTest {
            arg,
            test: BooleanTest::IsTrue | BooleanTest::IsFalse | BooleanTest::IsNotUnknown,
        } if top => nonnullable(arg, false),
        _ => Rels::default(),
    }
}
