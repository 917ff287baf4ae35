//! Comparisons of a column with a value (`eqsel`, `scalarineqsel`).

use super::variable::{Variable, comparable, order};
use super::{DEFAULT_EQUAL, DEFAULT_INEQUALITY, Statistics};
use crate::bind::{Expr, ExprKind};
use crate::value::{Base, Column, Comparison, Datum, Vector};

/// A condition `variable op value`, its operands turned so that the variable is on the left.
pub(super) struct Restriction<'a, 'e> {
    pub variable: Variable<'a>,
    pub op: Comparison,
    pub value: &'e Expr,
}

impl<'a> Statistics<'a> {
    /// `get_restriction_variable`: one side has columns, the other has none.
    pub(super) fn restriction<'e>(
        &self,
        op: Comparison,
        left: &'e Expr,
        right: &'e Expr,
    ) -> Option<Restriction<'a, 'e>> {
        let (variable, op, value) = match (self.variable(left), self.variable(right)) {
            (Some(variable), None) => (variable, op, right),
            (None, Some(variable)) => (variable, op.commuted(), left),
            _ => return None,
        };
        Some(Restriction {
            variable,
            op,
            value,
        })
    }

    /// A comparison of values without columns of other relations.
    pub(super) fn compared(&self, op: Comparison, left: &Expr, right: &Expr) -> f64 {
        let restriction = self.restriction(op, left, right);
        match op {
            Comparison::Eq => restriction.map_or(DEFAULT_EQUAL, |found| found.equal(false)),
            Comparison::Ne => restriction.map_or(1.0 - DEFAULT_EQUAL, |found| found.equal(true)),
            _ => restriction.map_or(DEFAULT_INEQUALITY, |found| found.inequality()),
        }
    }
}

impl Restriction<'_, '_> {
    /// `eqsel`, `neqsel`
    fn equal(&self, negate: bool) -> f64 {
        match &self.value.kind {
            ExprKind::Const(value) => self.variable.equals(value, self.value.ty, negate),
            _ => self.variable.equals_unknown(negate),
        }
    }

    /// `scalarineqsel_wrapper`, `scalarineqsel`
    fn inequality(&self) -> f64 {
        let ExprKind::Const(value) = &self.value.kind else {
            return DEFAULT_INEQUALITY;
        };
        if value.is_null() {
            return 0.0;
        }
        let variable = &self.variable;
        let constant = comparable(value, self.value.ty, variable.ty);
        let (Some(column), Some(constant)) = (variable.column, constant) else {
            return DEFAULT_INEQUALITY;
        };
        let mut common = 0.0;
        if let Some((values, frequencies)) = variable.common() {
            for (row, &frequency) in frequencies.iter().enumerate() {
                if self.op.holds(order(values, row, &constant)) {
                    common += f64::from(frequency);
                }
            }
        }
        let rest = 1.0 - f64::from(column.null_fraction) - variable.sum_of_common();
        let share = variable.in_histogram(self.op, &constant).unwrap_or(0.5);
        (rest * share + common).clamp(0.0, 1.0)
    }
}

impl Variable<'_> {
    /// `var_eq_const`
    pub fn equals(&self, value: &Datum, ty: crate::value::Type, negate: bool) -> f64 {
        if value.is_null() {
            return 0.0;
        }
        let nulls = self.null_fraction();
        let share = if let Some(rows) = self.unique_rows() {
            1.0 / rows
        } else if let Some(known) = self.column
            && let Some(constant) = comparable(value, ty, self.ty)
        {
            let common = self.common();
            let found = common.and_then(|(values, frequencies)| {
                let row = (0..values.len()).find(|&row| order(values, row, &constant).is_eq())?;
                frequencies.get(row)
            });
            match found {
                Some(&frequency) => f64::from(frequency),
                None => {
                    let rest = 1.0 - self.sum_of_common() - f64::from(known.null_fraction);
                    self.one_of_the_rest(rest.clamp(0.0, 1.0))
                }
            }
        } else if self.column.is_some() {
            return self.equals_unknown(negate);
        } else {
            1.0 / self.distinct().count
        };
        let share = if negate { 1.0 - share - nulls } else { share };
        share.clamp(0.0, 1.0)
    }

    /// The share of one value that is not among the common ones, of `rest` that all those have.
    fn one_of_the_rest(&self, rest: f64) -> f64 {
        let frequencies = self
            .common()
            .map_or(&[][..], |(_, frequencies)| frequencies);
        let others = self.distinct().count - frequencies.len() as f64;
        let share = if others > 1.0 { rest / others } else { rest };
        // It cannot be more common than the least common of the common ones.
        match frequencies.last() {
            Some(&least) => share.min(f64::from(least)),
            None => share,
        }
    }

    /// `var_eq_non_const`: a value that is not known yet.
    pub fn equals_unknown(&self, negate: bool) -> f64 {
        let nulls = self.null_fraction();
        let share = if let Some(rows) = self.unique_rows() {
            1.0 / rows
        } else {
            let distinct = self.distinct().count;
            let share = (1.0 - nulls) / distinct.max(1.0);
            match self.common() {
                Some((_, [most, ..])) => share.min(f64::from(*most)),
                _ => share,
            }
        };
        let share = if negate { 1.0 - share - nulls } else { share };
        share.clamp(0.0, 1.0)
    }

    /// `ineq_histogram_selectivity`: the share of the rows that the histogram is of. `None`: there is none.
    pub fn in_histogram(&self, op: Comparison, constant: &Column) -> Option<f64> {
        let bounds = self.column?.histogram.as_ref()?;
        let greater = matches!(op, Comparison::Gt | Comparison::Ge);
        let with_equal = matches!(op, Comparison::Le | Comparison::Ge);
        // Bounds below the constant, and equal ones too where the rows sought end behind it.
        let counts_equal = greater != with_equal;
        let (mut low, mut high) = (0, bounds.len());
        while low < high {
            let middle = (low + high) / 2;
            let ordering = order(bounds, middle, constant);
            if ordering.is_lt() || counts_equal && ordering.is_eq() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let bins = (bounds.len() - 1) as f64;
        let below = if low == 0 {
            0.0
        } else if low >= bounds.len() {
            1.0
        } else {
            let mut equal = 0.0;
            if low == 1 || greater == with_equal {
                let common = self.common().map_or(0, |(values, _)| values.len());
                let others = self.distinct().count - common as f64;
                if others > 1.0 {
                    equal = 1.0 / others;
                }
            }
            let within = position_in_bin(bounds, low, constant);
            let mut below = ((low - 1) as f64 + within) / bins;
            if low == 1 {
                below += equal * (1.0 - within);
            }
            if greater == with_equal {
                below -= equal;
            }
            below
        };
        let share = if greater { 1.0 - below } else { below };
        // The histogram does not know its ends that well.
        let cutoff = 0.01 / bins;
        Some(share.clamp(cutoff, 1.0 - cutoff))
    }
}

/// Where in the bin that ends at `bound` the constant is, 0 to 1 (`convert_to_scalar`).
fn position_in_bin(bounds: &Column, bound: usize, constant: &Column) -> f64 {
    let scalars = match (&bounds.data, &constant.data) {
        (Vector::Text(texts), Vector::Text(text)) => Some(text_scalars(
            texts.bytes_of(bound - 1),
            text.bytes_of(0),
            texts.bytes_of(bound),
        )),
        _ => scalar(bounds, bound - 1)
            .zip(scalar(bounds, bound))
            .zip(scalar(constant, 0))
            .map(|((low, high), value)| (low, value, high)),
    };
    let Some((low, value, high)) = scalars else {
        return 0.5;
    };
    if high <= low {
        0.5
    } else if value <= low {
        0.0
    } else if value >= high {
        1.0
    } else {
        let within = (value - low) / (high - low);
        if (0.0..=1.0).contains(&within) {
            within
        } else {
            0.5
        }
    }
}

/// A value as a number, for interpolation.
fn scalar(column: &Column, row: usize) -> Option<f64> {
    if column.ty().array {
        return None;
    }
    Some(match &column.data {
        Vector::Bool(v) => f64::from(u8::from(v[row])),
        Vector::Int2(v) => f64::from(v[row]),
        Vector::Int4(v) => f64::from(v[row]),
        Vector::Int8(v) => v[row] as f64,
        Vector::Float4(v) => f64::from(v[row]),
        Vector::Float8(v) => v[row],
        Vector::Numeric(v) if column.ty().base == Base::Numeric => v[row].to_f64().ok()?,
        _ => return None,
    })
}

/// `convert_string_to_scalar`: texts as fractions in the base of the characters that seem to occur.
fn text_scalars(low: &[u8], value: &[u8], high: &[u8]) -> (f64, f64, f64) {
    let first = high.first().copied().unwrap_or(0);
    let (mut least, mut most) = (first, first);
    for &byte in low.iter().chain(high) {
        least = least.min(byte);
        most = most.max(byte);
    }
    for (from, to) in [(b'A', b'Z'), (b'a', b'z'), (b'0', b'9')] {
        if least <= to && most >= from {
            least = least.min(from);
            most = most.max(to);
        }
    }
    if most - least < 9 {
        (least, most) = (b' ', 127);
    }
    let shared = low
        .iter()
        .zip(high)
        .zip(value)
        .take_while(|((l, h), v)| l == h && h == v)
        .count();
    let base = f64::from(most - least) + 1.0;
    let fraction = |text: &[u8]| {
        let mut unit = 1.0;
        text[shared..].iter().take(12).fold(0.0, |sum, &byte| {
            unit *= base;
            let digit = if byte < least {
                -1.0
            } else if byte > most {
                f64::from(most - least) + 1.0
            } else {
                f64::from(byte - least)
            };
            sum + digit / unit
        })
    };
    (fraction(low), fraction(value), fraction(high))
}
