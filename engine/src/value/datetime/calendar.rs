//! Days since 2000-01-01 to years, months and days of the proleptic Gregorian calendar and back.
//! Years are astronomical: 0 is 1 BC, -1 is 2 BC.

/// Days from 0000-03-01 to 2000-01-01. Years that start in March end with the leap day.
const MARCH_ZERO_TO_EPOCH: i64 = 730_425;
const DAYS_PER_ERA: i64 = 146_097;

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Civil {
    pub year: i64,
    pub month: i64,
    pub day: i64,
}

/// Days since 2000-01-01. Months and days beyond their range count on, as `date2j` counts them.
pub(super) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let month = month - 3;
    let year = year + month.div_euclid(12);
    let month = month.rem_euclid(12);
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - MARCH_ZERO_TO_EPOCH
}

/// The calendar day of a number of days since 2000-01-01.
pub(super) fn civil_from_days(days: i64) -> Civil {
    let days = days + MARCH_ZERO_TO_EPOCH;
    let era = days.div_euclid(DAYS_PER_ERA);
    let day_of_era = days.rem_euclid(DAYS_PER_ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    Civil {
        year: era * 400 + year_of_era + i64::from(month <= 2),
        month,
        day: day_of_year - (153 * march_month + 2) / 5 + 1,
    }
}

pub(super) fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month from 1 to 12.
pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// 0 is Sunday; 2000-01-01 was a Saturday.
pub(super) fn day_of_week(days: i64) -> i64 {
    (days + 6).rem_euclid(7)
}

/// The ISO year and week: week 1 has the year's first Thursday, weeks start on Monday.
pub(super) fn iso_week(days: i64) -> (i64, i64) {
    let thursday = days + 3 - (days + 5).rem_euclid(7);
    let year = civil_from_days(thursday).year;
    (year, (thursday - days_from_civil(year, 1, 1)) / 7 + 1)
}
