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
    memory: Memory,
    table: Box<HashTable>,
    slot: TableSlot,
    batch: Box<Batch>,
    place: usize,
    hashes: Vec<u64>,
    picked: Vec<u32>,
    state: State,
    rows: u64,
    facts: HashFacts,
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
            memory: memory.clone(),
            slot,
            batch: Box::default(),
            place: 0,
            hashes: Vec::new(),
            picked: Vec::new(),
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
            // A NULL key matches nothing, and no unmatched inner row is ever asked for.
            self.picked.clear();
            let nulls = self.keys.columns.iter().any(|key| key.nulls.any());
            let has_null = |i: usize| nulls && self.keys.columns.iter().any(|key| key.is_null(i));
            self.picked.extend(
                (self.place..known)
                    .filter(|&i| !has_null(i))
                    .map(|i| i as u32),
            );
            self.table
                .add(&self.batch, &self.picked, &self.keys.columns, &self.hashes)?;
            self.rows += self.picked.len() as u64;
            cx.work.spend(2 * (known - self.place) as u32);
            self.place = known;
        }
        Ok(Step::Need(0))
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
