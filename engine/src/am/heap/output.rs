//! From the page into column vectors: the wanted columns of the tuples that passed, column by column.

use std::rc::Rc;

use super::array_payload;
use super::deform::{Damaged, NULL, Start, TupleWalk};
use super::layout::RowLayout;
use super::store::corrupted_tuple;
use super::tuple::load;
use crate::am::{ScanSpec, Tid};
use crate::error::{Error, Result};
use crate::storage::{PAGE_SIZE, Page, varlena};
use crate::value::{Batch, Column, Interval, Numeric, Vector};

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

impl PageView<'_> {
    /// XX001
    #[cold]
    pub fn error(self, _: Damaged) -> Error {
        corrupted_tuple(self.block)
    }
}

/// Which columns a scan returns and how it gets at them.
#[derive(Debug)]
pub struct Output {
    /// Table columns in the batch's order.
    columns: Vec<usize>,
    with_tid: bool,
    /// Their offsets from the tuple's start on plain pages, unless some has none.
    offsets: Vec<u16>,
    /// Some column has no fixed offset, or there is any column: tuples are walked through on plain pages, or
    /// on others.
    walks_on_plain: bool,
    walks_on_others: bool,
    /// Starts of the wanted columns of many tuples, tuple after tuple.
    starts: Vec<Start>,
}

impl Output {
    /// Errors: XX000 for a column that the relation does not have.
    pub fn new(layout: &RowLayout, spec: ScanSpec) -> Result<Self> {
        let mut walks_on_plain = false;
        let mut offsets = Vec::new();
        for &column in &spec.columns {
            let Some(attribute) = layout.attributes.get(column) else {
                return Err(Error::internal(
                    "a scan wants a column that its relation does not have",
                ));
            };
            match attribute.fixed_offset() {
                Some(offset) => offsets.push(offset as u16),
                None => walks_on_plain = true,
            }
        }
        Ok(Output {
            walks_on_plain,
            walks_on_others: !spec.columns.is_empty(),
            columns: spec.columns,
            with_tid: spec.with_tid,
            offsets,
            starts: Vec::new(),
        })
    }

    /// Table columns in the batch's order.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Where the batch has a table column.
    pub fn position(&self, column: usize) -> Option<usize> {
        self.columns.iter().position(|&wanted| wanted == column)
    }

    /// Whether tuples must be walked through and noted before they are appended.
    #[inline]
    pub fn walks(&self, plain: bool) -> bool {
        if plain {
            self.walks_on_plain
        } else {
            self.walks_on_others
        }
    }

    /// Forgets what was noted.
    #[inline]
    pub fn begin(&mut self) {
        self.starts.clear();
    }

    /// Notes where a tuple's wanted columns are; nothing of a damaged tuple.
    #[inline(always)]
    pub fn note(&mut self, walk: &mut TupleWalk<'_>) -> Result<(), Damaged> {
        let before = self.starts.len();
        for &column in &self.columns {
            match walk.start(column) {
                Ok(start) => self.starts.push(start),
                Err(Damaged) => {
                    self.starts.truncate(before);
                    return Err(Damaged);
                }
            }
        }
        Ok(())
    }

    /// Walks through the tuples and notes their columns; `scratch` has a place an attribute.
    fn note_all(
        &mut self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        scratch: &mut [Start],
    ) -> Result<(), Damaged> {
        self.begin();
        if self.walks(view.plain) {
            for &tuple in tuples {
                self.note(&mut TupleWalk::new(view, layout, tuple, scratch))?;
            }
        }
        Ok(())
    }

    /// Appends one tuple's wanted columns, without the set-up that pays only for several. If it is
    /// damaged, nothing is appended.
    #[inline(always)]
    pub fn append_one(
        &self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuple: Candidate,
        scratch: &mut [Start],
        out: &mut Batch,
    ) -> Result<(), Damaged> {
        let rows = out.physical_rows();
        let pushed = if view.plain && !self.walks_on_plain {
            self.push_fixed(view, tuple, out)
        } else {
            self.push_walked(layout, view, tuple, scratch, out)
        };
        if pushed.is_err() {
            truncate(out, rows);
            return Err(Damaged);
        }
        if self.with_tid {
            self.append_tids(view, &[tuple], out);
        }
        out.set_physical_rows(rows + 1);
        Ok(())
    }

    #[inline(always)]
    fn push_fixed(
        &self,
        view: PageView<'_>,
        tuple: Candidate,
        out: &mut Batch,
    ) -> Result<(), Damaged> {
        for (&offset, column) in self.offsets.iter().zip(&mut out.columns) {
            push_value(column, view, tuple.offset() as Start + offset)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn push_walked(
        &self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuple: Candidate,
        scratch: &mut [Start],
        out: &mut Batch,
    ) -> Result<(), Damaged> {
        let mut walk = TupleWalk::new(view, layout, tuple, scratch);
        self.push_from(view, &mut walk, out)
    }

    #[inline(always)]
    fn push_from(
        &self,
        view: PageView<'_>,
        walk: &mut TupleWalk<'_>,
        out: &mut Batch,
    ) -> Result<(), Damaged> {
        for (&table_column, column) in self.columns.iter().zip(&mut out.columns) {
            push_value(column, view, walk.start(table_column)?)?;
        }
        Ok(())
    }

    /// As [`Output::append_one`], of a tuple that a walk has begun to go through.
    #[inline(always)]
    pub fn append_walked(
        &self,
        view: PageView<'_>,
        tuple: Candidate,
        walk: &mut TupleWalk<'_>,
        out: &mut Batch,
    ) -> Result<(), Damaged> {
        let rows = out.physical_rows();
        if self.push_from(view, walk, out).is_err() {
            truncate(out, rows);
            return Err(Damaged);
        }
        if self.with_tid {
            self.append_tids(view, &[tuple], out);
        }
        out.set_physical_rows(rows + 1);
        Ok(())
    }

    /// Walks through the tuples and appends their wanted columns. The rows before a damaged tuple are appended.
    #[inline]
    pub fn append(
        &mut self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        scratch: &mut [Start],
        out: &mut Batch,
    ) -> Result<(), Damaged> {
        if self.walks(view.plain) && self.note_all(layout, view, tuples, scratch).is_err() {
            return self.append_singly(layout, view, tuples, scratch, out);
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
    ) -> Result<(), Damaged> {
        let before = out.physical_rows();
        if self.append_columns(layout, view, tuples, out).is_err() {
            return self.append_singly(layout, view, tuples, scratch, out);
        }
        out.set_physical_rows(before + tuples.len());
        Ok(())
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
    ) -> Result<(), Damaged> {
        truncate(out, out.physical_rows());
        for &tuple in tuples {
            self.append_one(layout, view, tuple, scratch, out)?;
        }
        Ok(())
    }

    #[inline]
    fn append_columns(
        &self,
        layout: &RowLayout,
        view: PageView<'_>,
        tuples: &[Candidate],
        out: &mut Batch,
    ) -> Result<(), Damaged> {
        let wanted = self.columns.len();
        for (at, (&table_column, column)) in self.columns.iter().zip(&mut out.columns).enumerate() {
            match layout.attributes[table_column].fixed_offset() {
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

/// Appends the value that starts at `start`.
#[inline(always)]
fn push_value(column: &mut Column, view: PageView<'_>, start: Start) -> Result<(), Damaged> {
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
        Vector::Interval(v) => v.push(Interval::from_le_bytes(load(bytes, at))),
        Vector::Text(v) => v.push_bytes(varlena_at(bytes, at)?),
        Vector::Numeric(v) => v.push(numeric_at(bytes, at)?),
        Vector::Array(_) => return append_arrays(column, view, std::iter::once(at)),
    }
    Ok(())
}

/// Appends the values at `starts`, some of which are NULL.
fn append_nullable<'a>(
    column: &mut Column,
    view: PageView<'_>,
    starts: impl Iterator<Item = &'a Start> + Clone,
) -> Result<(), Damaged> {
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
) -> Result<(), Damaged> {
    let bytes = view.page.bytes();
    match &mut column.data {
        Vector::Int4(v) => v.extend(starts.map(|at| i32::from_le_bytes(load(bytes, at)))),
        Vector::Int8(v) => v.extend(starts.map(|at| i64::from_le_bytes(load(bytes, at)))),
        Vector::Int2(v) => v.extend(starts.map(|at| i16::from_le_bytes(load(bytes, at)))),
        Vector::Bool(v) => v.extend(starts.map(|at| load::<1>(bytes, at) != [0])),
        Vector::Float4(v) => v.extend(starts.map(|at| f32::from_le_bytes(load(bytes, at)))),
        Vector::Float8(v) => v.extend(starts.map(|at| f64::from_le_bytes(load(bytes, at)))),
        Vector::Interval(v) => {
            v.extend(starts.map(|at| Interval::from_le_bytes(load(bytes, at))));
        }
        Vector::Text(v) => {
            for at in starts {
                v.push_bytes(if at == 0 { &[] } else { varlena_at(bytes, at)? });
            }
        }
        Vector::Numeric(v) => {
            for at in starts {
                v.push(match at {
                    0 => Numeric::ZERO,
                    at => numeric_at(bytes, at)?,
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
) -> Result<(), Damaged> {
    for at in starts {
        if at == 0 {
            column.pad_to(column.len() + 1);
            continue;
        }
        let payload = varlena_at(view.page.bytes(), at)?;
        let array = array_payload::decode(payload, column.ty().element()).map_err(|_| Damaged)?;
        if let Vector::Array(v) = &mut column.data {
            v.push(Rc::new(array));
        }
    }
    Ok(())
}

/// The data of the varlena value that starts at `at`.
#[inline]
pub fn varlena_at(page: &[u8; PAGE_SIZE], at: usize) -> Result<&[u8], Damaged> {
    match varlena::data(page, at) {
        Some((from, to)) => Ok(&page[from..to]),
        None => Err(Damaged),
    }
}

pub fn numeric_at(page: &[u8; PAGE_SIZE], at: usize) -> Result<Numeric, Damaged> {
    Numeric::decode(varlena_at(page, at)?).map_err(|_| Damaged)
}
