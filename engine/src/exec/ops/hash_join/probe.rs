//! The probe side of a hash join.
//!
//! 1. Wait for the table. A join that gives no outer row without a match is done if it is empty,
//!    without reading an outer row.
//! 2. Compute the keys and hashes of an outer batch.
//! 3. Walk each row's chain and note the rows whose keys are equal as candidates, until the demand
//!    could be met; filter and give them.
//! 4. Behind the outer rows give the inner rows without a match, if the join keeps them.

use std::mem;

use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::Program;
use crate::instr::OperatorFacts;
use crate::plan::JoinType;
use crate::value::{Batch, hash_row};

use super::table::{END, HashTable, TableSlot};
use crate::exec::ops::pairs::{JoinFilter, JoinedTypes, Pairs, Room};
use crate::exec::ops::row_keys::RowKeys;

const BUILD: usize = 0;
const PROBE: usize = 1;

/// Joins the outer rows with those of the table.
pub(in crate::exec) struct HashJoin {
    kind: JoinType,
    slot: TableSlot,
    table: Option<Box<HashTable>>,
    keys: RowKeys,
    /// The outer columns that are the keys, if each key is one and all pairs with equal keys are given.
    direct: Option<Vec<usize>>,
    pairs: Pairs,
    outer: Box<Batch>,
    hashes: Vec<u64>,
    place: usize,
    search: Search,
    state: State,
}

/// `Probing ─ outer side ends ─> Unmatched`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Probing,
    /// Giving the inner rows without a match, from this one on.
    Unmatched(usize),
}

/// How far matches of the row at the place were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// Not at all.
    Unknown,
    /// In its chain; the next row to compare.
    Chain(u32),
    /// Among rows whose comparison may come to NULL: those with a NULL key or, if the outer row has
    /// one, all. This many of them were looked at.
    Nulls(usize),
}

impl HashJoin {
    pub(in crate::exec) fn new(
        kind: JoinType,
        keys: Vec<Program>,
        joined: JoinedTypes,
        filter: Option<JoinFilter>,
        slot: TableSlot,
    ) -> Self {
        let keys = RowKeys::new(keys);
        let pairs = Pairs::new(kind, joined, filter);
        HashJoin {
            kind,
            slot,
            table: None,
            direct: keys.slots().filter(|_| pairs.are_all_given()),
            keys,
            pairs,
            outer: Box::default(),
            hashes: Vec::new(),
            place: 0,
            search: Search::Unknown,
            state: State::Probing,
        }
    }

    /// No outer row can have a match, nor is one asked for without.
    fn is_hopeless(&self) -> bool {
        !self.kind.keeps_outer() && self.table.as_ref().is_none_or(|table| table.len() == 0)
    }

    /// New outer rows.
    fn take(&mut self, cx: &ExecCx, batch: &mut Box<Batch>) {
        mem::swap(batch, &mut self.outer);
        self.place = 0;
        self.search = Search::Unknown;
        self.keys.start();
        self.hashes.clear();
        let inner = self.table.as_ref().map_or(0, |table| table.widest());
        let copies = cx.batch_rows.max(self.outer.len());
        self.pairs.start(self.outer.widest(copies) + inner);
    }

    /// An outer row on its own, when one pair is wanted: its first match is given at once. It is taken
    /// in only if it has another one. `None`, and nothing done, where the keys are to be computed first.
    fn probe_one(
        &mut self,
        cx: &mut ExecCx,
        batch: &mut Box<Batch>,
        out: &mut Batch,
    ) -> Option<Step> {
        let (Some(slots), Some(table)) = (&self.direct, &self.table) else {
            return None;
        };
        cx.work.spend(2);
        let (row, keys) = (batch.row(0), (batch.columns.as_slice(), slots.as_slice()));
        let hash = hash_row(slots.iter().map(|&slot| &batch.columns[slot]), row);
        let found = table.find(table.head(hash), hash, keys, row);
        if found == END {
            return Some(Step::Need(PROBE));
        }
        cx.work.spend(2);
        (self.pairs).give_one(
            (&batch.columns, row),
            (table.columns(), found as usize),
            out,
        );
        let another = table.find(table.next(found), hash, keys, row);
        if another == END {
            return Some(Step::Need(PROBE));
        }
        self.take(cx, batch);
        self.search = Search::Chain(another);
        Some(Step::More)
    }

    fn probe(&mut self, cx: &mut ExecCx, out: &mut Batch) -> Result<Step> {
        loop {
            let Some(table) = &self.table else {
                return Err(Error::internal("a hash join probes without a table"));
            };
            if let Some(step) = self
                .pairs
                .flush(cx, &self.outer.columns, table.columns(), out)?
            {
                return Ok(step);
            }
            if self.place == self.outer.len() {
                return Ok(Step::Need(PROBE));
            }
            if self.pairs.is_enough(out) {
                return Ok(Step::More);
            }
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            if self.place == self.keys.known() {
                if let Some(step) = self.keys.advance(cx, &self.outer)? {
                    return Ok(step);
                }
                self.keys.hash(&mut self.hashes);
            }
            let room = self.pairs.room(out);
            self.search(cx, room);
        }
    }

    /// Notes candidates of the outer rows from the place on while there is room and work.
    fn search(&mut self, cx: &mut ExecCx, room: Room) {
        let Some(table) = &self.table else { return };
        let (a_candidate, a_close) = (self.pairs.rows_a_candidate(), self.pairs.rows_a_close());
        let (mut rows, mut candidates) = (room.rows, room.candidates);
        let (takes_one, keys) = (self.pairs.takes_one(), &self.keys.columns);
        let work = cx.work.left().max(1) as usize;
        let mut looks = work;
        let mut settled = self.pairs.is_settled();
        if settled {
            self.search = Search::Chain(END);
        }
        while rows > 0 && candidates > 0 && looks > 0 && self.place < self.keys.known() {
            let (row, hash) = (self.outer.row(self.place) as u32, self.hashes[self.place]);
            let mut decided = std::mem::take(&mut settled);
            if let Search::Unknown | Search::Chain(_) = self.search {
                let mut at = match self.search {
                    Search::Chain(at) => at,
                    _ => table.head(hash),
                };
                while at != END && rows > 0 && candidates > 0 && looks > 0 {
                    looks -= 1;
                    if table.matches(at, hash, keys, self.place) && !self.pairs.is_done_with(at) {
                        self.pairs.push(row, at);
                        rows -= a_candidate;
                        candidates -= 1;
                        if takes_one {
                            (at, decided) = (END, true);
                            break;
                        }
                    }
                    at = table.next(at);
                }
                self.search = Search::Chain(at);
                if at != END || rows == 0 {
                    break;
                }
                if self.kind == JoinType::NullAwareAnti && !decided {
                    self.search = Search::Nulls(0);
                }
            }
            if let (Search::Nulls(mut looked), false) = (self.search, decided) {
                let all = keys.iter().any(|key| key.is_null(self.place));
                let count = if all {
                    table.len()
                } else {
                    table.nulls().len()
                };
                while looked < count && candidates > 0 && looks > 0 {
                    looks -= 1;
                    let at = if all {
                        looked as u32
                    } else {
                        table.nulls()[looked]
                    };
                    looked += 1;
                    if table.may_match(at, keys, self.place) {
                        self.pairs.push(row, at);
                        candidates -= 1;
                        if takes_one {
                            looked = count;
                        }
                    }
                }
                self.search = Search::Nulls(looked);
                if looked < count {
                    break;
                }
            }
            self.pairs.close(row);
            rows -= a_close;
            self.place += 1;
            self.search = Search::Unknown;
            looks = looks.saturating_sub(1);
        }
        cx.work.spend((work - looks) as u32 + 1);
    }

    /// Gives inner rows without a match.
    fn give_unmatched(&mut self, cx: &mut ExecCx, from: usize, out: &mut Batch) -> Result<Step> {
        let Some(table) = &self.table else {
            return Err(Error::internal("a hash join gives rows without a table"));
        };
        let (rows, columns) = (table.len(), table.columns());
        let next = self.pairs.give_unmatched(cx, columns, (from, rows), out);
        self.state = State::Unmatched(next);
        Ok(if next == rows {
            Step::Done
        } else if out.is_full() || self.pairs.is_wide(out) {
            Step::More
        } else {
            Step::Yield
        })
    }
}

impl Operator for HashJoin {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Build, PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go if self.table.is_none() => return Ok(Step::Need(BUILD)),
            // Also after a rescan that kept the table.
            Input::Go if self.is_hopeless() => return Ok(Step::Done),
            Input::Go => {}
            Input::End(BUILD) => {
                self.table = self.slot.borrow_mut().take();
                return Ok(if self.is_hopeless() {
                    Step::Done
                } else {
                    Step::Need(PROBE)
                });
            }
            Input::End(_) if self.kind.keeps_inner() => {
                let inner = self.table.as_ref().map_or(0, |table| table.widest());
                self.pairs.start(inner);
                self.state = State::Unmatched(0);
            }
            Input::End(_) => return Ok(Step::Done),
            Input::Batch(BUILD, _) => return Err(Error::internal("a Hash gives no rows")),
            Input::Batch(_, batch) => {
                if batch.len() == 1
                    && out.want == 1
                    && out.is_empty()
                    && !cx.work.is_exhausted()
                    && let Some(step) = self.probe_one(cx, batch, out)
                {
                    return Ok(step);
                }
                self.take(cx, batch);
            }
        }
        match self.state {
            State::Probing => self.probe(cx, out),
            State::Unmatched(from) => self.give_unmatched(cx, from, out),
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, changed: Changed) -> Restart {
        self.pairs.clear();
        self.place = self.outer.len();
        self.search = Search::Unknown;
        self.state = State::Probing;
        if self.table.is_some() && !changed.port(BUILD) {
            return Restart::Only(PROBE);
        }
        self.table = None;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        self.pairs.report(facts);
    }
}
