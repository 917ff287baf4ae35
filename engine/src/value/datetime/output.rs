//! ISO text output (`EncodeDateOnly`, `EncodeDateTime`).

use super::calendar::{Civil, civil_from_days};
use super::{
    DATE_INFINITY, DATE_NEG_INFINITY, MICROS_PER_DAY, MICROS_PER_SECOND, TIMESTAMP_INFINITY,
    TIMESTAMP_NEG_INFINITY,
};
use crate::value::text::write_int8;

/// Appends `2024-02-29`, `0044-03-15 BC`, `infinity`.
pub fn write_date(date: i32, out: &mut String) {
    match date {
        DATE_INFINITY => out.push_str("infinity"),
        DATE_NEG_INFINITY => out.push_str("-infinity"),
        _ => {
            let civil = civil_from_days(i64::from(date));
            write_civil(civil, out);
            write_era(civil, out);
        }
    }
}

/// Appends `2024-02-29 12:34:56.789`, `0044-03-15 12:00:00 BC`, `infinity`.
pub fn write_timestamp(timestamp: i64, out: &mut String) {
    match timestamp {
        TIMESTAMP_INFINITY => out.push_str("infinity"),
        TIMESTAMP_NEG_INFINITY => out.push_str("-infinity"),
        _ => {
            let civil = civil_from_days(timestamp.div_euclid(MICROS_PER_DAY));
            let micros = timestamp.rem_euclid(MICROS_PER_DAY);
            let seconds = micros / MICROS_PER_SECOND;
            write_civil(civil, out);
            out.push(' ');
            write_padded(seconds / 3600, 2, out);
            out.push(':');
            write_padded(seconds / 60 % 60, 2, out);
            out.push(':');
            write_padded(seconds % 60, 2, out);
            write_fraction(micros % MICROS_PER_SECOND, out);
            write_era(civil, out);
        }
    }
}

fn write_civil(civil: Civil, out: &mut String) {
    // There is no year zero between 1 BC and AD 1.
    let year = if civil.year > 0 {
        civil.year
    } else {
        1 - civil.year
    };
    write_padded(year, 4, out);
    out.push('-');
    write_padded(civil.month, 2, out);
    out.push('-');
    write_padded(civil.day, 2, out);
}

fn write_era(civil: Civil, out: &mut String) {
    if civil.year <= 0 {
        out.push_str(" BC");
    }
}

/// Microseconds without the zeros at the end; nothing at all for a whole second.
pub(super) fn write_fraction(micros: i64, out: &mut String) {
    if micros == 0 {
        return;
    }
    let (mut digits, mut places) = (micros, 6);
    while digits % 10 == 0 {
        digits /= 10;
        places -= 1;
    }
    out.push('.');
    write_padded(digits, places, out);
}

/// A number above or equal to zero with at least so many digits.
pub(super) fn write_padded(number: i64, width: u32, out: &mut String) {
    let digits = number.checked_ilog10().map_or(1, |log| log + 1);
    out.extend(std::iter::repeat_n(
        '0',
        width.saturating_sub(digits) as usize,
    ));
    write_int8(number, out);
}
