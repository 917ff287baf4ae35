//! Bit-packed integers: each value as its difference from the least one, in as few bits as the
//! greatest needs, rounded up to 0, 1, 2, 4, 8, 16, 32 or 64, so that no value straddles a byte and a
//! loop over whole bytes is one over a typed slice.

/// How many bits a difference takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// All values are the same.
    W0,
    W1,
    W2,
    W4,
    W8,
    W16,
    W32,
    W64,
}

impl Width {
    fn holding(span: u64) -> Width {
        match span {
            0 => Width::W0,
            1 => Width::W1,
            2..=3 => Width::W2,
            4..=15 => Width::W4,
            16..=0xFF => Width::W8,
            0x100..=0xFFFF => Width::W16,
            0x1_0000..=0xFFFF_FFFF => Width::W32,
            _ => Width::W64,
        }
    }
}

/// Integers in ascending places, each `base` plus a difference.
#[derive(Clone, Debug)]
pub struct Packed {
    base: i64,
    width: Width,
    bytes: Vec<u8>,
}

/// Runs `$body` with `$deltas` bound to an iterator over the differences of the rows `$from..$to`.
macro_rules! with_deltas {
    ($packed:expr, $from:expr, $to:expr, $deltas:ident => $body:expr) => {{
        let (bytes, from, to) = (&$packed.bytes[..], $from, $to);
        match $packed.width {
            Width::W0 => {
                let $deltas = std::iter::repeat_n(0u64, to - from);
                $body
            }
            Width::W1 => {
                let $deltas = (from..to).map(|row| bits(bytes, row, 3, 1));
                $body
            }
            Width::W2 => {
                let $deltas = (from..to).map(|row| bits(bytes, row, 2, 3));
                $body
            }
            Width::W4 => {
                let $deltas = (from..to).map(|row| bits(bytes, row, 1, 15));
                $body
            }
            Width::W8 => {
                let $deltas = bytes[from..to].iter().map(|&byte| u64::from(byte));
                $body
            }
            Width::W16 => {
                let (values, _) = bytes[from * 2..to * 2].as_chunks::<2>();
                let $deltas = values.iter().map(|&v| u64::from(u16::from_le_bytes(v)));
                $body
            }
            Width::W32 => {
                let (values, _) = bytes[from * 4..to * 4].as_chunks::<4>();
                let $deltas = values.iter().map(|&v| u64::from(u32::from_le_bytes(v)));
                $body
            }
            Width::W64 => {
                let (values, _) = bytes[from * 8..to * 8].as_chunks::<8>();
                let $deltas = values.iter().map(|&v| u64::from_le_bytes(v));
                $body
            }
        }
    }};
}

/// The `row`th group of `mask`'s bits; `2^per_byte` groups lie in a byte, the first one lowest.
#[inline(always)]
fn bits(bytes: &[u8], row: usize, per_byte: u32, mask: u64) -> u64 {
    let shift = (row & ((1 << per_byte) - 1)) << (3 - per_byte);
    u64::from(bytes[row >> per_byte]) >> shift & mask
}

impl Packed {
    pub fn new(values: impl Iterator<Item = i64> + Clone) -> Packed {
        let (mut least, mut greatest) = (i64::MAX, i64::MIN);
        for value in values.clone() {
            least = least.min(value);
            greatest = greatest.max(value);
        }
        let base = if least > greatest { 0 } else { least };
        let span = greatest.wrapping_sub(base) as u64;
        let width = Width::holding(if least > greatest { 0 } else { span });
        let deltas = values.map(|value| value.wrapping_sub(base) as u64);
        let bytes = match width {
            Width::W0 => Vec::new(),
            Width::W1 => pack(deltas, 3),
            Width::W2 => pack(deltas, 2),
            Width::W4 => pack(deltas, 1),
            Width::W8 => deltas.map(|delta| delta as u8).collect(),
            Width::W16 => deltas.flat_map(|d| (d as u16).to_le_bytes()).collect(),
            Width::W32 => deltas.flat_map(|d| (d as u32).to_le_bytes()).collect(),
            Width::W64 => deltas.flat_map(u64::to_le_bytes).collect(),
        };
        Packed { base, width, bytes }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    #[inline]
    pub fn get(&self, row: usize) -> i64 {
        let load = |at: usize, to: &mut [u8]| {
            let from = at * to.len();
            to.copy_from_slice(&self.bytes[from..from + to.len()]);
        };
        let delta = match self.width {
            Width::W0 => 0,
            Width::W1 => bits(&self.bytes, row, 3, 1),
            Width::W2 => bits(&self.bytes, row, 2, 3),
            Width::W4 => bits(&self.bytes, row, 1, 15),
            Width::W8 => u64::from(self.bytes[row]),
            Width::W16 => {
                let mut value = [0; 2];
                load(row, &mut value);
                u64::from(u16::from_le_bytes(value))
            }
            Width::W32 => {
                let mut value = [0; 4];
                load(row, &mut value);
                u64::from(u32::from_le_bytes(value))
            }
            Width::W64 => {
                let mut value = [0; 8];
                load(row, &mut value);
                u64::from_le_bytes(value)
            }
        };
        self.base.wrapping_add(delta as i64)
    }

    /// Appends the rows `from..to`, each made by `cast`.
    #[inline]
    pub fn extend<T>(&self, from: usize, to: usize, into: &mut Vec<T>, cast: impl Fn(i64) -> T) {
        let base = self.base;
        with_deltas!(self, from, to, deltas => {
            into.extend(deltas.map(|delta| cast(base.wrapping_add(delta as i64))));
        });
    }

    /// Puts those of the rows `from..to` into `passed` whose value is within `span` from `least` on,
    /// or is not, if `negated`. There is no branch in the loop, so it costs the same at every selectivity.
    pub fn select(
        &self,
        from: usize,
        to: usize,
        least: i64,
        span: u64,
        negated: bool,
        passed: &mut Vec<u32>,
    ) {
        let shift = self.base.wrapping_sub(least) as u64;
        passed.clear();
        passed.resize(to - from, 0);
        let mut kept = 0;
        with_deltas!(self, from, to, deltas => {
            for (row, delta) in (from as u32..).zip(deltas) {
                passed[kept] = row;
                kept += usize::from((delta.wrapping_add(shift) <= span) != negated);
            }
        });
        passed.truncate(kept);
    }
}

/// `2^per_byte` differences to a byte, the first one lowest.
fn pack(deltas: impl Iterator<Item = u64>, per_byte: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (row, delta) in deltas.enumerate() {
        let within = row & ((1 << per_byte) - 1);
        if within == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= (delta as u8) << (within << (3 - per_byte));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_gives_back_what_was_packed() {
        for (greatest, width) in [
            (0, Width::W0),
            (1, Width::W1),
            (3, Width::W2),
            (15, Width::W4),
            (255, Width::W8),
            (65_535, Width::W16),
            (4_294_967_295, Width::W32),
            (i64::MAX, Width::W64),
        ] {
            for base in [0, -7, i64::MIN] {
                let values: Vec<i64> = (0..37i64)
                    .map(|i| base.wrapping_add(if i % 5 == 0 { 0 } else { greatest / i.max(1) }))
                    .collect();
                let packed = Packed::new(values.iter().copied());
                assert_eq!(packed.width, width, "{greatest}");
                let got: Vec<i64> = (0..values.len()).map(|row| packed.get(row)).collect();
                assert_eq!(got, values);
                let mut some = Vec::new();
                packed.extend(5, 30, &mut some, |value| value);
                assert_eq!(some, values[5..30]);
                let (least, greatest) = (base, base.wrapping_add(greatest / 2));
                for negated in [false, true] {
                    let span = greatest.wrapping_sub(least) as u64;
                    let mut passed = Vec::new();
                    packed.select(3, 37, least, span, negated, &mut passed);
                    let expected: Vec<u32> = (3..37)
                        .filter(|&row| (least <= values[row] && values[row] <= greatest) != negated)
                        .map(|row| row as u32)
                        .collect();
                    assert_eq!(passed, expected);
                }
            }
        }
    }

    #[test]
    fn both_ends_of_the_integers_fit_one_packing() {
        let packed = Packed::new([i64::MIN, i64::MAX, 0].into_iter());
        assert_eq!(
            (0..3).map(|row| packed.get(row)).collect::<Vec<_>>(),
            [i64::MIN, i64::MAX, 0]
        );
        assert_eq!(Packed::new(std::iter::empty()).bytes(), 0);
    }
}
