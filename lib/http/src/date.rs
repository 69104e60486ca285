//! Dates in HTTP headers and cookies, read by the lenient rules of RFC 6265bis, 5.1.1, which take all three forms of
//! RFC 9110, 5.6.7 and much else.

/// Seconds since 1970-01-01T00:00:00Z; `None` for text that is no date. Dates before 1970 are 0.
///
/// ```
/// assert_eq!(bequest_http::date::parse("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
/// assert_eq!(bequest_http::date::parse("Sunday, 06-Nov-94 08:49:37 GMT"), Some(784_111_777));
/// assert_eq!(bequest_http::date::parse("Sun Nov  6 08:49:37 1994"), Some(784_111_777));
/// ```
pub fn parse(text: &str) -> Option<u64> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text.split(is_delimiter).filter(|token| !token.is_empty()) {
        // The order of the trials is the standard's.
        if time.is_none()
            && let Some(found) = time_of(token)
        {
            time = Some(found);
        } else if day.is_none()
            && let Some(found) = number(token, 1, 2)
        {
            day = Some(found);
        } else if month.is_none()
            && let Some(found) = month_of(token)
        {
            month = Some(found);
        } else if year.is_none()
            && let Some(found) = number(token, 2, 4)
        {
            year = Some(found);
        }
    }
    let ((hour, minute, second), day, month, mut year) = (time?, day?, month?, year?);
    if (70..=99).contains(&year) {
        year += 1900;
    } else if year <= 69 {
        year += 2000;
    }
    let days_in_month = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let ok = (1..=days_in_month[month as usize - 1]).contains(&day)
        && year >= 1601
        && hour <= 23
        && minute <= 59
        && second <= 59;
    if !ok {
        return None;
    }
    if year < 1970 {
        return Some(0);
    }
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let days_of_years = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    let days_of_months: u64 = days_in_month[..month as usize - 1].iter().sum();
    Some((((days_of_years + days_of_months + day - 1) * 24 + hour) * 60 + minute) * 60 + second)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn is_delimiter(letter: char) -> bool {
    matches!(letter, '\t' | '\x20'..='\x2f' | '\x3b'..='\x40' | '\x5b'..='\x60' | '\x7b'..='\x7e')
}

/// A number of so many digits at the front of a token, followed by no further digit.
fn number(token: &str, digits_min: usize, digits_max: usize) -> Option<u64> {
    let digits = token.bytes().take_while(u8::is_ascii_digit).count();
    if !(digits_min..=digits_max).contains(&digits) {
        return None;
    }
    token[..digits].parse().ok()
}

/// `8:49:37`, anything after it ignored.
fn time_of(token: &str) -> Option<(u64, u64, u64)> {
    let mut parts = token.splitn(3, ':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !whole(hour) || !whole(minute) {
        return None;
    }
    Some((number(hour, 1, 2)?, number(minute, 1, 2)?, number(second, 1, 2)?))
}

fn month_of(token: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start = token.get(..3)?.to_ascii_lowercase();
    MONTHS.iter().position(|month| *month == start).map(|index| index as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn dates() {
        let check = |text: &str, expected| assert_eq!(parse(text), expected, "{text:?}");
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Thu, 01 Jan 1970", None);
        check("Wdy, 01-Jan-99 00:00:00 GMT", Some(915_148_800));
        check("Wed, 21 Oct 2099 07:28:00 GMT", Some(4_096_250_880));
        check("Tue, 29 Feb 2000 23:59:59 GMT", Some(951_868_799));
        check("Mon, 29 Feb 2001 00:00:00 GMT", None);
        check("Mon, 01 Jan 1601 00:00:00 GMT", Some(0));
        check("01 Jan 2020 24:00:00", None);
        check("tomorrow", None);
        check("", None);
        check("é 1 jan 2020 0:0:0", Some(1_577_836_800));
    }
}
