//! One round of testing keys on the page under the scan, the fastest way that gives the same rows and counts.

use super::deform::{Damaged, Start, TupleWalk};
use super::keys::{Keys, Leading};
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
        let counters = &mut *cx.counters;
        counters.visible += tested as u64;
        counters.removed_by_keys += (tested - buffers.passed.len()) as u64;
        counters.key_evaluations += evaluations;
        cx.work
            .spend((tested as u32).saturating_mul(self.keys.cost()));
        let (passed, starts) = (&buffers.passed, &mut buffers.starts);
        let appended = if noted {
            output.append_noted(self.layout, self.view, passed, starts, out)
        } else {
            output.append(self.layout, self.view, passed, starts, out)
        };
        (tested, appended.and(outcome))
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
    fn test_singly(
        &self,
        from: Leading,
        candidates: &[Candidate],
        output: &mut Output,
        buffers: &mut Buffers,
        evaluations: &mut u64,
    ) -> (usize, Result<(), Damaged>) {
        let Buffers { passed, starts, .. } = buffers;
        passed.clear();
        output.begin();
        let noted = output.walks(self.view.plain);
        let skipped = self.keys.count_leading(from);
        let first = if skipped == 0 {
            self.keys.first_range()
        } else {
            None
        };
        let others = if first.is_some() { 1 } else { skipped };
        for (at, &tuple) in candidates.iter().enumerate() {
            if passed.len() == self.room {
                return (at, Ok(()));
            }
            let mut walk = TupleWalk::new(self.view, self.layout, tuple, starts);
            if let Some(first) = first {
                *evaluations += 1;
                match walk.start(first.column) {
                    Ok(start) if !first.passes(self.view, start) => continue,
                    Ok(_) if first.is_only && !noted => {
                        passed.push(tuple);
                        continue;
                    }
                    Ok(_) => {}
                    Err(Damaged) => return (at, Err(Damaged)),
                }
            }
            let outcome =
                self.passes_others(others, walk, noted.then_some(&mut *output), evaluations);
            match outcome {
                Ok(true) => passed.push(tuple),
                Ok(false) => {}
                Err(Damaged) => return (at, Err(Damaged)),
            }
        }
        (candidates.len(), Ok(()))
    }

    /// Tests a tuple with the keys from the `from`th on and notes its columns. The walk is handed over as a
    /// value: the caller's then never needs an address and lives in registers.
    fn passes_others(
        &self,
        from: usize,
        mut walk: TupleWalk<'_>,
        noting: Option<&mut Output>,
        evaluations: &mut u64,
    ) -> Result<bool, Damaged> {
        let passes = self.keys.passes(from, &mut walk, evaluations)?;
        if let Some(output) = noting
            && passes
        {
            output.note(&mut walk)?;
        }
        Ok(passes)
    }
}
