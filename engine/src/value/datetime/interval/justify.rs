//! `justify_hours`, `justify_days`, `justify_interval`: 24 hours to the day, 30 days to the month.

use super::super::MICROS_PER_DAY;
use super::{DAYS_PER_MONTH, Interval, out_of_range};
use crate::error::Result;

impl Interval {
    /// Whole days of the time become days; both then have one sign.
    pub fn justify_hours(mut self) -> Result<Interval> {
        self.carry_time()?;
        self.align_time();
        Ok(self)
    }

    /// Whole months of the days become months; both then have one sign.
    pub fn justify_days(mut self) -> Result<Interval> {
        self.carry_days()?;
        if self.months > 0 && self.days < 0 {
            self.days += DAYS_PER_MONTH;
            self.months -= 1;
        } else if self.months < 0 && self.days > 0 {
            self.days -= DAYS_PER_MONTH;
            self.months += 1;
        }
        Ok(self)
    }

    /// Both at once.
    pub fn justify(mut self) -> Result<Interval> {
        // Days that agree with the time in sign go first: they might overflow with it.
        if self.days > 0 && self.micros > 0 || self.days < 0 && self.micros < 0 {
            self.carry_days()?;
        }
        self.carry_time()?;
        self.carry_days()?;
        let below = self.days < 0 || self.days == 0 && self.micros < 0;
        let above = self.days > 0 || self.days == 0 && self.micros > 0;
        if self.months > 0 && below {
            self.days += DAYS_PER_MONTH;
            self.months -= 1;
        } else if self.months < 0 && above {
            self.days -= DAYS_PER_MONTH;
            self.months += 1;
        }
        self.align_time();
        Ok(self)
    }

    fn carry_time(&mut self) -> Result<()> {
        let days = (self.micros / MICROS_PER_DAY) as i32;
        self.micros %= MICROS_PER_DAY;
        self.days = self.days.checked_add(days).ok_or_else(out_of_range)?;
        Ok(())
    }

    fn carry_days(&mut self) -> Result<()> {
        let months = self.days / DAYS_PER_MONTH;
        self.days %= DAYS_PER_MONTH;
        self.months = self.months.checked_add(months).ok_or_else(out_of_range)?;
        Ok(())
    }

    fn align_time(&mut self) {
        if self.days > 0 && self.micros < 0 {
            self.micros += MICROS_PER_DAY;
            self.days -= 1;
        } else if self.days < 0 && self.micros > 0 {
            self.micros -= MICROS_PER_DAY;
            self.days += 1;
        }
    }
}
