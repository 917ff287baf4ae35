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
use super::output::{Candidate, Output, PageView};
use super::store::{HeapStore, corrupted_page, corrupted_tuple};
use super::tuple::PLAIN_DATA_OFFSET;
use super::visibility::{Standing, examine};
use crate::am::{AmCtx, PagesDone, ScanKey, ScanSpec, ScanStep, TableScan};
use crate::error::{Error, Result};
use crate::storage::{BlockFile, LineState, PAGE_SIZE, Page, Snapshot, Transactions, page_flags};
use crate::value::Batch;

/// A scan's keys, from asking for them to having them.
#[derive(Debug)]
enum KeyState {
    /// The scan has none.
    None,
    /// Asked for at the first visible tuple.
    Wanted,
}

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
}

impl HeapScan {
    pub fn new(relation: Rc<HeapRelation>, spec: ScanSpec) -> Result<Self> {
        let has_keys = spec.has_keys;
        let output = Output::new(&relation.layout, spec)?;
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
        })
    }

    fn start_over(&mut self) {
        self.blocks = None;
        self.entered = 0;
        self.candidates.clear();
        self.done = 0;
    }

    /// Enters the next page. False: there is none.
    fn enter_page(&mut self, cx: &mut AmCtx<'_>) -> Result<bool> {
        let mut store = self.relation.store.borrow_mut();
        let blocks = *self.blocks.get_or_insert_with(|| {
            store.settle(cx.transactions);
            store.file.blocks()
        });
        if self.entered >= blocks {
            return Ok(false);
        }
        let block = self.entered;
        self.entered += 1;
        self.done = 0;
        self.candidates.clear();
        self.plain = false;
        cx.counters.pages_read += 1;
        cx.work.spend(1);
        list_candidates(
            &mut store,
            block,
            cx.snapshot,
            cx.transactions,
            &mut self.candidates,
        )?;
        self.plain = store
            .file
            .page(block)
            .is_some_and(|page| page.has(page_flags::NO_NULLS));
        Ok(true)
    }

    /// Deals with candidates until `room` rows were appended or the page is done.
    #[inline]
    fn take(&mut self, cx: &mut AmCtx<'_>, room: usize, out: &mut Batch) -> Result<()> {
        let store = self.relation.store.borrow();
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
        let passed = &rest[..room.min(rest.len())];
        self.done += passed.len();
        cx.counters.visible += passed.len() as u64;
        cx.work.spend(passed.len() as u32);
        self.output.append(&self.relation.layout, view, passed, out)
    }
}

impl TableScan for HeapScan {
    fn next(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<ScanStep> {
        loop {
            if self.done < self.candidates.len() {
                if let KeyState::Wanted = self.keys {
                    return Ok(ScanStep::NeedKeys);
                }
                let room = out.room();
                if room > 0 {
                    self.take(cx, room, out)?;
                }
                if out.is_full() {
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
        if !keys.is_empty() {
            return Err(Error::internal(
                "the heap was handed a key that it did not accept",
            ));
        }
        self.keys = KeyState::None;
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

/// Notes the tuples of a page that the snapshot sees. Errors: XX001 for a page that cannot be right.
fn list_candidates(
    store: &mut HeapStore,
    block: u32,
    snapshot: Snapshot,
    transactions: &Transactions,
    candidates: &mut Vec<Candidate>,
) -> Result<()> {
    let page = store.page_mut(block)?;
    if !page.is_sound() {
        return Err(corrupted_page(block));
    }
    if page.has(page_flags::ALL_VISIBLE) {
        list_all(page, block, candidates)
    } else {
        list_visible(page, block, snapshot, transactions, candidates)
    }
}

/// All normal line pointers.
fn list_all(page: &Page, block: u32, candidates: &mut Vec<Candidate>) -> Result<()> {
    let mut farthest = 0;
    candidates.extend(
        page.lines()
            .enumerate()
            .filter(|(_, pointer)| pointer.is_normal())
            .map(|(index, pointer)| {
                farthest = farthest.max(pointer.offset());
                Candidate::new(index + 1, pointer.offset())
            }),
    );
    if farthest + PLAIN_DATA_OFFSET > PAGE_SIZE {
        Err(corrupted_tuple(block))
    } else {
        Ok(())
    }
}

/// Each tuple examined.
fn list_visible(
    page: &mut Page,
    block: u32,
    snapshot: Snapshot,
    transactions: &Transactions,
    candidates: &mut Vec<Candidate>,
) -> Result<()> {
    let mut all_visible = true;
    for line in 1..=page.line_count() {
        let pointer = page.line(line);
        if !pointer.is_normal() {
            all_visible &= pointer.state() == LineState::Unused;
            continue;
        }
        let at = pointer.offset();
        if at + PLAIN_DATA_OFFSET > PAGE_SIZE {
            return Err(corrupted_tuple(block));
        }
        let standing = examine(page.bytes_mut(), at, transactions);
        all_visible &= standing == Standing::Live;
        if standing.is_visible(snapshot) {
            candidates.push(Candidate::new(line, at));
        }
    }
    if all_visible {
        page.set(page_flags::ALL_VISIBLE);
    }
    Ok(())
}
