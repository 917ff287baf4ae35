//! The groups of a hashed aggregation or set operation: their keys in columns, found by an
//! open-addressed table.

use crate::value::{Batch, Column, Rows, Type, equal_values, hash_row, hash_rows};
use crate::work::Work;

const EMPTY: u32 = u32::MAX;
/// Slots to begin with.
const FIRST_SLOTS: usize = 64;

/// Groups, numbered from 0 in the order they were first met. NULL equals NULL.
pub(super) struct GroupTable {
    /// One row a group.
    keys: Vec<Column>,
    hashes: Vec<u64>,
    slots: Vec<u32>,
    /// A bigger table being filled, and the groups that are in it already.
    growing: Option<(Vec<u32>, usize)>,
    row_hashes: Vec<u64>,
    /// Accounted bytes of the keys.
    key_bytes: u64,
}

impl GroupTable {
    pub(super) fn new(types: &[Type]) -> Self {
        GroupTable {
            keys: types.iter().map(|&ty| Column::new(ty)).collect(),
            hashes: Vec::new(),
            slots: vec![EMPTY; FIRST_SLOTS],
            growing: None,
            row_hashes: Vec::new(),
            key_bytes: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(super) fn keys(&self) -> &[Column] {
        &self.keys
    }

    pub(super) fn clear(&mut self) {
        self.keys.iter_mut().for_each(Column::clear);
        self.hashes.clear();
        self.slots.clear();
        self.slots.resize(FIRST_SLOTS, EMPTY);
        self.growing = None;
        self.key_bytes = 0;
    }

    pub(super) fn accounted_bytes(&self) -> u64 {
        let growing = self.growing.as_ref().map_or(0, |(slots, _)| slots.len());
        self.key_bytes + self.hashes.len() as u64 * 8 + (self.slots.len() + growing) as u64 * 4
    }

    /// Makes room for `more` groups. False: the work allowance ran out before all groups were moved
    /// to the bigger table; call again.
    pub(super) fn reserve(&mut self, more: usize, work: &mut Work) -> bool {
        loop {
            let Some((slots, moved)) = &mut self.growing else {
                let needed = (self.hashes.len() + more) * 4 / 3 + 1;
                if needed <= self.slots.len() {
                    return true;
                }
                self.growing = Some((
                    vec![EMPTY; needed.next_power_of_two().max(self.slots.len() * 2)],
                    0,
                ));
                continue;
            };
            let end = self.hashes.len().min(*moved + work.left().max(1) as usize);
            for group in *moved..end {
                insert(slots, self.hashes[group], group as u32);
            }
            work.spend((end - *moved) as u32);
            *moved = end;
            if end < self.hashes.len() {
                return false;
            }
            if let Some((slots, _)) = self.growing.take() {
                self.slots = slots;
            }
        }
    }

    /// Finds or makes the groups of rows, for which there is room: `out[i]` is that of the `i`th row.
    pub(super) fn find(&mut self, keys: &[&Column], rows: Rows<'_>, out: &mut Vec<u32>) {
        hash_rows(keys, rows, &mut self.row_hashes);
        out.clear();
        let mut new_groups = 0;
        let mask = self.slots.len() - 1;
        for (i, &hash) in self.row_hashes.iter().enumerate() {
            let row = rows.at(i);
            let mut at = hash as usize & mask;
            let group = loop {
                let group = self.slots[at];
                if group == EMPTY {
                    let new = self.hashes.len() as u32;
                    self.slots[at] = new;
                    self.hashes.push(hash);
                    for (column, key) in self.keys.iter_mut().zip(keys) {
                        column.push_from(key, row);
                    }
                    new_groups += 1;
                    break new;
                }
                if self.hashes[group as usize] == hash
                    && self
                        .keys
                        .iter()
                        .zip(keys)
                        .all(|(a, b)| same(a, group as usize, b, row))
                {
                    break group;
                }
                at = (at + 1) & mask;
            };
            out.push(group);
        }
        let known = self.hashes.len() - new_groups;
        self.key_bytes += self
            .keys
            .iter()
            .map(|key| key.accounted_from(known))
            .sum::<u64>();
    }

    /// Finds or makes the group of one row, for which there is room: the keys are the columns at
    /// `slots`. `find`'s loop without its set-up.
    pub(super) fn find_one(&mut self, columns: &[Column], slots: &[usize], row: usize) -> usize {
        let hash = hash_row(slots.iter().map(|&slot| &columns[slot]), row);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let group = self.slots[at];
            if group == EMPTY {
                break;
            }
            if self.hashes[group as usize] == hash
                && (self.keys.iter().zip(slots))
                    .all(|(key, &slot)| same(key, group as usize, &columns[slot], row))
            {
                return group as usize;
            }
            at = (at + 1) & mask;
        }
        let new = self.hashes.len();
        self.slots[at] = new as u32;
        self.hashes.push(hash);
        for (key, &slot) in self.keys.iter_mut().zip(slots) {
            key.push_from(&columns[slot], row);
            self.key_bytes += key.accounted_from(new);
        }
        new
    }

    /// How many of `n` groups from `from` on have keys that make a batch full; at least one.
    pub(super) fn groups_to_fill(&self, from: usize, n: usize) -> usize {
        if self.key_bytes < Batch::FULL_BYTES {
            return n;
        }
        let mut bytes = 0;
        let full = (from..from + n).position(|group| {
            bytes += self
                .keys
                .iter()
                .map(|key| key.copied_bytes(group))
                .sum::<u64>();
            bytes >= Batch::FULL_BYTES
        });
        full.map_or(n, |at| at + 1)
    }
}

fn insert(slots: &mut [u32], hash: u64, group: u32) {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while slots[at] != EMPTY {
        at = (at + 1) & mask;
    }
    slots[at] = group;
}

#[inline]
fn same(a: &Column, i: usize, b: &Column, j: usize) -> bool {
    match (a.is_null(i), b.is_null(j)) {
        (false, false) => equal_values(a, i, b, j),
        (a_null, b_null) => a_null && b_null,
    }
}
