//! Aggregation: plain (one row), hashed, and over sorted groups. Own rows: the groups' columns, then
//! the aggregates'.

mod calls;
mod hashed;
mod plain;
mod sorted;

pub(in crate::exec) use calls::{AggregateCalls, Call};
pub(in crate::exec) use hashed::HashedAggregate;
pub(in crate::exec) use plain::PlainAggregate;
pub(in crate::exec) use sorted::SortedAggregate;
