//! A segment: one column of one chunk, encoded, with a summary of what is in it.

use hashbrown::HashTable;

use super::packed::Packed;
use super::summary::Summary;
use crate::am::heap::keys::number;
use crate::value::{Bitmap, Column, Numeric, Strings, Type, Vector, hash_row};

/// Texts are kept in a dictionary while there are at most this many different ones in a chunk.
const DICTIONARY_LIMIT: usize = 1024;

/// How a segment's values lie in memory.
#[derive(Debug)]
pub enum Values {
    /// Booleans, integers, dates and timestamps.
    Packed(Packed),
    /// Texts: the number of each row's text in a list of the different ones.
    Dictionary { codes: Packed, entries: Strings },
    /// All else, and texts that are mostly different.
    Plain(Column),
}

#[derive(Debug)]
pub struct Segment {
    ty: Type,
    pub values: Values,
    /// Of encoded values; a plain column has its own.
    nulls: Bitmap,
    pub summary: Summary,
    /// Memory that an encoded segment takes, as it was counted once: long numbers are many. 0: it is open.
    sealed_bytes: u64,
}

/// A fixed-width value as an ordered number ([`number`]); zero for what has none.
#[inline]
pub fn number_of(data: &Vector, row: usize) -> i64 {
    match data {
        Vector::Bool(v) => i64::from(v[row]),
        Vector::Int2(v) => i64::from(v[row]),
        Vector::Int4(v) => i64::from(v[row]),
        Vector::Int8(v) => v[row],
        Vector::Float4(v) => number::of_float(f64::from(v[row])),
        Vector::Float8(v) => number::of_float(v[row]),
        _ => 0,
    }
}

/// Packs a vector's values; the value under a NULL is that of a row that is not, so that it costs no bits.
macro_rules! packed {
    ($column:expr, $values:expr, $cast:expr) => {{
        let column = $column;
        let filler = (0..$values.len())
            .find(|&row| !column.is_null(row))
            .map_or(0, |row| $cast($values[row]));
        let each = $values.iter().enumerate().map(|(row, &value)| {
            if column.is_null(row) {
                filler
            } else {
                $cast(value)
            }
        });
        Values::Packed(Packed::new(each))
    }};
}

impl Segment {
    /// Encodes a column; its memory is taken over where it stays plain.
    pub fn seal(column: Column) -> Segment {
        let summary = Summary::of(&column);
        let ty = column.ty();
        let mut nulls = column.nulls.clone();
        let values = match &column.data {
            Vector::Bool(v) => packed!(&column, v, i64::from),
            Vector::Int2(v) => packed!(&column, v, i64::from),
            Vector::Int4(v) => packed!(&column, v, i64::from),
            Vector::Int8(v) => packed!(&column, v, |value: i64| value),
            Vector::Text(v) => match dictionary(&column, v) {
                Some((codes, entries)) => Values::Dictionary { codes, entries },
                None => Values::Plain(column),
            },
            _ => Values::Plain(column),
        };
        if let Values::Plain(_) = values {
            nulls = Bitmap::new();
        }
        let mut segment = Segment {
            ty,
            values,
            nulls,
            summary,
            sealed_bytes: 0,
        };
        segment.sealed_bytes = segment.counted_bytes();
        segment
    }

    /// Rows that are still to come more: as they are, and nothing is known of them.
    pub fn open(column: Column) -> Segment {
        Segment {
            ty: column.ty(),
            nulls: Bitmap::new(),
            summary: Summary::UNKNOWN,
            values: Values::Plain(column),
            sealed_bytes: 0,
        }
    }

    /// A set bit is a NULL.
    #[inline]
    pub fn nulls(&self) -> &Bitmap {
        match &self.values {
            Values::Plain(column) => &column.nulls,
            Values::Packed(_) | Values::Dictionary { .. } => &self.nulls,
        }
    }

    /// Memory to account for.
    pub fn bytes(&self) -> u64 {
        match self.sealed_bytes {
            0 => self.counted_bytes(),
            known => known,
        }
    }

    fn counted_bytes(&self) -> u64 {
        let values = match &self.values {
            Values::Packed(packed) => packed.bytes(),
            Values::Dictionary { codes, entries } => {
                codes.bytes() + entries.text_bytes() + 4 * entries.len() as u64
            }
            Values::Plain(column) => column.accounted_bytes(),
        };
        values + self.nulls.words().len() as u64 * 8 + 64
    }

    /// Appends the rows `from..to` to a column of the segment's type.
    pub fn extend(&self, from: usize, to: usize, out: &mut Column) {
        let base = out.len();
        match (&self.values, &mut out.data) {
            (Values::Packed(packed), Vector::Bool(v)) => packed.extend(from, to, v, |x| x != 0),
            (Values::Packed(packed), Vector::Int2(v)) => packed.extend(from, to, v, |x| x as i16),
            (Values::Packed(packed), Vector::Int4(v)) => packed.extend(from, to, v, |x| x as i32),
            (Values::Packed(packed), Vector::Int8(v)) => packed.extend(from, to, v, |x| x),
            (Values::Dictionary { codes, entries }, Vector::Text(v)) => {
                for row in from..to {
                    v.push_bytes(entries.bytes_of(codes.get(row) as usize));
                }
            }
            (Values::Plain(column), _) => return out.extend_range(column, from, to),
            (Values::Packed(_) | Values::Dictionary { .. }, _) => {
                unreachable!("a segment is read into a column of its own type")
            }
        }
        if self.nulls.any() {
            for row in from..to {
                if self.nulls.get(row) {
                    out.nulls.set(base + row - from);
                }
            }
        }
    }

    /// Appends the named rows to a column of the segment's type.
    pub fn gather(&self, rows: &[u32], out: &mut Column) {
        let base = out.len();
        let each = rows.iter().map(|&row| row as usize);
        match (&self.values, &mut out.data) {
            (Values::Packed(packed), Vector::Bool(v)) => {
                v.extend(each.map(|row| packed.get(row) != 0));
            }
            (Values::Packed(packed), Vector::Int2(v)) => {
                v.extend(each.map(|row| packed.get(row) as i16));
            }
            (Values::Packed(packed), Vector::Int4(v)) => {
                v.extend(each.map(|row| packed.get(row) as i32));
            }
            (Values::Packed(packed), Vector::Int8(v)) => v.extend(each.map(|row| packed.get(row))),
            (Values::Dictionary { codes, entries }, Vector::Text(v)) => {
                for row in each {
                    v.push_bytes(entries.bytes_of(codes.get(row) as usize));
                }
            }
            (Values::Plain(column), _) => return out.gather(column, rows),
            (Values::Packed(_) | Values::Dictionary { .. }, _) => {
                unreachable!("a segment is read into a column of its own type")
            }
        }
        if self.nulls.any() {
            for (at, &row) in rows.iter().enumerate() {
                if self.nulls.get(row as usize) {
                    out.nulls.set(base + at);
                }
            }
        }
    }

    /// The row's value as an ordered number, for a type that has one.
    #[inline]
    pub fn number(&self, row: usize) -> i64 {
        match &self.values {
            Values::Packed(packed) => packed.get(row),
            Values::Plain(column) => number_of(&column.data, row),
            Values::Dictionary { .. } => 0,
        }
    }

    /// The row's text; empty for what is none.
    #[inline]
    pub fn text(&self, row: usize) -> &[u8] {
        match &self.values {
            Values::Dictionary { codes, entries } => entries.bytes_of(codes.get(row) as usize),
            Values::Plain(column) => match &column.data {
                Vector::Text(v) => v.bytes_of(row),
                _ => &[],
            },
            Values::Packed(_) => &[],
        }
    }

    /// The row's number; zero for what is none.
    pub fn numeric(&self, row: usize) -> Numeric {
        match &self.values {
            Values::Plain(column) => match &column.data {
                Vector::Numeric(v) => v[row].clone(),
                _ => Numeric::ZERO,
            },
            Values::Packed(_) | Values::Dictionary { .. } => Numeric::ZERO,
        }
    }

    pub fn ty(&self) -> Type {
        self.ty
    }

    /// The column of a segment that is not encoded, to be appended to.
    pub fn open_column(&mut self) -> Option<&mut Column> {
        match &mut self.values {
            Values::Plain(column) => Some(column),
            Values::Packed(_) | Values::Dictionary { .. } => None,
        }
    }

    /// The whole segment, of `rows` rows, as a column.
    pub fn into_column(self, rows: usize) -> Column {
        match self.values {
            Values::Plain(column) => column,
            Values::Packed(_) | Values::Dictionary { .. } => {
                let mut column = Column::new(self.ty);
                self.extend(0, rows, &mut column);
                column
            }
        }
    }
}

/// The different texts in the order they came, and each row's number among them. None: too many.
fn dictionary(column: &Column, texts: &Strings) -> Option<(Packed, Strings)> {
    let limit = DICTIONARY_LIMIT.min(texts.len() / 2);
    let mut entries = Strings::new();
    let mut places: HashTable<(u64, u32)> = HashTable::new();
    let mut codes: Vec<u32> = Vec::with_capacity(texts.len());
    for row in 0..texts.len() {
        let hash = hash_row([column], row);
        let text = texts.bytes_of(row);
        let found = places.find(hash, |&(_, code)| entries.bytes_of(code as usize) == text);
        let code = match found {
            Some(&(_, code)) => code,
            None if entries.len() >= limit => return None,
            None => {
                let code = entries.len() as u32;
                entries.push_bytes(text);
                places.insert_unique(hash, (hash, code), |&(hash, _)| hash);
                code
            }
        };
        codes.push(code);
    }
    let packed = Packed::new(codes.iter().map(|&code| i64::from(code)));
    Some((packed, entries))
}
