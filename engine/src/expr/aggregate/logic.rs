//! `bool_and` (`every`) and `bool_or`.

use std::ops::Range;

use super::super::operand::Native;
use super::{Groups, State, Stop, each_value};
use crate::error::Result;
use crate::value::{Column, Rows};

pub(super) struct Logic {
    and: bool,
    truths: Vec<Option<bool>>,
}

impl Logic {
    pub fn new(and: bool) -> Self {
        Logic {
            and,
            truths: Vec::new(),
        }
    }
}

impl State for Logic {
    fn grow(&mut self, groups: usize) {
        self.truths.resize(groups.max(self.truths.len()), None);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let (values, truths, and) = (bool::slice(&args[0].data), &mut self.truths, self.and);
        each_value(groups, args[0], rows, |group, row| {
            let so_far = truths[group].unwrap_or(and);
            truths[group] = Some(if and {
                so_far & values[row]
            } else {
                so_far | values[row]
            });
        });
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for truth in &self.truths[groups] {
            match truth {
                Some(truth) => bool::vector(&mut out.data).push(*truth),
                None => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.truths.clear();
    }

    fn accounted_bytes(&self) -> u64 {
        self.truths.len() as u64
    }
}
