//! Values of any type as text and back: `typoutput` and `typinput` chosen by type.

use std::rc::Rc;

use super::super::datetime;
use super::{
    parse_array, parse_bool, parse_float4, parse_float8, parse_int2, parse_int4, parse_int8,
    write_array, write_bool, write_float4, write_float8, write_int2, write_int4, write_int8,
};
use crate::error::{Error, Result};
use crate::value::{Array, Base, Column, Datum, Numeric, Type, Vector};

/// Appends the text of a column's value that is not NULL.
pub fn write_value(column: &Column, row: usize, out: &mut String) {
    match &column.data {
        Vector::Bool(v) => write_bool(v[row], out),
        Vector::Int2(v) => write_int2(v[row], out),
        Vector::Int4(v) if column.ty().base == Base::Date => datetime::write_date(v[row], out),
        Vector::Int4(v) => write_int4(v[row], out),
        Vector::Int8(v) if column.ty().base == Base::Timestamp => {
            datetime::write_timestamp(v[row], out);
        }
        Vector::Int8(v) => write_int8(v[row], out),
        Vector::Float4(v) => write_float4(v[row], out),
        Vector::Float8(v) => write_float8(v[row], out),
        Vector::Numeric(v) => v[row].write_to(out),
        Vector::Interval(v) => datetime::write_interval(v[row], out),
        Vector::Text(v) => out.push_str(v.get(row)),
        Vector::Array(v) => write_elements(&v[row], out),
    }
}

/// Appends the text of a datum; nothing for NULL.
pub fn write_datum(value: &Datum, out: &mut String) {
    match value {
        Datum::Null => {}
        Datum::Bool(value) => write_bool(*value, out),
        Datum::Int2(value) => write_int2(*value, out),
        Datum::Int4(value) => write_int4(*value, out),
        Datum::Int8(value) => write_int8(*value, out),
        Datum::Float4(value) => write_float4(*value, out),
        Datum::Float8(value) => write_float8(*value, out),
        Datum::Numeric(value) => value.write_to(out),
        Datum::Text(value) => out.push_str(value),
        Datum::Date(value) => datetime::write_date(*value, out),
        Datum::Timestamp(value) => datetime::write_timestamp(*value, out),
        Datum::Interval(value) => datetime::write_interval(*value, out),
        Datum::Array(array) => write_elements(array, out),
    }
}

fn write_elements(array: &Array, out: &mut String) {
    let mut texts = String::new();
    let ends: Vec<Option<usize>> = (0..array.len())
        .map(|row| {
            if array.elements.is_null(row) {
                return None;
            }
            write_value(&array.elements, row, &mut texts);
            Some(texts.len())
        })
        .collect();
    let mut start = 0;
    let elements = ends.into_iter().map(|end| {
        end.map(|end| {
            let element = &texts[start..end];
            start = end;
            element
        })
    });
    write_array(elements, out);
}

/// Reads a value of a type. `now` is the current timestamp, for the words `today` and its kin.
///
/// Errors: 22P02, 22003, 22007, 22008 as the type's input function; 0A000 for types without text
/// input.
pub fn parse_datum(ty: Type, text: &str, now: Option<i64>) -> Result<Datum> {
    if ty.array {
        let mut elements = Column::new(ty.element());
        for element in parse_array(text)? {
            match element {
                Some(text) => elements.push(&parse_datum(ty.element(), &text, now)?),
                None => elements.push_null(),
            }
        }
        return Ok(Datum::Array(Rc::new(Array::new(elements))));
    }
    Ok(match ty.base {
        Base::Bool => Datum::Bool(parse_bool(text)?),
        Base::Int2 => Datum::Int2(parse_int2(text)?),
        Base::Int4 => Datum::Int4(parse_int4(text)?),
        Base::Int8 => Datum::Int8(parse_int8(text)?),
        Base::Numeric => Datum::Numeric(Numeric::parse(text)?),
        Base::Float4 => Datum::Float4(parse_float4(text)?),
        Base::Float8 => Datum::Float8(parse_float8(text)?),
        Base::Text | Base::Varchar | Base::Bpchar | Base::Unknown => Datum::text(text),
        Base::Date => Datum::Date(datetime::parse_date(text, now)?),
        Base::Timestamp => Datum::Timestamp(datetime::parse_timestamp(text, now)?),
        Base::Interval => Datum::Interval(datetime::parse_interval(text, -1)?),
        Base::Void => return Err(Error::unsupported("input of type void")),
    })
}
