//! ORDER BY in an aggregate: each group's state sees its rows in that order.

use std::ops::Range;

use super::{Groups, State, Stop};
use crate::error::{Error, Result};
use crate::expr::StopCause;
use crate::value::{Column, KeyOrder, Rows, Type, compare_rows, same_group};

/// Holds the rows of all groups back and gives them to the inner state, sorted, when a result is
/// wanted. Equal rows keep the order they came in. With DISTINCT the sort keys are all arguments, and
/// a row equal to the one before it is left out.
pub(super) struct Ordered {
    inner: Box<dyn State>,
    /// How many of the columns are the inner state's arguments; the others are sorted by only.
    arguments: usize,
    keys: Vec<KeyOrder>,
    distinct: bool,
    values: Vec<Column>,
    groups: Vec<u32>,
    /// Accounted bytes of the values.
    bytes: u64,
}

impl Ordered {
    /// `types`: of the arguments, then of what is sorted by.
    pub fn new(
        inner: Box<dyn State>,
        arguments: usize,
        types: &[Type],
        mut keys: Vec<KeyOrder>,
        distinct: bool,
    ) -> Self {
        if distinct {
            for column in 0..arguments {
                if !keys.iter().any(|key| key.column == column) {
                    keys.push(KeyOrder {
                        column,
                        descending: false,
                        nulls_first: false,
                    });
                }
            }
        }
        Ordered {
            inner,
            arguments,
            keys,
            distinct,
            values: types.iter().map(|&ty| Column::new(ty)).collect(),
            groups: Vec::new(),
            bytes: 0,
        }
    }

    fn give(&mut self) -> Result<()> {
        let (values, groups) = (&self.values, &self.groups);
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        order.sort_by(|&i, &j| {
            let (i, j) = (i as usize, j as usize);
            let by_group = groups[i].cmp(&groups[j]);
            by_group.then_with(|| compare_rows(&self.keys, values, i, values, j))
        });
        let arguments: Vec<&Column> = values[..self.arguments].iter().collect();
        if self.distinct {
            order.dedup_by(|next, kept| {
                let (next, kept) = (*next as usize, *kept as usize);
                groups[next] == groups[kept] && same_group(&arguments, next, &arguments, kept)
            });
        }
        let sorted: Vec<Column> = arguments
            .iter()
            .map(|column| {
                let mut sorted = Column::new(column.ty());
                sorted.gather(column, &order);
                sorted
            })
            .collect();
        let groups: Vec<u32> = order.iter().map(|&at| groups[at as usize]).collect();
        let arguments: Vec<&Column> = sorted.iter().collect();
        self.inner
            .update(
                Groups::Each(&groups),
                &arguments,
                Rows::Range(0, groups.len()),
            )
            .map_err(|stop| match stop.cause {
                Some(StopCause::Error(error)) => error,
                Some(StopCause::Produce(_)) | None => {
                    Error::internal("an aggregate waits for nothing")
                }
            })?;
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        self.values.iter_mut().for_each(Column::clear);
        self.groups.clear();
        self.bytes = 0;
    }
}

impl State for Ordered {
    fn grow(&mut self, groups: usize) {
        self.inner.grow(groups);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let before = self.groups.len();
        for (column, arg) in self.values.iter_mut().zip(args) {
            match rows {
                Rows::Range(from, to) => column.extend_range(arg, from, to),
                Rows::Picked(rows) => column.gather(arg, rows),
            }
            self.bytes += column.accounted_from(before);
        }
        self.groups
            .extend((0..rows.len()).map(|i| groups.at(i) as u32));
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        if !self.groups.is_empty() {
            self.give()?;
        }
        self.inner.finish(groups, out)
    }

    fn reset(&mut self) {
        self.inner.reset();
        self.forget();
    }

    fn accounted_bytes(&self) -> u64 {
        // What is held back is sorted in a copy, and the inner state takes another.
        self.inner.accounted_bytes() + self.bytes * 3 + self.groups.len() as u64 * 12
    }
}
