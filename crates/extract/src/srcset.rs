//! URLs of a `srcset` attribute (HTML standard, "parse a srcset attribute").

/// Calls `each` with every URL. Descriptors are passed over, also unknown ones.
pub(crate) fn urls(value: &str, mut each: impl FnMut(&str)) {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c');
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches(|c| is_space(c) || c == ',');
        if rest.is_empty() {
            return;
        }
        let end = rest.find(is_space).unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        rest = after;
        let trimmed = url.trim_end_matches(',');
        // A data URL holds commas and is no link anyway.
        each(trimmed);
        if trimmed.len() == url.len() {
            rest = after_descriptors(rest);
        }
    }
}

/// The rest after the comma that ends the descriptors; commas in parentheses do not.
fn after_descriptors(text: &str) -> &str {
    let mut depth = 0usize;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return &text[index + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, expected: &[&str]) {
        let mut found = Vec::new();
        urls(value, |url| found.push(url.to_owned()));
        assert_eq!(found, expected, "{value}");
    }

    #[test]
    fn grammar() {
        // faults.md F053.
        check(
            "/r/a,b=/120x75/x.jpg 120w, /r/c.jpg 2x,/d.jpg",
            &["/r/a,b=/120x75/x.jpg", "/r/c.jpg", "/d.jpg"],
        );
        check("e.webp 1x , f.webp  1.5x", &["e.webp", "f.webp"]);
        check("/g.jpg, /h.jpg 2x", &["/g.jpg", "/h.jpg"]);
        check("/i.jpg 100w 50h", &["/i.jpg"]);
        check("a 1x (x,y) z, b", &["a", "b"]);
        check(" , ,", &[]);
        check("", &[]);
    }
}
