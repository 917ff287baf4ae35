//! Nanoseconds a row of the heap scan alone, natively: mail 1's two cases, with the key in the access
//! method and without it, at a demand of 1 and of 1024 rows.
//!
//! `cargo run --release -p engine --example scan_speed [rows]`

use std::rc::Rc;
use std::time::Instant;

use engine::am::heap::Heap;
use engine::am::{AmCtx, Relation, RowShape, ScanCounters, ScanKey, ScanSpec, ScanStep, TableAm};
use engine::error::Result;
use engine::memory::Memory;
use engine::storage::{Snapshot, Transactions};
use engine::value::{Batch, Comparison, Datum, Type, Vector};
use engine::work::Work;

/// The fastest counts: whatever else the machine does only adds to a run.
const RUNS: usize = 15;

fn main() -> Result<()> {
    let rows: i32 = std::env::args()
        .nth(1)
        .and_then(|rows| rows.parse().ok())
        .unwrap_or(1_000_000);
    let memory = Memory::with_limit(u64::MAX);
    let shape = Rc::new(RowShape {
        columns: vec![Type::INT4],
        fill_factor: 100,
    });
    let table = Heap.create(shape, &memory);
    let mut transactions = Transactions::default();
    let started = Instant::now();
    load(&table, &mut transactions, rows)?;
    print("load", started, rows);
    let started = Instant::now();
    vacuum(&table, &transactions)?;
    print("vacuum", started, rows);
    let cases = [
        ("i = 50000", Comparison::Eq, 50_000),
        ("i >= 2", Comparison::Ge, 2),
    ];
    for (name, op, value) in cases {
        let key = [ScanKey::Compare {
            column: 0,
            op,
            value: Datum::Int4(value),
        }];
        for want in [1, 1024] {
            for keys in [&[][..], &key] {
                let label = if keys.is_empty() { "all rows" } else { "keyed" };
                let mut times = Vec::new();
                let mut found = 0;
                for _ in 0..RUNS {
                    let started = Instant::now();
                    found = count(&table, &transactions, keys, want)?;
                    times.push(started.elapsed().as_secs_f64());
                }
                let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
                let each = fastest * 1e9 / f64::from(rows);
                println!("{name:>10}  want {want:>4}  {label:>8}  {each:6.2} ns/row  {found} rows");
            }
        }
    }
    Ok(())
}

fn print(what: &str, started: Instant, rows: i32) {
    println!(
        "{what}: {:.1} ns/row",
        started.elapsed().as_secs_f64() * 1e9 / f64::from(rows)
    );
}

fn load(table: &Rc<dyn Relation>, transactions: &mut Transactions, rows: i32) -> Result<()> {
    let xid = transactions.begin();
    let mut batch = Batch::with_types(&[Type::INT4]);
    for start in (1..=rows).step_by(1024) {
        batch.reset(&[Type::INT4], 1024);
        let end = rows.min(start + 1023);
        if let Vector::Int4(values) = &mut batch.columns[0].data {
            values.extend(start..=end);
        }
        batch.set_physical_rows((end - start + 1) as usize);
        let mut cx = AmCtx {
            snapshot: Snapshot { xid, command: 0 },
            transactions,
            counters: &mut ScanCounters::default(),
            work: &mut Work::default(),
        };
        table.insert(&mut cx, &batch, batch.rows())?;
    }
    transactions.commit(xid);
    Ok(())
}

fn vacuum(table: &Rc<dyn Relation>, transactions: &Transactions) -> Result<()> {
    let mut cx = AmCtx {
        snapshot: Snapshot { xid: 0, command: 0 },
        transactions,
        counters: &mut ScanCounters::default(),
        work: &mut Work::new(u32::MAX),
    };
    table.vacuum(&mut cx, 0).map(|_| ())
}

fn count(
    table: &Rc<dyn Relation>,
    transactions: &Transactions,
    keys: &[ScanKey],
    want: usize,
) -> Result<u64> {
    let spec = ScanSpec {
        columns: vec![0],
        with_tid: false,
        has_keys: !keys.is_empty(),
    };
    let mut scan = Rc::clone(table).begin_scan(spec)?;
    let mut counters = ScanCounters::default();
    let mut work = Work::default();
    let mut out = Batch::default();
    let mut found = 0;
    loop {
        out.reset(&[Type::INT4], want);
        let mut cx = AmCtx {
            snapshot: Snapshot { xid: 0, command: 0 },
            transactions,
            counters: &mut counters,
            work: &mut work,
        };
        let step = scan.next(&mut cx, &mut out)?;
        found += out.len() as u64;
        match step {
            ScanStep::NeedKeys => scan.set_keys(keys)?,
            ScanStep::End => return Ok(found),
            ScanStep::Pause => work.renew(),
            ScanStep::Rows => {}
        }
    }
}
