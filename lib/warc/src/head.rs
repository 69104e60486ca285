//! The head of a record as it was read.

use std::borrow::Cow;

use crate::{Headers, RecordType};

/// The format a record is written in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Format {
    /// WARC; the version as written, e.g. `1.1`.
    Warc(String),
    /// ARC.
    Arc,
}

/// The head of a record. ARC heads are given the names of WARC's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordHead {
    /// Where the record begins (its gzip member).
    pub offset: u64,
    /// WARC or ARC.
    pub format: Format,
    /// What it is.
    pub record_type: RecordType,
    /// All fields.
    pub headers: Headers,
    /// Length of the block in bytes; `None` if missing or no number: the block then goes to the next record.
    pub content_length: Option<u64>,
}

impl RecordHead {
    /// `WARC-Target-URI` without the angle brackets that some writers put around it; in a WARC, blanks inside are shown as
    /// `%20` (as warcio does), in an ARC as they are.
    pub fn target_uri(&self) -> Option<Cow<'_, str>> {
        let uri = self.headers.get("WARC-Target-URI")?.trim();
        let uri = uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).unwrap_or(uri);
        if self.format != Format::Arc && uri.contains(' ') {
            return Some(uri.replace(' ', "%20").into());
        }
        Some(uri.into())
    }

    /// `WARC-Date` as written (of an ARC: as a W3C date).
    pub fn date(&self) -> Option<&str> {
        self.headers.get("WARC-Date")
    }

    /// `WARC-Date` as 14 digits, UTC; what is missing is filled with the least. `None` if it is no date.
    pub fn date_digits14(&self) -> Option<String> {
        date_digits14(self.date()?)
    }

    /// `WARC-Record-ID` as written.
    pub fn record_id(&self) -> Option<&str> {
        self.headers.get("WARC-Record-ID")
    }

    /// Media type of the block in lower case without parameters; empty if there is none.
    pub fn content_type(&self) -> String {
        let value = self.headers.get("Content-Type").unwrap_or("");
        value.split([';', ',']).next().unwrap_or("").trim().to_ascii_lowercase()
    }

    /// True if the block holds an HTTP response: by the content type and an http URI, never by the bytes.
    pub fn is_http_response(&self) -> bool {
        let is_http_uri = self.target_uri().is_some_and(|uri| {
            let scheme = uri.get(..7).unwrap_or("").to_ascii_lowercase();
            scheme.starts_with("http:") || scheme.starts_with("https:")
        });
        if self.format == Format::Arc {
            return is_http_uri && self.record_type == RecordType::Response;
        }
        let is_kind = matches!(self.record_type, RecordType::Response | RecordType::Revisit);
        is_kind && is_http_uri && self.content_type() == "application/http"
    }

    /// True if the block holds an HTTP request.
    pub fn is_http_request(&self) -> bool {
        self.record_type == RecordType::Request && self.content_type() == "application/http"
    }
}

/// 14 digits of a W3C date (any precision, any offset shown as `Z` or `±hh:mm`) or of 4 to 17 digits.
pub fn date_digits14(text: &str) -> Option<String> {
    let text = text.trim();
    let (date, zone_minutes) = cut_zone(text)?;
    // The fraction of a second goes.
    let date = date.split('.').next().unwrap_or("");
    let digits: String = date.chars().filter(char::is_ascii_digit).collect();
    let is_odd = date.chars().any(|c| !c.is_ascii_digit() && !matches!(c, '-' | ':' | 'T' | 't' | ' '));
    if digits.len() < 4 || digits.len() % 2 == 1 && digits.len() != 17 || is_odd {
        return None;
    }
    const LEAST: &str = "00000101000000";
    let mut full = digits.chars().take(14).collect::<String>();
    full.push_str(&LEAST[full.len()..]);
    let part = |from: usize, to: usize| full[from..to].parse::<u32>().unwrap_or(u32::MAX);
    let is_date = (1..=12).contains(&part(4, 6)) && (1..=31).contains(&part(6, 8));
    let is_time = part(8, 10) <= 24 && part(10, 12) <= 59 && part(12, 14) <= 60;
    if !is_date || !is_time {
        return None;
    }
    if zone_minutes == 0 { Some(full) } else { shift(&full, -zone_minutes) }
}

/// Splits the offset from UTC off, in minutes.
fn cut_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(date) = text.strip_suffix(['Z', 'z']) {
        return Some((date, 0));
    }
    let Some(at) = text.rfind(['+', '-']).filter(|at| text[..*at].contains(['T', 't'])) else {
        return Some((text, 0));
    };
    let digits: String = text[at + 1..].chars().filter(|c| *c != ':').collect();
    let number = digits.parse::<i64>().ok().filter(|_| digits.len() == 4)?;
    let minutes = number / 100 * 60 + number % 100;
    Some((&text[..at], if text.as_bytes()[at] == b'-' { -minutes } else { minutes }))
}

/// Moves 14 digits by minutes.
fn shift(digits14: &str, minutes: i64) -> Option<String> {
    let part = |from: usize, to: usize| digits14[from..to].parse::<i64>().ok();
    let (mut year, mut month, mut day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let in_day = part(8, 10)? * 60 + part(10, 12)? + minutes;
    for _ in 0..in_day.div_euclid(1440).abs() {
        if in_day < 0 {
            day -= 1;
            if day == 0 {
                month -= 1;
                if month == 0 {
                    (year, month) = (year - 1, 12);
                }
                day = days_in(year, month);
            }
        } else {
            day += 1;
            if day > days_in(year, month) {
                (month, day) = (month + 1, 1);
                if month == 13 {
                    (year, month) = (year + 1, 1);
                }
            }
        }
    }
    let in_day = in_day.rem_euclid(1440);
    Some(format!("{year:04}{month:02}{day:02}{:02}{:02}{}", in_day / 60, in_day % 60, &digits14[12..]))
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(date_digits14(text).as_deref(), expected, "{text}");
    }

    /// F096.
    #[test]
    fn dates() {
        check("2021-02-03T04:05:06Z", Some("20210203040506"));
        check("2021-02-03T04:05:06.7Z", Some("20210203040506"));
        check("2021-02-03T04:05:06.123456789Z", Some("20210203040506"));
        check("2021-02", Some("20210201000000"));
        check("20210203040506", Some("20210203040506"));
        check("2021-02-03T04:05:06+02:00", Some("20210203020506"));
        check("2021-01-01T00:30:00+01:00", Some("20201231233000"));
        check("2020-02-28T23:30:00-01:00", Some("20200229003000"));
        check("2021-02-03T04:05:60Z", Some("20210203040560"));
        check("2021-13-03", None);
        check("yesterday", None);
        check("", None);
        check("20140101000000000", Some("20140101000000"));
        check("2021-02-03T04:05:06+99999999999999999999", None);
    }
}
