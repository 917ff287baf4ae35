//! DISTINCT in an aggregate: each group's state sees each combination of arguments once.

use std::cmp::Ordering;
use std::ops::Range;

use hashbrown::HashTable;

use super::{Groups, State, Stop};
use crate::error::Result;
use crate::expr::StopCause;
use crate::value::{Column, Rows, Type, compare_values, hash_rows, same_group};

/// Remembers what each group has seen. Where the order of the input shows in the result, the values
/// are held back and given to the inner state in ascending order, as PostgreSQL's sort would.
pub(super) struct Distinct {
    inner: Box<dyn State>,
    ordered: bool,
    /// A NULL first argument counts as a value (`array_agg`); all other aggregates skip it.
    nulls_count: bool,
    seen: HashTable<u32>,
    /// What was seen, one row a combination.
    values: Vec<Column>,
    groups: Vec<u32>,
    hashes: Vec<u64>,
    /// Rows of the batch, and their groups, that nothing equal came before.
    fresh: Vec<u32>,
    fresh_groups: Vec<u32>,
    batch_hashes: Vec<u64>,
    /// How many of the held-back values the inner state has.
    given: usize,
    /// Accounted bytes of the values.
    bytes: u64,
}

impl Distinct {
    pub fn new(inner: Box<dyn State>, types: &[Type], ordered: bool, nulls_count: bool) -> Self {
        Distinct {
            inner,
            ordered,
            nulls_count,
            seen: HashTable::new(),
            values: types.iter().map(|&ty| Column::new(ty)).collect(),
            groups: Vec::new(),
            hashes: Vec::new(),
            fresh: Vec::new(),
            fresh_groups: Vec::new(),
            batch_hashes: Vec::new(),
            given: 0,
            bytes: 0,
        }
    }

    fn remember(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) {
        hash_rows(args, rows, &mut self.batch_hashes);
        let values: Vec<&Column> = self.values.iter().collect();
        // New values are appended after the loop, so that the seen ones can be looked at in it;
        // what is equal within the batch is found among the fresh rows.
        let known = self.groups.len();
        for i in 0..rows.len() {
            let (row, group) = (rows.at(i), groups.at(i));
            if !self.nulls_count && args[0].is_null(row) {
                continue;
            }
            let hash = with_group(self.batch_hashes[i], group);
            let (fresh, fresh_groups, seen_groups) =
                (&self.fresh, &self.fresh_groups, &self.groups);
            let equal = |&at: &u32| match (at as usize).checked_sub(known) {
                None => {
                    seen_groups[at as usize] as usize == group
                        && same_group(&values, at as usize, args, row)
                }
                Some(at) => {
                    fresh_groups[at] as usize == group
                        && same_group(args, fresh[at] as usize, args, row)
                }
            };
            if self.seen.find(hash, equal).is_some() {
                continue;
            }
            let at = (known + self.fresh.len()) as u32;
            self.hashes.push(hash);
            let hashes = &self.hashes;
            self.seen.insert_unique(hash, at, |&at| hashes[at as usize]);
            self.fresh.push(row as u32);
            self.fresh_groups.push(group as u32);
        }
        for (column, arg) in self.values.iter_mut().zip(args) {
            column.gather(arg, &self.fresh);
            self.bytes += column.accounted_from(known);
        }
        self.groups.extend_from_slice(&self.fresh_groups);
    }

    /// Gives the inner state what was held back, each group's values in ascending order.
    fn give(&mut self) -> Result<()> {
        let mut order: Vec<u32> = (self.given as u32..self.groups.len() as u32).collect();
        let (values, groups) = (&self.values, &self.groups);
        order.sort_unstable_by(|&i, &j| {
            let (i, j) = (i as usize, j as usize);
            groups[i]
                .cmp(&groups[j])
                .then_with(|| compare_all(values, i, j))
        });
        let mut sorted: Vec<Column> = values
            .iter()
            .map(|column| Column::new(column.ty()))
            .collect();
        for (sorted, column) in sorted.iter_mut().zip(values) {
            sorted.gather(column, &order);
        }
        let groups: Vec<u32> = order.iter().map(|&at| groups[at as usize]).collect();
        let args: Vec<&Column> = sorted.iter().collect();
        self.given = self.groups.len();
        self.inner
            .update(Groups::Each(&groups), &args, Rows::Range(0, groups.len()))
            .map_err(|stop| match stop.cause {
                Some(StopCause::Error(error)) => error,
                Some(StopCause::Produce(_)) | None => {
                    crate::error::Error::internal("an aggregate waits for nothing")
                }
            })
    }
}

fn with_group(hash: u64, group: usize) -> u64 {
    hash ^ (group as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn compare_all(values: &[Column], i: usize, j: usize) -> Ordering {
    values
        .iter()
        .map(|column| match (column.is_null(i), column.is_null(j)) {
            (false, false) => compare_values(column, i, column, j),
            (i_null, j_null) => i_null.cmp(&j_null),
        })
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

impl State for Distinct {
    fn grow(&mut self, groups: usize) {
        self.inner.grow(groups);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        self.fresh.clear();
        self.fresh_groups.clear();
        self.remember(groups, args, rows);
        if self.ordered {
            return Ok(());
        }
        self.inner.update(
            Groups::Each(&self.fresh_groups),
            args,
            Rows::Picked(&self.fresh),
        )
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        if self.ordered && self.given < self.groups.len() {
            self.give()?;
        }
        self.inner.finish(groups, out)
    }

    fn reset(&mut self) {
        self.inner.reset();
        self.seen.clear();
        self.values.iter_mut().for_each(Column::clear);
        self.groups.clear();
        self.hashes.clear();
        self.given = 0;
        self.bytes = 0;
    }

    fn accounted_bytes(&self) -> u64 {
        // What is held back is sorted in a copy, and the inner state takes another.
        let copies = if self.ordered { 3 } else { 1 };
        self.inner.accounted_bytes() + self.bytes * copies + self.groups.len() as u64 * 24
    }
}
