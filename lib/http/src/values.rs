//! Values of headers that more than one reader needs.

use crate::date;

/// The value of a Content-Type header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType {
    /// Type and subtype in lower case, e.g. `text/html`.
    pub essence: String,
    /// Parameters in order: name in lower case, value without quotes.
    pub parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Reads a Content-Type value (WHATWG MIME Sniffing, 4.4). `None` without a type and subtype.
    pub fn parse(text: &str) -> Option<MediaType> {
        let (essence, mut rest) = text.split_once(';').map_or((text, ""), |(essence, rest)| (essence, rest));
        let essence = essence.trim().to_ascii_lowercase();
        let (kind, subtype) = essence.split_once('/')?;
        if kind.is_empty() || subtype.is_empty() || essence.contains(char::is_whitespace) {
            return None;
        }
        let mut parameters = Vec::new();
        while !rest.trim_start().is_empty() {
            rest = rest.trim_start();
            let name_end = rest.find([';', '=']).unwrap_or(rest.len());
            let name = rest[..name_end].to_ascii_lowercase();
            rest = &rest[name_end..];
            let Some(after) = rest.strip_prefix('=') else {
                rest = rest.strip_prefix(';').unwrap_or(rest);
                continue;
            };
            let value = match after.strip_prefix('"') {
                Some(quoted) => {
                    let (value, used) = unquote(quoted);
                    rest = &quoted[used..];
                    value
                }
                None => {
                    let end = after.find(';').unwrap_or(after.len());
                    rest = &after[end..];
                    after[..end].trim_end().to_owned()
                }
            };
            rest = rest.find(';').map_or("", |index| &rest[index + 1..]);
            if !name.is_empty() && !parameters.iter().any(|(known, _): &(String, String)| *known == name) {
                parameters.push((name, value));
            }
        }
        Some(MediaType { essence, parameters })
    }

    /// The value of the `charset` parameter.
    pub fn charset(&self) -> Option<&str> {
        self.parameters.iter().find(|(name, _)| name == "charset").map(|(_, value)| value.as_str())
    }
}

/// The text up to a closing quote, backslashes undone, and how many bytes it took.
fn unquote(text: &str) -> (String, usize) {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return (value, index + 1),
            '\\' => value.push(letters.next().map_or('\\', |(_, letter)| letter)),
            _ => value.push(letter),
        }
    }
    (value, text.len())
}

/// Seconds to wait by a Retry-After value (RFC 9110, 10.2.3): a number or a date. A date in the past is 0.
pub fn retry_after_s(text: &str, now_s: u64) -> Option<u64> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(u64::MAX));
    }
    date::parse(text).map(|at| at.saturating_sub(now_s))
}

/// Where a Refresh header or `meta http-equiv=refresh` leads (WHATWG HTML, shared declarative refresh steps).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refresh<'a> {
    /// Seconds to wait first.
    pub delay_s: u64,
    /// The URL as written; `None` reloads the page itself.
    pub url: Option<&'a str>,
}

/// Reads a Refresh value; `None` if it is none.
pub fn refresh(text: &str) -> Option<Refresh<'_>> {
    let blank = |letter: char| letter.is_ascii_whitespace();
    let text = text.trim_start_matches(blank);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !text.starts_with('.') {
        return None;
    }
    let delay_s = if digits == 0 { 0 } else { text[..digits].parse().unwrap_or(u64::MAX) };
    let rest = text[digits..].trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if rest.is_empty() {
        return Some(Refresh { delay_s, url: None });
    }
    if !rest.starts_with([';', ',']) && !rest.starts_with(blank) {
        return None;
    }
    let rest = rest.trim_start_matches(blank);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(blank);
    let url = url_of(rest);
    Some(Refresh { delay_s, url: (!url.is_empty()).then_some(url) })
}

/// The URL after `url=`, quotes taken off; the whole text where there is no `url=`.
fn url_of(text: &str) -> &str {
    let after = text
        .get(..3)
        .filter(|word| word.eq_ignore_ascii_case("url"))
        .and_then(|_| text[3..].trim_start().strip_prefix('='))
        .map(str::trim_start);
    let text = after.unwrap_or(text);
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = &text[1..];
            &inner[..inner.find(quote).unwrap_or(inner.len())]
        }
        _ => text.trim_end(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        let check = |text: &str, essence: Option<&str>, charset: Option<&str>| {
            let media_type = MediaType::parse(text);
            assert_eq!(media_type.as_ref().map(|found| found.essence.as_str()), essence, "{text:?}");
            assert_eq!(media_type.as_ref().and_then(MediaType::charset), charset, "{text:?}");
        };
        check("Text/HTML; Charset=\"utf-8\"", Some("text/html"), Some("utf-8"));
        check("text/html;charset=iso-8859-1 ;x", Some("text/html"), Some("iso-8859-1"));
        check("text/html;;;q=\"a\\\"b;c\"; charset=x;charset=y", Some("text/html"), Some("x"));
        check("text/html; charset", Some("text/html"), None);
        check("text/html; charset=\"open", Some("text/html"), Some("open"));
        check("text", None, None);
        check("/", None, None);
        check("", None, None);
    }

    #[test]
    fn retry_after() {
        let check = |text: &str, expected| assert_eq!(retry_after_s(text, 784_111_700), expected, "{text:?}");
        check("30", Some(30));
        check(" 0 ", Some(0));
        check("99999999999999999999999", Some(u64::MAX));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(77));
        check("Sun, 06 Nov 1993 08:49:37 GMT", Some(0));
        check("soon", None);
        check("", None);
        check("-1", None);
    }

    #[test]
    fn refreshes() {
        let check = |text: &str, expected: Option<(u64, Option<&str>)>| {
            assert_eq!(refresh(text).map(|found| (found.delay_s, found.url)), expected, "{text:?}");
        };
        check("0; url=/x", Some((0, Some("/x"))));
        check("5;URL = '/a b' c", Some((5, Some("/a b"))));
        check("1.5, \"/x", Some((1, Some("/x"))));
        check("3 /x", Some((3, Some("/x"))));
        check(".5;url=/x", Some((0, Some("/x"))));
        check("7", Some((7, None)));
        check("7;", Some((7, None)));
        check("7x", None);
        check("url=/x", None);
        check("", None);
    }
}
