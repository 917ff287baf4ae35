//! Hash: takes the inner rows of a hash join in and chains them by their keys' hashes.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::Program;
use crate::instr::{HashFacts, OperatorFacts};
use crate::memory::Memory;
use crate::value::{Batch, Type};

use super::table::{HashTable, TableSlot};
use crate::exec::ops::row_keys::RowKeys;

/// The build side. It gives no rows: the finished table goes to the join through a slot.
pub(in crate::exec) struct Hash {
    keys: RowKeys,
    key_types: Vec<Type>,
    /// Set if every key is a plain column: the table then keeps no keys of its own.
    key_columns: Option<Vec<usize>>,
    types: Vec<Type>,
    nulls: Nulls,
    memory: Memory,
    table: Box<HashTable>,
    slot: TableSlot,
    batch: Box<Batch>,
    place: usize,
    hashes: Vec<u64>,
    picked: Vec<u32>,
    picked_nulls: Vec<u32>,
    state: State,
    rows: u64,
    facts: HashFacts,
}

/// What becomes of rows with a NULL key, which match nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum Nulls {
    /// Nobody asks for them.
    Dropped,
    /// The join gives rows without a match, or wants to know of NULLs.
    Kept,
}

/// `Taking ─ input ends ─> Chaining ─ all rows chained ─> (done)`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Taking,
    Chaining,
}

impl Hash {
    pub(in crate::exec) fn new(
        keys: Vec<Program>,
        key_columns: Option<Vec<usize>>,
        types: Vec<Type>,
        nulls: Nulls,
        slot: TableSlot,
        memory: &Memory,
    ) -> Self {
        let key_types: Vec<Type> = keys.iter().map(Program::ty).collect();
        Hash {
            table: Box::new(HashTable::new(
                &types,
                &key_types,
                key_columns.clone(),
                memory,
            )),
            keys: RowKeys::new(keys),
            key_types,
            key_columns,
            types,
            nulls,
            memory: memory.clone(),
            slot,
            batch: Box::default(),
            place: 0,
            hashes: Vec::new(),
            picked: Vec::new(),
            picked_nulls: Vec::new(),
            state: State::Taking,
            rows: 0,
            facts: HashFacts::default(),
        }
    }

    fn new_table(&self) -> Box<HashTable> {
        Box::new(HashTable::new(
            &self.types,
            &self.key_types,
            self.key_columns.clone(),
            &self.memory,
        ))
    }

    fn take(&mut self, cx: &mut ExecCx) -> Result<Step> {
        while self.place < self.batch.len() {
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            if let Some(step) = self.keys.advance(cx, &self.batch)? {
                return Ok(step);
            }
            let known = self.keys.known();
            self.keys.hash(&mut self.hashes);
            self.pick(known);
            let picked = (&self.picked[..], &self.picked_nulls[..]);
            self.table
                .add(&self.batch, picked, &self.keys.columns, &self.hashes)?;
            self.rows += self.picked.len() as u64;
            cx.work.spend(2 * (known - self.place) as u32);
            self.place = known;
        }
        Ok(Step::Need(0))
    }

    /// Lists the rows from the place up to `known` that go into the table.
    fn pick(&mut self, known: usize) {
        self.picked.clear();
        self.picked_nulls.clear();
        let rows = self.place as u32..known as u32;
        let keys = &self.keys.columns;
        if !keys.iter().any(|key| key.nulls.any()) {
            self.picked.extend(rows);
            return;
        }
        for i in rows {
            if !keys.iter().any(|key| key.is_null(i as usize)) {
                self.picked.push(i);
            } else if self.nulls == Nulls::Kept {
                self.picked.push(i);
                self.picked_nulls.push(i);
            }
        }
    }
}

impl Operator for Hash {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Build]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, _out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
                self.keys.start();
                self.hashes.clear();
                self.take(cx)
            }
            Input::End(_) => {
                self.table.start_chains()?;
                self.state = State::Chaining;
                Ok(Step::More)
            }
            Input::Go if self.state == State::Taking => self.take(cx),
            Input::Go => {
                if !self.table.chain(&mut cx.work) {
                    return Ok(Step::Yield);
                }
                self.facts = self.table.facts();
                let empty = self.new_table();
                *self.slot.borrow_mut() = Some(std::mem::replace(&mut self.table, empty));
                Ok(Step::Done)
            }
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        *self.slot.borrow_mut() = None;
        self.table = self.new_table();
        self.place = self.batch.len();
        self.state = State::Taking;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.hash = Some(if self.facts.buckets > 0 {
            self.facts
        } else {
            self.table.facts()
        });
        facts.peak_memory += facts.hash.map_or(0, |hash| hash.bytes);
        facts.kept_rows = Some(self.rows);
    }
}
