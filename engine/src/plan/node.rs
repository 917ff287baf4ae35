//! Plan nodes, in PostgreSQL's words. A plan is read by the executor and never consumed by it.
//!
//! A node is what EXPLAIN shows as one box: it produces rows, drops those that fail `filter` and
//! computes `project`. The executor may use several operators for one node; their counters add up.

use std::rc::Rc;

use super::join_type::JoinType;
use crate::am::KeySupport;
use crate::bind::{AggregateOrder, Expr, ParamId, SetOperation, SortKey};
use crate::catalog::{FunctionRef, OperatorRef, Table};
use crate::value::{BooleanTest, Comparison, Type};

/// A node's place in the plan, in EXPLAIN's order (parents first). InitPlans and SubPlans follow the main tree.
pub type NodeId = usize;

/// A whole plan.
#[derive(Debug)]
pub struct Plan {
    pub root: PlanNode,
    /// InitPlans and SubPlans; a SubPlan's number in EXPLAIN is its index + 1.
    pub subplans: Vec<SubPlan>,
    /// How many parameters the plan has.
    pub params: usize,
    /// How many nodes it has, those of sub-plans included.
    pub nodes: usize,
    /// The result's columns, by their names in the query.
    pub columns: Vec<OutputColumn>,
    /// EXPLAIN writes `t.i` above the scans, not `i`: more than one relation takes part.
    pub qualified: bool,
}

#[derive(Debug)]
pub struct SubPlan {
    pub kind: SubPlanKind,
    pub root: PlanNode,
    /// The node under which EXPLAIN prints it.
    pub parent: NodeId,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SubPlanKind {
    /// Uncorrelated: run once, lazily, by whoever first needs `param`.
    Init {
        result: SubPlanResult,
        param: ParamId,
    },
    /// A WITH query: run as far as its scans want rows. `param` stands for its rows.
    Common { name: Rc<str>, param: ParamId },
    /// Correlated: run by an Apply node for every row that needs it. `param` stands for its value in
    /// conditions that are only shown, never evaluated.
    Correlated { param: ParamId },
}

/// What a sub-select's rows come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubPlanResult {
    /// The one column of the one row; NULL for none; a second row is an error (21000).
    Scalar,
    /// True if there is a row; reads no more than one.
    Exists,
    /// All rows' one column as an array, of this element type.
    Array(Type),
}

#[derive(Debug)]
pub struct PlanNode {
    pub id: NodeId,
    pub kind: NodeKind,
    pub children: Vec<PlanNode>,
    /// Evaluated on the node's own rows (for a join: outer columns, then inner columns).
    pub filter: Option<Expr>,
    /// The output columns, computed from the node's own rows; `None`: they are the output.
    pub project: Option<Vec<Expr>>,
    pub output: Vec<OutputColumn>,
    pub estimate: Estimate,
}

/// An output column of a node.
#[derive(Clone, Debug)]
pub struct OutputColumn {
    /// The column's name: that of the table's column it shows, of the function it comes from, …
    pub label: Rc<str>,
    pub ty: Type,
}

/// The planner's expectation, in PostgreSQL's cost units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    pub startup_cost: f64,
    pub total_cost: f64,
    pub rows: f64,
    pub width: u32,
}

#[derive(Debug)]
pub enum NodeKind {
    /// One row from nothing, or the child's rows; none at all if the one-time filter is not true.
    Result {
        one_time_filter: Option<Expr>,
    },
    SeqScan(SeqScan),
    /// Rows of a set-returning function (a plain one gives one row). Its arguments hold no Slots.
    FunctionScan {
        alias: Rc<str>,
        /// What the function gives, before any projection.
        columns: Vec<OutputColumn>,
        function: FunctionRef,
        args: Vec<Expr>,
    },
    ValuesScan {
        alias: Rc<str>,
        rows: Vec<Vec<Expr>>,
    },
    /// The child's rows under a name; a barrier for quals that might leak if `barrier`.
    SubqueryScan {
        alias: Rc<str>,
        columns: Vec<Rc<str>>,
        barrier: bool,
    },
    /// Children: outer, inner. The inner side is run again for every outer row, with `params` set.
    NestedLoop {
        kind: JoinType,
        join_filter: Option<Expr>,
        params: Vec<(ParamId, usize)>,
    },
    /// Children: outer (probe), and a Hash over inner (build).
    HashJoin {
        kind: JoinType,
        keys: Vec<HashKey>,
        join_filter: Option<Expr>,
    },
    Hash,
    /// Children: outer, inner; both sorted by the keys.
    MergeJoin {
        kind: JoinType,
        keys: Vec<MergeKey>,
        join_filter: Option<Expr>,
    },
    /// Keeps its child's rows for rescans.
    Material,
    /// Keeps its child's rows by the values of these parameters, which the nested loop above sets.
    /// `bytes`: how much it may keep.
    Memoize {
        keys: Vec<Expr>,
        bytes: u64,
    },
    Aggregate {
        strategy: AggregateStrategy,
        groups: Vec<Expr>,
        aggregates: Vec<AggregateSpec>,
    },
    Sort {
        keys: Vec<SortKey>,
        bound: Option<SortBound>,
    },
    Limit {
        limit: Option<Expr>,
        offset: Option<Expr>,
    },
    /// Drops a row equal to the one before it, in these columns.
    Unique {
        columns: Vec<usize>,
    },
    Append,
    /// INTERSECT or EXCEPT. The child's last column says which side a row is of: 0 or 1.
    SetOp {
        operation: SetOperation,
        all: bool,
        strategy: AggregateStrategy,
    },
    CteScan(CommonScan),
    WorkTableScan(CommonScan),
    /// Children: the non-recursive part, and the recursive one, which is run again and again over the
    /// work table that `param` stands for. `all`: UNION ALL.
    RecursiveUnion {
        all: bool,
        param: ParamId,
    },
    /// A target list with set-returning functions. `project` is not used.
    ProjectSet {
        targets: Vec<SetTarget>,
    },
    /// Computes a correlated sub-select for the child's rows and appends its value as one more column.
    Apply(Apply),
    ModifyTable(Modify),
}

/// A scan of a WITH query's rows, or of a work table. Its own rows are all columns.
#[derive(Debug)]
pub struct CommonScan {
    pub alias: Rc<str>,
    /// The WITH query's.
    pub name: Rc<str>,
    pub columns: Vec<Rc<str>>,
    pub param: ParamId,
}

/// A sequential scan. Its own rows are `columns` of the table (and the Tid, if asked for).
#[derive(Debug)]
pub struct SeqScan {
    pub table: Rc<Table>,
    pub alias: Rc<str>,
    pub columns: Vec<usize>,
    /// The last own column is the row's Tid as bigint.
    pub with_tid: bool,
    pub keys: Vec<PlannedKey>,
    /// The executor evaluates these pushed conditions again (`quals_recheck = always`, inexact keys):
    /// they are part of the node's `filter` as well; this says how many and which.
    pub rechecked: usize,
    /// Conditions that stayed in `filter`, each with its reason.
    pub not_pushed: Vec<NotPushed>,
    /// What decided whether keys are made: the setting, or the table's option.
    pub decided_by: DecidedBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    Setting,
    TableOption,
}

/// A condition that becomes a ScanKey. Value expressions hold no Slots.
#[derive(Clone, Debug)]
pub struct PlannedKey {
    pub test: PlannedTest,
    pub support: KeySupport,
    /// The condition as EXPLAIN writes it; its Slots are the table's columns.
    pub qual: Expr,
}

/// Column numbers are the table's.
#[derive(Clone, Debug)]
pub enum PlannedTest {
    Compare {
        column: usize,
        op: Comparison,
        value: Expr,
    },
    Array {
        column: usize,
        op: Comparison,
        any: bool,
        array: Expr,
    },
    Null {
        column: usize,
        negated: bool,
    },
    Boolean {
        column: usize,
        test: BooleanTest,
    },
    Row {
        columns: Vec<usize>,
        op: Comparison,
        values: Vec<Expr>,
    },
    Prefix {
        column: usize,
        prefix: Rc<str>,
    },
    AnyOf(Vec<Vec<PlannedTest>>),
}

#[derive(Clone, Debug)]
pub struct NotPushed {
    /// Its Slots are the table's columns.
    pub qual: Expr,
    pub reason: NotPushedReason,
}

/// Why a condition stays with the executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotPushedReason {
    /// The operator's name.
    UserDefinedOperator(Rc<str>),
    /// The function's name, of an operator or of a call.
    NotLeakproof(Rc<str>),
    Volatile,
    ExpressionOnColumnSide,
    NotStrict(Rc<str>),
    CorrelatedSubselect,
    /// No comparison that an access method could make; the operator's name.
    OperatorNotSupported(Rc<str>),
    /// The access method does not test values of this type.
    TypeNotSupported {
        ty: Type,
        access_method: &'static str,
    },
    /// The access method does not test conditions of this form.
    FormNotSupported {
        access_method: &'static str,
    },
    PushDownOff(DecidedBy),
    /// Not of the form column-operator-value.
    NotSimple,
}

#[derive(Clone, Debug)]
pub struct HashKey {
    /// Over the outer child's columns.
    pub outer: Expr,
    /// Over the inner child's columns.
    pub inner: Expr,
    pub operator: OperatorRef,
}

/// An equality of the two sides of a merge join, and how both are sorted by it.
#[derive(Clone, Debug)]
pub struct MergeKey {
    /// Over the outer child's columns.
    pub outer: Expr,
    /// Over the inner child's columns.
    pub inner: Expr,
    pub operator: OperatorRef,
    pub descending: bool,
    pub nulls_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateStrategy {
    /// No GROUP BY: one row.
    Plain,
    Hashed,
    /// Input sorted by the groups.
    Sorted,
}

/// The node's own columns: the groups, then the aggregates.
#[derive(Clone, Debug)]
pub struct AggregateSpec {
    pub function: FunctionRef,
    pub args: Vec<Expr>,
    pub distinct: bool,
    pub order_by: Vec<AggregateOrder>,
    pub filter: Option<Expr>,
}

/// A Sort under a Limit needs to keep only this many rows.
#[derive(Clone, Debug)]
pub struct SortBound {
    pub limit: Expr,
    pub offset: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum SetTarget {
    Plain(Expr),
    Set {
        function: FunctionRef,
        args: Vec<Expr>,
    },
}

/// How a correlated sub-select is run for a row of the child.
#[derive(Clone, Debug)]
pub struct Apply {
    /// Index into [`Plan::subplans`].
    pub subplan: usize,
    pub result: ApplyResult,
    /// Parameters set from the child's columns before each run.
    pub params: Vec<(ParamId, Expr)>,
    /// Run only where this is true (from the AND, OR or CASE around it); the value is NULL elsewhere.
    pub guard: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum ApplyResult {
    Value(SubPlanResult),
    /// `test op ANY (rows)` with SQL's three values; `all` for ALL.
    Quantified {
        test: Vec<Expr>,
        operators: Vec<OperatorRef>,
        all: bool,
    },
}

/// INSERT, UPDATE or DELETE. Own rows: none (the command's count is the session's).
#[derive(Debug)]
pub struct Modify {
    pub table: Rc<Table>,
    pub alias: Rc<str>,
    pub operation: Operation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The child's columns are the row.
    Insert,
    /// The child's columns are the new row, then the Tid.
    Update,
    /// The child's one column is the Tid.
    Delete,
}

impl NodeKind {
    /// EXPLAIN's `Node Type`.
    pub fn name(&self) -> &'static str {
        match self {
            NodeKind::Result { .. } => "Result",
            NodeKind::SeqScan(_) => "Seq Scan",
            NodeKind::FunctionScan { .. } => "Function Scan",
            NodeKind::ValuesScan { .. } => "Values Scan",
            NodeKind::SubqueryScan { .. } => "Subquery Scan",
            NodeKind::NestedLoop { .. } => "Nested Loop",
            NodeKind::HashJoin { .. } => "Hash Join",
            NodeKind::Hash => "Hash",
            NodeKind::MergeJoin { .. } => "Merge Join",
            NodeKind::Material => "Materialize",
            NodeKind::Memoize { .. } => "Memoize",
            NodeKind::Aggregate { .. } => "Aggregate",
            NodeKind::Sort { .. } => "Sort",
            NodeKind::Limit { .. } => "Limit",
            NodeKind::Unique { .. } => "Unique",
            NodeKind::Append => "Append",
            NodeKind::CteScan(_) => "CTE Scan",
            NodeKind::WorkTableScan(_) => "WorkTable Scan",
            NodeKind::RecursiveUnion { .. } => "Recursive Union",
            NodeKind::SetOp { .. } => "SetOp",
            NodeKind::ProjectSet { .. } => "ProjectSet",
            NodeKind::Apply(_) => "Apply",
            NodeKind::ModifyTable(_) => "ModifyTable",
        }
    }
}

impl PlanNode {
    /// The types of the output columns.
    pub fn types(&self) -> Vec<Type> {
        self.output.iter().map(|column| column.ty).collect()
    }

    /// Shows `see` this node and all below it, parents first.
    pub fn each<'a>(&'a self, see: &mut impl FnMut(&'a PlanNode)) {
        see(self);
        for child in &self.children {
            child.each(see);
        }
    }
}
