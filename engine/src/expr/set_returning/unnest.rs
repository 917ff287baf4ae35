//! `unnest(array)`: the elements as rows.

use std::rc::Rc;

use super::SetFunction;
use crate::error::Result;
use crate::value::{Array, Column};
use crate::work::Work;

pub(super) struct Unnest {
    array: Rc<Array>,
    at: usize,
}

impl Unnest {
    pub fn new(array: &Rc<Array>) -> Self {
        Unnest {
            array: Rc::clone(array),
            at: 0,
        }
    }
}

impl SetFunction for Unnest {
    fn next(&mut self, out: &mut [Column], want: usize, work: &mut Work) -> Result<bool> {
        let affordable = (work.left() as usize).max(1);
        let to = self
            .array
            .len()
            .min(self.at.saturating_add(want.min(affordable)));
        out[0].extend_range(&self.array.elements, self.at, to);
        work.spend((to - self.at) as u32);
        self.at = to;
        Ok(self.at < self.array.len())
    }
}
