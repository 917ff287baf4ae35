//! How far an execution has come.

use super::{OpId, State, Tree};
use crate::exec::operator::{PortKind, Progress};

impl Tree {
    /// How far the source that feeds the current pipeline has come.
    pub(in crate::exec) fn progress(&self, root: OpId) -> Option<Progress> {
        let mut id = root;
        // What a node on the way says counts where the source itself cannot tell (a set-returning
        // function over one row).
        let mut above = None;
        loop {
            let node = &self.nodes[id];
            above = node.operator.progress().or(above);
            let port = match node.state {
                State::Waiting(port) | State::Pulling(port) => Some(port),
                State::Producing(param) => {
                    let producer = self.producers.iter().flatten().find(|p| p.param() == param);
                    match producer {
                        Some(producer) => {
                            id = producer.root();
                            continue;
                        }
                        None => None,
                    }
                }
                State::Fresh | State::Ready | State::Failing | State::Done => {
                    // A ProjectSet in the middle of a row is the source, whatever is below it.
                    let progress = node.operator.progress();
                    if progress.is_some() {
                        return progress;
                    }
                    node.ports
                        .iter()
                        .rposition(|&kind| kind != PortKind::Pulled)
                }
            };
            match port.and_then(|port| node.children.get(port)) {
                Some(&child) => id = child,
                None => return above,
            }
        }
    }
}
