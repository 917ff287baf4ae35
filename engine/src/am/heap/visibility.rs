//! Which tuples a snapshot sees (PostgreSQL's `heapam_visibility.c`), with hint bits: what was once
//! looked up about a transaction is noted in the tuple, so that the next reader need not ask.

use super::tuple::{self, infomask};
use crate::storage::{PAGE_SIZE, Snapshot, Transactions, Xid, XidState};

/// What a tuple is to everyone, or to the running transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Inserted by a committed transaction and not deleted: visible to everyone.
    Live,
    /// Rolled back, or deleted by a committed transaction: visible to nobody.
    Dead,
    /// Inserted by a running transaction.
    Inserted { by: Xid, command: u32 },
    /// Deleted by a running transaction; inserted by a committed one (`before` is true) or by itself.
    Deleted { by: Xid, command: u32, before: bool },
}

impl Standing {
    /// True if the tuple's inserting command and its transaction come before the snapshot, and its
    /// deleting ones do not.
    #[inline]
    pub fn is_visible(self, snapshot: Snapshot) -> bool {
        match self {
            Standing::Live => true,
            Standing::Dead => false,
            Standing::Inserted { by, command } => by == snapshot.xid && command < snapshot.command,
            Standing::Deleted {
                by,
                command,
                before,
            } => {
                if by == snapshot.xid {
                    command >= snapshot.command
                } else {
                    before
                }
            }
        }
    }
}

/// Looks at the tuple's transactions and sets hint bits for those that have ended.
pub fn examine(page: &mut [u8; PAGE_SIZE], tuple: usize, transactions: &Transactions) -> Standing {
    let before = tuple::infomask(page, tuple);
    let mut mask = before;
    let standing = standing(page, tuple, &mut mask, transactions);
    if mask != before {
        tuple::set_infomask(page, tuple, mask);
    }
    standing
}

fn standing(
    page: &[u8; PAGE_SIZE],
    tuple: usize,
    mask: &mut u16,
    transactions: &Transactions,
) -> Standing {
    let mut inserter = None;
    if *mask & infomask::XMIN_COMMITTED == 0 {
        if *mask & infomask::XMIN_INVALID != 0 {
            return Standing::Dead;
        }
        let xmin = tuple::xmin(page, tuple);
        match transactions.state(xmin) {
            XidState::Committed => *mask |= infomask::XMIN_COMMITTED,
            XidState::Aborted => {
                *mask |= infomask::XMIN_INVALID;
                return Standing::Dead;
            }
            XidState::InProgress => inserter = Some(xmin),
        }
    }
    let kept = match inserter {
        None => Standing::Live,
        Some(by) => Standing::Inserted {
            by,
            command: tuple::cid(page, tuple),
        },
    };
    if *mask & infomask::XMAX_INVALID != 0 {
        return kept;
    }
    if *mask & infomask::XMAX_COMMITTED != 0 {
        return Standing::Dead;
    }
    let xmax = tuple::xmax(page, tuple);
    match transactions.state(xmax) {
        XidState::Committed => {
            *mask |= infomask::XMAX_COMMITTED;
            Standing::Dead
        }
        XidState::Aborted => {
            *mask |= infomask::XMAX_INVALID;
            kept
        }
        XidState::InProgress => Standing::Deleted {
            by: xmax,
            command: tuple::cid(page, tuple),
            before: inserter.is_none(),
        },
    }
}
