//! Two kinds of time: the calendar's and the stopwatch's. Both in milliseconds.

use std::fmt;
use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

/// Calendar time: milliseconds since 1970-01-01T00:00:00Z. For records and logs, never for waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct WallMs(pub u64);

/// Stopwatch time: milliseconds since the process started its clock. Never goes back; says nothing across processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MonoMs(pub u64);

impl Add<u64> for MonoMs {
    type Output = MonoMs;
    fn add(self, ms: u64) -> MonoMs {
        MonoMs(self.0.saturating_add(ms))
    }
}

impl Sub for MonoMs {
    type Output = u64;
    /// Milliseconds from `earlier` to `self`; 0 if `earlier` is later.
    fn sub(self, earlier: MonoMs) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Year, month, day, hour, minute, second of a calendar time, UTC.
struct Civil {
    year: u64,
    month: u64,
    day: u64,
    hour: u64,
    minute: u64,
    second: u64,
    ms: u64,
}

impl WallMs {
    /// `2026-01-05T10:00:07.412Z`, the time of a crawl.log line.
    pub fn iso_ms(self) -> String {
        let c = self.civil();
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            c.year, c.month, c.day, c.hour, c.minute, c.second, c.ms
        )
    }

    /// `2026-01-05T10:00:07Z`, a WARC-Date without fraction.
    pub fn iso_seconds(self) -> String {
        let c = self.civil();
        format!("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", c.year, c.month, c.day, c.hour, c.minute, c.second)
    }

    /// `20260105100007`, the 14 digits of CDX lines and launch folders.
    pub fn digits14(self) -> String {
        let c = self.civil();
        format!("{:04}{:02}{:02}{:02}{:02}{:02}", c.year, c.month, c.day, c.hour, c.minute, c.second)
    }

    /// `20260105100007412`, the 17 digits of crawl.log's start time and of WARC file names.
    pub fn digits17(self) -> String {
        format!("{}{:03}", self.digits14(), self.civil().ms)
    }

    /// Reads 4 to 17 digits `YYYY[MM[DD[hh[mm[ss[mmm]]]]]]`; missing parts are the least possible.
    /// `None` for anything that is no such time.
    pub fn from_digits(digits: &str) -> Option<WallMs> {
        let ok = matches!(digits.len(), 4 | 6 | 8 | 10 | 12 | 14 | 17);
        if !ok || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let part = |from: usize, to: usize, missing: u64| {
            digits.get(from..to).map_or(Some(missing), |text| text.parse().ok())
        };
        let (year, month, day) = (part(0, 4, 1970)?, part(4, 6, 1)?, part(6, 8, 1)?);
        let (hour, minute, second, ms) =
            (part(8, 10, 0)?, part(10, 12, 0)?, part(12, 14, 0)?, part(14, 17, 0)?);
        if year < 1970 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let days = days_from_civil(year, month, day);
        Some(WallMs(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + ms))
    }

    fn civil(self) -> Civil {
        let (days, in_day) = (self.0 / 86_400_000, self.0 % 86_400_000);
        let (year, month, day) = civil_from_days(days);
        Civil {
            year,
            month,
            day,
            hour: in_day / 3_600_000,
            minute: in_day / 60_000 % 60,
            second: in_day / 1000 % 60,
            ms: in_day % 1000,
        }
    }
}

impl fmt::Display for WallMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.iso_ms())
    }
}

impl Add<u64> for WallMs {
    type Output = WallMs;
    fn add(self, ms: u64) -> WallMs {
        WallMs(self.0.saturating_add(ms))
    }
}

/// Gregorian date of a day number since 1970-01-01. The year is taken to begin in March, so that the leap day is its last.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// The inverse of [`civil_from_days`].
fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let time = WallMs(1_767_607_207_412);
        assert_eq!(time.iso_ms(), "2026-01-05T10:00:07.412Z");
        assert_eq!(time.iso_seconds(), "2026-01-05T10:00:07Z");
        assert_eq!(time.digits17(), "20260105100007412");
        assert_eq!(WallMs::from_digits("20260105100007412"), Some(time));
        assert_eq!(WallMs(951_782_400_000).iso_seconds(), "2000-02-29T00:00:00Z");
        assert_eq!(WallMs::from_digits("1999"), WallMs::from_digits("19990101"));
        assert_eq!(WallMs::from_digits("20261301"), None);
    }

    #[test]
    fn every_day_of_four_centuries_reads_back() {
        for day in 0..146_097 {
            let time = WallMs(day * 86_400_000);
            assert_eq!(WallMs::from_digits(&time.digits14()), Some(time));
        }
    }
}
