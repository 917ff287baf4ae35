//! The property of the executor: a plan gives the same rows in the same order, and ends in the same
//! error after the same rows, under both drivers, at every batch size, however often it yields.
//!
//! Random plans run under all of them and against a naive evaluator. `TUPLESCOPE_PLANS=4000` runs
//! that many plans instead of the few of an ordinary test run.

mod generate;
mod join_edges;
mod laws;
mod operator_edges;
mod reference;
mod shared_rows;
mod show;
mod table;

use std::rc::Rc;

use crate::catalog::Table;
use crate::exec::{ExecCx, Execution, Flow};
use crate::instr::FakeClock;
use crate::memory::Memory;
use crate::plan::Plan;
use crate::settings::{Driver, Settings};
use crate::storage::{Snapshot, Transactions};
use crate::value::{Batch, Datum};
use crate::work::Work;

use reference::{Row, Stream};

/// Rows of each test table, and the row at which reading it fails; the failing one is the last.
const TABLES: [(usize, Option<usize>); 5] =
    [(0, None), (1, None), (7, None), (45, None), (30, Some(23))];
const COLUMNS: usize = 3;
const DRIVERS: [Driver; 2] = [Driver::Pull, Driver::Push];
const BATCH_SIZES: [usize; 5] = [1, 2, 3, 64, 1024];
const ALLOWANCES: [u32; 3] = [1, 3, Work::DEFAULT_ALLOWANCE];
/// Plans with more rows than this are left out: they only take time.
const MOST_ROWS: usize = 3000;
const PLANS: usize = 150;

fn table_rows(at: usize) -> Vec<Row> {
    (0..TABLES[at].0 as i64)
        .map(|i| {
            let null_or = |every: i64, value: i64| (i % every != every - 1).then_some(value);
            vec![null_or(11, i * 7 % 10), null_or(7, i * 13 % 6), Some(i)]
        })
        .collect()
}

fn test_table(at: usize) -> Rc<Table> {
    table::table(&format!("t{at}"), table_rows(at), COLUMNS, TABLES[at].1)
}

/// The rows of a test table by name, and where reading it fails.
fn rows_of(name: &str) -> (Vec<Row>, Option<usize>) {
    let at: usize = name[1..].parse().unwrap();
    (table_rows(at), TABLES[at].1)
}

fn context(driver: Driver, batch_rows: usize, allowance: u32) -> ExecCx {
    let mut settings = Settings::default();
    settings.set("batch_rows", &batch_rows.to_string()).unwrap();
    settings
        .set(
            "executor",
            if driver == Driver::Push {
                "push"
            } else {
                "pull"
            },
        )
        .unwrap();
    let snapshot = Snapshot { xid: 3, command: 0 };
    let memory = Memory::with_limit(1 << 30);
    let mut cx = ExecCx::new(
        &settings,
        &memory,
        snapshot,
        Rc::new(Transactions::default()),
    );
    cx.work = Work::new(allowance);
    cx
}

fn start(plan: &Rc<Plan>, driver: Driver, batch_rows: usize, allowance: u32) -> Execution {
    let clock = Rc::new(FakeClock::with_step(1));
    Execution::start(
        Rc::clone(plan),
        context(driver, batch_rows, allowance),
        clock,
    )
    .unwrap()
}

fn value(datum: &Datum) -> Option<i64> {
    match datum {
        Datum::Bool(value) => Some(i64::from(*value)),
        other => other.as_i64(),
    }
}

/// Runs to the end or the error.
fn finish(execution: &mut Execution) -> Stream {
    let (mut rows, mut out) = (Vec::new(), Batch::default());
    loop {
        match execution.resume(&mut out) {
            Ok(Flow::Yield) => {}
            Ok(Flow::End) => {
                return Stream {
                    rows,
                    failure: None,
                };
            }
            Ok(Flow::Rows) => {
                assert!(!out.is_empty());
                for row in out.rows().iter() {
                    rows.push(
                        out.columns
                            .iter()
                            .map(|column| value(&column.get(row)))
                            .collect(),
                    );
                }
            }
            Err(error) => {
                return Stream {
                    rows,
                    failure: Some(error.into_data().message),
                };
            }
        }
    }
}

#[test]
fn any_plan_gives_the_same_under_all_drivers_sizes_and_yields() {
    let plans = std::env::var("TUPLESCOPE_PLANS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(PLANS);
    let first = std::env::var("TUPLESCOPE_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1);
    let (mut made, mut failing, mut seed) = (0, 0, first);
    while made < plans {
        seed += 1;
        let seed = u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15);
        let plan = Rc::new(generate::plan(seed));
        let expected = reference::run(&plan);
        if expected.rows.len() > MOST_ROWS {
            continue;
        }
        made += 1;
        failing += usize::from(expected.failure.is_some());
        let mut pages_pulled = [0; BATCH_SIZES.len()];
        for driver in DRIVERS {
            for (size, batch_rows) in BATCH_SIZES.into_iter().enumerate() {
                for allowance in ALLOWANCES {
                    let mut execution = start(&plan, driver, batch_rows, allowance);
                    let got = finish(&mut execution);
                    let pages = laws::pages_read(&execution.report());
                    match driver {
                        Driver::Pull => pages_pulled[size] = pages,
                        Driver::Push => {
                            let allowed =
                                pages_pulled[size] + (batch_rows / table::ROWS_A_PAGE) as u64 + 1;
                            assert!(
                                pages <= allowed,
                                "seed {seed}: push reads {pages}, pull {allowed}"
                            );
                        }
                    }
                    assert!(
                        got == expected,
                        "seed {seed}: {driver:?}, batch_rows {batch_rows}, allowance {allowance}\n\
                         got {:?} after {} rows, expected {:?} after {} rows\n{}",
                        got.failure,
                        got.rows.len(),
                        expected.failure,
                        expected.rows.len(),
                        show::show(&plan),
                    );
                }
            }
        }
    }
    assert!(
        failing * 10 > made,
        "{failing} of {made} plans end in an error: too few"
    );
}
