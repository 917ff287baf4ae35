//! What the catalog knows of relations (`plancat.c`): their size now, and their columns' statistics.

use std::rc::Rc;

use super::cost::width;
use super::planner::Planner;
use super::selectivity::{RelStatistics, column_of};
use crate::bind::{Body, Query, RangeEntry, Source};
use crate::catalog::{ColumnStatistics, Table};

/// A page's bytes without its header, and what a tuple takes beside its columns.
const PAGE_ROOM: f64 = 8192.0 - 24.0;
const TUPLE_OVERHEAD: f64 = 24.0 + 4.0;
/// A table that has never been looked at is taken to have grown to this many pages.
const LEAST_PAGES: f64 = 10.0;

/// A table's size as the planner takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelationSize {
    pub pages: f64,
    pub tuples: f64,
}

impl Planner<'_> {
    /// `estimate_rel_size`: the pages are counted now, the rows a page are those that VACUUM or
    /// ANALYZE found, or as many as fit by the columns' types.
    pub fn relation_size(&self, table: &Table) -> RelationSize {
        let pages = f64::from(table.storage.size().pages);
        let known = table
            .statistics
            .as_deref()
            .filter(|known| known.rows >= 0.0);
        let Some(known) = known else {
            let pages = pages.max(LEAST_PAGES);
            return RelationSize {
                pages,
                tuples: (density(table) * pages).round_ties_even(),
            };
        };
        if pages == 0.0 {
            return RelationSize { pages, tuples: 0.0 };
        }
        let density = match known.pages {
            0 => density(table),
            known_pages => known.rows / f64::from(known_pages),
        };
        RelationSize {
            pages,
            tuples: (density * pages).round_ties_even(),
        }
    }

    /// What is known of a range table before its entries are planned. The widths of its columns are
    /// the level's from now on.
    pub fn known_of(&mut self, range: &[RangeEntry]) -> Vec<RelStatistics> {
        self.widths.clear();
        let mut known = Vec::with_capacity(range.len());
        for (rel, entry) in range.iter().enumerate() {
            let columns: Vec<Option<Rc<ColumnStatistics>>> = (0..entry.columns.len())
                .map(|column| statistics_of(&entry.source, column))
                .collect();
            for (column, found) in columns.iter().enumerate() {
                if let Some(found) = found
                    && found.width > 0
                {
                    self.widths.insert((rel, column), found.width);
                }
            }
            known.push(RelStatistics {
                unique: unique_column(&entry.source),
                columns,
                ..RelStatistics::default()
            });
        }
        known
    }
}

/// Rows on a full page, by the widths the columns' types let expect.
fn density(table: &Table) -> f64 {
    let known = table.statistics.as_deref();
    let of = |(i, column): (usize, &crate::catalog::ColumnDef)| {
        let seen = known.and_then(|known| known.column(i)).map(|c| c.width);
        match seen {
            Some(seen) if seen > 0 => seen,
            _ => width(column.ty, column.typmod),
        }
    };
    let data: u32 = table.columns.iter().enumerate().map(of).sum();
    let fill = f64::from(table.storage.shape().fill_factor) / 100.0;
    let aligned = f64::from(data.div_ceil(8) * 8);
    (PAGE_ROOM * fill / (aligned + TUPLE_OVERHEAD)).floor()
}

/// `examine_simple_variable`: a sub-select's column that is a table's column has its statistics,
/// unless rows were grouped on the way. What is behind a security barrier is not told.
fn statistics_of(source: &Source, column: usize) -> Option<Rc<ColumnStatistics>> {
    match source {
        Source::Table(table) => table.statistics.as_ref()?.column(column).cloned(),
        Source::Function(_) | Source::Common { .. } | Source::WorkTable { .. } => None,
        Source::Subquery { barrier: true, .. } => None,
        Source::Subquery { query, .. } => {
            let Body::Select(select) = &query.body else {
                return None;
            };
            if select.distinct || !select.group_by.is_empty() {
                return None;
            }
            let var = column_of(&select.targets.get(column)?.expr)?;
            if var.up > 0 {
                return None;
            }
            statistics_of(&select.range.get(var.rel)?.source, var.column)
        }
    }
}

/// The output column that is the only one a sub-select groups by, or its only DISTINCT one.
fn unique_column(source: &Source) -> Option<usize> {
    let Source::Subquery { query, .. } = source else {
        return None;
    };
    only_group(query)
}

fn only_group(query: &Query) -> Option<usize> {
    let Body::Select(select) = &query.body else {
        return None;
    };
    if select.distinct {
        return (select.distinct_on.is_empty() && select.targets.len() == 1).then_some(0);
    }
    let [group] = &select.group_by[..] else {
        return None;
    };
    select
        .targets
        .iter()
        .position(|target| super::same::same(&target.expr, group))
}
