//! Rescans: what starts over when a Pulled port is run again with other parameters.

use std::rc::Rc;

use super::{OpId, State, Tree};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Port, Restart};
use crate::exec::params::ParamSet;

impl Tree {
    /// Restarts what is below a Pulled port, with the parameters `id` has set.
    pub(super) fn run_again(&mut self, cx: &mut ExecCx, id: OpId, port: Port) {
        let (child, changed) = (
            self.nodes[id].children[port],
            Rc::clone(&self.nodes[id].sets),
        );
        for at in 0..self.producer_depends.len() {
            if changed.contains(self.producer_depends[at].0) {
                self.restart_producer(cx, at, &changed);
            }
        }
        self.restart(cx, child, &changed);
    }

    fn restart_producer(&mut self, cx: &mut ExecCx, at: usize, changed: &ParamSet) {
        if let Some(producer) = &mut self.producers[at] {
            cx.params.clear(producer.param());
            producer.reset();
            let root = producer.root();
            self.restart(cx, root, changed);
        }
    }

    fn restart(&mut self, cx: &mut ExecCx, id: OpId, changed: &ParamSet) {
        let mut bits = Changed {
            own: self.nodes[id].own.meets(changed),
            below: 0,
        };
        for port in 0..self.nodes[id].children.len() {
            if self.nodes[self.nodes[id].children[port]]
                .depends
                .meets(changed)
            {
                bits.below |= 1 << port.min(63);
            }
        }
        let node = &mut self.nodes[id];
        if node.state == State::Failing {
            self.failures.retain(|(failing, _)| *failing != id);
        }
        node.state = State::Fresh;
        node.open = false;
        match node.operator.rescan(cx, bits) {
            Restart::Nothing => {}
            Restart::Only(port) => {
                let child = node.children[port];
                self.restart(cx, child, changed);
            }
            Restart::All => {
                for port in 0..self.nodes[id].children.len() {
                    self.restart(cx, self.nodes[id].children[port], changed);
                }
            }
        }
    }
}
