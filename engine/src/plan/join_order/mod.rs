//! The join of a FROM clause: in which order, by which method, built or probed from which side.
//!
//! 1. The clause is taken apart ([`problem`]): items, joins that are not free to move ([`special`]),
//!    conditions with what they need, expressions that are equal ([`class`]).
//! 2. Each item is planned with its own conditions.
//! 3. The cheapest order is looked for ([`search`]).
//! 4. Its nodes are built ([`build`]).

mod build;
mod class;
mod clause;
mod method;
mod problem;
mod search;
mod set;
mod special;

pub(super) use clause::equality_of;
pub(super) use method::Method;

use super::from::Level;
use super::node::{NodeKind, PlanNode};
use super::planner::{Built, Planner};
use super::quals::{Qual, VarSet};
use super::selectivity::JoinSelectivity;
use super::walk::{Rels, each_in_query, each_outer_var, each_var, is_volatile};
use crate::bind::{Expr, From, JoinKind, Source};
use crate::error::{Error, Result, sqlstate};
use build::Building;
use method::{Discouraged, Rescan};
use problem::Problem;
use search::{Base, Search};
use set::ItemSet;

impl Planner<'_> {
    /// Plans the join of a FROM clause. `conditions` are those of WHERE; `above` are the columns
    /// needed further up.
    pub fn join_tree(
        &mut self,
        level: &mut Level,
        from: From,
        conditions: Vec<Qual>,
        above: &VarSet,
    ) -> Result<Built> {
        let mut problem = Problem::new(self, from, conditions)?;
        let lateral = lateral_of(level, &problem.items);
        let mut needed = above.clone();
        for clause in &problem.clauses {
            self.add_needed(std::slice::from_ref(&clause.expr), &mut needed);
        }
        for item in &lateral {
            needed.extend(item);
        }
        let mut bases = Vec::with_capacity(problem.items.len());
        let mut built = Vec::with_capacity(problem.items.len());
        let mut volatile = ItemSet::EMPTY;
        for (item, &rel) in problem.items.iter().enumerate() {
            if is_volatile_source(&level.range[rel].source) {
                volatile.insert(item);
            }
        }
        let own = std::mem::take(&mut problem.own);
        for ((&rel, own), lateral) in problem.items.iter().zip(own).zip(&lateral) {
            let quals = own.into_iter().map(|expr| self.qual(expr)).collect();
            let item = self.entry(level, rel, quals, &needed)?;
            let rels = Rels::of_all(lateral.iter().map(|&(rel, _)| rel));
            bases.push(Base {
                estimate: item.node.estimate,
                rescan: rescan_of(self, &item.node),
                lateral: problem.set_of(&rels),
            });
            built.push(Some(item));
        }
        let statistics = level.statistics();
        for clause in &mut problem.clauses {
            clause.selectivity = statistics.of_join([&clause.expr], JoinSelectivity::Pairs);
        }
        let mut search = Search::new(
            &problem,
            statistics,
            self.prices,
            Discouraged::of(self.settings),
            &bases,
        );
        let best = search
            .best(self.settings.join_order_limit())
            .ok_or_else(|| no_order(&problem))?;
        let paths = std::mem::take(&mut search.paths);
        Building {
            problem: &problem,
            paths: &paths,
            items: built,
            above,
            lateral: &lateral,
            volatile,
        }
        .path(self, level, best)
    }
}

/// Only a full join has conditions that no method can test.
fn no_order(problem: &Problem) -> Error {
    let full = |special: &special::SpecialJoin| special.kind == JoinKind::Full;
    if problem.specials.iter().any(full) {
        return Error::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions",
        );
    }
    Error::internal("no order of joins was found")
}

/// The columns of siblings that each item takes (LATERAL).
fn lateral_of(level: &Level, items: &[usize]) -> Vec<Vec<(usize, usize)>> {
    let of = |&rel: &usize| {
        let mut taken = Vec::new();
        let mut take = |var: crate::bind::Var, _: &Expr| taken.push((var.rel, var.column));
        match &level.range[rel].source {
            Source::Table(_) | Source::Common { .. } | Source::WorkTable { .. } => {}
            Source::Function(call) => each_var(call, &mut take),
            Source::Subquery { query, .. } => each_outer_var(query, &mut take),
        }
        taken
    };
    items.iter().map(of).collect()
}

fn is_volatile_source(source: &Source) -> bool {
    match source {
        Source::Subquery { query, .. } => {
            let mut found = false;
            each_in_query(query, 0, &mut |expr, _| found |= is_volatile(expr));
            found
        }
        Source::Function(call) => is_volatile(call),
        Source::Table(_) | Source::Common { .. } | Source::WorkTable { .. } => false,
    }
}

fn rescan_of(planner: &Planner<'_>, node: &PlanNode) -> Rescan {
    match node.kind {
        // `ExecMaterializesOutput`
        NodeKind::Material | NodeKind::Sort { .. } | NodeKind::CteScan(_) => Rescan {
            startup: 0.0,
            total: planner.rescan(node),
            kept: true,
        },
        _ => Rescan::of(&node.estimate),
    }
}

/// The items of these range-table entries.
impl Problem {
    fn set_of(&self, rels: &Rels) -> ItemSet {
        let mut set = ItemSet::EMPTY;
        for (item, &rel) in self.items.iter().enumerate() {
            if rels.contains(rel) {
                set.insert(item);
            }
        }
        set
    }
}
