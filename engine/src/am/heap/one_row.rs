//! The next row of a scan whose receiver wants one: tested and appended in one walk over its tuple.

use super::deform::{Damaged, Start, TupleWalk};
use super::keys::{FirstRange, Keys};
use super::layout::RowLayout;
use super::output::{Candidate, Output, PageView};
use crate::value::Batch;

/// What looking for a row came to.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Candidates dealt with, and how many of them were appended: none or one.
    pub tested: usize,
    pub rows: usize,
    pub evaluations: u64,
    /// The candidate after those tested may be damaged.
    pub outcome: Result<(), Damaged>,
}

/// Tests tuple by tuple, until one passes, and appends that. `starts` has a place an attribute.
pub fn find_one(
    keys: &Keys,
    layout: &RowLayout,
    view: PageView<'_>,
    candidates: &[Candidate],
    output: &Output,
    starts: &mut [Start],
    out: &mut Batch,
) -> Found {
    let mut found = Found {
        tested: 0,
        rows: 0,
        evaluations: 0,
        outcome: Ok(()),
    };
    let only = keys.first_range().filter(|first| first.is_only);
    for &tuple in candidates {
        let mut walk = TupleWalk::new(view, layout, tuple, starts);
        let passed = match only {
            Some(range) => {
                let passed = range_passes(range, view, &mut walk);
                found.evaluations += u64::from(passed.is_ok());
                passed
            }
            None => keys.passes(0, &mut walk, &mut found.evaluations),
        };
        match passed {
            Ok(false) => found.tested += 1,
            Ok(true) => {
                match output.append_walked(view, tuple, &mut walk, out) {
                    Ok(()) => (found.tested, found.rows) = (found.tested + 1, 1),
                    Err(Damaged) => found.outcome = Err(Damaged),
                }
                return found;
            }
            Err(Damaged) => {
                found.outcome = Err(Damaged);
                return found;
            }
        }
    }
    found
}

#[inline(always)]
pub fn range_passes(
    range: FirstRange,
    view: PageView<'_>,
    walk: &mut TupleWalk<'_>,
) -> Result<bool, Damaged> {
    let start = walk.start(range.column)?;
    Ok(range.passes(view, start))
}
