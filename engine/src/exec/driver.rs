//! The choice between the two drivers.

use super::context::ExecCx;
use super::pull::{Pulled, pull};
use super::push::Push;
use super::tree::{OpId, Tree};
use crate::error::Result;
use crate::settings;

/// What running a tree came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The root has rows for its receiver.
    Rows,
    /// The slice is over; nothing is lost.
    Yield,
    /// There are no more rows.
    End,
}

/// A driver's place in a tree. Everything else it knows is in the nodes' states.
#[derive(Debug)]
pub(super) enum Driver {
    Pull(OpId),
    Push(Push),
}

impl Driver {
    pub(super) fn new(kind: settings::Driver, root: OpId) -> Self {
        match kind {
            settings::Driver::Pull => Driver::Pull(root),
            settings::Driver::Push => Driver::Push(Push::new(root)),
        }
    }

    /// Back to the start; the nodes are restarted by the caller.
    pub(super) fn reset(&mut self) {
        if let Driver::Push(push) = self {
            push.reset();
        }
    }

    /// Runs until the root has rows in its `out` (of at most `want`), the slice is over, or the end.
    pub(super) fn run(&mut self, tree: &mut Tree, cx: &mut ExecCx, want: usize) -> Result<Flow> {
        match self {
            Driver::Pull(root) => {
                tree.open(*root, want);
                match pull(tree, cx, *root) {
                    Pulled::Rows => Ok(Flow::Rows),
                    Pulled::Yield => Ok(Flow::Yield),
                    Pulled::End => Ok(Flow::End),
                    Pulled::Raised => Err(tree.raised()),
                }
            }
            Driver::Push(push) => push.run(tree, cx, want),
        }
    }
}
