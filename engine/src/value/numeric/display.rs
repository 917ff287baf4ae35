//! Text output: fixed notation with exactly the display scale's decimal places (`get_str_from_var`).

use std::fmt::{self, Write};

use super::{Numeric, Special, View};

impl Numeric {
    /// Appends PostgreSQL's text form.
    pub fn write_to(&self, out: &mut String) {
        match self.view() {
            View::Small(unscaled, scale) => {
                let mut digits = [0u8; 39];
                let start = fill_digits(unscaled.unsigned_abs(), &mut digits);
                write_scaled(&digits[start..], unscaled < 0, usize::from(scale), out);
            }
            View::Big(unscaled, scale) => {
                let digits = unscaled.magnitude().to_string();
                write_scaled(
                    digits.as_bytes(),
                    self.is_negative(),
                    usize::from(scale),
                    out,
                );
            }
            View::Special(Special::NaN) => out.push_str("NaN"),
            View::Special(Special::PosInf) => out.push_str("Infinity"),
            View::Special(Special::NegInf) => out.push_str("-Infinity"),
        }
    }
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write_to(&mut text);
        f.pad(&text)
    }
}

impl fmt::Debug for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Numeric(")?;
        fmt::Display::fmt(self, f)?;
        f.write_char(')')
    }
}

/// Writes the digits to the end of the buffer and answers where they start; 0 has none.
fn fill_digits(mut magnitude: u128, buffer: &mut [u8; 39]) -> usize {
    let mut at = buffer.len();
    while magnitude > u128::from(u64::MAX) {
        let mut low = (magnitude % 10_000_000_000_000_000) as u64;
        magnitude /= 10_000_000_000_000_000;
        for _ in 0..16 {
            at -= 1;
            buffer[at] = b'0' + (low % 10) as u8;
            low /= 10;
        }
    }
    let mut rest = magnitude as u64;
    while rest != 0 {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    at
}

/// `digits` are ASCII, without leading zeros, and stand for an integer of `10^-scale`.
fn write_scaled(digits: &[u8], negative: bool, scale: usize, out: &mut String) {
    if negative {
        out.push('-');
    }
    let digits = digits.strip_prefix(b"0").unwrap_or(digits);
    let whole = digits.len().saturating_sub(scale);
    if whole == 0 {
        out.push('0');
    }
    push_ascii(&digits[..whole], out);
    if scale > 0 {
        out.push('.');
        out.extend(std::iter::repeat_n('0', scale - (digits.len() - whole)));
        push_ascii(&digits[whole..], out);
    }
}

fn push_ascii(digits: &[u8], out: &mut String) {
    out.extend(digits.iter().map(|&digit| char::from(digit)));
}
