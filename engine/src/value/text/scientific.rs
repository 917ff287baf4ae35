//! Decimal digits and exponents of binary floating-point numbers, by Rust's formatting.

use std::fmt;

/// A decimal number: `digits * 10^exponent`, without zeros at the end of the digits.
pub(in crate::value) struct Scientific {
    pub negative: bool,
    pub digits: u64,
    /// How many digits there are.
    pub count: i32,
    pub exponent: i32,
}

impl Scientific {
    /// Reads what `{:e}` wrote: `[-]d[.ddd]e[-]x`.
    pub fn read(text: &Scratch) -> Scientific {
        let mut number = Scientific {
            negative: false,
            digits: 0,
            count: 0,
            exponent: 0,
        };
        let (mut after_point, mut after_e, mut small) = (false, false, false);
        let (mut places, mut exponent) = (0, 0);
        for &byte in text.as_bytes() {
            match byte {
                b'-' if after_e => small = true,
                b'-' => number.negative = true,
                b'.' => after_point = true,
                b'e' => after_e = true,
                digit if after_e => exponent = exponent * 10 + i32::from(digit - b'0'),
                digit => {
                    number.digits = number.digits * 10 + u64::from(digit - b'0');
                    number.count += 1;
                    places += i32::from(after_point);
                }
            }
        }
        number.exponent = if small { -exponent } else { exponent } - places;
        while number.count > 1 && number.digits.is_multiple_of(10) {
            number.digits /= 10;
            number.count -= 1;
            number.exponent += 1;
        }
        number
    }
}

/// A few bytes on the stack to format a number in, without allocating.
pub(in crate::value) struct Scratch {
    bytes: [u8; 48],
    len: usize,
}

impl Scratch {
    /// The longest text is a 39-digit integer with sign and exponent; a longer one would lose its end.
    pub fn format(arguments: fmt::Arguments<'_>) -> Scratch {
        let mut scratch = Scratch {
            bytes: [0; 48],
            len: 0,
        };
        // Writing fails only where there is no room.
        let _ = fmt::Write::write_fmt(&mut scratch, arguments);
        scratch
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub fn as_str(&self) -> &str {
        // Whole strings are copied in, so that the bytes are UTF-8.
        std::str::from_utf8(self.as_bytes()).unwrap_or("")
    }
}

impl fmt::Write for Scratch {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let place = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}
