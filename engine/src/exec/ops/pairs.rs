//! Pairs of an outer and an inner row on their way to a join's output: the join filter, the outer
//! join's NULL-extended rows, and the copying of columns, for any way of finding the pairs.

use crate::bind::{Expr, JoinKind};
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::Step;
use crate::expr::Program;
use crate::instr::OperatorFacts;
use crate::value::{Batch, Column, Type};

use super::selector::{Selected, Selector};

/// Stands for the inner row of an outer row without a match.
const NO_ROW: u32 = u32::MAX;

/// Candidate pairs, in order. An outer row is *closed* behind its last candidate; only then is it
/// known whether it has a match.
pub(super) struct Pairs {
    kind: JoinKind,
    types: Vec<Type>,
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
    /// What goes to the output.
    out_outer: Vec<u32>,
    out_inner: Vec<u32>,
    /// Rows that make a batch full by their bytes.
    most_rows: usize,
}

/// The join filter, evaluated over candidates put side by side.
struct PairFilter {
    selector: Selector,
    /// The columns of a joined row that the filter reads; the others stay empty.
    slots: Vec<usize>,
    columns: Vec<Column>,
    filled: bool,
    /// Passed candidates dealt with.
    walked: usize,
}

/// A join filter, compiled.
pub(in crate::exec) struct JoinFilter {
    program: Program,
    slots: Vec<usize>,
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
    /// `types`: of the joined row, the outer side's `outer_columns` first.
    pub(super) fn new(
        kind: JoinKind,
        types: Vec<Type>,
        outer_columns: usize,
        filter: Option<JoinFilter>,
    ) -> Self {
        Pairs {
            kind,
            filter: filter.map(|filter| PairFilter {
                selector: Selector::new(filter.program),
                slots: filter.slots,
                columns: types.iter().map(|&ty| Column::new(ty)).collect(),
                filled: false,
                walked: 0,
            }),
            types,
            outer_columns,
            outer: Vec::new(),
            inner: Vec::new(),
            closed: Vec::new(),
            walked: 0,
            walked_closed: 0,
            matched: false,
            out_outer: Vec::new(),
            out_inner: Vec::new(),
            most_rows: usize::MAX,
        }
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

    /// How many more candidates and closed rows are sure to fit into `out`.
    #[inline]
    pub(super) fn room(&self, out: &Batch) -> usize {
        let narrow = self.most_rows.saturating_sub(out.physical_rows());
        out.room()
            .min(narrow)
            .saturating_sub(self.outer.len() + self.closed.len())
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
        if self.kind == JoinKind::Left {
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
        let mut tested = Selected::All;
        let mut end = self.outer.len();
        if let Some(filter) = &mut self.filter {
            if !filter.filled {
                filter.fill(outer, &self.outer, inner, &self.inner, self.outer_columns);
            }
            tested = filter
                .selector
                .run(cx, &filter.columns, crate::value::Rows::Range(0, end));
            end = filter.selector.place();
        }
        self.walk(end);
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

    /// Lists the output of the candidates before `end` and of the rows closed among them.
    fn walk(&mut self, end: usize) {
        self.out_outer.clear();
        self.out_inner.clear();
        if self.kind == JoinKind::Inner && self.filter.is_none() {
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
                    self.out_outer.push(self.outer[candidate]);
                    self.out_inner.push(self.inner[candidate]);
                    self.matched = true;
                    self.walked = candidate + 1;
                    if let Some(filter) = &mut self.filter {
                        filter.walked += 1;
                    }
                }
                (_, Some(&(before, row))) if before <= end => {
                    if !self.matched {
                        self.out_outer.push(row);
                        self.out_inner.push(NO_ROW);
                    }
                    self.matched = false;
                    self.walked_closed += 1;
                }
                _ => return,
            }
        }
    }

    fn copy(&mut self, outer: &[Column], inner: &[Column], out: &mut Batch) {
        out.prepare(&self.types);
        let (to_outer, to_inner) = out.columns.split_at_mut(self.outer_columns);
        for (to, from) in to_outer.iter_mut().zip(outer) {
            to.gather(from, &self.out_outer);
        }
        let unmatched = self.kind == JoinKind::Left && self.out_inner.contains(&NO_ROW);
        if !unmatched {
            for (to, from) in to_inner.iter_mut().zip(inner) {
                to.gather(from, &self.out_inner);
            }
        } else {
            // There may be no inner column to look at: a join with an empty table.
            for (at, to) in to_inner.iter_mut().enumerate() {
                for &row in &self.out_inner {
                    match inner.get(at) {
                        Some(from) if row != NO_ROW => to.push_from(from, row as usize),
                        _ => to.push_null(),
                    }
                }
            }
        }
        out.set_physical_rows(out.physical_rows() + self.out_outer.len());
    }

    pub(super) fn report(&self, facts: &mut OperatorFacts) {
        if let Some(filter) = &self.filter {
            facts.removed_by_join_filter += filter.selector.removed();
            filter.selector.report(facts);
        }
    }
}

impl PairFilter {
    fn fill(
        &mut self,
        outer: &[Column],
        outer_rows: &[u32],
        inner: &[Column],
        inner_rows: &[u32],
        split: usize,
    ) {
        for &slot in &self.slots {
            let column = &mut self.columns[slot];
            column.clear();
            if slot < split {
                column.gather(&outer[slot], outer_rows);
            } else if let Some(from) = inner.get(slot - split) {
                column.gather(from, inner_rows);
            }
        }
        self.filled = true;
    }
}
