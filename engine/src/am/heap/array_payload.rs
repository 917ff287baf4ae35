//! A one-dimensional array on a page, byte for byte PostgreSQL's `ArrayType` (`array.h`) without its
//! length word: number of dimensions, offset of the data (0: no NULLs), element type, length and lower
//! bound, a bitmap of the elements that are not NULL, then the aligned elements. An empty array has
//! no dimension and ends after the element type. Varlena elements keep headers of four bytes.
//!
//! Alignments and the data offset count from the length word, four bytes before the payload.

use super::layout::element_oid;
use crate::error::{Error, Result, sqlstate};
use crate::storage::{align_up, max_align, varlena};
use crate::value::{Array, Column, Interval, Numeric, Type, Vector};

const LENGTH_WORD: usize = varlena::LONG_HEADER;
/// `sizeof(ArrayType)` and one dimension's length and lower bound.
const FIXED_PART: usize = 24;

fn put(out: &mut Vec<u8>, word: u32) {
    out.extend_from_slice(&word.to_le_bytes());
}

/// Replaces `out` by the array's payload.
pub fn encode(array: &Array, out: &mut Vec<u8>) {
    let elements = &array.elements;
    let (count, base) = (elements.len(), elements.ty().base);
    out.clear();
    let has_null = (0..count).any(|i| elements.is_null(i));
    let data_start = if has_null {
        max_align(FIXED_PART + count.div_ceil(8))
    } else {
        FIXED_PART
    };
    put(out, u32::from(count > 0));
    put(out, if has_null { data_start as u32 } else { 0 });
    put(out, element_oid(base));
    if count == 0 {
        return;
    }
    put(out, count as u32);
    put(out, 1);
    if has_null {
        let mut bits = vec![0u8; count.div_ceil(8)];
        (0..count)
            .filter(|&i| !elements.is_null(i))
            .for_each(|i| bits[i / 8] |= 1 << (i % 8));
        out.extend_from_slice(&bits);
    }
    out.resize(data_start - LENGTH_WORD, 0);
    let align = base.alignment();
    for i in (0..count).filter(|&i| !elements.is_null(i)) {
        encode_element(elements, i, out);
        out.resize(align_up(out.len() + LENGTH_WORD, align) - LENGTH_WORD, 0);
    }
}

fn encode_element(elements: &Column, i: usize, out: &mut Vec<u8>) {
    match &elements.data {
        Vector::Bool(v) => out.push(u8::from(v[i])),
        Vector::Int2(v) => out.extend_from_slice(&v[i].to_le_bytes()),
        Vector::Int4(v) => out.extend_from_slice(&v[i].to_le_bytes()),
        Vector::Int8(v) => out.extend_from_slice(&v[i].to_le_bytes()),
        Vector::Float4(v) => out.extend_from_slice(&v[i].to_le_bytes()),
        Vector::Float8(v) => out.extend_from_slice(&v[i].to_le_bytes()),
        Vector::Interval(v) => out.extend_from_slice(&v[i].to_le_bytes()),
        Vector::Text(v) => {
            put(out, ((v.bytes_of(i).len() + LENGTH_WORD) as u32) << 2);
            out.extend_from_slice(v.bytes_of(i));
        }
        Vector::Numeric(v) => {
            let start = out.len();
            put(out, 0);
            v[i].encode(out);
            let header = ((out.len() - start) as u32) << 2;
            out[start..start + LENGTH_WORD].copy_from_slice(&header.to_le_bytes());
        }
        // Arrays of arrays do not exist.
        Vector::Array(_) => {}
    }
}

#[cold]
fn corrupted() -> Error {
    Error::new(sqlstate::DATA_CORRUPTED, "invalid stored array value")
}

/// Reads a payload back; XX001 on bytes that no array of such elements is stored as.
pub fn decode(payload: &[u8], element: Type) -> Result<Array> {
    let word = |at: usize| {
        payload
            .get(at..at + 4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .ok_or_else(corrupted)
    };
    let (dimensions, data_offset, oid) = (word(0)?, word(4)? as usize, word(8)?);
    let mut elements = Column::new(element);
    if dimensions > 1 || oid != element_oid(element.base) {
        return Err(corrupted());
    }
    if dimensions == 0 {
        return Ok(Array::new(elements));
    }
    let count = word(12)? as usize;
    let bits = if data_offset == 0 {
        None
    } else {
        let start = FIXED_PART - LENGTH_WORD;
        let bits = payload
            .get(start..)
            .and_then(|rest| rest.get(..count.div_ceil(8)));
        Some(bits.ok_or_else(corrupted)?)
    };
    let mut at = if bits.is_some() {
        data_offset
    } else {
        FIXED_PART
    }
    .checked_sub(LENGTH_WORD)
    .ok_or_else(corrupted)?;
    let align = element.base.alignment();
    for i in 0..count {
        if bits.is_some_and(|bits| bits[i / 8] >> (i % 8) & 1 == 0) {
            elements.push_null();
        } else {
            let used = decode_element(payload, at, element, &mut elements)?;
            at = align_up(at + used + LENGTH_WORD, align) - LENGTH_WORD;
        }
    }
    Ok(Array::new(elements))
}

/// Appends the element at `at` and answers its length in bytes.
fn decode_element(
    payload: &[u8],
    at: usize,
    element: Type,
    elements: &mut Column,
) -> Result<usize> {
    fn chunk<const N: usize>(payload: &[u8], at: usize) -> Result<[u8; N]> {
        payload
            .get(at..)
            .and_then(|rest| rest.first_chunk::<N>())
            .copied()
            .ok_or_else(corrupted)
    }
    match &mut elements.data {
        Vector::Bool(v) => v.push(chunk::<1>(payload, at)? != [0]),
        Vector::Int2(v) => v.push(i16::from_le_bytes(chunk(payload, at)?)),
        Vector::Int4(v) => v.push(i32::from_le_bytes(chunk(payload, at)?)),
        Vector::Int8(v) => v.push(i64::from_le_bytes(chunk(payload, at)?)),
        Vector::Float4(v) => v.push(f32::from_le_bytes(chunk(payload, at)?)),
        Vector::Float8(v) => v.push(f64::from_le_bytes(chunk(payload, at)?)),
        Vector::Interval(v) => v.push(Interval::from_le_bytes(chunk(payload, at)?)),
        Vector::Text(v) => {
            let (from, to) = varlena::data(payload, at).ok_or_else(corrupted)?;
            v.push_bytes(&payload[from..to]);
            return Ok(to - at);
        }
        Vector::Numeric(v) => {
            let (from, to) = varlena::data(payload, at).ok_or_else(corrupted)?;
            v.push(Numeric::decode(&payload[from..to])?);
            return Ok(to - at);
        }
        Vector::Array(_) => return Err(corrupted()),
    }
    element.base.fixed_width().ok_or_else(corrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Datum;

    fn payload(ty: Type, values: &[Datum]) -> Vec<u8> {
        let mut elements = Column::new(ty);
        values.iter().for_each(|value| elements.push(value));
        let mut out = Vec::new();
        encode(&Array::new(elements), &mut out);
        out
    }

    /// `pg_column_size` of the array, less its header: from a PostgreSQL 15.
    #[test]
    fn sizes_are_postgresqls() {
        use Datum::*;
        assert_eq!(payload(Type::INT4, &[]).len(), 12);
        assert_eq!(payload(Type::INT4, &[Int4(1), Int4(2), Int4(3)]).len(), 32);
        assert_eq!(payload(Type::INT4, &[Int4(1), Null, Int4(3)]).len(), 36);
        assert_eq!(payload(Type::INT8, &[Int8(1)]).len(), 28);
        assert_eq!(
            payload(Type::TEXT, &[Datum::text("a"), Datum::text("bcdef")]).len(),
            40
        );
        assert_eq!(
            payload(Type::BOOL, &[Bool(true), Bool(false), Bool(true)]).len(),
            23
        );
    }

    #[test]
    fn arrays_come_back_and_damaged_ones_do_not() {
        let values = [
            Datum::text("a"),
            Datum::Null,
            Datum::text(""),
            Datum::text("long enough"),
        ];
        let bytes = payload(Type::TEXT, &values);
        let array = decode(&bytes, Type::TEXT).expect("whole");
        assert_eq!(array.elements.get(3).as_str(), Some("long enough"));
        assert!(array.elements.is_null(1) && array.len() == 4);
        let code = |bytes: &[u8], ty| decode(bytes, ty).map(|_| ()).map_err(|e| e.sqlstate);
        assert_eq!(code(&bytes, Type::VARCHAR), Err("XX001"));
        for length in 0..bytes.len() - 3 {
            assert_eq!(code(&bytes[..length], Type::TEXT), Err("XX001"), "{length}");
        }
        let mut huge = bytes.clone();
        huge[12..16].fill(0xFF);
        assert_eq!(code(&huge, Type::TEXT), Err("XX001"));
    }
}
