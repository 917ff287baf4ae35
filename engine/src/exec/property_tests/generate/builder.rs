//! Plans made by hand, from the generator's parts.

use std::rc::Rc;

use super::joins::given;
use super::{Generator, Random};
use crate::am::KeySupport;
use crate::bind::{Expr, ExprKind, Notation, ParamId, SetOperation, SortKey};
use crate::catalog::Catalog;
use crate::plan::{
    AggregateSpec, AggregateStrategy, Apply, ApplyResult, DecidedBy, HashKey, JoinType, MergeKey,
    NodeKind, OutputColumn, Plan, PlanNode, PlannedKey, PlannedTest, SeqScan, SetTarget, SubPlan,
    SubPlanKind, SubPlanResult,
};
use crate::value::{Comparison, Datum, Type};

use crate::exec::property_tests::test_table;

/// Plans made by hand, for the laws.
pub struct Builder {
    generator: Generator,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            generator: Generator {
                random: Random(1),
                catalog: Catalog::new(Vec::new()),
                nodes: 0,
                params: 0,
                subplans: Vec::new(),
                in_scope: Vec::new(),
                flags_in_scope: Vec::new(),
                commons: Vec::new(),
                failing: false,
            },
        }
    }
}

impl Builder {
    /// The plan of a root; the builder then begins the next one.
    pub fn plan(&mut self, root: PlanNode) -> Plan {
        let generator = &mut self.generator;
        Plan {
            columns: root.output.clone(),
            root,
            subplans: std::mem::take(&mut generator.subplans),
            params: std::mem::take(&mut generator.params),
            nodes: std::mem::take(&mut generator.nodes),
            qualified: false,
        }
    }

    pub fn node(&mut self, kind: NodeKind, children: Vec<PlanNode>, types: Vec<Type>) -> PlanNode {
        self.generator.make(kind, children, types)
    }

    pub fn over(&mut self, child: PlanNode, kind: NodeKind) -> PlanNode {
        let types = child.types();
        self.node(kind, vec![child], types)
    }

    pub fn scan(&mut self, table: usize) -> PlanNode {
        self.scan_of(table, Vec::new())
    }

    /// With the key `column >= value`.
    pub fn scan_with_key(&mut self, table: usize, column: usize, value: i32) -> PlanNode {
        let value = Expr::constant(Datum::Int4(value), Type::INT4);
        let key = PlannedKey {
            test: PlannedTest::Compare {
                column,
                op: Comparison::Ge,
                value,
            },
            support: KeySupport::Exact,
            qual: Expr::constant(Datum::Bool(true), Type::BOOL),
        };
        self.scan_of(table, vec![key])
    }

    fn scan_of(&mut self, table: usize, keys: Vec<PlannedKey>) -> PlanNode {
        let table = test_table(table);
        let scan = SeqScan {
            alias: Rc::clone(&table.name),
            table,
            columns: vec![0, 1, 2],
            with_tid: false,
            keys,
            rechecked: 0,
            not_pushed: Vec::new(),
            decided_by: DecidedBy::Setting,
        };
        self.node(NodeKind::SeqScan(scan), Vec::new(), vec![Type::INT4; 3])
    }

    pub fn series(&mut self, start: i32, stop: i32) -> PlanNode {
        let args = [start, stop]
            .map(|value| Expr::constant(Datum::Int4(value), Type::INT4))
            .to_vec();
        let function = self
            .generator
            .function("generate_series", &[Type::INT4, Type::INT4]);
        let kind = NodeKind::FunctionScan {
            alias: Rc::from("g"),
            columns: vec![OutputColumn {
                label: Rc::from("g"),
                ty: Type::INT4,
            }],
            function,
            args,
        };
        self.node(kind, Vec::new(), vec![Type::INT4])
    }

    pub fn limit(&mut self, child: PlanNode, rows: i64) -> PlanNode {
        let limit = Some(Expr::constant(Datum::Int8(rows), Type::INT8));
        self.over(
            child,
            NodeKind::Limit {
                limit,
                offset: None,
            },
        )
    }

    pub fn sort(&mut self, child: PlanNode, column: usize) -> PlanNode {
        self.generator.sort(child, [column])
    }

    /// Joins where column `column` of both sides is equal.
    pub fn hash_join(
        &mut self,
        kind: JoinType,
        outer: PlanNode,
        inner: PlanNode,
        column: usize,
    ) -> PlanNode {
        let slot = Expr::slot(column, Type::INT4);
        let operator = self.generator.operator("=", Type::INT4, Type::INT4);
        let keys = vec![HashKey {
            outer: slot.clone(),
            inner: slot,
            operator,
        }];
        let types = given(kind, outer.types(), inner.types());
        let hash = self.over(inner, NodeKind::Hash);
        self.node(
            NodeKind::HashJoin {
                kind,
                keys,
                join_filter: None,
            },
            vec![outer, hash],
            types,
        )
    }

    /// Joins, sorted by it, where column `column` of both sides is equal.
    pub fn merge_join(
        &mut self,
        kind: JoinType,
        outer: PlanNode,
        inner: PlanNode,
        column: usize,
    ) -> PlanNode {
        let slot = Expr::slot(column, Type::INT4);
        let keys = vec![MergeKey {
            outer: slot.clone(),
            inner: slot,
            operator: self.generator.operator("=", Type::INT4, Type::INT4),
            descending: false,
            nulls_first: false,
        }];
        let types = given(kind, outer.types(), inner.types());
        let sorted = [outer, inner].map(|side| {
            let order = SortKey {
                target: column,
                descending: false,
                nulls_first: false,
            };
            let keys = vec![order];
            self.over(side, NodeKind::Sort { keys, bound: None })
        });
        let kind = NodeKind::MergeJoin {
            kind,
            keys,
            join_filter: None,
        };
        self.node(kind, sorted.into(), types)
    }

    /// Gives a nested loop over two scans the condition that their columns `column` are equal.
    pub fn join_where_equal(&mut self, join: &mut PlanNode, column: usize) {
        if let NodeKind::NestedLoop { join_filter, .. } = &mut join.kind {
            let (left, right) = (
                Expr::slot(column, Type::INT4),
                Expr::slot(3 + column, Type::INT4),
            );
            *join_filter = Some(self.generator.call("=", left, right));
        }
    }

    /// Adds to a join's condition, of two scans of three columns, that the outer column is the smaller one.
    pub fn join_where_less(&mut self, join: &mut PlanNode, column: usize) {
        let (left, right) = (
            Expr::slot(column, Type::INT4),
            Expr::slot(3 + column, Type::INT4),
        );
        let less = self.generator.call("<", left, right);
        if let NodeKind::NestedLoop { join_filter, .. }
        | NodeKind::HashJoin { join_filter, .. }
        | NodeKind::MergeJoin { join_filter, .. } = &mut join.kind
        {
            *join_filter = Some(match join_filter.take() {
                None => less,
                Some(known) => Expr::new(ExprKind::And(vec![known, less]), Type::BOOL),
            });
        }
    }

    /// An aggregate of column 1 by column 0, of distinct values, of some rows.
    pub fn sums(&mut self, mut child: PlanNode, strategy: AggregateStrategy) -> PlanNode {
        if strategy == AggregateStrategy::Sorted {
            child = self.sort(child, 0);
        }
        let groups = match strategy {
            AggregateStrategy::Plain => Vec::new(),
            _ => vec![Expr::slot(0, Type::INT4)],
        };
        let bound = Expr::constant(Datum::Int4(20), Type::INT4);
        let few = self.generator.call("<", Expr::slot(2, Type::INT4), bound);
        let call = |b: &Self, name: &str, distinct, filter| AggregateSpec {
            function: b.generator.function(name, &[Type::INT4]),
            args: vec![Expr::slot(1, Type::INT4)],
            distinct,
            order_by: Vec::new(),
            filter,
        };
        let aggregates = vec![
            call(self, "sum", false, None),
            call(self, "count", true, None),
            call(self, "max", false, Some(few)),
        ];
        let results = aggregates.iter().map(|call| call.function.result);
        let types = groups.iter().map(|group| group.ty).chain(results).collect();
        let kind = NodeKind::Aggregate {
            strategy,
            groups,
            aggregates,
        };
        self.node(kind, vec![child], types)
    }

    /// The first columns of two scans, as one side and the other.
    pub fn set_op(
        &mut self,
        (operation, all, strategy): (SetOperation, bool, AggregateStrategy),
        sides: [PlanNode; 2],
    ) -> PlanNode {
        let sides = sides.into_iter().zip(0..).map(|(mut side, mark)| {
            let mark = Expr::constant(Datum::Int4(mark), Type::INT4);
            side.project = Some(vec![Expr::slot(0, Type::INT4), mark]);
            side.output.truncate(2);
            side
        });
        let mut input = self.node(NodeKind::Append, sides.collect(), vec![Type::INT4; 2]);
        if strategy == AggregateStrategy::Sorted {
            input = self.sort(input, 0);
        }
        let kind = NodeKind::SetOp {
            operation,
            all,
            strategy,
        };
        self.node(kind, vec![input], vec![Type::INT4])
    }

    /// For each row, whether the sub-select over the other scan has a row with that first column; the
    /// flag is left out, so that only numbers go on.
    pub fn apply_exists(&mut self, child: PlanNode, mut inner: PlanNode) -> PlanNode {
        let param = self.new_param();
        let outer = Expr::new(ExprKind::Param(param), Type::INT4);
        inner.filter = Some(self.generator.call("=", Expr::slot(0, Type::INT4), outer));
        let generator = &mut self.generator;
        let subplan = generator.subplans.len();
        generator.subplans.push(SubPlan {
            kind: SubPlanKind::Correlated { param },
            root: inner,
            parent: 0,
        });
        let apply = Apply {
            subplan,
            result: ApplyResult::Value(SubPlanResult::Exists),
            params: vec![(param, Expr::slot(0, Type::INT4))],
            guard: None,
        };
        let mut types = child.types();
        let value = types.len();
        types.push(Type::BOOL);
        let mut node = self.node(NodeKind::Apply(apply), vec![child], types);
        node.filter = Some(Expr::slot(value, Type::BOOL));
        node.project = Some((0..value).map(|at| Expr::slot(at, Type::INT4)).collect());
        node.output.truncate(value);
        node
    }

    pub fn nested_loop(
        &mut self,
        kind: JoinType,
        outer: PlanNode,
        inner: PlanNode,
        params: Vec<(ParamId, usize)>,
    ) -> PlanNode {
        let types = given(kind, outer.types(), inner.types());
        self.node(
            NodeKind::NestedLoop {
                kind,
                join_filter: None,
                params,
            },
            vec![outer, inner],
            types,
        )
    }

    /// `count(*)`, grouped by column 0 unless plain.
    pub fn count(&mut self, child: PlanNode, strategy: AggregateStrategy) -> PlanNode {
        let groups = match strategy {
            AggregateStrategy::Plain => Vec::new(),
            _ => vec![Expr::slot(0, child.output[0].ty)],
        };
        let function = self.generator.function("count", &[]);
        let call = AggregateSpec {
            function,
            args: Vec::new(),
            distinct: false,
            order_by: Vec::new(),
            filter: None,
        };
        let types = groups
            .iter()
            .map(|group| group.ty)
            .chain([Type::INT8])
            .collect();
        let kind = NodeKind::Aggregate {
            strategy,
            groups,
            aggregates: vec![call],
        };
        self.node(kind, vec![child], types)
    }

    /// Each row `(1, generate_series(start, stop))`.
    pub fn project_set(&mut self, child: PlanNode, start: i32, stop: i32) -> PlanNode {
        let number = |value| Expr::constant(Datum::Int4(value), Type::INT4);
        let function = self
            .generator
            .function("generate_series", &[Type::INT4, Type::INT4]);
        let targets = vec![
            SetTarget::Plain(number(1)),
            SetTarget::Set {
                function,
                args: vec![number(start), number(stop)],
            },
        ];
        self.node(
            NodeKind::ProjectSet { targets },
            vec![child],
            vec![Type::INT4; 2],
        )
    }

    pub fn new_param(&mut self) -> ParamId {
        self.generator.params += 1;
        self.generator.params - 1
    }

    pub fn init_plan(&mut self, result: SubPlanResult, root: PlanNode) -> ParamId {
        let param = self.new_param();
        let kind = SubPlanKind::Init { result, param };
        self.generator.subplans.push(SubPlan {
            kind,
            root,
            parent: 0,
        });
        param
    }

    /// A WITH query of one integer column; the parameter stands for its rows.
    pub fn common(&mut self, root: PlanNode) -> ParamId {
        let param = self.new_param();
        let name = Rc::from("w");
        self.generator.subplans.push(SubPlan {
            kind: SubPlanKind::Common { name, param },
            root,
            parent: 0,
        });
        param
    }

    pub fn common_scan(&mut self, param: ParamId) -> PlanNode {
        let mut scan = self.generator.common_scan(param, NodeKind::CteScan);
        scan.output.truncate(1);
        scan
    }

    /// 0, 1, 2, … without an end.
    pub fn endless(&mut self, all: bool) -> PlanNode {
        let param = self.new_param();
        let first = self.series(0, 0);
        let mut again = self.generator.common_scan(param, NodeKind::WorkTableScan);
        again.output.truncate(1);
        let one = Expr::constant(Datum::Int4(1), Type::INT4);
        let next = self.generator.call("+", Expr::slot(0, Type::INT4), one);
        again.project = Some(vec![next]);
        let kind = NodeKind::RecursiveUnion { all, param };
        self.node(kind, vec![first, again], vec![Type::INT4])
    }

    /// The rows of the inner scan whose first column is that of the outer one, kept by it.
    pub fn memoized_loop(
        &mut self,
        kind: JoinType,
        outer: PlanNode,
        mut inner: PlanNode,
        bytes: u64,
    ) -> PlanNode {
        let param = self.new_param();
        let key = Expr::new(ExprKind::Param(param), Type::INT4);
        let same = self
            .generator
            .call("=", Expr::slot(0, Type::INT4), key.clone());
        inner.filter = Some(same);
        let keys = vec![key];
        let inner = self.over(inner, NodeKind::Memoize { keys, bytes });
        self.nested_loop(kind, outer, inner, vec![(param, 0)])
    }

    /// One row, one column: the parameter and a number, added.
    pub fn result_of_param_plus(&mut self, param: ParamId, number: i32) -> PlanNode {
        let mut node = self.node(
            NodeKind::Result {
                one_time_filter: None,
            },
            Vec::new(),
            vec![Type::INT4],
        );
        let param = Expr::new(ExprKind::Param(param), Type::INT4);
        let sum = self
            .generator
            .call("+", param, Expr::constant(Datum::Int4(number), Type::INT4));
        node.project = Some(vec![sum]);
        node
    }

    /// Keeps rows whose first column is not the parameter.
    pub fn filter_by_param(&mut self, node: &mut PlanNode, param: ParamId) {
        let param = Expr::new(ExprKind::Param(param), Type::INT4);
        node.filter = Some(self.generator.call("<>", Expr::slot(0, Type::INT4), param));
    }

    pub fn filter_by_flag(&mut self, node: &mut PlanNode, param: ParamId) {
        node.filter = Some(Expr::new(ExprKind::Param(param), Type::BOOL));
    }

    pub fn filter_less(&mut self, node: &mut PlanNode, column: usize, bound: i32) {
        let bound = Expr::constant(Datum::Int4(bound), Type::INT4);
        node.filter = Some(
            self.generator
                .call("<", Expr::slot(column, Type::INT4), bound),
        );
    }

    /// The first column, and 1 / (column − `zero_at`).
    pub fn project_quotient(&mut self, node: &mut PlanNode, column: usize, zero_at: i32) {
        let number = |value| Expr::constant(Datum::Int4(value), Type::INT4);
        let slot = Expr::slot(column, Type::INT4);
        let difference = self.generator.call("-", slot, number(zero_at));
        let quotient = self.generator.call("/", number(1), difference);
        node.project = Some(vec![Expr::slot(0, Type::INT4), quotient]);
        node.output.truncate(2);
    }

    /// Counts up from the first column of a node, without repetition.
    pub fn count_up_to(&mut self, mut first: PlanNode, bound: i32) -> PlanNode {
        first.project = Some(vec![Expr::slot(0, Type::INT4)]);
        first.output.truncate(1);
        let param = self.new_param();
        let mut again = self.generator.common_scan(param, NodeKind::WorkTableScan);
        again.output.truncate(1);
        self.filter_less(&mut again, 0, bound);
        let one = Expr::constant(Datum::Int4(1), Type::INT4);
        let next = self.generator.call("+", Expr::slot(0, Type::INT4), one);
        again.project = Some(vec![next]);
        let kind = NodeKind::RecursiveUnion { all: false, param };
        self.node(kind, vec![first, again], vec![Type::INT4])
    }

    /// Gives a nested loop over two single columns the condition that they are equal.
    pub fn loop_where_equal(&mut self, join: &mut PlanNode) {
        if let NodeKind::NestedLoop { join_filter, .. } = &mut join.kind {
            let (left, right) = (Expr::slot(0, Type::INT4), Expr::slot(1, Type::INT4));
            *join_filter = Some(self.generator.call("=", left, right));
        }
    }

    pub fn project_random(&mut self, node: &mut PlanNode) {
        let function = self.generator.function("random", &[]);
        let kind = ExprKind::Call {
            function,
            notation: Notation::Function,
            args: Vec::new(),
        };
        node.project = Some(vec![Expr::new(kind, Type::FLOAT8)]);
        node.output = vec![OutputColumn {
            label: Rc::from("random"),
            ty: Type::FLOAT8,
        }];
    }
}
