//! One walk over a tuple's attributes, from left to right and only as far as asked (PostgreSQL's
//! `slot_deform_heap_tuple`): it answers where each attribute starts and copies nothing.

use super::layout::{Attribute, Width};
use super::output::{Candidate, PageView};
use super::store::corrupted_tuple;
use super::tuple::{self, HEADER_SIZE, infomask};
use crate::error::Result;
use crate::storage::{LinePointer, PAGE_SIZE, Page, varlena};

/// Where an attribute starts, in bytes from the start of the page; no attribute starts at 0.
pub type Start = u16;
/// The attribute is NULL.
pub const NULL: Start = 0;

/// A walk over one tuple.
#[derive(Clone, Copy, Debug)]
pub struct Deform {
    block: u32,
    tuple: usize,
    end: usize,
    /// Attributes stored; later ones are NULL.
    stored: usize,
    has_null: bool,
    /// The next attribute, and where the walk stands.
    next: usize,
    at: usize,
}

impl Deform {
    /// Errors: XX001 for a line pointer or a header that cannot be right.
    #[inline]
    pub fn new(page: &Page, block: u32, pointer: LinePointer) -> Result<Deform> {
        let (at, length) = (pointer.offset(), pointer.length());
        let bytes = page.bytes();
        let data = tuple::data_offset(bytes, at);
        let stored = tuple::attributes(bytes, at);
        let has_null = tuple::infomask(bytes, at) & infomask::HAS_NULL != 0;
        let bitmap = if has_null { stored.div_ceil(8) } else { 0 };
        let sound = pointer.is_normal()
            && at > 0
            && at + length <= PAGE_SIZE
            && data <= length
            && HEADER_SIZE + bitmap <= data;
        if !sound {
            return Err(corrupted_tuple(block));
        }
        Ok(Deform {
            block,
            tuple: at,
            end: at + length,
            stored,
            has_null,
            next: 0,
            at: at + data,
        })
    }

    /// Walks on through attribute `last` and writes the starts of all attributes passed.
    /// Errors: XX001 for an attribute that leaves the tuple.
    pub fn through(
        &mut self,
        page: &Page,
        attributes: &[Attribute],
        last: usize,
        starts: &mut [Start],
    ) -> Result<()> {
        let bytes = page.bytes();
        while self.next <= last {
            let column = self.next;
            self.next += 1;
            if column >= self.stored || self.has_null && tuple::is_null(bytes, self.tuple, column) {
                starts[column] = NULL;
                continue;
            }
            // Alignment counts from the tuple's start, which is itself aligned as far as any type needs.
            let attribute = &attributes[column];
            let (start, end) = match attribute.width {
                Width::Fixed(width) => {
                    let start = self.at.next_multiple_of(attribute.align);
                    (start, start + width)
                }
                Width::Varlena => {
                    let start = varlena::start(bytes, self.at, attribute.align);
                    match varlena::data(bytes, start) {
                        Some((_, end)) => (start, end),
                        None => return Err(corrupted_tuple(self.block)),
                    }
                }
            };
            if end > self.end {
                return Err(corrupted_tuple(self.block));
            }
            starts[column] = start as Start;
            self.at = end;
        }
        Ok(())
    }
}

/// A walk that starts when something on the tuple is first asked for, and goes no further than asked.
#[derive(Debug)]
pub struct TupleWalk<'a> {
    pub view: PageView<'a>,
    attributes: &'a [Attribute],
    tuple: Candidate,
    walk: Option<Deform>,
    /// The starts of the attributes walked through.
    starts: &'a mut [Start],
}

impl<'a> TupleWalk<'a> {
    /// `starts` has one place an attribute; what is in it does not matter.
    #[inline]
    pub fn new(
        view: PageView<'a>,
        attributes: &'a [Attribute],
        tuple: Candidate,
        starts: &'a mut [Start],
    ) -> Self {
        TupleWalk {
            view,
            attributes,
            tuple,
            walk: None,
            starts,
        }
    }

    /// Where attribute `column` starts. Errors: XX001.
    #[inline]
    pub fn start(&mut self, column: usize) -> Result<Start> {
        let fixed = self.attributes[column].fixed_offset;
        if self.view.plain
            && let Some(offset) = fixed
        {
            return Ok((self.tuple.offset() + offset) as Start);
        }
        if self.begin()?.next <= column {
            self.walk_through(column)?;
        }
        Ok(self.starts[column])
    }

    /// The starts of the attributes through `last`. Errors: XX001.
    #[inline]
    pub fn through(&mut self, last: usize) -> Result<&[Start]> {
        self.begin()?;
        self.walk_through(last)?;
        Ok(self.starts)
    }

    fn begin(&mut self) -> Result<&mut Deform> {
        if self.walk.is_none() {
            let pointer = self.view.page.line(self.tuple.line());
            self.walk = Some(Deform::new(self.view.page, self.view.block, pointer)?);
        }
        self.walk
            .as_mut()
            .ok_or_else(|| corrupted_tuple(self.view.block))
    }

    fn walk_through(&mut self, last: usize) -> Result<()> {
        match &mut self.walk {
            Some(walk) => walk.through(self.view.page, self.attributes, last, self.starts),
            None => Ok(()),
        }
    }
}
