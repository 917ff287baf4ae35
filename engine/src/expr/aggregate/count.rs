//! `count(*)` and `count(x)`.

use std::ops::Range;

use super::super::operand::Native;
use super::{Groups, State, Stop, each_value};
use crate::error::Result;
use crate::value::{Column, Rows};

#[derive(Default)]
pub(super) struct Count {
    counts: Vec<i64>,
}

impl Count {
    /// As `update`, for one row of one group.
    #[inline]
    pub(super) fn add_one(&mut self, group: usize, args: &[&Column], row: usize) {
        let counts = args.first().is_none_or(|column| !column.is_null(row));
        self.counts[group] += i64::from(counts);
    }
}

impl State for Count {
    fn grow(&mut self, groups: usize) {
        self.counts.resize(groups.max(self.counts.len()), 0);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let counts = &mut self.counts;
        match (args.first(), groups) {
            (Some(column), _) if column.nulls.any() => {
                each_value(groups, column, rows, |group, _| counts[group] += 1);
            }
            (_, Groups::One(group)) => counts[group] += rows.len() as i64,
            (_, Groups::Each(groups)) => {
                for &group in &groups[..rows.len()] {
                    counts[group as usize] += 1;
                }
            }
        }
        Ok(())
    }

    fn update_one(&mut self, group: usize, args: &[&Column], row: usize) -> Result<(), Stop> {
        self.add_one(group, args, row);
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        i64::vector(&mut out.data).extend_from_slice(&self.counts[groups]);
        Ok(())
    }

    fn reset(&mut self) {
        self.counts.clear();
    }

    fn accounted_bytes(&self) -> u64 {
        self.counts.len() as u64 * 8
    }
}
