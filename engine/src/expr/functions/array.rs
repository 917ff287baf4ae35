//! Functions of one-dimensional arrays (`arrayfuncs.c`, `array_userfuncs.c`, `varlena.c`).

use std::rc::Rc;

use super::super::call::{Kernel, Output, Row};
use super::super::cast::write_operand;
use super::super::operand::Operand;
use super::Found;
use super::string_cut::fields;
use crate::error::{Error, Result, sqlstate};
use crate::value::{Array, Column, Datum, Type, compare_values, same_group};

pub(super) fn find(name: &str, types: &[Type]) -> Option<Found> {
    let first_is_array = types.first().is_some_and(|ty| ty.array);
    let kernel: fn(&Row<'_>, &mut Output<'_>) -> Result<()> = match (name, types.len()) {
        ("array_length" | "array_upper", 2) if first_is_array => {
            |row, out| of_dimension(row, out, row.array(0).len())
        }
        ("array_lower", 2) if first_is_array => |row, out| of_dimension(row, out, 1),
        ("cardinality", 1) if first_is_array => |row, out| out.set(row.array(0).len() as i32),
        ("array_ndims", 1) if first_is_array => |row, out| {
            if row.array(0).is_empty() {
                out.null()
            } else {
                out.set(1)
            }
        },
        ("array_dims", 1) if first_is_array => |row, out| {
            let length = row.array(0).len();
            if length == 0 {
                out.null()
            } else {
                out.text(&format!("[1:{length}]"))
            }
        },
        ("array_append", 2) => |row, out| join(&[Part::array(row, 0), Part::One(row, 1)], out),
        ("array_prepend", 2) => |row, out| join(&[Part::One(row, 0), Part::array(row, 1)], out),
        ("array_cat", 2) => |row, out| {
            if row.is_null(0) && row.is_null(1) {
                return out.null();
            }
            join(&[Part::array(row, 0), Part::array(row, 1)], out)
        },
        ("array_position", 2 | 3) if first_is_array => position,
        ("array_positions", 2) if first_is_array => positions,
        ("array_remove", 2) if first_is_array => |row, out| replaced(row, out, None),
        ("array_replace", 3) if first_is_array => |row, out| replaced(row, out, Some(2)),
        ("array_to_string", 2 | 3) if first_is_array => to_string,
        ("trim_array", 2) if first_is_array => trim,
        ("arrayoverlap", 2) => |row, out| {
            let (a, b) = (row.array(0), row.array(1));
            out.set((0..a.len()).any(|i| contains(b, a, i)))
        },
        ("arraycontains", 2) => |row, out| out.set(contains_all(row.array(0), row.array(1))),
        ("arraycontained", 2) => |row, out| out.set(contains_all(row.array(1), row.array(0))),
        ("string_to_array", 2 | 3) if types.iter().all(|ty| ty.is_string()) => from_string,
        _ => return None,
    };
    Some((Kernel::Row(kernel), 20))
}

/// `array_length` and its kin: NULL for an empty array and for dimensions there are none of.
fn of_dimension(row: &Row<'_>, out: &mut Output<'_>, value: usize) -> Result<()> {
    if row.array(0).is_empty() || row.int4(1) != 1 {
        return out.null();
    }
    out.set(value as i32)
}

/// A part of an array to be made.
enum Part<'a> {
    /// All elements of an array; none of a NULL array.
    All(Option<&'a Rc<Array>>),
    /// One value, or NULL.
    One(&'a Row<'a>, usize),
}

impl<'a> Part<'a> {
    fn array(row: &Row<'a>, i: usize) -> Part<'a> {
        Part::All((!row.is_null(i)).then(|| row.array(i)))
    }

    fn bytes(&self) -> u64 {
        match self {
            Part::All(None) => 0,
            Part::All(Some(array)) => array.elements.accounted_bytes(),
            Part::One(row, i) => row.operand(*i).copied_bytes(row.number()),
        }
    }
}

fn join(parts: &[Part<'_>], out: &mut Output<'_>) -> Result<()> {
    let mut elements = Column::new(out.ty().element());
    let bytes = parts.iter().map(Part::bytes).sum();
    out.room().check(bytes)?;
    for part in parts {
        match part {
            Part::All(None) => {}
            Part::All(Some(array)) => elements.extend_range(&array.elements, 0, array.len()),
            Part::One(row, i) => row.operand(*i).push_to(&mut elements, row.number()),
        }
    }
    out.set(Rc::new(Array::new(elements)))
}

/// Argument `i` as a column of one row of the array's element type.
fn single(row: &Row<'_>, i: usize, array: &Array) -> Column {
    let mut column = Column::new(array.element_type());
    row.operand(i).push_to(&mut column, row.number());
    column
}

/// The elements equal to argument `i`; NULL equals NULL here.
fn places<'a>(array: &'a Array, wanted: &'a Column) -> impl Iterator<Item = usize> + 'a {
    (0..array.len()).filter(move |&at| same_group(&[&array.elements], at, &[wanted], 0))
}

fn position(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    if row.is_null(0) {
        return out.null();
    }
    let from = if row.count() < 3 {
        1
    } else if row.is_null(2) {
        return Err(Error::new(
            sqlstate::NULL_VALUE_NOT_ALLOWED,
            "initial position must not be null",
        ));
    } else {
        row.int4(2)
    };
    let array = row.array(0);
    let wanted = single(row, 1, array);
    let found = places(array, &wanted)
        .map(|at| at as i32 + 1)
        .find(|&at| at >= from);
    match found {
        Some(at) => out.set(at),
        None => out.null(),
    }
}

fn positions(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    if row.is_null(0) {
        return out.null();
    }
    let array = row.array(0);
    let wanted = single(row, 1, array);
    let mut found = Column::new(Type::INT4);
    places(array, &wanted).for_each(|at| found.push(&Datum::Int4(at as i32 + 1)));
    out.set(Rc::new(Array::new(found)))
}

/// `array_remove`, or `array_replace` with the argument `by`.
fn replaced(row: &Row<'_>, out: &mut Output<'_>, by: Option<usize>) -> Result<()> {
    if row.is_null(0) {
        return out.null();
    }
    let array = row.array(0);
    let wanted = single(row, 1, array);
    let mut elements = Column::new(array.element_type());
    let added = by.map_or(0, |by| row.operand(by).copied_bytes(row.number()));
    let (mut bytes, room) = (array.elements.accounted_bytes(), out.room());
    for at in 0..array.len() {
        if !same_group(&[&array.elements], at, &[&wanted], 0) {
            elements.push_from(&array.elements, at);
        } else if let Some(by) = by {
            bytes += added;
            room.check(bytes)?;
            row.operand(by).push_to(&mut elements, row.number());
        }
    }
    out.set(Rc::new(Array::new(elements)))
}

/// `array_to_string`: NULL elements are left out, or shown as the third argument.
fn to_string(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    if row.is_null(0) || row.is_null(1) {
        return out.null();
    }
    let array = row.array(0);
    let shown = (row.count() > 2 && !row.is_null(2)).then(|| row.text(2));
    let room = out.room();
    out.build(|text| {
        let mut between = "";
        for at in 0..array.len() {
            let is_null = array.elements.is_null(at);
            if is_null && shown.is_none() {
                continue;
            }
            room.check((text.len() + between.len()) as u64)?;
            text.push_str(between);
            match shown {
                Some(shown) if is_null => text.push_str(shown),
                _ => write_operand(Operand::Column(&array.elements), at, text),
            }
            between = row.text(1);
        }
        Ok(())
    })
}

fn trim(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    let (array, count) = (row.array(0), row.int4(1));
    let Some(left) = usize::try_from(count)
        .ok()
        .and_then(|n| array.len().checked_sub(n))
    else {
        return Err(Error::new(
            sqlstate::ARRAY_SUBSCRIPT_ERROR,
            format!(
                "number of elements to trim must be between 0 and {}",
                array.len()
            ),
        ));
    };
    let mut elements = Column::new(array.element_type());
    elements.extend_range(&array.elements, 0, left);
    out.set(Rc::new(Array::new(elements)))
}

/// Whether an array has element `i` of another; a NULL is never found.
fn contains(array: &Array, of: &Array, i: usize) -> bool {
    !of.elements.is_null(i)
        && (0..array.len()).any(|at| {
            !array.elements.is_null(at)
                && compare_values(&array.elements, at, &of.elements, i).is_eq()
        })
}

fn contains_all(array: &Array, part: &Array) -> bool {
    (0..part.len()).all(|i| contains(array, part, i))
}

/// `string_to_array`
fn from_string(row: &Row<'_>, out: &mut Output<'_>) -> Result<()> {
    if row.is_null(0) {
        return out.null();
    }
    let given = |i: usize| (i < row.count() && !row.is_null(i)).then(|| row.text(i));
    let elements = split_text(row.text(0), given(1), given(2));
    out.set(Rc::new(Array::new(elements)))
}

/// The fields of a text: no delimiter splits into characters, an empty one does not split. A field
/// that equals `null` is NULL.
pub(in super::super) fn split_text(
    text: &str,
    delimiter: Option<&str>,
    null: Option<&str>,
) -> Column {
    let mut elements = Column::new(Type::TEXT);
    let mut push = |part: &str| {
        if null == Some(part) {
            elements.push_null();
        } else {
            elements.push(&Datum::text(part));
        }
    };
    match delimiter {
        // An empty text has no fields.
        _ if text.is_empty() => {}
        None => {
            let mut buffer = [0; 4];
            text.chars().for_each(|c| push(c.encode_utf8(&mut buffer)));
        }
        Some("") => push(text),
        Some(delimiter) => fields(text, delimiter).for_each(push),
    }
    elements
}
