//! The pull driver (Volcano): an operator that needs rows has its child run until it gives some.

use super::context::ExecCx;
use super::producer::{self, Produced};
use super::tree::{Answer, OpId, State, Tree};

/// What pulling came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pulled {
    /// There are rows in the node's `out`.
    Rows,
    /// The slice is over; the same call goes on where this one stopped.
    Yield,
    End,
    /// An error, to be taken with [`Tree::raised`].
    Raised,
}

/// Runs `id`, whose `out` is open, until it hands on rows, ends, or the slice is over. The place is
/// in the nodes' states, not on the stack.
pub(super) fn pull(tree: &mut Tree, cx: &mut ExecCx, id: OpId) -> Pulled {
    loop {
        if cx.work.is_low() {
            return Pulled::Yield;
        }
        let stepped = match tree.state(id) {
            State::Fresh => {
                tree.start(id);
                continue;
            }
            State::Ready => tree.go(cx, id),
            State::Waiting(port) | State::Pulling(port) => {
                let child = tree.child(id, port);
                if !tree.is_open(child) {
                    let want = tree.demand(cx, id, port);
                    tree.open(child, want);
                }
                // A child that is to be stepped mostly gives rows at once, and at one row a batch another
                // call would be felt.
                let pulled = if tree.state(child) == State::Ready {
                    let stepped = tree.go(cx, child);
                    match stepped.answer {
                        _ if stepped.gives => Pulled::Rows,
                        Answer::Raised => Pulled::Raised,
                        Answer::Paused => Pulled::Yield,
                        Answer::Wants | Answer::Holds | Answer::Again | Answer::Done => continue,
                    }
                } else {
                    pull(tree, cx, child)
                };
                match pulled {
                    Pulled::Rows => tree.feed(cx, id, port, child),
                    Pulled::End => tree.finish(cx, id, port),
                    Pulled::Yield => return Pulled::Yield,
                    Pulled::Raised => {
                        let error = tree.raised();
                        tree.fail(id, error)
                    }
                }
            }
            State::Producing(param) => match producer::produce(tree, cx, param) {
                Ok(Produced::Value) => {
                    tree.produced(id);
                    continue;
                }
                Ok(Produced::NotYet) => return Pulled::Yield,
                Err(error) => tree.fail(id, error),
            },
            State::Failing => tree.raise_failure(id),
            State::Done => {
                tree.close(id);
                return Pulled::End;
            }
        };
        if stepped.gives {
            return Pulled::Rows;
        }
        match stepped.answer {
            Answer::Raised => return Pulled::Raised,
            Answer::Paused => return Pulled::Yield,
            Answer::Wants | Answer::Holds | Answer::Again | Answer::Done => {}
        }
    }
}
