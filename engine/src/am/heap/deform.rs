//! One walk over a tuple's attributes, from left to right and only as far as asked (PostgreSQL's
//! `slot_deform_heap_tuple`): it answers where each attribute starts and copies nothing.

use super::layout::{Attribute, Width};
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
