//! One walk over a tuple's attributes, from left to right and only as far as asked (PostgreSQL's
//! `slot_deform_heap_tuple`): it answers where each attribute starts and copies nothing.

use super::layout::{Attribute, RowLayout};
use super::output::{Candidate, PageView};
use super::tuple::{self, Shape};
use crate::storage::{PAGE_SIZE, align_up, varlena};

/// Where an attribute starts, in bytes from the start of the page; no attribute starts at 0.
pub type Start = u16;
/// The attribute is NULL.
pub const NULL: Start = 0;

/// A tuple or a value that cannot be right. Small, because it is part of the answer for every tuple;
/// [`PageView::error`] makes the error of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// A walk over one tuple.
#[derive(Debug)]
pub struct TupleWalk<'a> {
    pub view: PageView<'a>,
    attributes: &'a [Attribute],
    /// Where attributes start that have been walked through.
    starts: &'a mut [Start],
    tuple: usize,
    /// Attributes stored, of a tuple that has NULLs or lacks attributes; None: fixed offsets hold.
    irregular: Option<usize>,
    /// The next attribute, and where the walk stands.
    next: usize,
    at: usize,
}

impl<'a> TupleWalk<'a> {
    /// `starts` has one place an attribute; what is in it does not matter.
    #[inline(always)]
    pub fn new(
        view: PageView<'a>,
        layout: &'a RowLayout,
        tuple: Candidate,
        starts: &'a mut [Start],
    ) -> Self {
        let tuple = tuple.offset();
        let mut walk = TupleWalk {
            view,
            attributes: &layout.attributes,
            starts,
            tuple,
            irregular: None,
            next: layout.first_walked,
            at: tuple + layout.walked_from,
        };
        if !view.plain {
            let shape = Shape::of(view.page.bytes(), tuple);
            if shape.has_null || shape.attributes < layout.attributes.len() {
                walk.irregular = Some(shape.attributes);
                walk.next = 0;
                walk.at = tuple + shape.data_offset;
            }
        }
        walk
    }

    /// Where attribute `column` starts.
    #[inline(always)]
    pub fn start(&mut self, column: usize) -> Result<Start, Damaged> {
        if self.irregular.is_none()
            && let Some(offset) = self.attributes[column].fixed_offset()
        {
            return Ok((self.tuple + offset) as Start);
        }
        if self.next <= column {
            match self.irregular {
                None => self.walk(column, |_, _| false)?,
                Some(stored) => self.walk(column, |walk, column| {
                    column >= stored || tuple::is_null(walk.view.page.bytes(), walk.tuple, column)
                })?,
            }
        }
        Ok(self.starts[column])
    }

    /// Walks on through attribute `last`.
    #[inline(always)]
    fn walk(&mut self, last: usize, is_null: impl Fn(&Self, usize) -> bool) -> Result<(), Damaged> {
        let page = self.view.page.bytes();
        while self.next <= last {
            let column = self.next;
            self.next += 1;
            if is_null(self, column) {
                self.starts[column] = NULL;
                continue;
            }
            // Alignment counts from the tuple's start, which is itself aligned as far as any type needs.
            let attribute = self.attributes[column];
            let start = match attribute.fixed_width() {
                Some(width) => {
                    let start = align_up(self.at, attribute.align());
                    self.at = start + width;
                    start
                }
                None => {
                    let start = varlena::start(page, self.at, attribute.align());
                    self.at = varlena::end(page, start).ok_or(Damaged)?;
                    start
                }
            };
            if self.at > PAGE_SIZE {
                return Err(Damaged);
            }
            self.starts[column] = start as Start;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::am::RowShape;
    use crate::am::heap::form::TupleFormer;
    use crate::storage::{Page, Snapshot};
    use crate::value::{Batch, Datum, Type};

    /// All keys of a scan share one walk over a tuple: it goes on where the key before has left it.
    #[test]
    fn a_walk_goes_on_to_the_highest_column_asked_for_and_never_back() {
        let types = [Type::TEXT, Type::INT4, Type::TEXT, Type::INT4, Type::TEXT];
        let layout = RowLayout::new(&RowShape {
            columns: types.to_vec(),
            fill_factor: 100,
        });
        let mut batch = Batch::with_types(&types);
        batch.push_row(&[
            Datum::Text("a".into()),
            Datum::Int4(1),
            Datum::Text("b".into()),
            Datum::Int4(2),
            Datum::Text("c".into()),
        ]);
        let mut former = TupleFormer::default();
        let snapshot = Snapshot { xid: 3, command: 0 };
        former.form(&layout, &batch, 0, snapshot, 0);
        let mut page = Page::zeroed();
        page.initialise();
        let length = former.tuple().len();
        let (line, at) = page.add(length).expect("an empty page has room");
        page.bytes_mut()[at..at + length].copy_from_slice(former.tuple());
        let view = PageView {
            page: &page,
            block: 0,
            plain: true,
        };
        const UNTOUCHED: Start = 9999;
        let mut starts = vec![UNTOUCHED; types.len()];
        let mut walk = TupleWalk::new(view, &layout, Candidate::new(line, at), &mut starts);
        let second = walk.start(1).expect("sound");
        assert_eq!((walk.next, walk.starts[3]), (2, UNTOUCHED));
        // If it went back, it would find the first columns' starts again.
        walk.starts[0] = UNTOUCHED;
        walk.starts[1] = UNTOUCHED;
        let fourth = walk.start(3).expect("sound");
        assert_eq!(walk.next, 4);
        assert_eq!(walk.starts[..2], [UNTOUCHED; 2]);
        assert_eq!(walk.starts[4], UNTOUCHED, "no further than asked");
        for (start, value) in [(second, 1), (fourth, 2)] {
            let bytes = tuple::load(page.bytes(), usize::from(start));
            assert_eq!(i32::from_le_bytes(bytes), value);
        }
    }
}
