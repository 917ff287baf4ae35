//! What joining two sets costs, one way or another (`costsize.c`).

use crate::plan::cost::{Cost, DISABLE_COST, Prices, clamp_rows};
use crate::plan::node::Estimate;
use crate::settings::{Name, Settings};

/// How a join is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) enum Method {
    Hash,
    /// Both sides sorted.
    Merge,
    /// `keep`: the inner rows are kept for the outer rows after the first.
    Loop {
        keep: bool,
    },
}

/// Which of the settings discourage a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discouraged {
    pub hash: f64,
    pub merge: f64,
    pub sort: f64,
    pub nested_loop: f64,
    pub material: bool,
}

impl Discouraged {
    pub fn of(settings: &Settings) -> Self {
        let cost = |name| {
            if settings.flag(name) {
                0.0
            } else {
                DISABLE_COST
            }
        };
        Discouraged {
            hash: cost(Name::EnableHashjoin),
            merge: cost(Name::EnableMergejoin),
            sort: cost(Name::EnableSort),
            nested_loop: cost(Name::EnableNestloop),
            material: !settings.flag(Name::EnableMaterial),
        }
    }
}

/// A side of a join.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub estimate: Estimate,
    /// What running it once more costs.
    pub rescan: Rescan,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Rescan {
    pub startup: f64,
    pub total: f64,
    /// Its rows are kept by itself.
    pub kept: bool,
}

/// What the conditions of a join come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    pub keys: usize,
    pub key_cost: Cost,
    /// All conditions but the keys.
    pub other_cost: Cost,
    /// The share of pairs whose keys are equal.
    pub key_share: f64,
    /// The share of the inner rows in a bucket that is looked into.
    pub bucket: f64,
    /// Semi and anti joins: how many outer rows match, and how much of the inner side is looked at then.
    pub first_match: Option<FirstMatch>,
}

/// `SemiAntiJoinFactors`
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstMatch {
    pub matched: f64,
    pub matches: f64,
    /// Rows without a match are given (an anti join).
    pub anti: bool,
}

impl FirstMatch {
    fn scanned(&self) -> f64 {
        2.0 / (self.matches + 1.0)
    }
}

/// `initial_cost_hashjoin`, `final_cost_hashjoin`, for one batch in memory.
pub(super) fn hash_join(
    prices: &Prices,
    outer: &Side,
    inner: &Side,
    conditions: &Conditions,
    discouraged: f64,
) -> Estimate {
    let (o, i) = (outer.estimate, inner.estimate);
    let hashing = prices.cpu_operator * conditions.keys as f64;
    let mut startup = o.startup_cost + i.total_cost + (hashing + prices.cpu_tuple) * i.rows;
    startup += conditions.key_cost.startup + conditions.other_cost.startup + discouraged;
    let mut run = (o.total_cost - o.startup_cost) + hashing * o.rows;
    let compare = conditions.key_cost.per_tuple;
    let tuples = match conditions.first_match {
        Some(first) => {
            let matched = (o.rows * first.matched).round_ties_even();
            let looked_at = clamp_rows(i.rows * conditions.bucket * first.scanned());
            run += compare * matched * looked_at * 0.5;
            let buckets = i.rows.max(1024.0).log2().ceil().exp2();
            run += compare * (o.rows - matched) * clamp_rows(i.rows / buckets) * 0.05;
            if first.anti {
                o.rows - matched
            } else {
                matched
            }
        }
        None => {
            run += compare * o.rows * clamp_rows(i.rows * conditions.bucket) * 0.5;
            clamp_rows(o.rows * i.rows * conditions.key_share)
        }
    };
    run += (prices.cpu_tuple + conditions.other_cost.per_tuple) * tuples;
    Estimate {
        startup_cost: startup,
        total_cost: startup + run,
        ..Estimate::default()
    }
}

/// `cost_material` and its rescan.
pub(super) fn kept(prices: &Prices, side: &Side) -> Side {
    let estimate = crate::plan::cost::material(prices, side.estimate);
    Side {
        estimate,
        rescan: Rescan {
            startup: 0.0,
            total: prices.cpu_operator * estimate.rows,
            kept: true,
        },
    }
}

/// `initial_cost_nestloop`, `final_cost_nestloop`.
pub(super) fn nested_loop(
    prices: &Prices,
    outer: &Side,
    inner: &Side,
    conditions: &Conditions,
    discouraged: f64,
) -> Estimate {
    let (o, i) = (outer.estimate, inner.estimate);
    let again = inner.rescan;
    let all = conditions.key_cost + conditions.other_cost;
    let startup = o.startup_cost + i.startup_cost + all.startup + discouraged;
    let mut run = o.total_cost - o.startup_cost;
    if o.rows > 1.0 {
        run += (o.rows - 1.0) * again.startup;
    }
    let (first_run, next_run) = (i.total_cost - i.startup_cost, again.total - again.startup);
    run += first_run;
    let tuples = match conditions.first_match {
        Some(first) => {
            let mut matched = (o.rows * first.matched).round_ties_even();
            let mut unmatched = o.rows - matched;
            let tuples = matched * i.rows * first.scanned() + unmatched * i.rows;
            if unmatched >= 1.0 {
                unmatched -= 1.0;
            } else {
                matched -= 1.0;
            }
            run += matched.max(0.0) * next_run * first.scanned();
            run += unmatched.max(0.0) * next_run;
            tuples
        }
        None => {
            if o.rows > 1.0 {
                run += (o.rows - 1.0) * next_run;
            }
            o.rows * i.rows
        }
    };
    run += (prices.cpu_tuple + all.per_tuple) * tuples;
    Estimate {
        startup_cost: startup,
        total_cost: startup + run,
        ..Estimate::default()
    }
}

/// `initial_cost_mergejoin`, `final_cost_mergejoin`, both sides sorted and read to their ends.
pub(super) fn merge_join(
    prices: &Prices,
    outer: &Side,
    inner: &Side,
    conditions: &Conditions,
    discouraged: &Discouraged,
) -> Estimate {
    let sorted = |side: &Side| {
        let mut estimate = crate::plan::cost::sort(prices, side.estimate, None);
        estimate.startup_cost += discouraged.sort;
        estimate.total_cost += discouraged.sort;
        estimate
    };
    let (o, i) = (sorted(outer), sorted(inner));
    let all = conditions.key_cost + conditions.other_cost;
    let startup = o.startup_cost + i.startup_cost + all.startup + discouraged.merge;
    let pairs = clamp_rows(o.rows * i.rows * conditions.key_share);
    // Inner rows of equal keys are gone over again for each outer row.
    let again = match conditions.first_match {
        Some(_) => 1.0,
        None => 1.0 + (pairs - i.rows).max(0.0) / i.rows.max(1.0),
    };
    let tuples = match conditions.first_match {
        Some(first) if first.anti => o.rows * (1.0 - first.matched),
        Some(first) => o.rows * first.matched,
        None => pairs,
    };
    let run = (o.total_cost - o.startup_cost)
        + (i.total_cost - i.startup_cost) * again
        + conditions.key_cost.per_tuple * (o.rows + i.rows * again)
        + (prices.cpu_tuple + conditions.other_cost.per_tuple) * tuples;
    Estimate {
        startup_cost: startup,
        total_cost: startup + run,
        ..Estimate::default()
    }
}
