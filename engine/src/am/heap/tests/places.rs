//! How many pages tables take and on which line of which page their rows are: a PostgreSQL 15 (C locale,
//! autovacuum off) gave the figures, for the same rows and statements.

use std::rc::Rc;

use super::{Table, ints};
use crate::am::Tid;
use crate::value::{Array, Base, Batch, Column, Datum, Numeric, Type};

fn x(length: usize) -> Datum {
    Datum::text("x".repeat(length))
}

fn unless(null: bool, value: Datum) -> Datum {
    if null { Datum::Null } else { value }
}

fn numeric(value: i64) -> Numeric {
    Numeric::from(value)
}

/// `pg_relation_size / 8192` and `sum(id * (block * 300 + line))`, `id` being column `id`.
fn places(table: &mut Table, id: usize) -> (u32, i64) {
    let sum = table
        .rows_with_addresses()
        .iter()
        .filter(|(_, row)| !row[id].is_null())
        .map(|(tid, row)| {
            let number = match row[id] {
                Datum::Date(days) => i64::from(days),
                ref id => id.as_i64().expect("an integer"),
            };
            number * (i64::from(tid.block()) * 300 + i64::from(tid.offset()))
        })
        .sum();
    (table.relation.size().pages, sum)
}

#[test]
fn rows_of_varying_length() {
    let mut table = Table::new(&[Type::INT4, Type::TEXT]);
    let rows: Vec<_> = (1..=5000)
        .map(|g: i32| vec![Datum::Int4(g), x((i64::from(g) * 7919 % 1500) as usize)])
        .collect();
    table.insert(&rows);
    assert_eq!(places(&mut table, 0), (497, 1_233_600_157_171));
}

#[test]
fn rows_with_nulls() {
    let mut table = Table::new(&[
        Type::INT2,
        Type::TEXT,
        Type::INT8,
        Type::BOOL,
        Type::NUMERIC,
        Type::INT4,
    ]);
    let rows: Vec<_> = (1..=20_000)
        .map(|g: i32| {
            let eighth = numeric(i64::from(g)).div(&numeric(8)).expect("in range");
            vec![
                unless(g % 2 != 0, Datum::Int2((g % 1000) as i16)),
                unless(g % 3 == 0, Datum::text("y".repeat((g % 200) as usize))),
                unless(g % 5 == 0, Datum::Int8(i64::from(g))),
                unless(g % 7 == 0, Datum::Bool(g % 2 == 0)),
                unless(g % 11 == 0, Datum::Numeric(eighth)),
                unless(g % 13 == 0, Datum::Int4(g)),
            ]
        })
        .collect();
    table.insert(&rows);
    assert_eq!(places(&mut table, 5), (297, 10_911_010_308_107));
}

#[test]
fn every_fixed_type_and_numerics() {
    let types = [
        Type::BOOL,
        Type::DATE,
        Type::FLOAT4,
        Type::TIMESTAMP,
        Type::FLOAT8,
        Type::NUMERIC,
        Type::INT2,
    ];
    let mut table = Table::new(&types);
    let rows: Vec<_> = (1..=20_000)
        .map(|g: i32| {
            let wide = i64::from(g);
            let product = numeric(wide * wide * wide)
                .mul(&numeric(1_000_000_007))
                .expect("in range");
            let divisor = numeric(if g % 3 == 0 { 1000 } else { 1 });
            vec![
                Datum::Bool(g % 2 == 0),
                Datum::Date(g),
                Datum::Float4(g as f32),
                Datum::Timestamp(wide * 1_000_000),
                Datum::Float8(f64::from(g)),
                Datum::Numeric(product.div(&divisor).expect("in range")),
                Datum::Int2((g % 100) as i16),
            ]
        })
        .collect();
    table.insert(&rows);
    assert_eq!(places(&mut table, 1), (197, 7_801_286_179_488));
}

#[test]
fn arrays() {
    fn array(base: Base, values: impl IntoIterator<Item = Datum>) -> Datum {
        let mut elements = Column::new(Type::scalar(base));
        values.into_iter().for_each(|value| elements.push(&value));
        Datum::Array(Rc::new(Array::new(elements)))
    }
    let arrays = [Base::Int4, Base::Text, Base::Int8].map(Type::array_of);
    let mut table = Table::new(&[&[Type::INT4][..], &arrays[..]].concat());
    let rows: Vec<_> = (1..=5000)
        .map(|g: i32| {
            let numbers = (1..=g % 20).map(|k| unless((g + k) % 4 == 0, Datum::Int4(k)));
            let texts = [Datum::text("a"), Datum::text("z".repeat((g % 50) as usize))];
            let wide = i64::from(g);
            vec![
                Datum::Int4(g),
                // array_agg of no rows is NULL.
                unless(g % 20 == 0, array(Base::Int4, numbers)),
                array(Base::Text, texts),
                array(Base::Int8, [Datum::Int8(wide), Datum::Int8(wide + 1)]),
            ]
        })
        .collect();
    table.insert(&rows);
    assert_eq!(places(&mut table, 0), (116, 285_932_854_823));
}

#[test]
fn a_fill_factor_leaves_room_that_vacuum_inserts_and_updates_use() {
    let mut table = Table::create(&[Type::INT4, Type::TEXT], u64::MAX, 60);
    let row = |g: i32| vec![Datum::Int4(g), x((i64::from(g) * 7919 % 300) as usize)];
    table.insert(&(1..=5000).map(row).collect::<Vec<_>>());
    assert_eq!(places(&mut table, 0), (195, 483_748_337_593));
    delete_where(&mut table, |id| id % 3 == 0);
    table.vacuum();
    assert_eq!(table.relation.size().pages, 195);
    table.insert(&(5001..=6500).map(row).collect::<Vec<_>>());
    assert_eq!(places(&mut table, 0), (195, 568_357_381_659));
    lengthen_where(&mut table, |id| id % 5 == 0);
    assert_eq!(places(&mut table, 0), (195, 568_404_114_344));
    delete_where(&mut table, |id| id > 2000 && id < 6501);
    table.vacuum();
    assert_eq!(places(&mut table, 0), (78, 20_571_170_721));
}

fn chosen(table: &mut Table, wanted: impl Fn(i64) -> bool) -> Vec<(Tid, Vec<Datum>)> {
    let mut rows = table.rows_with_addresses();
    rows.retain(|(_, row)| row[0].as_i64().is_some_and(&wanted));
    rows
}

fn delete_where(table: &mut Table, wanted: impl Fn(i64) -> bool) {
    let rows = chosen(table, wanted);
    let xid = table.transactions.begin();
    let relation = Rc::clone(&table.relation);
    for (tid, _) in rows {
        assert_eq!(relation.delete(&mut table.cx(xid, 0), tid), Ok(true));
    }
    table.transactions.commit(xid);
}

fn lengthen_where(table: &mut Table, wanted: impl Fn(i64) -> bool) {
    let rows = chosen(table, wanted);
    let xid = table.transactions.begin();
    let relation = Rc::clone(&table.relation);
    for (tid, mut row) in rows {
        row[1] = Datum::text(format!("{}abc", row[1].as_str().expect("a text")));
        let mut batch = Batch::with_types(&table.types());
        batch.push_row(&row);
        assert_eq!(
            relation.update(&mut table.cx(xid, 0), tid, &batch, 0),
            Ok(true)
        );
    }
    table.transactions.commit(xid);
}

#[test]
fn rows_without_columns() {
    let mut table = Table::new(&[]);
    table.insert(&vec![Vec::new(); 1000]);
    assert_eq!(
        (
            table.relation.size().pages,
            table.rows_with_addresses().len()
        ),
        (4, 1000)
    );
}

#[test]
fn a_million_integers_take_4425_pages() {
    let mut table = Table::new(&[Type::INT4]);
    for start in (0..1_000_000).step_by(10_000) {
        table.insert(&ints(start..start + 10_000));
    }
    let size = table.relation.size();
    assert_eq!(
        (size.pages, size.rows, size.bytes),
        (4425, 1_000_000, 4425 * 8192)
    );
    assert_eq!(table.memory.used(), size.bytes);
    let rows = table.rows();
    assert_eq!(rows.len(), 1_000_000);
    assert_eq!((rows[0].as_str(), rows[999_999].as_str()), ("0", "999999"));
}

#[test]
fn a_row_that_fits_no_page_is_refused_in_postgresqls_words() {
    let mut table = Table::new(&[Type::TEXT]);
    let xid = table.transactions.begin();
    let row = |length: usize| vec![vec![Datum::text("x".repeat(length))]];
    assert_eq!(table.insert_as(xid, 0, &row(8160 - 28)), Ok(()));
    let error = table
        .insert_as(xid, 0, &row(8160 - 27))
        .expect_err("too long");
    assert_eq!(error.sqlstate, "54000");
    assert_eq!(
        error.message,
        "row is too big: size 8168, maximum size 8160"
    );
}

#[test]
fn a_load_that_is_rolled_back_gives_its_pages_back() {
    let mut table = Table::new(&[Type::INT4]);
    table.insert(&ints(0..100));
    let xid = table.transactions.begin();
    table.insert_as(xid, 0, &ints(0..10_000)).expect("inserted");
    assert!(table.memory.used() > 40 * 8192);
    table.transactions.abort(xid);
    assert_eq!(table.rows().len(), 100);
    assert_eq!(
        (table.memory.used(), table.relation.size().rows),
        (8192, 100)
    );
    table.insert(&ints(0..1000));
    assert_eq!(table.rows().len(), 1100);
}
