//! Figures of a node that PostgreSQL does not have: totals over all loops.

use super::describe::Describer;
use super::property::{Property, Value};
use crate::instr::NodeReport;

pub(super) fn properties(
    describer: &Describer<'_>,
    report: &NodeReport,
    properties: &mut Vec<Property>,
) {
    let counters = &report.counters;
    if describer.timing && counters.own_ns > 0 {
        properties.push(Property::json(
            "Own Time",
            Value::Float(counters.own_ns as f64 / 1e6, 6),
        ));
    }
    let figures = [
        ("Rows In", counters.rows_in),
        ("Rows Out", report.rows_out()),
        ("Batches In", counters.batches_in),
        ("Batches Out", counters.batches_out),
        ("Steps", counters.steps),
        ("Peak Memory", report.facts.peak_memory),
        ("Pipeline", report.pipeline.unwrap_or(0) as u64),
        ("Rows Changed", report.facts.modified_rows.unwrap_or(0)),
    ];
    for (key, figure) in figures {
        if figure > 0 {
            properties.push(Property::json(key, Value::Integer(figure)));
        }
    }
}
