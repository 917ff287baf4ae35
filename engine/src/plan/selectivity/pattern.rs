//! LIKE (`like_support.c`): the pattern's fixed prefix as a range, the rest by rules of thumb, and the
//! values that are known tested one by one.

use super::variable::Variable;
use super::{DEFAULT_MATCH, Statistics};
use crate::bind::{Expr, ExprKind};
use crate::expr::like_matches;
use crate::value::{Column, Comparison, Datum, Type, Vector};

/// What one character more, any character, or any number of them does to the share that matches.
const FIXED_CHARACTER: f64 = 0.20;
const ANY_CHARACTER: f64 = 0.9;
const ANY_CHARACTERS: f64 = 5.0;
/// A histogram of fewer bounds says nothing; one of this many says all.
const LEAST_BOUNDS: usize = 10;
const MANY_BOUNDS: usize = 100;

/// A pattern's characters before its first wildcard, and what comes then.
struct Prefix {
    text: String,
    /// There is no wildcard.
    exact: bool,
    /// Selectivity of the rest (`like_selectivity`).
    rest: f64,
}

impl Statistics<'_> {
    /// `patternsel`
    pub(super) fn like(&self, left: &Expr, pattern: &Expr, negate: bool) -> f64 {
        let default = if negate {
            1.0 - DEFAULT_MATCH
        } else {
            DEFAULT_MATCH
        };
        let ExprKind::Const(value) = &pattern.kind else {
            return default;
        };
        let Some(variable) = self.variable(left) else {
            return default;
        };
        let Some(pattern) = value.as_str() else {
            return 0.0;
        };
        let prefix = Prefix::of(pattern);
        let share = if prefix.exact {
            variable.equals(&Datum::text(&*prefix.text), Type::TEXT, false)
        } else {
            variable.like(pattern, &prefix)
        };
        let share = if negate {
            1.0 - share - variable.null_fraction()
        } else {
            share
        };
        share.clamp(0.0, 1.0)
    }
}

impl Variable<'_> {
    fn like(&self, pattern: &str, prefix: &Prefix) -> f64 {
        let histogram = self.column.and_then(|known| known.histogram.as_ref());
        let bounds = histogram.map_or(0, Column::len);
        let tested = histogram.filter(|bounds| bounds.len() >= LEAST_BOUNDS);
        let tested = tested.map(|bounds| {
            let inner = 1..bounds.len() - 1;
            let found = inner
                .clone()
                .filter(|&row| matches(bounds, row, pattern))
                .count();
            found as f64 / inner.len() as f64
        });
        let mut share = match tested {
            Some(share) if bounds >= MANY_BOUNDS => share,
            tested => {
                let guessed = self.starts_with(&prefix.text) * prefix.rest;
                let weight = bounds as f64 / MANY_BOUNDS as f64;
                tested.map_or(guessed, |share| share * weight + guessed * (1.0 - weight))
            }
        };
        share = share.clamp(0.0001, 0.9999);
        let mut common = 0.0;
        if let Some((values, frequencies)) = self.common() {
            for (row, &frequency) in frequencies.iter().enumerate() {
                if matches(values, row, pattern) {
                    common += f64::from(frequency);
                }
            }
        }
        share * (1.0 - self.null_fraction() - self.sum_of_common()) + common
    }

    /// `prefix_selectivity`
    fn starts_with(&self, prefix: &str) -> f64 {
        if prefix.is_empty() {
            return 1.0;
        }
        let constant = |text: &str| {
            let mut column = Column::new(Type::TEXT);
            column.push(&Datum::text(text));
            column
        };
        let Some(mut share) = self.in_histogram(Comparison::Ge, &constant(prefix)) else {
            return DEFAULT_MATCH;
        };
        if let Some(greater) = greater_string(prefix)
            && let Some(below) = self.in_histogram(Comparison::Lt, &constant(&greater))
        {
            share += below - 1.0;
        }
        share.max(self.equals(&Datum::text(prefix), Type::TEXT, false))
    }
}

impl Prefix {
    /// `like_fixed_prefix`
    fn of(pattern: &str) -> Prefix {
        let mut text = String::new();
        let mut chars = pattern.chars();
        let mut rest = "";
        loop {
            let left = chars.as_str();
            match chars.next() {
                None => {
                    return Prefix {
                        text,
                        exact: true,
                        rest: 1.0,
                    };
                }
                Some('%' | '_') => {
                    rest = left;
                    break;
                }
                Some('\\') => match chars.next() {
                    Some(c) => text.push(c),
                    None => break,
                },
                Some(c) => text.push(c),
            }
        }
        Prefix {
            text,
            exact: false,
            rest: rest_selectivity(rest),
        }
    }
}

/// `like_selectivity`: leading wildcards are accounted for already.
fn rest_selectivity(rest: &str) -> f64 {
    let mut share = 1.0;
    let mut chars = rest.trim_start_matches(['%', '_']).chars();
    while let Some(c) = chars.next() {
        share *= match c {
            '%' => ANY_CHARACTERS,
            '_' => ANY_CHARACTER,
            '\\' => {
                if chars.next().is_none() {
                    break;
                }
                FIXED_CHARACTER
            }
            _ => FIXED_CHARACTER,
        };
    }
    share.min(1.0)
}

/// `make_greater_string`: a text above all that start with the prefix, in C order.
fn greater_string(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

/// A pattern that cannot be (it ends with an escape) matches nothing; executing it says so.
fn matches(values: &Column, row: usize, pattern: &str) -> bool {
    match &values.data {
        Vector::Text(texts) => {
            like_matches(texts.bytes_of(row), pattern.as_bytes()).unwrap_or(false)
        }
        _ => false,
    }
}
