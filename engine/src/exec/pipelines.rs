//! Where the push driver's pipelines begin and end, for EXPLAIN: the path follows from the
//! operators' answers at run time, but its possible cuts follow from the kinds of their ports.

use super::operator::PortKind;
use super::tree::{OpId, Tree};

/// The pipelines of a tree, numbered from 1 in the order they run.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub(super) count: usize,
    /// By operator: the pipeline its rows leave in; `None` for what is always driven by pull.
    pub(super) of: Vec<Option<usize>>,
}

impl Pipelines {
    pub(super) fn of(tree: &Tree, root: OpId) -> Self {
        let mut pipelines = Pipelines {
            count: 0,
            of: vec![None; tree.len()],
        };
        pipelines.visit(tree, root);
        for producer in tree.producers.iter().flatten() {
            pipelines.visit(tree, producer.root());
        }
        pipelines
    }

    /// The pipeline that `id`'s rows leave in. Several Stream ports (Append) end several pipelines
    /// in the same path upward; the last one's number stands for all.
    fn visit(&mut self, tree: &Tree, id: OpId) -> usize {
        let mut through = None;
        for kind in [PortKind::Build, PortKind::Stream] {
            for (port, &child) in tree.children(id).iter().enumerate() {
                if tree.ports(id)[port] == kind {
                    let pipeline = self.visit(tree, child);
                    if kind == PortKind::Stream {
                        through = Some(pipeline);
                    }
                }
            }
        }
        let pipeline = through.unwrap_or_else(|| {
            self.count += 1;
            self.count
        });
        self.of[id] = Some(pipeline);
        pipeline
    }
}
