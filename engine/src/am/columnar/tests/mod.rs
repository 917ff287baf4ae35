//! The columnar access method through its API: what holds for every access method, as for the heap,
//! and its chunks.

mod chunks;
#[expect(
    clippy::duplicate_mod,
    reason = "the heap\'s tests, for another access method"
)]
#[path = "../../heap/tests/edges/mod.rs"]
mod edges;
#[expect(
    clippy::duplicate_mod,
    reason = "the heap\'s tests, for another access method"
)]
#[path = "../../heap/tests/property.rs"]
mod property;
#[expect(
    clippy::duplicate_mod,
    reason = "the heap\'s tests, for another access method"
)]
#[path = "../../heap/tests/random.rs"]
mod random;
#[expect(
    clippy::duplicate_mod,
    reason = "the heap\'s tests, for another access method"
)]
#[path = "../../heap/tests/reference.rs"]
mod reference;
#[expect(
    clippy::duplicate_mod,
    reason = "the heap\'s tests, for another access method"
)]
#[path = "../../heap/tests/rows.rs"]
mod rows;
#[expect(
    clippy::duplicate_mod,
    reason = "the heap\'s tests, for another access method"
)]
#[path = "../../heap/tests/table.rs"]
mod table;

use self::table::{Table, ints, shown};
use super::Columnar;

/// The access method that these tests are of.
const TESTED: Columnar = Columnar;

/// Only some columns' pages are read, and a key that a summary answers is not tested.
const EXACT_COUNTERS: bool = false;
