//! Aggregates of pairs of floats: covariance, correlation, regression lines (`float8_regr_accum`).

use std::ops::Range;

use super::super::functions::float_overflow;
use super::super::operand::Native;
use super::{Groups, State, Stop};
use crate::error::Result;
use crate::value::{Column, Rows};

/// What is made of a group's sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    CovarPop,
    CovarSamp,
    Corr,
    Slope,
    Intercept,
    AverageX,
}

/// Count, sums, and sums of (products of) differences from the means.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: f64,
    sx: f64,
    sxx: f64,
    sy: f64,
    syy: f64,
    sxy: f64,
}

impl Sums {
    /// The Youngs-Cramer update for pairs.
    fn add(&mut self, y: f64, x: f64) -> Result<()> {
        let before = *self;
        self.n += 1.0;
        self.sx += x;
        self.sy += y;
        if before.n > 0.0 {
            let (dx, dy) = (x * self.n - self.sx, y * self.n - self.sy);
            let scale = 1.0 / (self.n * before.n);
            self.sxx += dx * dx * scale;
            self.syy += dy * dy * scale;
            self.sxy += dx * dy * scale;
            let infinite = |value: f64| value.is_infinite();
            if [self.sx, self.sxx, self.sy, self.syy, self.sxy]
                .into_iter()
                .any(infinite)
            {
                let x_fine = !before.sx.is_infinite() && !x.is_infinite();
                let y_fine = !before.sy.is_infinite() && !y.is_infinite();
                if (infinite(self.sx) || infinite(self.sxx)) && x_fine
                    || (infinite(self.sy) || infinite(self.syy)) && y_fine
                    || infinite(self.sxy) && x_fine && y_fine
                {
                    return Err(float_overflow());
                }
                for sum in [&mut self.sxx, &mut self.syy, &mut self.sxy] {
                    if sum.is_infinite() {
                        *sum = f64::NAN;
                    }
                }
            }
        } else {
            // One infinity or NaN has no variance.
            if !x.is_finite() {
                (self.sxx, self.sxy) = (f64::NAN, f64::NAN);
            }
            if !y.is_finite() {
                (self.syy, self.sxy) = (f64::NAN, f64::NAN);
            }
        }
        Ok(())
    }

    fn figure(&self, figure: Figure) -> Option<f64> {
        let Sums {
            n,
            sx,
            sxx,
            sy,
            syy,
            sxy,
        } = *self;
        let least = if figure == Figure::CovarSamp {
            2.0
        } else {
            1.0
        };
        if n < least {
            return None;
        }
        Some(match figure {
            Figure::CovarPop => sxy / n,
            Figure::CovarSamp => sxy / (n - 1.0),
            Figure::Corr if sxx == 0.0 || syy == 0.0 => return None,
            Figure::Corr => sxy / (sxx * syy).sqrt(),
            Figure::Slope | Figure::Intercept if sxx == 0.0 => return None,
            Figure::Slope => sxy / sxx,
            Figure::Intercept => (sy - sx * sxy / sxx) / n,
            Figure::AverageX => sx / n,
        })
    }
}

/// Of pairs `(y, x)` without NULL.
pub(super) struct Regression {
    figure: Figure,
    groups: Vec<Sums>,
}

impl Regression {
    /// `None` for a name that is none of these.
    pub fn named(name: &str) -> Option<Self> {
        let figure = match name {
            "covar_pop" => Figure::CovarPop,
            "covar_samp" => Figure::CovarSamp,
            "corr" => Figure::Corr,
            "regr_slope" => Figure::Slope,
            "regr_intercept" => Figure::Intercept,
            "regr_avgx" => Figure::AverageX,
            _ => return None,
        };
        Some(Regression {
            figure,
            groups: Vec::new(),
        })
    }
}

impl State for Regression {
    fn grow(&mut self, groups: usize) {
        self.groups
            .resize(groups.max(self.groups.len()), Sums::default());
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let (y, x) = (f64::slice(&args[0].data), f64::slice(&args[1].data));
        for i in 0..rows.len() {
            let row = rows.at(i);
            if !args[0].is_null(row) && !args[1].is_null(row) {
                let sums = &mut self.groups[groups.at(i)];
                sums.add(y[row], x[row])
                    .map_err(|error| Stop::error(row, error))?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for sums in &self.groups[groups] {
            match sums.figure(self.figure) {
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
        self.groups.len() as u64 * 48
    }
}
