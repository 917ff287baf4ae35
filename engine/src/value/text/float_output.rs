//! Text output of `real` and `double precision` (`d2s.c`, `f2s.c`).
//!
//! The shortest text that reads back as the same number, as Rust finds it, but for two cases:
//! PostgreSQL never prints the exact midpoint of two neighbors (`STRICTLY_SHORTEST` is 0 in
//! `ryu_common.h`), so that 1e23 prints as 9.999999999999999e+22; and of two shortest texts that
//! are equally near it prints the one with the even last digit, so that 2^-25 ends in ...312e-08.

use super::scientific::{Scientific, Scratch};
use super::write_int4;

/// Appends the shortest form that reads back as the same number.
pub fn write_float8(value: f64, out: &mut String) {
    if write_special(value, out) {
        return;
    }
    let value = value.abs();
    let with_places = |places: usize| Scratch::format(format_args!("{value:.places$e}"));
    let reads_back = |text: &Scratch| text.as_str().parse() == Ok(value);
    let shortest = Scratch::format(format_args!("{value:e}"));
    choose(&shortest, Binary::of_float8(value), with_places, reads_back).write(15, out);
}

/// Appends the shortest form that reads back as the same number.
pub fn write_float4(value: f32, out: &mut String) {
    if write_special(f64::from(value), out) {
        return;
    }
    let value = value.abs();
    let with_places = |places: usize| Scratch::format(format_args!("{value:.places$e}"));
    let reads_back = |text: &Scratch| text.as_str().parse() == Ok(value);
    let shortest = Scratch::format(format_args!("{value:e}"));
    choose(&shortest, Binary::of_float4(value), with_places, reads_back).write(6, out);
}

/// Writes the sign, and what has no digits or needs no search for them; answers whether that was all.
fn write_special(value: f64, out: &mut String) -> bool {
    if value.is_nan() {
        out.push_str("NaN");
        return true;
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    if value.is_infinite() {
        out.push_str("Infinity");
    } else if value == 0.0 {
        out.push('0');
    }
    value.is_infinite() || value == 0.0
}

/// The shortest decimal that lies inside the interval of the number, not on its edge, and is
/// nearest to it, ties to even. `with_places` writes the number with so many decimal places.
fn choose(
    shortest: &Scratch,
    binary: Binary,
    with_places: impl Fn(usize) -> Scratch,
    reads_back: impl Fn(&Scratch) -> bool,
) -> Scientific {
    let decimal = Scientific::read(shortest);
    if decimal.is_midpoint(binary) {
        // 17 digits always tell a double from its neighbors.
        return (decimal.count as usize..17)
            .map(with_places)
            .filter(reads_back)
            .map(|text| Scientific::read(&text))
            .find(|inside| !inside.is_midpoint(binary))
            .unwrap_or(decimal);
    }
    if let Some(digits) = decimal.even_twin(binary)
        && reads_back(&Scratch::format(format_args!(
            "{digits}e{}",
            decimal.exponent
        )))
    {
        return Scientific { digits, ..decimal };
    }
    decimal
}

impl Scientific {
    /// `to_chars` without the sign: fixed notation where the exponent is at least -4 and below the limit, else
    /// scientific with at least two digits of exponent.
    fn write(&self, fixed_limit: i32, out: &mut String) {
        let mut buffer = [b'0'; 20];
        let mut at = buffer.len();
        let mut rest = self.digits;
        while rest != 0 {
            at -= 1;
            buffer[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let digits = &buffer[at..];
        let scientific = self.exponent + self.count - 1;
        let push = |digits: &[u8], out: &mut String| {
            out.extend(digits.iter().map(|&digit| char::from(digit)))
        };
        let zeros = |count: i32, out: &mut String| {
            out.extend(std::iter::repeat_n('0', count.max(0) as usize))
        };
        if (-4..fixed_limit).contains(&scientific) {
            if scientific < 0 {
                out.push_str("0.");
                zeros(-scientific - 1, out);
                push(digits, out);
            } else {
                let whole = (scientific + 1).min(self.count) as usize;
                push(&digits[..whole], out);
                zeros(self.exponent, out);
                if whole < digits.len() {
                    out.push('.');
                    push(&digits[whole..], out);
                }
            }
            return;
        }
        push(&digits[..1], out);
        if digits.len() > 1 {
            out.push('.');
            push(&digits[1..], out);
        }
        out.push('e');
        out.push(if scientific < 0 { '-' } else { '+' });
        if scientific.abs() < 10 {
            out.push('0');
        }
        write_int4(scientific.abs(), out);
    }

    /// True where the decimal lies exactly between the number and a neighbor of it.
    fn is_midpoint(&self, binary: Binary) -> bool {
        // Only an even significand takes its midpoints as its own when read back.
        let significand = u128::from(binary.significand);
        binary.significand.is_multiple_of(2)
            && (self.equals(2 * significand + 1, binary.exponent - 1)
                || self.equals(2 * significand - 1, binary.exponent - 1)
                || (binary.is_power_of_two
                    && self.equals(4 * significand - 1, binary.exponent - 2)))
    }

    /// The even digits on the other side of the number, where they are as near as these odd ones.
    fn even_twin(&self, binary: Binary) -> Option<u64> {
        if self.digits.is_multiple_of(2) {
            return None;
        }
        let halfway = |digits: u64| Scientific {
            digits,
            exponent: self.exponent - 1,
            ..*self
        };
        let significand = u128::from(binary.significand);
        if halfway(self.digits * 10 - 5).equals(significand, binary.exponent) {
            Some(self.digits - 1)
        } else if halfway(self.digits * 10 + 5).equals(significand, binary.exponent) {
            Some(self.digits + 1)
        } else {
            None
        }
    }

    /// `digits * 10^exponent == significand * 2^power`, with both sides brought to odd integers.
    fn equals(&self, significand: u128, power: i32) -> bool {
        // Beyond 5^27 one side would need more digits than the other can have.
        if !(-27..=27).contains(&self.exponent) {
            return false;
        }
        let (left_twos, right_twos) = (self.digits.trailing_zeros(), significand.trailing_zeros());
        if self.exponent + left_twos as i32 != power + right_twos as i32 {
            return false;
        }
        let fives = 5u128.pow(self.exponent.unsigned_abs());
        let (left, right) = (
            u128::from(self.digits >> left_twos),
            significand >> right_twos,
        );
        if self.exponent >= 0 {
            left.checked_mul(fives) == Some(right)
        } else {
            right.checked_mul(fives) == Some(left)
        }
    }
}

/// A binary number: `significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Binary {
    significand: u64,
    exponent: i32,
    /// The lower neighbor is only half as far away as the upper one.
    is_power_of_two: bool,
}

impl Binary {
    fn of_float8(value: f64) -> Binary {
        let bits = value.to_bits();
        Binary::new(
            bits & ((1 << 52) - 1),
            ((bits >> 52) & 0x7FF) as i32,
            52,
            1075,
        )
    }

    fn of_float4(value: f32) -> Binary {
        let bits = value.to_bits();
        Binary::new(
            u64::from(bits & ((1 << 23) - 1)),
            ((bits >> 23) & 0xFF) as i32,
            23,
            150,
        )
    }

    fn new(fraction: u64, biased: i32, fraction_bits: u32, bias: i32) -> Binary {
        if biased == 0 {
            return Binary {
                significand: fraction,
                exponent: 1 - bias,
                is_power_of_two: false,
            };
        }
        Binary {
            significand: fraction | 1 << fraction_bits,
            exponent: biased - bias,
            is_power_of_two: fraction == 0,
        }
    }
}
