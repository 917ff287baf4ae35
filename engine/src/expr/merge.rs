//! A register that is filled from several operands, some rows from each.

use super::EvalCx;
use super::call::{complete, prepare};
use super::meter::Meter;
use super::node::{Evaluated, Halt, before};
use super::operand::{Native, Operand, each_row};
use crate::value::{Column, Datum, Rows, Strings, Type, Vector};

/// Rows may come in any order between `begin` and `finish`; each at most once. Strings are appended
/// in ascending rows only, so they wait in `pieces` until all are there.
pub(super) struct Merge {
    out: Column,
    pieces: Strings,
    /// Each row's place among the pieces.
    places: Vec<u32>,
}

impl Merge {
    pub fn new(ty: Type) -> Self {
        Merge {
            out: Column::new(ty),
            pieces: Strings::new(),
            places: Vec::new(),
        }
    }

    /// Makes room for rows below `end`.
    pub fn begin(&mut self, end: usize) {
        self.out.nulls.clear();
        prepare(&mut self.out, end);
        if let Vector::Text(_) = self.out.data {
            self.pieces.clear();
            self.places.clear();
            self.places.resize(end, 0);
        }
    }

    pub fn set_null(&mut self, row: usize) {
        self.out.nulls.set(row);
    }

    /// Takes the operand's values of these rows.
    pub fn put(&mut self, value: Operand<'_>, rows: Rows<'_>) {
        match value {
            Operand::Scalar(value) => self.put_scalar(value, rows),
            Operand::Column(column) => {
                self.put_values(column, rows);
                if column.nulls.any() {
                    let nulls = &mut self.out.nulls;
                    each_row(rows, |row| {
                        if column.nulls.get(row) {
                            nulls.set(row);
                        }
                    });
                }
            }
        }
    }

    fn put_values(&mut self, column: &Column, rows: Rows<'_>) {
        fn copy<T: Native>(from: &Vector, to: &mut [T], rows: Rows<'_>) {
            let from = T::slice(from);
            match rows {
                Rows::Range(first, last) => to[first..last].clone_from_slice(&from[first..last]),
                Rows::Picked(rows) => {
                    for &row in rows {
                        to[row as usize].clone_from(&from[row as usize]);
                    }
                }
            }
        }
        match &mut self.out.data {
            Vector::Bool(to) => copy(&column.data, to, rows),
            Vector::Int2(to) => copy(&column.data, to, rows),
            Vector::Int4(to) => copy(&column.data, to, rows),
            Vector::Int8(to) => copy(&column.data, to, rows),
            Vector::Float4(to) => copy(&column.data, to, rows),
            Vector::Float8(to) => copy(&column.data, to, rows),
            Vector::Numeric(to) => copy(&column.data, to, rows),
            Vector::Interval(to) => copy(&column.data, to, rows),
            Vector::Array(to) => copy(&column.data, to, rows),
            Vector::Text(_) => {
                let Merge { pieces, places, .. } = self;
                let text = Operand::Column(column);
                each_row(rows, |row| {
                    places[row] = pieces.len() as u32;
                    pieces.push_bytes(text.bytes(row));
                });
            }
        }
    }

    fn put_scalar(&mut self, value: &Datum, rows: Rows<'_>) {
        if value.is_null() {
            let nulls = &mut self.out.nulls;
            return each_row(rows, |row| nulls.set(row));
        }
        fn spread<T: Native>(value: &Datum, to: &mut [T], rows: Rows<'_>) {
            let value = T::scalar(value);
            each_row(rows, |row| to[row].clone_from(value));
        }
        match &mut self.out.data {
            Vector::Bool(to) => spread(value, to, rows),
            Vector::Int2(to) => spread(value, to, rows),
            Vector::Int4(to) => spread(value, to, rows),
            Vector::Int8(to) => spread(value, to, rows),
            Vector::Float4(to) => spread(value, to, rows),
            Vector::Float8(to) => spread(value, to, rows),
            Vector::Numeric(to) => spread(value, to, rows),
            Vector::Interval(to) => spread(value, to, rows),
            Vector::Array(to) => spread(value, to, rows),
            Vector::Text(_) => {
                // All rows share one piece.
                let place = self.pieces.len() as u32;
                self.pieces.push_bytes(Operand::Scalar(value).bytes(0));
                let places = &mut self.places;
                each_row(rows, |row| places[row] = place);
            }
        }
    }

    /// Takes row `from` of another column for row `row`.
    pub fn put_from(&mut self, column: &Column, from: usize, row: usize) {
        if column.nulls.get(from) {
            return self.out.nulls.set(row);
        }
        fn take<T: Native>(column: &Vector, from: usize, to: &mut T) {
            to.clone_from(&T::slice(column)[from]);
        }
        match &mut self.out.data {
            Vector::Bool(to) => take(&column.data, from, &mut to[row]),
            Vector::Int2(to) => take(&column.data, from, &mut to[row]),
            Vector::Int4(to) => take(&column.data, from, &mut to[row]),
            Vector::Int8(to) => take(&column.data, from, &mut to[row]),
            Vector::Float4(to) => take(&column.data, from, &mut to[row]),
            Vector::Float8(to) => take(&column.data, from, &mut to[row]),
            Vector::Numeric(to) => take(&column.data, from, &mut to[row]),
            Vector::Interval(to) => take(&column.data, from, &mut to[row]),
            Vector::Array(to) => take(&column.data, from, &mut to[row]),
            Vector::Text(_) => {
                self.places[row] = self.pieces.len() as u32;
                self.pieces.push_bytes(Operand::Column(column).bytes(from));
            }
        }
    }

    /// Writes the strings out; `rows` are those before `halt`, all of them put or set to NULL.
    /// It may pause before that.
    pub fn finish<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        rows: Rows<'_>,
        mut halt: Halt,
    ) -> Evaluated<'a> {
        let Merge {
            out,
            pieces,
            places,
        } = self;
        if let Vector::Text(texts) = &mut out.data {
            let (mut meter, end) = (Meter::new(cx), rows.end());
            for row in rows.iter() {
                if out.nulls.get(row) {
                    continue;
                }
                let text = pieces.bytes_of(places[row] as usize);
                texts.pad_to(row);
                texts.push_bytes(text);
                meter.count(text.len() as u64);
                let pause = meter.pause(row, end);
                if pause.is_some() {
                    halt = pause;
                    break;
                }
            }
            meter.settle(cx);
        }
        complete(out, before(rows, &halt).end());
        (Operand::Column(out), halt)
    }
}
