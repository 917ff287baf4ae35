//! Plans made by hand, from the generator's parts.

use std::rc::Rc;

use super::joins::given;
use super::{Generator, Random};
use crate::am::KeySupport;
use crate::bind::{Expr, ExprKind, Notation, ParamId};
use crate::catalog::Catalog;
use crate::plan::{
    AggregateSpec, AggregateStrategy, DecidedBy, HashKey, JoinType, NodeKind, OutputColumn, Plan,
    PlanNode, PlannedKey, PlannedTest, SeqScan, SetTarget, SubPlan, SubPlanKind, SubPlanResult,
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
