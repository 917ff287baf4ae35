//! Values of any length on a page (PostgreSQL's `varatt.h`, little-endian): a header of one byte up to
//! 126 bytes of data, of four aligned bytes beyond.
//!
//! | first byte | form |
//! | --- | --- |
//! | `xxxxxxx1`, not 1 | one-byte header, length with header in the upper seven bits, not aligned |
//! | `00000001` | pointer to a value kept elsewhere |
//! | `xxxxxx00` | four-byte header, length with header in the upper 30 bits |
//! | `xxxxxx10` | four-byte header, compressed |

use super::align_up;

/// `VARHDRSZ`
pub const LONG_HEADER: usize = 4;
/// `VARATT_SHORT_MAX`: the longest value with a one-byte header, header included.
const SHORT_MAX: usize = 0x7F;

/// True if `data` bytes get a one-byte header, which needs no alignment.
pub const fn is_short(data: usize) -> bool {
    data < SHORT_MAX
}

/// Where a value of `data` bytes starts and ends when it is put at `at`.
pub const fn extent(at: usize, data: usize, align: usize) -> (usize, usize) {
    if is_short(data) {
        (at, at + 1 + data)
    } else {
        let start = align_up(at, align);
        (start, start + LONG_HEADER + data)
    }
}

/// Appends padding, header and data; offsets count from the vector's start.
pub fn append(out: &mut Vec<u8>, data: &[u8], align: usize) {
    if is_short(data.len()) {
        out.push((data.len() as u8 + 1) << 1 | 1);
    } else {
        out.resize(align_up(out.len(), align), 0);
        out.extend_from_slice(
            &((data.len() + LONG_HEADER) as u32)
                .wrapping_shl(2)
                .to_le_bytes(),
        );
    }
    out.extend_from_slice(data);
}

/// The start of a value at or after `at`: padding is zero bytes, and no header of one byte is zero.
#[inline]
pub fn start(bytes: &[u8], at: usize, align: usize) -> usize {
    match bytes.get(at) {
        Some(0) => align_up(at, align),
        _ => at,
    }
}

/// Where the value that starts at `start` ends. `None`: the bytes are no plain value.
#[inline]
pub fn end(bytes: &[u8], start: usize) -> Option<usize> {
    let first = *bytes.get(start)?;
    if first & 1 == 1 {
        // A length of 0 marks a pointer to a value kept elsewhere.
        let length = usize::from(first >> 1);
        (length > 0).then_some(start + length)
    } else {
        data(bytes, start).map(|(_, end)| end)
    }
}

/// First and last-but-one offset of the data of the value that starts at `start`. `None`: the bytes are
/// no plain value, or it passes their end.
#[inline]
pub fn data(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let first = *bytes.get(start)?;
    let (from, to) = if first & 1 == 1 {
        (start + 1, start + usize::from(first >> 1))
    } else {
        let header = bytes.get(start..start + LONG_HEADER)?;
        let header = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
        if header & 3 != 0 {
            return None;
        }
        (
            start + LONG_HEADER,
            start.checked_add((header >> 2) as usize)?,
        )
    };
    (from <= to && to <= bytes.len()).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_all_lengths_come_back() {
        for length in [0, 1, 125, 126, 127, 128, 2000] {
            let value = vec![7u8; length];
            let mut bytes = vec![9u8; 5];
            append(&mut bytes, &value, 4);
            let at = start(&bytes, 5, 4);
            assert_eq!(extent(5, length, 4), (at, bytes.len()));
            let (from, to) = data(&bytes, at).expect("a value");
            assert_eq!(&bytes[from..to], value);
            assert_eq!(from - at, if length <= 126 { 1 } else { 4 });
        }
    }

    #[test]
    fn damaged_headers_are_refused() {
        assert_eq!(data(&[], 0), None);
        assert_eq!(data(&[1, 18], 0), None);
        assert_eq!(data(&[7, 0], 0), None);
        assert_eq!(data(&[0, 0, 0], 0), None);
        assert_eq!(data(&[0, 0, 0, 0], 0), None);
        assert_eq!(data(&[0x22, 0, 0, 0], 0), None);
        assert_eq!(data(&[0xFC, 0xFF, 0xFF, 0xFF], 0), None);
    }
}
