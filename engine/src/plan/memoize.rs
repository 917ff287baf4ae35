//! Which inner sides of nested loops keep their rows by their parameters (`get_memoize_path` in
//! `joinpath.c`, `cost_memoize_rescan` in `costsize.c`).

use super::join_type::JoinType;
use super::joins::is_volatile_node;
use super::node::{Estimate, NodeKind, PlanNode};
use super::planner::{Built, Planner};
use super::selectivity::Statistics;
use crate::bind::Expr;
use crate::settings::Name;
use crate::value::{Base, Type};

/// What a Memoize may keep: PostgreSQL's `work_mem` times `hash_mem_multiplier`, as they are by default.
const MEMOIZE_BYTES: u64 = 8 << 20;

/// PostgreSQL's sizes of an entry with its key, of a kept tuple's link, and of a tuple's header.
const ENTRY_BYTES: f64 = 56.0;
const LINK_BYTES: f64 = 16.0;
const HEADER_BYTES: f64 = 24.0;

impl Planner<'_> {
    /// The inner side under a Memoize, where that is expected to be cheaper, and by how much.
    pub fn memoized(
        &mut self,
        statistics: Statistics<'_>,
        kind: JoinType,
        outer: &Built,
        inner: Built,
    ) -> (Built, f64) {
        let set_by_outer: Vec<_> = inner
            .lateral
            .iter()
            .filter(|reference| super::lower::position(&reference.column, &outer.columns).is_some())
            .collect();
        let columns: Vec<Expr> = set_by_outer
            .iter()
            .map(|reference| reference.column.clone())
            .collect();
        // A semi or anti join leaves most runs before their end.
        let possible = self.settings.flag(Name::EnableMemoize)
            && matches!(kind, JoinType::Inner | JoinType::Left)
            && !columns.is_empty()
            && columns.iter().all(|column| can_be_key(column.ty))
            && !is_volatile_node(&inner.node)
            && !reads_shared_rows(&inner.node);
        if !possible {
            return (inner, 0.0);
        }
        let calls = outer.node.estimate.rows;
        let is_guess = columns
            .iter()
            .any(|column| statistics.distinct(column).is_default);
        let distinct = match is_guess {
            true => calls,
            false => statistics.groups(&columns, calls),
        };
        let of_child = inner.node.estimate;
        let rescan = self.memoized_rescan(of_child, calls, distinct);
        let saved = (calls - 1.0) * (of_child.total_cost - rescan) - self.prices.cpu_tuple;
        if saved <= 0.0 {
            return (inner, 0.0);
        }
        let keys = set_by_outer
            .iter()
            .map(|reference| Expr {
                kind: crate::bind::ExprKind::Param(reference.param),
                ..reference.column.clone()
            })
            .collect();
        let Built {
            node,
            columns,
            lateral,
        } = inner;
        let estimate = Estimate {
            startup_cost: of_child.startup_cost + self.prices.cpu_tuple,
            total_cost: of_child.total_cost + self.prices.cpu_tuple,
            ..of_child
        };
        let output = node.output.clone();
        let kind = NodeKind::Memoize {
            keys,
            bytes: MEMOIZE_BYTES,
        };
        let node = self.node(kind, vec![node], output, estimate);
        let built = Built {
            node,
            columns,
            lateral,
        };
        (built, saved)
    }

    /// What running it once more costs on average.
    fn memoized_rescan(&self, child: Estimate, calls: f64, distinct: f64) -> f64 {
        let prices = &self.prices;
        let width = (f64::from(child.width) / 8.0).ceil() * 8.0 + HEADER_BYTES;
        let entry = child.rows * (width + LINK_BYTES) + ENTRY_BYTES;
        let entries = (MEMOIZE_BYTES as f64 / entry).floor();
        let evicted = 1.0 - entries.min(distinct) / distinct;
        let hits = (calls - distinct) / calls * (entries / distinct.max(entries));
        child.total_cost * (1.0 - hits)
            + prices.cpu_operator
            + prices.cpu_tuple * evicted
            + prices.cpu_operator * evicted * child.rows
            + prices.cpu_tuple
    }
}

/// Types of which equal bytes are equal values, and only they.
fn can_be_key(ty: Type) -> bool {
    use Base::*;
    let base = matches!(
        ty.base,
        Bool | Int2 | Int4 | Int8 | Float4 | Float8 | Text | Varchar | Bpchar | Date | Timestamp
    );
    base && !ty.array
}

/// Rows that others make change without a parameter telling.
fn reads_shared_rows(node: &PlanNode) -> bool {
    let mut found = false;
    node.each(&mut |node| {
        found |= matches!(
            node.kind,
            NodeKind::CteScan(_) | NodeKind::WorkTableScan(_) | NodeKind::RecursiveUnion { .. }
        );
    });
    found
}
