//! One round of testing keys on the page under the scan, the fastest way that gives the same rows and counts.

use super::deform::{Damaged, NULL, Start, TupleWalk};
use super::keys::{FirstRange, Keys, Leading, Range};
use super::layout::RowLayout;
use super::output::{Candidate, Output, PageView};
use crate::am::AmCtx;
use crate::value::Batch;

/// Memory that is used anew for each page.
#[derive(Debug, Default)]
pub struct Buffers {
    /// Candidates that passed the leading keys, and those that passed all.
    pub narrowed: Vec<Candidate>,
    pub passed: Vec<Candidate>,
    /// The starts of one tuple's attributes.
    pub starts: Vec<Start>,
}

/// One round of testing a page's remaining candidates.
pub struct KeyRound<'a> {
    pub keys: &'a Keys,
    pub view: PageView<'a>,
    pub layout: &'a RowLayout,
    pub rest: &'a [Candidate],
    /// Rows wanted.
    pub room: usize,
}

impl KeyRound<'_> {
    /// Answers how many candidates were dealt with. The rows before a damaged tuple are appended.
    #[inline(never)]
    pub fn run(
        &self,
        cx: &mut AmCtx<'_>,
        output: &mut Output,
        buffers: &mut Buffers,
        out: &mut Batch,
    ) -> (usize, Result<(), Damaged>) {
        let mut evaluations = 0;
        let (tested, noted, outcome) = match self.narrow(&mut buffers.narrowed, &mut evaluations) {
            Leading::All => {
                std::mem::swap(&mut buffers.narrowed, &mut buffers.passed);
                (self.rest.len(), false, Ok(()))
            }
            Leading::Some => {
                let narrowed = std::mem::take(&mut buffers.narrowed);
                let (_, outcome) =
                    self.test_singly(Leading::Some, &narrowed, output, buffers, &mut evaluations);
                buffers.narrowed = narrowed;
                (self.rest.len(), true, outcome)
            }
            Leading::None => {
                let rest = &self.rest[..self.rest.len().min(cx.work.left().max(1) as usize)];
                let (tested, outcome) =
                    self.test_singly(Leading::None, rest, output, buffers, &mut evaluations);
                (tested, true, outcome)
            }
        };
        self.count(cx, tested, buffers.passed.len(), evaluations);
        let (passed, starts) = (&buffers.passed, &mut buffers.starts);
        let appended = if noted {
            output.append_noted(self.layout, self.view, passed, starts, out)
        } else {
            output.append(self.layout, self.view, passed, starts, out)
        };
        (tested, appended.and(outcome))
    }

    fn count(&self, cx: &mut AmCtx<'_>, tested: usize, passed: usize, evaluations: u64) {
        cx.counters.visible += tested as u64;
        cx.counters.removed_by_keys += (tested - passed) as u64;
        cx.counters.key_evaluations += evaluations;
        cx.work
            .spend((tested as u32).saturating_mul(self.keys.cost()));
    }

    /// Runs the leading keys over all candidates, if none can turn out not to be wanted.
    fn narrow(&self, narrowed: &mut Vec<Candidate>, evaluations: &mut u64) -> Leading {
        if self.room < self.rest.len() {
            return Leading::None;
        }
        let leading = self.keys.leading(self.view);
        if leading == Leading::None {
            return Leading::None;
        }
        match self
            .keys
            .narrow(self.layout, self.view, self.rest, narrowed)
        {
            Ok(made) => {
                *evaluations = made;
                leading
            }
            // Tuple by tuple, the rows before the damaged one are found.
            Err(Damaged) => Leading::None,
        }
    }

    /// Tests tuple by tuple, until enough have passed, and notes the wanted columns of those that pass.
    /// Answers how many candidates were dealt with.
    fn test_singly(
        &self,
        from: Leading,
        candidates: &[Candidate],
        output: &mut Output,
        buffers: &mut Buffers,
        evaluations: &mut u64,
    ) -> (usize, Result<(), Damaged>) {
        buffers.passed.clear();
        output.begin();
        let noting = output.walks(self.view.plain).then_some(output);
        let skipped = self.keys.count_leading(from);
        match self.keys.first_range() {
            Some(first) if skipped == 0 && first.is_only => {
                let (tested, outcome) = self.test_range(first, candidates, noting, buffers);
                *evaluations += tested as u64;
                (tested, outcome)
            }
            _ => match self.keys.all_ranges() {
                Some(ranges) => {
                    let ranges = &ranges[skipped..];
                    self.test_ranges(ranges, candidates, noting, buffers, evaluations)
                }
                None => self.test_keys(skipped, candidates, noting, buffers, evaluations),
            },
        }
    }

    /// All keys are ranges: one loop, without a call a key.
    fn test_ranges(
        &self,
        ranges: &[(usize, Range)],
        candidates: &[Candidate],
        mut noting: Option<&mut Output>,
        buffers: &mut Buffers,
        evaluations: &mut u64,
    ) -> (usize, Result<(), Damaged>) {
        let Buffers { passed, starts, .. } = buffers;
        let page = self.view.page.bytes();
        let mut made = 0;
        let mut outcome = (candidates.len(), Ok(()));
        'tuples: for (at, &tuple) in candidates.iter().enumerate() {
            if passed.len() == self.room {
                outcome = (at, Ok(()));
                break;
            }
            let mut walk = TupleWalk::new(self.view, self.layout, tuple, starts);
            for &(column, range) in ranges {
                let Ok(start) = walk.start(column) else {
                    made += 1;
                    outcome = (at, Err(Damaged));
                    break 'tuples;
                };
                made += 1;
                let passes = start != NULL
                    && range.contains(range.form.load_in_place(page, usize::from(start)));
                if !passes {
                    continue 'tuples;
                }
            }
            if let Some(output) = &mut noting
                && output.note(&mut walk).is_err()
            {
                outcome = (at, Err(Damaged));
                break;
            }
            passed.push(tuple);
        }
        *evaluations += made;
        outcome
    }

    /// The one key is a range: nothing here takes the walk's address, so that it lives in registers.
    fn test_range(
        &self,
        first: FirstRange,
        candidates: &[Candidate],
        mut noting: Option<&mut Output>,
        buffers: &mut Buffers,
    ) -> (usize, Result<(), Damaged>) {
        let Buffers { passed, starts, .. } = buffers;
        for (at, &tuple) in candidates.iter().enumerate() {
            if passed.len() == self.room {
                return (at, Ok(()));
            }
            let mut walk = TupleWalk::new(self.view, self.layout, tuple, starts);
            match walk.start(first.column) {
                Ok(start) if !first.passes(self.view, start) => continue,
                Ok(_) => {}
                Err(Damaged) => return (at, Err(Damaged)),
            }
            if let Some(output) = &mut noting
                && output.note(&mut walk).is_err()
            {
                return (at, Err(Damaged));
            }
            passed.push(tuple);
        }
        (candidates.len(), Ok(()))
    }

    /// Any keys, from the `skipped`th on.
    fn test_keys(
        &self,
        skipped: usize,
        candidates: &[Candidate],
        mut noting: Option<&mut Output>,
        buffers: &mut Buffers,
        evaluations: &mut u64,
    ) -> (usize, Result<(), Damaged>) {
        let Buffers { passed, starts, .. } = buffers;
        for (at, &tuple) in candidates.iter().enumerate() {
            if passed.len() == self.room {
                return (at, Ok(()));
            }
            let mut walk = TupleWalk::new(self.view, self.layout, tuple, starts);
            match self.keys.passes(skipped, &mut walk, evaluations) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(Damaged) => return (at, Err(Damaged)),
            }
            if let Some(output) = &mut noting
                && output.note(&mut walk).is_err()
            {
                return (at, Err(Damaged));
            }
            passed.push(tuple);
        }
        (candidates.len(), Ok(()))
    }
}
