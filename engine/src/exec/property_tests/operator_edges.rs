//! Every operator but the joins at its edges: empty input, NULLs, duplicates, an early stop, rescans, an
//! error in the middle of its input.

use std::rc::Rc;

use super::generate::Builder;
use super::laws::pages_read;
use super::{DRIVERS, finish, reference, start, table};
use crate::bind::{Expr, ExprKind, SetOperation};
use crate::exec::Flow;
use crate::plan::{AggregateStrategy, JoinType, NodeKind, PlanNode, SortBound};
use crate::settings::Driver;
use crate::value::{Batch, Datum, Type};
use crate::work::Work;

/// An operator over scans of one table, or of it and another.
type Subject = fn(&mut Builder, usize) -> PlanNode;

const SUBJECTS: &[(&str, Subject)] = &[
    ("Seq Scan", |b, t| b.scan(t)),
    ("Seq Scan with a key", |b, t| b.scan_with_key(t, 0, 3)),
    ("Material", |b, t| {
        let scan = b.scan(t);
        b.over(scan, NodeKind::Material)
    }),
    ("Result", |b, t| {
        let scan = b.scan(t);
        let kind = NodeKind::Result {
            one_time_filter: None,
        };
        b.over(scan, kind)
    }),
    ("Sort", |b, t| {
        let scan = b.scan(t);
        b.sort(scan, 0)
    }),
    ("top-N Sort", |b, t| {
        let scan = b.scan(t);
        let mut sort = b.sort(scan, 1);
        if let NodeKind::Sort { bound, .. } = &mut sort.kind {
            *bound = Some(SortBound {
                limit: Expr::constant(Datum::Int8(7), Type::INT8),
                offset: None,
            });
        }
        b.limit(sort, 7)
    }),
    ("Limit", |b, t| {
        let scan = b.scan(t);
        b.limit(scan, 9)
    }),
    ("Unique", |b, t| {
        let scan = b.scan(t);
        let sort = b.sort(scan, 0);
        b.over(sort, NodeKind::Unique { columns: vec![0] })
    }),
    ("plain Aggregate", |b, t| {
        let scan = b.scan(t);
        b.sums(scan, AggregateStrategy::Plain)
    }),
    ("hashed Aggregate", |b, t| {
        let scan = b.scan(t);
        b.sums(scan, AggregateStrategy::Hashed)
    }),
    ("sorted Aggregate", |b, t| {
        let scan = b.scan(t);
        b.sums(scan, AggregateStrategy::Sorted)
    }),
    ("Append", |b, t| {
        let scans = vec![b.scan(t), b.scan(2), b.scan(t)];
        b.node(NodeKind::Append, scans, vec![Type::INT4; 3])
    }),
    ("INTERSECT, hashed", |b, t| {
        set_op(
            b,
            t,
            SetOperation::Intersect,
            false,
            AggregateStrategy::Hashed,
        )
    }),
    ("INTERSECT ALL, sorted", |b, t| {
        set_op(
            b,
            t,
            SetOperation::Intersect,
            true,
            AggregateStrategy::Sorted,
        )
    }),
    ("EXCEPT, sorted", |b, t| {
        set_op(b, t, SetOperation::Except, false, AggregateStrategy::Sorted)
    }),
    ("EXCEPT ALL, hashed", |b, t| {
        set_op(b, t, SetOperation::Except, true, AggregateStrategy::Hashed)
    }),
    ("ProjectSet", |b, t| {
        let scan = b.scan(t);
        b.project_set(scan, 1, 3)
    }),
    ("Apply", |b, t| {
        let (rows, inner) = (b.scan(t), b.scan(3));
        b.apply_exists(rows, inner)
    }),
    ("Apply over many", |b, t| {
        let (rows, inner) = (b.scan(3), b.scan(t));
        b.apply_exists(rows, inner)
    }),
    ("Memoize", |b, t| {
        let (outer, inner) = (b.scan(3), b.scan(t));
        b.memoized_loop(JoinType::Left, outer, inner, 1 << 20)
    }),
    ("Memoize of few bytes", |b, t| {
        let (outer, inner) = (b.scan(t), b.scan(3));
        b.memoized_loop(JoinType::Inner, outer, inner, 400)
    }),
    ("Memoize, left early", |b, t| {
        let (outer, inner) = (b.scan(3), b.scan(t));
        b.memoized_loop(JoinType::Semi, outer, inner, 1 << 20)
    }),
    ("CTE Scan", |b, t| {
        let mut scan = b.scan(t);
        scan.project = Some(vec![Expr::slot(0, Type::INT4)]);
        scan.output.truncate(1);
        let param = b.common(scan);
        let scans = vec![b.common_scan(param), b.common_scan(param)];
        b.node(NodeKind::Append, scans, vec![Type::INT4])
    }),
    ("Recursive Union", |b, t| {
        let scan = b.scan(t);
        b.count_up_to(scan, 12)
    }),
];

fn set_op(
    b: &mut Builder,
    table: usize,
    operation: SetOperation,
    all: bool,
    strategy: AggregateStrategy,
) -> PlanNode {
    let sides = [b.scan(table), b.scan(2)];
    b.set_op((operation, all, strategy), sides)
}

/// What the operator stands in.
#[derive(Clone, Copy, Debug)]
enum Frame {
    Nothing,
    /// A LIMIT that is met early.
    Limit,
    /// A nested loop that runs it again for each outer row.
    Loop,
    /// The same, left after the first rows of each run.
    StoppedLoop,
}

fn framed(b: &mut Builder, node: PlanNode, frame: Frame) -> PlanNode {
    match frame {
        Frame::Nothing => node,
        Frame::Limit => b.limit(node, 4),
        Frame::Loop | Frame::StoppedLoop => {
            let outer = b.series(1, 3);
            let inner = match frame {
                Frame::StoppedLoop => b.limit(node, 2),
                _ => node,
            };
            b.nested_loop(JoinType::Inner, outer, inner, Vec::new())
        }
    }
}

/// Against the naive evaluator; an error comes behind the rows before it. Push reads no more pages than
/// pull and one batch.
#[test]
fn every_operator_meets_every_edge() {
    for (name, subject) in SUBJECTS {
        // Empty, one row, NULLs and duplicates, broken in the middle.
        for table in [0, 1, 3, 4] {
            for frame in [
                Frame::Nothing,
                Frame::Limit,
                Frame::Loop,
                Frame::StoppedLoop,
            ] {
                let mut b = Builder::default();
                let node = subject(&mut b, table);
                let root = framed(&mut b, node, frame);
                let plan = Rc::new(b.plan(root));
                let expected = reference::run(&plan);
                for batch_rows in [1, 2, 7, 1024] {
                    let mut pulled = 0;
                    for driver in DRIVERS {
                        for allowance in [1, Work::DEFAULT_ALLOWANCE] {
                            let mut execution = start(&plan, driver, batch_rows, allowance);
                            let got = finish(&mut execution);
                            let at = format!(
                                "{name} over table {table} in {frame:?}, {driver:?}, batch_rows \
                                 {batch_rows}, allowance {allowance}"
                            );
                            assert_eq!(got, expected, "{at}");
                            let pages = pages_read(&execution.report());
                            match driver {
                                Driver::Pull => pulled = pages,
                                Driver::Push => {
                                    let batch = (batch_rows / table::ROWS_A_PAGE) as u64 + 1;
                                    assert!(pages <= pulled + batch, "{at}: {pages}, {pulled}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A value fails in the middle of a batch: the rows before it are there, whatever is above.
#[test]
fn an_error_comes_behind_the_rows_before_it() {
    for driver in DRIVERS {
        for batch_rows in [1, 5, 7, 1024] {
            let mut b = Builder::default();
            let mut scan = b.scan(3);
            b.project_quotient(&mut scan, 2, 17);
            let over = b.over(scan, NodeKind::Material);
            let flag = Expr::new(ExprKind::Const(Datum::Bool(true)), Type::BOOL);
            let kind = NodeKind::Result {
                one_time_filter: Some(flag),
            };
            let top = b.over(over, kind);
            let plan = Rc::new(b.plan(top));
            let got = finish(&mut start(
                &plan,
                driver,
                batch_rows,
                Work::DEFAULT_ALLOWANCE,
            ));
            assert_eq!(got.rows.len(), 17);
            assert_eq!(got.failure.as_deref(), Some("division by zero"));
        }
    }
}

/// The work is cut into as many slices as it is worth, and no slice has more steps than the allowance pays
/// for: a cancel waits for no whole sort, build, inner side or sub-select.
#[test]
fn no_slice_does_more_than_its_allowance() {
    const ALLOWANCE: u32 = 1000;
    type Heavy = fn(&mut Builder) -> PlanNode;
    // Each with how many rows it handles at least, in its own loops.
    let heavy: &[(&str, u64, Heavy)] = &[
        ("nested loop", 90_000, |b| {
            let (outer, inner) = (b.series(1, 300), b.series(1, 300));
            b.nested_loop(JoinType::Inner, outer, inner, Vec::new())
        }),
        ("nested loop without a match", 90_000, |b| {
            let (outer, inner) = (b.series(1, 300), b.series(301, 600));
            let mut join = b.nested_loop(JoinType::Semi, outer, inner, Vec::new());
            b.loop_where_equal(&mut join);
            join
        }),
        ("sort", 20_000, |b| {
            let rows = b.series(1, 20_000);
            b.sort(rows, 0)
        }),
        ("hashed aggregate", 20_000, |b| {
            let rows = b.series(1, 20_000);
            b.count(rows, AggregateStrategy::Hashed)
        }),
        ("hash build", 20_000, |b| {
            let (outer, inner) = (b.series(1, 1), b.series(1, 20_000));
            b.hash_join(JoinType::Inner, outer, inner, 0)
        }),
        ("correlated sub-select", 20_000, |b| {
            let (rows, inner) = (b.series(1, 100), b.series(-200, 0));
            b.apply_exists(rows, inner)
        }),
    ];
    for (name, least, build) in heavy {
        for driver in DRIVERS {
            for batch_rows in [1, 1024] {
                let mut b = Builder::default();
                let node = build(&mut b);
                let top = b.count(node, AggregateStrategy::Plain);
                let plan = Rc::new(b.plan(top));
                let mut execution = start(&plan, driver, batch_rows, ALLOWANCE);
                let mut out = Batch::default();
                let (mut before, mut slices) = (0, 0_u64);
                while execution.resume(&mut out).unwrap() != Flow::End {
                    slices += 1;
                    let nodes = &execution.report().nodes;
                    let steps: u64 = nodes.iter().map(|node| node.counters.steps).sum();
                    assert!(
                        steps - before <= u64::from(ALLOWANCE),
                        "{name}, {driver:?}, {batch_rows}: {} steps in a slice",
                        steps - before
                    );
                    before = steps;
                }
                assert!(
                    slices >= least / u64::from(ALLOWANCE),
                    "{name}, {driver:?}, {batch_rows}: {slices} slices"
                );
            }
        }
    }
}

/// Column 0 of the 45 rows has ten values and NULL: each is looked for once, then found, unless there is no
/// room for it.
#[test]
fn a_memoize_counts_what_it_finds() {
    for driver in DRIVERS {
        for batch_rows in [1, 7, 1024] {
            let facts = |bytes| {
                let mut b = Builder::default();
                let (outer, inner) = (b.scan(3), b.scan(3));
                let join = b.memoized_loop(JoinType::Inner, outer, inner, bytes);
                let mut execution = start(&Rc::new(b.plan(join)), driver, batch_rows, 1);
                finish(&mut execution);
                let report = execution.report();
                let memoize = report.nodes.iter().find_map(|node| {
                    let facts = node.facts.memoize?;
                    assert!(node.facts.peak_memory <= bytes);
                    Some(facts)
                });
                memoize.unwrap()
            };
            let all = facts(1 << 20);
            assert_eq!((all.misses, all.hits), (11, 34));
            assert_eq!((all.evictions, all.overflows), (0, 0));
            let few = facts(700);
            assert!(few.misses > 11 && few.evictions > 0);
            assert_eq!((few.misses + few.hits, few.overflows), (45, 0));
            let none = facts(60);
            assert_eq!(none.hits + none.misses, 45);
            assert!(none.overflows > 30, "{none:?}");
        }
    }
}
