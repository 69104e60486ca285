//! Links in style sheets: `url(…)`, `@import "…"`, strings of `image-set(…)`.
//!
//! Reads CSS as its tokenizer does (CSS Syntax 3, part 4): comments and strings hide what stands in them. Two leniencies
//! are marked as speculative: addresses in comments, which Heritrix takes, and `url(''x'')`, which is no URL in CSS.

use std::borrow::Cow;

use model::Hop;
use serde::{Deserialize, Serialize};

use crate::extractors::Builtin;
use crate::{Base, Extractor, Payload, Progress, Sink};

/// Options of the extractor `css`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CssOptions {
    /// Runs at all, also for `style` elements and attributes.
    pub enabled: bool,
    /// Takes `url(…)` out of comments too, as speculative links.
    pub comments: bool,
}

impl Default for CssOptions {
    fn default() -> Self {
        CssOptions { enabled: true, comments: true }
    }
}

pub(crate) const BUILTIN: Builtin = Builtin {
    name: "css",
    about: "url(…) and @import of style sheets",
    make: |options| Box::new(Css { options: options.css.clone() }),
};

struct Css {
    options: CssOptions,
}

impl Extractor for Css {
    fn name(&self) -> &'static str {
        BUILTIN.name
    }

    fn wants(&self, payload: &Payload) -> bool {
        self.options.enabled && (payload.media_type().contains("css") || payload.extension() == "css")
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        let base = payload.base().with_encoding(payload.charset().encoding);
        read(&payload.text(), &base, &self.options, sink);
        Progress::Finished
    }
}

/// Puts the links of a style sheet (or of a `style` attribute) into the sink.
pub(crate) fn read(text: &str, base: &Base, options: &CssOptions, sink: &mut Sink) {
    if !options.enabled {
        return;
    }
    urls(text, options.comments, &mut |url, is_regular| {
        let (hop, context) =
            if is_regular { (Hop::Embed, "=EMBED_MISC") } else { (Hop::Speculative, "=SPECULATIVE_MISC") };
        sink.reference(base, url, hop, context);
    });
}

/// Calls `each` with every URL and whether CSS itself would fetch it.
fn urls(css: &str, comments: bool, each: &mut dyn FnMut(&str, bool)) {
    let bytes = css.as_bytes();
    let mut at = 0;
    // What a string means where it stands.
    let mut string_is_url = false;
    let mut parens = 0usize;
    let mut image_set: Option<usize> = None;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end =
                    memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |len| at + 2 + len);
                if comments {
                    // Without comments inside, or this would not end.
                    urls(&css[at + 2..end], false, &mut |url, _| each(url, false));
                }
                at = (end + 2).min(bytes.len());
            }
            b'"' | b'\'' => {
                let (end, content) = string(css, at);
                if (string_is_url || image_set.is_some())
                    && let Some(url) = content
                {
                    each(&url, true);
                }
                string_is_url = false;
                at = end;
            }
            b'@' => {
                let (end, name) = name(css, at + 1);
                string_is_url = name.eq_ignore_ascii_case("import");
                at = end.max(at + 1);
                if name.eq_ignore_ascii_case("namespace") {
                    // Its URL is a name and nothing to fetch.
                    at = memchr::memchr2(b';', b'}', &bytes[at..]).map_or(bytes.len(), |len| at + len);
                }
            }
            b'(' => {
                parens += 1;
                at += 1;
            }
            b')' => {
                parens = parens.saturating_sub(1);
                if image_set.is_some_and(|depth| parens < depth) {
                    image_set = None;
                }
                at += 1;
            }
            b';' | b'{' | b'}' => {
                string_is_url = false;
                image_set = None;
                parens = 0;
                at += 1;
            }
            _ if is_name_byte(byte) || byte == b'\\' => {
                let (end, name) = name(css, at);
                at = end.max(at + 1);
                if bytes.get(at) != Some(&b'(') {
                    // `url (x)` is no URL, `@import x "y"` is no import of y.
                    continue;
                }
                at += 1;
                if name.eq_ignore_ascii_case("url") || name.eq_ignore_ascii_case("src") {
                    string_is_url = false;
                    at = url_function(css, at, each);
                } else {
                    parens += 1;
                    if name.to_ascii_lowercase().ends_with("image-set") {
                        image_set = image_set.or(Some(parens));
                    }
                }
            }
            _ => at += 1,
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' || byte >= 0x80
}

/// The name that begins there, escapes decoded, and its end.
fn name(css: &str, start: usize) -> (usize, Cow<'_, str>) {
    let bytes = css.as_bytes();
    let mut at = start;
    let mut has_escape = false;
    loop {
        match bytes.get(at) {
            Some(byte) if is_name_byte(*byte) => at += 1,
            Some(b'\\') if bytes.get(at + 1).is_some_and(|byte| *byte != b'\n') => {
                has_escape = true;
                at += 1 + css[at + 1..].chars().next().map_or(0, char::len_utf8);
            }
            _ => break,
        }
    }
    let text = &css[start..at];
    (at, if has_escape { Cow::Owned(unescape(text)) } else { Cow::Borrowed(text) })
}

/// The string that begins at a quote: the place after it, and its content unless it is broken by a line end.
fn string(css: &str, start: usize) -> (usize, Option<String>) {
    let bytes = css.as_bytes();
    let quote = bytes[start];
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1 + css[at + 1..].chars().next().map_or(0, char::len_utf8),
            b'\n' | b'\r' => return (at, None),
            _ if byte == quote => return (at + 1, Some(unescape(&css[start + 1..at]))),
            _ => at += 1,
        }
    }
    // The end of the sheet ends a string (CSS Syntax 4.3.5), but then the URL may be cut.
    (bytes.len(), None)
}

/// What follows `url(`; gives the place after the `)`.
fn url_function(css: &str, start: usize, each: &mut dyn FnMut(&str, bool)) -> usize {
    let bytes = css.as_bytes();
    let content = start + bytes[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if let Some(b'"' | b'\'') = bytes.get(content) {
        let (end, text) = string(css, content);
        let close = end + bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if let Some(text) = text
            && bytes.get(close) == Some(&b')')
        {
            each(&text, true);
            return close + 1;
        }
    }
    // Unquoted up to the `)` that is not escaped.
    let mut at = content;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1 + css[at + 1..].chars().next().map_or(0, char::len_utf8),
            b')' => break,
            // Seen in minified sheets that lost a `)`: nothing after it could be found otherwise.
            b'{' | b'}' | b';' if !css[content..at].starts_with("data:") => return at,
            _ => at += 1,
        }
    }
    let Some(raw) = css.get(content..at.min(css.len())) else { return css.len() };
    if at >= css.len() {
        return css.len();
    }
    let raw = raw.trim_matches(|c: char| c.is_ascii_whitespace());
    let is_regular = !raw.contains(['"', '\'', '(']) || is_escaped(raw);
    let url = unescape(raw);
    let url = if is_regular { url.as_str() } else { url.trim_matches(['"', '\'', '\\', ' ']) };
    if !url.is_empty() {
        each(url, is_regular && (raw.contains('\\') || !url.contains(char::is_whitespace)));
    }
    at + 1
}

/// Whether every quote and parenthesis in an unquoted URL has its backslash, and none is left at the edges by a sheet
/// that was itself quoted once too often.
fn is_escaped(raw: &str) -> bool {
    if raw.starts_with("\\\"") || raw.starts_with("\\'") {
        return false;
    }
    let mut escaped = false;
    raw.bytes().all(|byte| {
        let ok = escaped || !matches!(byte, b'"' | b'\'' | b'(');
        escaped = byte == b'\\' && !escaped;
        ok
    })
}

/// Decodes escapes (CSS Syntax 4.3.7): up to six hexadecimal digits and a blank, or one character as it is.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if digits > 0 {
            let code = u32::from_str_radix(&rest[..digits], 16).unwrap_or(0);
            out.push(char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = &rest[digits..];
            rest = rest
                .strip_prefix("\r\n")
                .or_else(|| rest.strip_prefix([' ', '\t', '\n', '\r']))
                .unwrap_or(rest);
        } else if let Some(after) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r'])) {
            // An escaped line end in a string is nothing.
            rest = after;
        } else if let Some(c) = rest.chars().next() {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(css: &str, expected: &[&str]) {
        let mut found = Vec::new();
        urls(css, true, &mut |url, is_regular| {
            found.push(format!("{}{url}", if is_regular { "" } else { "?" }))
        });
        assert_eq!(found, expected, "{css}");
    }

    #[test]
    fn imports_and_urls() {
        // faults.md F055.
        check(
            "@import \"1.css\"; @import'2.css'screen; @import url( \"3.css\" ) layer(x); @IMPORT URL(4.css); \
             .a{background:url(5\\).png)} .b{b:url( '6.png' )} /* url(7.png) */ .c{content:\"url(8.png)\"}",
            &["1.css", "2.css", "3.css", "4.css", "5).png", "6.png", "?7.png"],
        );
        check("a{background:url(esc\\ aped.gif)}", &["esc aped.gif"]);
        check("@namespace url(http://www.w3.org/1999/xhtml); a{b:url(c)}", &["c"]);
        check("e{b:image-set('i1.png' 1x, url(i2.png) 2x)} f{content:'x.gif'}", &["i1.png", "i2.png"]);
        check(
            "@font-face{src:url(f.woff2) format('woff2'),url('f.eot?#iefix')}",
            &["f.woff2", "f.eot?#iefix"],
        );
        check("@\\69mport 'x'; a{b:u\\72l(y)}", &["x", "y"]);
    }

    #[test]
    fn broken() {
        // faults.md F056.
        check("background:url(''/x.png'')", &["?/x.png"]);
        check("background:url('/y.png')", &["/y.png"]);
        check("background:url(\\\"/z.png\\\")", &["?/z.png"]);
        for css in ["url('\")", "url(')", "url (' ')", "url(", "url(a", "'", "\\", "@", "/*", "url(\\"] {
            check(css, &[]);
        }
        check("a{b:url(x;c:d} e{f:url(g)}", &["g"]);
    }

    #[test]
    fn a_long_sheet_takes_linear_time() {
        // faults.md F040.
        check(&"url(".repeat(200_000), &[]);
        check(&"/*".repeat(200_000), &[]);
        check(&"url('".repeat(200_001), &[]);
    }
}
