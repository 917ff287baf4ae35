//! Pages, relation files and transactions: what lies below the access methods.

mod transaction;

pub use transaction::{FROZEN_XID, INVALID_XID, Snapshot, Transactions, Xid, XidState};
