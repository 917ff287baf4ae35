//! The push driver: a source is stepped, and what it gives goes up at once.
//!
//! The driver walks one *path*, from the root down to the current source, which it finds by asking:
//! an operator that answers `Need` puts its child on the path. From then on rows go up the path
//! without a look at what is below, and the driver returns to the source directly; only operators
//! that answered `More` on the way (they hold rows yet to be given) are visited before it. When the
//! source is done, it leaves the path and its parent is told the end; a parent that then answers
//! `More` (a sort, an aggregate) has become the source of the next pipeline, and one that needs
//! another port (a hash join after its build) has the path grow down there. An operator that is
//! `Done` early (Limit) cuts off everything below it.
//!
//! Batches stay in the nodes: a hand-over passes the child's `out` to the parent by reference.

use super::context::ExecCx;
use super::driver::Flow;
use super::producer;
use super::pull::pull;
use super::tree::{Answer, OpId, State, Tree};
use crate::error::Result;

/// What to do at the place the driver is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Todo {
    /// Do what the node's state says.
    Visit,
    /// Give it the rows of the node below it on the path.
    Feed,
    /// Tell it that the node below it is done.
    Finish,
}

/// A node on the path, and which port of the node above it feeds.
#[derive(Clone, Copy, Debug)]
struct Place {
    node: OpId,
    port: usize,
}

/// Where the driver is.
#[derive(Debug)]
pub(super) struct Push {
    /// The root first, the current source last.
    path: Vec<Place>,
    /// Places above the source that have more to give, the uppermost last.
    again: Vec<usize>,
    at: usize,
    todo: Todo,
}

impl Push {
    pub(super) fn new(root: OpId) -> Self {
        Push {
            path: vec![Place {
                node: root,
                port: 0,
            }],
            again: Vec::new(),
            at: 0,
            todo: Todo::Visit,
        }
    }

    pub(super) fn reset(&mut self) {
        self.path.truncate(1);
        self.again.clear();
        self.at = 0;
        self.todo = Todo::Visit;
    }

    /// Runs until the root has rows, the slice is over, or the end.
    pub(super) fn run(&mut self, tree: &mut Tree, cx: &mut ExecCx, want: usize) -> Result<Flow> {
        let (mut at, mut todo) = (self.at, self.todo);
        loop {
            if cx.work.is_low() {
                (self.at, self.todo) = (at, todo);
                return Ok(Flow::Yield);
            }
            let id = self.path[at].node;
            let answer = match todo {
                Todo::Feed => {
                    tree.reopen(id);
                    tree.feed(cx, id, self.path[at + 1].port)?
                }
                Todo::Visit => match self.visit(tree, cx, at, want)? {
                    Visited::Stepped(answer) => answer,
                    Visited::Descended => {
                        at += 1;
                        continue;
                    }
                    Visited::Produced => continue,
                    Visited::Ended if at == 0 => {
                        tree.close(id);
                        (self.at, self.todo) = (0, Todo::Visit);
                        return Ok(Flow::End);
                    }
                    Visited::Ended => {
                        tree.close(id);
                        at -= 1;
                        todo = Todo::Finish;
                        continue;
                    }
                    Visited::Paused => {
                        (self.at, self.todo) = (at, Todo::Visit);
                        return Ok(Flow::Yield);
                    }
                },
                Todo::Finish => {
                    let port = self.path[at + 1].port;
                    self.path.truncate(at + 1);
                    tree.reopen(id);
                    tree.finish(cx, id, port)?
                }
            };
            match answer {
                Answer::Wants => {}
                Answer::Holds => {
                    todo = Todo::Visit;
                    continue;
                }
                Answer::Done => {
                    self.path.truncate(at + 1);
                    self.again.clear();
                }
                Answer::Again | Answer::Paused => {
                    if at + 1 < self.path.len() {
                        self.again.push(at);
                    }
                }
            }
            if tree.has_rows(id) {
                tree.hand_over(id);
                if at > 0 {
                    at -= 1;
                    todo = Todo::Feed;
                    continue;
                }
                (self.at, self.todo) = (self.next(), Todo::Visit);
                return Ok(Flow::Rows);
            }
            at = self.next();
            todo = Todo::Visit;
            if answer == Answer::Paused {
                (self.at, self.todo) = (at, todo);
                return Ok(Flow::Yield);
            }
        }
    }

    /// The place to go on at: the uppermost that has more to give, or the source.
    #[inline]
    fn next(&mut self) -> usize {
        match self.again.pop() {
            Some(at) => at,
            None => self.path.len() - 1,
        }
    }

    /// Does what the state of the node at `at` asks for.
    #[inline]
    fn visit(
        &mut self,
        tree: &mut Tree,
        cx: &mut ExecCx,
        at: usize,
        want: usize,
    ) -> Result<Visited> {
        let id = self.path[at].node;
        match tree.state(id) {
            State::Ready | State::Fresh => {
                if !tree.is_open(id) {
                    self.open(tree, cx, at, want);
                }
                Ok(Visited::Stepped(tree.go(cx, id)?))
            }
            State::Pulling(port) => {
                let child = tree.child(id, port);
                if !tree.is_open(child) {
                    let want = tree.demand(cx, id, port);
                    tree.open(child, want);
                }
                Ok(match pull(tree, cx, child) {
                    Ok(Flow::Rows) => Visited::Stepped(tree.feed(cx, id, port)?),
                    Ok(Flow::End) => Visited::Stepped(tree.finish(cx, id, port)?),
                    Ok(Flow::Yield) => Visited::Paused,
                    Err(error) => Visited::Stepped(tree.fail(id, error)?),
                })
            }
            State::Waiting(port) => {
                debug_assert_eq!(
                    at + 1,
                    self.path.len(),
                    "only the lowest node of the path waits unfed"
                );
                self.path.push(Place {
                    node: tree.child(id, port),
                    port,
                });
                Ok(Visited::Descended)
            }
            State::Producing(param) => Ok(match producer::produce(tree, cx, param) {
                Ok(true) => {
                    tree.produced(id);
                    Visited::Produced
                }
                Ok(false) => Visited::Paused,
                Err(error) => Visited::Stepped(tree.fail(id, error)?),
            }),
            State::Failing => Err(tree.failure(id)),
            State::Done => Ok(Visited::Ended),
        }
    }

    /// Opens the `out` of the node at `at`, with the demand that those above it leave to it.
    /// Theirs is brought up to date on the way, for what this step's rows will make them give.
    #[inline]
    fn open(&self, tree: &mut Tree, cx: &ExecCx, at: usize, want: usize) {
        if cx.batch_rows == 1 {
            return tree.reopen(self.path[at].node);
        }
        tree.set_want(self.path[0].node, want);
        for i in 1..=at {
            let above = self.path[i - 1].node;
            let want = tree.demand(cx, above, self.path[i].port);
            tree.set_want(self.path[i].node, want);
        }
        tree.reopen(self.path[at].node);
    }
}

/// What a visit came to.
enum Visited {
    Stepped(Answer),
    /// The path has grown by the child that is needed.
    Descended,
    /// A parameter has its value now.
    Produced,
    /// The node is done and must be taken off.
    Ended,
    Paused,
}
