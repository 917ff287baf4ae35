//! Random tables, keys, demands and allowances against the definition of the keys.

use super::random::{BASES, Random, key, nullable};
use super::{EXACT_COUNTERS, Table, reference, shown};
use crate::am::{ScanCounters, ScanKey, ScanStep};
use crate::storage::INVALID_XID;
use crate::value::{Base, Batch, Datum, Type};
use crate::work::Work;

/// A table's visible rows in the order of their addresses.
pub struct Sample {
    pub table: Table,
    pub rows: Vec<Vec<Datum>>,
}

/// Where the interesting column stands: its position counted from 1, and whether a varlena comes before.
const PLACES: [(usize, bool); 5] = [(1, false), (4, false), (8, false), (15, false), (5, true)];

pub fn sample(random: &mut Random) -> Sample {
    let (position, behind_varlena) = random.pick(&PLACES);
    let mut columns: Vec<Type> = (1..position)
        .map(|_| Type::scalar(random.pick(&[Base::Int4, Base::Int2, Base::Bool, Base::Float8])))
        .collect();
    if behind_varlena {
        columns[1] = Type::TEXT;
    }
    columns.push(Type::scalar(random.pick(&BASES)));
    if random.percent(30) {
        columns.push(Type::scalar(random.pick(&BASES)));
    }
    let null_percent = random.pick(&[0, 0, 0, 10, 100]);
    let count = random.pick(&[0, 1, 5, 300, 900]);
    let mut all: Vec<Vec<Datum>> = Vec::new();
    for _ in 0..count {
        all.push(
            columns
                .iter()
                .map(|ty| nullable(random, ty.base, null_percent))
                .collect(),
        );
    }
    let mut table = Table::new(&columns);
    if random.percent(30) {
        let xid = table.transactions.begin();
        table
            .insert_as(xid, 0, &all[..count / 3])
            .expect("inserted");
        table.transactions.abort(xid);
    }
    table.insert(&all);
    let mut rows = all;
    if random.percent(40) {
        rows = delete_some(random, &mut table);
    }
    if random.percent(60) {
        table.vacuum();
    }
    // Rows of varying length fill holes in earlier pages, so the order is the scan's own.
    let found: Vec<Vec<Datum>> = table
        .rows_with_addresses()
        .into_iter()
        .map(|(_, row)| row)
        .collect();
    assert_eq!(sorted(&rows), sorted(&found));
    Sample { table, rows: found }
}

fn sorted(rows: &[Vec<Datum>]) -> Vec<String> {
    let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

/// Deletes a third of the rows, in a transaction that commits or not, and answers what is left.
fn delete_some(random: &mut Random, table: &mut Table) -> Vec<Vec<Datum>> {
    let found = table.rows_with_addresses();
    let commits = random.percent(70);
    let xid = table.transactions.begin();
    let relation = std::rc::Rc::clone(&table.relation);
    let mut left = Vec::new();
    for (tid, row) in found {
        if random.percent(33) {
            assert_eq!(relation.delete(&mut table.cx(xid, 0), tid), Ok(true));
            if !commits {
                left.push(row);
            }
        } else {
            left.push(row);
        }
    }
    if commits {
        table.transactions.commit(xid)
    } else {
        table.transactions.abort(xid)
    }
    left
}

/// Scans with the keys; answers the rows as text and the counters.
fn run(
    sample: &mut Sample,
    wanted: &[usize],
    keys: &[ScanKey],
    want: usize,
    allowance: u32,
) -> (Vec<String>, ScanCounters) {
    let types: Vec<Type> = wanted
        .iter()
        .map(|&column| sample.table.types()[column])
        .collect();
    let mut scan = sample.table.scan(wanted, false, true);
    sample.table.counters = ScanCounters::default();
    sample.table.work = Work::new(allowance);
    let (mut rows, mut out, mut asked) = (Vec::new(), Batch::default(), false);
    loop {
        out.reset(&types, want);
        let step = loop {
            match scan
                .next(&mut sample.table.cx(INVALID_XID, 0), &mut out)
                .expect("a sound table")
            {
                ScanStep::NeedKeys => {
                    assert!(!asked && sample.table.counters.visible == 0);
                    asked = true;
                    scan.set_keys(keys).expect("keys that are supported");
                }
                // A batch with a selection is not added to.
                ScanStep::Pause if out.len() == out.physical_rows() && !out.is_full() => {
                    sample.table.work.renew();
                }
                step => break step,
            }
        };
        assert!(out.len() <= want);
        rows.extend((0..out.len()).map(|row| shown(&out, row)));
        if step == ScanStep::End {
            return (rows, sample.table.counters);
        }
        assert!(!out.is_empty(), "a step without rows that is not the last");
        sample.table.work.renew();
    }
}

fn check(sample: &mut Sample, random: &mut Random, keys: &[ScanKey]) {
    let width = sample.table.types().len();
    let wanted: Vec<usize> = (0..random.below(width + 1))
        .map(|_| random.below(width))
        .collect();
    let mut expected = Batch::with_types(
        &wanted
            .iter()
            .map(|&column| sample.table.types()[column])
            .collect::<Vec<_>>(),
    );
    for row in sample
        .rows
        .iter()
        .filter(|row| reference::all_true(keys, row))
    {
        let row: Vec<Datum> = wanted.iter().map(|&column| row[column].clone()).collect();
        expected.push_row(&row);
    }
    let expected: Vec<String> = (0..expected.len())
        .map(|row| shown(&expected, row))
        .collect();
    let mut first = None;
    for (want, allowance) in [
        (1024, u32::MAX),
        (1, u32::MAX),
        (2, 1),
        (7, 3),
        (1024, 1),
        (1, 1),
        (600, 100),
    ] {
        let (rows, counters) = run(sample, &wanted, keys, want, allowance);
        let first_difference = rows.iter().zip(&expected).find(|(a, b)| a != b);
        assert_eq!(first_difference, None, "{keys:?}");
        assert_eq!(rows.len(), expected.len(), "{keys:?}");
        assert_eq!(
            *first.get_or_insert(counters),
            counters,
            "want {want}: {keys:?}"
        );
        if EXACT_COUNTERS {
            let pages = u64::from(sample.table.relation.size().pages);
            assert_eq!(counters.pages_read + counters.pages_skipped, pages);
        }
        assert_eq!(
            counters.removed_by_keys + rows.len() as u64,
            counters.visible
        );
        // A key that is true of no row at all ends the scan at the first visible tuple.
        if counters.visible > 0 || sample.rows.is_empty() {
            assert_eq!(counters.visible, sample.rows.len() as u64);
            let tests = sample
                .rows
                .iter()
                .map(|row| reference::tests_made(keys, row))
                .sum::<u64>();
            assert!(counters.key_evaluations <= tests, "{keys:?}");
            assert!(
                !EXACT_COUNTERS || counters.key_evaluations == tests,
                "{keys:?}"
            );
        }
    }
}

#[test]
fn keys_agree_with_their_definition() {
    let mut random = Random(20);
    for _ in 0..150 {
        let mut sample = sample(&mut random);
        let columns = sample.table.types();
        for _ in 0..12 {
            let keys: Vec<ScanKey> = (0..random.pick(&[0, 1, 1, 1, 2, 3]))
                .map(|_| key(&mut random, &columns, 0))
                .collect();
            check(&mut sample, &mut random, &keys);
        }
    }
}

#[test]
fn a_rescan_takes_other_keys_or_keeps_them() {
    let mut random = Random(9);
    let mut sample = sample(&mut random);
    while sample.rows.len() < 300 {
        sample = self::sample(&mut random);
    }
    let columns = sample.table.types();
    let mut scan = sample.table.scan(&[], true, true);
    let mut keys: Vec<ScanKey> = Vec::new();
    let mut ask = true;
    for round in 0..300 {
        match random.below(4) {
            0 => scan.rescan(None).expect("keeps"),
            1 => {
                keys = (0..random.below(4))
                    .map(|_| key(&mut random, &columns, 0))
                    .collect();
                scan.rescan(Some(&keys)).expect("replaces");
                ask = false;
            }
            _ => {
                scan.rescan_asking();
                ask = true;
            }
        }
        let mut found = 0;
        let mut out = Batch::default();
        for _ in 0..random.pick(&[2, 1000]) {
            out.reset(&[Type::INT8], 50);
            let step = scan
                .next(&mut sample.table.cx(INVALID_XID, 0), &mut out)
                .expect("rows");
            found += out.len();
            sample.table.work.renew();
            match step {
                ScanStep::NeedKeys => {
                    assert!(ask, "round {round}");
                    ask = false;
                    keys = (0..random.below(3))
                        .map(|_| key(&mut random, &columns, 0))
                        .collect();
                    scan.set_keys(&keys).expect("keys that are supported");
                }
                ScanStep::End => {
                    let expected = sample
                        .rows
                        .iter()
                        .filter(|row| reference::all_true(&keys, row))
                        .count();
                    assert_eq!(found, expected, "round {round}: {keys:?}");
                    break;
                }
                ScanStep::Rows | ScanStep::Pause => {}
            }
        }
    }
}
