//! Sub-selects in FROM that stay sub-selects: conditions that may go in, columns that nobody reads.

use super::planner::Planner;
use super::quals::Qual;
use crate::bind::{Expr, Query};

impl Planner<'_> {
    pub fn push_into(
        &self,
        _rel: usize,
        _query: &mut Query,
        _barrier: bool,
        quals: Vec<Qual>,
    ) -> Vec<Expr> {
        quals.into_iter().map(|qual| qual.expr).collect()
    }

    pub fn narrow_targets(&self, _query: &mut Query) {}
}
