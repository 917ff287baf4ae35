//! A running plan: started, resumed slice by slice, asked for progress and for its report.

use std::rc::Rc;

use super::build::build;
use super::context::ExecCx;
use super::driver::{Driver, Flow};
use super::operator::Progress;
use super::pipelines::Pipelines;
use super::tree::{OpId, Tree};
use crate::error::Result;
use crate::expr::Params;
use crate::instr::{Clock, DriverFacts, NodeCounters, NodeReport, OperatorFacts, Report};
use crate::plan::{Plan, PlanNode};
use crate::settings::{self, Timing};
use crate::value::Batch;

/// Reads of the clock that its price is taken from.
const PRICED_READS: u64 = 1000;

/// One execution of a plan.
///
/// ```text
/// start ─> resume ─> Rows | Yield ─> resume … ─> End (or an error, after the rows before it)
/// ```
///
/// The host decides between two calls of [`Execution::resume`] whether to go on: a call does about
/// half a millisecond of work unless rows for the receiver end it earlier. Dropping an execution
/// cancels it.
pub struct Execution {
    plan: Rc<Plan>,
    tree: Tree,
    cx: ExecCx,
    driver: Driver,
    root: OpId,
}

impl Execution {
    /// Builds the operators; runs nothing. Errors: 0A000 for what the executor cannot do.
    pub fn start(plan: Rc<Plan>, mut cx: ExecCx, clock: Rc<dyn Clock>) -> Result<Self> {
        let mut tree = Tree::new(cx.driver, clock, cx.timing, cx.batch_rows);
        cx.params = Params::with_count(plan.params);
        let root = build(&plan, &cx, &mut tree)?;
        tree.seal(cx.batch_rows);
        Ok(Execution {
            plan,
            driver: Driver::new(cx.driver, root),
            tree,
            cx,
            root,
        })
    }

    /// Runs until result rows, the end of a slice, or the end. Rows are in `out`.
    /// Errors come after the rows before them; the execution is over then.
    pub fn resume(&mut self, out: &mut Batch) -> Result<Flow> {
        self.cx.work.renew();
        self.tree.watch.start();
        let want = self.cx.batch_rows;
        let flow = self.driver.run(&mut self.tree, &mut self.cx, want);
        self.tree.watch.stop();
        if flow == Ok(Flow::Rows) {
            std::mem::swap(out, self.tree.out(self.root));
        }
        flow
    }

    /// The context: the random state to take back, the parameters.
    pub fn context(&self) -> &ExecCx {
        &self.cx
    }

    /// How far the current pipeline's source has come, from 0 to 1, where that is known.
    pub fn progress(&self) -> Option<f64> {
        self.tree.progress(self.root).map(Progress::fraction)
    }

    /// Rows inserted, updated or deleted so far.
    pub fn modified_rows(&self) -> u64 {
        let mut facts = OperatorFacts::default();
        self.tree.operator(self.root).report(&mut facts);
        facts.modified_rows.unwrap_or(0)
    }

    /// All counters as they are now.
    pub fn report(&self) -> Report {
        let pipelines = match self.cx.driver {
            settings::Driver::Push => Some(Pipelines::of(&self.tree, self.root)),
            settings::Driver::Pull => None,
        };
        let mut nodes = vec![NodeReport::default(); self.plan.nodes];
        let mut has_operator = vec![false; self.plan.nodes];
        // Children come before parents, so the last operator of a node is its top.
        for id in 0..self.tree.len() {
            let node = self.tree.plan_node(id);
            has_operator[node] = true;
            self.report_operator(id, pipelines.as_ref(), &mut nodes[node]);
        }
        for root in self.roots() {
            pass_through(root, &has_operator, &mut nodes);
            add_inclusive(root, &mut nodes);
        }
        // PostgreSQL counts an InitPlan's time where it is first needed, which is at or below its parent.
        // A sub-plan's own sub-plans have the higher numbers.
        for subplan in self.plan.subplans.iter().rev() {
            let ns = nodes[subplan.root.id].inclusive_ns;
            for root in self.roots() {
                add_to_ancestors(root, subplan.parent, ns, &mut nodes);
            }
        }
        let watch = &self.tree.watch;
        Report {
            nodes,
            execution_ns: watch.running_ns(),
            driver: DriverFacts {
                driver: self.cx.driver,
                batch_rows: self.cx.batch_rows,
                pipelines: pipelines.map_or(0, |pipelines| pipelines.count),
                timing: self.cx.timing,
                sampled: watch.is_sampled(),
                clock_reads: watch.reads(),
                clock_step_ns: watch.clock().step_ns(),
                clock_cost_ns: match self.cx.timing {
                    Timing::Full => price_of_reads(watch.clock(), watch.reads()),
                    Timing::Off | Timing::Batch => 0,
                },
            },
        }
    }

    fn roots(&self) -> impl Iterator<Item = &PlanNode> {
        std::iter::once(&self.plan.root)
            .chain(self.plan.subplans.iter().map(|subplan| &subplan.root))
    }

    fn report_operator(&self, id: OpId, pipelines: Option<&Pipelines>, node: &mut NodeReport) {
        let counters = self.tree.counters(id);
        let operator = self.tree.operator(id);
        let mut facts = OperatorFacts::default();
        operator.report(&mut facts);
        node.facts.merge(facts);
        let from_same_node = self
            .tree
            .children(id)
            .iter()
            .any(|&child| self.tree.plan_node(child) == self.tree.plan_node(id));
        let sum = &mut node.counters;
        sum.steps += counters.steps;
        sum.own_ns += counters.own_ns;
        if from_same_node {
            // Above another operator of the node: only what leaves it is the node's.
            sum.loops = sum.loops.max(counters.loops);
        } else {
            sum.loops = counters.loops;
            for &child in self.tree.children(id) {
                sum.rows_in += self.tree.counters(child).rows_out;
                sum.batches_in += self.tree.counters(child).batches_out;
            }
        }
        sum.rows_out = counters.rows_out;
        sum.batches_out = counters.batches_out;
        sum.startup_ns = counters.startup_ns;
        node.pipeline = pipelines.and_then(|pipelines| pipelines.of[id]);
        if let Some(Progress::Pages(pages)) = operator.progress() {
            node.pages = Some(pages);
        }
    }
}

/// A node without an operator (a Subquery Scan that neither filters nor projects) gives what its
/// child gives, and takes no time.
fn pass_through(node: &PlanNode, has_operator: &[bool], reports: &mut [NodeReport]) {
    for child in &node.children {
        pass_through(child, has_operator, reports);
    }
    if let ([child], false) = (node.children.as_slice(), has_operator[node.id]) {
        let below = &reports[child.id];
        let (counters, pipeline) = (below.counters, below.pipeline);
        reports[node.id].pipeline = pipeline;
        reports[node.id].counters = NodeCounters {
            rows_in: counters.rows_out,
            batches_in: counters.batches_out,
            steps: 0,
            own_ns: 0,
            ..counters
        };
    }
}

/// Sums own times upward.
fn add_inclusive(node: &PlanNode, reports: &mut [NodeReport]) -> u64 {
    let below: u64 = node
        .children
        .iter()
        .map(|child| add_inclusive(child, reports))
        .sum();
    reports[node.id].inclusive_ns = reports[node.id].counters.own_ns + below;
    reports[node.id].inclusive_ns
}

/// Adds to `target` and to all nodes above it. False if `target` is not below `node`.
fn add_to_ancestors(node: &PlanNode, target: usize, ns: u64, reports: &mut [NodeReport]) -> bool {
    let found = node.id == target
        || node
            .children
            .iter()
            .any(|child| add_to_ancestors(child, target, ns, reports));
    if found {
        reports[node.id].inclusive_ns += ns;
    }
    found
}

fn price_of_reads(clock: &dyn Clock, reads: u64) -> u64 {
    let before = clock.now_ns();
    for _ in 1..PRICED_READS {
        clock.now_ns();
    }
    (clock.now_ns() - before) * reads / PRICED_READS
}
