//! One value outside of a column: a constant, a parameter, a key of a scan.

use std::rc::Rc;

use super::{Base, Column, Interval, Numeric, Type};

/// A value. Dates are days and timestamps microseconds since 2000-01-01, as in PostgreSQL.
#[derive(Clone, Debug)]
pub enum Datum {
    Null,
    Bool(bool),
    Int2(i16),
    Int4(i32),
    Int8(i64),
    Float4(f32),
    Float8(f64),
    Numeric(Numeric),
    Text(Rc<str>),
    Date(i32),
    Timestamp(i64),
    Interval(Interval),
    Array(Rc<Array>),
}

/// A one-dimensional array, its lower bound always 1.
#[derive(Clone, Debug)]
pub struct Array {
    pub elements: Column,
}

impl Array {
    pub fn new(elements: Column) -> Self {
        Array { elements }
    }

    pub fn element_type(&self) -> Type {
        self.elements.ty().element()
    }

    pub fn len(&self) -> usize {
        self.elements.len()
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
}

impl Datum {
    pub fn text(value: impl Into<Rc<str>>) -> Self {
        Datum::Text(value.into())
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Null)
    }

    /// A boolean's three values: `None` for NULL (and for what is no boolean).
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Datum::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// An integer of any width.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Datum::Int2(value) => Some(i64::from(*value)),
            Datum::Int4(value) => Some(i64::from(*value)),
            Datum::Int8(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Datum::Text(value) => Some(value),
            _ => None,
        }
    }

    /// Bytes that a copy in a column takes besides the column's own: of a text or a long number.
    pub fn copied_bytes(&self) -> u64 {
        match self {
            Datum::Text(text) => text.len() as u64,
            Datum::Numeric(number) => number.heap_bytes(),
            _ => 0,
        }
    }

    /// The type a datum of this shape most plainly has; NULL is `unknown`.
    pub fn natural_type(&self) -> Type {
        match self {
            Datum::Null => Type::UNKNOWN,
            Datum::Bool(_) => Type::BOOL,
            Datum::Int2(_) => Type::INT2,
            Datum::Int4(_) => Type::INT4,
            Datum::Int8(_) => Type::INT8,
            Datum::Float4(_) => Type::FLOAT4,
            Datum::Float8(_) => Type::FLOAT8,
            Datum::Numeric(_) => Type::NUMERIC,
            Datum::Text(_) => Type::TEXT,
            Datum::Date(_) => Type::DATE,
            Datum::Timestamp(_) => Type::TIMESTAMP,
            Datum::Interval(_) => Type::INTERVAL,
            Datum::Array(array) => Type::array_of(array.elements.ty().base),
        }
    }

    /// True if a column of type `ty` can hold this datum.
    pub fn fits(&self, ty: Type) -> bool {
        if self.is_null() {
            return true;
        }
        let natural = self.natural_type();
        natural == ty
            || natural.array == ty.array
                && natural.base == Base::Text
                && matches!(ty.base, Base::Varchar | Base::Bpchar | Base::Unknown)
    }
}
