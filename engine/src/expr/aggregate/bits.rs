//! `bit_and`, `bit_or` and `bit_xor`.

use std::ops::Range;

use super::{Groups, State, Stop, each_value};
use crate::error::Result;
use crate::value::{Column, Rows, Vector};

/// How two integers become one; sign extension keeps the bits of narrower ones right.
type Combine = fn(i64, i64) -> i64;

pub(super) struct Bits {
    combine: Combine,
    groups: Vec<Option<i64>>,
}

impl Bits {
    /// `None` for a name that is none of the three.
    pub fn named(name: &str) -> Option<Self> {
        let combine: Combine = match name {
            "bit_and" => |a, b| a & b,
            "bit_or" => |a, b| a | b,
            "bit_xor" => |a, b| a ^ b,
            _ => return None,
        };
        Some(Bits {
            combine,
            groups: Vec::new(),
        })
    }
}

impl State for Bits {
    fn grow(&mut self, groups: usize) {
        self.groups.resize(groups.max(self.groups.len()), None);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let Bits {
            combine,
            groups: states,
        } = self;
        each_value(groups, args[0], rows, |group, row| {
            let value = match &args[0].data {
                Vector::Int2(values) => i64::from(values[row]),
                Vector::Int4(values) => i64::from(values[row]),
                Vector::Int8(values) => values[row],
                _ => unreachable!("chosen for integers"),
            };
            states[group] = Some(states[group].map_or(value, |bits| combine(bits, value)));
        });
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for bits in &self.groups[groups] {
            match (bits, &mut out.data) {
                (None, _) => out.push_null(),
                (Some(bits), Vector::Int2(out)) => out.push(*bits as i16),
                (Some(bits), Vector::Int4(out)) => out.push(*bits as i32),
                (Some(bits), Vector::Int8(out)) => out.push(*bits),
                _ => unreachable!("chosen for integers"),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.groups.clear();
    }

    fn accounted_bytes(&self) -> u64 {
        self.groups.len() as u64 * 16
    }
}
