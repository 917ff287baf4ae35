//! Numbers of a date, by their length and by what is known already (`DecodeDate`, `DecodeNumber`
//! and `DecodeNumberField` in `datetime.c`).

use super::decode::{
    DATE, DAY, DAY_OF_YEAR, Decoder, Failure, MONTH, MONTH_AND_DAY, Outcome, Parts, TIME, YEAR,
    YEAR_AND_MONTH, ZONE,
};
use super::keywords::{Word, lookup};
use super::scan::{c_int, fraction, leading_fraction, leading_integer, split_date};

impl Decoder {
    /// `DecodeDate`: numbers and a month's name, separated by anything.
    pub(super) fn date(&mut self, text: &str) -> Outcome<Parts> {
        let fields = split_date(text)?;
        let mut found = 0;
        let mut text_month = false;
        // A name is a month without doubt, so that it is taken first.
        for field in fields
            .iter()
            .filter(|field| field.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            match lookup(field) {
                Some(Word::Ignored) => {}
                Some(Word::Month(month)) if (self.known | found) & MONTH == 0 => {
                    self.month = month;
                    text_month = true;
                    found |= MONTH;
                }
                _ => return Err(Failure::BadFormat),
            }
        }
        for field in fields
            .iter()
            .filter(|field| field.starts_with(|c: char| c.is_ascii_digit()))
        {
            let known = self.known | found;
            let parts = self.number(field, text_month, known)?;
            if known & parts != 0 {
                return Err(Failure::BadFormat);
            }
            found |= parts;
        }
        if (self.known | found) & !(DAY_OF_YEAR | ZONE) != DATE {
            return Err(Failure::BadFormat);
        }
        Ok(found)
    }

    /// A field that looks like a number.
    pub(super) fn number_field(&mut self, text: &str) -> Outcome<Parts> {
        let before_point = text.find('.');
        match before_point {
            Some(_) if self.known & DATE == 0 => self.date(text),
            Some(length) if length > 2 => self.run_together(text, self.known),
            // Six digits are a date or a time, unless both are known; five are a year.
            _ if text.len() >= 6 && (self.known & DATE == 0 || self.known & TIME == 0) => {
                self.run_together(text, self.known)
            }
            _ => self.number(text, self.text_month, self.known),
        }
    }

    /// `DecodeNumber`: one part of a date, by what is known already.
    fn number(&mut self, text: &str, text_month: bool, known: Parts) -> Outcome<Parts> {
        let (value, rest) = leading_integer(text)?;
        if rest.len() == text.len() {
            return Err(Failure::BadFormat);
        }
        if rest.starts_with('.') {
            if text.len() - rest.len() > 2 {
                return self.run_together(text, known | DATE);
            }
            self.micros = fraction(rest)?;
        } else if !rest.is_empty() {
            return Err(Failure::BadFormat);
        }
        let length = text.len();
        if length == 3 && known & DATE == YEAR && (1..=366).contains(&value) {
            self.day_of_year = value;
            return Ok(DAY_OF_YEAR | MONTH | DAY);
        }
        let part = match known & DATE {
            0 if length >= 3 => YEAR,
            0 | YEAR => MONTH,
            MONTH if text_month && length >= 3 => YEAR,
            MONTH => DAY,
            YEAR_AND_MONTH if text_month && length >= 3 && self.two_digit_year => {
                // The short number before it was the day.
                self.day = self.year;
                self.year = value;
                self.two_digit_year = false;
                return Ok(DAY);
            }
            YEAR_AND_MONTH => DAY,
            DAY => MONTH,
            MONTH_AND_DAY => YEAR,
            DATE => return self.run_together(text, known),
            _ => return Err(Failure::BadFormat),
        };
        match part {
            YEAR => {
                self.year = value;
                self.two_digit_year = length <= 2;
            }
            MONTH => self.month = value,
            _ => self.day = value,
        }
        Ok(part)
    }

    /// `DecodeNumberField`: `yyyymmdd`, `yymmdd`, `hhmmss`, `hhmm`, with a fraction after a time.
    pub(super) fn run_together(&mut self, text: &str, known: Parts) -> Outcome<Parts> {
        let mut digits = text;
        if let Some(at) = text.find('.') {
            self.micros = leading_fraction(&text[at..]);
            digits = &text[..at];
        } else if known & DATE != DATE && text.len() >= 6 {
            let (rest, day) = text.split_at(text.len() - 2);
            let (year, month) = rest.split_at(rest.len() - 2);
            (self.year, self.month, self.day) = (c_int(year), c_int(month), c_int(day));
            if year.len() == 2 {
                self.two_digit_year = true;
            }
            return Ok(DATE);
        }
        if known & TIME != TIME && matches!(digits.len(), 4 | 6) {
            self.hour = c_int(&digits[..2]);
            self.minute = c_int(&digits[2..4]);
            self.second = c_int(&digits[4..]);
            return Ok(TIME);
        }
        Err(Failure::BadFormat)
    }
}
