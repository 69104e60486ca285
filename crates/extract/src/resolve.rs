//! A reference against its base, by the URL standard; what no crawler fetches is told apart.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use surt::{CanonicalUrl, UrlError};
use url::Url;

/// Why a reference is no link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// Nothing but blanks, or a fragment of the page itself.
    Empty,
    /// `mailto:`, `data:`, `javascript:` and the like.
    Scheme,
    /// `{{ … }}`, `${…}`, `<?php …`, or markup: text that a template or an unclosed quote left behind.
    Template,
    /// The URL parser refused it.
    Malformed(UrlError),
}

/// What references are resolved against.
#[derive(Debug, Clone)]
pub struct Base {
    url: Url,
    encoding: &'static Encoding,
    /// References without path and query lead to another URL than the page (a `base` element).
    is_foreign: bool,
}

impl Base {
    /// The URL of a page, queries in UTF-8.
    pub fn new(url: &CanonicalUrl) -> Base {
        Base { url: url.to_url(), encoding: UTF_8, is_foreign: false }
    }

    /// The same base for a page in that encoding: queries are percent-encoded in it, as browsers do (URL standard,
    /// query state).
    pub fn with_encoding(mut self, encoding: &'static Encoding) -> Base {
        self.encoding = encoding.output_encoding();
        self
    }

    /// The base that a `base` element or a `codebase` attribute gives.
    pub fn rebased(&self, url: &CanonicalUrl) -> Base {
        Base { url: url.to_url(), encoding: self.encoding, is_foreign: true }
    }

    /// The base's own URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Resolves a reference whose entities are decoded.
    ///
    /// # Errors
    /// [`Unresolved`] says why it is no link.
    pub fn resolve(&self, reference: &str) -> Result<CanonicalUrl, Unresolved> {
        let reference = trim_reference(reference);
        if reference.is_empty() && !self.is_foreign {
            return Err(Unresolved::Empty);
        }
        if looks_like_template(reference) {
            return Err(Unresolved::Template);
        }
        if has_idle_scheme(reference) {
            return Err(Unresolved::Scheme);
        }
        let url = self.join(reference).map_err(Unresolved::Malformed)?;
        if matches!(url.scheme(), "http" | "https" | "ftp" | "sftp") {
            Ok(url)
        } else {
            Err(Unresolved::Scheme)
        }
    }

    fn join(&self, reference: &str) -> Result<CanonicalUrl, UrlError> {
        if self.encoding == UTF_8 || reference.is_ascii() || reference.len() > 4 * surt::URL_BYTES_MAX {
            return CanonicalUrl::join(&self.url, reference);
        }
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> =
            &|query| self.encoding.encode(query).0.into_owned().into();
        let url = Url::options().base_url(Some(&self.url)).encoding_override(Some(encode)).parse(reference);
        CanonicalUrl::from_url(url.map_err(|error| UrlError::Unparsable(error.to_string()))?)
    }
}

/// Cuts C0 controls and blanks at both ends (URL standard, basic URL parser) and the fragment.
pub(crate) fn trim_reference(reference: &str) -> &str {
    let end = memchr::memchr(b'#', reference.as_bytes()).unwrap_or(reference.len());
    reference[..end].trim_matches(|c: char| c <= ' ')
}

/// faults.md F046: such values are never meant as URLs.
fn looks_like_template(reference: &str) -> bool {
    let bytes = reference.as_bytes();
    memchr::memchr3(b'<', b'>', b'{', bytes).is_some_and(|first| {
        let rest = &bytes[first..];
        memchr::memchr2(b'<', b'>', rest).is_some()
            || memchr::memmem::find(rest, b"{{").is_some()
            || (first > 0 && bytes[first - 1] == b'$')
            || memchr::memmem::find(rest, b"${").is_some()
    })
}

/// Schemes that are common in pages and that nobody fetches: found without parsing the URL.
fn has_idle_scheme(reference: &str) -> bool {
    const IDLE: [&str; 12] = [
        "mailto",
        "javascript",
        "data",
        "tel",
        "about",
        "blob",
        "sms",
        "skype",
        "whatsapp",
        "intent",
        "urn",
        "clsid",
    ];
    let Some(colon) = reference.bytes().take(12).position(|byte| byte == b':') else { return false };
    IDLE.iter().any(|scheme| reference[..colon].eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reference: &str, expected: Result<&str, Unresolved>) {
        let base = Base::new(&"http://example.org/d/?p=1".parse().unwrap());
        let found = base.resolve(reference);
        assert_eq!(found.as_ref().map(CanonicalUrl::as_str), expected.as_ref().copied(), "{reference}");
    }

    #[test]
    fn references() {
        // faults.md F036.
        check(" http://example.net/x", Ok("http://example.net/x"));
        check("\nhttp://example.net/y\n", Ok("http://example.net/y"));
        check("http://exa\nmple.net/z", Ok("http://example.net/z"));
        check("a b#c", Ok("http://example.org/d/a%20b"));
        check("#top", Err(Unresolved::Empty));
        check("  ", Err(Unresolved::Empty));
        check("MailTo:a@example.org", Err(Unresolved::Scheme));
        check("weird:x", Err(Unresolved::Scheme));
        check("h\u{e9}:x", Ok("http://example.org/d/h%C3%A9:x"));
    }

    #[test]
    fn templates() {
        // faults.md F046.
        for text in ["{{ item.url }}", "<?php echo $u ?>", "${link}", "a${b}c", "/a>text</a><p class="] {
            check(text, Err(Unresolved::Template));
        }
        check("brace{}", Ok("http://example.org/d/brace%7B%7D"));
    }

    #[test]
    fn query_in_the_encoding_of_the_page() {
        let base =
            Base::new(&"http://example.org/".parse().unwrap()).with_encoding(encoding_rs::WINDOWS_1251);
        assert_eq!(base.resolve("п?q=п").unwrap().as_str(), "http://example.org/%D0%BF?q=%EF");
    }
}
