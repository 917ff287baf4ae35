//! One column's statistics from a sample of its values (`compute_scalar_stats`).

use crate::value::{Array, Column, Vector, equal_values};

/// Wider values are counted but never kept (`WIDTH_THRESHOLD`).
const WIDEST_KEPT: usize = 1024;

/// What ANALYZE knows of a column. Fractions are `real`, as in `pg_statistic`, so that estimates
/// agree with PostgreSQL's to the last row.
#[derive(Clone, Debug)]
pub struct ColumnStatistics {
    pub null_fraction: f32,
    /// Bytes of a stored value, in the mean; 0: unknown.
    pub width: u32,
    /// `stadistinct`: above 0 a count, below 0 the negative of a share of the rows, 0 unknown.
    pub distinct: f32,
    /// The most common values, if any is more common than others.
    pub common: Option<CommonValues>,
    /// Bounds of bins of about equally many rows, common values left out; at least two.
    pub histogram: Option<Column>,
    /// Between the order of values and the order on disk, -1 to 1.
    pub correlation: Option<f32>,
}

/// Falling by frequency.
#[derive(Clone, Debug)]
pub struct CommonValues {
    pub values: Column,
    /// Shares of all rows, NULLs included.
    pub frequencies: Vec<f32>,
}

/// A column's sampled values and the size of what they are a sample of.
#[derive(Clone, Copy, Debug)]
pub struct SampledColumn<'a> {
    pub values: &'a Column,
    /// Rows of the table.
    pub table_rows: f64,
    /// The longest list wanted (`default_statistics_target`).
    pub target: usize,
}

/// A value that occurs more than once: where its run starts in the order, and how often it occurs.
#[derive(Clone, Copy)]
struct Repeated {
    first: usize,
    count: usize,
}

/// What one walk over the sorted values finds.
struct Walk {
    distinct: usize,
    /// Values that occur more than once.
    multiple: usize,
    /// The most frequent of those, falling by frequency.
    tracked: Vec<Repeated>,
    correlation_sum: f64,
}

impl SampledColumn<'_> {
    /// The rows that can be compared: not NULL and not too wide.
    pub fn comparable_rows(&self) -> Vec<u32> {
        let kept = |row: &usize| {
            !self.values.is_null(*row) && stored_width(self.values, *row) <= WIDEST_KEPT
        };
        (0..self.values.len())
            .filter(kept)
            .map(|row| row as u32)
            .collect()
    }

    /// The statistics. `order` are the comparable rows by value, equal ones by place.
    pub fn statistics(&self, order: &[u32]) -> ColumnStatistics {
        let sampled = self.values.len();
        let nulls = (0..sampled).filter(|&row| self.values.is_null(row)).count();
        let known = sampled - nulls;
        let null_fraction = if sampled == 0 {
            0.0
        } else {
            nulls as f64 / sampled as f64
        };
        let mut statistics = ColumnStatistics {
            null_fraction: null_fraction as f32,
            width: self.mean_width(known),
            distinct: 0.0,
            common: None,
            histogram: None,
            correlation: None,
        };
        if known == 0 {
            return statistics;
        }
        if order.is_empty() {
            statistics.distinct = -(1.0 - null_fraction) as f32;
            return statistics;
        }
        let walk = self.walk(order);
        let too_wide = known - order.len();
        let distinct = self.distinct(&walk, too_wide, known, null_fraction);
        statistics.distinct = distinct as f32;
        let common = self.common(
            &walk,
            too_wide,
            f64::from(statistics.distinct),
            null_fraction,
        );
        statistics.histogram = self.histogram(order, &walk, &common);
        statistics.common = self.common_values(order, &common);
        if order.len() > 1 {
            let n = order.len() as f64;
            let sum = (n - 1.0) * n / 2.0;
            let squares = (n - 1.0) * n * (2.0 * n - 1.0) / 6.0;
            let correlation = (n * walk.correlation_sum - sum * sum) / (n * squares - sum * sum);
            statistics.correlation = Some(correlation as f32);
        }
        statistics
    }

    fn walk(&self, order: &[u32]) -> Walk {
        // A value's place counts among the comparable ones only.
        let mut place = vec![0u32; self.values.len()];
        let mut rows = order.to_vec();
        rows.sort_unstable();
        for (at, &row) in rows.iter().enumerate() {
            place[row as usize] = at as u32;
        }
        let mut walk = Walk {
            distinct: 0,
            multiple: 0,
            tracked: Vec::new(),
            correlation_sum: 0.0,
        };
        let mut first = 0;
        for (i, &row) in order.iter().enumerate() {
            walk.correlation_sum += i as f64 * f64::from(place[row as usize]);
            let ends = order.get(i + 1).is_none_or(|&next| {
                !equal_values(self.values, row as usize, self.values, next as usize)
            });
            if ends {
                walk.distinct += 1;
                if i > first {
                    walk.multiple += 1;
                    let count = i + 1 - first;
                    walk.track(Repeated { first, count }, self.target);
                }
                first = i + 1;
            }
        }
        walk
    }

    /// How many values the whole column has, as `stadistinct`: Haas and Stokes' estimator of the
    /// number of values the sample has not seen.
    fn distinct(&self, walk: &Walk, too_wide: usize, known: usize, null_fraction: f64) -> f64 {
        let share = 1.0 - null_fraction;
        if walk.multiple == 0 {
            return -share;
        }
        let distinct = if too_wide == 0 && walk.multiple == walk.distinct {
            walk.distinct as f64
        } else {
            let once = (walk.distinct - walk.multiple + too_wide) as f64;
            let seen = once + walk.multiple as f64;
            let n = known as f64;
            let all = self.table_rows * share;
            let guess = if all > 0.0 {
                n * seen / ((n - once) + once * n / all)
            } else {
                0.0
            };
            (guess.max(seen).min(all) + 0.5).floor()
        };
        if distinct > 0.1 * self.table_rows {
            -(distinct / self.table_rows)
        } else {
            distinct
        }
    }

    /// Which values are common enough to be listed (`analyze_mcv_list`).
    fn common(
        &self,
        walk: &Walk,
        too_wide: usize,
        distinct: f64,
        null_fraction: f64,
    ) -> Vec<Repeated> {
        let all = walk.tracked.len() == walk.distinct
            && too_wide == 0
            && distinct > 0.0
            && walk.tracked.len() <= self.target;
        let sampled = self.values.len() as f64;
        let rows = self.table_rows;
        if all || sampled == rows || rows <= 1.0 {
            return walk.tracked.clone();
        }
        let in_table = if distinct < 0.0 {
            -distinct * rows
        } else {
            distinct
        };
        let mut kept = walk.tracked.len();
        let mut before: f64 = walk.tracked[..kept.saturating_sub(1)]
            .iter()
            .map(|value| value.count as f64)
            .sum();
        while kept > 0 {
            // The frequency of a value that is not in the list.
            let mut other = (1.0 - before / sampled - null_fraction).clamp(0.0, 1.0);
            let others = in_table - (kept - 1) as f64;
            if others > 1.0 {
                other /= others;
            }
            let count = walk.tracked[kept - 1].count as f64;
            let in_all = rows * count / sampled;
            let variance = sampled * in_all * (rows - in_all) * (rows - sampled)
                / (rows * rows * (rows - 1.0));
            if count > other * sampled + 2.0 * variance.max(0.0).sqrt() + 0.5 {
                break;
            }
            kept -= 1;
            if kept > 0 {
                before -= walk.tracked[kept - 1].count as f64;
            }
        }
        walk.tracked[..kept].to_vec()
    }

    fn common_values(&self, order: &[u32], common: &[Repeated]) -> Option<CommonValues> {
        if common.is_empty() {
            return None;
        }
        let sampled = self.values.len() as f64;
        let mut values = Column::new(self.values.ty());
        for value in common {
            values.push_from(self.values, order[value.first] as usize);
        }
        let frequencies = common
            .iter()
            .map(|value| (value.count as f64 / sampled) as f32)
            .collect();
        Some(CommonValues {
            values,
            frequencies,
        })
    }

    fn histogram(&self, order: &[u32], walk: &Walk, common: &[Repeated]) -> Option<Column> {
        let bounds = (walk.distinct - common.len()).min(self.target + 1);
        if bounds < 2 {
            return None;
        }
        let mut by_place = common.to_vec();
        by_place.sort_by_key(|value| value.first);
        let mut rest: Vec<u32> = Vec::with_capacity(order.len());
        let mut at = 0;
        for value in &by_place {
            rest.extend_from_slice(&order[at..value.first]);
            at = value.first + value.count;
        }
        rest.extend_from_slice(&order[at..]);
        let mut histogram = Column::new(self.values.ty());
        for bound in 0..bounds {
            let place = bound as u64 * (rest.len() - 1) as u64 / (bounds - 1) as u64;
            histogram.push_from(self.values, rest[place as usize] as usize);
        }
        Some(histogram)
    }

    fn mean_width(&self, known: usize) -> u32 {
        let ty = self.values.ty();
        if let (false, Some(width)) = (ty.array, ty.base.fixed_width()) {
            return width as u32;
        }
        if known == 0 {
            return 0;
        }
        let total: u64 = (0..self.values.len())
            .filter(|&row| !self.values.is_null(row))
            .map(|row| stored_width(self.values, row) as u64)
            .sum();
        (total / known as u64) as u32
    }
}

impl Walk {
    /// Puts a value into its place among the most frequent ones; the first found of equals stays first.
    fn track(&mut self, value: Repeated, most: usize) {
        let place = self
            .tracked
            .partition_point(|known| known.count >= value.count);
        if place < most {
            self.tracked.insert(place, value);
            self.tracked.truncate(most);
        }
    }
}

/// Bytes of a value on a page, its varlena header included.
fn stored_width(column: &Column, row: usize) -> usize {
    match &column.data {
        Vector::Text(texts) => with_header(texts.bytes_of(row).len()),
        Vector::Numeric(numbers) => {
            let mut bytes = Vec::new();
            numbers[row].encode(&mut bytes);
            with_header(bytes.len())
        }
        Vector::Array(arrays) => with_header(array_bytes(&arrays[row])),
        _ => column.ty().base.fixed_width().unwrap_or(0),
    }
}

/// An array's dimension and bounds, then its elements.
fn array_bytes(array: &Array) -> usize {
    let elements = &array.elements;
    let of = |row: usize| match elements.is_null(row) {
        true => 0,
        false => stored_width(elements, row),
    };
    20 + (0..array.len()).map(of).sum::<usize>()
}

fn with_header(data: usize) -> usize {
    // A header of one byte up to 126 bytes of data, of four beyond.
    if data < 127 { data + 1 } else { data + 4 }
}
