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
use super::producer::{self, Produced};
use super::pull::{Pulled, pull};
use super::tree::{Answer, OpId, State, Stepped, Tree};
use crate::error::Result;

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
    /// The place to visit next.
    at: usize,
}

/// What a visit to a place came to.
enum Visit {
    /// The node at this place, which may have changed, was stepped.
    Stepped(Stepped),
    /// Visit again: the place, or the one the path has grown by.
    Again,
    Yield,
    End,
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
        }
    }

    pub(super) fn reset(&mut self) {
        self.path.truncate(1);
        self.again.clear();
        self.at = 0;
    }

    /// Runs until the root has rows, the slice is over, or the end.
    pub(super) fn run(&mut self, tree: &mut Tree, cx: &mut ExecCx, want: usize) -> Result<Flow> {
        loop {
            // Rows on their way up are not stopped: each step bounds its own work.
            if cx.work.is_low() {
                return Ok(Flow::Yield);
            }
            let mut id = self.path[self.at].node;
            let mut stepped = match tree.state(id) {
                State::Ready => {
                    // Most demands are known: one row.
                    if cx.batch_rows > 1 && !tree.is_open(id) {
                        self.pass_demand(tree, cx, want);
                    }
                    tree.go(cx, id)
                }
                state => match self.visit(tree, cx, state) {
                    Visit::Stepped(stepped) => {
                        id = self.path[self.at].node;
                        stepped
                    }
                    Visit::Again => continue,
                    Visit::Yield => return Ok(Flow::Yield),
                    Visit::End => return Ok(Flow::End),
                },
            };
            // Kept in a register on the way up.
            let mut at = self.at;
            loop {
                // The usual answers of a source and of what is above it come first.
                if matches!(stepped.answer, Answer::Again | Answer::Paused) {
                    if at + 1 < self.path.len() {
                        self.again.push(at);
                    }
                } else if stepped.answer != Answer::Wants {
                    match stepped.answer {
                        Answer::Holds => {
                            self.at = at;
                            break;
                        }
                        Answer::Raised => return Err(tree.raised()),
                        _ => {
                            self.path.truncate(at + 1);
                            self.again.clear();
                        }
                    }
                }
                if !stepped.gives {
                    self.at = self.next();
                    if stepped.answer == Answer::Paused {
                        return Ok(Flow::Yield);
                    }
                    break;
                }
                if at == 0 {
                    self.at = self.next();
                    return Ok(Flow::Rows);
                }
                let port = self.path[at].port;
                at -= 1;
                let child = std::mem::replace(&mut id, self.path[at].node);
                stepped = tree.feed(cx, id, port, child);
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

    /// Does what the state of the node at the place asks for, when that is not a plain step.
    #[inline(never)]
    fn visit(&mut self, tree: &mut Tree, cx: &mut ExecCx, state: State) -> Visit {
        let id = self.path[self.at].node;
        match state {
            State::Ready => Visit::Again,
            State::Fresh => {
                tree.start(id);
                Visit::Again
            }
            State::Pulling(port) => {
                let child = tree.child(id, port);
                if !tree.is_open(child) {
                    let want = tree.demand(cx, id, port);
                    tree.open(child, want);
                }
                match pull(tree, cx, child) {
                    Pulled::Rows => Visit::Stepped(tree.feed(cx, id, port, child)),
                    Pulled::End => Visit::Stepped(tree.finish(cx, id, port)),
                    Pulled::Yield => Visit::Yield,
                    Pulled::Raised => {
                        let error = tree.raised();
                        Visit::Stepped(tree.fail(id, error))
                    }
                }
            }
            State::Waiting(port) => {
                debug_assert_eq!(
                    self.at + 1,
                    self.path.len(),
                    "only the lowest node waits unfed"
                );
                self.path.push(Place {
                    node: tree.child(id, port),
                    port,
                });
                self.at += 1;
                Visit::Again
            }
            State::Producing(param) => match producer::produce(tree, cx, param) {
                Ok(Produced::Value) => {
                    tree.produced(id);
                    Visit::Again
                }
                Ok(Produced::NotYet) => Visit::Yield,
                Err(error) => Visit::Stepped(tree.fail(id, error)),
            },
            State::Failing => Visit::Stepped(tree.raise_failure(id)),
            State::Done => {
                tree.close(id);
                if self.at == 0 {
                    return Visit::End;
                }
                let port = self.path[self.at].port;
                self.path.truncate(self.at);
                self.at -= 1;
                let above = self.path[self.at].node;
                Visit::Stepped(tree.finish(cx, above, port))
            }
        }
    }

    /// Sets the demand that those above the place leave to it. Theirs is brought up to date on the
    /// way, for what this step's rows will make them give.
    #[inline(never)]
    fn pass_demand(&self, tree: &mut Tree, cx: &ExecCx, want: usize) {
        tree.set_want(self.path[0].node, want);
        for i in 1..=self.at {
            let want = tree.demand(cx, self.path[i - 1].node, self.path[i].port);
            tree.set_want(self.path[i].node, want);
        }
    }
}
