//! What the executor measures: counters of every operator, the clock they are timed by, and the
//! report EXPLAIN and the page read. Only drivers write here; operators fill plain structs of their own.

mod clock;
mod counters;
mod report;
mod timing;

pub use clock::{Clock, FakeClock};
pub use counters::{
    AggregateFacts, HashFacts, MemoizeFacts, NodeCounters, OperatorFacts, ScanFacts, ScanPages,
    SortFacts, SortMethod,
};
pub use report::{COUNTER_NAMES, Derived, DriverFacts, NodeReport, Report};
pub use timing::{Lap, Stopwatch};
