//! Tests of a column at a fixed offset over the candidates of a page without NULLs.

use super::number::{self, Form};
use super::test::{Range, Test};
use crate::am::heap::deform::Damaged;
use crate::am::heap::output::{Candidate, PageView};
use crate::storage::PAGE_SIZE;

/// Replaces `passed` by the candidates whose column at `offset` passes.
pub fn select(
    test: &Test,
    view: PageView<'_>,
    offset: usize,
    candidates: &[Candidate],
    passed: &mut Vec<Candidate>,
) -> Result<(), Damaged> {
    passed.clear();
    if let Test::Range(range) = *test {
        select_range(range, view.page.bytes(), offset, candidates, passed);
        return Ok(());
    }
    for &candidate in candidates {
        if test.passes(view, (candidate.offset() + offset) as u16)? {
            passed.push(candidate);
        }
    }
    Ok(())
}

/// Keeps the tuples whose column at `offset` passes.
pub fn retain(
    test: &Test,
    view: PageView<'_>,
    offset: usize,
    passed: &mut Vec<Candidate>,
) -> Result<(), Damaged> {
    let mut kept = 0;
    for at in 0..passed.len() {
        let candidate = passed[at];
        passed[kept] = candidate;
        kept += usize::from(test.passes(view, (candidate.offset() + offset) as u16)?);
    }
    passed.truncate(kept);
    Ok(())
}

/// Runs `$body` with `$load` bound to the loader of a form.
macro_rules! with_loader {
    ($form:expr, $load:ident => $body:expr) => {
        match $form {
            Form::Bool => {
                let $load = number::load_bool;
                $body
            }
            Form::Int2 => {
                let $load = number::load_int2;
                $body
            }
            Form::Int4 => {
                let $load = number::load_int4;
                $body
            }
            Form::Int8 => {
                let $load = number::load_int8;
                $body
            }
            Form::Float4 => {
                let $load = number::load_float4;
                $body
            }
            Form::Float8 => {
                let $load = number::load_float8;
                $body
            }
        }
    };
}

/// Candidates tested between two looks at the outcome.
const GROUP: usize = 8;
type Outcome = u32;
const ALL_PASS: Outcome = (1 << GROUP) - 1;

/// One bit a candidate: set where its number is in the range. No branch, so it costs the same at every selectivity.
#[inline(always)]
fn test_group(
    range: Range,
    page: &[u8; PAGE_SIZE],
    offset: usize,
    group: &[Candidate; GROUP],
    load: impl Fn(&[u8; PAGE_SIZE], usize) -> i64,
) -> Outcome {
    let mut outcome = 0;
    for (bit, candidate) in group.iter().enumerate() {
        let number = load(page, candidate.offset() + offset);
        let within = number.wrapping_sub(range.least) as u64 <= range.span;
        outcome |= Outcome::from(within) << bit;
    }
    if range.negated {
        outcome ^ ALL_PASS
    } else {
        outcome
    }
}

/// Appends the candidates that pass. Groups of which none or all pass, which most are where a key
/// follows the order of the rows, take no look at the single ones.
fn select_range(
    range: Range,
    page: &[u8; PAGE_SIZE],
    offset: usize,
    candidates: &[Candidate],
    passed: &mut Vec<Candidate>,
) {
    let (groups, rest) = candidates.as_chunks::<GROUP>();
    with_loader!(range.form, load => {
        for group in groups {
            match test_group(range, page, offset, group, load) {
                0 => {}
                ALL_PASS => passed.extend_from_slice(group),
                mut outcome => {
                    while outcome != 0 {
                        passed.push(group[outcome.trailing_zeros() as usize % GROUP]);
                        outcome &= outcome - 1;
                    }
                }
            }
        }
        for &candidate in rest {
            if range.contains(load(page, candidate.offset() + offset)) {
                passed.push(candidate);
            }
        }
    })
}

/// The position of the first candidate whose number is in the range.
#[inline]
pub fn find_first(
    range: Range,
    view: PageView<'_>,
    offset: usize,
    candidates: &[Candidate],
) -> Option<usize> {
    let page = view.page.bytes();
    with_loader!(range.form, load => {
        let passes = |candidate: &Candidate| range.contains(load(page, candidate.offset() + offset));
        // Where most rows pass, the first does.
        let (first, others) = candidates.split_first()?;
        if passes(first) {
            return Some(0);
        }
        let (groups, rest) = others.as_chunks::<GROUP>();
        for (at, group) in groups.iter().enumerate() {
            let outcome = test_group(range, page, offset, group, load);
            if outcome != 0 {
                return Some(1 + at * GROUP + outcome.trailing_zeros() as usize);
            }
        }
        let found = rest.iter().position(passes)?;
        Some(1 + groups.len() * GROUP + found)
    })
}
