//! From fields to a point in time (`DecodeDateTime` and its helpers in `datetime.c`).
//!
//! Every field of the input fills one or more parts of the date; a part that is filled twice makes
//! the input bad. What a number means depends on its length and on what is known already.

use super::calendar::{civil_from_days, days_from_civil, days_in_month};
use super::keywords::{Label, Word, lookup};
use super::scan::{check_zone_offset, fraction, leading_hours, leading_integer};
use super::tokens::{Shape, Token, split};
use super::{EPOCH_JULIAN_DAY, MICROS_PER_DAY, MICROS_PER_SECOND};

/// `MAXDATELEN`: the room for the input's fields.
const MAX_LENGTH: usize = 128;

/// What the input says.
pub(super) enum Decoded {
    Moment(Moment),
    Epoch,
    Infinity,
    NegInfinity,
}

/// A day and the microseconds since its midnight, up to 24:00:00.
pub(super) struct Moment {
    /// Astronomical: 0 is 1 BC.
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub micros_of_day: i64,
}

/// Why input is not a date (`DTERR_…`).
pub(super) enum Failure {
    BadFormat,
    FieldOverflow,
    /// A month or day that another field order might read.
    MonthOrDayOverflow,
    ZoneOverflow,
    /// A word that means the current time, where no clock was given.
    NeedsClock(&'static str),
    /// A name that only a time zone database could tell from nonsense.
    ZoneName(String),
}

pub(super) type Outcome<T = ()> = Result<T, Failure>;

/// Parts of a date and time, as a set of bits.
pub(super) type Parts = u32;

pub(super) const YEAR: Parts = 1;
pub(super) const MONTH: Parts = 1 << 1;
pub(super) const DAY: Parts = 1 << 2;
pub(super) const DATE: Parts = YEAR | MONTH | DAY;
pub(super) const YEAR_AND_MONTH: Parts = YEAR | MONTH;
pub(super) const MONTH_AND_DAY: Parts = MONTH | DAY;
pub(super) const DAY_OF_YEAR: Parts = 1 << 3;
pub(super) const HOUR: Parts = 1 << 4;
pub(super) const MINUTE: Parts = 1 << 5;
pub(super) const SECOND: Parts = 1 << 6;
pub(super) const FRACTION: Parts = 1 << 7;
pub(super) const TIME: Parts = HOUR | MINUTE | SECOND | FRACTION;
pub(super) const ZONE: Parts = 1 << 8;
pub(super) const DAYLIGHT: Parts = 1 << 9;
pub(super) const MERIDIAN: Parts = 1 << 10;
pub(super) const ERA: Parts = 1 << 11;
pub(super) const WEEKDAY: Parts = 1 << 12;
pub(super) const RESERVED: Parts = 1 << 13;

/// What the previous field announced about the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Announced {
    Nothing,
    IsoTime,
    Labeled(Label),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    Hours24,
    Am,
    Pm,
}

/// What the fields say together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Date,
    Epoch,
    Infinity,
    NegInfinity,
}

/// What the fields have said so far.
pub(super) struct Decoder {
    pub(super) known: Parts,
    kind: Kind,
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) day_of_year: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) micros: i64,
    clock: Clock,
    bc: bool,
    julian: bool,
    pub(super) two_digit_year: bool,
    pub(super) text_month: bool,
}

pub(super) fn decode(text: &str, now: Option<i64>) -> Outcome<Decoded> {
    let tokens = split(text, MAX_LENGTH).ok_or(Failure::BadFormat)?;
    let mut decoder = Decoder {
        known: 0,
        kind: Kind::Date,
        year: 0,
        month: 0,
        day: 0,
        day_of_year: 0,
        hour: 0,
        minute: 0,
        second: 0,
        micros: 0,
        clock: Clock::Hours24,
        bc: false,
        julian: false,
        two_digit_year: false,
        text_month: false,
    };
    let mut announced = Announced::Nothing;
    for (i, token) in tokens.iter().enumerate() {
        let parts = match token.shape {
            Shape::Date => decoder.date_field(&token.text, &mut announced)?,
            Shape::Time => {
                if let Announced::Labeled(_) = announced {
                    return Err(Failure::BadFormat);
                }
                announced = Announced::Nothing;
                decoder.time(&token.text)?
            }
            Shape::Zone => {
                check_zone_offset(&token.text)?;
                ZONE
            }
            Shape::Number => match std::mem::replace(&mut announced, Announced::Nothing) {
                Announced::Nothing => decoder.number_field(&token.text)?,
                Announced::IsoTime => {
                    let parts = decoder.run_together(&token.text, decoder.known | DATE)?;
                    if parts != TIME {
                        return Err(Failure::BadFormat);
                    }
                    parts
                }
                Announced::Labeled(label) => decoder.labeled(label, &token.text)?,
            },
            Shape::Word | Shape::SignedWord => {
                let next = tokens.get(i + 1);
                match decoder.word(&token.text, next, now, &mut announced)? {
                    Some(parts) => parts,
                    None => continue,
                }
            }
        };
        if parts & decoder.known != 0 {
            return Err(Failure::BadFormat);
        }
        decoder.known |= parts;
    }
    decoder.finish()
}

impl Decoder {
    /// A field that looks like a date; after one, it can be a zone or a time with a zone.
    fn date_field(&mut self, text: &str, announced: &mut Announced) -> Outcome<Parts> {
        if *announced == Announced::Labeled(Label::JulianDay) {
            *announced = Announced::Nothing;
            let (days, rest) = leading_integer(text)?;
            self.set_julian_day(days);
            check_zone_offset(rest)?;
            return Ok(DATE | TIME | ZONE);
        }
        if *announced == Announced::Nothing && self.known & (MONTH | DAY) != MONTH | DAY {
            return self.date(text);
        }
        if *announced == Announced::Nothing && !text.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(Failure::ZoneName(text.to_string()));
        }
        if let Announced::Labeled(_) = announced {
            return Err(Failure::BadFormat);
        }
        *announced = Announced::Nothing;
        if self.known & TIME == TIME {
            return Err(Failure::BadFormat);
        }
        let at = text.find('-').ok_or(Failure::BadFormat)?;
        check_zone_offset(&text[at..])?;
        Ok(self.run_together(&text[..at], self.known)? | ZONE)
    }

    /// `DecodeTime`: `hh:mm`, `hh:mm:ss` or `mm:ss.fff`.
    fn time(&mut self, text: &str) -> Outcome<Parts> {
        let (first, rest) = leading_hours(text)?;
        let (second, rest) = leading_integer(rest.strip_prefix(':').ok_or(Failure::BadFormat)?)?;
        (self.hour, self.minute, self.second, self.micros) = (first, second, 0, 0);
        if let Some(rest) = rest.strip_prefix(':') {
            let (seconds, rest) = leading_integer(rest)?;
            self.second = seconds;
            if !rest.is_empty() {
                self.micros = fraction(rest)?;
            }
        } else if !rest.is_empty() {
            self.micros = fraction(rest)?;
            (self.hour, self.minute, self.second) = (0, first, second);
        }
        let in_range = self.hour <= 24 && self.minute <= 59 && self.second <= 60;
        if !in_range || self.micros_of_day() > MICROS_PER_DAY {
            return Err(Failure::FieldOverflow);
        }
        Ok(TIME)
    }

    /// A number behind a label: `y2001`, `j2451187.5`.
    fn labeled(&mut self, label: Label, text: &str) -> Outcome<Parts> {
        let (value, rest) = leading_integer(text)?;
        let may_have_fraction = matches!(label, Label::JulianDay | Label::Second);
        if !(rest.is_empty() || rest.starts_with('.') && may_have_fraction) {
            return Err(Failure::BadFormat);
        }
        self.kind = Kind::Date;
        match label {
            Label::Year => {
                self.year = value;
                Ok(YEAR)
            }
            // After an hour, m means minutes.
            Label::Month if self.known & MONTH != 0 && self.known & HOUR != 0 => {
                self.minute = value;
                Ok(MINUTE)
            }
            Label::Month => {
                self.month = value;
                Ok(MONTH)
            }
            Label::Day => {
                self.day = value;
                Ok(DAY)
            }
            Label::Hour => {
                self.hour = value;
                Ok(HOUR)
            }
            Label::Minute => {
                self.minute = value;
                Ok(MINUTE)
            }
            Label::Second => {
                self.second = value;
                if rest.is_empty() {
                    return Ok(SECOND);
                }
                self.micros = fraction(rest)?;
                Ok(SECOND | FRACTION)
            }
            Label::JulianDay => {
                self.set_julian_day(value);
                if rest.is_empty() {
                    return Ok(DATE);
                }
                let part: f64 = format!("0{rest}").parse().map_err(|_| Failure::BadFormat)?;
                self.set_micros_of_day((part * MICROS_PER_DAY as f64) as i64);
                Ok(DATE | TIME)
            }
            Label::Other => Err(Failure::BadFormat),
        }
    }

    /// A word; `None` where it has no meaning.
    fn word(
        &mut self,
        text: &str,
        next: Option<&Token>,
        now: Option<i64>,
        announced: &mut Announced,
    ) -> Outcome<Option<Parts>> {
        let parts = match lookup(text).ok_or(Failure::BadFormat)? {
            Word::Ignored => return Ok(None),
            Word::Month(month) => {
                let mut parts = MONTH;
                // A number that was taken for the month before its name came is the day.
                if self.known & (MONTH | DAY) == MONTH
                    && !self.text_month
                    && (1..=31).contains(&self.month)
                {
                    self.day = self.month;
                    parts = DAY;
                }
                self.text_month = true;
                self.month = month;
                parts
            }
            Word::Weekday => WEEKDAY,
            Word::Am => {
                self.clock = Clock::Am;
                MERIDIAN
            }
            Word::Pm => {
                self.clock = Clock::Pm;
                MERIDIAN
            }
            Word::Ad => {
                self.bc = false;
                ERA
            }
            Word::Bc => {
                self.bc = true;
                ERA
            }
            Word::IsoTime => {
                let time_follows = next.is_some_and(|next| {
                    matches!(next.shape, Shape::Number | Shape::Time | Shape::Date)
                });
                if self.known & DATE != DATE || !time_follows {
                    return Err(Failure::BadFormat);
                }
                *announced = Announced::IsoTime;
                0
            }
            Word::Label(label) => {
                *announced = Announced::Labeled(label);
                0
            }
            Word::Zone => ZONE,
            Word::DaylightModifier => DAYLIGHT,
            Word::AllBalls => {
                self.kind = Kind::Date;
                self.set_micros_of_day(0);
                TIME | ZONE
            }
            Word::Infinity => self.reserved(Kind::Infinity),
            Word::NegInfinity => self.reserved(Kind::NegInfinity),
            Word::Epoch => self.reserved(Kind::Epoch),
            Word::Now => {
                let now = now.ok_or(Failure::NeedsClock("now"))?;
                self.set_day(now.div_euclid(MICROS_PER_DAY));
                self.set_micros_of_day(now.rem_euclid(MICROS_PER_DAY));
                DATE | TIME | ZONE
            }
            Word::Today => self.day_from_now(now, 0, "today")?,
            Word::Tomorrow => self.day_from_now(now, 1, "tomorrow")?,
            Word::Yesterday => self.day_from_now(now, -1, "yesterday")?,
        };
        Ok(Some(parts))
    }

    fn reserved(&mut self, kind: Kind) -> Parts {
        self.kind = kind;
        RESERVED
    }

    fn day_from_now(&mut self, now: Option<i64>, days: i64, word: &'static str) -> Outcome<Parts> {
        let now = now.ok_or(Failure::NeedsClock(word))?;
        self.set_day(now.div_euclid(MICROS_PER_DAY) + days);
        Ok(DATE)
    }

    fn set_day(&mut self, days: i64) {
        let civil = civil_from_days(days);
        (self.year, self.month, self.day) = (civil.year, civil.month, civil.day);
        // The year counts from the epoch already, so that era and century leave it alone.
        self.julian = true;
        self.kind = Kind::Date;
    }

    fn set_julian_day(&mut self, julian_day: i64) {
        self.set_day(julian_day - i64::from(EPOCH_JULIAN_DAY));
    }

    fn set_micros_of_day(&mut self, micros: i64) {
        let seconds = micros / MICROS_PER_SECOND;
        (self.hour, self.minute, self.second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        self.micros = micros % MICROS_PER_SECOND;
    }

    fn micros_of_day(&self) -> i64 {
        ((self.hour * 60 + self.minute) * 60 + self.second) * MICROS_PER_SECOND + self.micros
    }

    fn finish(mut self) -> Outcome<Decoded> {
        self.settle_date()?;
        if self.clock != Clock::Hours24 && self.hour > 12 {
            return Err(Failure::FieldOverflow);
        }
        match self.clock {
            Clock::Am if self.hour == 12 => self.hour = 0,
            Clock::Pm if self.hour != 12 => self.hour += 12,
            _ => {}
        }
        if self.kind == Kind::Date && self.known & (DAYLIGHT | ZONE) == DAYLIGHT {
            return Err(Failure::BadFormat);
        }
        match self.kind {
            Kind::Epoch => Ok(Decoded::Epoch),
            Kind::Infinity => Ok(Decoded::Infinity),
            Kind::NegInfinity => Ok(Decoded::NegInfinity),
            Kind::Date if self.known & DATE != DATE => Err(Failure::BadFormat),
            Kind::Date => Ok(Decoded::Moment(Moment {
                year: self.year,
                month: self.month,
                day: self.day,
                micros_of_day: self.micros_of_day(),
            })),
        }
    }

    /// `ValidateDate`: era, century and day of the year, and then the ranges.
    fn settle_date(&mut self) -> Outcome {
        if self.known & YEAR != 0 && !self.julian {
            if self.bc {
                if self.year <= 0 {
                    return Err(Failure::FieldOverflow);
                }
                self.year = 1 - self.year;
            } else if self.two_digit_year {
                self.year += match self.year {
                    ..0 => return Err(Failure::FieldOverflow),
                    0..70 => 2000,
                    70..100 => 1900,
                    _ => 0,
                };
            } else if self.year <= 0 {
                return Err(Failure::FieldOverflow);
            }
        }
        if self.known & DAY_OF_YEAR != 0 {
            let civil = civil_from_days(days_from_civil(self.year, 1, self.day_of_year));
            (self.year, self.month, self.day) = (civil.year, civil.month, civil.day);
        }
        if self.known & MONTH != 0 && !(1..=12).contains(&self.month)
            || self.known & DAY != 0 && !(1..=31).contains(&self.day)
        {
            return Err(Failure::MonthOrDayOverflow);
        }
        if self.known & DATE == DATE && self.day > days_in_month(self.year, self.month) {
            return Err(Failure::FieldOverflow);
        }
        Ok(())
    }
}
