//! The coarse key of CDX files: what wayback machines, pywb and cdx-indexer look a URL up by.
//!
//! `org,example)/path?a=1&b=2`: scheme, user, `www.`, default port, fragment, session ids and a trailing slash gone,
//! arguments sorted, lower case. Follows webarchive-commons (`AggressiveIAURLCanonicalizer`, `WaybackURLKeyMaker`) and
//! gives the bytes of the `surt` tool 0.3.1, which the indexes of the field were made with. Total: any text has a key.
//!
//! The key is coarser than the URL: `%2F` and `/` fall together. Who looks up compares the URL itself afterwards.

use std::borrow::Cow;

use crate::form::push_reversed_host;
use crate::session::{self, Shape};

/// The CDX key of a URL, ASCII in lower case. `-` for the empty text; `filedesc…` and `warcinfo…` stay as they are.
pub fn cdx_key(url: &str) -> String {
    if url.is_empty() {
        return "-".to_owned();
    }
    if url.starts_with("filedesc") || url.starts_with("warcinfo") {
        return url.to_owned();
    }
    let text: String = url.trim_matches([' ', '\t', '\r', '\n']).replace(['\t', '\r', '\n'], "");
    let parts = Parts::split(&text);
    let host = canonical_host(&parts.host);
    let mut path = escaped(&unescaped(parts.path.as_bytes()));
    if !host.is_empty() {
        path = without_dot_segments(&path);
    }
    strip_path_session(&mut path);
    path.make_ascii_lowercase();
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    let query = canonical_query(parts.query);
    if path.is_empty() && (!host.is_empty() || !query.is_empty()) {
        path.push('/');
    }

    let mut key = String::with_capacity(text.len() + 4);
    match host.is_empty() {
        true => key.push_str(parts.scheme),
        false => push_key_host(&host, &mut key),
    }
    let port = parts.port.trim_start_matches('0');
    if !port.is_empty() && !host.is_empty() && !is_default_port(parts.scheme, port) {
        key.push(':');
        key.push_str(port);
    }
    key.push(if host.is_empty() { ':' } else { ')' });
    key.push_str(&path);
    if !query.is_empty() {
        key.push('?');
        key.push_str(&query);
    }
    key
}

/// A text cut into the parts of a URL, none of them decoded.
struct Parts<'a> {
    scheme: &'a str,
    /// Empty for URLs without authority.
    host: Cow<'a, str>,
    port: &'a str,
    path: &'a str,
    query: &'a str,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Parts<'a> {
        let text = text.split('#').next().unwrap_or_default();
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (scheme, rest),
            // As cdx-indexers read old ARC lines: no scheme means http.
            _ => ("http", text),
        };
        let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        let rest = match is_web {
            // `http:/host`, `http:host` and `http:////host` all mean a host.
            true => rest.trim_start_matches('/'),
            false => match rest.strip_prefix("//") {
                Some(rest) => rest,
                None => return Parts::without_host(scheme, rest),
            },
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let host_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let (host, port) = split_port(host_port);
        Parts { host: host.into(), port, ..Parts::without_host(scheme, rest) }
    }

    fn without_host(scheme: &'a str, rest: &'a str) -> Parts<'a> {
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Parts { scheme, host: "".into(), port: "", path, query }
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// A port that is no number from 0 to 65535 stays part of the host.
fn split_port(text: &str) -> (&str, &str) {
    if let Some(inside) = text.strip_prefix('[') {
        let (host, after) = inside.split_once(']').unwrap_or((inside, ""));
        return (host, after.strip_prefix(':').unwrap_or_default());
    }
    match text.rsplit_once(':') {
        Some((host, port)) if port.is_empty() || port.parse::<u16>().is_ok() => (host, port),
        _ => (text, ""),
    }
}

fn is_default_port(scheme: &str, port: &str) -> bool {
    matches!((scheme.to_ascii_lowercase().as_str(), port.parse()), ("http", Ok(80)) | ("https", Ok(443)))
}

/// Decoded, in Punycode, without superfluous dots, numbers as dotted quads, `www.` and `www12.` cut.
fn canonical_host(host: &str) -> String {
    let bytes = unescaped(host.as_bytes());
    let ascii = match std::str::from_utf8(&bytes) {
        Ok(name) if !name.is_ascii() => punycode(name).unwrap_or_else(|| escaped(&bytes)),
        _ => escaped(&bytes),
    };
    // One pass, as the field's tools do it: three dots become two.
    let host = ascii.trim_matches('.').replace("..", ".").to_ascii_lowercase();
    if let Some(address) = dotted_quad(&host) {
        return address;
    }
    match host.split_once('.') {
        Some((first, rest)) if is_www(first) => rest.to_owned(),
        _ => host,
    }
}

fn is_www(label: &str) -> bool {
    label.strip_prefix("www").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// IDNA as existing indexes have it: the 2003 mapping of the four deviation characters, then UTS 46.
fn punycode(name: &str) -> Option<String> {
    let name = name.replace('ß', "ss").replace('ς', "σ").replace(['\u{200c}', '\u{200d}'], "");
    match url::Host::parse(&name) {
        Ok(url::Host::Domain(ascii)) => Some(ascii),
        _ => None,
    }
}

/// As `inet_aton`: one to four numbers, a leading 0 means octal; a single number is decimal and wraps at 2^32.
fn dotted_quad(host: &str) -> Option<String> {
    if host.is_empty() || !host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    if !host.contains('.') {
        let wrapped =
            host.bytes().fold(0u32, |sum, digit| sum.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')));
        return Some(std::net::Ipv4Addr::from(wrapped).to_string());
    }
    let numbers: Vec<u32> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    if first.len() > 3 || first.iter().any(|number| *number > 255) {
        return None;
    }
    let bits_left = 32 - 8 * first.len() as u32;
    if u64::from(*last) >= 1u64 << bits_left {
        return None;
    }
    let high = first.iter().fold(0u32, |sum, number| sum << 8 | number);
    // `first` is not empty here, so fewer than 32 bits are left.
    Some(std::net::Ipv4Addr::from(high << bits_left | last).to_string())
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => u32::from_str_radix(octal, 8).ok(),
        _ => text.parse().ok(),
    }
}

/// `192,211,203,34` too: here addresses are turned round like names.
fn push_key_host(host: &str, key: &mut String) {
    if host.contains(':') {
        return key.push_str(host);
    }
    if host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return key.push_str(&host.rsplit('.').collect::<Vec<_>>().join(","));
    }
    push_reversed_host(host, key);
    key.pop();
}

/// `.` and `..` segments resolved, then empty ones dropped. The odd cases are those of the field's tools: `..` takes an
/// empty segment away too, and one at the root stays until another `..` takes it.
fn without_dot_segments(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
        match segment {
            "." => {}
            ".." if !segments.is_empty() => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    segments.retain(|segment| !segment.is_empty());
    format!("/{}", segments.join("/"))
}

fn strip_path_session(path: &mut String) {
    // At most one of each of the two shapes, as the rules of the field apply once.
    for _ in 0..2 {
        let Some(range) = session::find_in_path(path.as_bytes()) else { return };
        path.replace_range(range, "");
    }
}

fn canonical_query(query: &str) -> String {
    let mut query = escaped(&unescaped(query.as_bytes()));
    for shape in [Shape::Java, Shape::Php, Shape::Sid, Shape::Asp, Shape::ColdFusion] {
        if let Some(range) = session::find(query.as_bytes(), shape) {
            query.replace_range(range, "");
        }
    }
    query.make_ascii_lowercase();
    if !query.contains('&') {
        return query;
    }
    let mut arguments: Vec<&str> = query.split('&').collect();
    arguments.sort_by_key(|argument| match argument.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (*argument, None),
    });
    arguments.join("&")
}

/// Percent escapes decoded until none is left, in one pass: a decoded byte may complete the escape before it. Escapes
/// cannot overlap, so the order of decoding does not change the result.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let hex = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let mut decoded: Vec<u8> = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        decoded.push(byte);
        while let [.., b'%', high, low] = decoded[..] {
            let Some((high, low)) = hex(high).zip(hex(low)) else { break };
            decoded.truncate(decoded.len() - 3);
            decoded.push(high << 4 | low);
        }
    }
    decoded
}

/// Escapes controls, blanks, `#`, `%` and whatever is not ASCII; nothing else.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if matches!(byte, 0..=0x20 | 0x7f.. | b'#' | b'%') {
            const HEX: &[u8; 16] = b"0123456789ABCDEF";
            text.push('%');
            text.push(HEX[usize::from(byte >> 4)] as char);
            text.push(HEX[usize::from(byte & 15)] as char);
        } else {
            text.push(byte as char);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, key: &str) {
        assert_eq!(cdx_key(url), key, "{url}");
    }

    #[test]
    fn web_urls() {
        check("http://archive.org/goo/?b&a", "org,archive)/goo?a&b");
        check("http://www34.Foo.com:80/A//b/./../C/#x", "com,foo)/a/c");
        check("https://www.foo.com:80/", "com,foo:80)/");
        check("http://foo.com:0080/", "com,foo)/");
        check("http://foo.com/a/../../b", "com,foo)/../b");
        check("http://foo.com/../../b", "com,foo)/b");
        check("http://foo.com/a//../b", "com,foo)/a/b");
        check("http://foo.com:0/", "com,foo)/");
        check("http://foo...bar.org/", "org,bar,,foo)/");
        check("http:foo.com/bar", "com,foo)/bar");
        check("foo.com", "com,foo)/");
        check("http://foo.com?", "com,foo)/");
        check("http://foo.com/?a==1&a=2=3&A", "com,foo)/?a&a=2=3&a==1");
        check("http://u@v@foo.com/", "com,foo)/");
        check("http://foo.com/\u{e9}?%C3%89", "com,foo)/%c3%a9?%c3%89");
    }

    #[test]
    fn hosts() {
        check("http://3279880203/blah", "11,0,127,195)/blah");
        check("http://010.1.300/", "44,1,1,8)/");
        check("http://1.2.70000/", "70000,2,1)/");
        check("http://256.1.1.1/", "1,1,1,256)/");
        check("http://[2001:DB8::1]:81/x", "2001:db8::1:81)/x");
        check("http://b%c3%bccher.example/", "example,xn--bcher-kva)/");
        check("http://stra\u{df}e.de/", "de,strasse)/");
        check("http://..foo..com../x", "com,foo)/x");
        check("http://www.com/", "com)/");
        check("http://www/", "www)/");
        check("http://%ff.com/", "com,%ff)/");
        check("http://foo.com:99999/", "foo.com:99999)/");
    }

    #[test]
    fn escapes_of_escapes() {
        let check =
            |text: &str, decoded: &str| assert_eq!(unescaped(text.as_bytes()), decoded.as_bytes(), "{text}");
        check("%", "%");
        check("%25%", "%%");
        check("%252525", "%");
        check("%25%32%35", "%");
        check("%%3235", "#5");
        check("%2%35zz", "%zz");
        let deep = format!("%{}", "25".repeat(500_000));
        check(&deep, "%");
    }

    #[test]
    fn without_host() {
        check("", "-");
        check("warcinfo:x", "warcinfo:x");
        check("mailto:A@B.c%41", "mailto:a@b.ca");
        check("urn:A:b", "urn:a:b");
        check("file:///A%20b/../C.png", "file:/a%20b/../c.png");
        check("screenshot:http://foo.com/A", "screenshot:http://foo.com/a");
        check("?x", "http:/?x");
        check("#frag", "http:");
    }

    /// faults.md F001, F003, F005, F006.
    #[test]
    fn reported() {
        check("http://www.example.org/a/90%+of+it", "org,example)/a/90%25+of+it");
        check("http://www.example.org/b/%%200", "org,example)/b/%25%200");
        check("http://www.example.org/doi/10.1000%2Fabc", "org,example)/doi/10.1000/abc");
        check("http://example.org/?a=1&x^", "org,example)/?a=1&x^");
        check("http://example.org/?a=1&x^=", "org,example)/?a=1&x^=");
        let id = "0123456789abcdef0123456789abcdef";
        check(&format!("http://example.org/f.php?PHPSESSID={id}&t=5"), "org,example)/f.php?t=5");
        check(&format!("http://example.org/f.php?t=5&PHPSESSID={id}"), "org,example)/f.php?&t=5");
        check(&format!("http://example.org/f.php?sid={id}"), "org,example)/f.php");
        check("http://example.org/f;jsessionid=AB12?t=5", "org,example)/f;jsessionid=ab12?t=5");
    }
}
