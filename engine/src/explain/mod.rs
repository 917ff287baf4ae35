//! EXPLAIN as text and as JSON, in PostgreSQL 15's words, layout and order of keys, so that what
//! reads PostgreSQL's plans (PEV2, explain.depesz) reads these.
//!
//! What PostgreSQL does not have follows what it has: on a scan what became of its conditions, on
//! every node the executor's counters (JSON only), at the end how the plan was run.

mod buffers;
mod columns;
mod deparse;
mod describe;
mod identity;
mod instrument;
mod json;
mod literal;
mod property;
mod push_down;
mod summary;
mod text;

#[cfg(test)]
mod tests;

use crate::bind::{ExplainOptions, Format};
use crate::instr::Report;
use crate::plan::{NodeId, Plan, PlanNode};
use crate::settings::{Settings, Timing};
use deparse::Deparser;
use describe::Describer;

/// The ids of the plan's nodes in the order in which [`render`] prints them, so that figures that are
/// kept by id can be put beside what is printed.
pub fn printed_order(plan: &Plan) -> Vec<NodeId> {
    fn walk(plan: &Plan, node: &PlanNode, order: &mut Vec<NodeId>) {
        order.push(node.id);
        for child in describe::below(plan, node) {
            walk(plan, child.node, order);
        }
    }
    let mut order = Vec::new();
    walk(plan, &plan.root, &mut order);
    order
}

/// The whole text of EXPLAIN, without a newline at its end. With a report it is EXPLAIN (ANALYZE).
pub fn render(
    plan: &Plan,
    report: Option<&Report>,
    planning_ns: u64,
    settings: &Settings,
    options: &ExplainOptions,
) -> String {
    let timed = report.is_some_and(|report| report.driver.timing != Timing::Off);
    let describer = Describer {
        plan,
        report,
        options,
        timing: timed && options.timing.unwrap_or(true),
        deparser: Deparser::new(plan),
    };
    let root = describer.node(&plan.root, None, None);
    let summary = summary::properties(report, planning_ns, settings, options);
    let mut out = String::new();
    match options.format {
        Format::Json => json::write_document(&root, &summary, &mut out),
        Format::Text => {
            text::write_node(&root, 0, &mut out);
            for property in &summary {
                text::write_property(property, 0, &mut out);
            }
            out.truncate(out.trim_end().len());
        }
    }
    out
}
