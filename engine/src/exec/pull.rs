//! The pull driver (Volcano): an operator that needs rows has its child run until it gives some.

use super::context::ExecCx;
use super::driver::Flow;
use super::producer;
use super::tree::{Answer, OpId, State, Tree};
use crate::error::Result;

/// Runs `id`, whose `out` is open, until it hands on rows, ends, or the slice is over. After
/// `Yield` the same call goes on where it stopped: the place is in the nodes' states, not on the stack.
pub(super) fn pull(tree: &mut Tree, cx: &mut ExecCx, id: OpId) -> Result<Flow> {
    loop {
        if cx.work.is_low() {
            return Ok(Flow::Yield);
        }
        let answer = match tree.state(id) {
            State::Fresh | State::Ready => tree.go(cx, id)?,
            State::Waiting(port) | State::Pulling(port) => {
                let child = tree.child(id, port);
                if !tree.is_open(child) {
                    let want = tree.demand(cx, id, port);
                    tree.open(child, want);
                }
                match pull(tree, cx, child) {
                    Ok(Flow::Rows) => tree.feed(cx, id, port)?,
                    Ok(Flow::End) => tree.finish(cx, id, port)?,
                    Ok(Flow::Yield) => return Ok(Flow::Yield),
                    Err(error) => tree.fail(id, error)?,
                }
            }
            State::Producing(param) => match producer::produce(tree, cx, param) {
                Ok(true) => {
                    tree.produced(id);
                    continue;
                }
                Ok(false) => return Ok(Flow::Yield),
                Err(error) => tree.fail(id, error)?,
            },
            State::Failing => return Err(tree.failure(id)),
            State::Done => {
                tree.close(id);
                return Ok(Flow::End);
            }
        };
        if answer != Answer::Holds && tree.has_rows(id) {
            tree.hand_over(id);
            return Ok(Flow::Rows);
        }
        if answer == Answer::Paused {
            return Ok(Flow::Yield);
        }
    }
}
