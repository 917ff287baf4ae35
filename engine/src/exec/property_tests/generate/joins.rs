//! Random joins.

use super::Generator;
use crate::bind::{Expr, ExprKind, SortKey};
use crate::plan::{HashKey, JoinType, MergeKey, NodeKind, PlanNode};
use crate::value::Type;

/// The types of a join's own rows.
pub(super) fn given(kind: JoinType, outer: Vec<Type>, inner: Vec<Type>) -> Vec<Type> {
    let outer = outer.into_iter().filter(|_| kind.gives_outer());
    outer
        .chain(inner.into_iter().filter(|_| kind.gives_inner()))
        .collect()
}

impl Generator {
    fn loop_kind(&mut self) -> JoinType {
        use JoinType::*;
        [Inner, Left, Semi, Anti][self.random.below(4) as usize]
    }

    fn hash_kind(&mut self) -> JoinType {
        let kinds = JoinType::ALL;
        kinds[self.random.below(kinds.len() as u64) as usize]
    }

    pub(super) fn hash_join(&mut self, depth: u32) -> PlanNode {
        let (outer, inner) = (self.node(depth - 1), self.node(depth - 1));
        let (outer_types, inner_types) = (outer.types(), inner.types());
        let keys = (0..1 + self.random.below(2))
            .map(|_| {
                let (outer, inner) = (self.integer(&outer_types, 1), self.integer(&inner_types, 1));
                let operator = self.operator("=", outer.ty, inner.ty);
                HashKey {
                    outer,
                    inner,
                    operator,
                }
            })
            .collect();
        let hash = self.make(NodeKind::Hash, vec![inner], inner_types.clone());
        let join_filter = self.join_filter(&outer_types, &inner_types);
        let kind = self.hash_kind();
        let types = given(kind, outer_types, inner_types);
        let kind = NodeKind::HashJoin {
            kind,
            keys,
            join_filter,
        };
        self.make(kind, vec![outer, hash], types)
    }

    /// Over inputs sorted by plain columns.
    pub(super) fn merge_join(&mut self, depth: u32) -> PlanNode {
        use JoinType::*;
        let kind = [Inner, Left, Right, Full, Semi, Anti][self.random.below(6) as usize];
        let mut sides: Vec<PlanNode> = Vec::with_capacity(2);
        for _ in 0..2 {
            let mut side = self.node(depth - 1);
            if side.output.len() < 2 || side.output[..2].iter().any(|c| c.ty != Type::INT4) {
                side = self.project(side, 2);
            }
            sides.push(side);
        }
        let columns = 1 + self.random.below(2) as usize;
        let order: Vec<SortKey> = (0..columns)
            .map(|target| SortKey {
                target,
                descending: self.random.one_in(3),
                nulls_first: self.random.one_in(3),
            })
            .collect();
        let keys = order
            .iter()
            .map(|key| MergeKey {
                outer: Expr::slot(key.target, Type::INT4),
                inner: Expr::slot(key.target, Type::INT4),
                operator: self.operator("=", Type::INT4, Type::INT4),
                descending: key.descending,
                nulls_first: key.nulls_first,
            })
            .collect();
        let sorted: Vec<PlanNode> = sides
            .into_iter()
            .map(|side| {
                let types = side.types();
                let keys = order.clone();
                self.make(NodeKind::Sort { keys, bound: None }, vec![side], types)
            })
            .collect();
        let (outer, inner) = (sorted[0].types(), sorted[1].types());
        let join_filter = self.join_filter(&outer, &inner);
        let types = given(kind, outer, inner);
        let kind = NodeKind::MergeJoin {
            kind,
            keys,
            join_filter,
        };
        self.make(kind, sorted, types)
    }

    fn join_filter(&mut self, outer: &[Type], inner: &[Type]) -> Option<Expr> {
        let types: Vec<Type> = outer.iter().chain(inner).copied().collect();
        self.random.one_in(2).then(|| self.condition(&types, 1))
    }

    pub(super) fn nested_loop(&mut self, depth: u32) -> PlanNode {
        let mut outer = self.node(depth - 1);
        if outer.output[0].ty != Type::INT4 {
            outer = self.project(outer, 2);
        }
        let param = self.params;
        self.params += 1;
        self.in_scope.push(param);
        let mut inner = self.node(depth - 1);
        if self.random.one_in(2) {
            let bytes = [100, 1000, 100_000][self.random.below(3) as usize];
            let keys = vec![Expr::new(ExprKind::Param(param), Type::INT4)];
            let types = inner.types();
            inner = self.make(NodeKind::Memoize { keys, bytes }, vec![inner], types);
        }
        self.in_scope.retain(|&known| known != param);
        let join_filter = self.join_filter(&outer.types(), &inner.types());
        let kind = self.loop_kind();
        let types = given(kind, outer.types(), inner.types());
        let kind = NodeKind::NestedLoop {
            kind,
            join_filter,
            params: vec![(param, 0)],
        };
        self.make(kind, vec![outer, inner], types)
    }

    pub(super) fn uncorrelated_loop(&mut self, depth: u32) -> PlanNode {
        let (outer, inner) = (self.node(depth - 1), self.node(depth - 1));
        let inner_types = inner.types();
        let inner = self.make(NodeKind::Material, vec![inner], inner_types.clone());
        let join_filter = self.join_filter(&outer.types(), &inner_types);
        let kind = self.loop_kind();
        let types = given(kind, outer.types(), inner_types);
        let kind = NodeKind::NestedLoop {
            kind,
            join_filter,
            params: Vec::new(),
        };
        self.make(kind, vec![outer, inner], types)
    }
}
