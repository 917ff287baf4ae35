//! What an expression evaluates to over a batch, and the loops over its rows.

use std::rc::Rc;

use crate::value::{Array, Bitmap, Column, Datum, Interval, Numeric, Rows, Vector};

/// The values of a sub-expression: a column aligned with the input's physical rows, or one value
/// for all of them, which is never written out.
#[derive(Clone, Copy)]
pub(super) enum Operand<'a> {
    Column(&'a Column),
    Scalar(&'a Datum),
}

impl<'a> Operand<'a> {
    pub const NULL: Operand<'static> = Operand::Scalar(&Datum::Null);

    #[inline]
    pub fn is_null(self, row: usize) -> bool {
        match self {
            Operand::Column(column) => column.is_null(row),
            Operand::Scalar(value) => value.is_null(),
        }
    }

    /// NULL in every row.
    #[inline]
    pub fn is_null_scalar(self) -> bool {
        matches!(self, Operand::Scalar(Datum::Null))
    }

    /// The NULLs of a column that may have some.
    #[inline]
    pub fn nulls(self) -> Option<&'a Bitmap> {
        match self {
            Operand::Column(column) if column.nulls.any() => Some(&column.nulls),
            Operand::Column(_) | Operand::Scalar(_) => None,
        }
    }

    /// The values as machine values or references. The caller has handled a NULL scalar.
    #[inline]
    pub fn source<T: Native>(self) -> Source<'a, T> {
        match self {
            Operand::Column(column) => Source {
                values: T::slice(&column.data),
                mask: usize::MAX,
            },
            Operand::Scalar(value) => Source {
                values: std::slice::from_ref(T::scalar(value)),
                mask: 0,
            },
        }
    }

    /// One row's value.
    #[inline]
    pub fn value<T: Native>(self, row: usize) -> &'a T {
        match self {
            Operand::Column(column) => &T::slice(&column.data)[row],
            Operand::Scalar(value) => T::scalar(value),
        }
    }

    /// One row's text; empty for NULL.
    #[inline]
    pub fn bytes(self, row: usize) -> &'a [u8] {
        match self {
            Operand::Column(Column {
                data: Vector::Text(text),
                ..
            }) => text.bytes_of(row),
            Operand::Scalar(Datum::Text(text)) => text.as_bytes(),
            Operand::Scalar(Datum::Null) => &[],
            _ => unreachable!("compiled as text"),
        }
    }

    #[inline]
    pub fn text(self, row: usize) -> &'a str {
        match self {
            Operand::Column(Column {
                data: Vector::Text(text),
                ..
            }) => text.get(row),
            Operand::Scalar(Datum::Text(text)) => text,
            Operand::Scalar(Datum::Null) => "",
            _ => unreachable!("compiled as text"),
        }
    }

    /// A boolean's three values.
    #[inline]
    pub fn truth(self, row: usize) -> Option<bool> {
        if self.is_null(row) {
            None
        } else {
            Some(*self.value::<bool>(row))
        }
    }

    /// Bytes that a copy of one row's value takes besides its vector's.
    pub fn copied_bytes(self, row: usize) -> u64 {
        match self {
            Operand::Column(column) => column.copied_bytes(row),
            Operand::Scalar(value) => value.copied_bytes(),
        }
    }

    pub fn datum(self, row: usize) -> Datum {
        match self {
            Operand::Column(column) => column.get(row),
            Operand::Scalar(value) => value.clone(),
        }
    }

    /// Appends one row's value to a column of the same physical form.
    #[inline]
    pub fn push_to(self, out: &mut Column, row: usize) {
        match self {
            Operand::Column(column) => out.push_from(column, row),
            Operand::Scalar(value) => out.push(value),
        }
    }
}

/// Values that repeat for a scalar: row `r` is `values[r & mask]`, so one loop serves every mix of
/// columns and constants.
#[derive(Clone, Copy)]
pub(super) struct Source<'a, T> {
    values: &'a [T],
    mask: usize,
}

impl<'a, T> Source<'a, T> {
    #[inline]
    pub fn at(&self, row: usize) -> &'a T {
        &self.values[row & self.mask]
    }
}

/// A type that a column vector holds as a plain slice.
pub(super) trait Native: Clone + 'static {
    fn slice(vector: &Vector) -> &[Self];
    fn vector(vector: &mut Vector) -> &mut Vec<Self>;
    fn scalar(value: &Datum) -> &Self;

    /// Bytes that a long value holds outside of its vector, and how many bytes' work it is to make
    /// it; nothing for machine values.
    #[inline]
    fn long_bytes(&self) -> (u64, u64) {
        (0, 0)
    }
}

macro_rules! native {
    ($($ty:ty = $vector:ident: $($datum:ident)|+ $(, $long:expr)?;)*) => {$(
        impl Native for $ty {
            #[inline]
            fn slice(vector: &Vector) -> &[Self] {
                match vector {
                    Vector::$vector(values) => values,
                    _ => unreachable!("compiled for another type"),
                }
            }

            #[inline]
            fn vector(vector: &mut Vector) -> &mut Vec<Self> {
                match vector {
                    Vector::$vector(values) => values,
                    _ => unreachable!("compiled for another type"),
                }
            }

            #[inline]
            fn scalar(value: &Datum) -> &Self {
                match value {
                    $(Datum::$datum(value))|+ => value,
                    _ => unreachable!("compiled for another type"),
                }
            }

            $(
                #[inline]
                fn long_bytes(&self) -> (u64, u64) {
                    $long(self)
                }
            )?
        }
    )*};
}

native! {
    bool = Bool: Bool;
    i16 = Int2: Int2;
    i32 = Int4: Int4 | Date;
    i64 = Int8: Int8 | Timestamp;
    f32 = Float4: Float4;
    f64 = Float8: Float8;
    Interval = Interval: Interval;
    Numeric = Numeric: Numeric, of_number;
    Rc<Array> = Array: Array, of_array;
}

/// Arithmetic on long numbers takes more time the longer they are.
#[inline]
fn of_number(value: &Numeric) -> (u64, u64) {
    let bytes = value.heap_bytes();
    (bytes, bytes + bytes * bytes / 64)
}

fn of_array(value: &Rc<Array>) -> (u64, u64) {
    let bytes = value.elements.accounted_bytes();
    (bytes, bytes)
}

/// The NULLs of a strict function's result: NULL where any operand is.
pub(super) fn union_nulls(out: &mut Bitmap, operands: &[Operand<'_>]) {
    out.clear();
    for operand in operands {
        if let Some(nulls) = operand.nulls() {
            out.union(nulls);
        }
    }
}

/// Calls `f` with every row.
#[inline(always)]
pub(super) fn each_row(rows: Rows<'_>, mut f: impl FnMut(usize)) {
    match rows {
        Rows::Range(from, to) => (from..to).for_each(f),
        Rows::Picked(rows) => rows.iter().for_each(|&row| f(row as usize)),
    }
}

/// Makes room for results at rows below `end`.
#[inline]
pub(super) fn grow<T: Clone + Default>(out: &mut Vec<T>, end: usize) {
    if out.len() < end {
        out.resize(end, T::default());
    }
}

/// `out[row] = f(a[row])`
#[inline(always)]
pub(super) fn map<A: Copy, R: Copy + Default>(
    rows: Rows<'_>,
    a: &[A],
    out: &mut Vec<R>,
    f: impl Fn(A) -> R,
) {
    grow(out, rows.end());
    match rows {
        Rows::Range(from, to) => {
            for (out, &a) in out[from..to].iter_mut().zip(&a[from..to]) {
                *out = f(a);
            }
        }
        Rows::Picked(rows) => {
            for &row in rows {
                out[row as usize] = f(a[row as usize]);
            }
        }
    }
}

/// `out[row] = f(a[row], b[row])`
#[inline(always)]
pub(super) fn map_pair<A: Copy, B: Copy, R: Copy + Default>(
    rows: Rows<'_>,
    a: &[A],
    b: &[B],
    out: &mut Vec<R>,
    f: impl Fn(A, B) -> R,
) {
    grow(out, rows.end());
    match rows {
        Rows::Range(from, to) => {
            for ((out, &a), &b) in out[from..to].iter_mut().zip(&a[from..to]).zip(&b[from..to]) {
                *out = f(a, b);
            }
        }
        Rows::Picked(rows) => {
            for &row in rows {
                out[row as usize] = f(a[row as usize], b[row as usize]);
            }
        }
    }
}
