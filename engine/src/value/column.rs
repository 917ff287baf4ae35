//! A column vector: typed values of many rows and a bitmap of NULLs.

use std::rc::Rc;

use super::{Array, Base, Bitmap, Datum, Interval, Numeric, Strings, Type};

/// The values, by physical form: dates live in `Int4`, timestamps in `Int8`, varchar and
/// character in `Text`.
/// The value under a NULL is unspecified (but initialised).
#[derive(Clone, Debug)]
pub enum Vector {
    Bool(Vec<bool>),
    Int2(Vec<i16>),
    Int4(Vec<i32>),
    Int8(Vec<i64>),
    Float4(Vec<f32>),
    Float8(Vec<f64>),
    Numeric(Vec<Numeric>),
    Interval(Vec<Interval>),
    Text(Strings),
    Array(Vec<Rc<Array>>),
}

/// Runs `$body` with `$v` bound to the vector inside, whichever it is.
macro_rules! each_vector {
    ($vector:expr, $v:ident => $body:expr) => {
        match $vector {
            Vector::Bool($v) => $body,
            Vector::Int2($v) => $body,
            Vector::Int4($v) => $body,
            Vector::Int8($v) => $body,
            Vector::Float4($v) => $body,
            Vector::Float8($v) => $body,
            Vector::Numeric($v) => $body,
            Vector::Interval($v) => $body,
            Vector::Text($v) => $body,
            Vector::Array($v) => $body,
        }
    };
}

/// Like `each_vector`, for the vectors that are plain `Vec`s; text apart.
macro_rules! by_vec {
    ($vector:expr, $v:ident => $body:expr, $s:ident => $text:expr) => {
        match $vector {
            Vector::Bool($v) => $body,
            Vector::Int2($v) => $body,
            Vector::Int4($v) => $body,
            Vector::Int8($v) => $body,
            Vector::Float4($v) => $body,
            Vector::Float8($v) => $body,
            Vector::Numeric($v) => $body,
            Vector::Interval($v) => $body,
            Vector::Array($v) => $body,
            Vector::Text($s) => $text,
        }
    };
}

/// Two vectors of the same form; `None` where the forms differ, which is a bug of the caller.
macro_rules! same_form {
    ($a:expr, $b:expr, $x:ident, $y:ident => $body:expr, $s:ident, $t:ident => $text:expr) => {
        match ($a, $b) {
            (Vector::Bool($x), Vector::Bool($y)) => $body,
            (Vector::Int2($x), Vector::Int2($y)) => $body,
            (Vector::Int4($x), Vector::Int4($y)) => $body,
            (Vector::Int8($x), Vector::Int8($y)) => $body,
            (Vector::Float4($x), Vector::Float4($y)) => $body,
            (Vector::Float8($x), Vector::Float8($y)) => $body,
            (Vector::Numeric($x), Vector::Numeric($y)) => $body,
            (Vector::Interval($x), Vector::Interval($y)) => $body,
            (Vector::Array($x), Vector::Array($y)) => $body,
            (Vector::Text($s), Vector::Text($t)) => $text,
            _ => unreachable!("columns of different types are never mixed"),
        }
    };
}

impl Vector {
    fn for_type(ty: Type) -> Vector {
        if ty.array {
            return Vector::Array(Vec::new());
        }
        match ty.base {
            Base::Bool => Vector::Bool(Vec::new()),
            Base::Int2 => Vector::Int2(Vec::new()),
            Base::Int4 | Base::Date => Vector::Int4(Vec::new()),
            Base::Int8 | Base::Timestamp => Vector::Int8(Vec::new()),
            Base::Float4 => Vector::Float4(Vec::new()),
            Base::Float8 => Vector::Float8(Vec::new()),
            Base::Numeric => Vector::Numeric(Vec::new()),
            Base::Interval => Vector::Interval(Vec::new()),
            Base::Text | Base::Varchar | Base::Bpchar | Base::Unknown | Base::Void => {
                Vector::Text(Strings::new())
            }
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        each_vector!(self, v => v.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values of one type and their NULLs. The type never changes; the rows do.
#[derive(Clone, Debug)]
pub struct Column {
    ty: Type,
    pub data: Vector,
    /// A set bit is a NULL.
    pub nulls: Bitmap,
}

impl Column {
    pub fn new(ty: Type) -> Self {
        Column {
            ty,
            data: Vector::for_type(ty),
            nulls: Bitmap::new(),
        }
    }

    /// `rows` times the same value.
    pub fn constant(ty: Type, value: &Datum, rows: usize) -> Self {
        let mut column = Column::new(ty);
        for _ in 0..rows {
            column.push(value);
        }
        column
    }

    #[inline]
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// True for `character`, whose comparisons do not see the blanks at the end.
    #[inline]
    pub fn is_blank_padded(&self) -> bool {
        self.ty.base == Base::Bpchar
    }

    /// Gives the same values another type of the same physical form (a binary-coercible relabel).
    pub fn relabel(&mut self, ty: Type) {
        debug_assert_eq!(
            std::mem::discriminant(&self.data),
            std::mem::discriminant(&Vector::for_type(ty))
        );
        self.ty = ty;
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.data.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.get(row)
    }

    /// Forgets the rows and keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        each_vector!(&mut self.data, v => v.clear());
        self.nulls.clear();
    }

    pub fn truncate(&mut self, rows: usize) {
        each_vector!(&mut self.data, v => v.truncate(rows));
        self.nulls.truncate(rows);
    }

    pub fn reserve(&mut self, rows: usize) {
        by_vec!(&mut self.data, v => v.reserve(rows), _s => {});
    }

    /// Appends unspecified (but initialised) values until there are `rows`.
    pub fn pad_to(&mut self, rows: usize) {
        match &mut self.data {
            Vector::Bool(v) => v.resize(rows.max(v.len()), false),
            Vector::Int2(v) => v.resize(rows.max(v.len()), 0),
            Vector::Int4(v) => v.resize(rows.max(v.len()), 0),
            Vector::Int8(v) => v.resize(rows.max(v.len()), 0),
            Vector::Float4(v) => v.resize(rows.max(v.len()), 0.0),
            Vector::Float8(v) => v.resize(rows.max(v.len()), 0.0),
            Vector::Numeric(v) => v.resize(rows.max(v.len()), Numeric::ZERO),
            Vector::Interval(v) => v.resize(rows.max(v.len()), Interval::ZERO),
            Vector::Text(v) => v.pad_to(rows),
            Vector::Array(v) => {
                if v.len() < rows {
                    let empty = Rc::new(Array::new(Column::new(self.ty.element())));
                    v.resize(rows, empty);
                }
            }
        }
    }

    pub fn push_null(&mut self) {
        let row = self.len();
        self.pad_to(row + 1);
        self.nulls.set(row);
    }

    /// Appends a value. It must fit the column's type; the binder has seen to that.
    pub fn push(&mut self, value: &Datum) {
        match (&mut self.data, value) {
            (Vector::Bool(v), Datum::Bool(x)) => v.push(*x),
            (Vector::Int2(v), Datum::Int2(x)) => v.push(*x),
            (Vector::Int4(v), Datum::Int4(x) | Datum::Date(x)) => v.push(*x),
            (Vector::Int8(v), Datum::Int8(x) | Datum::Timestamp(x)) => v.push(*x),
            (Vector::Float4(v), Datum::Float4(x)) => v.push(*x),
            (Vector::Float8(v), Datum::Float8(x)) => v.push(*x),
            (Vector::Numeric(v), Datum::Numeric(x)) => v.push(x.clone()),
            (Vector::Interval(v), Datum::Interval(x)) => v.push(*x),
            (Vector::Text(v), Datum::Text(x)) => v.push(x),
            (Vector::Array(v), Datum::Array(x)) => v.push(Rc::clone(x)),
            (_, value) => {
                debug_assert!(value.is_null(), "{value:?} does not fit {}", self.ty.name());
                self.push_null();
            }
        }
    }

    /// Copies a value out. For a batch of rows, match on `data` instead.
    pub fn get(&self, row: usize) -> Datum {
        if self.is_null(row) {
            return Datum::Null;
        }
        match &self.data {
            Vector::Bool(v) => Datum::Bool(v[row]),
            Vector::Int2(v) => Datum::Int2(v[row]),
            Vector::Int4(v) if self.ty.base == Base::Date => Datum::Date(v[row]),
            Vector::Int4(v) => Datum::Int4(v[row]),
            Vector::Int8(v) if self.ty.base == Base::Timestamp => Datum::Timestamp(v[row]),
            Vector::Int8(v) => Datum::Int8(v[row]),
            Vector::Float4(v) => Datum::Float4(v[row]),
            Vector::Float8(v) => Datum::Float8(v[row]),
            Vector::Numeric(v) => Datum::Numeric(v[row].clone()),
            Vector::Interval(v) => Datum::Interval(v[row]),
            Vector::Text(v) => Datum::text(v.get(row)),
            Vector::Array(v) => Datum::Array(Rc::clone(&v[row])),
        }
    }

    /// Appends row `row` of a column of the same physical form.
    #[inline]
    pub fn push_from(&mut self, other: &Column, row: usize) {
        if other.nulls.get(row) {
            return self.push_null();
        }
        same_form!(&mut self.data, &other.data,
            to, from => to.push(Clone::clone(&from[row])),
            to, from => to.push_bytes(from.bytes_of(row)));
    }

    /// Appends the rows `from..to` of a column of the same physical form.
    pub fn extend_range(&mut self, other: &Column, from: usize, to: usize) {
        let base = self.len();
        same_form!(&mut self.data, &other.data,
            into, out_of => into.extend_from_slice(&out_of[from..to]),
            into, out_of => into.extend_range(out_of, from, to));
        if other.nulls.any() {
            for row in from..to {
                if other.nulls.get(row) {
                    self.nulls.set(base + row - from);
                }
            }
        }
    }

    /// Appends the rows named by `rows`, in their order, of a column of the same physical form.
    pub fn gather(&mut self, other: &Column, rows: &[u32]) {
        let base = self.len();
        same_form!(&mut self.data, &other.data,
            into, out_of => into.extend(rows.iter().map(|&row| Clone::clone(&out_of[row as usize]))),
            into, out_of => into.gather(out_of, rows));
        if other.nulls.any() {
            for (at, &row) in rows.iter().enumerate() {
                if other.nulls.get(row as usize) {
                    self.nulls.set(base + at);
                }
            }
        }
    }

    /// Memory to account for, by fixed sizes so that every platform counts the same. It looks at
    /// every long number and array: who adds rows again and again adds up
    /// [`Column::accounted_from`] instead.
    pub fn accounted_bytes(&self) -> u64 {
        self.accounted_from(0)
    }

    /// What the rows from `row` on add to [`Column::accounted_bytes`]; NULLs take a bit each.
    pub fn accounted_from(&self, row: usize) -> u64 {
        let rows = (self.len() - row) as u64;
        let values = match &self.data {
            Vector::Bool(_) => rows,
            Vector::Int2(_) => rows * 2,
            Vector::Int4(_) | Vector::Float4(_) => rows * 4,
            Vector::Int8(_) | Vector::Float8(_) => rows * 8,
            Vector::Interval(_) => rows * 16,
            Vector::Numeric(v) => rows * 32 + v[row..].iter().map(Numeric::heap_bytes).sum::<u64>(),
            Vector::Text(v) => rows * 4 + v.text_bytes_from(row),
            Vector::Array(v) => v[row..]
                .iter()
                .map(|a| 24 + a.elements.accounted_bytes())
                .sum(),
        };
        let words = self.nulls.words().len();
        values + (words - words.min(row.div_ceil(64))) as u64 * 8
    }

    /// Bytes that copying one row's value copies besides the vector's own: of a text or a long
    /// number. An array is shared.
    #[inline]
    pub fn copied_bytes(&self, row: usize) -> u64 {
        match &self.data {
            Vector::Text(v) => v.bytes_of(row).len() as u64,
            Vector::Numeric(v) => v[row].heap_bytes(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_get_gather_keep_nulls() {
        let mut column = Column::new(Type::INT4);
        column.push(&Datum::Int4(7));
        column.push(&Datum::Null);
        column.push(&Datum::Int4(9));
        let mut picked = Column::new(Type::INT4);
        picked.gather(&column, &[2, 1, 0, 1]);
        assert!(matches!(picked.get(0), Datum::Int4(9)));
        assert!(picked.is_null(1) && picked.is_null(3) && !picked.is_null(2));
        let mut text = Column::new(Type::TEXT);
        text.push(&Datum::text("ab"));
        text.push_null();
        text.push(&Datum::text(""));
        let mut copy = Column::new(Type::TEXT);
        copy.extend_range(&text, 1, 3);
        copy.push_from(&text, 0);
        assert!(
            copy.is_null(0)
                && copy.get(1).as_str() == Some("")
                && copy.get(2).as_str() == Some("ab")
        );
    }
}
