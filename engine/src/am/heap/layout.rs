//! Where a row's columns lie in a tuple: widths, alignments, and the offsets that are the same in
//! every tuple without NULLs (PostgreSQL's `attcacheoff`).

use super::tuple::PLAIN_DATA_OFFSET;
use crate::am::RowShape;
use crate::storage::align_up;
use crate::value::{Base, Type};

/// One column as storage sees it.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    pub ty: Type,
    /// Bytes; 0 for a varlena value.
    width: u8,
    /// Bytes; of a varlena value with a four-byte header.
    align: u8,
    /// From the tuple's start; 0: not fixed.
    fixed_offset: u16,
}

impl Attribute {
    /// `at`: where the column starts but for its alignment, if that is certain.
    fn new(ty: Type, at: Option<usize>) -> Self {
        let width = if ty.array {
            None
        } else {
            ty.base.fixed_width()
        };
        let align = match width {
            Some(_) => ty.base.alignment(),
            // PostgreSQL's array types take the element's alignment, but four bytes at the least.
            None if ty.array => ty.base.alignment().max(4),
            None => 4,
        };
        let fixed_offset = match width {
            Some(_) => at.map(|at| align_up(at, align)),
            // A short value is not aligned and a long one is, so the start is certain only where both agree.
            None => at.filter(|at| at.is_multiple_of(align)),
        };
        Attribute {
            ty,
            width: width.unwrap_or(0) as u8,
            align: align as u8,
            fixed_offset: fixed_offset.unwrap_or(0) as u16,
        }
    }

    /// Bytes of each value; None for a varlena type.
    #[inline]
    pub fn fixed_width(self) -> Option<usize> {
        (self.width > 0).then_some(usize::from(self.width))
    }

    #[inline]
    pub fn align(self) -> usize {
        usize::from(self.align)
    }

    /// From the tuple's start, in a tuple without NULLs. None: behind a column of varying width.
    #[inline]
    pub fn fixed_offset(self) -> Option<usize> {
        (self.fixed_offset > 0).then_some(usize::from(self.fixed_offset))
    }
}

#[derive(Debug)]
pub struct RowLayout {
    pub attributes: Vec<Attribute>,
    /// Bytes of a tuple without NULLs, header included, if every column has a fixed width.
    pub fixed_length: Option<usize>,
    pub has_varlena: bool,
    /// The first attribute that a walk over a tuple without NULLs passes, and where that walk starts,
    /// from the tuple's start: the last attribute with a fixed offset.
    pub first_walked: usize,
    pub walked_from: usize,
}

impl RowLayout {
    pub fn new(shape: &RowShape) -> Self {
        let mut next = Some(PLAIN_DATA_OFFSET);
        let (mut first_walked, mut walked_from) = (0, PLAIN_DATA_OFFSET);
        let mut attributes = Vec::with_capacity(shape.columns.len());
        for (column, &ty) in shape.columns.iter().enumerate() {
            let attribute = Attribute::new(ty, next);
            next = match (attribute.fixed_offset(), attribute.fixed_width()) {
                (Some(offset), Some(width)) => Some(offset + width),
                _ => None,
            };
            if let Some(offset) = attribute.fixed_offset() {
                (first_walked, walked_from) = (column, offset);
            }
            attributes.push(attribute);
        }
        let has_varlena = attributes.iter().any(|attribute| attribute.width == 0);
        RowLayout {
            attributes,
            fixed_length: next,
            has_varlena,
            first_walked,
            walked_from,
        }
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
        Base::Bpchar => 1042,
        Base::Varchar => 1043,
        Base::Date => 1082,
        Base::Timestamp => 1114,
        Base::Interval => 1186,
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
        let offsets: Vec<_> = layout.attributes.iter().map(|a| a.fixed_offset()).collect();
        assert_eq!(offsets, [Some(24), Some(32), Some(40), Some(44), None]);
        assert_eq!(layout.fixed_length, None);
        let shape = RowShape {
            columns: vec![Type::INT2, Type::BOOL, Type::TEXT],
            fill_factor: 100,
        };
        assert_eq!(RowLayout::new(&shape).attributes[2].fixed_offset(), None);
        let shape = RowShape {
            columns: vec![Type::INT4, Type::FLOAT8],
            fill_factor: 100,
        };
        assert_eq!(RowLayout::new(&shape).fixed_length, Some(40));
    }
}
