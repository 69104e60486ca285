//! `srcset` attributes: a list of images with conditions (WHATWG HTML, "parsing a srcset attribute").

use crate::{Links, Modifier};

/// The list with its URLs rewritten; conditions stay as they are.
pub(crate) fn rewrite_srcset(srcset: &str, links: &Links) -> String {
    let mut out = String::with_capacity(srcset.len() * 2);
    let mut rest = srcset;
    loop {
        let url_at = rest.find(|c: char| !c.is_ascii_whitespace() && c != ',').unwrap_or(rest.len());
        out.push_str(&rest[..url_at]);
        rest = &rest[url_at..];
        if rest.is_empty() {
            return out;
        }
        let len = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        // Commas at the end of a URL end the candidate; commas inside belong to the URL (image resizers).
        let url = rest[..len].trim_end_matches(',');
        out.push_str(&links.rewrite(url, Modifier::Image).unwrap_or_else(|| url.to_owned()));
        let has_condition = url.len() == len;
        rest = &rest[url.len()..];
        if has_condition {
            let len = condition_len(rest);
            out.push_str(&rest[..len]);
            rest = &rest[len..];
        }
    }
}

/// Bytes up to the comma that ends a candidate, one in brackets not counted.
fn condition_len(text: &str) -> usize {
    let mut depth = 0_usize;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return index,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(srcset: &str, expected: &str) {
        let links = Links::new(&url::Url::parse("http://a.example/").unwrap(), "1");
        let shown = rewrite_srcset(srcset, &links).replace("/web/1im_/http://a.example/", "~");
        assert_eq!(shown, expected);
    }

    #[test]
    fn lists() {
        check("a.png", "~a.png");
        check("a.png 1x, b.png 2x", "~a.png 1x, ~b.png 2x");
        check("a.png, b.png 100w,c.png", "~a.png, ~b.png 100w,~c.png");
        check("/r/w=1,h=2/a.png 1x,b 2x", "~r/w=1,h=2/a.png 1x,~b 2x");
        check(" , a (1,2) 3x, b", " , ~a (1,2) 3x, ~b");
        check("data:image/png;base64,AA== 1x, b 2x", "data:image/png;base64,AA== 1x, ~b 2x");
        check("", "");
        check(",,,", ",,,");
    }
}
