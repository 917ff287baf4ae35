//! What a hand-over costs: scan, filter, filter, hash join, count, under both drivers.
//!
//! `cargo run --release -p engine --example protocol_speed`
//!
//! Runs are interleaved (pull, push, push, pull …) and the medians are printed, with the spread of
//! pull against pull as the floor below which a difference means nothing.

use std::rc::Rc;
use std::time::Instant;

use engine::am::{
    AmCtx, KeyShape, KeySupport, PagesDone, Relation, RelationSize, RowShape, ScanKey, ScanSpec,
    ScanStep, TableAm, TableScan, Tid,
};
use engine::bind::{Expr, ExprKind, Notation};
use engine::catalog::{Catalog, ColumnDef, Resolution, Table, TableOptions};
use engine::error::{Error, Result};
use engine::exec::{ExecCx, Execution, Flow};
use engine::instr::FakeClock;
use engine::memory::Memory;
use engine::plan::{
    AggregateSpec, AggregateStrategy, DecidedBy, Estimate, HashKey, JoinType, NodeKind,
    OutputColumn, Plan, PlanNode, SeqScan,
};
use engine::settings::Settings;
use engine::storage::{Snapshot, Transactions};
use engine::value::{Batch, Datum, Rows, Type, Vector};

const PAIRS: usize = 9;

/// Rows `(i % 2, i % 5, i % 1000)`, made up as they are read: the cheapest scan there is.
struct Numbers {
    shape: Rc<RowShape>,
    rows: i32,
}

struct NumbersScan {
    rows: i32,
    next: i32,
}

struct NumbersAm;

impl TableAm for NumbersAm {
    fn name(&self) -> &'static str {
        "numbers"
    }
    fn key_support(&self, _key: &KeyShape) -> KeySupport {
        KeySupport::No
    }
    fn create(&self, shape: Rc<RowShape>, _memory: &Memory) -> Rc<dyn Relation> {
        Rc::new(Numbers { shape, rows: 0 })
    }
}

impl Relation for Numbers {
    fn shape(&self) -> &Rc<RowShape> {
        &self.shape
    }
    fn begin_scan(self: Rc<Self>, _spec: ScanSpec) -> Result<Box<dyn TableScan>> {
        Ok(Box::new(NumbersScan {
            rows: self.rows,
            next: 0,
        }))
    }
    fn insert(&self, _cx: &mut AmCtx<'_>, _batch: &Batch, _rows: Rows<'_>) -> Result<()> {
        Err(Error::unsupported("INSERT"))
    }
    fn delete(&self, _cx: &mut AmCtx<'_>, _tid: Tid) -> Result<bool> {
        Err(Error::unsupported("DELETE"))
    }
    fn update(&self, _cx: &mut AmCtx<'_>, _tid: Tid, _batch: &Batch, _row: usize) -> Result<bool> {
        Err(Error::unsupported("UPDATE"))
    }
    fn fetch(
        &self,
        _cx: &mut AmCtx<'_>,
        _tid: Tid,
        _columns: &[usize],
        _out: &mut Batch,
    ) -> Result<bool> {
        Ok(false)
    }
    fn settle(&self, _transactions: &Transactions) {}
    fn vacuum(&self, _cx: &mut AmCtx<'_>, _from: u32) -> Result<Option<u32>> {
        Ok(None)
    }
    fn size(&self) -> RelationSize {
        RelationSize {
            pages: 1,
            rows: self.rows as u64,
            bytes: 8192,
        }
    }
}

impl TableScan for NumbersScan {
    fn next(&mut self, cx: &mut AmCtx<'_>, out: &mut Batch) -> Result<ScanStep> {
        let n = (out.room() as i32).min(self.rows - self.next);
        let columns = &mut out.columns;
        for (column, modulus) in columns.iter_mut().zip([2, 5, 1000]) {
            if let Vector::Int4(values) = &mut column.data {
                values.extend((self.next..self.next + n).map(|i| i % modulus));
            }
        }
        let rows = out.physical_rows() + n as usize;
        out.set_physical_rows(rows);
        self.next += n;
        cx.work.spend(n as u32);
        Ok(if self.next == self.rows {
            ScanStep::End
        } else {
            ScanStep::Rows
        })
    }
    fn set_keys(&mut self, _keys: &[ScanKey]) -> Result<()> {
        Ok(())
    }
    fn rescan(&mut self, _keys: Option<&[ScanKey]>) -> Result<()> {
        self.next = 0;
        Ok(())
    }
    fn rescan_asking(&mut self) {
        self.next = 0;
    }
    fn progress(&self) -> PagesDone {
        PagesDone { done: 0, total: 1 }
    }
}

fn table(rows: i32) -> Rc<Table> {
    let column = |name: &str| ColumnDef {
        name: Rc::from(name),
        ty: Type::INT4,
        typmod: -1,
        not_null: true,
        default: None,
    };
    let shape = Rc::new(RowShape {
        columns: vec![Type::INT4; 3],
        fill_factor: 100,
    });
    Rc::new(Table {
        oid: 1,
        name: Rc::from("numbers"),
        columns: vec![column("a"), column("b"), column("c")],
        am: Rc::new(NumbersAm),
        options: TableOptions::default(),
        statistics: None,
        storage: Rc::new(Numbers { shape, rows }),
    })
}

struct Planner {
    catalog: Catalog,
    nodes: usize,
}

impl Planner {
    fn node(&mut self, kind: NodeKind, children: Vec<PlanNode>, types: &[Type]) -> PlanNode {
        self.nodes += 1;
        PlanNode {
            id: self.nodes - 1,
            kind,
            children,
            filter: None,
            project: None,
            output: types
                .iter()
                .map(|&ty| OutputColumn {
                    label: Rc::from("c"),
                    ty,
                })
                .collect(),
            estimate: Estimate::default(),
        }
    }

    fn scan(&mut self, rows: i32) -> PlanNode {
        let table = table(rows);
        let scan = SeqScan {
            alias: Rc::clone(&table.name),
            table,
            columns: vec![0, 1, 2],
            with_tid: false,
            keys: Vec::new(),
            rechecked: 0,
            not_pushed: Vec::new(),
            decided_by: DecidedBy::Setting,
        };
        self.node(NodeKind::SeqScan(scan), Vec::new(), &[Type::INT4; 3])
    }

    /// A node of its own that keeps rows with a zero in a column.
    fn filter(&mut self, child: PlanNode, column: usize) -> PlanNode {
        let Resolution::Found(equal) =
            self.catalog
                .resolve_operator("=", Some(Type::INT4), Type::INT4)
        else {
            panic!("integers have an equality");
        };
        let kind = NodeKind::SubqueryScan {
            alias: Rc::from("s"),
            columns: Vec::new(),
            barrier: true,
        };
        let mut node = self.node(kind, vec![child], &[Type::INT4; 3]);
        node.filter = Some(Expr::new(
            ExprKind::Call {
                function: Rc::clone(&equal.function),
                notation: Notation::Operator(equal),
                args: vec![
                    Expr::slot(column, Type::INT4),
                    Expr::constant(Datum::Int4(0), Type::INT4),
                ],
            },
            Type::BOOL,
        ));
        node
    }

    fn plan(mut self, rows: i32) -> Plan {
        let big = self.scan(rows);
        let big = self.filter(big, 0);
        let big = self.filter(big, 1);
        let small = self.scan(100);
        let hash = self.node(NodeKind::Hash, vec![small], &[Type::INT4; 3]);
        let Resolution::Found(operator) =
            self.catalog
                .resolve_operator("=", Some(Type::INT4), Type::INT4)
        else {
            panic!("integers have an equality");
        };
        let key = HashKey {
            outer: Expr::slot(2, Type::INT4),
            inner: Expr::slot(2, Type::INT4),
            operator,
        };
        let kind = NodeKind::HashJoin {
            kind: JoinType::Inner,
            keys: vec![key],
            join_filter: None,
        };
        let join = self.node(kind, vec![big, hash], &[Type::INT4; 6]);
        let Resolution::Found(count) = self.catalog.resolve_function("count", &[]) else {
            panic!("there is a count(*)");
        };
        let call = AggregateSpec {
            function: count,
            args: Vec::new(),
            distinct: false,
            order_by: Vec::new(),
            filter: None,
        };
        let kind = NodeKind::Aggregate {
            strategy: AggregateStrategy::Plain,
            groups: Vec::new(),
            aggregates: vec![call],
        };
        let root = self.node(kind, vec![join], &[Type::INT8]);
        Plan {
            columns: root.output.clone(),
            root,
            subplans: Vec::new(),
            params: 0,
            nodes: self.nodes,
            qualified: false,
        }
    }
}

/// Nanoseconds of one run.
fn run(plan: &Rc<Plan>, executor: &str, batch_rows: usize) -> f64 {
    let mut settings = Settings::default();
    settings.set("executor", executor).unwrap();
    settings.set("batch_rows", &batch_rows.to_string()).unwrap();
    settings.set("explain_timing", "off").unwrap();
    let snapshot = Snapshot { xid: 3, command: 0 };
    let cx = ExecCx::new(
        &settings,
        &Memory::with_limit(1 << 30),
        snapshot,
        Rc::new(Transactions::default()),
    );
    let mut execution =
        Execution::start(Rc::clone(plan), cx, Rc::new(FakeClock::with_step(1))).unwrap();
    let mut out = Batch::default();
    let moment = Instant::now();
    let start = now_ns(moment);
    loop {
        match execution.resume(&mut out).unwrap() {
            Flow::End => return now_ns(moment) - start,
            Flow::Rows | Flow::Yield => {}
        }
    }
}

/// Nanoseconds on the processor where the system tells (other processes then disturb less), else
/// since some moment.
fn now_ns(since: Instant) -> f64 {
    let on_processor = std::fs::read_to_string("/proc/self/schedstat").ok();
    let first = on_processor
        .as_deref()
        .and_then(|text| text.split(' ').next()?.parse().ok());
    first.unwrap_or_else(|| since.elapsed().as_nanos() as f64)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    println!(
        "{:>10} {:>10} {:>10} {:>9} {:>9}",
        "batch_rows", "pull ns", "push ns", "push is", "floor"
    );
    for (batch_rows, rows) in [
        (1, 1_000_000),
        (16, 2_000_000),
        (64, 4_000_000),
        (1024, 8_000_000),
    ] {
        let plan = Rc::new(
            Planner {
                catalog: Catalog::new(Vec::new()),
                nodes: 0,
            }
            .plan(rows),
        );
        run(&plan, "pull", batch_rows);
        run(&plan, "push", batch_rows);
        let (mut pull, mut push, mut again) = (Vec::new(), Vec::new(), Vec::new());
        for pair in 0..PAIRS {
            if pair % 2 == 0 {
                pull.push(run(&plan, "pull", batch_rows));
                push.push(run(&plan, "push", batch_rows));
            } else {
                push.push(run(&plan, "push", batch_rows));
                pull.push(run(&plan, "pull", batch_rows));
            }
            again.push(run(&plan, "pull", batch_rows));
        }
        let (pull, push, again) = (median(&mut pull), median(&mut push), median(&mut again));
        let ns = |total: f64| total / f64::from(rows);
        println!(
            "{batch_rows:>10} {:>10.1} {:>10.1} {:>8.1}% {:>8.1}%",
            ns(pull),
            ns(push),
            (pull - push) / push * 100.0,
            (pull - again).abs() / again * 100.0,
        );
    }
}
