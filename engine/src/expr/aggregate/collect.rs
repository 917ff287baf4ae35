//! `string_agg` and `array_agg`: the values themselves, in the order of the input.

use std::ops::Range;
use std::rc::Rc;

use super::{Groups, State, Stop};
use crate::error::{Error, Result, sqlstate};
use crate::value::{Array, Column, Datum, Rows, Type, Vector};

/// PostgreSQL's limit of one value (`MaxAllocSize`).
const MOST_BYTES: usize = 0x3FFF_FFFF;

/// `string_agg(value, delimiter)`: NULL values are left out, a NULL delimiter is none.
#[derive(Default)]
pub(super) struct StringAgg {
    texts: Vec<Option<Vec<u8>>>,
    bytes: u64,
}

impl State for StringAgg {
    fn grow(&mut self, groups: usize) {
        self.texts.resize(groups.max(self.texts.len()), None);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let (Vector::Text(values), Vector::Text(delimiters)) = (&args[0].data, &args[1].data)
        else {
            unreachable!("chosen for text");
        };
        let StringAgg { texts, bytes } = self;
        super::try_each_value(groups, args[0], rows, |group, row| {
            let value = values.bytes_of(row);
            match &mut texts[group] {
                Some(text) => {
                    let delimiter = if args[1].is_null(row) {
                        &[]
                    } else {
                        delimiters.bytes_of(row)
                    };
                    if text.len() + delimiter.len() + value.len() > MOST_BYTES {
                        return Err(too_long(text.len(), value.len()));
                    }
                    text.extend_from_slice(delimiter);
                    text.extend_from_slice(value);
                    *bytes += (delimiter.len() + value.len()) as u64;
                }
                empty => {
                    *empty = Some(value.to_vec());
                    *bytes += value.len() as u64;
                }
            }
            Ok(())
        })
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for text in &self.texts[groups] {
            match (text, &mut out.data) {
                (Some(text), Vector::Text(out)) => out.push_bytes(text),
                _ => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.texts.clear();
        self.bytes = 0;
    }

    fn accounted_bytes(&self) -> u64 {
        self.texts.len() as u64 * 24 + self.bytes
    }
}

/// `enlargeStringInfo`'s refusal.
#[cold]
fn too_long(has: usize, more: usize) -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "out of memory").with_detail(format!(
        "Cannot enlarge string buffer containing {has} bytes by {more} more bytes."
    ))
}

/// `array_agg(value)`: NULL values are kept.
pub(super) struct ArrayAgg {
    result: Type,
    arrays: Vec<Option<Column>>,
    rows: u64,
    bytes: u64,
}

impl ArrayAgg {
    pub fn new(result: Type) -> Self {
        ArrayAgg {
            result,
            arrays: Vec::new(),
            rows: 0,
            bytes: 0,
        }
    }
}

impl State for ArrayAgg {
    fn grow(&mut self, groups: usize) {
        self.arrays.resize(groups.max(self.arrays.len()), None);
    }

    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop> {
        let element = self.result.element();
        let long = matches!(args[0].data, Vector::Text(_) | Vector::Numeric(_));
        for i in 0..rows.len() {
            self.arrays[groups.at(i)]
                .get_or_insert_with(|| Column::new(element))
                .push_from(args[0], rows.at(i));
            if long {
                self.bytes += args[0].copied_bytes(rows.at(i));
            }
        }
        self.rows += rows.len() as u64;
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        for elements in &self.arrays[groups] {
            match elements {
                Some(elements) => out.push(&Datum::Array(Rc::new(Array::new(elements.clone())))),
                None => out.push_null(),
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.arrays.clear();
        self.rows = 0;
        self.bytes = 0;
    }

    fn accounted_bytes(&self) -> u64 {
        self.arrays.len() as u64 * 64 + self.rows * 8 + self.bytes
    }
}
