//! Text output in the style `postgres` (`EncodeInterval`).

use super::super::MICROS_PER_SECOND;
use super::super::output::{write_fraction, write_padded};
use super::{Interval, MONTHS_PER_YEAR};
use crate::value::text::write_int8;

/// Appends `1 year 2 mons -3 days +04:05:06.789`, `00:00:00`.
pub fn write_interval(interval: Interval, out: &mut String) {
    let mut parts = Parts {
        out,
        any: false,
        negative: false,
    };
    parts.write(interval.months / MONTHS_PER_YEAR, "year");
    parts.write(interval.months % MONTHS_PER_YEAR, "mon");
    parts.write(interval.days, "day");
    let Parts { any, negative, .. } = parts;
    if any && interval.micros == 0 {
        return;
    }
    if any {
        out.push(' ');
    }
    if interval.micros < 0 {
        out.push('-');
    } else if negative {
        out.push('+');
    }
    let micros = interval.micros.unsigned_abs();
    let seconds = (micros / MICROS_PER_SECOND as u64) as i64;
    write_padded(seconds / 3600, 2, out);
    out.push(':');
    write_padded(seconds / 60 % 60, 2, out);
    out.push(':');
    write_padded(seconds % 60, 2, out);
    write_fraction((micros % MICROS_PER_SECOND as u64) as i64, out);
}

struct Parts<'a> {
    out: &'a mut String,
    /// A part has been written.
    any: bool,
    /// The last part written is negative: a positive one behind it shows its sign.
    negative: bool,
}

impl Parts<'_> {
    fn write(&mut self, value: i32, unit: &str) {
        if value == 0 {
            return;
        }
        if self.any {
            self.out.push(' ');
        }
        if self.negative && value > 0 {
            self.out.push('+');
        }
        write_int8(value.into(), self.out);
        self.out.push(' ');
        self.out.push_str(unit);
        if value != 1 {
            self.out.push('s');
        }
        (self.any, self.negative) = (true, value < 0);
    }
}
