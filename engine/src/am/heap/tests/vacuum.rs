//! VACUUM: what it removes, what it leaves, and that it can be cut into slices.

use std::rc::Rc;

use super::{Table, ints};
use crate::am::Tid;
use crate::storage::INVALID_XID;
use crate::value::{Batch, Datum, Type};
use crate::work::Work;

fn delete(table: &mut Table, tids: impl IntoIterator<Item = Tid>) {
    let xid = table.transactions.begin();
    let relation = Rc::clone(&table.relation);
    for tid in tids {
        assert_eq!(relation.delete(&mut table.cx(xid, 0), tid), Ok(true));
    }
    table.transactions.commit(xid);
}

#[test]
fn deleted_rows_make_room_for_new_ones() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..2260));
    assert_eq!(table.relation.size().pages, 10);
    let odd = table.rows_with_addresses().into_iter().map(|(tid, _)| tid);
    delete(
        &mut table,
        odd.filter(|tid| tid.offset() % 2 == 1).collect::<Vec<_>>(),
    );
    table.vacuum();
    assert_eq!(
        (table.relation.size().pages, table.relation.size().rows),
        (10, 1130)
    );
    table.insert(&ints(5000..6130));
    assert_eq!(
        (table.relation.size().pages, table.rows().len()),
        (10, 2260)
    );
    table.insert(&ints([1]));
    assert_eq!(table.relation.size().pages, 11);
}

#[test]
fn empty_pages_at_the_end_are_given_back() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..2260));
    let late = table.rows_with_addresses().into_iter().map(|(tid, _)| tid);
    delete(
        &mut table,
        late.filter(|tid| tid.block() >= 3).collect::<Vec<_>>(),
    );
    table.vacuum();
    assert_eq!(table.relation.size().pages, 3);
    assert_eq!(table.memory.used(), 3 * 8192);
    let all: Vec<Tid> = table
        .rows_with_addresses()
        .into_iter()
        .map(|(tid, _)| tid)
        .collect();
    delete(&mut table, all);
    table.vacuum();
    assert_eq!((table.relation.size().pages, table.memory.used()), (0, 0));
    table.insert(&ints(0..10));
    assert_eq!(table.rows().len(), 10);
}

#[test]
fn what_was_rolled_back_goes_and_counts_are_mended() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..100));
    let xid = table.transactions.begin();
    table.insert_as(xid, 0, &ints(0..50)).expect("inserted");
    let relation = Rc::clone(&table.relation);
    assert_eq!(
        relation.delete(&mut table.cx(xid, 1), Tid::new(0, 7)),
        Ok(true)
    );
    table.transactions.abort(xid);
    table.vacuum();
    assert_eq!(table.relation.size().rows, 100);
    assert_eq!(table.rows_with_addresses().len(), 100);
    table.insert(&ints([1]));
    let last = table.rows_with_addresses().pop().map(|(tid, _)| tid);
    assert_eq!(last, Some(Tid::new(0, 101)));
}

#[test]
fn frozen_rows_need_no_transaction() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..10));
    table.vacuum();
    table.transactions = crate::storage::Transactions::default();
    assert_eq!(table.rows().len(), 10);
}

#[test]
fn a_row_of_the_running_transaction_stays() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints([1, 2]));
    let xid = table.transactions.begin();
    table.insert_as(xid, 0, &ints([3])).expect("inserted");
    let relation = Rc::clone(&table.relation);
    assert_eq!(
        relation.delete(&mut table.cx(xid, 1), Tid::new(0, 1)),
        Ok(true)
    );
    table.vacuum();
    assert_eq!(table.rows_seen_by(xid, 2), ["2", "3"]);
    assert_eq!(table.rows(), ["1", "2"]);
    table.transactions.abort(xid);
    assert_eq!(table.rows(), ["1", "2"]);
}

#[test]
fn slices_end_where_the_next_begins() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..2260));
    let relation = Rc::clone(&table.relation);
    table.work = Work::new(500);
    let (mut from, mut slices) = (Some(0), Vec::new());
    while let Some(block) = from {
        slices.push(block);
        table.work.renew();
        from = relation
            .vacuum(&mut table.cx(INVALID_XID, 0), block)
            .expect("vacuumed");
    }
    assert_eq!(slices, [0, 3, 6, 9]);
    assert_eq!(table.relation.size().rows, 2260);
}

#[test]
fn a_page_is_all_visible_again_only_when_it_is() {
    let mut table = Table::new(&[Type::INT4, Type::TEXT]);
    let row = |i: i32| {
        vec![
            Datum::Int4(i),
            if i == 3 {
                Datum::Null
            } else {
                Datum::text("x")
            },
        ]
    };
    table.insert(&(0..5).map(row).collect::<Vec<_>>());
    table.vacuum();
    let xid = table.transactions.begin();
    let relation = Rc::clone(&table.relation);
    let mut changed = Batch::with_types(&table.types());
    changed.push_row(&[Datum::Int4(30), Datum::text("y")]);
    assert_eq!(
        relation.update(&mut table.cx(xid, 0), Tid::new(0, 4), &changed, 0),
        Ok(true)
    );
    assert_eq!(table.rows_seen_by(xid, 0)[3], "3|");
    assert_eq!(table.rows_seen_by(xid, 1)[4], "30|y");
    assert_eq!(table.rows()[3], "3|");
    table.transactions.commit(xid);
    table.vacuum();
    assert_eq!(table.rows(), ["0|x", "1|x", "2|x", "4|x", "30|y"]);
}
