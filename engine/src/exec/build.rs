//! From a plan to the tree of operators that run it.
//!
//! A plan node becomes its operator and, where it has them, a Filter and a Project above it; all of
//! them carry the node's number, and their counters add up in the report. The plan is read, never consumed.

mod aggregates;
mod joins;

use std::collections::HashMap;
use std::rc::Rc;

use super::context::ExecCx;
use super::operator::Operator;
use super::ops::aggregate::{HashedAggregate, PlainAggregate, SortedAggregate};
use super::ops::append::Append;
use super::ops::apply::Apply;
use super::ops::cte_scan::CteScan;
use super::ops::filter::Filter;
use super::ops::function_scan::{Function, FunctionScan};
use super::ops::limit::Limit;
use super::ops::material::Material;
use super::ops::memoize::Memoize;
use super::ops::modify_table::ModifyTable;
use super::ops::pairs::JoinFilter;
use super::ops::project::Project;
use super::ops::project_set::{ProjectSet, Target};
use super::ops::recursive_union::RecursiveUnion;
use super::ops::result::ResultRow;
use super::ops::scan_keys::KeyTests;
use super::ops::seq_scan::SeqScan;
use super::ops::set_op::SetOp;
use super::ops::shared_rows::{KeptRows, SharedRows};
use super::ops::sort::{Bound, Sort};
use super::ops::unique::Unique;
use super::ops::values_scan::{Value, ValuesScan};
use super::ops::work_table_scan::WorkTableScan;
use super::params::ParamSet;
use super::producer::{Gathered, Output};
use super::tree::{NewNode, OpId, Tree};
use crate::am::ScanSpec;
use crate::bind::{Expr, ExprKind, Notation, ParamId};
use crate::error::{Error, Result};
use crate::expr::Program;
use crate::plan::{self, AggregateStrategy, NodeKind, Plan, PlanNode, SetTarget, SubPlanKind};
use crate::value::{KeyOrder, Type};
use aggregates::aggregate_calls;

/// Builds the operators of a plan and of its sub-plans. Answers the root. Errors: 0A000.
pub(super) fn build(plan: &Plan, cx: &ExecCx, tree: &mut Tree) -> Result<OpId> {
    let mut builder = Builder {
        plan,
        cx,
        tree,
        shared: HashMap::new(),
    };
    // All of them first: what reads them may be built before what writes them.
    for subplan in &plan.subplans {
        if let SubPlanKind::Common { param, .. } = &subplan.kind {
            builder.share(*param, subplan.root.types());
        }
    }
    let roots = plan.subplans.iter().map(|subplan| &subplan.root);
    for root in roots.chain([&plan.root]) {
        root.each(&mut |node| {
            if let (NodeKind::RecursiveUnion { param, .. }, [first, ..]) =
                (&node.kind, &node.children[..])
            {
                builder.share(*param, first.types());
            }
        });
    }
    for subplan in &plan.subplans {
        match &subplan.kind {
            SubPlanKind::Init { result, param } => {
                let root = builder.node(&subplan.root)?;
                let output = Output::Value(Gathered::new(*result, &cx.memory));
                builder.tree.add_producer(root, *param, output);
            }
            SubPlanKind::Common { param, .. } => {
                let root = builder.node(&subplan.root)?;
                let output = Output::Rows(builder.shared_rows(*param)?);
                builder.tree.add_producer(root, *param, output);
            }
            SubPlanKind::Correlated { .. } => {}
        }
    }
    builder.node(&plan.root)
}

struct Builder<'a> {
    plan: &'a Plan,
    cx: &'a ExecCx,
    tree: &'a mut Tree,
    /// Rows of WITH queries and of work tables, by the parameters that stand for them.
    shared: HashMap<ParamId, SharedRows>,
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
            } => return self.nested_loop(node, *kind, join_filter, params),
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
            NodeKind::Memoize { keys, bytes } => {
                let child = one(node)?;
                let below = self.node(child)?;
                let mut params = Vec::with_capacity(keys.len());
                for key in keys {
                    match key.kind {
                        ExprKind::Param(param) => params.push(param),
                        _ => return Err(Error::internal("a Memoize's key is no parameter")),
                    }
                }
                let others = self.tree.set_from_outside(below, &params);
                let operator = Memoize::new(params, others, child.types(), *bytes, memory);
                self.add(node, operator, &[below], compiler.reads)
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
            NodeKind::CteScan(scan) => {
                let operator = CteScan::new(scan.param, self.shared_rows(scan.param)?);
                self.add(node, operator, &[], std::iter::once(scan.param).collect())
            }
            NodeKind::WorkTableScan(scan) => {
                let operator = WorkTableScan::new(self.shared_rows(scan.param)?);
                self.add(node, operator, &[], std::iter::once(scan.param).collect())
            }
            NodeKind::RecursiveUnion { all, param } => {
                let (first, again) = two(node)?;
                let work_table = self.shared_rows(*param)?;
                let children = [self.node(first)?, self.node(again)?];
                let union = RecursiveUnion::new(*all, first.types(), work_table, memory);
                let new = NewNode {
                    children: &children,
                    plan_node: node.id,
                    reads: ParamSet::default(),
                    sets: std::iter::once(*param).collect(),
                };
                self.tree.add(Box::new(union), new)
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

    /// Rows that the parameter stands for.
    fn share(&mut self, param: ParamId, types: Vec<Type>) {
        let rows = KeptRows::shared(types, &self.cx.memory);
        self.shared.insert(param, rows);
    }

    fn shared_rows(&self, param: ParamId) -> Result<SharedRows> {
        let known = self.shared.get(&param).map(Rc::clone);
        known.ok_or_else(|| Error::internal("shared rows that nobody makes"))
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
