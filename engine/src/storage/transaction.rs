//! Transactions of the one session: who wrote a tuple, and may a snapshot see it.
//!
//! There is no concurrency, so a snapshot is: all that committed, and what my own transaction did in
//! earlier commands (PostgreSQL's `cmin`/`cmax` rule), so that an UPDATE never meets its own new rows.

/// A transaction id as on a tuple header. 0 is "none", 2 is PostgreSQL's `FrozenTransactionId`.
pub type Xid = u32;

pub const INVALID_XID: Xid = 0;
pub const FROZEN_XID: Xid = 2;
const FIRST_NORMAL_XID: Xid = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XidState {
    InProgress,
    Committed,
    Aborted,
}

/// The state of every transaction there was (PostgreSQL's `pg_xact`).
#[derive(Clone, Debug, Default)]
pub struct Transactions {
    states: Vec<XidState>,
}

impl Transactions {
    /// Starts a transaction.
    pub fn begin(&mut self) -> Xid {
        self.states.push(XidState::InProgress);
        FIRST_NORMAL_XID + (self.states.len() - 1) as Xid
    }

    pub fn commit(&mut self, xid: Xid) {
        self.settle(xid, XidState::Committed);
    }

    pub fn abort(&mut self, xid: Xid) {
        self.settle(xid, XidState::Aborted);
    }

    fn settle(&mut self, xid: Xid, state: XidState) {
        if let Some(slot) = self
            .states
            .get_mut(xid.wrapping_sub(FIRST_NORMAL_XID) as usize)
        {
            *slot = state;
        }
    }

    /// An unknown id counts as aborted: a damaged page shows no row rather than a wrong one.
    pub fn state(&self, xid: Xid) -> XidState {
        if xid == FROZEN_XID {
            return XidState::Committed;
        }
        let at = xid.wrapping_sub(FIRST_NORMAL_XID) as usize;
        self.states.get(at).copied().unwrap_or(XidState::Aborted)
    }
}

/// What a statement sees and, if it writes, as whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The running transaction, [`INVALID_XID`] for none.
    pub xid: Xid,
    /// The command within it: changes of this and later commands of the same transaction are not seen.
    pub command: u32,
}
