//! How many groups there are, and how evenly values hash.

use std::collections::BTreeMap;

use super::{Statistics, column_of};
use crate::bind::{Expr, ExprKind};
use crate::plan::cost::clamp_rows;
use crate::plan::same::same;
use crate::value::Type;

/// A hash table has this many buckets at least (`ExecChooseHashTableSize`).
const LEAST_BUCKETS: f64 = 1024.0;

impl Statistics<'_> {
    /// `estimate_num_groups`: the product over the columns the groups are made of; several columns of
    /// one relation are expected to depend on each other.
    pub fn groups(&self, groups: &[Expr], input_rows: f64) -> f64 {
        let input_rows = clamp_rows(input_rows);
        let mut product = 1.0;
        let mut columns: Vec<&Expr> = Vec::new();
        for group in groups {
            // A condition has two values, whatever it is made of.
            if group.ty == Type::BOOL {
                product *= 2.0;
            } else {
                collect_columns(group, &mut columns);
            }
        }
        let mut by_rel: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (i, column) in columns.iter().enumerate() {
            if let Some(var) = column_of(column)
                && !columns[..i].iter().any(|known| same(known, column))
            {
                let count = self.distinct(column).count;
                by_rel.entry(var.rel).or_default().push(count);
            }
        }
        for (rel, distinct) in by_rel {
            let known = self.rels.get(rel);
            let tuples = known.map_or(input_rows, |rel| rel.tuples);
            let rows = known.map_or(tuples, |rel| rel.rows);
            let most = distinct.iter().copied().fold(1.0, f64::max);
            let mut groups: f64 = distinct.iter().product();
            if tuples > 0.0 {
                let limit = if distinct.len() > 1 {
                    (tuples * 0.1).max(most).min(tuples)
                } else {
                    tuples
                };
                groups = groups.min(limit);
                if groups > 0.0 && rows < tuples {
                    groups *= 1.0 - ((tuples - rows) / tuples).powf(tuples / groups);
                }
            }
            product *= clamp_rows(groups);
        }
        product.ceil().min(input_rows).max(1.0)
    }

    /// `estimate_hash_bucket_stats`: the share of the rows in an average bucket that is looked into.
    pub fn bucket_share(&self, key: &Expr, inner_rows: f64) -> f64 {
        let Some(variable) = self.variable(key) else {
            return 0.1;
        };
        let most_common = match variable.common() {
            Some((_, [most, ..])) => f64::from(*most),
            _ => 0.0,
        };
        let distinct = variable.distinct();
        if distinct.is_default {
            return most_common.max(0.1);
        }
        let mut count = distinct.count;
        let average = (1.0 - variable.null_fraction()) / count;
        if let Some(rel) = variable.rel
            && rel.tuples > 0.0
        {
            count = clamp_rows(count * rel.rows / rel.tuples);
        }
        let mut share = 1.0 / count.min(buckets(inner_rows));
        if average > 0.0 && most_common > average {
            share *= most_common / average;
        }
        share.clamp(1.0e-6, 1.0)
    }
}

/// Buckets of a hash table over so many rows.
fn buckets(rows: f64) -> f64 {
    let rows = rows.clamp(LEAST_BUCKETS, f64::from(1u32 << 30));
    rows.log2().ceil().exp2()
}

fn collect_columns<'e>(expr: &'e Expr, columns: &mut Vec<&'e Expr>) {
    if let ExprKind::Var(_) = expr.kind {
        columns.push(expr);
    }
    expr.each_child(|child| collect_columns(child, columns));
}
