//! The sequential scan (PostgreSQL's `heapgettup_pagemode`).
//!
//! 1. Enter a page: note its visible tuples, the *candidates*. On an all-visible page those are its
//!    line pointers; otherwise each tuple is examined, hint bits are set, and a page that turns out to be
//!    visible to everyone is marked so.
//! 2. Test the keys on the candidates, no further than the demand reaches.
//! 3. Append the wanted columns of those that passed.
//!
//! Between two calls the scan keeps the candidates, so that a demand of one row costs no more than
//! reading one row. Tuples never move on a page while a statement runs, and what the statement itself
//! writes is not visible to it, so the list stays right.

use std::rc::Rc;

use super::HeapRelation;
use super::deform::NULL;
use super::key_round::{Buffers, KeyRound};
use super::keys::Keys;
use super::output::{Candidate, Output, PageView};
use super::page_entry::list_candidates;
use super::store::corrupted_page;
use crate::am::{AmCtx, PagesDone, ScanKey, ScanSpec, ScanStep, TableScan};
use crate::error::Result;
use crate::storage::{BlockFile, page_flags};
use crate::value::Batch;

/// A scan's keys, from asking for them to having them.
#[derive(Debug)]
enum KeyState {
    /// The scan has none.
    None,
    /// Asked for at the first visible tuple.
    Wanted,
    Set(Keys),
}

/// A batch is handed on before it is full if less than a page's rows are missing and it has this
/// many: then all of a page's candidates can be tested at once.
const ROWS_WORTH_HANDING_ON: usize = 512;

pub struct HeapScan {
    relation: Rc<HeapRelation>,
    output: Output,
    keys: KeyState,
    has_keys: bool,
    /// Pages of the relation when the scan started; later ones hold nothing it may see. None: not started.
    blocks: Option<u32>,
    /// Pages entered.
    entered: u32,
    /// Visible tuples of the page entered last, and how many of them have been dealt with.
    candidates: Vec<Candidate>,
    done: usize,
    /// The page entered last has no NULLs.
    plain: bool,
    buffers: Buffers,
}

impl HeapScan {
    pub fn new(relation: Rc<HeapRelation>, spec: ScanSpec) -> Result<Self> {
        let has_keys = spec.has_keys;
        let output = Output::new(&relation.layout, spec)?;
        let starts = vec![NULL; relation.layout.attributes.len()];
        Ok(HeapScan {
            relation,
            output,
            keys: if has_keys {
                KeyState::Wanted
            } else {
                KeyState::None
            },
            has_keys,
            blocks: None,
            entered: 0,
            candidates: Vec::new(),
            done: 0,
            plain: false,
            buffers: Buffers {
                starts,
                ..Buffers::default()
            },
        })
    }

    fn start_over(&mut self) {
        self.blocks = None;
        self.entered = 0;
        self.candidates.clear();
        self.done = 0;
    }

    /// Pages to scan, fixed when the scan looks at the relation first.
    fn blocks(&mut self, cx: &AmCtx<'_>) -> u32 {
        *self.blocks.get_or_insert_with(|| {
            let mut store = self.relation.store.borrow_mut();
            store.settle(cx.transactions);
            store.file.blocks()
        })
    }

    /// Enters the next page. False: there is none.
    #[inline(never)]
    fn enter_page(&mut self, cx: &mut AmCtx<'_>) -> Result<bool> {
        if self.entered >= self.blocks(cx) {
            return Ok(false);
        }
        let block = self.entered;
        self.entered += 1;
        self.done = 0;
        self.candidates.clear();
        cx.counters.pages_read += 1;
        cx.work.spend(1);
        let mut store = self.relation.store.borrow_mut();
        let page = store.page_mut(block)?;
        list_candidates(
            page,
            block,
            cx.snapshot,
            cx.transactions,
            &mut self.candidates,
        )?;
        self.plain = page.has(page_flags::NO_NULLS);
        Ok(true)
    }

    /// Ends a scan whose keys are true of no row.
    #[cold]
    fn skip_rest(&mut self, cx: &mut AmCtx<'_>) {
        let blocks = self.blocks(cx);
        cx.counters.pages_skipped += u64::from(blocks.saturating_sub(self.entered));
        self.entered = blocks;
        self.candidates.clear();
        self.done = 0;
    }

    /// Deals with candidates until `room` rows were appended, the page is done or the work is spent.
    #[inline]
    fn take(&mut self, cx: &mut AmCtx<'_>, room: usize, out: &mut Batch) -> Result<()> {
        let relation = &*self.relation;
        let store = relation.store.borrow();
        let block = self.entered - 1;
        let page = store
            .file
            .page(block)
            .ok_or_else(|| corrupted_page(block))?;
        let view = PageView {
            page,
            block,
            plain: self.plain,
        };
        let rest = &self.candidates[self.done..];
        let (layout, starts) = (&relation.layout, &mut self.buffers.starts);
        match &self.keys {
            KeyState::Set(keys) => {
                if room < rest.len()
                    && view.plain
                    && let Some(search) = keys.range_search(layout)
                {
                    let rest = &rest[..rest.len().min(cx.work.left().max(1) as usize)];
                    let found = search.first(view, rest);
                    let tested = found.map_or(rest.len(), |at| at + 1);
                    self.done += tested;
                    cx.counters.visible += tested as u64;
                    cx.counters.key_evaluations += tested as u64;
                    cx.counters.removed_by_keys += (tested - usize::from(found.is_some())) as u64;
                    cx.work.spend(tested as u32);
                    return match found {
                        Some(at) => (self.output)
                            .append_one(layout, view, rest[at], starts, out)
                            .map_err(|damaged| view.error(damaged)),
                        None => Ok(()),
                    };
                }
                let round = KeyRound {
                    keys,
                    view,
                    layout,
                    rest,
                    room,
                };
                let (tested, outcome) = round.run(cx, &mut self.output, &mut self.buffers, out);
                self.done += tested;
                outcome.map_err(|damaged| view.error(damaged))
            }
            KeyState::None | KeyState::Wanted => {
                let taken = &rest[..room.min(rest.len())];
                self.done += taken.len();
                cx.counters.visible += taken.len() as u64;
                cx.work.spend(taken.len() as u32);
                let appended = match taken {
                    &[tuple] => self.output.append_one(layout, view, tuple, starts, out),
                    taken => self.output.append(layout, view, taken, starts, out),
                };
                appended.map_err(|damaged| view.error(damaged))
            }
        }
    }

    /// True where it is better to hand on what there is than to test the page's candidates in pieces.
    #[inline]
    fn is_worth_handing_on(&self, out: &Batch, room: usize) -> bool {
        out.len() >= ROWS_WORTH_HANDING_ON
            && room < self.candidates.len() - self.done
            && matches!(self.keys, KeyState::Set(_))
    }
}

impl TableScan for HeapScan {
    fn next(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<ScanStep> {
        if let KeyState::Set(keys) = &self.keys
            && keys.is_never()
        {
            self.skip_rest(cx);
            return Ok(ScanStep::End);
        }
        loop {
            if self.done < self.candidates.len() {
                if let KeyState::Wanted = self.keys {
                    return Ok(ScanStep::NeedKeys);
                }
                let room = out.room();
                if room > 0 && !self.is_worth_handing_on(out, room) {
                    self.take(cx, room, out)?;
                    if out.is_full() {
                        return Ok(ScanStep::Rows);
                    }
                } else {
                    return Ok(ScanStep::Rows);
                }
            } else if !self.enter_page(cx)? {
                return Ok(ScanStep::End);
            }
            if cx.work.is_exhausted() {
                return Ok(ScanStep::Pause);
            }
        }
    }

    fn set_keys(&mut self, keys: &[ScanKey]) -> Result<()> {
        let keys = Keys::compile(&self.relation.layout, keys)?;
        self.keys = if keys.is_empty() {
            KeyState::None
        } else {
            KeyState::Set(keys)
        };
        Ok(())
    }

    fn rescan(&mut self, keys: Option<&[ScanKey]>) -> Result<()> {
        self.start_over();
        match keys {
            Some(keys) => self.set_keys(keys),
            None => Ok(()),
        }
    }

    fn rescan_asking(&mut self) {
        self.start_over();
        if self.has_keys {
            self.keys = KeyState::Wanted;
        }
    }

    fn progress(&self) -> PagesDone {
        let total = self
            .blocks
            .unwrap_or_else(|| self.relation.store.borrow().file.blocks());
        PagesDone {
            done: self.entered,
            total,
        }
    }
}
