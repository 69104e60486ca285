//! What search needs of a page: title, visible text, description, language.
//!
//! Runs beside the crawl, never in the way of a URL's commit.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use model::{Exchange, FetchStatus, RobotsMeta};
use robots::PageRobots;

use crate::payload::Origin;
use crate::scan::{Scanner, Token};
use crate::{Payload, html};

/// Most text of one page. Bytes.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// Most text of a title, a description or the keywords. Bytes.
pub const TITLE_BYTES_MAX: usize = 4 << 10;

/// Most bytes of a payload that are read for its words. Bytes.
const PAYLOAD_BYTES_MAX: usize = 8 << 20;

/// The words of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// Text of the `title` element, blanks folded; empty if there is none. At most [`TITLE_BYTES_MAX`].
    pub title: String,
    /// Visible text, blanks folded, at most [`TEXT_BYTES_MAX`].
    pub text: String,
    /// Language tag of the page (`lang` of `html`, else Content-Language), lower case.
    pub language: Option<String>,
    /// `meta name=description`.
    pub description: Option<String>,
    /// `meta name=keywords`.
    pub keywords: Option<String>,
    /// Meta robots; X-Robots-Tag if it names no robot.
    pub robots_meta: RobotsMeta,
}

/// The words of a captured page; empty for anything but HTML and plain text.
pub fn document(exchange: &Exchange) -> Document {
    let coded = exchange.payload.prefix(PAYLOAD_BYTES_MAX).unwrap_or_default();
    let header = |name| exchange.header(name).unwrap_or_default();
    let decoded = http1::coding::decode(&header("content-encoding"), &coded, PAYLOAD_BYTES_MAX).bytes;
    let mut document = document_of(&exchange.url, &header("content-type"), &decoded);
    if document.language.is_none() {
        document.language = language(&header("content-language"));
    }
    for value in exchange.head.iter().flat_map(|head| head.headers_named("x-robots-tag")) {
        document.ask(PageRobots::of_header(&String::from_utf8_lossy(value), "*"));
    }
    document
}

/// The words of bytes whose content coding is undone.
pub fn document_of(url: &surt::CanonicalUrl, content_type: &str, bytes: &[u8]) -> Document {
    let origin = Origin {
        url,
        via: None,
        via_context: None,
        hop_path: None,
        is_sitemap: false,
        is_prerequisite: false,
        status: FetchStatus(200),
        head: None,
    };
    let content_type = (!content_type.is_empty()).then(|| content_type.to_owned());
    let payload = Payload::new(origin, content_type, bytes::Bytes::copy_from_slice(bytes));
    if html::is_html(&payload) {
        let charset = payload.charset();
        let encoding = if charset.is_ascii_compatible() { charset.encoding } else { UTF_8 };
        return of_html(payload.ascii_compatible(), encoding);
    }
    let mut text = Folded::new(TEXT_BYTES_MAX);
    if payload.media_type() == "text/plain" {
        text.push(&payload.text());
    }
    Document { text: text.out, ..Document::default() }
}

impl Document {
    fn ask(&mut self, asked: PageRobots) {
        self.robots_meta.nofollow |= asked.nofollow;
        self.robots_meta.noindex |= asked.noindex;
        self.robots_meta.noarchive |= asked.noarchive;
    }
}

fn of_html(html: &[u8], encoding: &'static Encoding) -> Document {
    let mut document = Document::default();
    let mut text = Folded::new(TEXT_BYTES_MAX);
    // Text in a frame or a template is not shown, nor what a page says to browsers without scripts.
    let mut hidden: Option<&[u8]> = None;
    let mut has_title = false;
    let mut scanner = Scanner::new(html).strict().with_text();
    while let Some(token) = scanner.next() {
        match token {
            Token::Text(raw) if hidden.is_none() => text.push(&decode(raw, encoding)),
            Token::Raw { element, text: raw } if element.eq_ignore_ascii_case(b"title") && !has_title => {
                // The title of an SVG picture comes later than the page's.
                has_title = true;
                document.title = folded(&decode(raw, encoding), TITLE_BYTES_MAX);
            }
            Token::Raw { element, text: raw }
                if element.eq_ignore_ascii_case(b"textarea") && hidden.is_none() =>
            {
                text.push(&decode(raw, encoding));
            }
            Token::Start { name } => {
                if !is_inline(name) {
                    text.gap();
                }
                if hidden.is_none() && is_hidden(name) {
                    hidden = Some(name);
                } else if name.eq_ignore_ascii_case(b"html") {
                    document.language = scanner
                        .attribute(b"lang")
                        .or_else(|| scanner.attribute(b"xml:lang"))
                        .and_then(|tag| language(&decode(tag, encoding)));
                } else if name.eq_ignore_ascii_case(b"meta") {
                    meta(&scanner, encoding, &mut document);
                }
            }
            Token::End { name } => {
                if hidden.is_some_and(|element| element.eq_ignore_ascii_case(name)) {
                    hidden = None;
                }
                if !is_inline(name) {
                    text.gap();
                }
            }
            _ => {}
        }
        if text.is_full() {
            break;
        }
    }
    document.text = text.out;
    document
}

fn meta(scanner: &Scanner, encoding: &'static Encoding, document: &mut Document) {
    let Some(content) = scanner.attribute(b"content") else { return };
    let name = scanner.attribute(b"name").unwrap_or_default().to_ascii_lowercase();
    let content = decode(content, encoding);
    match name.as_slice() {
        b"description" => document.description = Some(folded(&content, TITLE_BYTES_MAX)),
        b"keywords" => document.keywords = Some(folded(&content, TITLE_BYTES_MAX)),
        b"robots" => document.ask(PageRobots::of_meta(&content)),
        _ => {
            // Pages that forbid caching are not shown from a cache either (Nutch, RobotsMetaProcessor).
            let is_pragma =
                scanner.attribute(b"http-equiv").is_some_and(|v| v.eq_ignore_ascii_case(b"pragma"));
            document.robots_meta.noarchive |= is_pragma && content.to_ascii_lowercase().contains("no-cache");
        }
    }
}

/// Text with its entities decoded.
fn decode<'h>(raw: &'h [u8], encoding: &'static Encoding) -> Cow<'h, str> {
    let text = match std::str::from_utf8(raw) {
        Ok(text) if encoding == UTF_8 || raw.is_ascii() => Cow::Borrowed(text),
        _ => encoding.decode_without_bom_handling(raw).0,
    };
    if memchr::memchr(b'&', raw).is_some() { htmlize::unescape(text) } else { text }
}

fn is_hidden(name: &[u8]) -> bool {
    [b"template".as_slice(), b"noscript", b"svg", b"math", b"select", b"object"]
        .iter()
        .any(|hidden| hidden.eq_ignore_ascii_case(name))
}

/// Elements that do not part words.
fn is_inline(name: &[u8]) -> bool {
    const INLINE: [&[u8]; 26] = [
        b"a", b"abbr", b"acronym", b"b", b"bdi", b"bdo", b"big", b"cite", b"code", b"del", b"dfn", b"em",
        b"font", b"i", b"ins", b"kbd", b"mark", b"s", b"samp", b"small", b"span", b"strong", b"sub", b"sup",
        b"tt", b"u",
    ];
    name.len() <= 7 && INLINE.iter().any(|inline| inline.eq_ignore_ascii_case(name))
}

/// The first language tag of a list, lower case.
fn language(value: &str) -> Option<String> {
    let tag = value.split(',').next()?.trim().to_ascii_lowercase();
    let is_tag =
        !tag.is_empty() && tag.len() <= 35 && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    is_tag.then_some(tag)
}

fn folded(text: &str, bytes_max: usize) -> String {
    let mut out = Folded::new(bytes_max);
    out.push(text);
    out.out
}

/// Text in which runs of white space become one blank.
struct Folded {
    out: String,
    needs_blank: bool,
    bytes_max: usize,
}

impl Folded {
    fn new(bytes_max: usize) -> Folded {
        Folded { out: String::new(), needs_blank: false, bytes_max }
    }

    fn is_full(&self) -> bool {
        self.out.len() >= self.bytes_max
    }

    /// Parts the word before from the word after.
    fn gap(&mut self) {
        self.needs_blank = true;
    }

    fn push(&mut self, text: &str) {
        if text.starts_with(char::is_whitespace) {
            self.gap();
        }
        // Unicode's white space costs three times as much to find as that of ASCII.
        if text.is_ascii() {
            self.push_words(text.split_ascii_whitespace());
        } else {
            self.push_words(text.split_whitespace());
        }
        self.needs_blank =
            text.ends_with(char::is_whitespace) || (self.needs_blank && text.trim().is_empty());
    }

    fn push_words<'t>(&mut self, words: impl Iterator<Item = &'t str>) {
        for word in words {
            if self.needs_blank && !self.out.is_empty() {
                self.out.push(' ');
            }
            let room = self.bytes_max.saturating_sub(self.out.len());
            if word.len() > room {
                // The word that does not fit ends the text.
                let end = (0..=room).rev().find(|end| word.is_char_boundary(*end)).unwrap_or(0);
                self.out.push_str(&word[..end]);
                self.out.truncate(self.bytes_max);
                return;
            }
            self.out.push_str(word);
            self.needs_blank = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, title: &str, text: &str) {
        let found = document_of(&"http://example.org/".parse().unwrap(), "text/html", html.as_bytes());
        assert_eq!((found.title.as_str(), found.text.as_str()), (title, text), "{html}");
    }

    #[test]
    fn visible_text() {
        check("<title> a\n b </title><p>x<b>y</b> z</p>w", "a b", "xy z w");
        check(
            "<p>a&nbsp;b &lt;c&gt;</p><script>d</script><style>e</style><noscript>f</noscript>g",
            "",
            "a b <c> g",
        );
        check("<td>1</td><td>2</td>3<br>4", "", "1 2 3 4");
        check("a<template>b</template>c<textarea>d</textarea>", "", "a c d");
        check("1 < 2", "", "1 < 2");
    }

    #[test]
    fn facts_of_a_page() {
        let html = "<html lang=\"DE-ch\"><meta name=Description content=\" x  y\"><meta name=robots content=noindex>";
        let found = document_of(&"http://example.org/".parse().unwrap(), "", html.as_bytes());
        assert_eq!(found.language.as_deref(), Some("de-ch"));
        assert_eq!(found.description.as_deref(), Some("x y"));
        assert!(found.robots_meta.noindex);
    }

    #[test]
    fn limits() {
        let mut folded = Folded::new(5);
        folded.push("ab éé cd");
        assert!(folded.out.len() <= 5, "{}", folded.out);
    }
}
