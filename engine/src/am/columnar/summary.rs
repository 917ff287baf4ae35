//! What is known of a segment without reading it: its NULLs, its least and its greatest value.

use super::segment::number_of;
use crate::am::heap::keys::number::Form;
use crate::am::heap::keys::test::TextForm;
use crate::value::{Column, Numeric, Vector};

/// Longer texts are not kept as bounds.
const LONGEST_BOUND: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub nulls: Nulls,
    pub bounds: Bounds,
}

/// How many of the rows are NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    None,
    Some,
    All,
}

/// The least and the greatest value that is not NULL.
#[derive(Clone, Debug, PartialEq)]
pub enum Bounds {
    /// Not kept: no order, or too long.
    Unknown,
    /// Ordered numbers, in which -0 is 0 and NaN is greatest.
    Numbers(i64, i64),
    Texts(Box<[u8]>, Box<[u8]>),
    Numerics(Numeric, Numeric),
}

impl Summary {
    /// Nothing is ruled out.
    pub const UNKNOWN: Summary = Summary {
        nulls: Nulls::Some,
        bounds: Bounds::Unknown,
    };

    pub fn of(column: &Column) -> Summary {
        let count = column.nulls.count();
        let nulls = match count {
            0 => Nulls::None,
            all if all == column.len() => Nulls::All,
            _ => Nulls::Some,
        };
        let rows = || (0..column.len()).filter(|&row| !column.is_null(row));
        let bounds = match &column.data {
            Vector::Text(v) => {
                // What is compared with the bounds has no blanks at its end either.
                let form = TextForm::of(column.ty());
                let texts = || rows().map(|row| form.seen(v.bytes_of(row)));
                let (least, greatest) = (texts().min(), texts().max());
                match (least, greatest) {
                    (Some(least), Some(greatest))
                        if least.len().max(greatest.len()) <= LONGEST_BOUND =>
                    {
                        Bounds::Texts(least.into(), greatest.into())
                    }
                    _ => Bounds::Unknown,
                }
            }
            Vector::Numeric(v) => {
                let (least, greatest) = (
                    rows().map(|row| &v[row]).min(),
                    rows().map(|row| &v[row]).max(),
                );
                match (least, greatest) {
                    (Some(least), Some(greatest)) => {
                        Bounds::Numerics(least.clone(), greatest.clone())
                    }
                    _ => Bounds::Unknown,
                }
            }
            data if Form::of(column.ty()).is_some() => {
                let numbers = || rows().map(|row| number_of(data, row));
                match (numbers().min(), numbers().max()) {
                    (Some(least), Some(greatest)) => Bounds::Numbers(least, greatest),
                    _ => Bounds::Unknown,
                }
            }
            _ => Bounds::Unknown,
        };
        Summary { nulls, bounds }
    }
}
