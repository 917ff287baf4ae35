//! Where a row's columns lie in a tuple: widths, alignments, and the offsets that are the same in
//! every tuple without NULLs (PostgreSQL's `attcacheoff`).

use super::tuple::PLAIN_DATA_OFFSET;
use crate::am::RowShape;
use crate::value::{Base, Type};

/// One column as storage sees it.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    pub ty: Type,
    pub width: Width,
    /// Bytes; of a varlena value with a four-byte header.
    pub align: usize,
    /// From the tuple's start, in a tuple without NULLs. None: behind a column of varying width.
    pub fixed_offset: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Fixed(usize),
    /// See [`crate::storage::varlena`].
    Varlena,
}

#[derive(Debug)]
pub struct RowLayout {
    pub attributes: Vec<Attribute>,
    /// Bytes of a tuple without NULLs, header included, if every column has a fixed width.
    pub fixed_length: Option<usize>,
    pub has_varlena: bool,
}

impl RowLayout {
    pub fn new(shape: &RowShape) -> Self {
        let mut next = Some(PLAIN_DATA_OFFSET);
        let attributes: Vec<Attribute> = shape
            .columns
            .iter()
            .map(|&ty| {
                let attribute = attribute(ty, next);
                next = match (attribute.fixed_offset, attribute.width) {
                    (Some(offset), Width::Fixed(width)) => Some(offset + width),
                    _ => None,
                };
                attribute
            })
            .collect();
        let has_varlena = attributes
            .iter()
            .any(|attribute| attribute.width == Width::Varlena);
        RowLayout {
            attributes,
            fixed_length: next,
            has_varlena,
        }
    }
}

fn attribute(ty: Type, at: Option<usize>) -> Attribute {
    let width = match ty.base.fixed_width() {
        Some(width) if !ty.array => Width::Fixed(width),
        _ => Width::Varlena,
    };
    let align = match width {
        Width::Fixed(_) => ty.base.alignment(),
        // PostgreSQL's array types take the element's alignment, but four bytes at the least.
        Width::Varlena if ty.array => ty.base.alignment().max(4),
        Width::Varlena => 4,
    };
    let fixed_offset = match width {
        Width::Fixed(_) => at.map(|at| at.next_multiple_of(align)),
        // A short value is not aligned and a long one is, so the start is certain only where both agree.
        Width::Varlena => at.filter(|at| at.is_multiple_of(align)),
    };
    Attribute {
        ty,
        width,
        align,
        fixed_offset,
    }
}

/// `pg_type.oid` of a base type, as arrays name their element type.
pub fn element_oid(base: Base) -> u32 {
    match base {
        Base::Bool => 16,
        Base::Int8 => 20,
        Base::Int2 => 21,
        Base::Int4 => 23,
        Base::Text => 25,
        Base::Float4 => 700,
        Base::Float8 => 701,
        Base::Unknown => 705,
        Base::Varchar => 1043,
        Base::Date => 1082,
        Base::Timestamp => 1114,
        Base::Numeric => 1700,
        Base::Void => 2278,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_certain_up_to_the_first_varlena() {
        let shape = RowShape {
            columns: vec![Type::BOOL, Type::INT8, Type::INT4, Type::TEXT, Type::INT4],
            fill_factor: 100,
        };
        let layout = RowLayout::new(&shape);
        let offsets: Vec<_> = layout.attributes.iter().map(|a| a.fixed_offset).collect();
        assert_eq!(offsets, [Some(24), Some(32), Some(40), Some(44), None]);
        assert_eq!(layout.fixed_length, None);
        let shape = RowShape {
            columns: vec![Type::INT2, Type::BOOL, Type::TEXT],
            fill_factor: 100,
        };
        assert_eq!(RowLayout::new(&shape).attributes[2].fixed_offset, None);
        let shape = RowShape {
            columns: vec![Type::INT4, Type::FLOAT8],
            fill_factor: 100,
        };
        assert_eq!(RowLayout::new(&shape).fixed_length, Some(40));
    }
}
