//! The chosen order of joins as plan nodes.

use super::method::Method;
use super::problem::Problem;
use super::search::{Joining, Path, Step};
use super::set::ItemSet;
use crate::bind::Expr;
use crate::error::{Error, Result};
use crate::plan::from::Level;
use crate::plan::join_type::JoinType;
use crate::plan::joins::JoinParts;
use crate::plan::planner::{Built, Planner};
use crate::plan::quals::VarSet;

pub(super) struct Building<'b> {
    pub problem: &'b Problem,
    pub paths: &'b [Path],
    /// The planned items, taken where they are joined.
    pub items: Vec<Option<Built>>,
    /// Columns needed above the whole.
    pub above: &'b VarSet,
    /// The columns of siblings that each item takes.
    pub lateral: &'b [Vec<(usize, usize)>],
    /// Items that call volatile functions.
    pub volatile: ItemSet,
}

impl Building<'_> {
    pub fn path(
        &mut self,
        planner: &mut Planner<'_>,
        level: &Level,
        number: usize,
    ) -> Result<Built> {
        let path = self.paths[number];
        let joining = match path.step {
            Step::Item(item) => {
                return self.items[item]
                    .take()
                    .ok_or_else(|| Error::internal("an item is joined twice"));
            }
            Step::Join(joining) => joining,
        };
        let Joining {
            outer,
            inner,
            kind,
            method,
        } = joining;
        let (left, right) = (self.paths[outer].items, self.paths[inner].items);
        let tested = self.tested(left, right);
        let of = |pushed_down: bool, pending: bool| -> Vec<Expr> {
            let clauses = tested.iter().map(|&number| &self.problem.clauses[number]);
            clauses
                .filter(|clause| {
                    let pending_above = kind == JoinType::Inner && clause.pending;
                    let filters = !kind.tests(clause.pushed_down) || pending_above;
                    filters == pushed_down && clause.pending == pending
                })
                .map(|clause| clause.expr.clone())
                .collect()
        };
        let (on, filter, pending) = (of(false, false), of(true, false), of(true, true));
        // An outer join's own sub-selects decide which rows match: they are computed before.
        let before = of(false, true);

        let mut own = self.needed(planner, path.items);
        planner.add_needed(&pending, &mut own);
        planner.add_needed(&filter, &mut own);
        let mut children = own.clone();
        planner.add_needed(&on, &mut children);
        planner.add_needed(&before, &mut children);
        self.add_lateral(&mut children);

        let outer = self.path(planner, level, outer)?;
        let inner = self.path(planner, level, inner)?;
        let mut outer = planner.narrow(outer, &children)?;
        let mut inner = planner.narrow(inner, &children)?;
        for expr in &before {
            let needed = self.problem.set_of(&planner.pending_rels(expr));
            if needed.is_subset(left) {
                outer = planner.apply_pending(outer, [expr])?;
            } else if needed.is_subset(right) {
                inner = planner.apply_pending(inner, [expr])?;
            } else {
                return Err(Error::unsupported(
                    "a sub-select correlated with both sides of an outer join in its ON condition",
                ));
            }
        }
        let mut estimate = path.estimate;
        let is_volatile = right.overlaps(self.volatile);
        if method == (Method::Loop { keep: false }) && !is_volatile {
            let saved;
            (inner, saved) = planner.memoized(level.statistics(), kind, &outer, inner);
            estimate.total_cost -= saved;
        }
        let parts = JoinParts {
            kind,
            method,
            on: on.into_iter().chain(before).collect(),
            filter,
            estimate,
        };
        let mut built = planner.join_node(parts, outer, inner)?;
        let kept: Vec<Expr> = own
            .iter()
            .map(|&(rel, column)| level.column(rel, column))
            .collect::<Result<_>>()?;
        let is_own = |expr: &&Expr| crate::plan::lower::position(expr, &built.columns).is_some();
        built.node.estimate.width = planner.width_of(kept.iter().filter(is_own));
        let mut built = planner.filter_pending(level, built, pending)?;
        built.node.estimate.rows = path.estimate.rows;
        Ok(built)
    }

    /// The conditions the join of the two sets tests.
    fn tested(&self, left: ItemSet, right: ItemSet) -> Vec<usize> {
        super::search::clauses_of(self.problem, left, right)
    }

    /// The columns of a set of items that are needed above it.
    fn needed(&self, planner: &Planner<'_>, items: ItemSet) -> VarSet {
        let mut needed = self.above.clone();
        for clause in &self.problem.clauses {
            if !clause.required.is_subset(items) {
                planner.add_needed(std::slice::from_ref(&clause.expr), &mut needed);
            }
        }
        self.add_lateral(&mut needed);
        needed
    }

    fn add_lateral(&self, needed: &mut VarSet) {
        for item in self.lateral {
            needed.extend(item);
        }
    }
}
