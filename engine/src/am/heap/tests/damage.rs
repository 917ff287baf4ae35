//! Damaged pages: an error or some rows, never a panic and never a read beyond the page.

use std::rc::Rc;

use super::random::{BASES, Random, elements, key, nullable};
use crate::am::heap::HeapRelation;
use crate::am::{AmCtx, RowShape, ScanCounters, ScanSpec, ScanStep, Tid};
use crate::am::{Relation, ScanKey};
use crate::error::sqlstate;
use crate::memory::Memory;
use crate::storage::{BlockFile, Snapshot, Transactions};
use crate::value::{Base, Batch, Datum, Type};
use crate::work::Work;

/// A relation whose pages can be reached, and its rows' types.
fn filled(random: &mut Random) -> (Rc<HeapRelation>, Vec<Type>, Transactions) {
    let mut types: Vec<Type> = (0..random.below(6) + 1)
        .map(|_| Type::scalar(random.pick(&BASES)))
        .collect();
    types.push(Type::array_of(random.pick(&[Base::Int4, Base::Text])));
    let shape = Rc::new(RowShape {
        columns: types.clone(),
        fill_factor: 100,
    });
    let relation = Rc::new(HeapRelation::new(shape, &Memory::with_limit(u64::MAX)));
    let mut transactions = Transactions::default();
    let null_percent = random.pick(&[0, 20]);
    let mut batch = Batch::with_types(&types);
    for _ in 0..200 {
        let mut row: Vec<_> = types
            .iter()
            .map(|ty| nullable(random, ty.base, null_percent))
            .collect();
        row.pop();
        row.push(array_of(random, types[types.len() - 1].base));
        batch.push_row(&row);
    }
    let xid = transactions.begin();
    let (mut counters, mut work) = (ScanCounters::default(), Work::default());
    let mut cx = AmCtx {
        snapshot: Snapshot { xid, command: 0 },
        transactions: &transactions,
        counters: &mut counters,
        work: &mut work,
    };
    relation
        .insert(&mut cx, &batch, batch.rows())
        .expect("inserted");
    if random.percent(50) {
        relation.vacuum(&mut cx, 0).expect("vacuumed");
    }
    transactions.commit(xid);
    (relation, types, transactions)
}

fn damage(random: &mut Random, relation: &HeapRelation) {
    let mut store = relation.store.borrow_mut();
    let blocks = store.file.blocks() as usize;
    for _ in 0..random.pick(&[1, 5, 100, 20_000]) {
        let (block, byte) = (random.below(blocks) as u32, random.next() as u8);
        // Headers and line pointers are hit more often than chance would have it.
        let at = if random.percent(30) {
            random.below(600)
        } else {
            random.below(8192)
        };
        if let Some(page) = store.file.page_mut(block) {
            page.bytes_mut()[at] = byte;
        }
    }
}

#[test]
fn random_bytes_give_rows_or_xx001() {
    let mut random = Random(77);
    for _ in 0..400 {
        let (relation, types, transactions) = filled(&mut random);
        damage(&mut random, &relation);
        let (mut counters, mut work) = (ScanCounters::default(), Work::new(1000));
        let mut cx = AmCtx {
            snapshot: Snapshot { xid: 9, command: 3 },
            transactions: &transactions,
            counters: &mut counters,
            work: &mut work,
        };
        for want in [1, 100] {
            let keys: Vec<ScanKey> = (0..random.below(3))
                .map(|_| key(&mut random, &types[..types.len() - 1], 0))
                .collect();
            let columns: Vec<usize> = (0..types.len()).collect();
            let spec = ScanSpec {
                columns,
                with_tid: true,
                has_keys: !keys.is_empty(),
            };
            let mut scan = Rc::clone(&relation).begin_scan(spec).expect("a scan");
            let mut all = types.clone();
            all.push(Type::INT8);
            let mut out = Batch::default();
            for _ in 0..5000 {
                out.reset(&all, want);
                let step = scan.next(&mut cx, &mut out);
                assert!(
                    out.columns
                        .iter()
                        .all(|column| column.len() == out.physical_rows())
                );
                cx.work.renew();
                match step {
                    Ok(ScanStep::NeedKeys) => scan.set_keys(&keys).expect("supported keys"),
                    Ok(ScanStep::End) => break,
                    Ok(ScanStep::Rows | ScanStep::Pause) => {}
                    Err(error) => {
                        assert_eq!(error.sqlstate, sqlstate::DATA_CORRUPTED);
                        break;
                    }
                }
            }
        }
        let mut out = Batch::with_types(&types);
        for _ in 0..50 {
            let tid = Tid::new(random.below(3) as u32, random.below(300) as u16);
            let columns: Vec<usize> = (0..types.len()).collect();
            out.reset(&types, 10);
            let fetched = relation.fetch(&mut cx, tid, &columns, &mut out);
            assert!(matches!(
                fetched.map_err(|error| error.sqlstate),
                Ok(_) | Err(sqlstate::DATA_CORRUPTED)
            ));
            let deleted = relation
                .delete(&mut cx, tid)
                .map_err(|error| error.sqlstate);
            assert!(matches!(deleted, Ok(_) | Err(sqlstate::DATA_CORRUPTED)));
        }
        let mut row = Batch::with_types(&types);
        row.push_row(&vec![Datum::Null; types.len()]);
        for _ in 0..20 {
            let tid = Tid::new(random.below(3) as u32, random.below(300) as u16);
            let updated = relation
                .update(&mut cx, tid, &row, 0)
                .map_err(|error| error.sqlstate);
            assert!(matches!(updated, Ok(_) | Err(sqlstate::DATA_CORRUPTED)));
            let inserted = relation
                .insert(&mut cx, &row, row.rows())
                .map_err(|error| error.sqlstate);
            assert!(matches!(inserted, Ok(()) | Err(sqlstate::DATA_CORRUPTED)));
        }
        let vacuumed = relation.vacuum(&mut cx, 0).map_err(|error| error.sqlstate);
        assert!(matches!(vacuumed, Ok(_) | Err(sqlstate::DATA_CORRUPTED)));
    }
}

/// An array that fits a row.
fn array_of(random: &mut Random, base: Base) -> Datum {
    let length = random.pick(&[0, 1, 2, 9]);
    elements(random, base, length)
}
