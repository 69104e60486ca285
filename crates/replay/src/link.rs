//! A reference on a page, made into the address of a capture.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::{Modifier, Place};

/// Turns the references of one document into addresses of captures of about the same time.
#[derive(Debug, Clone)]
pub struct Links {
    base: Url,
    digits: String,
    /// WHATWG: the query of a URL is escaped in the encoding of its document.
    encoding: &'static Encoding,
}

impl Links {
    /// For the document at `base`, captured (or asked for) at `digits`.
    pub fn new(base: &Url, digits: &str) -> Links {
        Links { base: base.clone(), digits: digits.to_owned(), encoding: UTF_8 }
    }

    /// The same for a document in `encoding`.
    pub fn with_encoding(mut self, encoding: &'static Encoding) -> Links {
        self.encoding = encoding;
        self
    }

    /// The same with the base that the document names (`base href`), if it is one.
    pub fn rebased(mut self, reference: &str) -> Links {
        if let Ok(base) = self.base.join(reference)
            && !base.cannot_be_a_base()
        {
            self.base = base;
        }
        self
    }

    /// The address for `reference`; `None` if it is to stay: a fragment of this page, `data:`, `mailto:`, `javascript:`,
    /// or no URL at all.
    pub fn rewrite(&self, reference: &str, modifier: Modifier) -> Option<String> {
        let trimmed = reference.trim_matches(|c: char| c <= ' ');
        if trimmed.starts_with('#') || (trimmed.is_empty() && modifier == Modifier::Page) {
            return None;
        }
        let url = self.parse(trimmed)?;
        let is_archived_scheme = matches!(url.scheme(), "http" | "https" | "ftp");
        is_archived_scheme
            .then(|| Place { digits: self.digits.clone(), modifier, url: url.into() }.to_string())
    }

    fn parse(&self, reference: &str) -> Option<Url> {
        let encoding = self.encoding;
        // Written out, since a closure's result would not borrow from its argument.
        fn borrowing<F: for<'a> Fn(&'a str) -> Cow<'a, [u8]>>(encode: F) -> F {
            encode
        }
        let encode = borrowing(|text| encoding.encode(text).0);
        Url::options().base_url(Some(&self.base)).encoding_override(Some(&encode)).parse(reference).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reference: &str, expected: Option<&str>) {
        let links = Links::new(&Url::parse("https://a.example/d/page?q").unwrap(), "2026");
        assert_eq!(links.rewrite(reference, Modifier::Page).as_deref(), expected, "{reference}");
    }

    #[test]
    fn references() {
        check("x.html", Some("/web/2026/https://a.example/d/x.html"));
        check(" /x\n", Some("/web/2026/https://a.example/x"));
        check("//b.example", Some("/web/2026/https://b.example/"));
        check("http://b.example/?a b#c", Some("/web/2026/http://b.example/?a%20b#c"));
        check("?x", Some("/web/2026/https://a.example/d/page?x"));
        check("HTTP:\\\\b.example\\x", Some("/web/2026/http://b.example/x"));
        check("ftp://b.example/f", Some("/web/2026/ftp://b.example/f"));
        for staying in [
            "",
            "#top",
            "data:text/plain,x",
            "javascript:go()",
            "mailto:a@b.example",
            "http://[",
            "about:blank",
        ] {
            check(staying, None);
        }
    }

    #[test]
    fn queries_keep_the_encoding_of_the_page() {
        let base = Url::parse("http://a.example/").unwrap();
        let links = Links::new(&base, "").with_encoding(encoding_rs::WINDOWS_1251);
        assert_eq!(links.rewrite("ж?ж", Modifier::Image).unwrap(), "/web/im_/http://a.example/%D0%B6?%E6");
    }

    #[test]
    fn bases() {
        let links = Links::new(&Url::parse("http://a.example/x/").unwrap(), "1");
        assert_eq!(
            links.clone().rebased("../y/").rewrite("z", Modifier::Page).unwrap(),
            "/web/1/http://a.example/y/z"
        );
        assert_eq!(
            links.rebased("data:x").rewrite("z", Modifier::Page).unwrap(),
            "/web/1/http://a.example/x/z"
        );
    }
}
