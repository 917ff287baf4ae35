//! Tests of a column at a fixed offset over the candidates of a page without NULLs.

use super::number::{self, Form};
use super::test::{Range, Test};
use crate::am::heap::output::{Candidate, PageView};
use crate::error::Result;
use crate::storage::PAGE_SIZE;

/// Replaces `passed` by the candidates whose column at `offset` passes. Errors: XX001.
pub fn select(
    test: &Test,
    view: PageView<'_>,
    offset: usize,
    candidates: &[Candidate],
    passed: &mut Vec<Candidate>,
) -> Result<()> {
    passed.clear();
    if let Test::Range(range) = *test {
        passed.resize(candidates.len(), Candidate::new(0, 0));
        let count = select_range(range, view.page.bytes(), offset, candidates, passed);
        passed.truncate(count);
        return Ok(());
    }
    for &candidate in candidates {
        if test.passes(view, (candidate.offset() + offset) as u16)? {
            passed.push(candidate);
        }
    }
    Ok(())
}

/// Keeps the tuples whose column at `offset` passes. Errors: XX001.
pub fn retain(
    test: &Test,
    view: PageView<'_>,
    offset: usize,
    passed: &mut Vec<Candidate>,
) -> Result<()> {
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

/// Writes those that pass to the front of `passed`, which is as long as `candidates`, and answers how many.
/// Without a branch on the outcome: it costs the same at every selectivity.
fn select_range(
    range: Range,
    page: &[u8; PAGE_SIZE],
    offset: usize,
    candidates: &[Candidate],
    passed: &mut [Candidate],
) -> usize {
    with_loader!(range.form, load => {
        let mut count = 0;
        for &candidate in candidates {
            let number = load(page, candidate.offset() + offset);
            if let Some(slot) = passed.get_mut(count) {
                *slot = candidate;
            }
            count += usize::from(range.contains(number));
        }
        count
    })
}

/// The position of the first candidate whose number is in the range.
pub fn find_first(
    range: Range,
    view: PageView<'_>,
    offset: usize,
    candidates: &[Candidate],
) -> Option<usize> {
    let page = view.page.bytes();
    with_loader!(range.form, load => {
        candidates.iter().position(|candidate| range.contains(load(page, candidate.offset() + offset)))
    })
}
