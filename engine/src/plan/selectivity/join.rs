//! Equalities of columns of two relations (`eqjoinsel`).

use super::variable::{Variable, same_family};
use super::{DEFAULT_INEQUALITY, DEFAULT_UNKNOWN, Statistics};
use crate::bind::{Expr, ExprKind, Notation};
use crate::plan::walk::rels_of;
use crate::value::{Comparison, equal_values};

/// For whom a join condition is estimated.
#[derive(Clone, Copy)]
pub(in crate::plan) enum JoinSelectivity<'s> {
    /// The share of pairs that match: inner joins and outer ones.
    Pairs,
    /// The share of outer rows that have a match: semi and anti joins.
    Matched {
        inner_rows: f64,
        is_inner: &'s dyn Fn(usize) -> bool,
    },
}

impl Statistics<'_> {
    /// `clauselist_selectivity` for join conditions.
    pub fn of_join<'q>(
        &self,
        exprs: impl IntoIterator<Item = &'q Expr>,
        mode: JoinSelectivity<'_>,
    ) -> f64 {
        let mut selectivity = 1.0;
        let mut rest: Vec<&Expr> = Vec::new();
        for expr in exprs {
            match self.join_clause(expr, mode) {
                Some(share) => selectivity *= share,
                None => rest.push(expr),
            }
        }
        selectivity * self.of_all(rest)
    }

    /// The selectivity of an operator between columns of two relations; of NOT, AND and OR over them.
    /// `None`: it is no join condition.
    fn join_clause(&self, expr: &Expr, mode: JoinSelectivity<'_>) -> Option<f64> {
        match &expr.kind {
            ExprKind::Call {
                notation: Notation::Operator(operator),
                function,
                args,
            } => {
                let [left, right] = &args[..] else {
                    return None;
                };
                let (l, r) = (rels_of(left), rels_of(right));
                if l.is_empty() || r.is_empty() || l.union(&r).iter().nth(1).is_none() {
                    return None;
                }
                Some(match Comparison::from_symbol(&operator.name) {
                    Some(Comparison::Eq) => self.join_equality(left, right, mode),
                    Some(Comparison::Ne) => match mode {
                        JoinSelectivity::Pairs => 1.0 - self.join_equality(left, right, mode),
                        JoinSelectivity::Matched { is_inner, .. } => {
                            let outer = if l.iter().any(is_inner) { right } else { left };
                            let nulls = self.variable(outer).map_or(0.0, |v| v.null_fraction());
                            1.0 - nulls
                        }
                    },
                    Some(_) => DEFAULT_INEQUALITY,
                    None => match &*function.name {
                        "textlike" => DEFAULT_UNKNOWN,
                        "textnlike" => 1.0 - DEFAULT_UNKNOWN,
                        _ => return None,
                    },
                })
            }
            ExprKind::And(args) if is_join(expr) => Some(self.of_join(args, mode)),
            ExprKind::Or(args) if is_join(expr) => Some(
                args.iter()
                    .map(|arg| self.of_join([arg], mode))
                    .fold(0.0, |a, b| a + b - a * b),
            ),
            ExprKind::Not(arg) if is_join(expr) => Some(1.0 - self.of_join([&**arg], mode)),
            _ => None,
        }
    }

    fn join_equality(&self, left: &Expr, right: &Expr, mode: JoinSelectivity<'_>) -> f64 {
        let (Some(a), Some(b)) = (self.variable(left), self.variable(right)) else {
            return super::DEFAULT_EQUAL;
        };
        let comparable = same_family(a.ty, b.ty);
        match mode {
            JoinSelectivity::Pairs => pairs(&a, &b, comparable),
            JoinSelectivity::Matched {
                inner_rows,
                is_inner,
            } => {
                let reversed = rels_of(left).iter().any(is_inner);
                let (outer, inner) = if reversed { (&b, &a) } else { (&a, &b) };
                let share = matched(outer, inner, inner_rows, comparable);
                share.min(inner_rows * pairs(&a, &b, comparable))
            }
        }
        .clamp(0.0, 1.0)
    }
}

fn is_join(expr: &Expr) -> bool {
    rels_of(expr).iter().nth(1).is_some()
}

/// Which common values of two columns are equal: frequencies of the matched ones on both sides.
struct Matches {
    count: usize,
    /// Sum of the products of frequencies.
    product: f64,
    matched: (f64, f64),
    listed: (f64, f64),
    lengths: (usize, usize),
}

fn match_common(a: &Variable<'_>, b: &Variable<'_>, most_of_b: usize) -> Option<Matches> {
    let ((values_a, freq_a), (values_b, freq_b)) = (a.common()?, b.common()?);
    let sum = |frequencies: &[f32]| frequencies.iter().map(|&f| f64::from(f)).sum::<f64>();
    let mut matches = Matches {
        count: 0,
        product: 0.0,
        matched: (0.0, 0.0),
        listed: (sum(freq_a), sum(freq_b)),
        lengths: (freq_a.len(), freq_b.len()),
    };
    let mut taken = vec![false; freq_b.len().min(most_of_b)];
    for (i, &of_a) in freq_a.iter().enumerate() {
        let found = (0..taken.len()).find(|&j| !taken[j] && equal_values(values_a, i, values_b, j));
        if let Some(j) = found {
            let (of_a, of_b) = (f64::from(of_a), f64::from(freq_b[j]));
            taken[j] = true;
            matches.count += 1;
            matches.product += of_a * of_b;
            matches.matched.0 += of_a;
            matches.matched.1 += of_b;
        }
    }
    Some(matches)
}

/// `eqjoinsel_inner`
fn pairs(a: &Variable<'_>, b: &Variable<'_>, comparable: bool) -> f64 {
    let (distinct_a, distinct_b) = (a.distinct().count, b.distinct().count);
    let (nulls_a, nulls_b) = (a.null_fraction(), b.null_fraction());
    let matches = comparable.then(|| match_common(a, b, usize::MAX)).flatten();
    let Some(m) = matches else {
        return (1.0 - nulls_a) * (1.0 - nulls_b) / distinct_a.max(distinct_b);
    };
    let unit = |share: f64| share.clamp(0.0, 1.0);
    let (matched_a, matched_b) = (unit(m.matched.0), unit(m.matched.1));
    let unmatched_a = unit(m.listed.0 - m.matched.0);
    let unmatched_b = unit(m.listed.1 - m.matched.1);
    let other_a = unit(1.0 - nulls_a - matched_a - unmatched_a);
    let other_b = unit(1.0 - nulls_b - matched_b - unmatched_b);
    let total = |unmatched: f64,
                 other: f64,
                 other_there: f64,
                 unmatched_there: f64,
                 n: f64,
                 listed: usize| {
        let mut total = m.product;
        if n > listed as f64 {
            total += unmatched * other_there / (n - listed as f64);
        }
        if n > m.count as f64 {
            total += other * (other_there + unmatched_there) / (n - m.count as f64);
        }
        total
    };
    let from_a = total(
        unmatched_a,
        other_a,
        other_b,
        unmatched_b,
        distinct_b,
        m.lengths.1,
    );
    let from_b = total(
        unmatched_b,
        other_b,
        other_a,
        unmatched_a,
        distinct_a,
        m.lengths.0,
    );
    from_a.min(from_b)
}

/// `eqjoinsel_semi`
fn matched(outer: &Variable<'_>, inner: &Variable<'_>, inner_rows: f64, comparable: bool) -> f64 {
    let (mut a, mut b) = (outer.distinct(), inner.distinct());
    for rows in inner
        .rel
        .map(|rel| rel.rows)
        .into_iter()
        .chain([inner_rows])
    {
        if b.count >= rows {
            b.count = rows;
            b.is_default = false;
        }
    }
    let nulls = outer.null_fraction();
    let known = !a.is_default && !b.is_default;
    let matches = comparable
        .then(|| match_common(outer, inner, b.count as usize))
        .flatten();
    match matches {
        Some(m) => {
            let share = m.matched.0.clamp(0.0, 1.0);
            let uncertain_share = if known {
                a.count -= m.count as f64;
                b.count -= m.count as f64;
                if a.count <= b.count || b.count < 0.0 {
                    1.0
                } else {
                    b.count / a.count
                }
            } else {
                0.5
            };
            share + uncertain_share * (1.0 - share - nulls).clamp(0.0, 1.0)
        }
        None if known && (a.count <= b.count || b.count < 0.0) => 1.0 - nulls,
        None if known => b.count / a.count * (1.0 - nulls),
        None => 0.5 * (1.0 - nulls),
    }
}
