//! Guessed links: strings of scripts and JSON that look like URLs (Heritrix ExtractorJS).

use std::borrow::Cow;

use model::Hop;
use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

use crate::extractors::Builtin;
use crate::likely::reference_in_script;
use crate::{Base, Extractor, Payload, Progress, Sink};

/// Longest string that is looked at, in bytes (Heritrix: longest URL).
const STRING_BYTES_MAX: usize = surt::URL_BYTES_MAX;

/// Backslashes before a quote that may belong to it: scripts within strings within scripts.
const BACKSLASHES_MAX: usize = 8;

/// Options of the extractor `js`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JsOptions {
    /// Runs at all, also for scripts within pages.
    pub enabled: bool,
    /// Takes only strings with a scheme or a host (Heritrix ConfigurableExtractorJS `strict`).
    pub strict: bool,
}

impl Default for JsOptions {
    fn default() -> Self {
        JsOptions { enabled: true, strict: false }
    }
}

pub(crate) const BUILTIN: Builtin = Builtin {
    name: "js",
    about: "strings of scripts and JSON that look like URLs",
    make: |options| Box::new(Js { options: options.js.clone() }),
};

struct Js {
    options: JsOptions,
}

impl Extractor for Js {
    fn name(&self) -> &'static str {
        BUILTIN.name
    }

    fn wants(&self, payload: &Payload) -> bool {
        let media_type = payload.media_type();
        let is_script = ["javascript", "jscript", "ecmascript"].iter().any(|kind| media_type.contains(kind));
        // The context of `<script src>`: `script/@src`. HTML under such an address was read as HTML.
        self.options.enabled
            && (is_script
                || media_type.starts_with("application/json")
                || payload.extension() == "js"
                || payload.via_context().is_some_and(|context| context.starts_with("script")))
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        // A script's addresses are relative to the page that runs it.
        let page = match payload.via() {
            Some(via) => via,
            None => {
                sink.annotate("usedBaseForVia".to_owned());
                payload.url()
            }
        };
        read(&payload.text(), page, &Base::new(page), &self.options, sink);
        Progress::Finished
    }
}

/// Puts the likely links of a script into the sink.
pub(crate) fn read(script: &str, page: &CanonicalUrl, base: &Base, options: &JsOptions, sink: &mut Sink) {
    if !options.enabled {
        return;
    }
    strings(script, |string| {
        let Some(reference) = reference_in_script(&unescape(string), page) else { return };
        if !options.strict || reference.starts_with("//") || reference.contains("://") {
            // A guess that does not parse is no problem of the page.
            if let Ok(url) = base.resolve(&reference) {
                sink.link(url, Hop::Speculative, "=JS_MISC");
            }
        }
    });
}

/// Calls `each` with every string between two equal quotes that may be a URL: it has a `.` or a `/`, no `<` and `>`.
///
/// Where a quote closes nothing it may open something: scripts are read without their grammar, since half of what is
/// given here is no script.
fn strings<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut open: Option<Quote> = None;
    let mut from = 0;
    while let Some(quote) = next_quote(bytes, from) {
        from = quote.end;
        if let Some(opening) = &open
            && bytes[opening.start..opening.end] == bytes[quote.start..quote.end]
        {
            let content = &text[opening.end..quote.start];
            if may_be_url(content.as_bytes()) {
                each(content);
                open = None;
                continue;
            }
        }
        open = Some(quote);
    }
}

/// A quote with the backslashes before it.
struct Quote {
    start: usize,
    end: usize,
}

/// The next `'`, `"`, `u0022` or `u0027`.
fn next_quote(bytes: &[u8], from: usize) -> Option<Quote> {
    let mut at = from;
    loop {
        let found = at + memchr::memchr3(b'"', b'\'', b'u', bytes.get(at..)?)?;
        let len = match bytes[found] {
            b'u' if matches!(bytes.get(found + 1..found + 5), Some(b"0022" | b"0027")) => 5,
            b'u' => {
                at = found + 1;
                continue;
            }
            _ => 1,
        };
        let backslashes =
            bytes[from..found].iter().rev().take(BACKSLASHES_MAX).take_while(|byte| **byte == b'\\').count();
        return Some(Quote { start: found - backslashes, end: found + len });
    }
}

fn may_be_url(string: &[u8]) -> bool {
    string.len() <= STRING_BYTES_MAX
        && string.iter().any(|byte| matches!(byte, b'.' | b'/'))
        && !string.iter().any(|byte| matches!(byte, b'<' | b'>' | b'\n'))
}

/// Decodes the escapes of ECMAScript strings: `\/`, `\u002f`, `\u{2f}`, `\x2f`.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (digits, skip) = match rest.as_bytes().first() {
            Some(b'u') if rest[1..].starts_with('{') => {
                let end = rest.find('}').unwrap_or(2).clamp(2, 8);
                (rest.get(2..end), end + 1)
            }
            Some(b'u') => (rest.get(1..5), 5),
            Some(b'x') => (rest.get(1..3), 3),
            _ => (None, 0),
        };
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        match code {
            Some(c) => {
                out.push(c);
                rest = rest.get(skip..).unwrap_or_default();
            }
            None => {
                if let Some(c) = rest.chars().next() {
                    out.push(match c {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        other => other,
                    });
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, expected: &[&str]) {
        let mut found = Vec::new();
        strings(script, |string| found.push(unescape(string).into_owned()));
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn strings_and_escapes() {
        check("a='x.y', b=\"/z\"", &["x.y", "/z"]);
        check("'with_\\'nested/url.html\\'_in'", &["nested/url.html"]);
        check("\\u0022a.html\\u0022", &["a.html"]);
        check("\"https:\\/\\/example.com\\/x\"", &["https://example.com/x"]);
        check("'\\u002fa\\x2fb\\u{2e}c/'", &["/a/b.c/"]);
        check("'plain' + '/x'", &["/x"]);
        check("'<a>.</a>'", &[]);
        check("it's a.b", &[]);
        check("'\\u{2f", &[]);
        check("'\\u{2f/'", &["u{2f/"]);
    }

    #[test]
    fn many_quotes_take_linear_time() {
        check(&"'\"".repeat(500_000), &[]);
        check(&"u".repeat(1_000_000), &[]);
    }
}
