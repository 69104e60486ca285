//! Finds session ids in a URL. The shapes are those of webarchive-commons, as its rules and Heritrix's share them.

use std::ops::Range;

/// The last session id of a shape that ends the text or stands before a `&`; the `&` is part of the range.
pub(crate) fn find(text: &[u8], shape: Shape) -> Option<Range<usize>> {
    let key = shape.key();
    let last = text.len().checked_sub(key.len())?;
    (0..=last).rev().find_map(|start| {
        if !text[start..start + key.len()].eq_ignore_ascii_case(key) {
            return None;
        }
        let value = start + key.len();
        let end = value + shape.rest_length(&text[value..])?;
        match text.get(end) {
            None => Some(start..end),
            Some(b'&') => Some(start..end + 1),
            Some(_) => None,
        }
    })
}

/// A session id in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `jsessionid=` and 32 letters or digits.
    Java,
    /// `phpsessid=` and 32 letters or digits.
    Php,
    /// `sid=` and 32 letters or digits.
    Sid,
    /// `ASPSESSIONID`, 8 letters, `=`, 24 letters.
    Asp,
    /// `cfid=…&cftoken=…`.
    ColdFusion,
    /// The same, and `&jsession=…` if it follows.
    ColdFusionJava,
}

impl Shape {
    fn key(self) -> &'static [u8] {
        match self {
            Shape::Java => b"jsessionid=",
            Shape::Php => b"phpsessid=",
            Shape::Sid => b"sid=",
            Shape::Asp => b"aspsessionid",
            Shape::ColdFusion | Shape::ColdFusionJava => b"cfid=",
        }
    }

    /// Length of what must follow the key.
    fn rest_length(self, rest: &[u8]) -> Option<usize> {
        match self {
            Shape::Java | Shape::Php | Shape::Sid => all(rest, 0..32, u8::is_ascii_alphanumeric),
            Shape::Asp => {
                all(rest, 0..8, u8::is_ascii_alphabetic)?;
                (rest.get(8) == Some(&b'=')).then_some(())?;
                all(rest, 9..33, u8::is_ascii_alphabetic)
            }
            Shape::ColdFusion => {
                let id = value_length(rest)?;
                Some(id + keyed_value_length(&rest[id..], b"&cftoken=")?)
            }
            Shape::ColdFusionJava => {
                let token = Shape::ColdFusion.rest_length(rest)?;
                Some(token + keyed_value_length(&rest[token..], b"&jsession=").unwrap_or(0))
            }
        }
    }
}

fn all(text: &[u8], range: Range<usize>, test: fn(&u8) -> bool) -> Option<usize> {
    let end = range.end;
    text.get(range)?.iter().all(test).then_some(end)
}

/// Length of a value up to `&` or the end; `None` if empty.
fn value_length(text: &[u8]) -> Option<usize> {
    let length = text.iter().position(|byte| *byte == b'&').unwrap_or(text.len());
    (length > 0).then_some(length)
}

fn keyed_value_length(text: &[u8], key: &[u8]) -> Option<usize> {
    let (head, value) = text.split_at_checked(key.len())?;
    (head.eq_ignore_ascii_case(key)).then_some(())?;
    Some(key.len() + value_length(value)?)
}

/// An ASP.NET session in a path before an `.aspx` page: `(24 letters or digits)/` or `(S(24…)…)/`; the last one.
pub(crate) fn find_in_path(path: &[u8]) -> Option<Range<usize>> {
    find_folder(path, grouped_length).or_else(|| find_folder(path, plain_length))
}

fn find_folder(path: &[u8], length_of: fn(&[u8]) -> Option<usize>) -> Option<Range<usize>> {
    (0..path.len()).rev().filter(|index| path[*index] == b'/').find_map(|slash| {
        let start = slash + 1;
        let end = start + length_of(&path[start..])?;
        let page = path.get(end..)?;
        let is_aspx = page.len() > 5 && page[1..].windows(5).any(|part| part.eq_ignore_ascii_case(b".aspx"));
        is_aspx.then_some(start..end)
    })
}

fn plain_length(text: &[u8]) -> Option<usize> {
    (text.first() == Some(&b'(')).then_some(())?;
    let end = all(text, 1..25, u8::is_ascii_alphanumeric)?;
    text[end..].starts_with(b")/").then_some(end + 2)
}

fn grouped_length(text: &[u8]) -> Option<usize> {
    (text.first() == Some(&b'(')).then_some(())?;
    let mut end = 1;
    while text.get(end).is_some_and(u8::is_ascii_alphabetic) {
        (text.get(end + 1) == Some(&b'(')).then_some(())?;
        all(&text[end + 2..], 0..24, u8::is_ascii_alphanumeric)?;
        (text.get(end + 26) == Some(&b')')).then_some(())?;
        end += 27;
    }
    (end > 1 && text[end..].starts_with(b")/")).then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        let check = |text: &str, shape, rest: Option<&str>| {
            let found = find(text.as_bytes(), shape).map(|range| {
                let mut text = text.to_owned();
                text.replace_range(range, "");
                text
            });
            assert_eq!(found.as_deref(), rest, "{text}");
        };
        let id = "0123456789abcdefGHIJ0123456789ab";
        check(&format!("a=1&SID={id}&b"), Shape::Sid, Some("a=1&b"));
        check(&format!("a=1&sid={id}"), Shape::Sid, Some("a=1&"));
        check(&format!("sid={id}0&b"), Shape::Sid, None);
        check("aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x", Shape::Asp, Some("x"));
        check("CFID=1&CFTOKEN=2&jsession=3&x", Shape::ColdFusionJava, Some("x"));
        check("CFID=1&CFTOKEN=2&jsessionid=3", Shape::ColdFusionJava, Some("jsessionid=3"));
        check("CFID=1&x=1&CFTOKEN=2", Shape::ColdFusion, None);
        check("cfid=", Shape::ColdFusion, None);
        check("", Shape::Sid, None);
    }

    #[test]
    fn paths() {
        let id = "4hqa0555fwsecu455xqckv45";
        let check = |path: String, expected| assert_eq!(find_in_path(path.as_bytes()), expected, "{path}");
        check(format!("/a/({id})/x.aspx"), Some(3..30));
        check(format!("/(S({id})a({id}))/x.ASPX"), Some(1..58));
        check(format!("/({id})/x.php"), None);
        check(format!("/(S({id}"), None);
        check("/(".into(), None);
    }
}
