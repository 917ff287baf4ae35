//! The operators of joins.

use std::rc::Rc;

use super::{Builder, Compiler, one, two};
use crate::bind::{Expr, ExprKind, ParamId};
use crate::error::{Error, Result};
use crate::exec::ops::hash_join::{Hash, HashJoin, Nulls, TableSlot};
use crate::exec::ops::merge_join::{MergeJoin, MergeKeys};
use crate::exec::ops::nested_loop::NestedLoop;
use crate::exec::ops::pairs::JoinedTypes;
use crate::exec::tree::{NewNode, OpId};
use crate::plan::{HashKey, JoinType, MergeKey, PlanNode};

impl Builder<'_> {
    pub(super) fn nested_loop(
        &mut self,
        node: &PlanNode,
        kind: JoinType,
        join_filter: &Option<Expr>,
        params: &[(ParamId, usize)],
    ) -> Result<OpId> {
        if !matches!(
            kind,
            JoinType::Inner | JoinType::Left | JoinType::Semi | JoinType::Anti
        ) {
            return Err(Error::internal("a nested loop keeps no inner rows"));
        }
        let (outer, inner) = two(node)?;
        let children = [self.node(outer)?, self.node(inner)?];
        let mut compiler = Compiler::default();
        let filter = compiler.join_filter(join_filter)?;
        let join = NestedLoop::new(kind, params.to_vec(), joined(outer, inner), filter);
        let new = NewNode {
            children: &children,
            plan_node: node.id,
            reads: compiler.reads,
            sets: params.iter().map(|&(param, _)| param).collect(),
        };
        Ok(self.tree.add(Box::new(join), new))
    }

    /// The Hash below the join belongs to it: they share the table.
    pub(super) fn hash_join(
        &mut self,
        node: &PlanNode,
        kind: JoinType,
        keys: &[HashKey],
        join_filter: &Option<Expr>,
    ) -> Result<OpId> {
        let (outer, hash) = two(node)?;
        let inner = one(hash)?;
        let slot = TableSlot::default();
        let mut compiler = Compiler::default();
        let inner_keys: Vec<Expr> = keys.iter().map(|key| key.inner.clone()).collect();
        let columns = inner_keys
            .iter()
            .map(|key| match key.kind {
                ExprKind::Slot(column) => Some(column),
                _ => None,
            })
            .collect::<Option<Vec<usize>>>();
        let below = self.node(inner)?;
        let programs = compiler.list(&inner_keys)?;
        let operator = Hash::new(
            programs,
            columns,
            inner.types(),
            if kind.keeps_inner() || kind == JoinType::NullAwareAnti {
                Nulls::Kept
            } else {
                Nulls::Dropped
            },
            Rc::clone(&slot),
            &self.cx.memory,
        );
        let build = self.add(hash, operator, &[below], compiler.reads);

        let probe = self.node(outer)?;
        let mut compiler = Compiler::default();
        let outer_keys: Vec<Expr> = keys.iter().map(|key| key.outer.clone()).collect();
        let programs = compiler.list(&outer_keys)?;
        let filter = compiler.join_filter(join_filter)?;
        let operator = HashJoin::new(kind, programs, joined(outer, inner), filter, slot);
        Ok(self.add(node, operator, &[build, probe], compiler.reads))
    }

    pub(super) fn merge_join(
        &mut self,
        node: &PlanNode,
        kind: JoinType,
        keys: &[MergeKey],
        join_filter: &Option<Expr>,
    ) -> Result<OpId> {
        if matches!(
            kind,
            JoinType::RightSemi | JoinType::RightAnti | JoinType::NullAwareAnti
        ) {
            return Err(Error::internal("a merge join of a kind it does not have"));
        }
        let (outer, inner) = two(node)?;
        let children = [self.node(outer)?, self.node(inner)?];
        let mut compiler = Compiler::default();
        let side = |compiler: &mut Compiler, side: fn(&MergeKey) -> &Expr| {
            keys.iter()
                .map(|key| compiler.compile(side(key)))
                .collect::<Result<Vec<_>>>()
        };
        let merge_keys = MergeKeys {
            outer: side(&mut compiler, |key| &key.outer)?,
            inner: side(&mut compiler, |key| &key.inner)?,
            descending: keys.iter().map(|key| key.descending).collect(),
            nulls_first: keys.first().is_some_and(|key| key.nulls_first),
        };
        let filter = compiler.join_filter(join_filter)?;
        let memory = &self.cx.memory;
        let join = MergeJoin::new(kind, merge_keys, joined(outer, inner), filter, memory);
        Ok(self.add(node, join, &children, compiler.reads))
    }
}

fn joined(outer: &PlanNode, inner: &PlanNode) -> JoinedTypes {
    JoinedTypes {
        outer: outer.types(),
        inner: inner.types(),
    }
}
