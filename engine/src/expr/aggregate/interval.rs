//! `sum` and `avg` of intervals (`interval_pl`, `interval_avg`).

use std::ops::Range;

use super::super::operand::Native;
use super::{Groups, State, Stop, try_each_value};
use crate::error::Result;
use crate::value::{Column, Interval, Rows};

pub(super) struct IntervalSum {
    average: bool,
    sums: Vec<Interval>,
    counts: Vec<u64>,
}

impl IntervalSum {
    pub fn new(average: bool) -> Self {
        IntervalSum {
            average,
            sums: Vec::new(),
            counts: Vec::new(),
        }
    }
}

impl State for IntervalSum {
    fn grow(&mut self, groups: usize) {
        let groups = groups.max(self.sums.len());
        self.sums.resize(groups, Interval::ZERO);
        self.counts.resize(groups, 0);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let values = Interval::slice(&args[0].data);
        let (sums, counts) = (&mut self.sums, &mut self.counts);
        try_each_value(groups, args[0], rows, |group, row| {
            sums[group] = sums[group].plus(values[row])?;
            counts[group] += 1;
            Ok(())
        })
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for group in groups {
            let (sum, count) = (self.sums[group], self.counts[group]);
            if count == 0 {
                out.push_null();
            } else if self.average {
                Interval::vector(&mut out.data).push(sum.divided(count as f64)?);
            } else {
                Interval::vector(&mut out.data).push(sum);
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.sums.clear();
        self.counts.clear();
    }

    fn accounted_bytes(&self) -> u64 {
        self.sums.len() as u64 * 24
    }
}
