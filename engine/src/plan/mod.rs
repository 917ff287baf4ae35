//! From bound queries to plans: which node, in which order, with which ScanKeys and why not.
//!
//! A SELECT is planned in PostgreSQL's order (`planner.c`):
//!
//! 1. EXISTS and IN become joins (`sublinks`), simple sub-selects in FROM are pulled up (`flatten`);
//! 2. its expressions are folded (`fold`); columns of enclosing SELECTs and sub-selects become
//!    parameters (`subplans`);
//! 3. conditions are split (`quals`), outer joins that they make inner are reduced (`outer_joins`),
//!    and each condition goes down as far as its meaning allows, into sub-selects too (`subqueries`);
//!    the order of joins is the cheapest one found (`join_order`, `selectivity`, `cost`);
//! 4. on a scan, conditions become ScanKeys or say why not (`scan_keys`);
//! 5. groups, targets, DISTINCT, ORDER BY and LIMIT come on top (`select`, `aggregates`, `order`).
//!
//! Until a node is there an expression is in the terms of its SELECT; `lower` then turns every part
//! that the node below has as a column into a Slot.

mod aggregates;
mod canonical;
mod common_tables;
mod cost;
mod decorrelate;
mod flatten;
mod fold;
mod from;
mod function_scan;
mod join_order;
mod join_type;
mod joins;
mod lower;
mod memoize;
mod modify;
mod negate;
mod node;
mod order;
mod outer_joins;
mod planner;
mod quals;
mod relation;
mod scan_keys;
mod select;
mod selectivity;
mod set_ops;
mod sublinks;
mod subplans;
mod subqueries;
mod target_sets;

use std::rc::Rc;

pub use join_type::JoinType;
pub use node::*;

use crate::bind::{Delete, Insert, Query, Update, same, walk};
use crate::catalog::Catalog;
use crate::error::Result;
use crate::memory::Memory;
use crate::settings::Settings;
use planner::Planner;

/// Plans a query.
///
/// Errors: those of constant expressions that PostgreSQL evaluates when planning, 53200 for values
/// of theirs that do not fit what is left of `memory`; 0A000.
pub fn query(
    mut query: Query,
    catalog: &Catalog,
    settings: &Settings,
    memory: &Memory,
) -> Result<Plan> {
    let names: Vec<Rc<str>> = query
        .columns
        .iter()
        .map(|column| Rc::clone(&column.name))
        .collect();
    let mut planner = Planner::new(catalog, settings, memory);
    planner.decorrelate(&mut query)?;
    let root = planner.query(query)?;
    Ok(planner.finish(root, &names))
}

/// Plans an INSERT.
pub fn insert(
    mut insert: Insert,
    catalog: &Catalog,
    settings: &Settings,
    memory: &Memory,
) -> Result<Plan> {
    let mut planner = Planner::new(catalog, settings, memory);
    planner.decorrelate(&mut insert.source)?;
    let mut root = planner.insert(insert)?;
    planner.adopt_init_plans(&mut root, Vec::new());
    Ok(planner.finish(root, &[]))
}

/// Plans an UPDATE.
pub fn update(
    mut update: Update,
    catalog: &Catalog,
    settings: &Settings,
    memory: &Memory,
) -> Result<Plan> {
    let mut planner = Planner::new(catalog, settings, memory);
    planner.decorrelate(&mut update.source)?;
    let mut root = planner.update(update)?;
    planner.adopt_init_plans(&mut root, Vec::new());
    Ok(planner.finish(root, &[]))
}

/// Plans a DELETE.
pub fn delete(
    mut delete: Delete,
    catalog: &Catalog,
    settings: &Settings,
    memory: &Memory,
) -> Result<Plan> {
    let mut planner = Planner::new(catalog, settings, memory);
    planner.decorrelate(&mut delete.source)?;
    let mut root = planner.delete(delete)?;
    planner.adopt_init_plans(&mut root, Vec::new());
    Ok(planner.finish(root, &[]))
}
