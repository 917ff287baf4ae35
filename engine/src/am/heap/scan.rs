//! The sequential scan (PostgreSQL's `heapgettup_pagemode`).
//!
//! 1. Enter a page: note its visible tuples, the *candidates*. On an all-visible page those are its
//!    line pointers; otherwise each tuple is examined, hint bits are set, and a page that turns out to be
//!    visible to everyone is marked so.
//! 2. Test the keys on the candidates, no further than the demand reaches.
//! 3. Append the wanted columns of those that passed.
//!
//! Where most rows pass, 3 comes before 2 (`late_test.rs`), for a whole batch.
//!
//! Between two calls the scan keeps the candidates, so that a demand of one row costs no more than
//! reading one row. Tuples never move on a page while a statement runs, and what the statement itself
//! writes is not visible to it, so the list stays right.

use std::rc::Rc;

use super::HeapRelation;
use super::deform::{Damaged, NULL, TupleWalk};
use super::key_round::{Buffers, KeyRound};
use super::keys::{FirstRange, Keys, RangeSearch};
use super::late_test::LateTest;
use super::one_row::{find_one, range_passes};
use super::output::{Candidate, Output, PageView};
use super::page_entry::list_candidates;
use super::store::{HeapStore, corrupted_page};
use crate::am::{AmCtx, PagesDone, ScanKey, ScanSpec, ScanStep, TableScan};
use crate::error::Result;
use crate::storage::{BlockFile, CACHE_LINE, PAGE_SIZE, PagePlace, page_flags};
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

/// How the next row is found where one is wanted, known once the page is entered.
#[derive(Clone, Copy, Debug)]
enum NextRow {
    /// In the general way.
    Any,
    /// It is the next candidate: there are no keys.
    Next,
    /// It may be the next candidate, if that passes.
    Tested(RangeSearch),
    /// As `Tested`, of tuples to be walked through.
    Walked(FirstRange),
}

/// A batch is handed on before it is full if less than a page's rows are missing and it has this
/// many: then all of a page's candidates can be tested at once.
const ROWS_WORTH_HANDING_ON: usize = 512;

/// A page with fewer tuples than cache lines is read ahead: six of eight of TPC-H's queries, at scale factor 0.05
/// in wasm, ran 1.2 to 1.6 times as fast for it, two as before (tests/bench/builds.mjs); narrow tuples gain nothing.
const LINES_WORTH_WARMING: usize = PAGE_SIZE / CACHE_LINE;

pub struct HeapScan {
    relation: Rc<HeapRelation>,
    output: Output,
    keys: KeyState,
    has_keys: bool,
    /// Pages of the relation when the scan started; later ones hold nothing it may see. None: not started.
    blocks: Option<u32>,
    /// Pages entered, and where the last of them lies.
    entered: u32,
    place: PagePlace,
    /// Visible tuples of the page entered last, and how many of them have been dealt with.
    candidates: Vec<Candidate>,
    done: usize,
    /// What comes of reading pages ahead; means nothing.
    warmth: u8,
    /// The page entered last has no NULLs.
    plain: bool,
    next_row: NextRow,
    /// For keys that are set.
    late: Option<LateTest>,
    /// Most rows tested last passed, and the next ones are expected to. It begins so: a filter's work
    /// is what the keys must not exceed.
    most_pass: bool,
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
            place: PagePlace::default(),
            candidates: Vec::new(),
            done: 0,
            warmth: 0,
            plain: false,
            next_row: NextRow::Any,
            late: None,
            most_pass: true,
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
    fn enter_page(&mut self, cx: &mut AmCtx<'_>, want: usize) -> Result<bool> {
        if self.entered >= self.blocks(cx) {
            return Ok(false);
        }
        let block = self.entered;
        self.entered += 1;
        self.place = PagePlace::of(block);
        self.done = 0;
        self.candidates.clear();
        cx.counters.pages_read += 1;
        cx.work.spend(1);
        let mut store = self.relation.store.borrow_mut();
        let page = store.page_mut(block)?;
        // Of wide tuples only some cache lines are looked at, and each would be waited for, unless the
        // tuples are wanted one by one and there is other work between them.
        if want > 1 && page.line_count() < LINES_WORTH_WARMING {
            self.warmth ^= page.warm();
        }
        list_candidates(
            page,
            block,
            cx.snapshot,
            cx.transactions,
            &mut self.candidates,
        )?;
        self.plain = page.has(page_flags::NO_NULLS);
        drop(store);
        self.choose_next_row();
        Ok(true)
    }

    /// To be called once the page or the keys are others.
    fn choose_next_row(&mut self) {
        self.next_row = match &self.keys {
            KeyState::None => NextRow::Next,
            KeyState::Set(keys) if !keys.is_never() => {
                let search = keys.range_search(&self.relation.layout);
                let only = keys.first_range().filter(|first| first.is_only);
                match (search.filter(|_| self.plain), only) {
                    (Some(search), _) => NextRow::Tested(search),
                    (None, Some(only)) => NextRow::Walked(only),
                    (None, None) => NextRow::Any,
                }
            }
            KeyState::Wanted | KeyState::Set(_) => NextRow::Any,
        };
    }

    /// Appends the next candidate, if that can be said to be the next row with no more ado. Where it
    /// fails, it has been dealt with. Errors: XX001.
    #[inline(always)]
    fn append_next(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<bool> {
        let Some(&tuple) = self.candidates.get(self.done) else {
            return Ok(false);
        };
        if let NextRow::Any = self.next_row {
            return Ok(false);
        }
        let relation = &*self.relation;
        let store = relation.store.borrow();
        let view = view(&store, self.place, self.entered - 1, self.plain)?;
        self.done += 1;
        cx.counters.visible += 1;
        cx.work.spend(1);
        let starts = &mut self.buffers.starts;
        match self.next_row {
            NextRow::Any | NextRow::Next => {}
            NextRow::Tested(search) => {
                cx.counters.key_evaluations += 1;
                if !search.passes(view, tuple) {
                    cx.counters.removed_by_keys += 1;
                    return Ok(false);
                }
            }
            NextRow::Walked(range) => {
                cx.counters.key_evaluations += 1;
                let mut walk = TupleWalk::new(view, &relation.layout, tuple, starts);
                let appended = match range_passes(range, view, &mut walk) {
                    Ok(true) => (self.output).append_walked(view, tuple, &mut walk, out),
                    Ok(false) => {
                        cx.counters.removed_by_keys += 1;
                        return Ok(false);
                    }
                    Err(Damaged) => Err(Damaged),
                };
                return match appended {
                    Ok(()) => Ok(true),
                    Err(damaged) => Err(view.error(damaged)),
                };
            }
        }
        match (self.output).append_one(&relation.layout, view, tuple, starts, out) {
            Ok(()) => Ok(true),
            Err(damaged) => Err(view.error(damaged)),
        }
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
        let view = view(&store, self.place, self.entered - 1, self.plain)?;
        let rest = &self.candidates[self.done..];
        let (layout, starts) = (&relation.layout, &mut self.buffers.starts);
        match &self.keys {
            KeyState::Set(keys) => {
                if (room == 1 || room < rest.len())
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
                if room == 1 {
                    let rest = &rest[..rest.len().min(cx.work.left().max(1) as usize)];
                    let found = find_one(keys, layout, view, rest, &self.output, starts, out);
                    self.done += found.tested;
                    cx.counters.visible += found.tested as u64;
                    cx.counters.key_evaluations += found.evaluations;
                    cx.counters.removed_by_keys += (found.tested - found.rows) as u64;
                    cx.work
                        .spend((found.tested as u32).saturating_mul(keys.cost()));
                    return found.outcome.map_err(|damaged| view.error(damaged));
                }
                let removed = cx.counters.removed_by_keys;
                let round = KeyRound {
                    keys,
                    view,
                    layout,
                    rest,
                    room,
                };
                let (tested, outcome) = round.run(cx, &mut self.output, &mut self.buffers, out);
                self.done += tested;
                let removed = cx.counters.removed_by_keys - removed;
                let outcome = outcome.map_err(|damaged| view.error(damaged));
                drop(store);
                self.note_passed(tested - removed as usize, tested);
                outcome
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

impl HeapScan {
    /// Notes how many rows passed of those tested last.
    #[inline]
    fn note_passed(&mut self, passed: usize, tested: usize) {
        if let KeyState::Set(keys) = &self.keys
            && let Some(late) = &self.late
        {
            self.most_pass = late.pays(keys, self.plain, passed, tested);
        }
    }

    /// Whether to fill the batch before testing the keys.
    #[inline]
    fn tests_late(&self, out: &Batch) -> bool {
        let suits = |late: &LateTest| late.suits(self.plain);
        self.most_pass
            && out.want > 1
            && out.physical_rows() == 0
            && self.late.as_ref().is_some_and(suits)
    }

    /// Fills an empty batch and tests the keys on its columns. None: nothing passed, and the scan is to
    /// go on by testing first.
    #[inline(never)]
    fn fill_and_test(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Option<Result<ScanStep>> {
        if let Some(late) = &mut self.late {
            late.begin();
        }
        let filled = self.fill_untested(cx, out);
        let rows = out.physical_rows();
        let mut passed = 0;
        if let (KeyState::Set(keys), Some(late)) = (&self.keys, &mut self.late)
            && rows > 0
        {
            let evaluations;
            (passed, evaluations) = late.run(keys, &self.output, out);
            cx.counters.key_evaluations += evaluations;
            cx.counters.removed_by_keys += (rows - passed) as u64;
        }
        match filled {
            Ok(Filled::To(step)) => {
                self.note_passed(passed, rows);
                (passed > 0 || step != ScanStep::Rows).then_some(Ok(step))
            }
            Ok(Filled::ToDamaged) => {
                self.most_pass = false;
                (passed > 0).then_some(Ok(ScanStep::Rows))
            }
            Err(error) => Some(Err(error)),
        }
    }

    /// Appends candidates that are not tested.
    fn fill_untested(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<Filled> {
        loop {
            if self.done < self.candidates.len() {
                if self.append_untested(cx, out)?.is_err() {
                    return Ok(Filled::ToDamaged);
                }
                if out.is_full() {
                    return Ok(Filled::To(ScanStep::Rows));
                }
            } else if !self.enter_page(cx, out.want)? {
                return Ok(Filled::To(ScanStep::End));
            }
            if cx.work.is_exhausted() {
                return Ok(Filled::To(ScanStep::Pause));
            }
        }
    }

    /// Appends the page's candidates, as many as there is room and work for, or up to a damaged one.
    fn append_untested(
        &mut self,
        cx: &mut AmCtx<'_>,
        out: &mut Batch,
    ) -> Result<std::result::Result<(), Damaged>> {
        let (KeyState::Set(keys), Some(late)) = (&self.keys, &mut self.late) else {
            return Ok(Ok(()));
        };
        let relation = &*self.relation;
        let store = relation.store.borrow();
        let view = view(&store, self.place, self.entered - 1, self.plain)?;
        let rest = &self.candidates[self.done..];
        let most = out.room().min(cx.work.left().max(1) as usize);
        let taken = &rest[..rest.len().min(most)];
        let before = out.physical_rows();
        let starts = &mut self.buffers.starts;
        let output = &mut self.output;
        let appended = late.append(&relation.layout, view, taken, output, starts, out);
        let rows = out.physical_rows() - before;
        self.done += rows;
        cx.counters.visible += rows as u64;
        cx.work.spend((rows as u32).saturating_mul(keys.cost()));
        Ok(appended)
    }
}

/// How filling a batch with rows that are not tested ended.
enum Filled {
    To(ScanStep),
    /// The next candidate is damaged, which only matters if it passes.
    ToDamaged,
}

/// The page that the scan has entered. Errors: XX001 for one that is gone.
#[inline]
fn view(store: &HeapStore, place: PagePlace, block: u32, plain: bool) -> Result<PageView<'_>> {
    let page = store.file.page_at(place);
    let page = page.ok_or_else(|| corrupted_page(block))?;
    Ok(PageView { page, block, plain })
}

impl HeapScan {
    /// [`TableScan::next`], in general.
    #[inline(never)]
    fn fill(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<ScanStep> {
        if let KeyState::Set(keys) = &self.keys
            && keys.is_never()
        {
            self.skip_rest(cx);
            return Ok(ScanStep::End);
        }
        if self.tests_late(out)
            && let Some(filled) = self.fill_and_test(cx, out)
        {
            return filled;
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
            } else if !self.enter_page(cx, out.want)? {
                return Ok(ScanStep::End);
            }
            if cx.work.is_exhausted() {
                return Ok(ScanStep::Pause);
            }
        }
    }
}

impl TableScan for HeapScan {
    fn next(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<ScanStep> {
        // Of one row a batch, the set-up for several would be most of the work.
        if out.want == 1 && out.physical_rows() == 0 && self.append_next(cx, out)? {
            return Ok(ScanStep::Rows);
        }
        self.fill(cx, out)
    }

    fn set_keys(&mut self, keys: &[ScanKey]) -> Result<()> {
        let layout = &self.relation.layout;
        let keys = Keys::compile(layout, keys)?;
        (self.keys, self.late) = if keys.is_empty() {
            (KeyState::None, None)
        } else {
            let late = LateTest::new(layout, &keys, &self.output)?;
            (KeyState::Set(keys), Some(late))
        };
        self.choose_next_row();
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
            self.next_row = NextRow::Any;
            self.late = None;
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
