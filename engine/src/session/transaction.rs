//! Transactions as a session sees them: statement by statement, or in a block.

use std::rc::Rc;

use crate::catalog::Catalog;
use crate::error::{Error, Result, sqlstate};
use crate::settings::Settings;
use crate::storage::{INVALID_XID, Snapshot, Transactions, Xid};

/// ```text
///        BEGIN            error
/// None ─────────▶ Open ─────────▶ Failed
///   ▲              │ COMMIT/ROLLBACK  │ COMMIT (= ROLLBACK), ROLLBACK
///   └──────────────┴──────────────────┘
/// ```
#[derive(Default)]
enum Block {
    #[default]
    None,
    Open(Origin),
    Failed(Origin),
}

/// What ROLLBACK goes back to.
struct Origin {
    catalog: Catalog,
    settings: Settings,
}

/// The running transaction of a session, if any, and the history of the ended ones.
#[derive(Default)]
pub(super) struct TransactionState {
    history: Rc<Transactions>,
    block: Block,
    xid: Xid,
    command: u32,
}

impl TransactionState {
    pub fn history(&self) -> &Rc<Transactions> {
        &self.history
    }

    pub fn is_in_block(&self) -> bool {
        !matches!(self.block, Block::None)
    }

    /// In a failed block only COMMIT and ROLLBACK are heard. Errors: 25P02.
    pub fn check_usable(&self) -> Result<()> {
        match self.block {
            Block::Failed(_) => Err(Error::new(
                sqlstate::IN_FAILED_SQL_TRANSACTION,
                "current transaction is aborted, commands ignored until end of transaction block",
            )),
            Block::None | Block::Open(_) => Ok(()),
        }
    }

    /// What the next statement sees. A statement that writes gets a transaction id.
    pub fn snapshot(&mut self, writes: bool) -> Snapshot {
        if writes && self.xid == INVALID_XID {
            self.xid = Rc::make_mut(&mut self.history).begin();
        }
        Snapshot {
            xid: self.xid,
            command: self.command,
        }
    }

    /// A statement has succeeded: outside of a block that commits.
    pub fn end_statement(&mut self) {
        self.command += 1;
        if !self.is_in_block() {
            self.settle(Transactions::commit);
        }
    }

    /// A statement has failed: outside of a block its transaction aborts, a block fails as a whole.
    pub fn fail_statement(&mut self) {
        match std::mem::take(&mut self.block) {
            Block::None => self.settle(Transactions::abort),
            Block::Open(origin) | Block::Failed(origin) => self.block = Block::Failed(origin),
        }
    }

    /// BEGIN. False: there already is a block (a WARNING).
    pub fn begin(&mut self, catalog: &Catalog, settings: &Settings) -> bool {
        if self.is_in_block() {
            return false;
        }
        self.block = Block::Open(Origin {
            catalog: catalog.clone(),
            settings: settings.clone(),
        });
        true
    }

    /// COMMIT. `Some(false)`: the block had failed and was rolled back. `None`: there was no block.
    pub fn commit(&mut self, catalog: &mut Catalog, settings: &mut Settings) -> Option<bool> {
        match std::mem::take(&mut self.block) {
            Block::None => None,
            Block::Open(_) => {
                self.settle(Transactions::commit);
                Some(true)
            }
            Block::Failed(origin) => {
                self.go_back(origin, catalog, settings);
                Some(false)
            }
        }
    }

    /// ROLLBACK. False: there was no block.
    pub fn rollback(&mut self, catalog: &mut Catalog, settings: &mut Settings) -> bool {
        match std::mem::take(&mut self.block) {
            Block::None => false,
            Block::Open(origin) | Block::Failed(origin) => {
                self.go_back(origin, catalog, settings);
                true
            }
        }
    }

    fn go_back(&mut self, origin: Origin, catalog: &mut Catalog, settings: &mut Settings) {
        self.settle(Transactions::abort);
        catalog.restore(origin.catalog);
        *settings = origin.settings;
    }

    fn settle(&mut self, end: fn(&mut Transactions, Xid)) {
        if self.xid != INVALID_XID {
            end(Rc::make_mut(&mut self.history), self.xid);
        }
        self.xid = INVALID_XID;
        self.command = 0;
    }
}
