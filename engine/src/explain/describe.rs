//! What EXPLAIN says of a node, in PostgreSQL's order (`ExplainNode`), before it is laid out as text
//! or JSON.

use super::deparse::{Deparser, Place};
use super::property::{Property, Value};
use crate::bind::{ExplainOptions, Expr, SortKey};
use crate::catalog::OperatorRef;
use crate::instr::{MemoizeFacts, NodeReport, Report};
use crate::plan::{AggregateStrategy, Estimate, NodeKind, Plan, PlanNode, SubPlanKind};

/// What there is to say about a plan, and how much of it is asked for.
pub(super) struct Describer<'a> {
    pub plan: &'a Plan,
    pub report: Option<&'a Report>,
    pub options: &'a ExplainOptions,
    pub timing: bool,
    pub deparser: Deparser<'a>,
}

/// A node and those below it.
pub(super) struct Described {
    /// The text format's first line, without costs: `Hash Left Join`, `Seq Scan on t`.
    pub title: String,
    /// JSON's keys from `Node Type` up to the costs.
    pub identity: Vec<(&'static str, Value)>,
    /// The text format's `  (cost=…) (actual …)`.
    pub figures: String,
    pub properties: Vec<Property>,
    pub children: Vec<Described>,
}

/// A node as it hangs on the one above.
pub(super) struct Below<'a> {
    pub node: &'a PlanNode,
    pub relationship: &'static str,
    /// Which of the plan's sub-plans it is the root of.
    pub subplan: Option<usize>,
}

/// What is printed below a node, in order: InitPlans, inputs, SubPlans.
pub(super) fn below<'a>(plan: &'a Plan, node: &'a PlanNode) -> Vec<Below<'a>> {
    let sub_plans = |initial: bool| {
        let relationship = if initial { "InitPlan" } else { "SubPlan" };
        plan.subplans
            .iter()
            .enumerate()
            .filter(move |(_, subplan)| {
                subplan.parent == node.id
                    && matches!(subplan.kind, SubPlanKind::Correlated { .. }) != initial
            })
            .map(move |(i, subplan)| Below {
                node: &subplan.root,
                relationship,
                subplan: Some(i),
            })
    };
    let inputs = node.children.iter().enumerate().map(|(i, child)| Below {
        node: child,
        relationship: match (&node.kind, i) {
            (NodeKind::Append, _) => "Member",
            (NodeKind::SubqueryScan { .. }, _) => "Subquery",
            (_, 0) => "Outer",
            _ => "Inner",
        },
        subplan: None,
    });
    sub_plans(true)
        .chain(inputs)
        .chain(sub_plans(false))
        .collect()
}

impl<'a> Describer<'a> {
    /// `relationship`: the node's place under its parent; `name`: of the sub-plan it is the root of.
    pub fn node(
        &self,
        node: &'a PlanNode,
        relationship: Option<&'static str>,
        name: Option<String>,
    ) -> Described {
        let report = self.report.and_then(|report| report.nodes.get(node.id));
        let mut properties = Vec::new();
        self.costs(node, report, &mut properties);
        if self.options.verbose {
            self.output(node, &mut properties);
        }
        if let NodeKind::NestedLoop { .. }
        | NodeKind::HashJoin { .. }
        | NodeKind::MergeJoin { .. } = node.kind
        {
            properties.push(Property::json("Inner Unique", Value::Bool(false)));
        }
        self.specific(node, report, &mut properties);
        if let NodeKind::SeqScan(scan) = &node.kind {
            super::push_down::properties(self, scan, report, &mut properties);
        }
        if self.options.buffers {
            super::buffers::properties(self.pages_read(node), self.options, &mut properties);
        }
        if let Some(report) = report {
            super::instrument::properties(self, report, &mut properties);
        }
        Described {
            title: self.title(node),
            identity: self.identity(node, relationship, &name),
            figures: self.figures(node, report),
            properties,
            children: self.children(node),
        }
    }

    fn children(&self, node: &'a PlanNode) -> Vec<Described> {
        below(self.plan, node)
            .into_iter()
            .map(|child| {
                let name = child.subplan.map(|i| self.deparser.sub_plan_name(i));
                self.node(child.node, Some(child.relationship), name)
            })
            .collect()
    }

    fn costs(&self, node: &PlanNode, report: Option<&NodeReport>, properties: &mut Vec<Property>) {
        if self.options.costs {
            let estimate = &node.estimate;
            properties.push(Property::json(
                "Startup Cost",
                Value::Float(estimate.startup_cost, 2),
            ));
            properties.push(Property::json(
                "Total Cost",
                Value::Float(estimate.total_cost, 2),
            ));
            properties.push(Property::json("Plan Rows", Value::Float(estimate.rows, 0)));
            properties.push(Property::json(
                "Plan Width",
                Value::Integer(u64::from(estimate.width)),
            ));
        }
        let Some(report) = report else { return };
        let actual = report.per_loop();
        if self.timing {
            let (startup, total) =
                actual.map_or((0.0, 0.0), |actual| (actual.startup_ms, actual.total_ms));
            properties.push(Property::json(
                "Actual Startup Time",
                Value::Float(startup, 3),
            ));
            properties.push(Property::json("Actual Total Time", Value::Float(total, 3)));
        }
        let (rows, loops) = actual.map_or((0.0, 0), |actual| (actual.rows, actual.loops));
        properties.push(Property::json("Actual Rows", Value::Float(rows, 0)));
        properties.push(Property::json("Actual Loops", Value::Integer(loops)));
    }

    fn figures(&self, node: &PlanNode, report: Option<&NodeReport>) -> String {
        let mut figures = String::new();
        if self.options.costs {
            let Estimate {
                startup_cost,
                total_cost,
                rows,
                width,
            } = node.estimate;
            figures.push_str(&format!(
                "  (cost={startup_cost:.2}..{total_cost:.2} rows={rows:.0} width={width})"
            ));
        }
        let Some(report) = report else { return figures };
        match report.per_loop() {
            None => figures.push_str(" (never executed)"),
            Some(actual) if self.timing => figures.push_str(&format!(
                " (actual time={:.3}..{:.3} rows={:.0} loops={})",
                actual.startup_ms, actual.total_ms, actual.rows, actual.loops
            )),
            Some(actual) => {
                figures.push_str(&format!(
                    " (actual rows={:.0} loops={})",
                    actual.rows, actual.loops
                ));
            }
        }
        figures
    }

    /// VERBOSE: the target list.
    fn output(&self, node: &'a PlanNode, properties: &mut Vec<Property>) {
        if matches!(node.kind, NodeKind::Append | NodeKind::ModifyTable(_))
            || node.output.is_empty()
        {
            return;
        }
        // `show_plan_tlist`: VERBOSE alone does not qualify the names.
        let prefix = self.plan.qualified;
        let targets = (0..node.output.len())
            .map(|i| self.deparser.target(node, i, prefix))
            .collect();
        properties.push(Property::both("Output", Value::List(targets)));
    }

    /// `show_plan_tlist`, `show_upper_qual`: names of relations are written where there are several.
    fn prefixes(&self) -> bool {
        self.plan.qualified || self.options.verbose
    }

    /// `show_scan_qual`: a scan's own columns need no relation's name.
    fn scan_prefix(&self, node: &PlanNode) -> bool {
        // `T_CteScan` and its kin are scans too.
        matches!(node.kind, NodeKind::SubqueryScan { .. }) || self.options.verbose
    }

    fn specific(
        &self,
        node: &'a PlanNode,
        report: Option<&NodeReport>,
        properties: &mut Vec<Property>,
    ) {
        let upper = self.prefixes();
        match &node.kind {
            NodeKind::FunctionScan { function, args, .. } if self.options.verbose => {
                let call = self.deparser.function_call(&function.name, args);
                properties.push(Property::both("Function Call", Value::Text(call)));
            }
            NodeKind::HashJoin {
                keys, join_filter, ..
            } => {
                if !keys.is_empty() {
                    let keys = keys
                        .iter()
                        .map(|key| (&key.outer, &key.operator, &key.inner));
                    let condition = self.join_condition(node, keys, upper);
                    properties.push(Property::both("Hash Cond", Value::Text(condition)));
                }
                self.join_filter(node, join_filter.as_ref(), report, properties);
            }
            NodeKind::MergeJoin {
                keys, join_filter, ..
            } => {
                if !keys.is_empty() {
                    let keys = keys
                        .iter()
                        .map(|key| (&key.outer, &key.operator, &key.inner));
                    let condition = self.join_condition(node, keys, upper);
                    properties.push(Property::both("Merge Cond", Value::Text(condition)));
                }
                self.join_filter(node, join_filter.as_ref(), report, properties);
                if report.is_some() {
                    properties.push(Property::both("Inner Input", Value::text("pulled")));
                }
            }
            NodeKind::NestedLoop { join_filter, .. } => {
                self.join_filter(node, join_filter.as_ref(), report, properties);
            }
            NodeKind::Aggregate { groups, .. } if !groups.is_empty() => {
                let child = Place::Output(&node.children[0]);
                let keys = groups
                    .iter()
                    .map(|group| self.deparser.operand(group, child, upper))
                    .collect();
                properties.push(Property::both("Group Key", Value::List(keys)));
            }
            NodeKind::Sort { keys, .. } => {
                let keys = keys
                    .iter()
                    .map(|key| self.sort_key(&node.children[0], key, upper))
                    .collect();
                properties.push(Property::both("Sort Key", Value::List(keys)));
                if let Some(sort) = report.and_then(|report| report.facts.sort) {
                    let kilobytes = sort.bytes.div_ceil(1024);
                    let method = sort.method.name();
                    properties.push(Property::Text(format!(
                        "Sort Method: {method}  Memory: {kilobytes}kB"
                    )));
                    properties.push(Property::json("Sort Method", Value::text(method)));
                    properties.push(Property::json("Sort Space Used", Value::Integer(kilobytes)));
                    properties.push(Property::json("Sort Space Type", Value::text("Memory")));
                }
            }
            NodeKind::Result {
                one_time_filter: Some(condition),
            } => {
                let condition = self.deparser.text(condition, Place::Nothing, upper);
                properties.push(Property::both("One-Time Filter", Value::Text(condition)));
            }
            NodeKind::Apply(apply) => {
                if let Some(guard) = &apply.guard {
                    let guard = self
                        .deparser
                        .text(guard, Place::Output(&node.children[0]), upper);
                    properties.push(Property::both("Run Where", Value::Text(guard)));
                }
            }
            NodeKind::Memoize { keys, .. } => {
                let keys = keys
                    .iter()
                    .map(|key| self.deparser.operand(key, Place::Nothing, true))
                    .collect();
                properties.push(Property::both("Cache Key", Value::List(keys)));
                properties.push(Property::both("Cache Mode", Value::text("binary")));
                memoize(report, properties);
            }
            NodeKind::Hash => hash(report, properties),
            _ => {}
        }
        let is_scan = matches!(
            node.kind,
            NodeKind::SeqScan(_)
                | NodeKind::FunctionScan { .. }
                | NodeKind::ValuesScan { .. }
                | NodeKind::CteScan(_)
                | NodeKind::WorkTableScan(_)
                | NodeKind::SubqueryScan { .. }
        );
        if let Some(filter) = &node.filter {
            let prefix = if is_scan {
                self.scan_prefix(node)
            } else {
                upper
            };
            let condition = self.deparser.text(filter, Place::Own(node), prefix);
            properties.push(Property::both("Filter", Value::Text(condition)));
        }
        if let NodeKind::Aggregate {
            strategy: AggregateStrategy::Hashed,
            ..
        } = node.kind
        {
            self.hash_aggregate(report, properties);
        }
        if node.filter.is_some()
            && let Some(report) = report
        {
            properties.push(removed(
                "Rows Removed by Filter",
                report.facts.removed_by_filter,
                report,
            ));
        }
    }

    /// The equalities that a hash or merge join is made by.
    fn join_condition<'k>(
        &self,
        node: &'a PlanNode,
        keys: impl Iterator<Item = (&'k Expr, &'k OperatorRef, &'k Expr)>,
        prefix: bool,
    ) -> String {
        let (outer, inner) = (&node.children[0], &node.children[1]);
        let conditions: Vec<String> = keys
            .map(|(left, operator, right)| {
                let left = self.deparser.operand(left, Place::Output(outer), prefix);
                let right = self.deparser.operand(right, Place::Output(inner), prefix);
                format!("({left} {} {right})", operator.name)
            })
            .collect();
        match &conditions[..] {
            [condition] => condition.clone(),
            conditions => format!("({})", conditions.join(" AND ")),
        }
    }

    fn join_filter(
        &self,
        node: &'a PlanNode,
        filter: Option<&Expr>,
        report: Option<&NodeReport>,
        properties: &mut Vec<Property>,
    ) {
        let Some(filter) = filter else { return };
        let condition = self
            .deparser
            .text(filter, Place::Pair(node), self.prefixes());
        properties.push(Property::both("Join Filter", Value::Text(condition)));
        if let Some(report) = report {
            properties.push(removed(
                "Rows Removed by Join Filter",
                report.facts.removed_by_join_filter,
                report,
            ));
        }
    }

    fn sort_key(&self, child: &'a PlanNode, key: &SortKey, prefix: bool) -> String {
        let mut text = self.deparser.column(child, key.target, prefix);
        text.push_str(super::columns::direction(key.descending, key.nulls_first));
        text
    }

    fn hash_aggregate(&self, report: Option<&NodeReport>, properties: &mut Vec<Property>) {
        if self.options.costs {
            properties.push(Property::json("Planned Partitions", Value::Integer(0)));
        }
        if let Some(report) = report {
            let bytes = report
                .facts
                .aggregate
                .map_or(report.facts.peak_memory, |facts| facts.bytes);
            let kilobytes = bytes.div_ceil(1024);
            properties.push(Property::Text(format!(
                "Batches: 1  Memory Usage: {kilobytes}kB"
            )));
            properties.push(Property::json("HashAgg Batches", Value::Integer(1)));
            properties.push(Property::json(
                "Peak Memory Usage",
                Value::Integer(kilobytes),
            ));
            properties.push(Property::json("Disk Usage", Value::Integer(0)));
        }
    }

    /// Pages that the node and those below it read, sub-plans included.
    fn pages_read(&self, node: &PlanNode) -> u64 {
        let Some(report) = self.report else { return 0 };
        let mut pages = 0;
        node.each(&mut |node| {
            pages += report
                .nodes
                .get(node.id)
                .and_then(|n| n.facts.scan)
                .map_or(0, |scan| scan.pages_read);
            for subplan in self
                .plan
                .subplans
                .iter()
                .filter(|subplan| subplan.parent == node.id)
            {
                pages += self.pages_read(&subplan.root);
            }
        });
        pages
    }
}

/// `show_instrumentation_count`: per loop; the text format leaves a zero out.
pub(super) fn removed(key: &'static str, rows: u64, report: &NodeReport) -> Property {
    let per_loop = rows as f64 / report.counters.loops.max(1) as f64;
    let value = Value::Float(per_loop, 0);
    if rows > 0 {
        Property::both(key, value)
    } else {
        Property::json(key, value)
    }
}

fn memoize(report: Option<&NodeReport>, properties: &mut Vec<Property>) {
    let Some((report, facts)) = report.and_then(|report| Some((report, report.facts.memoize?)))
    else {
        return;
    };
    let MemoizeFacts {
        hits,
        misses,
        evictions,
        overflows,
    } = facts;
    if misses == 0 {
        return;
    }
    let kilobytes = report.facts.peak_memory.div_ceil(1024);
    properties.push(Property::Text(format!(
        "Hits: {hits}  Misses: {misses}  Evictions: {evictions}  Overflows: {overflows}  Memory \
         Usage: {kilobytes}kB"
    )));
    for (key, figure) in [
        ("Cache Hits", hits),
        ("Cache Misses", misses),
        ("Cache Evictions", evictions),
        ("Cache Overflows", overflows),
        ("Peak Memory Usage", kilobytes),
    ] {
        properties.push(Property::json(key, Value::Integer(figure)));
    }
}

fn hash(report: Option<&NodeReport>, properties: &mut Vec<Property>) {
    let Some(facts) = report.and_then(|report| report.facts.hash) else {
        return;
    };
    let kilobytes = facts.bytes.div_ceil(1024);
    let buckets = facts.buckets;
    properties.push(Property::Text(format!(
        "Buckets: {buckets}  Batches: 1  Memory Usage: {kilobytes}kB"
    )));
    properties.push(Property::json("Hash Buckets", Value::Integer(buckets)));
    properties.push(Property::json(
        "Original Hash Buckets",
        Value::Integer(buckets),
    ));
    properties.push(Property::json("Hash Batches", Value::Integer(1)));
    properties.push(Property::json("Original Hash Batches", Value::Integer(1)));
    properties.push(Property::json(
        "Peak Memory Usage",
        Value::Integer(kilobytes),
    ));
}
