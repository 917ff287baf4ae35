//! The hash table of a join: rows in columns, chained by hash.

use std::cell::RefCell;
use std::rc::Rc;

use crate::error::Result;
use crate::instr::HashFacts;
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Column, Rows, Type, equal_values};
use crate::work::Work;

/// The end of a chain.
pub(super) const END: u32 = u32::MAX;
/// How often a row is copied into one batch at most.
const MOST_COPIES: usize = 4096;
/// PostgreSQL's least number of buckets.
const LEAST_BUCKETS: usize = 1024;

/// Where the table passes from the Hash to the join.
pub(in crate::exec) type TableSlot = Rc<RefCell<Option<Box<HashTable>>>>;

/// Rows with their keys and hashes. Once all are in, chains lead through rows of one bucket, in the
/// order they came.
pub(in crate::exec) struct HashTable {
    rows: Batch,
    /// The rows' columns that are the keys; otherwise the keys have columns of their own.
    key_columns: Option<Vec<usize>>,
    keys: Vec<Column>,
    hashes: Vec<u64>,
    /// Rows with a NULL key, ascending: they are in no chain.
    nulls: Vec<u32>,
    heads: Vec<u32>,
    next: Vec<u32>,
    /// Rows from this one on are in their chains, as are the NULLs: filled from the last one to the
    /// first.
    chained: usize,
    chained_nulls: usize,
    /// Accounted bytes of the rows and the keys, and the bytes of the widest row.
    bytes: u64,
    widest: u64,
    holding: Holding,
}

impl HashTable {
    pub(super) fn new(
        types: &[Type],
        key_types: &[Type],
        key_columns: Option<Vec<usize>>,
        memory: &Memory,
    ) -> Self {
        HashTable {
            rows: Batch::with_types(types),
            keys: match key_columns {
                Some(_) => Vec::new(),
                None => key_types.iter().map(|&ty| Column::new(ty)).collect(),
            },
            key_columns,
            hashes: Vec::new(),
            nulls: Vec::new(),
            heads: Vec::new(),
            next: Vec::new(),
            chained: 0,
            chained_nulls: 0,
            bytes: 0,
            widest: 0,
            holding: memory.holding(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.rows.columns
    }

    fn key(&self, k: usize) -> &Column {
        match &self.key_columns {
            Some(columns) => &self.rows.columns[columns[k]],
            None => &self.keys[k],
        }
    }

    /// Rows with a NULL key, ascending.
    pub(super) fn nulls(&self) -> &[u32] {
        &self.nulls
    }

    /// Adds rows of a batch: `picked` are their numbers among the batch's rows, of which those in
    /// `nulls` have a NULL key; `keys` and `hashes` go by those numbers. Errors: 53200.
    pub(super) fn add(
        &mut self,
        batch: &Batch,
        (picked, nulls): (&[u32], &[u32]),
        keys: &[Column],
        hashes: &[u64],
    ) -> Result<()> {
        let (all, before) = (picked.len() == batch.len(), self.hashes.len());
        let place = |null: &u32| before + picked.partition_point(|picked| picked < null);
        self.nulls
            .extend(nulls.iter().map(|null| place(null) as u32));
        for (to, from) in self.rows.columns.iter_mut().zip(&batch.columns) {
            match batch.rows() {
                Rows::Range(a, b) if all => to.extend_range(from, a, b),
                Rows::Range(..) => to.gather(from, picked),
                Rows::Picked(rows) if all => to.gather(from, rows),
                Rows::Picked(rows) => picked
                    .iter()
                    .for_each(|&i| to.push_from(from, rows[i as usize] as usize)),
            }
        }
        self.rows
            .set_physical_rows(self.rows.physical_rows() + picked.len());
        for (to, from) in self.keys.iter_mut().zip(keys) {
            to.gather(from, picked);
        }
        self.hashes
            .extend(picked.iter().map(|&i| hashes[i as usize]));
        let keys = self.keys.iter().map(|key| key.accounted_from(before));
        self.bytes += self.rows.accounted_from(before) + keys.sum::<u64>();
        self.widest = self.widest.max(batch.widest(MOST_COPIES));
        self.account(0)
    }

    fn account(&mut self, buckets: usize) -> Result<()> {
        let rows = self.hashes.len() as u64;
        self.holding
            .set(self.bytes + rows * 12 + (self.nulls.len() + buckets) as u64 * 4)
    }

    /// Allocates the buckets. Errors: 53200.
    pub(super) fn start_chains(&mut self) -> Result<()> {
        let buckets = self.len().next_power_of_two().max(LEAST_BUCKETS);
        self.account(buckets)?;
        self.heads.resize(buckets, END);
        self.next.resize(self.len(), END);
        (self.chained, self.chained_nulls) = (self.len(), self.nulls.len());
        Ok(())
    }

    /// Chains rows while the work allowance lasts. True: all are chained.
    pub(super) fn chain(&mut self, work: &mut Work) -> bool {
        let n = self.chained.min(work.left().max(1) as usize);
        let mask = self.heads.len() - 1;
        for row in (self.chained - n..self.chained).rev() {
            if self.chained_nulls > 0 && self.nulls[self.chained_nulls - 1] as usize == row {
                self.chained_nulls -= 1;
                continue;
            }
            let head = &mut self.heads[self.hashes[row] as usize & mask];
            self.next[row] = *head;
            *head = row as u32;
        }
        work.spend(n as u32);
        self.chained -= n;
        self.chained == 0
    }

    /// The first row of a hash's chain.
    #[inline]
    pub(super) fn head(&self, hash: u64) -> u32 {
        self.heads[hash as usize & (self.heads.len() - 1)]
    }

    #[inline]
    pub(super) fn next(&self, row: u32) -> u32 {
        self.next[row as usize]
    }

    /// Whether a row's keys equal those of row `i` of `keys`. Nothing equals NULL.
    #[inline]
    pub(super) fn matches(&self, row: u32, hash: u64, keys: &[Column], i: usize) -> bool {
        self.hashes[row as usize] == hash
            && keys
                .iter()
                .enumerate()
                .all(|(k, key)| !key.is_null(i) && equal_values(self.key(k), row as usize, key, i))
    }

    /// Whether a row's keys and those of row `i` of `keys` are not known to differ: a comparison with
    /// NULL tells nothing.
    pub(super) fn may_match(&self, row: u32, keys: &[Column], i: usize) -> bool {
        keys.iter().enumerate().all(|(k, key)| {
            let own = self.key(k);
            key.is_null(i) || own.is_null(row as usize) || equal_values(own, row as usize, key, i)
        })
    }

    /// The first row of a chain, from `at` on, whose keys equal those of row `row`: the columns at `slots`.
    #[inline]
    pub(super) fn find(
        &self,
        mut at: u32,
        hash: u64,
        (columns, slots): (&[Column], &[usize]),
        row: usize,
    ) -> u32 {
        while at != END {
            let equal = self.hashes[at as usize] == hash
                && slots.iter().enumerate().all(|(k, &slot)| {
                    let key = &columns[slot];
                    !key.is_null(row) && equal_values(self.key(k), at as usize, key, row)
                });
            if equal {
                return at;
            }
            at = self.next(at);
        }
        END
    }

    /// The bytes to be copied of the widest row; 0 where they are nothing to speak of.
    pub(super) fn widest(&self) -> u64 {
        self.widest
    }

    pub(super) fn facts(&self) -> HashFacts {
        HashFacts {
            buckets: self.heads.len() as u64,
            rows: self.len() as u64,
            distinct_chains: self.heads.iter().filter(|&&head| head != END).count() as u64,
            bytes: self.holding.bytes(),
        }
    }
}
