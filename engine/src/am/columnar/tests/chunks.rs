//! Chunks: what their summaries save, and what changes do to them.

use super::{Table, ints};
use crate::am::columnar::chunk::CHUNK_ROWS;
use crate::am::{ScanKey, ScanStep};
use crate::storage::INVALID_XID;
use crate::value::{Batch, Comparison, Datum, Type};

const ROWS: i32 = 3 * CHUNK_ROWS as i32 + 100;

fn table() -> Table {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..ROWS));
    table
}

fn compare(op: Comparison, value: i32) -> ScanKey {
    ScanKey::Compare {
        column: 0,
        op,
        value: Datum::Int4(value),
    }
}

/// How many rows pass the key.
fn count(table: &mut Table, key: &ScanKey) -> usize {
    table.counters = Default::default();
    let mut scan = table.scan(&[0], false, true);
    let (mut rows, mut out) = (0, Batch::default());
    loop {
        out.reset(&[Type::INT4], 1000);
        let step = scan
            .next(&mut table.cx(INVALID_XID, 0), &mut out)
            .expect("rows");
        rows += out.len();
        table.work.renew();
        match step {
            ScanStep::NeedKeys => scan.set_keys(std::slice::from_ref(key)).expect("set"),
            ScanStep::Rows | ScanStep::Pause => {}
            ScanStep::End => return rows,
        }
    }
}

#[test]
fn a_chunk_without_a_row_that_passes_is_not_read() {
    let mut table = table();
    assert_eq!(count(&mut table, &compare(Comparison::Eq, 9000)), 1);
    let counters = table.counters;
    // One chunk holds it; the open one, of which nothing is known, is tested too.
    assert_eq!(counters.key_evaluations, CHUNK_ROWS as u64 + 100);
    assert!(counters.pages_skipped > 0 && counters.pages_read > 0);
    assert_eq!(counters.visible, ROWS as u64);
    assert_eq!(counters.removed_by_keys, ROWS as u64 - 1);
}

#[test]
fn a_chunk_of_which_every_row_passes_is_not_tested() {
    let mut table = table();
    assert_eq!(
        count(&mut table, &compare(Comparison::Ge, 10)),
        ROWS as usize - 10
    );
    assert_eq!(table.counters.key_evaluations, CHUNK_ROWS as u64 + 100);
    assert_eq!(table.counters.removed_by_keys, 10);
}

#[test]
fn a_rolled_back_load_that_filled_chunks_leaves_nothing() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..100));
    let held = table.memory.used();
    let xid = table.transactions.begin();
    table.insert_as(xid, 0, &ints(100..ROWS)).expect("inserted");
    assert_eq!(table.rows_seen_by(xid, 1).len(), ROWS as usize);
    table.transactions.abort(xid);
    assert_eq!(table.rows().len(), 100);
    assert!(
        table.memory.used() <= held,
        "{} > {held}",
        table.memory.used()
    );
    table.insert(&ints(0..5));
    assert_eq!(table.rows().len(), 105);
}

#[test]
fn vacuum_encodes_what_is_left_and_drops_empty_chunks() {
    let mut table = table();
    let addresses = table.rows_with_addresses();
    let xid = table.transactions.begin();
    for (tid, _) in &addresses[..CHUNK_ROWS + 50] {
        let relation = std::rc::Rc::clone(&table.relation);
        assert!(
            relation
                .delete(&mut table.cx(xid, 0), *tid)
                .expect("deleted")
        );
    }
    table.transactions.commit(xid);
    let before = table.memory.used();
    table.vacuum();
    assert!(table.memory.used() < before);
    let rows = table.rows();
    assert_eq!(rows.len(), ROWS as usize - CHUNK_ROWS - 50);
    assert_eq!(rows[0], (CHUNK_ROWS + 50).to_string());
    assert_eq!(table.relation.size().rows, rows.len() as u64);
}

#[test]
fn integers_and_repeated_texts_take_little_memory() {
    let mut table = Table::new(&[Type::INT4, Type::TEXT]);
    let rows: Vec<Vec<Datum>> = (0..CHUNK_ROWS as i32)
        .map(|i| {
            let text = Datum::text(["red", "green", "blue"][i as usize % 3]);
            vec![Datum::Int4(1_000_000 + i % 200), text]
        })
        .collect();
    table.insert(&rows);
    // A byte an integer, two bits a text.
    assert!(table.memory.used() < 2 * CHUNK_ROWS as u64);
    assert_eq!(table.rows()[4], "1000004|green");
}
