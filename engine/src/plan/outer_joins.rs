//! Outer joins that a condition above turns into inner or anti joins (`reduce_outer_joins` in
//! `prepjointree.c`).

use super::from::Level;
use super::joins::rels_in;
use super::planner::Planner;
use super::quals::{Qual, VarSet, split};
use super::subplans::PendingResult;
use super::walk::{Rels, each_mut, each_outer_var, each_var};
use crate::bind::{Expr, ExprKind, From, JoinKind, Select, Source, Var};
use crate::error::Result;
use crate::value::{BooleanTest, Datum};

/// What the conditions above a join come to, for rows that pass them.
#[derive(Clone, Default)]
struct Known {
    /// Entries that are not all NULL.
    nonnull: Rels,
    /// Columns that are NULL.
    null: VarSet,
}

impl Known {
    fn of<'a>(conditions: impl Iterator<Item = &'a Expr>) -> Self {
        let mut known = Known::default();
        for condition in conditions {
            known.nonnull = known.nonnull.union(&nonnullable(condition, true));
            known.null.extend(null_column(condition));
        }
        known
    }

    fn and(&self, other: &Known) -> Known {
        Known {
            nonnull: self.nonnull.union(&other.nonnull),
            null: self.null.union(&other.null).copied().collect(),
        }
    }
}

impl Planner<'_> {
    /// Outer joins that the conditions make inner or anti joins; NULL for the columns that an anti join
    /// no longer gives.
    pub fn reduce_outer_joins(
        &mut self,
        level: &Level,
        select: &mut Select,
        conditions: &mut Vec<Qual>,
        mut having: Vec<Expr>,
        with_tid: bool,
    ) -> Result<Vec<Expr>> {
        let Some(from) = &mut select.from else {
            return Ok(having);
        };
        // Columns that stand elsewhere than in the conditions and targets at hand stay.
        let mut kept = Rels::default();
        if with_tid {
            kept.insert(0);
        }
        for entry in &level.range {
            let mut insert = |var: Var, _: &Expr| kept.insert(var.rel);
            match &entry.source {
                Source::Subquery { query, .. } => each_outer_var(query, &mut insert),
                Source::Function(call) => each_var(call, &mut insert),
                Source::Table(_) | Source::Common { .. } | Source::WorkTable { .. } => {}
            }
        }
        for group in &select.group_by {
            self.each_needed_var(group, &mut |var, _| kept.insert(var.rel));
        }
        for pending in self.pending.values() {
            for reference in &pending.references {
                each_var(&reference.column, &mut |var, _| kept.insert(var.rel));
            }
            if let PendingResult::Quantified { test, .. } = &pending.result {
                for test in test {
                    each_var(test, &mut |var, _| kept.insert(var.rel));
                }
            }
        }
        let vanished = reduce(from, conditions, &kept);
        if vanished.is_empty() {
            return Ok(having);
        }
        put_nulls(from, &vanished);
        let is_known = |qual: &Qual| {
            let column = null_column(&qual.expr);
            column.is_some_and(|(rel, _)| vanished.contains(rel))
        };
        conditions.retain(|qual| !is_known(qual));
        for qual in conditions {
            if qual.rels.overlaps(&vanished) {
                let mut expr = qual.expr.clone();
                put_nulls_in(&mut expr, &vanished);
                let folded = self.fold(expr)?;
                *qual = self.qual(folded);
            }
        }
        let targets = select.targets.iter_mut().map(|target| &mut target.expr);
        targets
            .chain(&mut having)
            .for_each(|expr| put_nulls_in(expr, &vanished));
        Ok(having)
    }
}

/// A left join whose inner side must not be NULL for `conditions` to be true is an inner join; a full
/// join keeps the rows of the sides that may be. A left join of whose inner side only NULLs pass is an
/// anti join, unless entries in `kept` are on that side.
///
/// Answers the entries on the inner sides of the new anti joins: their columns are all NULL above.
fn reduce(from: &mut From, conditions: &[Qual], kept: &Rels) -> Rels {
    let known = Known::of(conditions.iter().map(|qual| &qual.expr));
    let mut vanished = Rels::default();
    reduce_below(from, &known, kept, &mut vanished);
    vanished
}

fn reduce_below(from: &mut From, known: &Known, kept: &Rels, vanished: &mut Rels) {
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
        rels_in(left).overlaps(&known.nonnull),
        rels_in(right).overlaps(&known.nonnull),
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
    let mut conjuncts = Vec::new();
    if let Some(on) = on {
        split(on.clone(), &mut conjuncts);
    }
    if *kind == JoinKind::Left {
        let mut matched = VarSet::new();
        for conjunct in &conjuncts {
            matched.extend(nonnullable_columns(conjunct, true));
        }
        let inner = rels_in(right);
        let no_match = (known.null.intersection(&matched)).any(|&(rel, _)| inner.contains(rel));
        if no_match && !inner.overlaps(kept) {
            *kind = JoinKind::Anti;
            *vanished = vanished.union(&inner);
        }
    }
    let own = Known::of(conjuncts.iter());
    let nothing = Known::default();
    let (for_left, for_right) = match kind {
        JoinKind::Inner | JoinKind::Semi => {
            let both = known.and(&own);
            (both.clone(), both)
        }
        // The join's own condition says something about rows of the inner side only.
        JoinKind::Left | JoinKind::Anti => (known.clone(), own),
        JoinKind::Full => (nothing.clone(), nothing),
    };
    reduce_below(left, &for_left, kept, vanished);
    reduce_below(right, &for_right, kept, vanished);
}

/// Puts NULL where columns of `vanished` entries stand in conditions above their anti joins.
fn put_nulls(from: &mut From, vanished: &Rels) {
    let From::Join {
        kind,
        left,
        right,
        on,
    } = from
    else {
        return;
    };
    put_nulls(left, vanished);
    if *kind == JoinKind::Anti && rels_in(right).overlaps(vanished) {
        return;
    }
    put_nulls(right, vanished);
    if let Some(on) = on {
        put_nulls_in(on, vanished);
    }
}

fn put_nulls_in(expr: &mut Expr, vanished: &Rels) {
    each_mut(expr, 0, &mut |part, depth| {
        if let ExprKind::Var(var) = &part.kind
            && var.up == depth
            && vanished.contains(var.rel)
        {
            part.kind = ExprKind::Const(Datum::Null);
        }
    });
}

/// `find_forced_null_var`
fn null_column(condition: &Expr) -> Option<(usize, usize)> {
    match &condition.kind {
        ExprKind::NullTest {
            arg,
            negated: false,
        } => match arg.kind {
            ExprKind::Var(Var { rel, column, up: 0 }) => Some((rel, column)),
            _ => None,
        },
        _ => None,
    }
}

/// `find_nonnullable_rels`: entries for which an all-NULL row makes the expression NULL or, at the top
/// of a condition, not true.
pub(super) fn nonnullable(expr: &Expr, top: bool) -> Rels {
    let found = find(expr, top, &|var| (var.rel, 0));
    Rels::of_all(found.into_iter().map(|(rel, _)| rel))
}

/// `find_nonnullable_vars`: columns whose NULL does.
fn nonnullable_columns(expr: &Expr, top: bool) -> VarSet {
    find(expr, top, &|var| (var.rel, var.column))
}

/// What stands for the columns whose NULL makes the expression NULL or, at the top, not true.
fn find(expr: &Expr, top: bool, what: &dyn Fn(Var) -> (usize, usize)) -> VarSet {
    let all = |args: &mut dyn Iterator<Item = &Expr>, top: bool| {
        args.fold(VarSet::new(), |mut found, arg| {
            found.extend(find(arg, top, what));
            found
        })
    };
    match &expr.kind {
        ExprKind::Var(var) if var.up == 0 => std::iter::once(what(*var)).collect(),
        ExprKind::Call { function, args, .. } | ExprKind::SqlCall { function, args, .. }
            if function.strict =>
        {
            all(&mut args.iter(), false)
        }
        ExprKind::And(args) if top => all(&mut args.iter(), true),
        // NULL AND false is false: only what is NULL in every arm makes the whole NULL; so for OR.
        ExprKind::And(args) | ExprKind::Or(args) => args
            .iter()
            .map(|arg| find(arg, top, what))
            .reduce(|a, b| a.intersection(&b).copied().collect())
            .unwrap_or_default(),
        ExprKind::Not(arg) => find(arg, false, what),
        ExprKind::Cast { arg, .. } => find(arg, top, what),
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
                find(left, false, what)
            } else {
                VarSet::new()
            }
        }
        ExprKind::NullTest { arg, negated: true } if top => find(arg, false, what),
        ExprKind::BooleanTest {
            arg,
            test: BooleanTest::IsTrue | BooleanTest::IsFalse | BooleanTest::IsNotUnknown,
        } if top => find(arg, false, what),
        _ => VarSet::new(),
    }
}
