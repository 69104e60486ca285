//! HTML pages: every reference that a browser follows by itself or on a click leads to a capture.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use encoding_rs::{Encoding, UTF_8};
use lol_html::errors::RewritingError;
use lol_html::html_content::{ContentType, Element, TextChunk};
use lol_html::{AsciiCompatibleEncoding, HtmlRewriter, MemorySettings, Settings, element, text};

use crate::attributes::{Holds, holds, may_hold_for_scripts};
use crate::srcset::rewrite_srcset;
use crate::{Charset, Links, Modifier, entities, rewrite_css};

/// Memory for one tag or style element of a page, in bytes; a page that needs more is not rewritten.
const MEMORY_BYTES_MAX: usize = 64 << 20;
/// Documents inside `srcdoc` inside `srcdoc` …; deeper ones are emptied.
const SRCDOC_DEPTH_MAX: usize = 3;
/// Bytes in which `base` is looked for beforehand; one that stands later counts from there on.
const BASE_BYTES_MAX: usize = 64 << 10;

/// The page cannot be rewritten: a single tag is larger than the limit.
#[derive(Debug)]
pub struct RewriteError(RewritingError);

impl std::fmt::Display for RewriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rewrite page: {}", self.0)
    }
}

impl std::error::Error for RewriteError {}

/// The page with its references rewritten, in its own encoding; if that is none in which ASCII means itself (UTF-16), in
/// UTF-8, which the second value then names.
///
/// # Errors
/// When one tag of the page is larger than 64 MiB.
pub fn rewrite_html(
    page: &[u8],
    charset: Charset,
    links: &Links,
) -> Result<(Vec<u8>, Option<&'static str>), RewriteError> {
    // Text has no NUL bytes outside UTF-16: this is something else under a wrong label, and shown as it is (F060).
    if charset.is_ascii_compatible() && page.contains(&0) {
        return Ok((page.to_vec(), None));
    }
    let (encoding, in_utf_8) = match AsciiCompatibleEncoding::new(charset.encoding) {
        Some(encoding) => (encoding, Cow::Borrowed(page)),
        None => {
            let text = charset.encoding.decode_with_bom_removal(page).0.into_owned();
            (AsciiCompatibleEncoding::utf_8(), Cow::Owned(text.into_bytes()))
        }
    };
    let was_changed = matches!(in_utf_8, Cow::Owned(_));
    let links = links.clone().with_encoding(if was_changed { UTF_8 } else { charset.encoding });
    let out = rewrite(&in_utf_8, encoding, links, SRCDOC_DEPTH_MAX).map_err(RewriteError)?;
    Ok((out, was_changed.then_some("utf-8")))
}

/// State of a page while it is read.
struct Page {
    links: Links,
    /// Only the first `base` counts.
    base_seen: bool,
    srcdoc_depth: usize,
}

fn rewrite(
    page: &[u8],
    encoding: AsciiCompatibleEncoding,
    links: Links,
    srcdoc_depth: usize,
) -> Result<Vec<u8>, RewritingError> {
    let links = match first_base(page, encoding) {
        Some(reference) => links.rebased(&reference),
        None => links,
    };
    let state = Rc::new(RefCell::new(Page { links, base_seen: false, srcdoc_depth }));
    let in_style = Rc::clone(&state);
    let mut style = String::new();
    let mut out = Vec::with_capacity(page.len() + page.len() / 4);
    let settings = Settings::new()
        .append_element_content_handler(element!("*", move |element| {
            rewrite_element(element, &mut state.borrow_mut());
            Ok(())
        }))
        .append_element_content_handler(text!("style", move |chunk| {
            rewrite_style(chunk, &mut style, &in_style.borrow().links);
            Ok(())
        }))
        .with_encoding(encoding)
        // A tree that browsers would read otherwise is read as plain text would be: nothing is refused.
        .with_strict(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY_BYTES_MAX));
    let mut rewriter = HtmlRewriter::new(settings, |piece: &[u8]| out.extend_from_slice(piece));
    rewriter.write(page)?;
    rewriter.end()?;
    Ok(out)
}

/// The `href` of the first `base` near the start, which also counts for what stands before it.
fn first_base(page: &[u8], encoding: AsciiCompatibleEncoding) -> Option<String> {
    let start = &page[..page.len().min(BASE_BYTES_MAX)];
    start.windows(5).find(|window| window.eq_ignore_ascii_case(b"<base"))?;
    let mut found = None;
    let settings = Settings::new()
        .append_element_content_handler(element!("base[href]", |element| {
            if found.is_none() {
                found = element.get_attribute("href").map(|source| entities::decode(&source));
            }
            Ok(())
        }))
        .with_encoding(encoding)
        .with_strict(false);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // Being only a look ahead, whatever goes wrong here goes wrong again in the main pass.
    let _ = rewriter.write(start);
    drop(rewriter);
    found
}

fn rewrite_element(element: &mut Element<'_, '_>, page: &mut Page) {
    let name = element.tag_name();
    if name == "meta" {
        return rewrite_meta(element, &page.links);
    }
    if name == "base" {
        return rewrite_base(element, page);
    }
    let rel = element.get_attribute("rel");
    let sources: Vec<(String, String)> =
        element.attributes().iter().map(|attribute| (attribute.name(), attribute.value())).collect();
    for (attribute, source) in sources {
        let text = || entities::decode(&source);
        let rewritten = match holds(&name, &attribute, rel.as_deref()) {
            Some(Holds::Url(modifier)) => page.links.rewrite(&text(), modifier),
            Some(Holds::Srcset) => Some(rewrite_srcset(&text(), &page.links)),
            Some(Holds::Style) => rewrite_inline_style(&text(), &page.links),
            Some(Holds::Document) => Some(rewrite_srcdoc(&text(), page)),
            Some(Holds::Nothing) => {
                element.remove_attribute(&attribute);
                None
            }
            None if may_hold_for_scripts(&attribute) => rewrite_absolute(&text(), &page.links),
            None => None,
        };
        if let Some(rewritten) = rewritten {
            set(element, &attribute, &rewritten);
        }
    }
}

fn set(element: &mut Element<'_, '_>, attribute: &str, text: &str) {
    // The name came from the page, so it can stand in one.
    let _ = element.set_attribute(attribute, &entities::encode(text));
}

/// Refreshes lead to captures; policies that would forbid what replay needs, or allow what it forbids, go.
fn rewrite_meta(element: &mut Element<'_, '_>, links: &Links) {
    let Some(kind) = element.get_attribute("http-equiv") else { return };
    match kind.trim().to_ascii_lowercase().as_str() {
        "refresh" => {
            let content = entities::decode(&element.get_attribute("content").unwrap_or_default());
            if let Some(rewritten) = rewrite_refresh(&content, links) {
                set(element, "content", &rewritten);
            }
        }
        "content-security-policy" | "content-security-policy-report-only" | "x-dns-prefetch-control" => {
            element.remove();
        }
        _ => {}
    }
}

pub(crate) fn rewrite_refresh(content: &str, links: &Links) -> Option<String> {
    let refresh = http1::values::refresh(content)?;
    let link = links.rewrite(refresh.url?, Modifier::Page)?;
    Some(format!("{};url={link}", refresh.delay_s))
}

/// `base` stays, so that URLs which scripts put together resolve within the archive.
fn rewrite_base(element: &mut Element<'_, '_>, page: &mut Page) {
    let Some(source) = element.get_attribute("href") else { return };
    let reference = entities::decode(&source);
    if !page.base_seen {
        page.base_seen = true;
        page.links = page.links.clone().rebased(&reference);
    }
    if let Some(link) = page.links.rewrite(&reference, Modifier::Page) {
        set(element, "href", &link);
    }
}

fn rewrite_absolute(text: &str, links: &Links) -> Option<String> {
    let start = text.trim_start();
    let is_absolute = ["http://", "https://", "//"].iter().any(|prefix| {
        start.len() > prefix.len() && start.as_bytes()[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
    });
    // A list of images, JSON or prose is not a URL: left to the page's scripts, and to the policy.
    let is_one_url =
        is_absolute && !start.trim_end().contains(|c: char| c.is_whitespace() || c == '{' || c == '"');
    if is_one_url { links.rewrite(text, Modifier::Image) } else { None }
}

fn rewrite_inline_style(style: &str, links: &Links) -> Option<String> {
    let rewritten = rewrite_css(style.as_bytes(), UTF_8, links)?;
    Some(String::from_utf8(rewritten).expect("text and ASCII links stay UTF-8"))
}

fn rewrite_srcdoc(document: &str, page: &Page) -> String {
    if page.srcdoc_depth == 0 {
        return String::new();
    }
    let utf_8 = AsciiCompatibleEncoding::utf_8();
    match rewrite(document.as_bytes(), utf_8, page.links.clone(), page.srcdoc_depth - 1) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

/// Text comes in pieces; a style sheet is rewritten when its last piece is there.
fn rewrite_style(chunk: &mut TextChunk<'_>, style: &mut String, links: &Links) {
    style.push_str(chunk.as_str());
    if !chunk.last_in_text_node() {
        chunk.remove();
        return;
    }
    let encoding: &'static Encoding = UTF_8;
    match rewrite_css(style.as_bytes(), encoding, links) {
        Some(rewritten) => {
            let text = String::from_utf8(rewritten).expect("text and ASCII links stay UTF-8");
            chunk.replace(&text, ContentType::Html);
        }
        None => chunk.replace(style, ContentType::Html),
    }
    style.clear();
}
