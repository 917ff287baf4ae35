//! Memoize: keeps its child's rows by the parameters they were computed for, so that a run for
//! parameters met before replays them (PostgreSQL's `nodeMemoize.c`, in its binary mode).
//!
//! 1. A rescan looks the parameters up. If their rows are kept, the child is not started over.
//! 2. Else the child's rows go up as they come and are kept aside; at its end they enter the cache. A run
//!    that is left early is forgotten.
//! 3. Past the limit the entries that were used longest ago are evicted; rows of one run that are past it
//!    alone are not kept at all.

use std::collections::{BTreeMap, HashMap};

use crate::bind::ParamId;
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::Params;
use crate::instr::{MemoizeFacts, OperatorFacts};
use crate::memory::Memory;
use crate::value::{Batch, Datum, Type};

use super::shared_rows::KeptRows;

/// PostgreSQL's sizes of an entry and its key.
const ENTRY_BYTES: u64 = 56;

/// A cache of its child's rows.
pub(in crate::exec) struct Memoize {
    keys: Vec<ParamId>,
    /// Parameters from further out that the child depends on: when one changes, nothing kept is right.
    others: Vec<ParamId>,
    others_image: Vec<u8>,
    types: Vec<Type>,
    memory: Memory,
    limit: u64,
    entries: HashMap<Vec<u8>, Entry>,
    /// The entries' keys by when they were used last.
    order: BTreeMap<u64, Vec<u8>>,
    clock: u64,
    bytes: u64,
    peak: u64,
    key: Vec<u8>,
    state: State,
    /// The run's look-up is not counted yet: a run counts when it is stepped.
    looked_up: bool,
    facts: MemoizeFacts,
}

struct Entry {
    rows: KeptRows,
    bytes: u64,
    used: u64,
}

/// `rescan ─> Replaying | Filling ─ past the limit ─> Passing`
enum State {
    /// Rows of the entry at hand given so far.
    Replaying(usize),
    Filling(KeptRows),
    /// Rows go through and are not kept.
    Passing,
}

impl Memoize {
    pub(in crate::exec) fn new(
        keys: Vec<ParamId>,
        others: Vec<ParamId>,
        types: Vec<Type>,
        limit: u64,
        memory: &Memory,
    ) -> Self {
        Memoize {
            keys,
            others,
            others_image: Vec::new(),
            types,
            memory: memory.clone(),
            limit,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            clock: 0,
            bytes: 0,
            peak: 0,
            key: Vec::new(),
            state: State::Passing,
            looked_up: true,
            facts: MemoizeFacts::default(),
        }
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.order.clear();
        self.bytes = 0;
    }

    /// Marks the entry at hand as used last. False: there is none.
    fn touch(&mut self) -> bool {
        let Some(entry) = self.entries.get_mut(&self.key) else {
            return false;
        };
        self.clock += 1;
        if let Some(key) = self.order.remove(&entry.used) {
            self.order.insert(self.clock, key);
        }
        entry.used = self.clock;
        true
    }

    /// Keeps the rows of a batch of the run at hand aside.
    fn keep(&mut self, batch: &Batch) {
        let State::Filling(rows) = &mut self.state else {
            return;
        };
        let fits = rows.append(batch).is_ok();
        let own = entry_bytes(rows, &self.key);
        if !fits || own > self.limit {
            self.facts.overflows += 1;
            self.state = State::Passing;
            if !fits {
                // The statement's memory is short: others need it more.
                self.facts.evictions += self.entries.len() as u64;
                self.clear();
            }
            return;
        }
        self.evict(self.limit - own);
        self.peak = self.peak.max(self.bytes + own);
    }

    /// Evicts entries until what is kept takes `most` bytes at most.
    fn evict(&mut self, most: u64) {
        while self.bytes > most
            && let Some((_, key)) = self.order.pop_first()
        {
            if let Some(entry) = self.entries.remove(&key) {
                self.bytes -= entry.bytes;
                self.facts.evictions += 1;
            }
        }
    }

    /// The run has come to its end: its rows enter the cache.
    fn enter(&mut self) {
        let State::Filling(rows) = std::mem::replace(&mut self.state, State::Passing) else {
            return;
        };
        let bytes = entry_bytes(&rows, &self.key);
        if bytes > self.limit {
            self.facts.overflows += 1;
            return;
        }
        self.clock += 1;
        self.evict(self.limit - bytes);
        self.bytes += bytes;
        self.peak = self.peak.max(self.bytes);
        let used = self.clock;
        self.order.insert(used, self.key.clone());
        self.entries
            .insert(self.key.clone(), Entry { rows, bytes, used });
    }
}

fn entry_bytes(rows: &KeptRows, key: &[u8]) -> u64 {
    rows.bytes() + ENTRY_BYTES + key.len() as u64
}

/// The bytes of parameters' values: equal only where the values cannot be told apart.
fn image(params: &Params, of: &[ParamId], out: &mut Vec<u8>) {
    out.clear();
    for &param in of {
        let value = params.get(param).unwrap_or(&Datum::Null);
        let mut put = |tag: u8, bytes: &[u8]| {
            out.push(tag);
            out.extend_from_slice(bytes);
        };
        match value {
            Datum::Bool(value) => put(1, &[u8::from(*value)]),
            Datum::Int2(value) => put(2, &value.to_le_bytes()),
            Datum::Int4(value) | Datum::Date(value) => put(3, &value.to_le_bytes()),
            Datum::Int8(value) | Datum::Timestamp(value) => put(4, &value.to_le_bytes()),
            Datum::Float4(value) => put(5, &value.to_bits().to_le_bytes()),
            Datum::Float8(value) => put(6, &value.to_bits().to_le_bytes()),
            Datum::Text(text) => {
                put(7, &(text.len() as u64).to_le_bytes());
                out.extend_from_slice(text.as_bytes());
            }
            // The planner makes no keys of the other types.
            Datum::Null | Datum::Numeric(_) | Datum::Interval(_) | Datum::Array(_) => put(0, &[]),
        }
    }
}

impl Operator for Memoize {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        if !std::mem::replace(&mut self.looked_up, true) {
            match self.state {
                State::Replaying(_) => self.facts.hits += 1,
                State::Filling(_) | State::Passing => self.facts.misses += 1,
            }
        }
        match input {
            Input::Go => {}
            Input::Batch(_, batch) => {
                cx.work.spend(batch.len() as u32);
                self.keep(batch);
                std::mem::swap(batch, out);
                return Ok(Step::Need(0));
            }
            Input::End(_) => {
                self.enter();
                return Ok(Step::Done);
            }
        }
        let State::Replaying(given) = &mut self.state else {
            return Ok(Step::Need(0));
        };
        let Some(entry) = self.entries.get(&self.key) else {
            return Ok(Step::Done);
        };
        if *given < entry.rows.len() {
            *given += entry.rows.copy(*given, out, &mut cx.work);
        }
        Ok(if *given == entry.rows.len() {
            Step::Done
        } else {
            Step::More
        })
    }

    fn rescan(&mut self, cx: &mut ExecCx, _changed: Changed) -> Restart {
        image(&cx.params, &self.others, &mut self.key);
        if self.key != self.others_image {
            std::mem::swap(&mut self.key, &mut self.others_image);
            self.clear();
        }
        image(&cx.params, &self.keys, &mut self.key);
        self.looked_up = false;
        if self.touch() {
            self.state = State::Replaying(0);
            return Restart::Nothing;
        }
        self.state = State::Filling(KeptRows::new(self.types.clone(), &self.memory));
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory += self.peak;
        facts.memoize = Some(self.facts);
    }
}
