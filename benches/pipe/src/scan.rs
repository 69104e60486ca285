//! Finds the links of `a` and `area` in HTML, as quickly as memchr allows and no more exactly than that.

use memchr::{memchr, memmem};

/// Calls `found` with the `href` of each `a` and `area`, as it stands in the page.
pub fn links(html: &[u8], mut found: impl FnMut(&[u8])) {
    let mut rest = html;
    while let Some(tag) = after(rest, b'<') {
        rest = tag;
        let Some(first) = rest.first() else { return };
        if rest.starts_with(b"!--") {
            rest = after_text(&rest[3..], b"-->");
        } else if first.is_ascii_alphabetic() {
            let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let (name, attributes) = rest.split_at(end);
            let is_link = name.eq_ignore_ascii_case(b"a") || name.eq_ignore_ascii_case(b"area");
            rest = skip_attributes(attributes, |key, value| {
                if is_link && key.eq_ignore_ascii_case(b"href") {
                    found(value);
                }
            });
            for (raw_text, end) in [(&b"script"[..], &b"</script"[..]), (b"style", b"</style")] {
                if name.eq_ignore_ascii_case(raw_text) {
                    rest = after_text(rest, end);
                }
            }
        }
    }
}

/// Calls `found` with each attribute; gives what follows the tag.
fn skip_attributes(mut rest: &[u8], mut found: impl FnMut(&[u8], &[u8])) -> &[u8] {
    loop {
        rest = skip(rest, |byte| byte.is_ascii_whitespace() || byte == b'/');
        match rest.first() {
            None => return rest,
            Some(b'>') => return &rest[1..],
            Some(_) => {}
        }
        let end = rest[1..]
            .iter()
            .position(|&byte| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'>' | b'/'));
        let (key, after_key) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        rest = skip(after_key, |byte| byte.is_ascii_whitespace());
        if rest.first() != Some(&b'=') {
            continue;
        }
        rest = skip(&rest[1..], |byte| byte.is_ascii_whitespace());
        let (value, after_value) = match rest.first() {
            Some(&quote @ (b'"' | b'\'')) => {
                let Some(end) = memchr(quote, &rest[1..]) else { return &[] };
                (&rest[1..=end], &rest[end + 2..])
            }
            _ => {
                let end = rest.iter().position(|&byte| byte.is_ascii_whitespace() || byte == b'>');
                rest.split_at(end.unwrap_or(rest.len()))
            }
        };
        found(key, value);
        rest = after_value;
    }
}

fn skip(bytes: &[u8], is_skipped: impl Fn(u8) -> bool) -> &[u8] {
    let end = bytes.iter().position(|&byte| !is_skipped(byte)).unwrap_or(bytes.len());
    &bytes[end..]
}

fn after(bytes: &[u8], byte: u8) -> Option<&[u8]> {
    memchr(byte, bytes).map(|at| &bytes[at + 1..])
}

fn after_text<'a>(bytes: &'a [u8], text: &[u8]) -> &'a [u8] {
    memmem::find(bytes, text).map_or(&[], |at| &bytes[at + text.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_links() {
        let check = |html: &str, expected: &[&str]| {
            let mut hits = Vec::new();
            links(html.as_bytes(), |value| hits.push(String::from_utf8_lossy(value).into_owned()));
            assert_eq!(hits, expected, "{html}");
        };
        check(r#"<p><a class=x href="b.html">b</a><AREA href='c'><a href=d>"#, &["b.html", "c", "d"]);
        check("<!-- <a href=x> --><script>'<a href=y>'</script><link href=z>", &[]);
        check("<a href", &[]);
        check("<a href=\"x", &[]);
        check("<a name=x><a href = \"\">", &[""]);
    }
}
