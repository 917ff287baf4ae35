//! `min` and `max`. Of equal values the last one stays, as in `numeric_larger` and its siblings,
//! which shows in a numeric's scale and in the sign of a zero.

use std::ops::Range;
use std::rc::Rc;

use super::super::compare::Total;
use super::super::operand::Native;
use super::{Groups, State, Stop, each_value};
use crate::error::Result;
use crate::value::text::without_blanks;
use crate::value::{Array, Base, Column, Interval, Numeric, Rows, Type, Vector, compare_arrays};

/// The state for a type; `None` for types without the aggregate (boolean).
pub(super) fn state(ty: Type, greatest: bool) -> Option<Box<dyn State>> {
    if ty.array {
        let beats = |a: &Rc<Array>, b: &Rc<Array>| compare_arrays(a, b).is_gt();
        return Some(Box::new(LargeExtreme {
            greatest,
            beats,
            bytes: |array| 24 + array.elements.accounted_bytes(),
            best: Vec::new(),
            held: 0,
        }));
    }
    Some(match ty.base {
        Base::Int2 => Box::new(Extreme::<i16>::new(greatest)),
        Base::Int4 | Base::Date => Box::new(Extreme::<i32>::new(greatest)),
        Base::Int8 | Base::Timestamp => Box::new(Extreme::<i64>::new(greatest)),
        Base::Float4 => Box::new(Extreme::<f32>::new(greatest)),
        Base::Float8 => Box::new(Extreme::<f64>::new(greatest)),
        Base::Numeric => Box::new(LargeExtreme {
            greatest,
            beats: |a: &Numeric, b: &Numeric| a > b,
            bytes: |value| 32 + value.heap_bytes(),
            best: Vec::new(),
            held: 0,
        }),
        Base::Interval => Box::new(LargeExtreme {
            greatest,
            beats: |a: &Interval, b: &Interval| a > b,
            bytes: |_| 16,
            best: Vec::new(),
            held: 0,
        }),
        Base::Text | Base::Varchar | Base::Bpchar | Base::Unknown => {
            Box::new(TextExtreme::new(greatest))
        }
        Base::Bool | Base::Void => return None,
    })
}

/// Of machine values.
struct Extreme<T> {
    greatest: bool,
    best: Vec<T>,
    seen: Vec<bool>,
}

impl<T: Total> Extreme<T> {
    fn new(greatest: bool) -> Self {
        Extreme {
            greatest,
            best: Vec::new(),
            seen: Vec::new(),
        }
    }

    #[inline(always)]
    fn add(
        &mut self,
        groups: Groups<'_>,
        column: &Column,
        rows: Rows<'_>,
        stays: impl Fn(T, T) -> bool,
    ) {
        let values = T::slice(&column.data);
        if let (Groups::One(group), Rows::Range(from, to), false) =
            (groups, rows, column.nulls.any())
        {
            let values = &values[from..to];
            let Some(&first) = values.first() else {
                return;
            };
            let first = if self.seen[group] {
                self.best[group]
            } else {
                first
            };
            self.best[group] =
                values.iter().fold(
                    first,
                    |best, &value| if stays(best, value) { best } else { value },
                );
            self.seen[group] = true;
            return;
        }
        let (best, seen) = (&mut self.best, &mut self.seen);
        each_value(groups, column, rows, |group, row| {
            if !(seen[group] && stays(best[group], values[row])) {
                best[group] = values[row];
                seen[group] = true;
            }
        });
    }
}

impl<T: Total> State for Extreme<T> {
    fn grow(&mut self, groups: usize) {
        let groups = groups.max(self.best.len());
        self.best.resize(groups, T::default());
        self.seen.resize(groups, false);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        if self.greatest {
            self.add(groups, args[0], rows, |best, value| T::less(value, best));
        } else {
            self.add(groups, args[0], rows, |best, value| T::less(best, value));
        }
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for group in groups {
            if self.seen[group] {
                T::vector(&mut out.data).push(self.best[group]);
            } else {
                out.push_null();
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.best.clear();
        self.seen.clear();
    }

    fn accounted_bytes(&self) -> u64 {
        self.best.len() as u64 * (std::mem::size_of::<T>() as u64 + 1)
    }
}

/// Of numerics and arrays.
struct LargeExtreme<T> {
    greatest: bool,
    beats: fn(&T, &T) -> bool,
    bytes: fn(&T) -> u64,
    best: Vec<Option<T>>,
    /// Bytes of the best values.
    held: u64,
}

impl<T: Native> State for LargeExtreme<T> {
    fn grow(&mut self, groups: usize) {
        self.best.resize(groups.max(self.best.len()), None);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let (values, best) = (T::slice(&args[0].data), &mut self.best);
        let (greatest, beats, bytes) = (self.greatest, self.beats, self.bytes);
        let held = &mut self.held;
        each_value(groups, args[0], rows, |group, row| {
            let value = &values[row];
            let stays = match &best[group] {
                Some(best) if greatest => beats(best, value),
                Some(best) => beats(value, best),
                None => false,
            };
            if !stays {
                *held -= best[group].as_ref().map_or(0, bytes);
                *held += bytes(value);
                best[group] = Some(value.clone());
            }
        });
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for best in &self.best[groups] {
            match best {
                Some(best) => T::vector(&mut out.data).push(best.clone()),
                None => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.best.clear();
        self.held = 0;
    }

    fn accounted_bytes(&self) -> u64 {
        self.best.len() as u64 * 8 + self.held
    }
}

/// Of text, each group's best in a buffer that is written over.
struct TextExtreme {
    greatest: bool,
    best: Vec<Option<Vec<u8>>>,
    bytes: u64,
}

impl TextExtreme {
    fn new(greatest: bool) -> Self {
        TextExtreme {
            greatest,
            best: Vec::new(),
            bytes: 0,
        }
    }
}

impl State for TextExtreme {
    fn grow(&mut self, groups: usize) {
        self.best.resize(groups.max(self.best.len()), None);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let Vector::Text(values) = &args[0].data else {
            unreachable!("chosen for text");
        };
        let TextExtreme {
            greatest,
            best,
            bytes,
        } = self;
        let padded = args[0].is_blank_padded();
        let order = |a: &[u8], b: &[u8]| match padded {
            true => without_blanks(a).cmp(without_blanks(b)),
            false => a.cmp(b),
        };
        each_value(groups, args[0], rows, |group, row| {
            let value = values.bytes_of(row);
            match &mut best[group] {
                Some(best) => {
                    let replaced = if *greatest {
                        order(value, best).is_gt()
                    } else {
                        order(value, best).is_lt()
                    };
                    if replaced {
                        *bytes = *bytes - best.len() as u64 + value.len() as u64;
                        best.clear();
                        best.extend_from_slice(value);
                    }
                }
                empty => {
                    *bytes += value.len() as u64;
                    *empty = Some(value.to_vec());
                }
            }
        });
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for best in &self.best[groups] {
            match (best, &mut out.data) {
                (Some(best), Vector::Text(out)) => out.push_bytes(best),
                _ => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.best.clear();
        self.bytes = 0;
    }

    fn accounted_bytes(&self) -> u64 {
        self.best.len() as u64 * 24 + self.bytes
    }
}
