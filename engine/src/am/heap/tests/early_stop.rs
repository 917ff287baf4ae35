//! A scan that is left early has looked at nothing beyond the last row it gave.

use super::property::sample;
use super::random::{Random, key};
use super::reference;
use crate::am::{ScanCounters, ScanStep, Tid};
use crate::storage::INVALID_XID;
use crate::value::{Batch, Type};

#[test]
fn early_stop_counts_only_what_was_looked_at() {
    let mut random = Random(5);
    for _ in 0..200 {
        let mut sample = sample(&mut random);
        let columns = sample.table.types();
        let keys = [key(&mut random, &columns, 0), key(&mut random, &columns, 0)];
        let matching: Vec<usize> = (0..sample.rows.len())
            .filter(|&row| reference::all_true(&keys, &sample.rows[row]))
            .collect();
        let want = random.below(20) + 1;
        let Some(&last) = matching.get(want - 1) else {
            continue;
        };
        let mut scan = sample.table.scan(&[], true, true);
        sample.table.counters = ScanCounters::default();
        scan.set_keys(&keys).expect("keys that are supported");
        let (mut tids, mut out) = (Vec::new(), Batch::default());
        while tids.len() < want {
            out.reset(&[Type::INT8], want - tids.len());
            assert_eq!(
                scan.next(&mut sample.table.cx(INVALID_XID, 0), &mut out),
                Ok(ScanStep::Rows)
            );
            let tid = |row| out.columns[0].get(row).as_i64();
            tids.extend(out.rows().iter().filter_map(tid));
        }
        let counters = sample.table.counters;
        assert_eq!((tids.len(), counters.visible), (want, last as u64 + 1));
        let tests = sample.rows[..=last]
            .iter()
            .map(|row| reference::tests_made(&keys, row))
            .sum::<u64>();
        assert_eq!(counters.key_evaluations, tests);
        let block = Tid(tids[want - 1] as u64).block();
        assert_eq!(counters.pages_read, u64::from(block) + 1);
    }
}
