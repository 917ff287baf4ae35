//! The operators of an execution in one array, with their states, buffers and counters.
//!
//! Both drivers step operators through the methods here, so that states, counters, times, pending
//! errors and the debug assertions of the protocol are the same under both.

mod progress;
mod rescans;

use std::rc::Rc;

use super::context::ExecCx;
use super::operator::{Input, Operator, Port, PortKind, Step};
use super::params::ParamSet;
use super::producer::{Output, Producer};
use crate::bind::ParamId;
use crate::error::{Error, Result};
use crate::instr::{Clock, Lap, NodeCounters, Stopwatch};
use crate::plan::NodeId;
use crate::settings::{self, Timing};
use crate::value::Batch;

/// Index of an operator in the tree. Children come before their parents.
pub type OpId = usize;

/// What an operator waits for.
///
/// ```text
/// Fresh ─ first step ─> Ready <─> Waiting | Pulling | Producing ─> Done
///   ^                     └─ error behind good rows ─> Failing       │
///   └──────────────────────── rescan ──────────────────────────────┘
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not stepped since its start or rescan.
    Fresh,
    /// To be stepped with `Go`.
    Ready,
    /// For a Stream or Build port.
    Waiting(Port),
    /// For a Pulled port; its `out` stays open.
    Pulling(Port),
    /// For a parameter's value.
    Producing(ParamId),
    /// An error is to be raised once the rows before it are delivered.
    Failing,
    Done,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stepped {
    pub(super) answer: Answer,
    /// There are rows in `out` for the receiver; they are counted, and `out` is closed.
    pub(super) gives: bool,
}

/// A step's answer as the drivers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Nothing more without input from a Stream or Build port.
    Wants,
    /// In the middle of a Pulled input: `out` is not to be handed on yet.
    Holds,
    /// There is more to come without input.
    Again,
    /// As `Again`, after a pause.
    Paused,
    Done,
    /// An error, to be taken with [`Tree::raised`]. Kept aside, so that answers stay in a register.
    Raised,
}

struct Node {
    operator: Box<dyn Operator>,
    out: Box<Batch>,
    state: State,
    /// `out` is being filled; closed again when its rows are handed on.
    open: bool,
    want: usize,
    /// The one Pulled port, [`NO_PORT`] if there is none.
    pulled: Port,
    counters: NodeCounters,
    children: Box<[OpId]>,
    ports: Box<[PortKind]>,
    plan_node: NodeId,
    /// Parameters its own expressions read.
    own: ParamSet,
    /// Parameters read by it or below it, and those that their producers depend on.
    depends: ParamSet,
    /// Parameters it sets for its Pulled port, and those whose producers depend on them.
    sets: Rc<ParamSet>,
    /// Answers of `More` in a row without rows and without work.
    #[cfg(debug_assertions)]
    idle: u32,
}

const NO_PORT: Port = Port::MAX;

/// How an operator is put into the tree.
pub struct NewNode<'a> {
    pub children: &'a [OpId],
    pub plan_node: NodeId,
    /// Parameters its expressions read.
    pub reads: ParamSet,
    /// Parameters it sets before each run of its Pulled port.
    pub sets: ParamSet,
}

/// The tree, or rather the forest: the main tree and one tree for each shared producer.
pub struct Tree {
    nodes: Vec<Node>,
    /// Taken out while they run.
    pub(super) producers: Vec<Option<Box<Producer>>>,
    /// Parameters that producers depend on, directly or by way of other producers; kept apart because
    /// producers come and go.
    producer_depends: Vec<(ParamId, ParamSet)>,
    failures: Vec<(OpId, Error)>,
    raised: Option<Error>,
    pub(super) watch: Stopwatch,
    driver: settings::Driver,
}

impl Tree {
    pub fn new(
        driver: settings::Driver,
        clock: Rc<dyn Clock>,
        timing: Timing,
        batch_rows: usize,
    ) -> Self {
        Tree {
            nodes: Vec::new(),
            producers: Vec::new(),
            producer_depends: Vec::new(),
            failures: Vec::new(),
            raised: None,
            watch: Stopwatch::new(clock, timing, batch_rows),
            driver,
        }
    }

    /// Adds an operator; its children are in the tree already, one for each port.
    pub fn add(&mut self, operator: Box<dyn Operator>, new: NewNode<'_>) -> OpId {
        let ports: Box<[PortKind]> = operator.ports().into();
        debug_assert_eq!(ports.len(), new.children.len());
        debug_assert!(
            ports
                .iter()
                .filter(|&&kind| kind == PortKind::Pulled)
                .count()
                <= 1
        );
        let mut depends = new.reads.clone();
        for &child in new.children {
            depends.union(&self.nodes[child].depends);
        }
        // A value depends on what its producer depends on; producers come before their readers.
        for (param, of) in &self.producer_depends {
            if depends.contains(*param) {
                depends.union(of);
            }
        }
        // What it sets itself, and what is made of that, concerns nobody outside: a producer that it
        // stands in, or that reads what it stands in, is not started over.
        let sets = Rc::new(self.closure(new.sets));
        depends.remove(&sets);
        self.nodes.push(Node {
            operator,
            out: Box::default(),
            state: State::Fresh,
            open: false,
            want: 1,
            pulled: ports
                .iter()
                .position(|&kind| kind == PortKind::Pulled)
                .unwrap_or(NO_PORT),
            counters: NodeCounters::default(),
            children: new.children.into(),
            ports,
            plan_node: new.plan_node,
            own: new.reads,
            depends,
            sets,
            #[cfg(debug_assertions)]
            idle: 0,
        });
        self.nodes.len() - 1
    }

    /// Makes the tree at `root` the producer of a parameter: run lazily, by whoever needs it first.
    pub(super) fn add_producer(&mut self, root: OpId, param: ParamId, output: Output) {
        self.producer_depends
            .push((param, self.nodes[root].depends.clone()));
        self.producers.push(Some(Box::new(Producer::new(
            self.driver,
            root,
            param,
            output,
        ))));
    }

    /// The parameters, but for those in `but`, that are set above the node and decide its rows.
    pub(super) fn set_from_outside(&self, id: OpId, but: &[ParamId]) -> Vec<ParamId> {
        let is_produced = |param| self.producer_depends.iter().any(|(p, _)| *p == param);
        let depends = self.nodes[id].depends.iter();
        depends
            .filter(|param| !but.contains(param) && !is_produced(*param))
            .collect()
    }

    /// To be called once, after the last `add`.
    pub(super) fn seal(&mut self, batch_rows: usize) {
        for node in &mut self.nodes {
            node.want = batch_rows;
        }
    }

    /// `params` and all parameters whose producers depend on one of them.
    fn closure(&self, mut params: ParamSet) -> ParamSet {
        if params.is_empty() {
            return params;
        }
        for (param, depends) in &self.producer_depends {
            if depends.meets(&params) {
                params.insert(*param);
            }
        }
        params
    }

    // ---- What drivers look at

    #[inline]
    pub(super) fn state(&self, id: OpId) -> State {
        self.nodes[id].state
    }

    #[inline]
    pub(super) fn child(&self, id: OpId, port: Port) -> OpId {
        self.nodes[id].children[port]
    }

    pub(super) fn out(&mut self, id: OpId) -> &mut Box<Batch> {
        &mut self.nodes[id].out
    }

    // ---- Opening and handing on

    #[inline]
    pub(super) fn is_open(&self, id: OpId) -> bool {
        self.nodes[id].open
    }

    /// Opens `out` with a demand, unless it is open.
    #[inline]
    pub(super) fn open(&mut self, id: OpId, want: usize) {
        self.nodes[id].want = want;
        self.nodes[id].open();
    }

    #[inline]
    pub(super) fn close(&mut self, id: OpId) {
        self.nodes[id].open = false;
    }

    pub(super) fn set_want(&mut self, id: OpId, want: usize) {
        self.nodes[id].want = want;
    }

    /// What `id` asks of a port.
    #[inline(always)]
    pub(super) fn demand(&self, cx: &ExecCx, id: OpId, port: Port) -> usize {
        if cx.batch_rows == 1 {
            return 1;
        }
        self.demand_of_several(cx, id, port)
    }

    #[inline(never)]
    fn demand_of_several(&self, cx: &ExecCx, id: OpId, port: Port) -> usize {
        let node = &self.nodes[id];
        let wanted = match node.ports[port] {
            PortKind::Build => cx.batch_rows,
            _ if node.open => node.out.room().max(1),
            _ => node.want,
        };
        node.operator.demand(port, wanted).clamp(1, cx.batch_rows)
    }

    /// The rows in `out`, if there are any and the answer lets them go, go to the receiver.
    fn hand_over(&mut self, id: OpId, answer: Answer) -> Stepped {
        let node = &mut self.nodes[id];
        let gives = match answer {
            Answer::Holds | Answer::Raised => false,
            Answer::Wants | Answer::Again | Answer::Paused | Answer::Done => !node.out.is_empty(),
        };
        if gives {
            let is_first = node.counters.rows_out == 0;
            node.count_rows(node.out.len());
            if is_first && self.watch.is_timing() {
                self.note_startup(id);
            }
        }
        Stepped { answer, gives }
    }

    #[cold]
    fn note_startup(&mut self, id: OpId) {
        let ns = self.own_ns_below(id);
        self.nodes[id].counters.startup_ns = Some(ns);
    }

    fn own_ns_below(&self, id: OpId) -> u64 {
        let node = &self.nodes[id];
        node.counters.own_ns
            + node
                .children
                .iter()
                .map(|&child| self.own_ns_below(child))
                .sum::<u64>()
    }

    // ---- Steps

    /// The first step of a run comes next.
    #[cold]
    pub(super) fn start(&mut self, id: OpId) {
        self.nodes[id].counters.loops += 1;
        self.nodes[id].state = State::Ready;
    }

    /// A step with nothing new.
    #[inline(always)]
    pub(super) fn go(&mut self, cx: &mut ExecCx, id: OpId) -> Stepped {
        let node = &mut self.nodes[id];
        debug_assert!(node.state == State::Ready, "Go to {:?}", node.state);
        let lap = node.begin(&mut self.watch);
        let answer = node.operator.step(cx, Input::Go, &mut node.out);
        match node.settle(cx, &mut self.watch, lap, &answer) {
            Some(stepped) => stepped,
            None => self.settle_rare(cx, id, answer),
        }
    }

    /// A step with the rows in the `out` of `child`, which is the one at `port`.
    #[inline(always)]
    pub(super) fn feed(&mut self, cx: &mut ExecCx, id: OpId, port: Port, child: OpId) -> Stepped {
        let (below, from) = self.nodes.split_at_mut(id);
        let (node, rows) = (&mut from[0], &mut below[child].out);
        node.assert_waiting(port);
        debug_assert!(node.children[port] == child && !rows.is_empty());
        let lap = node.begin(&mut self.watch);
        let answer = node
            .operator
            .step(cx, Input::Batch(port, rows), &mut node.out);
        debug_assert!(
            node.ports[port] != PortKind::Build || node.out.is_empty(),
            "a Build step leaves out empty"
        );
        match node.settle(cx, &mut self.watch, lap, &answer) {
            Some(stepped) => stepped,
            None => self.settle_rare(cx, id, answer),
        }
    }

    /// A step that says that `port` has ended.
    pub(super) fn finish(&mut self, cx: &mut ExecCx, id: OpId, port: Port) -> Stepped {
        let node = &mut self.nodes[id];
        node.assert_waiting(port);
        let lap = node.begin(&mut self.watch);
        let answer = node.operator.step(cx, Input::End(port), &mut node.out);
        debug_assert!(
            node.ports[port] != PortKind::Build || node.out.is_empty(),
            "a Build step leaves out empty"
        );
        match node.settle(cx, &mut self.watch, lap, &answer) {
            Some(stepped) => stepped,
            None => self.settle_rare(cx, id, answer),
        }
    }

    /// The answers that [`Node::settle`] leaves open.
    #[inline(never)]
    fn settle_rare(&mut self, cx: &mut ExecCx, id: OpId, answer: Result<Step>) -> Stepped {
        let (state, answer) = match answer {
            Err(error) => return self.fail(id, error),
            Ok(Step::Need(port)) if port == self.nodes[id].pulled => {
                (State::Pulling(port), Answer::Holds)
            }
            Ok(Step::Need(port)) => (State::Waiting(port), Answer::Wants),
            Ok(Step::More) => (State::Ready, Answer::Again),
            Ok(Step::Yield) => (State::Ready, Answer::Paused),
            Ok(Step::Done) => (State::Done, Answer::Done),
            Ok(Step::Produce(param)) => (State::Producing(param), Answer::Again),
            Ok(Step::Rescan(port)) => {
                self.run_again(cx, id, port);
                (State::Ready, Answer::Holds)
            }
        };
        self.nodes[id].state = state;
        self.hand_over(id, answer)
    }

    /// An error in `id` or, for its consumer, below it: raised at once, or after the rows that are
    /// already in `out`.
    #[cold]
    pub(super) fn fail(&mut self, id: OpId, error: Error) -> Stepped {
        // What is left in a closed `out` was handed on before.
        let answer = if !self.nodes[id].open || self.nodes[id].out.is_empty() {
            self.raised = Some(error);
            Answer::Raised
        } else {
            self.nodes[id].state = State::Failing;
            self.failures.push((id, error));
            Answer::Again
        };
        self.hand_over(id, answer)
    }

    /// The rows before it are delivered: raises the error of a failing node.
    #[cold]
    pub(super) fn raise_failure(&mut self, id: OpId) -> Stepped {
        let at = self.failures.iter().position(|(failing, _)| *failing == id);
        self.raised = at.map(|at| self.failures.swap_remove(at).1);
        Stepped {
            answer: Answer::Raised,
            gives: false,
        }
    }

    /// The error behind [`Answer::Raised`].
    #[cold]
    pub(super) fn raised(&mut self) -> Error {
        self.raised
            .take()
            .unwrap_or_else(|| Error::internal("an operator failed without an error"))
    }

    /// The parameter that `id` asked for has its value.
    pub(super) fn produced(&mut self, id: OpId) {
        self.nodes[id].state = State::Ready;
    }

    // ---- What reports look at

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn operator(&self, id: OpId) -> &dyn Operator {
        &*self.nodes[id].operator
    }

    pub(super) fn counters(&self, id: OpId) -> &NodeCounters {
        &self.nodes[id].counters
    }

    pub(super) fn plan_node(&self, id: OpId) -> NodeId {
        self.nodes[id].plan_node
    }

    pub(super) fn children(&self, id: OpId) -> &[OpId] {
        &self.nodes[id].children
    }

    pub(super) fn ports(&self, id: OpId) -> &[PortKind] {
        &self.nodes[id].ports
    }
}

impl Node {
    /// Counts the step that is about to be made, and opens `out` with the demand set last, unless it
    /// is open.
    #[inline(always)]
    fn begin(&mut self, watch: &mut Stopwatch) -> Lap {
        self.open();
        self.counters.steps += 1;
        watch.begin(self.counters.steps)
    }

    #[inline(always)]
    fn open(&mut self) {
        if !self.open {
            self.open = true;
            self.out.begin(self.want);
        }
    }

    /// The rows in `out` go to the receiver: counts them and closes `out`.
    #[inline(always)]
    fn count_rows(&mut self, rows: usize) {
        self.open = false;
        self.counters.batches_out += 1;
        self.counters.rows_out += rows as u64;
    }

    /// Notes what the step that just was answered; `None` leaves the answer to [`Tree::settle_rare`],
    /// the first rows of a node included.
    #[inline(always)]
    fn settle(
        &mut self,
        cx: &mut ExecCx,
        watch: &mut Stopwatch,
        lap: Lap,
        answer: &Result<Step>,
    ) -> Option<Stepped> {
        let rows = self.out.len();
        watch.end(lap, rows, &mut self.counters);
        #[cfg(debug_assertions)]
        self.assert_progress(cx, answer.as_ref().ok());
        cx.work.spend(1);
        let gives = rows > 0;
        if gives && self.counters.rows_out == 0 {
            return None;
        }
        let answer = match answer {
            Ok(Step::Need(port)) if *port != self.pulled => {
                self.state = State::Waiting(*port);
                Answer::Wants
            }
            Ok(Step::More) => {
                self.state = State::Ready;
                Answer::Again
            }
            _ => return None,
        };
        if gives {
            self.count_rows(rows);
        }
        Some(Stepped { answer, gives })
    }

    #[inline]
    fn assert_waiting(&self, port: Port) {
        debug_assert!(
            matches!(self.state, State::Waiting(asked) | State::Pulling(asked) if asked == port),
            "port {port} is fed, but the state is {:?}",
            self.state
        );
    }

    /// `More` over and over, with no rows and no work spent, would never end.
    #[cfg(debug_assertions)]
    fn assert_progress(&mut self, cx: &ExecCx, step: Option<&Step>) {
        let idle = step == Some(&Step::More) && self.out.is_empty() && !cx.work.is_low();
        self.idle = if idle { self.idle + 1 } else { 0 };
        assert!(self.idle < 10_000, "a step with Go makes progress");
    }
}
