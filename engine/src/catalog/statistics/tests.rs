//! Samples and what is found in them.

use super::{Reservoir, SampleSort, SampledColumn};
use crate::am::Tid;
use crate::value::{Column, Datum, Type};
use crate::work::Work;

fn statistics(values: &[Datum], ty: Type, table_rows: f64) -> super::ColumnStatistics {
    let mut column = Column::new(ty);
    values.iter().for_each(|value| column.push(value));
    let sampled = SampledColumn {
        values: &column,
        table_rows,
        target: 4,
    };
    let mut sort = SampleSort::new(sampled.comparable_rows());
    while !sort.advance(&column, &mut Work::new(1)) {}
    sampled.statistics(&sort.into_order())
}

#[test]
fn slices_do_not_change_the_order() {
    let mut column = Column::new(Type::INT4);
    for i in 0..10_000u32 {
        column.push(&Datum::Int4((i.wrapping_mul(2_654_435_761) >> 20) as i32));
    }
    let mut expected: Vec<u32> = (0..10_000).collect();
    expected.sort_by_key(|&row| (column.get(row as usize).as_i64(), row));
    for allowance in [1, 1_000_000_000] {
        let mut sort = SampleSort::new((0..10_000).collect());
        while !sort.advance(&column, &mut Work::new(allowance)) {}
        assert_eq!(sort.into_order(), expected);
    }
    let mut empty = SampleSort::new(Vec::new());
    assert!(empty.advance(&column, &mut Work::new(1)));
}

#[test]
fn the_reservoir_is_fair_and_the_same_each_time() {
    let sample = |seed| {
        let mut reservoir = Reservoir::new(1000, seed);
        (0..100_000).for_each(|block| reservoir.see(Tid::new(block, 1)));
        assert_eq!((reservoir.seen(), reservoir.len()), (100_000, 1000));
        reservoir.into_sample()
    };
    assert_eq!(sample(1), sample(1));
    let below_half = |seed| {
        sample(seed)
            .iter()
            .filter(|tid| tid.block() < 50_000)
            .count()
    };
    for seed in 1..20 {
        assert!(
            (420..580).contains(&below_half(seed)),
            "{}",
            below_half(seed)
        );
    }
}

#[test]
fn few_values_are_all_common_and_unique_ones_make_a_histogram() {
    let few: Vec<Datum> = (0..90).map(|i| Datum::Int4(i % 3)).collect();
    let found = statistics(&few, Type::INT4, 90.0);
    assert_eq!((found.distinct, found.width), (3.0, 4));
    let common = found.common.expect("common values");
    assert_eq!(common.values.get(0).as_i64(), Some(0));
    assert_eq!(common.frequencies.len(), 3);
    assert!(found.histogram.is_none());

    let unique: Vec<Datum> = (0..101).map(Datum::Int4).collect();
    let found = statistics(&unique, Type::INT4, 101.0);
    assert_eq!((found.distinct, found.correlation), (-1.0, Some(1.0)));
    let bounds = found.histogram.expect("a histogram");
    let bounds: Vec<_> = (0..bounds.len()).map(|i| bounds.get(i).as_i64()).collect();
    assert_eq!(bounds, [0, 25, 50, 75, 100].map(Some));
    assert!(found.common.is_none());
}

#[test]
fn nulls_and_wide_values_are_counted_but_not_kept() {
    let found = statistics(&[Datum::Null, Datum::Null], Type::TEXT, 2.0);
    assert_eq!(
        (found.null_fraction, found.distinct, found.width),
        (1.0, 0.0, 0)
    );
    let wide = Datum::text("x".repeat(2000));
    let found = statistics(&[wide, Datum::Null], Type::TEXT, 2.0);
    assert_eq!(
        (found.null_fraction, found.distinct, found.width),
        (0.5, -0.5, 2004)
    );
    assert!(found.common.is_none() && found.histogram.is_none());
    let empty = statistics(&[], Type::INT4, 0.0);
    assert_eq!((empty.null_fraction, empty.distinct), (0.0, 0.0));
}
