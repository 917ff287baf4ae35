//! A chunk: up to [`CHUNK_ROWS`] rows, a segment a column, and which of them are deleted.

use super::segment::Segment;
use crate::value::{Batch, Bitmap, Column, Rows};

/// Rows of a full chunk. A power of two of windows, and few enough that encoding one at once takes
/// no time that is noticed.
pub const CHUNK_ROWS: usize = 8192;

/// A chunk is full with fewer rows when they take so many bytes: texts of a megabyte are not encoded by
/// thousands at once.
const CHUNK_BYTES: u64 = 16 << 20;

/// Bytes that count as one page in EXPLAIN and in the planner's costs.
const PAGE_BYTES: u64 = 8192;

#[derive(Debug)]
pub struct Chunk {
    pub rows: usize,
    pub segments: Vec<Segment>,
    /// Rows that somebody deleted; those of a running transaction are in its `Writer` too.
    pub deleted: Bitmap,
    /// Memory that the segments take.
    bytes: u64,
}

impl Chunk {
    /// A chunk that takes more rows.
    pub fn open(columns: Vec<Column>, rows: usize, deleted: Bitmap) -> Chunk {
        Chunk {
            rows,
            bytes: columns.iter().map(Column::accounted_bytes).sum(),
            segments: columns.into_iter().map(Segment::open).collect(),
            deleted,
        }
    }

    fn sealed_from(columns: Vec<Column>, rows: usize, deleted: Bitmap) -> Chunk {
        let segments: Vec<Segment> = columns.into_iter().map(Segment::seal).collect();
        Chunk {
            rows,
            bytes: segments.iter().map(Segment::bytes).sum(),
            segments,
            deleted,
        }
    }

    /// Appends rows to an open chunk and answers what memory they take.
    pub fn append(&mut self, batch: &Batch, rows: Rows<'_>) -> u64 {
        let mut added = 0;
        for (segment, from) in self.segments.iter_mut().zip(&batch.columns) {
            if let Some(column) = segment.open_column() {
                match rows {
                    Rows::Range(a, b) => column.extend_range(from, a, b),
                    Rows::Picked(rows) => column.gather(from, rows),
                }
                added += column.accounted_from(self.rows);
            }
        }
        self.rows += rows.len();
        self.bytes += added;
        added
    }

    /// Forgets the rows of an open chunk from `rows` on, which took `bytes`.
    pub fn take_back(&mut self, rows: usize, bytes: u64) {
        for segment in &mut self.segments {
            if let Some(column) = segment.open_column() {
                column.truncate(rows);
            }
        }
        self.rows = rows;
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    fn into_columns(self) -> Vec<Column> {
        let rows = self.rows;
        self.segments
            .into_iter()
            .map(|segment| segment.into_column(rows))
            .collect()
    }

    /// The same rows encoded.
    pub fn sealed(mut self) -> Chunk {
        let (rows, deleted) = (self.rows, std::mem::take(&mut self.deleted));
        Chunk::sealed_from(self.into_columns(), rows, deleted)
    }

    /// The first `rows` rows as they were before they were encoded.
    pub fn reopened(mut self, rows: usize) -> Chunk {
        let mut deleted = std::mem::take(&mut self.deleted);
        deleted.truncate(rows);
        let mut columns = self.into_columns();
        for column in &mut columns {
            column.truncate(rows);
        }
        Chunk::open(columns, rows, deleted)
    }

    /// The chunk without its deleted rows, encoded again.
    pub fn compacted(&self) -> Chunk {
        let kept: Vec<u32> = (0..self.rows as u32)
            .filter(|&row| !self.deleted.get(row as usize))
            .collect();
        let gathered = |segment: &Segment| {
            let mut column = Column::new(segment.ty());
            segment.gather(&kept, &mut column);
            column
        };
        let columns = self.segments.iter().map(gathered).collect();
        Chunk::sealed_from(columns, kept.len(), Bitmap::new())
    }

    /// Takes no more rows.
    pub fn is_full(&self) -> bool {
        self.rows == CHUNK_ROWS || self.bytes >= CHUNK_BYTES
    }

    /// Forgets a deletion that was rolled back.
    pub fn undelete(&mut self, row: usize) {
        self.deleted.unset(row);
        if self.deleted.count() == 0 {
            self.deleted.clear();
        }
    }

    /// Memory to account for.
    pub fn bytes(&self) -> u64 {
        self.bytes + self.deleted.words().len() as u64 * 8
    }

    /// Pages that a segment takes.
    pub fn pages_of(&self, column: usize) -> u64 {
        self.segments[column].bytes().div_ceil(PAGE_BYTES)
    }

    /// Pages that all segments take.
    pub fn pages(&self) -> u64 {
        (0..self.segments.len())
            .map(|column| self.pages_of(column))
            .sum()
    }
}
