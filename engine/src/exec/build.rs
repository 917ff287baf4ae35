//! From a plan to the tree of operators that run it.
//!
//! A plan node becomes its operator and, where it has them, a Filter and a Project above it; all of
//! them carry the node's number, and their counters add up in the report. The plan is read, never consumed.

use std::rc::Rc;

use super::context::ExecCx;
use super::operator::Operator;
use super::ops::aggregate::{
    AggregateCalls, Call, HashedAggregate, PlainAggregate, SortedAggregate,
};
use super::ops::append::Append;
use super::ops::apply::Apply;
use super::ops::filter::Filter;
use super::ops::function_scan::{Function, FunctionScan};
use super::ops::hash_join::{Hash, HashJoin, Nulls, TableSlot};
use super::ops::limit::Limit;
use super::ops::material::Material;
use super::ops::merge_join::{MergeJoin, MergeKeys};
use super::ops::modify_table::ModifyTable;
use super::ops::nested_loop::NestedLoop;
use super::ops::pairs::{JoinFilter, JoinedTypes};
use super::ops::project::Project;
use super::ops::project_set::{ProjectSet, Target};
use super::ops::result::ResultRow;
use super::ops::scan_keys::KeyTests;
use super::ops::seq_scan::SeqScan;
use super::ops::set_op::SetOp;
use super::ops::sort::{Bound, Sort};
use super::ops::unique::Unique;
use super::ops::values_scan::{Value, ValuesScan};
use super::params::ParamSet;
use super::tree::{NewNode, OpId, Tree};
use crate::am::ScanSpec;
use crate::bind::same::same;
use crate::bind::{CastMethod, Expr, ExprKind, Notation};
use crate::error::{Error, Result};
use crate::expr::{Accumulator, Program};
use crate::plan::{
    self, AggregateSpec, AggregateStrategy, HashKey, JoinType, MergeKey, NodeKind, Plan, PlanNode,
    SetTarget, SubPlanKind,
};
use crate::value::{KeyOrder, Type};

/// Builds the operators of a plan and of its sub-plans. Answers the root. Errors: 0A000.
pub(super) fn build(plan: &Plan, cx: &ExecCx, tree: &mut Tree) -> Result<OpId> {
    let mut builder = Builder { plan, cx, tree };
    for subplan in &plan.subplans {
        if let SubPlanKind::Init { result, param } = &subplan.kind {
            let root = builder.node(&subplan.root)?;
            builder.tree.add_producer(root, *param, *result, &cx.memory);
        }
    }
    builder.node(&plan.root)
}

struct Builder<'a> {
    plan: &'a Plan,
    cx: &'a ExecCx,
    tree: &'a mut Tree,
}

/// Compiled programs, whose parameters are noted.
#[derive(Default)]
struct Compiler {
    reads: ParamSet,
}

impl Compiler {
    fn compile(&mut self, expr: &Expr) -> Result<Program> {
        let program = Program::compile(expr)?;
        program
            .params()
            .iter()
            .for_each(|&param| self.reads.insert(param));
        Ok(program)
    }

    fn optional(&mut self, expr: &Option<Expr>) -> Result<Option<Program>> {
        expr.as_ref().map(|expr| self.compile(expr)).transpose()
    }

    fn list(&mut self, exprs: &[Expr]) -> Result<Vec<Program>> {
        exprs.iter().map(|expr| self.compile(expr)).collect()
    }

    fn join_filter(&mut self, expr: &Option<Expr>) -> Result<Option<JoinFilter>> {
        let Some(expr) = expr else { return Ok(None) };
        let filter = JoinFilter::compile(expr)?;
        filter
            .params()
            .iter()
            .for_each(|&param| self.reads.insert(param));
        Ok(Some(filter))
    }
}

impl Builder<'_> {
    fn add(
        &mut self,
        node: &PlanNode,
        operator: impl Operator + 'static,
        children: &[OpId],
        reads: ParamSet,
    ) -> OpId {
        let new = NewNode {
            children,
            plan_node: node.id,
            reads,
            sets: ParamSet::default(),
        };
        self.tree.add(Box::new(operator), new)
    }

    /// The operators of a node and of all below it; the topmost one gives the node's output.
    fn node(&mut self, node: &PlanNode) -> Result<OpId> {
        let mut top = self.own(node)?;
        let filters_itself = matches!(node.kind, NodeKind::SeqScan(_));
        if let Some(filter) = node.filter.as_ref().filter(|_| !filters_itself) {
            let mut compiler = Compiler::default();
            let filter = Filter::new(compiler.compile(filter)?);
            top = self.add(node, filter, &[top], compiler.reads);
        }
        if let Some(targets) = &node.project {
            let mut compiler = Compiler::default();
            let project = Project::new(compiler.list(targets)?);
            top = self.add(node, project, &[top], compiler.reads);
        }
        Ok(top)
    }

    /// The operator that makes the node's own rows.
    fn own(&mut self, node: &PlanNode) -> Result<OpId> {
        let mut compiler = Compiler::default();
        let memory = &self.cx.memory;
        Ok(match &node.kind {
            NodeKind::SeqScan(scan) => return self.seq_scan(node, scan),
            NodeKind::HashJoin {
                kind,
                keys,
                join_filter,
            } => {
                return self.hash_join(node, *kind, keys, join_filter);
            }
            NodeKind::NestedLoop {
                kind,
                join_filter,
                params,
            } => {
                let (outer, inner) = two(node)?;
                let children = [self.node(outer)?, self.node(inner)?];
                let filter = compiler.join_filter(join_filter)?;
                if !matches!(
                    kind,
                    JoinType::Inner | JoinType::Left | JoinType::Semi | JoinType::Anti
                ) {
                    return Err(Error::internal("a nested loop keeps no inner rows"));
                }
                let join = NestedLoop::new(*kind, params.clone(), joined(outer, inner), filter);
                let sets = params.iter().map(|&(param, _)| param).collect();
                let new = NewNode {
                    children: &children,
                    plan_node: node.id,
                    reads: compiler.reads,
                    sets,
                };
                self.tree.add(Box::new(join), new)
            }
            NodeKind::MergeJoin {
                kind,
                keys,
                join_filter,
            } => return self.merge_join(node, *kind, keys, join_filter),
            NodeKind::Apply(apply) => return self.apply(node, apply),
            NodeKind::Hash => return Err(Error::internal("a Hash node stands alone")),
            NodeKind::SubqueryScan { .. } => self.node(one(node)?)?,
            NodeKind::Result { one_time_filter } => {
                let filter = compiler.optional(one_time_filter)?;
                let children = node
                    .children
                    .iter()
                    .map(|child| self.node(child))
                    .collect::<Result<Vec<_>>>()?;
                self.add(
                    node,
                    ResultRow::new(filter, !children.is_empty()),
                    &children,
                    compiler.reads,
                )
            }
            NodeKind::FunctionScan {
                columns,
                function,
                args,
                ..
            } => {
                let types = columns.iter().map(|column| column.ty).collect();
                let call = if function.returns_set {
                    Function::Set {
                        function: Rc::clone(function),
                        args: compiler.list(args)?,
                    }
                } else {
                    let kind = ExprKind::Call {
                        function: Rc::clone(function),
                        notation: Notation::Function,
                        args: args.clone(),
                    };
                    Function::Plain(compiler.compile(&Expr::new(kind, function.result))?)
                };
                self.add(node, FunctionScan::new(call, types), &[], compiler.reads)
            }
            NodeKind::ValuesScan { rows, .. } => {
                let types = rows
                    .first()
                    .map_or(Vec::new(), |row| row.iter().map(|value| value.ty).collect());
                let mut scan = ValuesScan::new(types, memory);
                for row in rows {
                    let value = |expr: &Expr| {
                        Ok(match &expr.kind {
                            ExprKind::Const(value) => Value::Known(value.clone()),
                            _ => Value::Computed(Box::new(compiler.compile(expr)?)),
                        })
                    };
                    scan.add(row.iter().map(value).collect::<Result<_>>()?)?;
                }
                self.add(node, scan, &[], compiler.reads)
            }
            NodeKind::Material => {
                let child = one(node)?;
                let below = self.node(child)?;
                self.add(
                    node,
                    Material::new(child.types(), memory),
                    &[below],
                    compiler.reads,
                )
            }
            NodeKind::Aggregate {
                strategy,
                groups,
                aggregates,
            } => {
                let below = self.node(one(node)?)?;
                let keys = compiler.list(groups)?;
                let calls = aggregate_calls(&mut compiler, aggregates)?;
                let results = aggregates.iter().map(|aggregate| aggregate.function.result);
                let types: Vec<Type> = groups.iter().map(|group| group.ty).chain(results).collect();
                let reads = compiler.reads;
                match strategy {
                    AggregateStrategy::Plain => self.add(
                        node,
                        PlainAggregate::new(calls, types, memory),
                        &[below],
                        reads,
                    ),
                    AggregateStrategy::Hashed => self.add(
                        node,
                        HashedAggregate::new(keys, calls, types, memory),
                        &[below],
                        reads,
                    ),
                    AggregateStrategy::Sorted => self.add(
                        node,
                        SortedAggregate::new(keys, calls, types, memory),
                        &[below],
                        reads,
                    ),
                }
            }
            NodeKind::Sort { keys, bound } => {
                let child = one(node)?;
                let below = self.node(child)?;
                let keys = keys
                    .iter()
                    .map(|key| KeyOrder {
                        column: key.target,
                        descending: key.descending,
                        nulls_first: key.nulls_first,
                    })
                    .collect();
                let bound = match bound {
                    Some(bound) => Some(Bound::new(
                        compiler.compile(&bound.limit)?,
                        compiler.optional(&bound.offset)?,
                    )),
                    None => None,
                };
                self.add(
                    node,
                    Sort::new(keys, child.types(), bound, memory),
                    &[below],
                    compiler.reads,
                )
            }
            NodeKind::Limit { limit, offset } => {
                let below = self.node(one(node)?)?;
                let limit = Limit::new(compiler.optional(limit)?, compiler.optional(offset)?);
                self.add(node, limit, &[below], compiler.reads)
            }
            NodeKind::Unique { columns } => {
                let below = self.node(one(node)?)?;
                self.add(node, Unique::new(columns.clone()), &[below], compiler.reads)
            }
            NodeKind::Append => {
                let children = node
                    .children
                    .iter()
                    .map(|child| self.node(child))
                    .collect::<Result<Vec<_>>>()?;
                self.add(node, Append::new(children.len()), &children, compiler.reads)
            }
            NodeKind::SetOp {
                operation,
                all,
                strategy,
            } => {
                let child = one(node)?;
                let below = self.node(child)?;
                let set_op = SetOp::new(*operation, *all, *strategy, child.types(), memory);
                self.add(node, set_op, &[below], compiler.reads)
            }
            NodeKind::ProjectSet { targets } => {
                let below = self.node(one(node)?)?;
                let targets = targets
                    .iter()
                    .map(|target| {
                        Ok(match target {
                            SetTarget::Plain(expr) => Target::Plain(compiler.compile(expr)?),
                            SetTarget::Set { function, args } => Target::Set {
                                function: Rc::clone(function),
                                args: compiler.list(args)?,
                                ty: function.result,
                            },
                        })
                    })
                    .collect::<Result<_>>()?;
                self.add(node, ProjectSet::new(targets), &[below], compiler.reads)
            }
            NodeKind::ModifyTable(modify) => {
                let below = self.node(one(node)?)?;
                let operator = ModifyTable::new(Rc::clone(&modify.table), modify.operation);
                self.add(node, operator, &[below], compiler.reads)
            }
        })
    }

    fn seq_scan(&mut self, node: &PlanNode, scan: &plan::SeqScan) -> Result<OpId> {
        let mut compiler = Compiler::default();
        let keys = KeyTests::compile(&scan.keys)?;
        keys.params()
            .iter()
            .for_each(|&param| compiler.reads.insert(param));
        let filter = compiler.optional(&node.filter)?;
        let mut types: Vec<Type> = scan
            .columns
            .iter()
            .map(|&column| scan.table.columns[column].ty)
            .collect();
        if scan.with_tid {
            types.push(Type::INT8);
        }
        let spec = ScanSpec {
            columns: scan.columns.clone(),
            with_tid: scan.with_tid,
            has_keys: !keys.is_empty(),
        };
        let source = Rc::clone(&scan.table.storage).begin_scan(spec)?;
        let operator = SeqScan::new(source, keys, filter, scan.rechecked > 0, types);
        Ok(self.add(node, operator, &[], compiler.reads))
    }

    /// The Hash below the join belongs to it: they share the table.
    fn hash_join(
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

    fn merge_join(
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

    fn apply(&mut self, node: &PlanNode, apply: &plan::Apply) -> Result<OpId> {
        let child = one(node)?;
        let rows = self.node(child)?;
        let Some(subplan) = self.plan.subplans.get(apply.subplan) else {
            return Err(Error::internal("an Apply names no sub-plan"));
        };
        let subselect = self.node(&subplan.root)?;
        let mut compiler = Compiler::default();
        let guard = compiler.optional(&apply.guard)?;
        let params = apply
            .params
            .iter()
            .map(|(param, expr)| Ok((*param, compiler.compile(expr)?)))
            .collect::<Result<Vec<_>>>()?;
        let mut types = child.types();
        types.push(match &apply.result {
            plan::ApplyResult::Value(plan::SubPlanResult::Exists)
            | plan::ApplyResult::Quantified { .. } => Type::BOOL,
            plan::ApplyResult::Value(plan::SubPlanResult::Array(element)) => element.to_array(),
            plan::ApplyResult::Value(plan::SubPlanResult::Scalar) => {
                match subplan.root.output.first() {
                    Some(column) => column.ty,
                    None => return Err(Error::internal("a scalar sub-select has no column")),
                }
            }
        });
        let operator = Apply::new(
            guard,
            params,
            &apply.result,
            types,
            self.cx.batch_rows,
            &self.cx.memory,
        )?;
        let reads = operator.reads().into_iter().collect();
        let sets = apply.params.iter().map(|(param, _)| *param).collect();
        let new = NewNode {
            children: &[rows, subselect],
            plan_node: node.id,
            reads,
            sets,
        };
        Ok(self.tree.add(Box::new(operator), new))
    }
}

fn aggregate_calls(
    compiler: &mut Compiler,
    aggregates: &[AggregateSpec],
) -> Result<AggregateCalls> {
    let calls = aggregates
        .iter()
        .map(|aggregate| {
            let mut args = compiler.list(&aggregate.args)?;
            let accumulator = if aggregate.order_by.is_empty() {
                Accumulator::new(&aggregate.function, aggregate.distinct)?
            } else {
                ordered(compiler, aggregate, &mut args)?
            };
            Ok(Call {
                accumulator,
                args,
                filter: compiler.optional(&aggregate.filter)?,
            })
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(AggregateCalls::new(calls))
}

/// An accumulator that is given its rows sorted. What is sorted by and is no argument is added to `args`.
fn ordered(
    compiler: &mut Compiler,
    aggregate: &AggregateSpec,
    args: &mut Vec<Program>,
) -> Result<Accumulator> {
    let (mut types, mut keys) = (Vec::new(), Vec::new());
    for item in &aggregate.order_by {
        // A relabelled argument is still the argument.
        let is_it = |arg: &Expr| match &arg.kind {
            ExprKind::Cast {
                arg,
                method: CastMethod::Relabel,
                ..
            } => same(arg, &item.expr),
            _ => same(arg, &item.expr),
        };
        let column = match aggregate.args.iter().position(is_it) {
            Some(argument) => argument,
            None => {
                types.push(item.expr.ty);
                args.push(compiler.compile(&item.expr)?);
                args.len() - 1
            }
        };
        keys.push(KeyOrder {
            column,
            descending: item.descending,
            nulls_first: item.nulls_first,
        });
    }
    Accumulator::ordered(&aggregate.function, aggregate.distinct, &types, keys)
}

fn joined(outer: &PlanNode, inner: &PlanNode) -> JoinedTypes {
    JoinedTypes {
        outer: outer.types(),
        inner: inner.types(),
    }
}

fn one(node: &PlanNode) -> Result<&PlanNode> {
    match node.children.as_slice() {
        [child] => Ok(child),
        _ => Err(Error::internal(format!(
            "{} has {} children",
            node.kind.name(),
            node.children.len()
        ))),
    }
}

fn two(node: &PlanNode) -> Result<(&PlanNode, &PlanNode)> {
    match node.children.as_slice() {
        [outer, inner] => Ok((outer, inner)),
        _ => Err(Error::internal(format!(
            "{} has {} children",
            node.kind.name(),
            node.children.len()
        ))),
    }
}
