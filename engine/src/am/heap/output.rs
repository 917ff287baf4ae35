//! From the page into column vectors: the wanted columns of the tuples that passed, column by column.

use std::rc::Rc;

use super::array_payload;
use super::deform::{NULL, Start, TupleWalk};
use super::layout::{Attribute, RowLayout};
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
        let mut rows = out.physical_rows();
        for tuple in tuples {
            out.columns
                .iter_mut()
                .for_each(|column| column.truncate(rows));
            let tuple = std::slice::from_ref(tuple);
            let appended = self
                .note_all(layout, view, tuple, scratch)
                .and_then(|()| self.append_columns(layout, view, tuple, out));
            if appended.is_err() {
                break;
            }
            rows += 1;
        }
        out.columns
            .iter_mut()
            .for_each(|column| column.truncate(rows));
        out.set_physical_rows(rows);
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
            let attribute = &layout.attributes[table_column];
            match attribute.fixed_offset {
                Some(offset) if view.plain => {
                    let starts = tuples.iter().map(|tuple| tuple.offset() + offset);
                    append_values(column, attribute, view, starts)?;
                }
                _ => {
                    let starts = self.starts.iter().skip(at).step_by(wanted);
                    append_nullable(column, attribute, view, starts)?;
                }
            }
        }
        if self.with_tid
            && let Some(Vector::Int8(tids)) =
                out.columns.get_mut(wanted).map(|column| &mut column.data)
        {
            tids.extend(
                tuples
                    .iter()
                    .map(|tuple| Tid::new(view.block, tuple.line() as u16).0 as i64),
            );
        }
        Ok(())
    }
}

/// Appends the values at `starts`, some of which are NULL.
fn append_nullable<'a>(
    column: &mut Column,
    attribute: &Attribute,
    view: PageView<'_>,
    starts: impl Iterator<Item = &'a Start> + Clone,
) -> Result<()> {
    let before = column.len();
    append_values(
        column,
        attribute,
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
    attribute: &Attribute,
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
        Vector::Array(_) => return append_arrays(column, attribute, view, starts),
    }
    Ok(())
}

fn append_arrays(
    column: &mut Column,
    attribute: &Attribute,
    view: PageView<'_>,
    starts: impl Iterator<Item = usize>,
) -> Result<()> {
    for at in starts {
        if at == 0 {
            column.pad_to(column.len() + 1);
            continue;
        }
        let payload = varlena_at(view.page.bytes(), view.block, at)?;
        let array = array_payload::decode(payload, attribute.ty.element())?;
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
