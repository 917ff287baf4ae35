//! `interval year to month`, `interval(3)`: the fields and the digits a declaration keeps
//! (`intervaltypmodin`, `AdjustIntervalForTypmod`).

use super::super::{MICROS_PER_DAY, MICROS_PER_SECOND};
use super::{Interval, MONTHS_PER_YEAR};
use crate::error::{Error, Result, sqlstate};

/// A set of fields, as PostgreSQL's `INTERVAL_MASK` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalFields(u16);

impl IntervalFields {
    pub const MONTH: IntervalFields = IntervalFields(1 << 1);
    pub const YEAR: IntervalFields = IntervalFields(1 << 2);
    pub const DAY: IntervalFields = IntervalFields(1 << 3);
    pub const HOUR: IntervalFields = IntervalFields(1 << 10);
    pub const MINUTE: IntervalFields = IntervalFields(1 << 11);
    pub const SECOND: IntervalFields = IntervalFields(1 << 12);
    /// `INTERVAL_FULL_RANGE`
    pub const ALL: IntervalFields = IntervalFields(0x7FFF);

    /// From the largest to the smallest, with their names in SQL.
    const NAMED: [(IntervalFields, &'static str); 6] = [
        (IntervalFields::YEAR, "year"),
        (IntervalFields::MONTH, "month"),
        (IntervalFields::DAY, "day"),
        (IntervalFields::HOUR, "hour"),
        (IntervalFields::MINUTE, "minute"),
        (IntervalFields::SECOND, "second"),
    ];

    /// `first`, or `first to last`; `None` for pairs that SQL does not have.
    pub fn between(first: &str, last: Option<&str>) -> Option<IntervalFields> {
        let place = |name: &str| Self::NAMED.iter().position(|(_, known)| *known == name);
        let from = place(first)?;
        let to = match last {
            Some(last) => place(last).filter(|&to| to > from)?,
            None => from,
        };
        // Months do not divide into days: YEAR TO MONTH is the only pair above DAY.
        if from < 2 && to >= 2 {
            return None;
        }
        let bits = Self::NAMED[from..=to].iter().map(|(field, _)| field.0);
        Some(IntervalFields(bits.fold(0, |all, bit| all | bit)))
    }

    pub fn bits(self) -> i64 {
        i64::from(self.0)
    }

    /// What a typmod declares; all fields for -1.
    pub fn of_typmod(typmod: i32) -> IntervalFields {
        if typmod < 0 {
            return IntervalFields::ALL;
        }
        IntervalFields((typmod >> 16) as u16 & 0x7FFF)
    }

    /// The smallest of the fields, if they are a declaration's.
    pub(super) fn last(self) -> Option<IntervalFields> {
        if self == IntervalFields::ALL {
            return None;
        }
        let fields = Self::NAMED.iter().rev();
        fields
            .map(|(field, _)| *field)
            .find(|field| self.0 & field.0 != 0)
    }

    /// Appends ` day to second(3)`, as `format_type` writes it (`intervaltypmodout`).
    pub fn write_typmod(typmod: i32, out: &mut String) {
        let declared = IntervalFields::of_typmod(typmod);
        if declared != IntervalFields::ALL {
            let holds = |(field, _): &&(IntervalFields, &str)| declared.0 & field.0 != 0;
            let mut fields = Self::NAMED.iter().filter(holds);
            if let Some((_, first)) = fields.next() {
                out.push(' ');
                out.push_str(first);
            }
            if let Some((_, last)) = fields.next_back() {
                out.push_str(" to ");
                out.push_str(last);
            }
        }
        if let Some(precision) = precision(typmod) {
            out.push_str(&format!("({precision})"));
        }
    }
}

/// `INTERVAL_FULL_PRECISION`
const FULL_PRECISION: i32 = 0xFFFF;

/// The digits of a second that a typmod keeps, if it says so.
pub(super) fn precision(typmod: i32) -> Option<i32> {
    let precision = typmod & 0xFFFF;
    (typmod >= 0 && precision != FULL_PRECISION).then_some(precision)
}

impl Interval {
    /// The typmod of the modifiers that the grammar gives a type name: the fields, and the digits.
    /// 22023 for what is no declaration.
    pub fn typmod(modifiers: &[i64]) -> Result<i32> {
        let invalid = |message: String| Error::new(sqlstate::INVALID_PARAMETER_VALUE, message);
        let packed = |precision: i32, fields: i64| (fields as i32 & 0x7FFF) << 16 | precision;
        match *modifiers {
            [fields] if fields == IntervalFields::ALL.bits() => Ok(-1),
            [fields] => Ok(packed(FULL_PRECISION, fields)),
            [_, precision] if precision < 0 => Err(invalid(format!(
                "INTERVAL({precision}) precision must not be negative"
            ))),
            [fields, precision] => Ok(packed(precision.min(6) as i32, fields)),
            _ => Err(invalid("invalid INTERVAL type modifier".into())),
        }
    }

    /// What a declaration keeps of the interval: larger fields stay, smaller ones are cut off, and
    /// digits of a second beyond the precision are rounded away.
    pub fn apply_typmod(mut self, typmod: i32) -> Interval {
        let floor = |micros: i64, unit: i64| micros / unit * unit;
        match IntervalFields::of_typmod(typmod).last() {
            Some(IntervalFields::YEAR) => {
                self = Interval::new(self.months / MONTHS_PER_YEAR * MONTHS_PER_YEAR, 0, 0);
            }
            Some(IntervalFields::MONTH) => self = Interval::new(self.months, 0, 0),
            Some(IntervalFields::DAY) => self.micros = 0,
            Some(IntervalFields::HOUR) => self.micros = floor(self.micros, MICROS_PER_DAY / 24),
            Some(IntervalFields::MINUTE) => {
                self.micros = floor(self.micros, 60 * MICROS_PER_SECOND);
            }
            _ => {}
        }
        if let Some(precision) = precision(typmod) {
            let scale = 10i64.pow(6u32.saturating_sub(precision as u32));
            let half = scale / 2;
            self.micros = if self.micros >= 0 {
                floor(self.micros.wrapping_add(half), scale)
            } else {
                floor(self.micros.wrapping_sub(half), scale)
            };
        }
        self
    }
}
