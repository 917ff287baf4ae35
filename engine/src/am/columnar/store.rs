//! A columnar relation's chunks, and what the running transaction did to them.
//!
//! One transaction writes at a time, rows are only ever appended, and one that is rolled back takes
//! back what it appended before anybody looks: so what a snapshot sees of the appended rows is all up
//! to one place, and a list of deletions is kept for the one transaction only.

use std::collections::BTreeMap;

use super::chunk::{CHUNK_ROWS, Chunk};
use crate::am::{RowShape, Tid};
use crate::error::Result;
use crate::memory::Holding;
use crate::storage::{Snapshot, Transactions, Xid, XidState};
use crate::value::{Batch, Bitmap, Column, Rows};

/// Memory of a deletion that is not yet committed.
const DELETION_BYTES: u64 = 16;

/// A row's place; places are ordered as the rows came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub chunk: usize,
    pub row: usize,
}

impl Place {
    pub fn tid(self) -> Tid {
        Tid::new(self.chunk as u32, self.row as u16 + 1)
    }

    /// None: an address that no row has.
    pub fn of(tid: Tid) -> Option<Place> {
        let row = usize::from(tid.offset()).checked_sub(1)?;
        Some(Place {
            chunk: tid.block() as usize,
            row,
        })
    }
}

/// The transaction that changed the relation last.
#[derive(Debug)]
struct Writer {
    xid: Xid,
    rows_before: u64,
    /// The first row it appended.
    start: Place,
    /// Where the rows of each of its commands start, in order.
    commands: Vec<(u32, Place)>,
    /// Its deletions, each with its command.
    deletions: BTreeMap<Place, u32>,
}

#[derive(Debug)]
pub struct ColumnarStore {
    /// Sealed but for the last one, which may take more rows.
    pub chunks: Vec<Chunk>,
    /// The last chunk takes more rows.
    is_open: bool,
    /// Rows inserted less rows deleted.
    pub rows: u64,
    writer: Option<Writer>,
    holding: Holding,
}

impl ColumnarStore {
    pub fn new(holding: Holding) -> Self {
        ColumnarStore {
            chunks: Vec::new(),
            is_open: false,
            rows: 0,
            writer: None,
            holding,
        }
    }

    pub fn bytes(&self) -> u64 {
        self.holding.bytes()
    }

    /// Behind the last row.
    fn end(&self) -> Place {
        match self.chunks.last() {
            Some(last) if self.is_open => Place {
                chunk: self.chunks.len() - 1,
                row: last.rows,
            },
            _ => Place {
                chunk: self.chunks.len(),
                row: 0,
            },
        }
    }

    /// Notes who changes the relation next; to be called before each change.
    pub fn begin_change(&mut self, snapshot: Snapshot, transactions: &Transactions) {
        self.settle(transactions);
        let end = self.end();
        let rows_before = self.rows;
        let writer = match &mut self.writer {
            Some(writer) if writer.xid == snapshot.xid => writer,
            none => none.insert(Writer {
                xid: snapshot.xid,
                rows_before,
                start: end,
                commands: Vec::new(),
                deletions: BTreeMap::new(),
            }),
        };
        if writer
            .commands
            .last()
            .is_none_or(|&(command, _)| command < snapshot.command)
        {
            writer.commands.push((snapshot.command, end));
        }
    }

    /// Forgets a transaction that has ended: one that was rolled back is undone. Called before the
    /// relation is looked at.
    pub fn settle(&mut self, transactions: &Transactions) {
        let Some(writer) = &self.writer else { return };
        match transactions.state(writer.xid) {
            XidState::InProgress => return,
            XidState::Committed => {}
            XidState::Aborted => {
                let (start, rows) = (writer.start, writer.rows_before);
                let undone: Vec<Place> = writer.deletions.keys().copied().collect();
                for place in undone {
                    if let Some(chunk) = self.chunks.get_mut(place.chunk) {
                        chunk.undelete(place.row);
                    }
                }
                self.truncate(start);
                self.rows = rows;
            }
        }
        self.writer = None;
        // The last chunk may take more now that it is open again, and nobody is there to be told: it is
        // accounted for with the next change.
        let _ = self.account();
    }

    /// Drops the rows from `place` on.
    fn truncate(&mut self, place: Place) {
        if self.chunks.len() <= place.chunk {
            return;
        }
        self.chunks.truncate(place.chunk + 1);
        self.is_open = false;
        if let Some(last) = self.chunks.pop()
            && place.row > 0
        {
            self.chunks.push(last.reopened(place.row));
            self.is_open = true;
        }
    }

    /// Holds what the chunks take. Errors: 53200, where one takes more than before.
    fn account(&mut self) -> Result<()> {
        self.holding.set(self.chunks.iter().map(Chunk::bytes).sum())
    }

    /// Where the rows end that the snapshot may see.
    pub fn visible_end(&self, snapshot: Snapshot) -> Place {
        match &self.writer {
            Some(writer) if writer.xid != snapshot.xid => writer.start,
            Some(writer) => writer
                .commands
                .iter()
                .find(|&&(command, _)| command >= snapshot.command)
                .map_or(self.end(), |&(_, start)| start),
            None => self.end(),
        }
    }

    /// True if the snapshot does not see the row because it is deleted.
    #[inline]
    pub fn is_deleted(&self, place: Place, snapshot: Snapshot) -> bool {
        if !self.chunks[place.chunk].deleted.get(place.row) {
            return false;
        }
        match &self.writer {
            Some(writer) => match writer.deletions.get(&place) {
                Some(&command) => writer.xid == snapshot.xid && command < snapshot.command,
                None => true,
            },
            None => true,
        }
    }

    /// How many of the chunk's first `rows` rows the snapshot sees.
    pub fn visible_rows(&self, chunk: usize, rows: usize, snapshot: Snapshot) -> usize {
        let deleted = &self.chunks[chunk].deleted;
        if !deleted.any() {
            rows
        } else if self.writer.is_none() && rows == self.chunks[chunk].rows {
            rows - deleted.count()
        } else {
            (0..rows)
                .filter(|&row| !self.is_deleted(Place { chunk, row }, snapshot))
                .count()
        }
    }

    /// True if the snapshot sees the row.
    pub fn is_visible(&self, place: Place, snapshot: Snapshot) -> bool {
        place < self.visible_end(snapshot)
            && self
                .chunks
                .get(place.chunk)
                .is_some_and(|chunk| place.row < chunk.rows)
            && !self.is_deleted(place, snapshot)
    }

    /// Marks a visible row deleted. False: it already is, by the running command. Errors: 53200.
    pub fn delete(&mut self, place: Place, snapshot: Snapshot) -> Result<bool> {
        let Some(writer) = &mut self.writer else {
            return Ok(false);
        };
        let chunk = &mut self.chunks[place.chunk];
        if chunk.deleted.get(place.row) {
            return Ok(false);
        }
        self.holding.grow(DELETION_BYTES)?;
        chunk.deleted.set(place.row);
        writer.deletions.insert(place, snapshot.command);
        self.rows = self.rows.saturating_sub(1);
        Ok(true)
    }

    /// Appends rows; a chunk that is full is encoded. Errors: 53200; the rows before it stay.
    pub fn append(&mut self, shape: &RowShape, batch: &Batch, rows: Rows<'_>) -> Result<()> {
        let mut done = 0;
        while done < rows.len() {
            if !self.is_open {
                let columns = shape.columns.iter().map(|&ty| Column::new(ty)).collect();
                self.chunks.push(Chunk::open(columns, 0, Bitmap::new()));
                self.is_open = true;
            }
            let Some(chunk) = self.chunks.last_mut() else {
                return Ok(());
            };
            let count = (CHUNK_ROWS - chunk.rows).min(rows.len() - done);
            let before = chunk.rows;
            let added = chunk.append(batch, rows.slice(done, done + count));
            if let Err(error) = self.holding.grow(added) {
                chunk.take_back(before, added);
                return Err(error);
            }
            self.rows += count as u64;
            done += count;
            if chunk.is_full() {
                self.seal()?;
            }
        }
        Ok(())
    }

    /// Encodes the open chunk.
    fn seal(&mut self) -> Result<()> {
        if let Some(open) = self.chunks.pop() {
            let before = open.bytes();
            let sealed = open.sealed();
            let held = (self.holding.bytes() + sealed.bytes()).saturating_sub(before);
            self.chunks.push(sealed);
            self.is_open = false;
            self.holding.set(held)?;
        }
        Ok(())
    }

    /// Drops the deleted rows of a chunk, and the chunk if none are left.
    pub fn compact(&mut self, at: usize) -> Result<Compacted> {
        if !self.chunks[at].deleted.any() {
            return Ok(Compacted::Unchanged);
        }
        self.is_open &= at + 1 < self.chunks.len();
        self.chunks[at] = self.chunks[at].compacted();
        let emptied = self.chunks[at].rows == 0;
        if emptied {
            self.chunks.remove(at);
        }
        self.account()?;
        Ok(if emptied {
            Compacted::Emptied
        } else {
            Compacted::Smaller
        })
    }
}

/// What became of a chunk that was vacuumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compacted {
    /// It had no deleted rows.
    Unchanged,
    Smaller,
    /// It had no others, and is gone: the next chunk has its number.
    Emptied,
}
