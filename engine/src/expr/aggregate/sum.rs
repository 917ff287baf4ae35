//! `sum` and `avg` of integers and numerics: exact.

use std::ops::Range;

use super::super::operand::Native;
use super::{Groups, State, Stop, each_value};
use crate::error::Result;
use crate::value::{Column, Datum, Numeric, NumericMoments, NumericSum, Population, Rows, Vector};

/// Of smallint and integer: a 64-bit sum, which only 2^32 rows could overflow (`int4_sum`,
/// `int4_avg_accum`).
pub(super) struct SumSmall {
    average: bool,
    sums: Vec<i64>,
    counts: Vec<i64>,
}

impl SumSmall {
    pub fn new(average: bool) -> Self {
        SumSmall {
            average,
            sums: Vec::new(),
            counts: Vec::new(),
        }
    }

    fn add<T: Native + Copy>(&mut self, groups: Groups<'_>, column: &Column, rows: Rows<'_>)
    where
        i64: From<T>,
    {
        let values = T::slice(&column.data);
        if let (Groups::One(group), Rows::Range(from, to), false) =
            (groups, rows, column.nulls.any())
        {
            let sum = values[from..to]
                .iter()
                .fold(0i64, |sum, &value| sum.wrapping_add(value.into()));
            self.sums[group] = self.sums[group].wrapping_add(sum);
            self.counts[group] += (to - from) as i64;
            return;
        }
        let (sums, counts) = (&mut self.sums, &mut self.counts);
        each_value(groups, column, rows, |group, row| {
            sums[group] = sums[group].wrapping_add(values[row].into());
            counts[group] += 1;
        });
    }
}

impl State for SumSmall {
    fn grow(&mut self, groups: usize) {
        let groups = groups.max(self.sums.len());
        self.sums.resize(groups, 0);
        self.counts.resize(groups, 0);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        match &args[0].data {
            Vector::Int2(_) => self.add::<i16>(groups, args[0], rows),
            _ => self.add::<i32>(groups, args[0], rows),
        }
        Ok(())
    }

    fn update_one(&mut self, group: usize, args: &[&Column], row: usize) -> Result<(), Stop> {
        if !args[0].is_null(row) {
            let value = match &args[0].data {
                Vector::Int2(values) => i64::from(values[row]),
                data => i64::from(i32::slice(data)[row]),
            };
            self.sums[group] = self.sums[group].wrapping_add(value);
            self.counts[group] += 1;
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for group in groups {
            let (sum, count) = (self.sums[group], self.counts[group]);
            if count == 0 {
                out.push_null();
            } else if self.average {
                let average = Numeric::from(sum).div(&Numeric::from(count))?;
                out.push(&Datum::Numeric(average));
            } else {
                out.push(&Datum::Int8(sum));
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.sums.clear();
        self.counts.clear();
    }

    fn accounted_bytes(&self) -> u64 {
        self.sums.len() as u64 * 16
    }
}

/// Of bigint and numeric.
pub(super) struct SumExact {
    average: bool,
    sums: Vec<NumericSum>,
    /// Bytes of sums that outgrew their inline form, as of the last update.
    long: u64,
}

impl SumExact {
    pub fn new(average: bool) -> Self {
        SumExact {
            average,
            sums: Vec::new(),
            long: 0,
        }
    }
}

impl State for SumExact {
    fn grow(&mut self, groups: usize) {
        self.sums
            .resize_with(groups.max(self.sums.len()), NumericSum::new);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let sums = &mut self.sums;
        match &args[0].data {
            Vector::Int8(values) => {
                each_value(groups, args[0], rows, |group, row| {
                    sums[group].add_i64(values[row])
                });
            }
            data => {
                let values = Numeric::slice(data);
                let long = &mut self.long;
                each_value(groups, args[0], rows, |group, row| {
                    let sum = &mut sums[group];
                    let before = sum.heap_bytes();
                    sum.add(&values[row]);
                    *long = *long - before + sum.heap_bytes();
                });
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for sum in &self.sums[groups] {
            match if self.average { sum.avg()? } else { sum.sum()? } {
                Some(value) => out.push(&Datum::Numeric(value)),
                None => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.sums.clear();
        self.long = 0;
    }

    fn accounted_bytes(&self) -> u64 {
        self.sums.len() as u64 * 48 + self.long
    }
}

/// `variance`, `stddev` and their kin, of integers and numerics.
pub(super) struct ExactMoments {
    population: Population,
    root: bool,
    moments: Vec<NumericMoments>,
    /// Bytes of sums that outgrew their inline form, as of the last update.
    long: u64,
}

impl ExactMoments {
    /// `None` for a name that is no variance.
    pub fn named(name: &str) -> Option<Self> {
        let (population, root) = match name {
            "var_pop" => (Population::Whole, false),
            "var_samp" | "variance" => (Population::Sample, false),
            "stddev_pop" => (Population::Whole, true),
            "stddev_samp" | "stddev" => (Population::Sample, true),
            _ => return None,
        };
        Some(ExactMoments {
            population,
            root,
            moments: Vec::new(),
            long: 0,
        })
    }
}

impl State for ExactMoments {
    fn grow(&mut self, groups: usize) {
        self.moments
            .resize_with(groups.max(self.moments.len()), NumericMoments::new);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let (moments, long) = (&mut self.moments, &mut self.long);
        each_value(groups, args[0], rows, |group, row| {
            let moments = &mut moments[group];
            match &args[0].data {
                Vector::Int2(values) => moments.add_i64(values[row].into()),
                Vector::Int4(values) => moments.add_i64(values[row].into()),
                Vector::Int8(values) => moments.add_i64(values[row]),
                data => {
                    let before = moments.heap_bytes();
                    moments.add(&Numeric::slice(data)[row]);
                    *long = *long - before + moments.heap_bytes();
                }
            }
        });
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for moments in &self.moments[groups] {
            let value = if self.root {
                moments.standard_deviation(self.population)?
            } else {
                moments.variance(self.population)?
            };
            match value {
                Some(value) => out.push(&Datum::Numeric(value)),
                None => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.moments.clear();
        self.long = 0;
    }

    fn accounted_bytes(&self) -> u64 {
        self.moments.len() as u64 * 96 + self.long
    }
}
