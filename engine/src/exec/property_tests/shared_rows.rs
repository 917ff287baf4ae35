//! WITH queries: computed once, read lazily, shared; recursion.

use std::rc::Rc;

use super::generate::Builder;
use super::{BATCH_SIZES, DRIVERS, context, finish, start};
use crate::exec::{Execution, Flow};
use crate::instr::FakeClock;
use crate::memory::Memory;
use crate::plan::{AggregateStrategy, JoinType, Plan};
use crate::settings::Driver;
use crate::value::Batch;
use crate::work::Work;

fn each_configuration(test: impl Fn(Driver, usize, u32)) {
    for driver in DRIVERS {
        for batch_rows in BATCH_SIZES {
            for allowance in [1, Work::DEFAULT_ALLOWANCE] {
                test(driver, batch_rows, allowance);
            }
        }
    }
}

#[test]
fn a_query_under_a_limit_is_run_as_far_as_its_rows_are_wanted() {
    each_configuration(|driver, batch_rows, allowance| {
        let mut b = Builder::default();
        let series = b.series(1, 10_000);
        let series_id = series.id;
        let param = b.common(series);
        let scan = b.common_scan(param);
        let top = b.limit(scan, 2);
        let mut execution = start(&Rc::new(b.plan(top)), driver, batch_rows, allowance);
        assert_eq!(finish(&mut execution).rows, [[Some(1)], [Some(2)]]);
        let rows = execution.report().nodes[series_id].counters.rows_out;
        assert_eq!(rows, 2, "{driver:?}, {batch_rows}");
    });
}

#[test]
fn two_scans_share_one_run() {
    each_configuration(|driver, batch_rows, allowance| {
        let mut b = Builder::default();
        let scan = b.scan(3);
        let scan_id = scan.id;
        let param = b.common(scan);
        let (outer, inner) = (b.common_scan(param), b.common_scan(param));
        let join = b.nested_loop(JoinType::Inner, outer, inner, Vec::new());
        let top = b.count(join, AggregateStrategy::Plain);
        let mut execution = start(&Rc::new(b.plan(top)), driver, batch_rows, allowance);
        assert_eq!(finish(&mut execution).rows, [[Some(45 * 45)]]);
        let counters = execution.report().nodes[scan_id].counters;
        assert_eq!((counters.loops, counters.rows_out), (1, 45));
    });
}

#[test]
fn a_query_that_is_not_read_never_runs() {
    each_configuration(|driver, batch_rows, allowance| {
        let mut b = Builder::default();
        let failing = b.scan(4);
        let failing_id = failing.id;
        let param = b.common(failing);
        let (outer, inner) = (b.scan(0), b.common_scan(param));
        let join = b.nested_loop(JoinType::Inner, outer, inner, Vec::new());
        let mut execution = start(&Rc::new(b.plan(join)), driver, batch_rows, allowance);
        assert_eq!(finish(&mut execution).failure, None);
        assert!(execution.report().nodes[failing_id].never_executed());
    });
}

#[test]
fn a_recursion_without_an_end_ends_under_a_limit() {
    for all in [false, true] {
        each_configuration(|driver, batch_rows, allowance| {
            let mut b = Builder::default();
            let root = b.endless(all);
            let union_id = root.id;
            let param = b.common(root);
            let scan = b.common_scan(param);
            let top = b.limit(scan, 20);
            let mut execution = start(&Rc::new(b.plan(top)), driver, batch_rows, allowance);
            let rows = finish(&mut execution).rows;
            assert_eq!(rows, (0..20).map(|n| [Some(n)]).collect::<Vec<_>>());
            let union = execution.report().nodes[union_id].counters;
            assert_eq!(union.rows_out, 20);
        });
    }
}

fn endless(driver: Driver, memory: &Memory) -> Execution {
    let mut b = Builder::default();
    let root = b.endless(true);
    let param = b.common(root);
    let scan = b.common_scan(param);
    let top = b.count(scan, AggregateStrategy::Plain);
    let plan: Rc<Plan> = Rc::new(b.plan(top));
    let mut cx = context(driver, 64, 1000);
    cx.memory = memory.clone();
    Execution::start(plan, cx, Rc::new(FakeClock::with_step(1))).unwrap()
}

/// Whoever cancels drops the execution between two slices.
#[test]
fn an_endless_recursion_comes_back_to_the_host_and_leaves_nothing_when_it_is_dropped() {
    for driver in DRIVERS {
        let memory = Memory::with_limit(1 << 30);
        let mut execution = endless(driver, &memory);
        let mut out = Batch::default();
        for _ in 0..200 {
            assert_eq!(execution.resume(&mut out), Ok(Flow::Yield));
        }
        assert!(memory.used() > 0);
        drop(execution);
        assert_eq!(memory.used(), 0);
    }
}

#[test]
fn rows_beyond_the_memory_limit_are_an_error() {
    for driver in DRIVERS {
        let memory = Memory::with_limit(1 << 16);
        let mut execution = endless(driver, &memory);
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
