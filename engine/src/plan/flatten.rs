//! Simple sub-selects in FROM become part of the query around them (`pull_up_subqueries`).

use super::planner::Planner;
use crate::bind::Select;
use crate::error::Result;

impl Planner<'_> {
    pub fn flatten(&self, select: Select) -> Result<Select> {
        Ok(select)
    }
}
