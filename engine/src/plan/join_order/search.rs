//! The order of joins: all of them weighed by dynamic programming over subsets (`joinrels.c`), or the
//! next best join taken each time where there are too many.

use std::collections::HashMap;

use super::method::{
    Conditions, Discouraged, FirstMatch, Method, Rescan, Side, hash_join, kept, merge_join,
    nested_loop,
};
use super::problem::Problem;
use super::set::ItemSet;
use super::special::{Legal, is_needed, is_restricted, legal};
use crate::bind::{Expr, ExprKind, JoinKind};
use crate::plan::cost::{Cost, Prices, clamp_rows};
use crate::plan::join_type::JoinType;
use crate::plan::node::Estimate;
use crate::plan::selectivity::{JoinSelectivity, Statistics};

/// The best plan for a set of items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub items: ItemSet,
    pub estimate: Estimate,
    pub step: Step,
    rescan: Rescan,
    /// Items that must set parameters for it (LATERAL).
    lateral: ItemSet,
}

/// How its rows are made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Item(usize),
    /// Sub-paths by their numbers.
    Join(Joining),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Joining {
    pub outer: usize,
    pub inner: usize,
    pub kind: JoinType,
    pub method: Method,
}

/// What an item is before anything is joined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    pub estimate: Estimate,
    pub rescan: Rescan,
    pub lateral: ItemSet,
}

pub(super) struct Search<'s> {
    problem: &'s Problem,
    statistics: Statistics<'s>,
    prices: Prices,
    discouraged: Discouraged,
    pub paths: Vec<Path>,
    /// Rows of each set that was looked at.
    rows: HashMap<ItemSet, f64>,
}

impl<'s> Search<'s> {
    pub fn new(
        problem: &'s Problem,
        statistics: Statistics<'s>,
        prices: Prices,
        discouraged: Discouraged,
        bases: &[Base],
    ) -> Self {
        let paths = bases.iter().enumerate().map(|(item, base)| Path {
            items: ItemSet::of(item),
            estimate: base.estimate,
            step: Step::Item(item),
            rescan: base.rescan,
            lateral: base.lateral,
        });
        Search {
            problem,
            statistics,
            prices,
            discouraged,
            paths: paths.collect(),
            rows: HashMap::new(),
        }
    }

    /// The number of the best path for all items. `None`: there is none, which cannot be.
    pub fn best(&mut self, exhaustive_to: usize) -> Option<usize> {
        let items = self.paths.len();
        if items <= exhaustive_to.min(16) {
            self.exhaustive(items, false)
                .or_else(|| self.exhaustive(items, true))
        } else {
            self.greedy()
        }
    }

    /// Every set is split every way. `unconnected`: sets without a condition in common are joined too.
    fn exhaustive(&mut self, items: usize, unconnected: bool) -> Option<usize> {
        let mut table: Vec<Option<usize>> = vec![None; 1 << items];
        for item in 0..items {
            table[1 << item] = Some(item);
        }
        for whole in 1u64..1 << items {
            if whole.count_ones() < 2 {
                continue;
            }
            let mut best: Option<Path> = None;
            // Each split once: the part with the lowest item first.
            let lowest = whole & whole.wrapping_neg();
            let rest = whole ^ lowest;
            let mut with = rest;
            loop {
                with = with.wrapping_sub(1) & rest;
                let (a, b) = (lowest | with, rest ^ with);
                if let (Some(a), Some(b)) = (table[a as usize], table[b as usize])
                    && (unconnected || self.is_worth_joining(a, b))
                    && let Some(path) = self.join(a, b)
                    && best.is_none_or(|known| is_better(&path, &known))
                {
                    best = Some(path);
                }
                if with == 0 {
                    break;
                }
            }
            if let Some(path) = best {
                table[whole as usize] = Some(self.paths.len());
                self.paths.push(path);
            }
        }
        table[(1 << items) - 1]
    }

    /// The pair that leaves the fewest rows is joined next.
    fn greedy(&mut self) -> Option<usize> {
        let mut left: Vec<usize> = (0..self.paths.len()).collect();
        let mut candidates: HashMap<(usize, usize), Option<(bool, Path)>> = HashMap::new();
        while left.len() > 1 {
            let mut best: Option<(bool, Path)> = None;
            for (i, &a) in left.iter().enumerate() {
                for &b in &left[i + 1..] {
                    let found = match candidates.get(&(a, b)) {
                        Some(known) => *known,
                        None => {
                            let path = self.join(a, b);
                            let found = path.map(|path| (self.is_worth_joining(a, b), path));
                            candidates.insert((a, b), found);
                            found
                        }
                    };
                    let Some((connected, path)) = found else {
                        continue;
                    };
                    let better = best.is_none_or(|(known_connected, known)| {
                        let (new, old) = (path.estimate, known.estimate);
                        let order = new.rows.total_cmp(&old.rows);
                        let order = order.then(new.total_cost.total_cmp(&old.total_cost));
                        connected & !known_connected
                            || connected == known_connected && order.is_lt()
                    });
                    if better {
                        best = Some((connected, path));
                    }
                }
            }
            let (_, path) = best?;
            if let Step::Join(Joining { outer, inner, .. }) = path.step {
                left.retain(|&number| number != outer && number != inner);
            }
            left.push(self.paths.len());
            self.paths.push(path);
        }
        left.pop()
    }

    /// A pair is joined if a condition connects it, a special join needs it, LATERAL does, or nothing
    /// connects one of the two with anything.
    fn is_worth_joining(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.paths[a], &self.paths[b]);
        let clauses = &self.problem.clauses;
        let connected = clauses
            .iter()
            .any(|clause| clause.required.overlaps(a.items) && clause.required.overlaps(b.items));
        let alone = |path: &Path| {
            matches!(path.step, Step::Item(_))
                && path.lateral.is_empty()
                && !clauses
                    .iter()
                    .any(|clause| clause.required.overlaps(path.items))
                && !is_restricted(&self.problem.specials, path.items)
        };
        connected
            || a.lateral.overlaps(b.items)
            || b.lateral.overlaps(a.items)
            || is_needed(&self.problem.specials, a.items, b.items)
            || alone(a)
            || alone(b)
    }

    /// The best way to join two sets, if they can be joined.
    pub fn join(&mut self, a: usize, b: usize) -> Option<Path> {
        let (left, right) = (self.paths[a].items, self.paths[b].items);
        let how = legal(&self.problem.specials, left, right)?;
        let (kind, reversed) = match how {
            Legal::Inner => (JoinKind::Inner, false),
            Legal::Special { join, reversed } => (self.problem.specials[join].kind, reversed),
        };
        let (left, right) = if reversed { (b, a) } else { (a, b) };
        let clauses = {
            let (left, right) = (self.paths[left].items, self.paths[right].items);
            clauses_of(self.problem, left, right)
        };
        let (l, r) = (self.paths[left], self.paths[right]);
        let rows = self.rows_of(&l, &r, kind, &clauses);
        let mut best: Option<Path> = None;
        let (straight, turned) = match kind {
            JoinKind::Inner => (JoinType::Inner, JoinType::Inner),
            JoinKind::Left => (JoinType::Left, JoinType::Right),
            JoinKind::Full => (JoinType::Full, JoinType::Full),
            JoinKind::Semi => (JoinType::Semi, JoinType::RightSemi),
            JoinKind::Anti => (JoinType::Anti, JoinType::RightAnti),
        };
        for (outer, inner, kind) in [(left, right, straight), (right, left, turned)] {
            for path in self.ways(outer, inner, kind, rows, &clauses) {
                if path.is_some_and(|path| best.is_none_or(|known| is_better(&path, &known))) {
                    best = path;
                }
            }
        }
        best
    }

    fn ways(
        &self,
        outer: usize,
        inner: usize,
        kind: JoinType,
        rows: f64,
        clauses: &[usize],
    ) -> [Option<Path>; 4] {
        let (o, i) = (self.paths[outer], self.paths[inner]);
        let items = o.items.union(i.items);
        // The outer side runs first; what it needs must come from further out.
        if o.lateral.overlaps(i.items) {
            return [None; 4];
        }
        let depends = i.lateral.overlaps(o.items);
        let lateral = o.lateral.union(i.lateral).difference(items);
        let conditions = self.conditions(&o, &i, kind, clauses);
        let (outer_side, inner_side) = (o.side(), i.side());
        let path = |mut estimate: Estimate, method| {
            estimate.rows = rows;
            let again = match method {
                Method::Hash if lateral.is_empty() => Rescan {
                    startup: 0.0,
                    total: estimate.total_cost - estimate.startup_cost,
                    kept: false,
                },
                // A side that depends on what is outside must be run again whole.
                _ => Rescan::of(&estimate),
            };
            Path {
                items,
                estimate,
                step: Step::Join(Joining {
                    outer,
                    inner,
                    kind,
                    method,
                }),
                rescan: again,
                lateral,
            }
        };
        let (prices, discouraged) = (&self.prices, &self.discouraged);
        let has_keys = conditions.keys > 0 && !depends;
        let hashes = has_keys || kind == JoinType::Full && self.is_plain_full(clauses);
        let hashed = hashes.then(|| {
            let estimate = hash_join(
                prices,
                &outer_side,
                &inner_side,
                &conditions,
                discouraged.hash,
            );
            path(estimate, Method::Hash)
        });
        let merges = has_keys && !matches!(kind, JoinType::RightSemi | JoinType::RightAnti);
        let merged = merges.then(|| {
            let estimate = merge_join(prices, &outer_side, &inner_side, &conditions, discouraged);
            path(estimate, Method::Merge)
        });
        let loops = matches!(
            kind,
            JoinType::Inner | JoinType::Left | JoinType::Semi | JoinType::Anti
        );
        let looped = loops.then(|| {
            let cost = discouraged.nested_loop;
            let estimate = nested_loop(prices, &outer_side, &inner_side, &conditions, cost);
            path(estimate, Method::Loop { keep: false })
        });
        let keeps = loops
            && !depends
            && i.lateral.is_empty()
            && !inner_side.rescan.kept
            && !discouraged.material;
        let with_kept = keeps.then(|| {
            let inner_side = kept(prices, &inner_side);
            let cost = discouraged.nested_loop;
            let estimate = nested_loop(prices, &outer_side, &inner_side, &conditions, cost);
            path(estimate, Method::Loop { keep: true })
        });
        [hashed, looped, with_kept, merged]
    }

    /// A full join without keys has one bucket, if it has no condition but constants.
    fn is_plain_full(&self, clauses: &[usize]) -> bool {
        clauses.iter().all(|&number| {
            let clause = &self.problem.clauses[number];
            clause.pushed_down || matches!(clause.expr.kind, ExprKind::Const(_))
        })
    }

    /// `calc_joinrel_size_estimate`, when the set is seen first.
    fn rows_of(&mut self, outer: &Path, inner: &Path, kind: JoinKind, clauses: &[usize]) -> f64 {
        let items = outer.items.union(inner.items);
        if let Some(&rows) = self.rows.get(&items) {
            return rows;
        }
        let (o, i) = (outer.estimate.rows, inner.estimate.rows);
        let of = |own: bool| -> Vec<&Expr> {
            let clauses = clauses.iter().map(|&number| &self.problem.clauses[number]);
            clauses
                .filter(|clause| (kind == JoinKind::Semi || !clause.pushed_down) == own)
                .map(|clause| &clause.expr)
                .collect()
        };
        let is_inner = self.is_in(inner.items);
        let mode = match kind {
            JoinKind::Semi | JoinKind::Anti => JoinSelectivity::Matched {
                inner_rows: i,
                is_inner: &is_inner,
            },
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => JoinSelectivity::Pairs,
        };
        let own = self.statistics.of_join(of(true), mode);
        let above = self.statistics.of_join(of(false), JoinSelectivity::Pairs);
        let rows = match kind {
            JoinKind::Inner => o * i * own * above,
            JoinKind::Left => (o * i * own).max(o) * above,
            JoinKind::Full => (o * i * own).max(o).max(i) * above,
            JoinKind::Semi => o * own * above,
            JoinKind::Anti => o * (1.0 - own) * above,
        };
        let rows = clamp_rows(rows);
        self.rows.insert(items, rows);
        rows
    }

    /// True of the range-table entries of a set of items.
    fn is_in(&self, items: ItemSet) -> impl Fn(usize) -> bool + 's {
        let problem = self.problem;
        move |rel| {
            let item = problem.items.iter().position(|&known| known == rel);
            item.is_some_and(|item| ItemSet::of(item).is_subset(items))
        }
    }

    fn conditions(
        &self,
        outer: &Path,
        inner: &Path,
        kind: JoinType,
        clauses: &[usize],
    ) -> Conditions {
        let mut conditions = Conditions {
            keys: 0,
            key_cost: Cost::default(),
            other_cost: Cost::default(),
            key_share: 1.0,
            bucket: 1.0,
            first_match: None,
        };
        for &number in clauses {
            let clause = &self.problem.clauses[number];
            let is_key = clause.joins(outer.items, inner.items) && kind.tests(clause.pushed_down);
            if !is_key {
                conditions.other_cost = conditions.other_cost + clause.cost;
                continue;
            }
            conditions.keys += 1;
            conditions.key_cost = conditions.key_cost + clause.cost;
            conditions.key_share *= clause.selectivity;
            let inner_is_left = clause
                .equality
                .as_ref()
                .is_some_and(|equality| equality.left.is_subset(inner.items));
            if let Some(key) = operand(&clause.expr, inner_is_left) {
                let share = self.statistics.bucket_share(key, inner.estimate.rows);
                conditions.bucket = conditions.bucket.min(share);
            }
        }
        if matches!(kind, JoinType::Semi | JoinType::Anti) {
            conditions.first_match = Some(self.first_match(outer, inner, kind, clauses));
        }
        conditions
    }

    /// `compute_semi_anti_join_factors`
    fn first_match(
        &self,
        outer: &Path,
        inner: &Path,
        kind: JoinType,
        clauses: &[usize],
    ) -> FirstMatch {
        let own = |number: &&usize| kind.tests(self.problem.clauses[**number].pushed_down);
        let exprs = || {
            let own = clauses.iter().filter(own);
            own.map(|&number| &self.problem.clauses[number].expr)
        };
        let is_inner = self.is_in(inner.items);
        let matched = self.statistics.of_join(
            exprs(),
            JoinSelectivity::Matched {
                inner_rows: inner.estimate.rows,
                is_inner: &is_inner,
            },
        );
        let pairs = self.statistics.of_join(exprs(), JoinSelectivity::Pairs);
        debug_assert!(!outer.items.overlaps(inner.items));
        let matches = match matched > 0.0 {
            true => (pairs * inner.estimate.rows / matched).max(1.0),
            false => 1.0,
        };
        FirstMatch {
            matched,
            matches,
            anti: kind == JoinType::Anti,
        }
    }
}

impl JoinType {
    /// The join itself tests the condition, to tell which rows match; others filter its rows.
    pub(super) fn tests(self, pushed_down: bool) -> bool {
        !pushed_down || matches!(self, JoinType::Inner | JoinType::Semi | JoinType::RightSemi)
    }
}

/// The conditions tested by the join of two sets, one of each class.
pub(super) fn clauses_of(problem: &Problem, a: ItemSet, b: ItemSet) -> Vec<usize> {
    let Problem {
        clauses, specials, ..
    } = problem;
    let mut found: Vec<usize> = Vec::new();
    for (number, clause) in clauses.iter().enumerate() {
        // A semi join that is done gives no columns of its right side.
        let hidden = |&special: &usize| {
            let both = specials[special].both();
            both.is_subset(a) || both.is_subset(b)
        };
        if !clause.belongs_to(a, b) || clause.hidden_after.iter().any(hidden) {
            continue;
        }
        let known = |&other: &usize| clauses[other].class == clause.class;
        if clause.class.is_none() || !found.iter().any(known) {
            found.push(number);
        }
    }
    found
}

fn operand(expr: &Expr, left: bool) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call { args, .. } => args.get(usize::from(!left)),
        _ => None,
    }
}

/// Cheaper by more than a rounding error.
fn is_better(path: &Path, known: &Path) -> bool {
    path.estimate.total_cost < known.estimate.total_cost * (1.0 - 1.0e-10)
}

impl Rescan {
    /// Running it again costs what running it cost.
    pub fn of(estimate: &Estimate) -> Rescan {
        Rescan {
            startup: estimate.startup_cost,
            total: estimate.total_cost,
            kept: false,
        }
    }
}

impl Path {
    fn side(&self) -> Side {
        Side {
            estimate: self.estimate,
            rescan: self.rescan,
        }
    }
}
