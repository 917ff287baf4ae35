//! Rows that are kept and read again: those of a WITH query, of a recursion's last round, of a Memoize.

use std::cell::RefCell;
use std::rc::Rc;

use crate::error::Result;
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Rows, Type};
use crate::work::Work;

/// Shared by who writes the rows and who reads them.
pub(in crate::exec) type SharedRows = Rc<RefCell<KeptRows>>;

/// Rows in the order they came.
#[derive(Debug)]
pub(in crate::exec) struct KeptRows {
    types: Vec<Type>,
    rows: Batch,
    /// No more rows will come.
    pub(in crate::exec) ended: bool,
    /// How many rows the reader who waits for more wants.
    pub(in crate::exec) want: usize,
    /// Accounted bytes of the rows.
    bytes: u64,
    holding: Holding,
}

impl KeptRows {
    pub(in crate::exec) fn shared(types: Vec<Type>, memory: &Memory) -> SharedRows {
        Rc::new(RefCell::new(KeptRows::new(types, memory)))
    }

    pub(in crate::exec) fn new(types: Vec<Type>, memory: &Memory) -> KeptRows {
        KeptRows {
            rows: Batch::with_types(&types),
            types,
            ended: false,
            want: 1,
            bytes: 0,
            holding: memory.holding(),
        }
    }

    /// Accounted bytes of the rows.
    pub(in crate::exec) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(in crate::exec) fn len(&self) -> usize {
        self.rows.physical_rows()
    }

    pub(in crate::exec) fn peak(&self) -> u64 {
        self.holding.peak()
    }

    /// Errors: 53200.
    pub(in crate::exec) fn append(&mut self, batch: &Batch) -> Result<()> {
        let before = self.rows.physical_rows();
        self.rows.append(batch);
        self.bytes += self.rows.accounted_from(before);
        self.holding.set(self.bytes)
    }

    pub(in crate::exec) fn clear(&mut self) {
        self.rows.reset(&self.types, 0);
        self.ended = false;
        self.bytes = 0;
        self.holding.shrink(self.holding.bytes());
    }

    /// Appends rows from row `from` on to `out`, as many as fit, and answers how many.
    pub(in crate::exec) fn copy(&self, from: usize, out: &mut Batch, work: &mut Work) -> usize {
        let mut n = (self.len() - from).min(out.room());
        let long = self.bytes >= Batch::FULL_BYTES;
        if long {
            n = self.rows.rows_to_fill(Rows::Range(from, from + n));
        }
        out.prepare(&self.types);
        let before = out.physical_rows();
        for (to, column) in out.columns.iter_mut().zip(&self.rows.columns) {
            to.extend_range(column, from, from + n);
        }
        out.set_physical_rows(before + n);
        work.spend(n as u32);
        if long {
            work.spend_bytes(out.accounted_from(before));
        }
        n
    }
}
