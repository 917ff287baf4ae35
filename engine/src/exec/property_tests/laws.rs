//! The laws of the two drivers, each by plans made for it.

use std::rc::Rc;

use super::generate::Builder;
use super::{BATCH_SIZES, DRIVERS, context, finish, start};
use crate::exec::{Execution, Flow};
use crate::expr::Random;
use crate::instr::{FakeClock, Report};
use crate::plan::{AggregateStrategy, JoinType, NodeKind, Plan, PlanNode, SubPlanResult};
use crate::settings::{Driver, Timing};
use crate::value::{Batch, Type};
use crate::work::Work;

/// Runs to the end under one driver and answers the report.
fn report_of(plan: &Rc<Plan>, driver: Driver, batch_rows: usize) -> Report {
    let mut execution = start(plan, driver, batch_rows, Work::DEFAULT_ALLOWANCE);
    finish(&mut execution);
    execution.report()
}

pub fn pages_read(report: &Report) -> u64 {
    report
        .nodes
        .iter()
        .filter_map(|node| node.facts.scan)
        .map(|scan| scan.pages_read)
        .sum()
}

/// A node of every kind over one scan each of the 45-row table, streaming as far as the kind allows.
fn streaming_nodes(b: &mut Builder) -> Vec<PlanNode> {
    let mut nodes = Vec::new();
    nodes.push(b.scan(3));
    let scan = b.scan(3);
    nodes.push(b.over(scan, NodeKind::Material));
    let scan = b.scan(3);
    nodes.push(b.over(
        scan,
        NodeKind::Result {
            one_time_filter: None,
        },
    ));
    let scan = b.scan(3);
    nodes.push(b.over(scan, NodeKind::Unique { columns: vec![2] }));
    let scan = b.scan(3);
    nodes.push(b.over(
        scan,
        NodeKind::Limit {
            limit: None,
            offset: None,
        },
    ));
    let children = vec![b.scan(3), b.scan(3)];
    let types = children[0].types();
    nodes.push(b.node(NodeKind::Append, children, types));
    for kind in [JoinType::Inner, JoinType::Left] {
        let (outer, inner) = (b.scan(3), b.scan(2));
        nodes.push(b.hash_join(kind, outer, inner, 2));
        let (outer, inner) = (b.scan(3), b.scan(2));
        nodes.push(b.nested_loop(kind, outer, inner, Vec::new()));
    }
    let scan = b.scan(3);
    nodes.push(b.project_set(scan, 1, 3));
    nodes
}

#[test]
fn a_limit_stops_what_is_below_it_early() {
    let count = streaming_nodes(&mut Builder::default()).len();
    for at in 0..count {
        for driver in DRIVERS {
            for batch_rows in BATCH_SIZES {
                let mut b = Builder::default();
                let node = streaming_nodes(&mut b).swap_remove(at);
                let name = node.kind.name();
                let limit = b.limit(node, 1);
                let plan = Rc::new(b.plan(limit));
                let report = report_of(&plan, driver, batch_rows);
                assert!(
                    pages_read(&report) <= 2,
                    "{name}, {driver:?}, {batch_rows}: {}",
                    pages_read(&report)
                );
            }
        }
    }
}

#[test]
fn an_empty_input_gives_no_rows_but_one_to_a_plain_aggregate() {
    for driver in DRIVERS {
        let mut b = Builder::default();
        for (strategy, rows) in [
            (AggregateStrategy::Plain, 1),
            (AggregateStrategy::Hashed, 0),
            (AggregateStrategy::Sorted, 0),
        ] {
            let scan = b.scan(0);
            let node = b.count(scan, strategy);
            let plan = Rc::new(b.plan(node));
            assert_eq!(
                finish(&mut start(&plan, driver, 64, 3)).rows.len(),
                rows,
                "{strategy:?}"
            );
        }
        for kind in [JoinType::Inner, JoinType::Left] {
            let (outer, inner) = (b.scan(0), b.scan(3));
            let join = b.hash_join(kind, outer, inner, 2);
            let plan = Rc::new(b.plan(join));
            assert_eq!(finish(&mut start(&plan, driver, 64, 3)).rows.len(), 0);
            let (outer, inner) = (b.scan(3), b.scan(0));
            let join = b.hash_join(kind, outer, inner, 2);
            let plan = Rc::new(b.plan(join));
            let expected = if kind == JoinType::Left { 45 } else { 0 };
            assert_eq!(
                finish(&mut start(&plan, driver, 64, 3)).rows.len(),
                expected
            );
        }
    }
}

/// An inner join with an empty build side reads nothing of the probe side.
#[test]
fn an_empty_build_side_ends_an_inner_join() {
    for driver in DRIVERS {
        let mut b = Builder::default();
        let (outer, inner) = (b.scan(3), b.scan(0));
        let outer_id = outer.id;
        let join = b.hash_join(JoinType::Inner, outer, inner, 2);
        let report = report_of(&Rc::new(b.plan(join)), driver, 64);
        assert!(report.nodes[outer_id].never_executed());
    }
}

/// … and does so again when the table is kept for a rescan.
#[test]
fn an_empty_build_side_that_is_kept_ends_the_join_again() {
    for driver in DRIVERS {
        let mut b = Builder::default();
        let (probe, build) = (b.scan(3), b.scan(0));
        let probe_id = probe.id;
        let inner = b.hash_join(JoinType::Inner, probe, build, 2);
        let outer = b.scan(2);
        let join = b.nested_loop(JoinType::Left, outer, inner, Vec::new());
        let report = report_of(&Rc::new(b.plan(join)), driver, 64);
        assert!(report.nodes[probe_id].never_executed());
    }
}

/// An InitPlan is run by the first row that needs it: not at all over an empty table, where its
/// error is not raised either.
#[test]
fn an_init_plan_that_is_not_needed_never_runs() {
    for driver in DRIVERS {
        for (table, needed) in [(0, false), (1, true)] {
            let mut b = Builder::default();
            let failing = b.scan(4);
            let failing_id = failing.id;
            let param = b.init_plan(SubPlanResult::Scalar, failing);
            let mut scan = b.scan(table);
            b.filter_by_param(&mut scan, param);
            let plan = Rc::new(b.plan(scan));
            let mut execution = start(&plan, driver, 64, 1);
            let outcome = finish(&mut execution);
            assert_eq!(outcome.failure.is_some(), needed);
            assert_eq!(
                execution.report().nodes[failing_id].never_executed(),
                !needed
            );
        }
    }
}

/// EXISTS asks for one row, and runs once however many rows need its value.
#[test]
fn an_exists_reads_one_row_once() {
    for driver in DRIVERS {
        let mut b = Builder::default();
        let many = b.scan(3);
        let many_id = many.id;
        let param = b.init_plan(SubPlanResult::Exists, many);
        let mut scan = b.scan(3);
        b.filter_by_flag(&mut scan, param);
        let report = report_of(&Rc::new(b.plan(scan)), driver, 1024);
        let node = &report.nodes[many_id];
        assert_eq!((node.counters.rows_out, node.counters.loops), (1, 1));
    }
}

/// A producer below a nested loop's inner side that depends on the outer row runs again for each.
#[test]
fn a_producer_that_depends_on_an_outer_row_runs_for_each() {
    for driver in DRIVERS {
        for batch_rows in BATCH_SIZES {
            let mut b = Builder::default();
            let outer_value = b.new_param();
            let one_more = b.result_of_param_plus(outer_value, 1);
            let produced = b.init_plan(SubPlanResult::Scalar, one_more);
            let inner = b.result_of_param_plus(produced, 10);
            let outer = b.scan(2);
            let join = b.nested_loop(JoinType::Inner, outer, inner, vec![(outer_value, 2)]);
            let plan = Rc::new(b.plan(join));
            let rows = finish(&mut start(&plan, driver, batch_rows, 3)).rows;
            let last: Vec<_> = rows.iter().map(|row| row[3]).collect();
            assert_eq!(last, (0..7).map(|i| Some(i + 11)).collect::<Vec<_>>());
        }
    }
}

/// `random()` under LIMIT 10 is drawn ten times, in either driver, at any batch size.
#[test]
fn volatile_expressions_are_computed_for_no_row_beyond_the_demand() {
    let mut ten_drawn = Random::from_seed(5);
    (0..10).for_each(|_| {
        ten_drawn.fraction();
    });
    let next = ten_drawn.fraction();
    for driver in DRIVERS {
        for batch_rows in BATCH_SIZES {
            let mut b = Builder::default();
            let mut scan = b.scan(3);
            b.project_random(&mut scan);
            let limit = b.limit(scan, 10);
            let plan = Rc::new(b.plan(limit));
            let cx = context(driver, batch_rows, Work::DEFAULT_ALLOWANCE)
                .with_host(0, Random::from_seed(5));
            let clock = Rc::new(FakeClock::with_step(1));
            let mut execution = Execution::start(plan, cx, clock).unwrap();
            let mut out = Batch::default();
            while execution.resume(&mut out).unwrap() != Flow::End {}
            let mut after = execution.context().random.clone();
            assert_eq!(after.fraction(), next, "{driver:?} {batch_rows}");
        }
    }
}

/// A long computation comes back to the host every half allowance of work, wherever it is.
#[test]
fn long_work_is_left_often() {
    for driver in DRIVERS {
        for kind in ["sort", "hash", "loop", "aggregate"] {
            let mut b = Builder::default();
            let series = |b: &mut Builder| b.series(1, 3000);
            let node = match kind {
                "sort" => {
                    let rows = series(&mut b);
                    b.sort(rows, 0)
                }
                "hash" => {
                    let (outer, inner) = (series(&mut b), series(&mut b));
                    b.hash_join(JoinType::Left, outer, inner, 0)
                }
                "loop" => {
                    let (outer, inner) = (b.series(1, 50), b.series(1, 60));
                    b.nested_loop(JoinType::Inner, outer, inner, Vec::new())
                }
                _ => {
                    let rows = series(&mut b);
                    b.count(rows, AggregateStrategy::Hashed)
                }
            };
            let top = b.count(node, AggregateStrategy::Plain);
            let plan = Rc::new(b.plan(top));
            let mut execution = start(&plan, driver, 1024, 1000);
            let (mut out, mut yields) = (Batch::default(), 0);
            loop {
                match execution.resume(&mut out).unwrap() {
                    Flow::Yield => yields += 1,
                    Flow::Rows => {}
                    Flow::End => break,
                }
            }
            assert!(yields >= 5, "{kind} under {driver:?}: {yields} yields");
        }
    }
}

#[test]
fn progress_goes_up_with_the_source() {
    for driver in DRIVERS {
        for in_select_list in [false, true] {
            let mut b = Builder::default();
            let series = if in_select_list {
                let one_row = b.scan(1);
                b.project_set(one_row, 1, 10_000)
            } else {
                b.series(1, 10_000)
            };
            let top = b.count(series, AggregateStrategy::Plain);
            let plan = Rc::new(b.plan(top));
            let mut execution = start(&plan, driver, 64, 1000);
            let (mut out, mut before, mut seen) = (Batch::default(), 0.0, 0);
            while execution.resume(&mut out).unwrap() == Flow::Yield {
                if let Some(progress) = execution.progress() {
                    assert!((before..=1.0).contains(&progress));
                    before = progress;
                    seen += 1;
                }
            }
            assert!(
                seen > 3 && before > 0.5,
                "{driver:?}: {seen} times up to {before}"
            );
        }
    }
}

/// Every visible tuple is returned, removed by keys or removed by the filter.
#[test]
fn a_scan_accounts_for_every_visible_tuple() {
    for driver in DRIVERS {
        for batch_rows in BATCH_SIZES {
            let mut b = Builder::default();
            let mut scan = b.scan_with_key(3, 0, 4);
            b.filter_less(&mut scan, 2, 30);
            let id = scan.id;
            let report = report_of(&Rc::new(b.plan(scan)), driver, batch_rows);
            let node = &report.nodes[id];
            let counted = node.facts.scan.unwrap();
            assert_eq!(counted.visible, 45);
            assert_eq!(
                counted.visible,
                node.rows_out() + counted.removed_by_keys + node.facts.removed_by_filter
            );
            assert_eq!(
                node.facts.qual_evaluations,
                counted.visible - counted.removed_by_keys
            );
        }
    }
}

/// Times are of the node's own steps; what is telescoped adds up to all but the slices' last reads.
#[test]
fn own_times_add_up() {
    for driver in DRIVERS {
        let mut b = Builder::default();
        let scan = b.scan(3);
        let scan_id = scan.id;
        let top = b.count(scan, AggregateStrategy::Plain);
        let top_id = top.id;
        let plan = Rc::new(b.plan(top));
        let mut cx = context(driver, 1024, Work::DEFAULT_ALLOWANCE);
        cx.timing = Timing::Batch;
        let clock = Rc::new(FakeClock::with_step(7));
        let mut execution = Execution::start(plan, cx, clock).unwrap();
        let (mut out, mut slices) = (Batch::default(), 1);
        while execution.resume(&mut out).unwrap() != Flow::End {
            slices += 1;
        }
        let report = execution.report();
        let own: u64 = report.nodes.iter().map(|node| node.counters.own_ns).sum();
        assert_eq!(report.execution_ns, own + slices * 7);
        let steps: u64 = report.nodes.iter().map(|node| node.counters.steps).sum();
        assert_eq!(own, steps * 7);
        assert_eq!(report.nodes[top_id].inclusive_ns, own);
        assert!(
            report.nodes[top_id].counters.startup_ns >= report.nodes[scan_id].counters.startup_ns
        );
        assert_eq!(
            report.flat().len(),
            report.nodes.len() * crate::instr::COUNTER_NAMES.len()
        );
    }
}

/// A Material is filled once and replayed; the scan below it runs once.
#[test]
fn a_material_replays() {
    for driver in DRIVERS {
        for batch_rows in BATCH_SIZES {
            let mut b = Builder::default();
            let inner = b.scan(2);
            let inner_id = inner.id;
            let inner = b.over(inner, NodeKind::Material);
            let material_id = inner.id;
            let outer = b.scan(3);
            let join = b.nested_loop(JoinType::Inner, outer, inner, Vec::new());
            let report = report_of(&Rc::new(b.plan(join)), driver, batch_rows);
            assert_eq!(report.nodes[inner_id].counters.loops, 1);
            assert_eq!(report.nodes[inner_id].counters.rows_out, 7);
            assert_eq!(report.nodes[material_id].counters.loops, 45);
            assert_eq!(report.nodes[material_id].counters.rows_out, 45 * 7);
        }
    }
}

#[test]
fn memory_beyond_the_limit_is_an_error_and_given_back() {
    for driver in DRIVERS {
        let mut b = Builder::default();
        let series = b.series(1, 100_000);
        let sort = b.sort(series, 0);
        let plan = Rc::new(b.plan(sort));
        let mut cx = context(driver, 1024, Work::DEFAULT_ALLOWANCE);
        cx.memory = crate::memory::Memory::with_limit(1 << 16);
        let memory = cx.memory.clone();
        let clock = Rc::new(FakeClock::with_step(1));
        let mut execution = Execution::start(plan, cx, clock).unwrap();
        let mut out = Batch::default();
        let error = loop {
            match execution.resume(&mut out) {
                Ok(flow) => assert_eq!(flow, Flow::Yield),
                Err(error) => break error,
            }
        };
        assert_eq!(error.sqlstate, "53200");
        drop(execution);
        assert_eq!(memory.used(), 0);
    }
}

#[test]
fn pipelines_are_cut_at_builds() {
    let mut b = Builder::default();
    let (outer, inner) = (b.scan(3), b.scan(2));
    let (outer_id, inner_id) = (outer.id, inner.id);
    let join = b.hash_join(JoinType::Inner, outer, inner, 2);
    let join_id = join.id;
    let sort = b.sort(join, 0);
    let sort_id = sort.id;
    let plan = Rc::new(b.plan(sort));
    let report = report_of(&plan, Driver::Push, 64);
    let of = |id: usize| report.nodes[id].pipeline;
    assert_eq!(
        (
            of(inner_id),
            of(outer_id),
            of(join_id),
            of(sort_id),
            report.driver.pipelines
        ),
        (Some(1), Some(3), Some(3), Some(4), 4)
    );
    assert_eq!(report_of(&plan, Driver::Pull, 64).driver.pipelines, 0);
    assert_eq!(plan.root.types(), vec![Type::INT4; 6]);
}
