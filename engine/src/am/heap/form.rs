//! Tuples made of a batch's rows (PostgreSQL's `heap_form_tuple`).

use super::array_payload;
use super::layout::RowLayout;
use super::tuple::{HEADER_SIZE, header, infomask};
use crate::error::{Error, Result};
use crate::storage::{Snapshot, align_up, max_align, varlena};
use crate::value::{Batch, Vector};

/// Makes one tuple after the other in the same memory.
#[derive(Debug, Default)]
pub struct TupleFormer {
    tuple: Vec<u8>,
    has_null: bool,
    /// A numeric or an array before its length is known.
    value: Vec<u8>,
}

impl TupleFormer {
    /// Forms row `row`; `flags` are further bits of `t_infomask`. Its own address is still missing.
    pub fn form(
        &mut self,
        layout: &RowLayout,
        batch: &Batch,
        row: usize,
        snapshot: Snapshot,
        flags: u16,
    ) {
        let count = layout.attributes.len();
        self.has_null = batch.columns[..count]
            .iter()
            .any(|column| column.is_null(row));
        let bitmap = if self.has_null { count.div_ceil(8) } else { 0 };
        let data_offset = max_align(HEADER_SIZE + bitmap);
        let mut mask = flags;
        if self.has_null {
            mask |= infomask::HAS_NULL;
        }
        if layout.has_varlena {
            mask |= infomask::HAS_VARWIDTH;
        }
        self.tuple.clear();
        self.tuple.extend_from_slice(&header(
            snapshot.xid,
            snapshot.command,
            count,
            mask,
            data_offset,
        ));
        self.tuple.resize(data_offset, 0);
        for (at, attribute) in layout.attributes.iter().enumerate() {
            let column = &batch.columns[at];
            if self.has_null {
                if column.is_null(row) {
                    continue;
                }
                self.tuple[HEADER_SIZE + at / 8] |= 1 << (at % 8);
            }
            self.append(&column.data, row, attribute.align());
        }
    }

    fn append(&mut self, data: &Vector, row: usize, align: usize) {
        let out = &mut self.tuple;
        macro_rules! fixed {
            ($bytes:expr) => {{
                out.resize(align_up(out.len(), align), 0);
                out.extend_from_slice(&$bytes);
            }};
        }
        match data {
            Vector::Bool(v) => fixed!([u8::from(v[row])]),
            Vector::Int2(v) => fixed!(v[row].to_le_bytes()),
            Vector::Int4(v) => fixed!(v[row].to_le_bytes()),
            Vector::Int8(v) => fixed!(v[row].to_le_bytes()),
            Vector::Float4(v) => fixed!(v[row].to_le_bytes()),
            Vector::Float8(v) => fixed!(v[row].to_le_bytes()),
            Vector::Interval(v) => fixed!(v[row].to_le_bytes()),
            Vector::Text(v) => varlena::append(out, v.bytes_of(row), align),
            Vector::Numeric(v) => {
                self.value.clear();
                v[row].encode(&mut self.value);
                varlena::append(out, &self.value, align);
            }
            Vector::Array(v) => {
                array_payload::encode(&v[row], &mut self.value);
                varlena::append(out, &self.value, align);
            }
        }
    }

    pub fn tuple(&self) -> &[u8] {
        &self.tuple
    }

    pub fn has_null(&self) -> bool {
        self.has_null
    }
}

/// Refuses a batch whose columns are not the relation's.
pub fn check_columns(layout: &RowLayout, batch: &Batch) -> Result<()> {
    let same = batch.columns.len() >= layout.attributes.len()
        && layout
            .attributes
            .iter()
            .zip(&batch.columns)
            .all(|(attribute, column)| {
                let (a, b) = (attribute.ty, column.ty());
                a == b || (a.is_string() && b.is_string())
            });
    if same {
        Ok(())
    } else {
        Err(Error::internal(
            "the rows to store have other columns than their relation",
        ))
    }
}
