//! The heap through its access method API.

mod damage;
mod early_stop;
mod edges;
mod places;
mod property;
mod random;
mod reference;
mod rows;
mod table;
mod vacuum;

use self::table::{Table, ints, shown};
use super::Heap;

/// The access method that these tests are of.
const TESTED: Heap = Heap;

/// Every page is read, and each tuple is tested with each key until one fails.
const EXACT_COUNTERS: bool = true;
