//! `sum`, `avg`, variances and standard deviations of floats, in the order of their input
//! (`float.c`).

use std::ops::Range;

use super::super::compare::Total;
use super::super::functions::float_overflow;
use super::super::operand::Native;
use super::{Groups, State, Stop, try_each_value};
use crate::error::Result;
use crate::value::{Column, Rows, Vector};

/// A float that can be summed in its own precision.
pub(super) trait Float: Total + std::ops::Add<Output = Self> {
    fn infinite(self) -> bool;
}

impl Float for f32 {
    fn infinite(self) -> bool {
        self.is_infinite()
    }
}

impl Float for f64 {
    fn infinite(self) -> bool {
        self.is_infinite()
    }
}

/// `sum`: the first value, then `float4pl` or `float8pl`.
#[derive(Default)]
pub(super) struct FloatSum<T> {
    sums: Vec<Option<T>>,
}

impl<T: Float> State for FloatSum<T> {
    fn grow(&mut self, groups: usize) {
        self.sums.resize(groups.max(self.sums.len()), None);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let (values, sums) = (T::slice(&args[0].data), &mut self.sums);
        try_each_value(groups, args[0], rows, |group, row| {
            let value = values[row];
            let sum = match sums[group] {
                None => value,
                Some(sum) => {
                    let total = sum + value;
                    if total.infinite() && !sum.infinite() && !value.infinite() {
                        return Err(float_overflow());
                    }
                    total
                }
            };
            sums[group] = Some(sum);
            Ok(())
        })
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for sum in &self.sums[groups] {
            match sum {
                Some(sum) => T::vector(&mut out.data).push(*sum),
                None => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.sums.clear();
    }

    fn accounted_bytes(&self) -> u64 {
        self.sums.len() as u64 * 16
    }
}

/// What is made of a group's first two moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Average,
    VarPop,
    VarSamp,
    StddevPop,
    StddevSamp,
}

impl Moment {
    pub fn named(name: &str) -> Option<Moment> {
        Some(match name {
            "avg" => Moment::Average,
            "var_pop" => Moment::VarPop,
            "var_samp" | "variance" => Moment::VarSamp,
            "stddev_pop" => Moment::StddevPop,
            "stddev_samp" | "stddev" => Moment::StddevSamp,
            _ => return None,
        })
    }

    fn of(self, sums: &Sums) -> Option<f64> {
        let Sums { n, sx, sxx } = *sums;
        let least = if matches!(self, Moment::VarSamp | Moment::StddevSamp) {
            2.0
        } else {
            1.0
        };
        if n < least {
            return None;
        }
        Some(match self {
            Moment::Average => sx / n,
            Moment::VarPop => sxx / n,
            Moment::VarSamp => sxx / (n - 1.0),
            Moment::StddevPop => (sxx / n).sqrt(),
            Moment::StddevSamp => (sxx / (n - 1.0)).sqrt(),
        })
    }
}

/// Count, sum, and sum of squared differences from the mean.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: f64,
    sx: f64,
    sxx: f64,
}

impl Sums {
    /// `float8_accum`: the Youngs-Cramer update.
    fn add(&mut self, value: f64) -> Result<()> {
        let before = *self;
        self.n += 1.0;
        self.sx += value;
        if before.n > 0.0 {
            let difference = value * self.n - self.sx;
            self.sxx += difference * difference / (self.n * before.n);
            if self.sx.is_infinite() || self.sxx.is_infinite() {
                if !before.sx.is_infinite() && !value.is_infinite() {
                    return Err(float_overflow());
                }
                self.sxx = f64::NAN;
            }
        } else if !value.is_finite() {
            // One infinity or NaN has no variance.
            self.sxx = f64::NAN;
        }
        Ok(())
    }
}

pub(super) struct Moments {
    moment: Moment,
    groups: Vec<Sums>,
}

impl Moments {
    pub fn new(moment: Moment) -> Self {
        Moments {
            moment,
            groups: Vec::new(),
        }
    }
}

impl State for Moments {
    fn grow(&mut self, groups: usize) {
        self.groups
            .resize(groups.max(self.groups.len()), Sums::default());
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let sums = &mut self.groups;
        match &args[0].data {
            Vector::Float4(values) => try_each_value(groups, args[0], rows, |group, row| {
                sums[group].add(f64::from(values[row]))
            }),
            data => {
                let values = f64::slice(data);
                try_each_value(groups, args[0], rows, |group, row| {
                    sums[group].add(values[row])
                })
            }
        }
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for sums in &self.groups[groups] {
            match self.moment.of(sums) {
                Some(value) => f64::vector(&mut out.data).push(value),
                None => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.groups.clear();
    }

    fn accounted_bytes(&self) -> u64 {
        self.groups.len() as u64 * 24
    }
}
