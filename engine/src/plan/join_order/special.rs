//! Joins that are not free to move: which sides they need, and which pairs may be joined when.
//!
//! PostgreSQL's `SpecialJoinInfo`, `make_outerjoininfo` (`initsplan.c`) and `join_is_legal`
//! (`joinrels.c`). An outer join needs only the items its condition names on each side, as far as
//! moving it changes no row.

use super::set::ItemSet;
use crate::bind::JoinKind;

/// An outer, semi or anti join of the FROM clause.
#[derive(Clone, Debug)]
pub(super) struct SpecialJoin {
    pub kind: JoinKind,
    /// The sides as written.
    pub written_left: ItemSet,
    pub written_right: ItemSet,
    /// What must be there on each side before it can be done.
    pub left: ItemSet,
    pub right: ItemSet,
    /// Its condition is not true of a left side that is all NULL.
    pub strict_for_left: bool,
    /// A condition above it, below another outer join, looks at its nullable side.
    pub delays_upper: bool,
}

/// What [`SpecialJoin::new`] looks at besides the joins below.
pub(super) struct Written {
    pub kind: JoinKind,
    pub left: ItemSet,
    pub right: ItemSet,
    /// Items that are inner-joined on either side.
    pub inner_joined: ItemSet,
    /// Items the condition names.
    pub named: ItemSet,
    /// Items whose all-NULL row makes the condition not true.
    pub strict: ItemSet,
}

/// How a pair of sets may be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Legal {
    Inner,
    /// By this special join; `reversed`: its left side is the second set.
    Special {
        join: usize,
        reversed: bool,
    },
}

impl SpecialJoin {
    /// `below` are the special joins of both sides.
    pub fn new(written: Written, below: &[SpecialJoin]) -> SpecialJoin {
        let Written {
            kind,
            left: written_left,
            right: written_right,
            inner_joined,
            named,
            strict,
        } = written;
        let mut join = SpecialJoin {
            kind,
            written_left,
            written_right,
            left: written_left,
            right: written_right,
            strict_for_left: strict.overlaps(written_left),
            delays_upper: false,
        };
        if is_full(kind) {
            join.strict_for_left = false;
            return join;
        }
        let mut left = named.intersection(written_left);
        let mut right = named.union(inner_joined).intersection(written_right);
        let keeps_order = keeps_order(kind);
        for other in below {
            let whole = other.written_left.union(other.written_right);
            if is_full(other.kind) {
                // Nothing moves into a full join, or out of it.
                if written_left.overlaps(whole) {
                    left = left.union(whole);
                }
                if written_right.overlaps(whole) {
                    right = right.union(whole);
                }
                continue;
            }
            let names_nullable = named.overlaps(other.written_right);
            if written_left.overlaps(other.written_right)
                && names_nullable
                && (keeps_order || !strict.overlaps(other.right))
            {
                left = left.union(whole);
            }
            if written_right.overlaps(other.written_right)
                && (names_nullable
                    || !named.overlaps(other.left)
                    || keeps_order
                    || self::keeps_order(other.kind)
                    || !other.strict_for_left
                    || other.delays_upper)
            {
                right = right.union(whole);
            }
        }
        if !left.is_empty() {
            join.left = left;
        }
        if !right.is_empty() {
            join.right = right;
        }
        join
    }

    pub fn both(&self) -> ItemSet {
        self.left.union(self.right)
    }
}

/// `check_outerjoin_delay`: what a condition over `named` items must wait for. True: it waits for more
/// than it names.
pub(super) fn delay(named: &mut ItemSet, joins: &mut [SpecialJoin], pushed_down: bool) -> bool {
    let mut delayed = false;
    loop {
        let mut grown = false;
        for join in &mut *joins {
            let nullable =
                named.overlaps(join.right) || is_full(join.kind) && named.overlaps(join.left);
            if !nullable {
                continue;
            }
            if !join.both().is_subset(*named) {
                *named = named.union(join.both());
                (delayed, grown) = (true, true);
            }
            if pushed_down && !is_full(join.kind) && named.overlaps(join.left) {
                join.delays_upper = true;
            }
        }
        if !grown {
            return delayed;
        }
    }
}

/// `join_is_legal`. `None`: the pair cannot be joined now.
pub(super) fn legal(joins: &[SpecialJoin], a: ItemSet, b: ItemSet) -> Option<Legal> {
    let both = a.union(b);
    let mut found = None;
    let mut must_be_left = false;
    for (number, join) in joins.iter().enumerate() {
        if is_full(join.kind) && !respects_full(join, a, b) {
            return None;
        }
        let irrelevant = !join.right.overlaps(both)
            || both.is_subset(join.right)
            || join.both().is_subset(a)
            || join.both().is_subset(b);
        if irrelevant {
            continue;
        }
        let straight = join.left.is_subset(a) && join.right.is_subset(b);
        let reversed = join.left.is_subset(b) && join.right.is_subset(a);
        if straight || reversed {
            if found.is_some() {
                return None;
            }
            found = Some((number, reversed));
            continue;
        }
        // Its right side was joined with something else before, which was found to be allowed.
        if a.overlaps(join.right) && b.overlaps(join.right) {
            continue;
        }
        // A left join may be moved into the right side of another one.
        if join.kind != JoinKind::Left || both.overlaps(join.left) {
            return None;
        }
        must_be_left = true;
    }
    let moves = found.is_some_and(|(number, _)| {
        joins[number].kind == JoinKind::Left && joins[number].strict_for_left
    });
    if must_be_left && !moves {
        return None;
    }
    Some(match found {
        None => Legal::Inner,
        Some((join, reversed)) => Legal::Special { join, reversed },
    })
}

/// A full join joins its two sides whole, and nothing of it is joined with anything else before.
fn respects_full(join: &SpecialJoin, a: ItemSet, b: ItemSet) -> bool {
    let both = a.union(b);
    let whole = join.both();
    if !both.overlaps(whole) || both.is_subset(join.left) || both.is_subset(join.right) {
        return true;
    }
    let exactly = |l: ItemSet, r: ItemSet| l == join.left && r == join.right;
    whole.is_subset(a) || whole.is_subset(b) || exactly(a, b) || exactly(b, a)
}

/// True if joining the two sets helps a special join along, whether or not a condition connects them
/// (`have_join_order_restriction`).
pub(super) fn is_needed(joins: &[SpecialJoin], a: ItemSet, b: ItemSet) -> bool {
    joins.iter().any(|join| {
        let done = join.both().is_subset(a) || join.both().is_subset(b);
        let completes = join.left.is_subset(a) && join.right.is_subset(b)
            || join.left.is_subset(b) && join.right.is_subset(a);
        let within = |side: ItemSet| a.overlaps(side) && b.overlaps(side);
        !done && (completes || within(join.right) || within(join.left))
    })
}

/// True if a special join names the set, so that it cannot be joined with just anything.
pub(super) fn is_restricted(joins: &[SpecialJoin], set: ItemSet) -> bool {
    joins
        .iter()
        .any(|join| set.overlaps(join.both()) && !join.both().is_subset(set))
}

fn is_full(kind: JoinKind) -> bool {
    kind == JoinKind::Full
}

/// Semi and anti joins keep their place among others.
fn keeps_order(kind: JoinKind) -> bool {
    matches!(kind, JoinKind::Semi | JoinKind::Anti)
}
