//! Pairs of an outer and an inner row on their way to a join's output: the join filter, rows without
//! a match, and the copying of columns, for any way of finding the pairs.

use crate::bind::Expr;
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::Step;
use crate::expr::Program;
use crate::instr::OperatorFacts;
use crate::plan::JoinType;
use crate::value::{Batch, Bitmap, Column, Rows, Type};

use super::selector::{Selected, Selector};

/// Stands for the row that a row without a match is paired with.
const NO_ROW: u32 = u32::MAX;

/// Candidate pairs, in order. An outer row is *closed* behind its last candidate; only then is it
/// known whether it has a match.
pub(super) struct Pairs {
    kind: JoinType,
    /// Of the output.
    types: Vec<Type>,
    /// How many of the output's columns are the outer side's.
    outer_columns: usize,
    filter: Option<PairFilter>,
    /// Physical rows of the candidates.
    outer: Vec<u32>,
    inner: Vec<u32>,
    /// Outer rows that are closed, each with the number of candidates before that.
    closed: Vec<(usize, u32)>,
    /// Candidates and closed rows dealt with.
    walked: usize,
    walked_closed: usize,
    /// The outer row at hand has a match.
    matched: bool,
    /// Inner rows that have a match, where that matters.
    inner_matched: Bitmap,
    /// What goes to the output.
    out_outer: Vec<u32>,
    out_inner: Vec<u32>,
    /// Rows that make a batch full by their bytes.
    most_rows: usize,
    /// Candidates that failed the filter.
    removed: u64,
}

/// The join filter, evaluated over candidates put side by side.
struct PairFilter {
    selector: Selector,
    /// The columns of a joined row that the filter reads; the others stay empty.
    slots: Vec<usize>,
    columns: Vec<Column>,
    /// How many of them are the outer side's.
    split: usize,
    filled: bool,
    /// Passed candidates dealt with.
    walked: usize,
}

/// A join filter, compiled.
pub(in crate::exec) struct JoinFilter {
    program: Program,
    slots: Vec<usize>,
}

/// The columns of a join's two sides.
pub(in crate::exec) struct JoinedTypes {
    pub(in crate::exec) outer: Vec<Type>,
    pub(in crate::exec) inner: Vec<Type>,
}

/// What there is room for, before the candidates at hand are dealt with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Rows of the output that are sure to fit.
    pub(super) rows: usize,
    /// Candidates to put side by side.
    pub(super) candidates: usize,
}

impl JoinFilter {
    pub(in crate::exec) fn compile(expr: &Expr) -> Result<Self> {
        let mut slots = Vec::new();
        collect_slots(expr, &mut slots);
        slots.sort_unstable();
        slots.dedup();
        Ok(JoinFilter {
            program: Program::compile(expr)?,
            slots,
        })
    }

    pub(in crate::exec) fn params(&self) -> &[crate::bind::ParamId] {
        self.program.params()
    }
}

fn collect_slots(expr: &Expr, slots: &mut Vec<usize>) {
    if let crate::bind::ExprKind::Slot(slot) = expr.kind {
        slots.push(slot);
    }
    expr.each_child(|child| collect_slots(child, slots));
}

impl Pairs {
    pub(super) fn new(kind: JoinType, joined: JoinedTypes, filter: Option<JoinFilter>) -> Self {
        let JoinedTypes { outer, inner } = joined;
        let filter = filter.map(|filter| PairFilter {
            selector: Selector::new(filter.program),
            slots: filter.slots,
            columns: outer
                .iter()
                .chain(&inner)
                .map(|&ty| Column::new(ty))
                .collect(),
            split: outer.len(),
            filled: false,
            walked: 0,
        });
        let outer = if kind.gives_outer() {
            outer
        } else {
            Vec::new()
        };
        let outer_columns = outer.len();
        let mut types = outer;
        if kind.gives_inner() {
            types.extend(inner);
        }
        Pairs {
            kind,
            types,
            outer_columns,
            filter,
            outer: Vec::new(),
            inner: Vec::new(),
            closed: Vec::new(),
            walked: 0,
            walked_closed: 0,
            matched: false,
            inner_matched: Bitmap::new(),
            out_outer: Vec::new(),
            out_inner: Vec::new(),
            most_rows: usize::MAX,
            removed: 0,
        }
    }

    /// Every candidate goes to the output, and nothing else.
    pub(super) fn are_all_given(&self) -> bool {
        self.kind == JoinType::Inner && self.filter.is_none()
    }

    /// Appends one pair to `out`, past the candidates at hand.
    pub(super) fn give_one(
        &self,
        (outer, outer_row): (&[Column], usize),
        (inner, inner_row): (&[Column], usize),
        out: &mut Batch,
    ) {
        out.prepare(&self.types);
        let (to_outer, to_inner) = out.columns.split_at_mut(self.outer_columns);
        for (to, from) in to_outer.iter_mut().zip(outer) {
            to.push_from(from, outer_row);
        }
        for (to, from) in to_inner.iter_mut().zip(inner) {
            to.push_from(from, inner_row);
        }
        out.set_physical_rows(out.physical_rows() + 1);
    }

    /// New rows are at hand: the widest pair of them has so many bytes to be copied.
    pub(super) fn start(&mut self, widest: u64) {
        self.most_rows = match widest {
            0 => usize::MAX,
            bytes => (Batch::FULL_BYTES / bytes).max(1) as usize,
        };
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.forget();
        self.matched = false;
        self.inner_matched.clear();
    }

    fn forget(&mut self) {
        self.outer.clear();
        self.inner.clear();
        self.closed.clear();
        (self.walked, self.walked_closed) = (0, 0);
        if let Some(filter) = &mut self.filter {
            filter.selector.start();
            filter.filled = false;
            filter.walked = 0;
        }
    }

    /// False if the candidates at hand could fill `out`, or are as many as are put side by side.
    #[inline]
    pub(super) fn fits_more(&self, out: &Batch) -> bool {
        let rows =
            self.outer.len() * self.rows_a_candidate() + self.closed.len() * self.rows_a_close();
        let narrow = self.most_rows.saturating_sub(out.physical_rows());
        rows < out.room().min(narrow) && self.outer.len() < out.want.max(1)
    }

    /// True if the filter has begun with the candidates at hand: no others may join them.
    #[inline]
    pub(super) fn is_begun(&self) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.filled)
    }

    /// The first `n` inner rows are gone, `rest` remain.
    pub(super) fn drop_first_inner(&mut self, n: usize, rest: usize) {
        if !self.inner_matched.any() {
            return;
        }
        let mut moved = Bitmap::new();
        (0..rest)
            .filter(|row| self.inner_matched.get(row + n))
            .for_each(|row| moved.set(row));
        self.inner_matched = moved;
    }

    /// What more is sure to fit into `out`. Only when the candidates at hand are dealt with.
    #[inline]
    pub(super) fn room(&self, out: &Batch) -> Room {
        debug_assert!(self.outer.is_empty() && self.closed.is_empty());
        let narrow = self.most_rows.saturating_sub(out.physical_rows());
        Room {
            rows: out.room().min(narrow),
            candidates: out.want.max(1),
        }
    }

    /// Output rows that a candidate may make.
    #[inline]
    pub(super) fn rows_a_candidate(&self) -> usize {
        usize::from(!self.kind.first_match_decides() && self.kind != JoinType::RightAnti)
    }

    /// Output rows that closing an outer row may make, besides those of its candidates.
    #[inline]
    pub(super) fn rows_a_close(&self) -> usize {
        usize::from(self.kind.keeps_outer() || self.kind == JoinType::Semi)
    }

    /// One candidate is all there is to know of an outer row.
    #[inline]
    pub(super) fn takes_one(&self) -> bool {
        self.filter.is_none() && self.kind.first_match_decides()
    }

    /// The outer row at hand needs no further candidates.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.matched && self.kind.first_match_decides()
    }

    /// This inner row needs no further match.
    #[inline]
    pub(super) fn is_done_with(&self, inner: u32) -> bool {
        matches!(self.kind, JoinType::RightSemi | JoinType::RightAnti)
            && self.inner_matched.get(inner as usize)
    }

    /// True if the output is full by its bytes; never of an empty one.
    pub(super) fn is_wide(&self, out: &Batch) -> bool {
        out.physical_rows() >= self.most_rows
    }

    /// True if the output is worth handing on: little room for further candidates is left.
    pub(super) fn is_enough(&self, out: &Batch) -> bool {
        out.is_full() || self.is_wide(out) || self.filter.is_some() && out.room() < out.want / 2
    }

    #[inline]
    pub(super) fn push(&mut self, outer: u32, inner: u32) {
        self.outer.push(outer);
        self.inner.push(inner);
    }

    /// The outer row has no further candidates.
    #[inline]
    pub(super) fn close(&mut self, outer: u32) {
        if self.kind.keeps_outer() || self.kind.first_match_decides() {
            self.closed.push((self.outer.len(), outer));
        }
    }

    /// Filters the candidates at hand and appends what passes to `out`. `None`: all are dealt with;
    /// Some(step): answer that, and call again with the same columns.
    pub(super) fn flush(
        &mut self,
        cx: &mut ExecCx,
        outer: &[Column],
        inner: &[Column],
        out: &mut Batch,
    ) -> Result<Option<Step>> {
        if self.outer.is_empty() && self.closed.is_empty() {
            return Ok(None);
        }
        self.out_outer.clear();
        self.out_inner.clear();
        let tested = self.test(cx, outer, inner);
        cx.work.spend(self.out_outer.len() as u32);
        let before = out.physical_rows();
        self.copy(outer, inner, out);
        if self.most_rows < usize::MAX {
            cx.work.spend_bytes(out.accounted_from(before));
        }
        match tested {
            Selected::All => {
                self.forget();
                Ok(None)
            }
            Selected::Paused => Ok(Some(Step::Yield)),
            Selected::Produce(param) => Ok(Some(Step::Produce(param))),
            Selected::Failed(error) => Err(error),
        }
    }

    /// Lists the output of the candidates that could be tested.
    fn test(&mut self, cx: &mut ExecCx, outer: &[Column], inner: &[Column]) -> Selected {
        let end = self.outer.len();
        if self.filter.is_none() {
            self.walk(end);
            return Selected::All;
        }
        loop {
            let Some(filter) = &mut self.filter else {
                return Selected::All;
            };
            if !filter.filled {
                filter.fill(outer, &self.outer, inner, &self.inner);
            }
            let tested = filter
                .selector
                .run(cx, &filter.columns, Rows::Range(0, end));
            let place = filter.selector.place();
            self.walk(place);
            // PostgreSQL tests no candidate behind the one that decides.
            let stopped = matches!(tested, Selected::Failed(_) | Selected::Produce(_));
            if !(stopped && self.is_settled()) {
                return tested;
            }
            let next = self.closed.get(self.walked_closed);
            let next = next.map_or(end, |(before, _)| *before);
            self.walked = next;
            if let Some(filter) = &mut self.filter {
                filter.selector.skip_to(next);
            }
            self.walk(next);
        }
    }

    /// Lists the output of the candidates before `end` and of the rows closed among them.
    fn walk(&mut self, end: usize) {
        if self.kind == JoinType::Inner && self.filter.is_none() {
            self.out_outer
                .extend_from_slice(&self.outer[self.walked..end]);
            self.out_inner
                .extend_from_slice(&self.inner[self.walked..end]);
            self.walked = end;
            return;
        }
        loop {
            let candidate = match &mut self.filter {
                None => (self.walked < end).then_some(self.walked),
                Some(filter) => filter
                    .selector
                    .kept()
                    .get(filter.walked)
                    .map(|&kept| kept as usize),
            };
            match (candidate, self.closed.get(self.walked_closed)) {
                (Some(candidate), closed)
                    if closed.is_none_or(|(before, _)| candidate < *before) =>
                {
                    self.pass_over(candidate);
                    self.walked = candidate + 1;
                    if let Some(filter) = &mut self.filter {
                        filter.walked += 1;
                    }
                    self.pass(candidate);
                }
                (_, Some(&(before, row))) if before <= end => {
                    self.pass_over(before);
                    if !self.matched && self.kind.keeps_outer() {
                        self.out_outer.push(row);
                        self.out_inner.push(NO_ROW);
                    }
                    self.matched = false;
                    self.walked_closed += 1;
                }
                _ => {
                    self.pass_over(end);
                    return;
                }
            }
        }
    }

    /// The candidates before `until` that were not walked yet failed, all of one outer row.
    fn pass_over(&mut self, until: usize) {
        if until > self.walked {
            if !self.is_settled() {
                self.removed += (until - self.walked) as u64;
            }
            self.walked = until;
        }
    }

    /// Lists what a match makes.
    fn pass(&mut self, candidate: usize) {
        let (outer, inner) = (self.outer[candidate], self.inner[candidate]);
        let first = !std::mem::replace(&mut self.matched, true);
        let gives = match self.kind {
            JoinType::Inner | JoinType::Left => true,
            JoinType::Right | JoinType::Full => {
                self.inner_matched.set(inner as usize);
                true
            }
            JoinType::Semi => first,
            JoinType::Anti | JoinType::NullAwareAnti => false,
            JoinType::RightSemi | JoinType::RightAnti => {
                let known = self.inner_matched.get(inner as usize);
                self.inner_matched.set(inner as usize);
                !known && self.kind == JoinType::RightSemi
            }
        };
        if gives {
            self.out_outer.push(outer);
            self.out_inner.push(inner);
        }
    }

    /// Appends inner rows without a match, from row `from` of `rows` on, as long as there is room.
    /// Answers the row it came to.
    pub(super) fn give_unmatched(
        &mut self,
        cx: &mut ExecCx,
        inner: &[Column],
        (mut from, rows): (usize, usize),
        out: &mut Batch,
    ) -> usize {
        self.out_outer.clear();
        self.out_inner.clear();
        let room = out
            .room()
            .min(self.most_rows.saturating_sub(out.physical_rows()));
        let end = rows.min(from.saturating_add(cx.work.left() as usize));
        let first = from;
        while from < end && self.out_inner.len() < room {
            if !self.inner_matched.get(from) {
                self.out_inner.push(from as u32);
            }
            from += 1;
        }
        self.out_outer.resize(self.out_inner.len(), NO_ROW);
        cx.work.spend((from - first) as u32);
        let before = out.physical_rows();
        self.copy(&[], inner, out);
        if self.most_rows < usize::MAX {
            cx.work.spend_bytes(out.accounted_from(before));
        }
        from
    }

    fn copy(&mut self, outer: &[Column], inner: &[Column], out: &mut Batch) {
        out.prepare(&self.types);
        let (to_outer, to_inner) = out.columns.split_at_mut(self.outer_columns);
        let unmatched =
            self.kind.gives_outer() && self.kind.keeps_inner() && self.out_outer.contains(&NO_ROW);
        copy_side(to_outer, outer, &self.out_outer, unmatched);
        let unmatched =
            self.kind.gives_inner() && self.kind.keeps_outer() && self.out_inner.contains(&NO_ROW);
        copy_side(to_inner, inner, &self.out_inner, unmatched);
        out.set_physical_rows(out.physical_rows() + self.out_inner.len());
    }

    pub(super) fn report(&self, facts: &mut OperatorFacts) {
        if let Some(filter) = &self.filter {
            facts.removed_by_join_filter += self.removed;
            filter.selector.report(facts);
        }
    }
}

/// `unmatched`: some of `rows` are [`NO_ROW`]; there may then be no column at all to look at.
fn copy_side(to: &mut [Column], from: &[Column], rows: &[u32], unmatched: bool) {
    for (at, to) in to.iter_mut().enumerate() {
        match from.get(at) {
            Some(from) if !unmatched => to.gather(from, rows),
            Some(from) => {
                for &row in rows {
                    match row {
                        NO_ROW => to.push_null(),
                        row => to.push_from(from, row as usize),
                    }
                }
            }
            None => rows.iter().for_each(|_| to.push_null()),
        }
    }
}

impl PairFilter {
    fn fill(&mut self, outer: &[Column], outer_rows: &[u32], inner: &[Column], inner_rows: &[u32]) {
        for &slot in &self.slots {
            let column = &mut self.columns[slot];
            column.clear();
            if slot < self.split {
                column.gather(&outer[slot], outer_rows);
            } else if let Some(from) = inner.get(slot - self.split) {
                column.gather(from, inner_rows);
            }
        }
        self.filled = true;
    }
}
