//! From the page into column vectors: the wanted columns of the tuples that passed, column by column.

use std::rc::Rc;

use super::array_payload;
use super::deform::{NULL, Start, TupleWalk};
use super::layout::RowLayout;
use super::store::corrupted_tuple;
use super::tuple::load;
use crate::am::{ScanSpec, Tid};
use crate::error::{Error, Result};
use crate::storage::{PAGE_SIZE, Page, varlena};
use crate::value::{Batch, Column, Numeric, Vector};

/// A tuple of the page under the scan: its line pointer's number and its offset on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate(u32);

impl Candidate {
    #[inline(always)]
    pub fn new(line: usize, offset: usize) -> Self {
        Candidate((line as u32) << 16 | offset as u32)
    }

    #[inline(always)]
    pub fn line(self) -> usize {
        (self.0 >> 16) as usize
    }

    #[inline(always)]
    pub fn offset(self) -> usize {
        (self.0 & 0xFFFF) as usize
    }
}

/// The page under the scan.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    pub page: &'a Page,
    pub block: u32,
    /// No tuple has a NULL or lacks a column: fixed offsets hold.
    pub plain: bool,
}

/// Which columns a scan returns and how it gets at them.
#[derive(Debug)]
pub struct Output {
    /// Table columns in the batch's order.
    columns: Vec<usize>,
    with_tid: bool,
    /// The highest column without a fixed offset: tuples of a plain page are deformed up to there, if at all.
    last_varying: Option<usize>,
    /// The highest column of all.
    last: Option<usize>,
    /// Starts of the wanted columns of many tuples, tuple after tuple.
    starts: Vec<Start>,
}

impl Output {
    /// Errors: XX000 for a column that the relation does not have.
    pub fn new(layout: &RowLayout, spec: ScanSpec) -> Result<Self> {
        let last = spec.columns.iter().copied().max();
        if last.is_some_and(|last| last >= layout.attributes.len()) {
            return Err(Error::internal(
                "a scan wants a column that its relation does not have",
            ));
        }
        let varying = |&column: &usize| layout.attributes[column].fixed_offset.is_none();
        Ok(Output {
            last_varying: spec.columns.iter().copied().filter(varying).max(),
            columns: spec.columns,
            with_tid: spec.with_tid,
            last,
            starts: Vec::new(),
        })
    }

    /// The attribute that a tuple's walk must reach before [`Output::note`]; None: no walk is needed.
    #[inline]
    pub fn walks_through(&self, plain: bool) -> Option<usize> {
        if plain { self.last_varying } else { self.last }
    }

    /// Forgets what was noted.
    #[inline]
    pub fn begin(&mut self) {
        self.starts.clear();
    }

    /// Notes where a tuple's wanted columns are, given the starts of all its attributes.
    #[inline]
    pub fn note(&mut self, starts: &[Start]) {
        self.starts
            .extend(self.columns.iter().map(|&column| starts[column]));
    }

    /// Walks through the tuples and notes their columns; `scratch` has a place an attribute. Errors: XX001.
    fn note_all(
        &mut self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        scratch: &mut [Start],
    ) -> Result<()> {
        self.begin();
        if let Some(last) = self.walks_through(view.plain) {
            for &tuple in tuples {
                let mut walk = TupleWalk::new(view, &layout.attributes, tuple, scratch);
                self.note(walk.through(last)?);
            }
        }
        Ok(())
    }

    /// Appends one tuple's wanted columns, without the set-up that pays only for several. Errors: XX001;
    /// nothing has been appended then.
    #[inline]
    pub fn append_one(
        &self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuple: Candidate,
        scratch: &mut [Start],
        out: &mut Batch,
    ) -> Result<()> {
        let rows = out.physical_rows();
        let mut walk = TupleWalk::new(view, &layout.attributes, tuple, scratch);
        for (&table_column, column) in self.columns.iter().zip(&mut out.columns) {
            let pushed = walk
                .start(table_column)
                .and_then(|start| push_value(column, view, start));
            if let Err(error) = pushed {
                truncate(out, rows);
                return Err(error);
            }
        }
        if self.with_tid {
            self.append_tids(view, &[tuple], out);
        }
        out.set_physical_rows(rows + 1);
        Ok(())
    }

    /// Walks through the tuples and appends their wanted columns. On an error the rows before the damaged
    /// tuple have been appended.
    #[inline]
    pub fn append(
        &mut self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        scratch: &mut [Start],
        out: &mut Batch,
    ) -> Result<()> {
        if self.walks_through(view.plain).is_some()
            && let Err(error) = self.note_all(layout, view, tuples, scratch)
        {
            return self.append_singly(layout, view, tuples, scratch, out, error);
        }
        self.append_noted(layout, view, tuples, scratch, out)
    }

    /// As [`Output::append`], for tuples whose columns have been noted.
    #[inline]
    pub fn append_noted(
        &mut self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        scratch: &mut [Start],
        out: &mut Batch,
    ) -> Result<()> {
        let before = out.physical_rows();
        match self.append_columns(layout, view, tuples, out) {
            Ok(()) => {
                out.set_physical_rows(before + tuples.len());
                Ok(())
            }
            Err(error) => self.append_singly(layout, view, tuples, scratch, out, error),
        }
    }

    /// Tuple by tuple up to the damaged one.
    #[cold]
    fn append_singly(
        &mut self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        scratch: &mut [Start],
        out: &mut Batch,
        error: Error,
    ) -> Result<()> {
        truncate(out, out.physical_rows());
        for &tuple in tuples {
            if self.append_one(layout, view, tuple, scratch, out).is_err() {
                break;
            }
        }
        Err(error)
    }

    #[inline]
    fn append_columns(
        &self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        out: &mut Batch,
    ) -> Result<()> {
        let wanted = self.columns.len();
        for (at, (&table_column, column)) in self.columns.iter().zip(&mut out.columns).enumerate() {
            match layout.attributes[table_column].fixed_offset {
                Some(offset) if view.plain => {
                    let starts = tuples.iter().map(|tuple| tuple.offset() + offset);
                    append_values(column, view, starts)?;
                }
                _ => {
                    let starts = self.starts.iter().skip(at).step_by(wanted);
                    append_nullable(column, view, starts)?;
                }
            }
        }
        if self.with_tid {
            self.append_tids(view, tuples, out);
        }
        Ok(())
    }

    fn append_tids(&self, view: PageView<'_>, tuples: &[Candidate], out: &mut Batch) {
        let column = out.columns.get_mut(self.columns.len());
        if let Some(Vector::Int8(tids)) = column.map(|column| &mut column.data) {
            let tid = |tuple: &Candidate| Tid::new(view.block, tuple.line() as u16).0 as i64;
            tids.extend(tuples.iter().map(tid));
        }
    }
}

/// Forgets the rows from `rows` on in columns that may be of unequal length.
#[cold]
fn truncate(out: &mut Batch, rows: usize) {
    for column in &mut out.columns {
        column.truncate(rows);
    }
}

/// Appends the value that starts at `start`. Errors: XX001.
#[inline]
fn push_value(column: &mut Column, view: PageView<'_>, start: Start) -> Result<()> {
    if start == NULL {
        column.push_null();
        return Ok(());
    }
    let (bytes, at) = (view.page.bytes(), usize::from(start));
    match &mut column.data {
        Vector::Int4(v) => v.push(i32::from_le_bytes(load(bytes, at))),
        Vector::Int8(v) => v.push(i64::from_le_bytes(load(bytes, at))),
        Vector::Int2(v) => v.push(i16::from_le_bytes(load(bytes, at))),
        Vector::Bool(v) => v.push(load::<1>(bytes, at) != [0]),
        Vector::Float4(v) => v.push(f32::from_le_bytes(load(bytes, at))),
        Vector::Float8(v) => v.push(f64::from_le_bytes(load(bytes, at))),
        Vector::Text(v) => v.push_bytes(varlena_at(bytes, view.block, at)?),
        Vector::Numeric(v) => v.push(Numeric::decode(varlena_at(bytes, view.block, at)?)?),
        Vector::Array(_) => return append_arrays(column, view, std::iter::once(at)),
    }
    Ok(())
}

/// Appends the values at `starts`, some of which are NULL.
fn append_nullable<'a>(
    column: &mut Column,
    view: PageView<'_>,
    starts: impl Iterator<Item = &'a Start> + Clone,
) -> Result<()> {
    let before = column.len();
    append_values(
        column,
        view,
        starts.clone().map(|&start| usize::from(start)),
    )?;
    for (row, &start) in starts.enumerate() {
        if start == NULL {
            column.nulls.set(before + row);
        }
    }
    Ok(())
}

/// Appends the values at `starts`; anything for a NULL.
#[inline]
fn append_values(
    column: &mut Column,
    view: PageView<'_>,
    starts: impl Iterator<Item = usize>,
) -> Result<()> {
    let bytes = view.page.bytes();
    match &mut column.data {
        Vector::Int4(v) => v.extend(starts.map(|at| i32::from_le_bytes(load(bytes, at)))),
        Vector::Int8(v) => v.extend(starts.map(|at| i64::from_le_bytes(load(bytes, at)))),
        Vector::Int2(v) => v.extend(starts.map(|at| i16::from_le_bytes(load(bytes, at)))),
        Vector::Bool(v) => v.extend(starts.map(|at| load::<1>(bytes, at) != [0])),
        Vector::Float4(v) => v.extend(starts.map(|at| f32::from_le_bytes(load(bytes, at)))),
        Vector::Float8(v) => v.extend(starts.map(|at| f64::from_le_bytes(load(bytes, at)))),
        Vector::Text(v) => {
            for at in starts {
                v.push_bytes(if at == 0 {
                    &[]
                } else {
                    varlena_at(bytes, view.block, at)?
                });
            }
        }
        Vector::Numeric(v) => {
            for at in starts {
                v.push(match at {
                    0 => Numeric::ZERO,
                    at => Numeric::decode(varlena_at(bytes, view.block, at)?)?,
                });
            }
        }
        Vector::Array(_) => return append_arrays(column, view, starts),
    }
    Ok(())
}

fn append_arrays(
    column: &mut Column,
    view: PageView<'_>,
    starts: impl Iterator<Item = usize>,
) -> Result<()> {
    for at in starts {
        if at == 0 {
            column.pad_to(column.len() + 1);
            continue;
        }
        let payload = varlena_at(view.page.bytes(), view.block, at)?;
        let array = array_payload::decode(payload, column.ty().element())?;
        if let Vector::Array(v) = &mut column.data {
            v.push(Rc::new(array));
        }
    }
    Ok(())
}

/// The data of the varlena value that starts at `at`. Errors: XX001.
#[inline]
pub fn varlena_at(page: &[u8; PAGE_SIZE], block: u32, at: usize) -> Result<&[u8]> {
    match varlena::data(page, at) {
        Some((from, to)) => Ok(&page[from..to]),
        None => Err(corrupted_tuple(block)),
    }
}
