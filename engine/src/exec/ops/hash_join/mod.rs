//! Hash Join: the inner side goes into a hash table ([`struct@Hash`]), the outer side probes it ([`HashJoin`]).

mod hash;
mod probe;
mod table;

pub(in crate::exec) use hash::{Hash, Nulls};
pub(in crate::exec) use probe::HashJoin;
pub(in crate::exec) use table::TableSlot;
