//! The report of an execution, node by node of the plan, for EXPLAIN and the page.

use super::{NodeCounters, OperatorFacts, ScanPages};
use crate::settings::{Driver, Timing};

/// What an execution did so far (or in all).
#[derive(Clone, Debug)]
pub struct Report {
    /// By plan node id.
    pub nodes: Vec<NodeReport>,
    pub driver: DriverFacts,
    /// Time inside the executor; the gaps between slices do not count.
    pub execution_ns: u64,
}

/// How the plan was run.
#[derive(Clone, Copy, Debug)]
pub struct DriverFacts {
    pub driver: Driver,
    pub batch_rows: usize,
    /// Pipelines the push driver cuts the plan into; 0 under pull.
    pub pipelines: usize,
    pub timing: Timing,
    /// Node times were taken of one step in many, and scaled.
    pub sampled: bool,
    pub clock_reads: u64,
    /// What the clock can tell apart.
    pub clock_step_ns: u64,
    /// What reading the clock cost in all, by the price of one read measured afterwards; 0 unless
    /// `explain_timing = full`.
    pub clock_cost_ns: u64,
}

/// One node of the plan: the operators that do its work, added up.
#[derive(Clone, Debug, Default)]
pub struct NodeReport {
    /// Totals over all loops. `rows_in` is what entered the lowest of the node's operators, over
    /// all ports; `rows_out` what left the highest.
    pub counters: NodeCounters,
    pub facts: OperatorFacts,
    /// The push driver's pipeline, counted from 1 in order of execution, that the node's rows leave
    /// it in; `None` under pull and for nodes driven by pull.
    pub pipeline: Option<usize>,
    /// For a table scan that has begun.
    pub pages: Option<ScanPages>,
    /// Derived: own time and that of all nodes below, sub-plans included.
    pub inclusive_ns: u64,
}

/// PostgreSQL's per-loop figures: derived, not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derived {
    pub startup_ms: f64,
    pub total_ms: f64,
    pub rows: f64,
    pub loops: u64,
}

impl NodeReport {
    pub fn never_executed(&self) -> bool {
        self.counters.loops == 0
    }

    /// Rows the node gave, whatever way it hands them on.
    pub fn rows_out(&self) -> u64 {
        self.facts.kept_rows.unwrap_or(self.counters.rows_out)
    }

    /// `Actual Startup Time`, `Actual Total Time`, `Actual Rows`, `Actual Loops`. The startup time
    /// is that of the first loop. `None` if never executed.
    pub fn per_loop(&self) -> Option<Derived> {
        let loops = self.counters.loops;
        if loops == 0 {
            return None;
        }
        let total_ms = self.inclusive_ns as f64 / loops as f64 / 1e6;
        let startup_ms = self
            .counters
            .startup_ns
            .map_or(total_ms, |ns| (ns as f64 / 1e6).min(total_ms));
        Some(Derived {
            startup_ms,
            total_ms,
            rows: self.rows_out() as f64 / loops as f64,
            loops,
        })
    }
}

/// The names of the figures of one node in [`Report::flat`], in their order.
pub const COUNTER_NAMES: [&str; 20] = [
    "loops",
    "steps",
    "rowsIn",
    "rowsOut",
    "batchesOut",
    "ownNs",
    "inclusiveNs",
    "startupNs",
    "removedByFilter",
    "removedByJoinFilter",
    "removedByKeys",
    "keyEvaluations",
    "qualEvaluations",
    "rowsRechecked",
    "visible",
    "pagesRead",
    "pagesSkipped",
    "pagesTotal",
    "peakMemory",
    "groups",
];

impl Report {
    /// All counters of all nodes, [`COUNTER_NAMES`]`.len()` numbers a node, nodes in plan order:
    /// one typed array for the page.
    pub fn flat(&self) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(self.nodes.len() * COUNTER_NAMES.len());
        for node in &self.nodes {
            let (counters, facts) = (&node.counters, &node.facts);
            let scan = facts.scan.unwrap_or_default();
            let figures: [u64; COUNTER_NAMES.len()] = [
                counters.loops,
                counters.steps,
                counters.rows_in,
                node.rows_out(),
                counters.batches_out,
                counters.own_ns,
                node.inclusive_ns,
                counters.startup_ns.unwrap_or(0),
                facts.removed_by_filter,
                facts.removed_by_join_filter,
                scan.removed_by_keys,
                scan.key_evaluations,
                facts.qual_evaluations,
                facts.rows_rechecked,
                scan.visible,
                scan.pages_read,
                scan.pages_skipped,
                node.pages.map_or(0, |pages| u64::from(pages.total)),
                facts.peak_memory,
                facts
                    .aggregate
                    .map_or(facts.hash.map_or(0, |hash| hash.rows), |aggregate| {
                        aggregate.groups
                    }),
            ];
            numbers.extend(figures.iter().map(|&figure| figure as f64));
        }
        numbers
    }
}
