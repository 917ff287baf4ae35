//! Every kind of join in every way of joining, at its edges: empty sides, NULL keys, duplicates, an
//! early stop, rescans, errors on either side.

use std::rc::Rc;

use super::generate::Builder;
use super::{DRIVERS, finish, reference, start};
use crate::plan::{JoinType, NodeKind, PlanNode};
use crate::work::Work;

#[derive(Clone, Copy, Debug)]
enum Method {
    Hash,
    Merge,
    Loop,
}

/// What the join stands in.
#[derive(Clone, Copy, Debug)]
enum Frame {
    Nothing,
    /// A LIMIT that is met early.
    Limit,
    /// A nested loop that runs it again for each outer row.
    Loop,
}

impl Method {
    fn kinds(self) -> &'static [JoinType] {
        use JoinType::*;
        match self {
            Method::Hash => &JoinType::ALL,
            Method::Merge => &[Inner, Left, Right, Full, Semi, Anti],
            Method::Loop => &[Inner, Left, Semi, Anti],
        }
    }

    fn join(self, b: &mut Builder, kind: JoinType, sides: (usize, usize), key: usize) -> PlanNode {
        let (outer, inner) = (b.scan(sides.0), b.scan(sides.1));
        match self {
            Method::Hash => b.hash_join(kind, outer, inner, key),
            Method::Merge => b.merge_join(kind, outer, inner, key),
            Method::Loop => {
                let inner = b.over(inner, NodeKind::Material);
                let mut join = b.nested_loop(kind, outer, inner, Vec::new());
                b.join_where_equal(&mut join, key);
                join
            }
        }
    }
}

/// Tables 0 and 2 to 4 are empty, short, long with NULLs and duplicates, and broken in the middle.
const SIDES: [(usize, usize); 9] = [
    (0, 0),
    (0, 3),
    (3, 0),
    (2, 3),
    (3, 2),
    (3, 3),
    (4, 3),
    (3, 4),
    (1, 2),
];

#[test]
fn every_join_meets_every_edge() {
    for method in [Method::Hash, Method::Merge, Method::Loop] {
        for &kind in method.kinds() {
            for sides in SIDES {
                for key in [0, 1] {
                    for frame in [Frame::Nothing, Frame::Limit, Frame::Loop] {
                        for extra in [false, true] {
                            check(method, kind, sides, key, frame, extra);
                        }
                    }
                }
            }
        }
    }
}

/// `extra`: with a condition beside the key.
fn check(
    method: Method,
    kind: JoinType,
    sides: (usize, usize),
    key: usize,
    frame: Frame,
    extra: bool,
) {
    let mut b = Builder::default();
    let mut join = method.join(&mut b, kind, sides, key);
    if extra {
        b.join_where_less(&mut join, 2);
    }
    let root = match frame {
        Frame::Nothing => join,
        Frame::Limit => b.limit(join, 5),
        Frame::Loop => {
            let outer = b.series(1, 2);
            b.nested_loop(JoinType::Inner, outer, join, Vec::new())
        }
    };
    let plan = Rc::new(b.plan(root));
    let expected = reference::run(&plan);
    for driver in DRIVERS {
        for batch_rows in [1, 3, 1024] {
            let mut execution = start(&plan, driver, batch_rows, Work::DEFAULT_ALLOWANCE);
            let got = finish(&mut execution);
            assert!(
                got == expected,
                "{method:?} {kind:?} of {sides:?} by {key} in {frame:?} (extra {extra}), {driver:?}, \
                 batch_rows {batch_rows}: {} rows and {:?}, expected {} and {:?}",
                got.rows.len(),
                got.failure,
                expected.rows.len(),
                expected.failure
            );
        }
    }
}
