//! Random plans over nullable integers.

mod builder;
mod exprs;
mod joins;

use std::rc::Rc;

use crate::am::KeySupport;
use crate::bind::{Expr, ExprKind, ParamId, SetOperation, SortKey};
use crate::catalog::Catalog;
use crate::plan::{
    AggregateSpec, AggregateStrategy, Apply, ApplyResult, CommonScan, DecidedBy, Estimate, HashKey,
    JoinType, NodeKind, OutputColumn, Plan, PlanNode, PlannedKey, PlannedTest, SeqScan, SetTarget,
    SortBound, SubPlan, SubPlanKind, SubPlanResult,
};
use crate::value::{Comparison, Datum, Type};

use super::{TABLES, test_table};

pub use builder::Builder;

/// xorshift64*: the same plans on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

pub struct Generator {
    pub random: Random,
    catalog: Catalog,
    nodes: usize,
    params: usize,
    subplans: Vec<SubPlan>,
    /// Integer parameters in scope: results of InitPlans, and outer columns.
    in_scope: Vec<ParamId>,
    flags_in_scope: Vec<ParamId>,
    /// WITH queries, of two integer columns each.
    commons: Vec<ParamId>,
    /// Whether divisions and the like are made.
    failing: bool,
}

/// A plan, deterministic by seed.
pub fn plan(seed: u64) -> Plan {
    let mut random = Random(seed | 1);
    let failing = random.one_in(2);
    let mut generator = Generator {
        random,
        catalog: Catalog::new(Vec::new()),
        nodes: 0,
        params: 0,
        subplans: Vec::new(),
        in_scope: Vec::new(),
        flags_in_scope: Vec::new(),
        commons: Vec::new(),
        failing,
    };
    for _ in 0..generator.random.below(3) {
        generator.init_plan();
    }
    for _ in 0..generator.random.below(3) {
        generator.common();
    }
    let depth = 1 + generator.random.below(4) as u32;
    let root = generator.node(depth);
    Plan {
        columns: root.output.clone(),
        root,
        subplans: generator.subplans,
        params: generator.params,
        nodes: generator.nodes,
        qualified: false,
    }
}

impl Generator {
    fn make(&mut self, kind: NodeKind, children: Vec<PlanNode>, types: Vec<Type>) -> PlanNode {
        self.nodes += 1;
        PlanNode {
            id: self.nodes - 1,
            kind,
            children,
            filter: None,
            project: None,
            output: types
                .into_iter()
                .map(|ty| OutputColumn {
                    label: Rc::from("c"),
                    ty,
                })
                .collect(),
            estimate: Estimate::default(),
        }
    }

    fn init_plan(&mut self) {
        let depth = self.random.below(3) as u32;
        let mut root = self.node(depth);
        let parent = 0;
        let param = self.params;
        self.params += 1;
        let result = if self.random.one_in(2) {
            self.flags_in_scope.push(param);
            SubPlanResult::Exists
        } else {
            if self.random.below(3) > 0 {
                // A second row is an error, so most of them are made to give one.
                let limit = NodeKind::Limit {
                    limit: Some(Expr::constant(Datum::Int8(1), Type::INT8)),
                    offset: None,
                };
                let types = root.types();
                root = self.make(limit, vec![root], types);
            }
            root = self.project(root, 1);
            self.in_scope.push(param);
            SubPlanResult::Scalar
        };
        self.subplans.push(SubPlan {
            kind: SubPlanKind::Init { result, param },
            root,
            parent,
        });
    }

    fn common(&mut self) {
        let depth = self.random.below(3) as u32;
        let root = self.node(depth);
        let root = self.project(root, 2);
        let param = self.params;
        self.params += 1;
        self.commons.push(param);
        self.subplans.push(SubPlan {
            kind: SubPlanKind::Common {
                name: Rc::from("w"),
                param,
            },
            root,
            parent: 0,
        });
    }

    fn common_scan(&mut self, param: ParamId, kind: fn(CommonScan) -> NodeKind) -> PlanNode {
        let scan = CommonScan {
            alias: Rc::from("w"),
            name: Rc::from("w"),
            columns: vec![Rc::from("a"), Rc::from("b")],
            param,
        };
        self.make(kind(scan), Vec::new(), vec![Type::INT4; 2])
    }

    /// Counts up from what a node gives, sometimes by way of a join that is kept between rounds.
    fn recursive_union(&mut self, depth: u32) -> PlanNode {
        let first = self.node(depth - 1);
        let first = self.project(first, 2);
        let param = self.params;
        self.params += 1;
        let mut again = self.common_scan(param, NodeKind::WorkTableScan);
        let five = Expr::constant(Datum::Int4(5), Type::INT4);
        again.filter = Some(self.call("<", Expr::slot(0, Type::INT4), five));
        if self.random.one_in(3) {
            let inner = self.node(depth - 1);
            let inner_types = inner.types();
            let (outer_key, inner_key) = (Expr::slot(1, Type::INT4), self.integer(&inner_types, 1));
            let operator = self.operator("=", Type::INT4, inner_key.ty);
            let hash = self.make(NodeKind::Hash, vec![inner], inner_types);
            let kind = NodeKind::HashJoin {
                kind: JoinType::Semi,
                keys: vec![HashKey {
                    outer: outer_key,
                    inner: inner_key,
                    operator,
                }],
                join_filter: None,
            };
            again = self.make(kind, vec![again, hash], vec![Type::INT4; 2]);
        }
        let one = Expr::constant(Datum::Int4(1), Type::INT4);
        let next = self.call("+", Expr::slot(0, Type::INT4), one);
        let other = self.small(&[Type::INT4; 2], 1);
        again.output[1].ty = other.ty;
        again.project = Some(vec![next, other]);
        let again = match again.output[1].ty == Type::INT4 {
            true => again,
            false => {
                let types = again.types();
                let again = self.make(NodeKind::Material, vec![again], types);
                self.project(again, 2)
            }
        };
        let all = self.random.one_in(2);
        let kind = NodeKind::RecursiveUnion { all, param };
        let union = self.make(kind, vec![first, again], vec![Type::INT4; 2]);
        self.limit(union)
    }

    /// Puts a projection to `width` integer columns on a node.
    fn project(&mut self, mut node: PlanNode, width: usize) -> PlanNode {
        if node.project.is_some() || matches!(node.kind, NodeKind::ProjectSet { .. }) {
            let types = node.types();
            let kind = NodeKind::SubqueryScan {
                alias: Rc::from("s"),
                columns: Vec::new(),
                barrier: false,
            };
            node = self.make(kind, vec![node], types);
        }
        let types = node.types();
        let targets: Vec<Expr> = (0..width).map(|_| self.small(&types, 2)).collect();
        node.output = targets
            .iter()
            .map(|target| OutputColumn {
                label: Rc::from("p"),
                ty: target.ty,
            })
            .collect();
        node.project = Some(targets);
        node
    }

    fn node(&mut self, depth: u32) -> PlanNode {
        let mut node = if depth == 0 {
            self.source()
        } else {
            self.inner(depth)
        };
        if node.filter.is_none() && node.project.is_none() && self.random.one_in(3) {
            let types = node.types();
            node.filter = Some(self.condition(&types, 2));
        }
        if node.project.is_none() && self.random.one_in(4) {
            let width = 1 + self.random.below(3) as usize;
            node = self.project(node, width);
        }
        node
    }

    fn source(&mut self) -> PlanNode {
        match self.random.below(9) {
            8 if !self.commons.is_empty() => {
                let at = self.random.below(self.commons.len() as u64) as usize;
                self.common_scan(self.commons[at], NodeKind::CteScan)
            }
            0 => {
                let args = vec![self.small(&[], 1), self.small(&[], 1)];
                let function = self.function("generate_series", &[Type::INT4, Type::INT4]);
                let kind = NodeKind::FunctionScan {
                    alias: Rc::from("g"),
                    columns: vec![OutputColumn {
                        label: Rc::from("g"),
                        ty: Type::INT4,
                    }],
                    function,
                    args,
                };
                self.make(kind, Vec::new(), vec![Type::INT4])
            }
            1 => {
                let rows = (0..1 + self.random.below(5))
                    .map(|_| vec![self.small(&[], 1), self.small(&[], 1)])
                    .collect();
                let kind = NodeKind::ValuesScan {
                    alias: Rc::from("v"),
                    rows,
                };
                self.make(kind, Vec::new(), vec![Type::INT4; 2])
            }
            2 => {
                let one_time_filter = self.random.one_in(2).then(|| self.condition(&[], 1));
                let node = self.make(NodeKind::Result { one_time_filter }, Vec::new(), Vec::new());
                self.project(node, 2)
            }
            _ => self.seq_scan(),
        }
    }

    fn seq_scan(&mut self) -> PlanNode {
        let at =
            self.random
                .below(TABLES.len() as u64 - if self.failing { 0 } else { 1 }) as usize;
        let table = test_table(at);
        let keys = (0..self.random.below(3).saturating_sub(1))
            .map(|_| {
                let column = self.random.below(2) as usize;
                let test = if self.random.one_in(4) {
                    PlannedTest::Null {
                        column,
                        negated: self.random.one_in(2),
                    }
                } else {
                    let op = [
                        Comparison::Eq,
                        Comparison::Ne,
                        Comparison::Lt,
                        Comparison::Ge,
                    ][self.random.below(4) as usize];
                    PlannedTest::Compare {
                        column,
                        op,
                        value: self.small(&[], 1),
                    }
                };
                let qual = Expr::constant(Datum::Bool(true), Type::BOOL);
                PlannedKey {
                    test,
                    support: KeySupport::Exact,
                    qual,
                }
            })
            .collect();
        let columns = if self.random.one_in(3) {
            vec![1, 0]
        } else {
            vec![0, 1, 2]
        };
        let types = vec![Type::INT4; columns.len()];
        let scan = SeqScan {
            alias: Rc::clone(&table.name),
            table,
            columns,
            with_tid: false,
            keys,
            rechecked: 0,
            not_pushed: Vec::new(),
            decided_by: DecidedBy::Setting,
        };
        self.make(NodeKind::SeqScan(scan), Vec::new(), types)
    }

    fn row_count(&mut self, most: u64) -> Expr {
        if self.random.one_in(10) {
            return Expr::constant(Datum::Null, Type::INT8);
        }
        if self.failing && self.random.one_in(12) {
            return Expr::constant(Datum::Int8(-1), Type::INT8);
        }
        Expr::constant(Datum::Int8(self.random.below(most) as i64), Type::INT8)
    }

    fn limit(&mut self, child: PlanNode) -> PlanNode {
        let limit = (self.random.below(5) > 0).then(|| self.row_count(30));
        let offset = self.random.one_in(3).then(|| self.row_count(8));
        let types = child.types();
        self.make(NodeKind::Limit { limit, offset }, vec![child], types)
    }

    fn sort(&mut self, child: PlanNode, columns: impl IntoIterator<Item = usize>) -> PlanNode {
        let keys = columns
            .into_iter()
            .map(|target| SortKey {
                target,
                descending: self.random.one_in(2),
                nulls_first: self.random.one_in(2),
            })
            .collect();
        let types = child.types();
        self.make(NodeKind::Sort { keys, bound: None }, vec![child], types)
    }

    fn inner(&mut self, depth: u32) -> PlanNode {
        match self.random.below(18) {
            0 => {
                let child = self.node(depth - 1);
                self.limit(child)
            }
            1 | 2 => self.hash_join(depth),
            3 => self.nested_loop(depth),
            4 => self.uncorrelated_loop(depth),
            5 => self.aggregate(depth),
            6 => {
                let child = self.node(depth - 1);
                let column = self.random.below(child.output.len() as u64) as usize;
                self.sort(child, [column])
            }
            7 => {
                // Top-N: the bound and the Limit say the same.
                let child = self.node(depth - 1);
                let mut sort = self.sort(child, [0]);
                let mut limit = self.row_count(20);
                if matches!(limit.kind, ExprKind::Const(Datum::Int8(-1))) {
                    limit = Expr::constant(Datum::Int8(3), Type::INT8);
                }
                if let NodeKind::Sort { bound, .. } = &mut sort.kind {
                    *bound = Some(SortBound {
                        limit: limit.clone(),
                        offset: None,
                    });
                }
                let types = sort.types();
                self.make(
                    NodeKind::Limit {
                        limit: Some(limit),
                        offset: None,
                    },
                    vec![sort],
                    types,
                )
            }
            8 => {
                let child = self.node(depth - 1);
                let types = child.types();
                let columns: Vec<usize> = (0..types.len()).collect();
                let sort = self.sort(child, columns.clone());
                self.make(NodeKind::Unique { columns }, vec![sort], types)
            }
            9 => {
                let children = (0..2 + self.random.below(2))
                    .map(|_| {
                        let child = self.node(depth - 1);
                        self.project(child, 2)
                    })
                    .collect();
                self.make(NodeKind::Append, children, vec![Type::INT4; 2])
            }
            10 => self.project_set(depth),
            11 => {
                let child = self.node(depth - 1);
                let types = child.types();
                self.make(NodeKind::Material, vec![child], types)
            }
            12 => self.apply(depth),
            13 | 14 => self.merge_join(depth),
            15 => self.set_op(depth),
            16 => self.recursive_union(depth),
            _ => {
                let child = self.node(depth - 1);
                let types = child.types();
                let one_time_filter = Some(self.condition(&[], 1));
                self.make(NodeKind::Result { one_time_filter }, vec![child], types)
            }
        }
    }

    /// Over an Append of two sides, marked by their last column.
    fn set_op(&mut self, depth: u32) -> PlanNode {
        let width = 1 + self.random.below(2) as usize;
        let sides = (0..2)
            .map(|side| {
                let child = self.node(depth - 1);
                let mut child = self.project(child, width);
                let mark = Expr::constant(Datum::Int4(side), Type::INT4);
                child.output.push(OutputColumn {
                    label: Rc::from("flag"),
                    ty: Type::INT4,
                });
                child.project.get_or_insert_default().push(mark);
                child
            })
            .collect();
        let mut input = self.make(NodeKind::Append, sides, vec![Type::INT4; width + 1]);
        let strategy = match self.random.one_in(2) {
            true => AggregateStrategy::Hashed,
            false => {
                input = self.sort(input, 0..width);
                AggregateStrategy::Sorted
            }
        };
        let kind = NodeKind::SetOp {
            operation: match self.random.one_in(2) {
                true => SetOperation::Intersect,
                false => SetOperation::Except,
            },
            all: self.random.one_in(2),
            strategy,
        };
        self.make(kind, vec![input], vec![Type::INT4; width])
    }

    fn aggregate(&mut self, depth: u32) -> PlanNode {
        let mut child = self.node(depth - 1);
        let strategy = match self.random.below(3) {
            0 => AggregateStrategy::Plain,
            1 => AggregateStrategy::Hashed,
            _ => {
                child = self.sort(child, [0]);
                AggregateStrategy::Sorted
            }
        };
        let columns = child.types();
        let groups = match strategy {
            AggregateStrategy::Plain => Vec::new(),
            AggregateStrategy::Sorted => vec![Expr::slot(0, columns[0])],
            AggregateStrategy::Hashed => vec![self.integer(&columns, 1)],
        };
        let mut aggregates = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let name = ["count", "sum", "min", "max", "count(*)"][self.random.below(5) as usize];
            let filter = self.random.one_in(3).then(|| self.condition(&columns, 1));
            let args = if name == "count(*)" {
                Vec::new()
            } else {
                vec![self.small(&columns, 1)]
            };
            let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
            let function = self.function(name.trim_end_matches("(*)"), &types);
            let distinct = !args.is_empty() && self.random.one_in(4);
            aggregates.push(AggregateSpec {
                function,
                args,
                distinct,
                order_by: Vec::new(),
                filter,
            });
        }
        let results = aggregates.iter().map(|aggregate| aggregate.function.result);
        let types: Vec<Type> = groups.iter().map(|group| group.ty).chain(results).collect();
        self.make(
            NodeKind::Aggregate {
                strategy,
                groups,
                aggregates,
            },
            vec![child],
            types,
        )
    }

    fn project_set(&mut self, depth: u32) -> PlanNode {
        let child = self.node(depth - 1);
        let columns = child.types();
        let series = |this: &mut Self| SetTarget::Set {
            function: this.function("generate_series", &[Type::INT4, Type::INT4]),
            args: vec![this.number(), this.small(&columns, 1)],
        };
        let mut targets = vec![SetTarget::Plain(self.small(&columns, 1)), series(self)];
        if self.random.one_in(2) {
            targets.push(series(self));
        }
        let types = vec![Type::INT4; targets.len()];
        self.make(NodeKind::ProjectSet { targets }, vec![child], types)
    }

    fn apply(&mut self, depth: u32) -> PlanNode {
        let child = self.node(depth - 1);
        let columns = child.types();
        let param = self.params;
        self.params += 1;
        self.in_scope.push(param);
        let mut root = self.node(depth - 1);
        let result = match self.random.below(3) {
            0 => ApplyResult::Value(SubPlanResult::Exists),
            1 => {
                let types = root.types();
                let limit = NodeKind::Limit {
                    limit: Some(Expr::constant(Datum::Int8(1), Type::INT8)),
                    offset: None,
                };
                root = self.make(limit, vec![root], types);
                root = self.project(root, 1);
                ApplyResult::Value(SubPlanResult::Scalar)
            }
            _ => {
                root = self.project(root, 1);
                let name = ["=", "<>", "<", ">="][self.random.below(4) as usize];
                let operator = self.operator(name, Type::INT4, Type::INT4);
                let test = vec![self.small(&columns, 1)];
                ApplyResult::Quantified {
                    test,
                    operators: vec![operator],
                    all: self.random.one_in(2),
                }
            }
        };
        self.in_scope.retain(|&known| known != param);
        let value = match &result {
            ApplyResult::Value(SubPlanResult::Scalar) => Type::INT4,
            _ => Type::BOOL,
        };
        let subplan = self.subplans.len();
        self.subplans.push(SubPlan {
            kind: SubPlanKind::Correlated { param },
            root,
            parent: 0,
        });
        let guard = self.random.one_in(3).then(|| self.condition(&columns, 1));
        let apply = Apply {
            subplan,
            result,
            params: vec![(param, self.small(&columns, 1))],
            guard,
        };
        let mut types = columns;
        types.push(value);
        let node = self.make(NodeKind::Apply(apply), vec![child], types.clone());
        if value == Type::BOOL {
            // Only integers go on: the flag becomes one.
            return self.flag_to_integer(node, &types);
        }
        node
    }

    fn flag_to_integer(&mut self, mut node: PlanNode, types: &[Type]) -> PlanNode {
        let last = types.len() - 1;
        let mut targets: Vec<Expr> = (0..last).map(|at| Expr::slot(at, types[at])).collect();
        let one = Expr::constant(Datum::Int4(1), Type::INT4);
        let zero = Expr::constant(Datum::Int4(0), Type::INT4);
        let not = Expr::new(
            ExprKind::Not(Box::new(Expr::slot(last, Type::BOOL))),
            Type::BOOL,
        );
        let arms = vec![(Expr::slot(last, Type::BOOL), one), (not, zero)];
        targets.push(Expr::new(
            ExprKind::Case {
                operand: None,
                arms,
                otherwise: None,
            },
            Type::INT4,
        ));
        node.output = targets
            .iter()
            .map(|target| OutputColumn {
                label: Rc::from("f"),
                ty: target.ty,
            })
            .collect();
        node.project = Some(targets);
        node
    }
}
