//! The sequential scan of a columnar relation.
//!
//! 1. Enter a chunk: ask its summaries about each key. A chunk in which no row can pass is *skipped*:
//!    none of its pages is read. A key that every row passes is not tested.
//! 2. Go through the chunk in *windows* of [`WINDOW`] rows: drop the rows the snapshot does not see,
//!    then test the other keys one after the other, each on the rows that passed those before it.
//! 3. Append the wanted columns of the rows that passed. A column that no key looks at is read only
//!    where a row passed.
//!
//! Keys run after the visibility check and see no row that the snapshot does not see.

use std::rc::Rc;

use super::ColumnarRelation;
use super::chunk::Chunk;
use super::store::{ColumnarStore, Place};
use super::test::{self, Verdict};
use crate::am::heap::keys::{CompiledKey, compile};
use crate::am::{AmCtx, PagesDone, ScanKey, ScanSpec, ScanStep, TableScan};
use crate::error::Result;
use crate::value::{Batch, Vector};

/// Rows that are tested at once: small enough to stay in the processor's cache.
const WINDOW: usize = 1024;

/// A scan's keys, from asking for them to having them.
#[derive(Debug)]
enum Keys {
    /// The scan has none.
    None,
    /// Asked for at the first visible row.
    Wanted,
    Set(Vec<CompiledKey>),
    /// Some key is true of no row.
    Never,
}

/// Where a scan is.
///
/// ```text
/// Between ── a chunk to be read ──> Within ── its last window given ──> Between
///    └── no chunk left ──> Over
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Between,
    Within(Window),
    Over,
}

/// Part of the chunk: its rows that passed are in `passed`, of which some have been given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    /// One past its last row in the chunk.
    to: usize,
    /// Rows of the chunk that the snapshot may see.
    rows: usize,
    /// Rows of the window that the snapshot sees.
    visible: usize,
    given: usize,
    /// The pages of the columns that no key looks at have been counted.
    read: bool,
}

pub struct ColumnarScan {
    relation: Rc<ColumnarRelation>,
    spec: ScanSpec,
    keys: Keys,
    /// Columns that keys look at, and the wanted ones that none does.
    key_columns: Vec<usize>,
    other_columns: Vec<usize>,
    /// Where the rows end that the scan sees. None: not started.
    end: Option<Place>,
    /// The next chunk, or the one it is within.
    chunk: usize,
    state: State,
    /// The keys of the chunk at hand that must be tested.
    tested: Vec<usize>,
    passed: Vec<u32>,
}

impl ColumnarScan {
    pub fn new(relation: Rc<ColumnarRelation>, spec: ScanSpec) -> Self {
        ColumnarScan {
            keys: if spec.has_keys {
                Keys::Wanted
            } else {
                Keys::None
            },
            relation,
            key_columns: Vec::new(),
            other_columns: spec.columns.clone(),
            spec,
            end: None,
            chunk: 0,
            state: State::Between,
            tested: Vec::new(),
            passed: Vec::new(),
        }
    }

    fn start_over(&mut self) {
        self.end = None;
        self.chunk = 0;
        self.state = State::Between;
    }

    /// Where the rows end that the scan sees, fixed when it looks at the relation first.
    fn end(&mut self, cx: &AmCtx<'_>) -> Place {
        *self.end.get_or_insert_with(|| {
            let mut store = self.relation.store.borrow_mut();
            store.settle(cx.transactions);
            store.visible_end(cx.snapshot)
        })
    }

    /// Enters the next chunk that has rows to look at.
    fn enter(&mut self, store: &ColumnarStore, end: Place, cx: &mut AmCtx<'_>) -> Entered {
        let Some(rows) = rows_of(store, self.chunk, end) else {
            return Entered::Over;
        };
        let chunk = &store.chunks[self.chunk];
        let visible = store.visible_rows(self.chunk, rows, cx.snapshot);
        cx.work.spend(1);
        if visible == 0 {
            self.chunk += 1;
            return Entered::Skipped;
        }
        self.tested.clear();
        if let Keys::Wanted = self.keys {
            return Entered::NeedKeys;
        }
        let key_pages = pages(chunk, &self.key_columns);
        if let Keys::Set(keys) = &self.keys {
            for (at, key) in keys.iter().enumerate() {
                match test::verdict(key, &chunk.segments) {
                    Verdict::All => {}
                    Verdict::Some => self.tested.push(at),
                    Verdict::None => {
                        cx.counters.pages_skipped += key_pages + pages(chunk, &self.other_columns);
                        cx.counters.visible += visible as u64;
                        cx.counters.removed_by_keys += visible as u64;
                        self.chunk += 1;
                        return Entered::Skipped;
                    }
                }
            }
        }
        if self.tested.is_empty() {
            cx.counters.pages_skipped += key_pages;
        } else {
            cx.counters.pages_read += key_pages;
        }
        self.passed.clear();
        self.state = State::Within(Window {
            to: 0,
            rows,
            visible: 0,
            given: 0,
            read: false,
        });
        Entered::Within
    }

    /// Tests the next window.
    fn open_window(&mut self, store: &ColumnarStore, mut window: Window, cx: &mut AmCtx<'_>) {
        let chunk = &store.chunks[self.chunk];
        let (from, to) = (window.to, (window.to + WINDOW).min(window.rows));
        let mut untested = &self.tested[..];
        let keys: &[CompiledKey] = match &self.keys {
            Keys::Set(keys) => keys,
            Keys::None | Keys::Wanted | Keys::Never => &[],
        };
        window.visible = to - from;
        if chunk.deleted.any() {
            let at = self.chunk;
            self.passed.clear();
            self.passed.extend(
                (from..to)
                    .filter(|&row| !store.is_deleted(Place { chunk: at, row }, cx.snapshot))
                    .map(|row| row as u32),
            );
            window.visible = self.passed.len();
        } else if let Some((&first, rest)) = untested.split_first() {
            cx.counters.key_evaluations += window.visible as u64;
            test::select(&keys[first], &chunk.segments, from, to, &mut self.passed);
            untested = rest;
        } else {
            self.passed.clear();
            self.passed.extend(from as u32..to as u32);
        }
        for &at in untested {
            cx.counters.key_evaluations += self.passed.len() as u64;
            test::retain(&keys[at], &chunk.segments, &mut self.passed);
        }
        cx.work
            .spend(1 + (to - from) as u32 * (1 + self.tested.len() as u32) / 8);
        window.to = to;
        window.given = 0;
        self.state = State::Within(window);
    }

    /// Appends rows of the window that have not been given, as many as there is room for.
    fn give(
        &mut self,
        store: &ColumnarStore,
        window: &mut Window,
        cx: &mut AmCtx<'_>,
        out: &mut Batch,
    ) {
        let chunk = &store.chunks[self.chunk];
        let count = out.room().min(self.passed.len() - window.given);
        let rows = &self.passed[window.given..window.given + count];
        let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
            return;
        };
        if !window.read {
            window.read = true;
            cx.counters.pages_read += pages(chunk, &self.other_columns);
        }
        let before = out.physical_rows();
        let is_run = (last - first) as usize + 1 == count;
        for (&column, to) in self.spec.columns.iter().zip(&mut out.columns) {
            let segment = &chunk.segments[column];
            if is_run {
                segment.extend(first as usize, last as usize + 1, to);
            } else {
                segment.gather(rows, to);
            }
        }
        if self.spec.with_tid
            && let Some(column) = out.columns.get_mut(self.spec.columns.len())
            && let Vector::Int8(tids) = &mut column.data
        {
            let place = |&row: &u32| Place {
                chunk: self.chunk,
                row: row as usize,
            };
            tids.extend(rows.iter().map(|row| place(row).tid().0 as i64));
        }
        out.set_physical_rows(before + count);
        window.given += count;
        cx.counters.visible += count as u64;
        cx.work.spend(count as u32);
    }

    /// Passes over what is left, which holds no row of the scan's.
    #[cold]
    fn skip_rest(&mut self, cx: &mut AmCtx<'_>) {
        let end = self.end(cx);
        let store = self.relation.store.borrow();
        while rows_of(&store, self.chunk, end).is_some() {
            let chunk = &store.chunks[self.chunk];
            cx.counters.pages_skipped +=
                pages(chunk, &self.key_columns) + pages(chunk, &self.other_columns);
            self.chunk += 1;
        }
        self.state = State::Over;
    }
}

/// What became of entering a chunk.
enum Entered {
    Within,
    Skipped,
    NeedKeys,
    Over,
}

/// Pages of some of a chunk's columns.
fn pages(chunk: &Chunk, columns: &[usize]) -> u64 {
    columns.iter().map(|&column| chunk.pages_of(column)).sum()
}

/// Rows of the chunk before `end`. None: the chunk is behind it.
fn rows_of(store: &ColumnarStore, chunk: usize, end: Place) -> Option<usize> {
    let rows = store.chunks.get(chunk)?.rows;
    match chunk.cmp(&end.chunk) {
        std::cmp::Ordering::Less => Some(rows),
        std::cmp::Ordering::Equal if end.row > 0 => Some(rows.min(end.row)),
        _ => None,
    }
}

impl TableScan for ColumnarScan {
    fn next(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<ScanStep> {
        if let Keys::Never = self.keys {
            self.skip_rest(cx);
            return Ok(ScanStep::End);
        }
        let end = self.end(cx);
        let relation = Rc::clone(&self.relation);
        let store = relation.store.borrow();
        loop {
            match self.state {
                State::Over => return Ok(ScanStep::End),
                State::Between => match self.enter(&store, end, cx) {
                    Entered::Within | Entered::Skipped => {}
                    Entered::NeedKeys => return Ok(ScanStep::NeedKeys),
                    Entered::Over => self.state = State::Over,
                },
                State::Within(mut window) if window.given < self.passed.len() => {
                    if out.room() == 0 {
                        return Ok(ScanStep::Rows);
                    }
                    self.give(&store, &mut window, cx, out);
                    self.state = State::Within(window);
                    if out.is_full() {
                        return Ok(ScanStep::Rows);
                    }
                }
                State::Within(mut window) => {
                    let removed = (window.visible - self.passed.len()) as u64;
                    cx.counters.visible += removed;
                    cx.counters.removed_by_keys += removed;
                    window.visible = self.passed.len();
                    if window.to < window.rows {
                        self.open_window(&store, window, cx);
                    } else {
                        self.chunk += 1;
                        self.state = State::Between;
                    }
                }
            }
            if cx.work.is_exhausted() {
                return Ok(ScanStep::Pause);
            }
        }
    }

    fn set_keys(&mut self, keys: &[ScanKey]) -> Result<()> {
        let compiled: Option<Vec<CompiledKey>> = ScanKey::in_column_order(keys)
            .into_iter()
            .map(|key| compile(&self.relation.layout, key))
            .collect::<Result<_>>()?;
        self.key_columns.clear();
        let looked_at = compiled.iter().flatten();
        looked_at.for_each(|key| key.columns(&mut self.key_columns));
        self.key_columns.sort_unstable();
        self.key_columns.dedup();
        self.other_columns.clone_from(&self.spec.columns);
        self.other_columns
            .retain(|column| !self.key_columns.contains(column));
        self.keys = match compiled {
            None => Keys::Never,
            Some(keys) if keys.is_empty() => Keys::None,
            Some(keys) => Keys::Set(keys),
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
        if self.spec.has_keys {
            self.keys = Keys::Wanted;
        }
    }

    fn progress(&self) -> PagesDone {
        let store = self.relation.store.borrow();
        let total = store.chunks.len() as u32;
        let within = match self.state {
            State::Over => total,
            State::Between | State::Within(_) => self.chunk as u32,
        };
        PagesDone {
            done: within.min(total),
            total,
        }
    }
}
