//! Links of HTML pages.
//!
//! Which attribute gives which hop follows Heritrix's ExtractorHTML; what is a tag and an attribute follows the HTML
//! standard (see [`crate::scan`]). Scripts and style sheets inside a page go to their own readers.

use std::borrow::Cow;
use std::collections::HashSet;

use encoding_rs::{Encoding, UTF_8};
use model::{Hop, Problem};
use robots::PageRobots;
use serde::{Deserialize, Serialize};

use crate::extractors::Builtin;
use crate::scan::{Attribute, Scanner, Token, is_space};
use crate::{
    Base, CssOptions, ExtractOptions, Extractor, JsOptions, Links, Payload, Progress, Sink, css,
    is_likely_uri, js, refresh, rel, srcset,
};

/// How deep `srcdoc` documents lie in one another.
const SRCDOC_DEPTH_MAX: usize = 3;

/// Spellings remembered so that repeats are not resolved again; more are resolved each time.
const SPELLINGS_MAX: usize = 65_536;

/// Options of the extractor `html`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HtmlOptions {
    /// Runs at all.
    pub enabled: bool,
    /// Reads scripts inside pages, `on…` attributes and `javascript:` addresses (Heritrix `extractJavascript`).
    pub extract_javascript: bool,
    /// Takes `value` attributes that look like URLs (Heritrix `extractValueAttributes`).
    pub extract_value_attributes: bool,
    /// Leaves the addresses of forms alone (Heritrix `ignoreFormActionUrls`).
    pub ignore_form_action_urls: bool,
    /// Takes the addresses only of forms that are sent by GET (Heritrix `extractOnlyFormGets`).
    pub extract_only_form_gets: bool,
    /// Frames are parts of their page, not pages of their own (Heritrix `treatFramesAsEmbedLinks`).
    pub treat_frames_as_embed_links: bool,
    /// Does not look for HTML under addresses that end like pictures, sound or films (Heritrix `ignoreUnexpectedHtml`).
    pub ignore_unexpected_html: bool,
    /// Leaves out links marked `rel=nofollow` (Heritrix `obeyRelNofollow`).
    pub obey_rel_nofollow: bool,
    /// After `meta name=robots` with `nofollow` or `none`, pages are no longer linked to; what the page shows is still
    /// fetched. Set from the robots policy of the job.
    pub obey_meta_robots: bool,
    /// Takes attributes that scripts turn into pictures and links later: `data-bg`, `data-href` and the like, if they
    /// look like URLs. Heritrix knows fewer of them.
    pub lazy_attributes: bool,
    /// Longest attribute value that is read; longer ones are a problem (Heritrix: 2048 characters). Bytes.
    pub value_bytes_max: usize,
}

impl Default for HtmlOptions {
    fn default() -> Self {
        HtmlOptions {
            enabled: true,
            extract_javascript: true,
            extract_value_attributes: true,
            ignore_form_action_urls: false,
            extract_only_form_gets: true,
            treat_frames_as_embed_links: true,
            ignore_unexpected_html: true,
            obey_rel_nofollow: false,
            obey_meta_robots: true,
            lazy_attributes: true,
            value_bytes_max: 1 << 20,
        }
    }
}

pub(crate) const BUILTIN: Builtin = Builtin {
    name: "html",
    about: "links, embeds, refresh and guessed links of HTML pages",
    make: |options| Box::new(Html { options: options.clone() }),
};

struct Html {
    options: ExtractOptions,
}

impl Extractor for Html {
    fn name(&self) -> &'static str {
        BUILTIN.name
    }

    fn wants(&self, payload: &Payload) -> bool {
        let options = &self.options.html;
        options.enabled
            && !payload.bytes().is_empty()
            && !(options.ignore_unexpected_html && is_media_extension(&payload.extension()))
            && is_html(payload)
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        let charset = payload.charset();
        let encoding = if charset.is_ascii_compatible() { charset.encoding } else { UTF_8 };
        let base = payload.base().with_encoding(charset.encoding);
        let page = Page {
            payload,
            options: &self.options.html,
            css: &self.options.css,
            js: &self.options.js,
            base,
            has_base_element: false,
            nofollow: false,
        };
        if self.options.links == Links::AAreaOnly {
            anchors(payload.ascii_compatible(), encoding, page.base, sink);
        } else {
            let is_xml = payload.media_type().contains("xhtml");
            let mut page = page;
            read(payload.ascii_compatible(), encoding, is_xml, &mut page, sink, 0);
        }
        Progress::Finished
    }
}

/// By media type, or by the first bytes whatever the type says.
pub(crate) fn is_html(payload: &Payload) -> bool {
    is_html_type(payload.media_type()) || looks_like_html(payload)
}

fn is_html_type(media_type: &str) -> bool {
    const TYPES: [&str; 5] = [
        "text/html",
        "application/xhtml",
        "text/vnd.wap.wml",
        "application/vnd.wap.wml",
        "application/vnd.wap.xhtml",
    ];
    TYPES.iter().any(|html| media_type.starts_with(html))
}

/// Heritrix's list of endings that are no HTML whatever the header says.
fn is_media_extension(extension: &str) -> bool {
    const ENDINGS: [&str; 18] = [
        "gif", "jpg", "jpeg", "png", "tif", "tiff", "bmp", "avi", "mov", "mpg", "mpeg", "mp3", "mp4", "swf",
        "wav", "au", "aiff", "mid",
    ];
    ENDINGS.contains(&extension)
}

/// `<html` or `<!doctype html` in the first 1000 characters, also of UTF-16.
pub(crate) fn looks_like_html(payload: &Payload) -> bool {
    let start = payload.start(1000);
    let mut lower: Vec<u8> = start.iter().filter(|byte| **byte != 0).map(u8::to_ascii_lowercase).collect();
    if lower.len() < start.len() {
        lower = payload.start(2000).iter().filter(|byte| **byte != 0).map(u8::to_ascii_lowercase).collect();
    }
    let has = |text: &[u8]| memchr::memmem::find(&lower, text).is_some();
    has(b"<html") || has(b"<!doctype html")
}

/// What holds for a whole page, the documents in its `srcdoc` attributes included.
struct Page<'p> {
    payload: &'p Payload<'p>,
    options: &'p HtmlOptions,
    css: &'p CssOptions,
    js: &'p JsOptions,
    base: Base,
    has_base_element: bool,
    nofollow: bool,
}

/// The fast path: `href` of `a` and `area`, as a browser sees them.
fn anchors(html: &[u8], encoding: &'static Encoding, mut base: Base, sink: &mut Sink) {
    let mut seen = HashSet::new();
    let mut scanner = Scanner::new(html).strict();
    let mut has_base_element = false;
    while let Some(token) = scanner.next() {
        let Token::Start { name } = token else { continue };
        let is_base = name.eq_ignore_ascii_case(b"base");
        let is_area = name.eq_ignore_ascii_case(b"area");
        if !(is_base || is_area || name.eq_ignore_ascii_case(b"a")) {
            continue;
        }
        let Some(raw) = scanner.attribute(b"href") else { continue };
        if is_base {
            if !std::mem::replace(&mut has_base_element, true)
                && let Ok(url) = base.resolve(&decode(raw, encoding))
            {
                base = base.rebased(&url);
                seen.clear();
            }
            continue;
        }
        let raw = trim_raw(raw);
        if (!raw.is_empty() || has_base_element) && (seen.len() >= SPELLINGS_MAX || seen.insert(raw)) {
            sink.reference(
                &base,
                &decode(raw, encoding),
                Hop::Navlink,
                if is_area { "area/@href" } else { "a/@href" },
            );
        }
    }
}

/// An attribute's value as text, entities decoded.
fn decode<'h>(raw: &'h [u8], encoding: &'static Encoding) -> Cow<'h, str> {
    let text = match std::str::from_utf8(raw) {
        Ok(text) if encoding == UTF_8 || raw.is_ascii() => Cow::Borrowed(text),
        _ => encoding.decode_without_bom_handling(raw).0,
    };
    // WHATWG: a named reference without `;` before `=` or a letter stays as it is.
    if memchr::memchr(b'&', raw).is_some() { htmlize::unescape_attribute(text) } else { text }
}

/// Blanks and fragment cut where that can be seen without decoding: spellings that are the same link.
fn trim_raw(raw: &[u8]) -> &[u8] {
    let has_entity = memchr::memchr(b'&', raw).is_some();
    let end = if has_entity { raw.len() } else { memchr::memchr(b'#', raw).unwrap_or(raw.len()) };
    let raw = &raw[..end];
    let start = raw.iter().position(|byte| *byte > b' ').unwrap_or(raw.len());
    let end = raw.iter().rposition(|byte| *byte > b' ').map_or(start, |last| last + 1);
    &raw[start..end]
}

/// Reads a document (of a page or of a `srcdoc`).
fn read(
    html: &[u8],
    encoding: &'static Encoding,
    is_xml: bool,
    page: &mut Page,
    sink: &mut Sink,
    depth: usize,
) {
    let mut scanner = Scanner::new(html).xml(is_xml);
    let mut document = Document { page, sink, encoding, seen: HashSet::new(), depth };
    while let Some(token) = scanner.next() {
        match token {
            Token::Start { name } => document.element(name, scanner.attributes()),
            Token::Raw { element, text } => document.raw(element, text),
            Token::End { .. } | Token::Text(_) => {}
        }
    }
}

struct Document<'d, 'p, 'h> {
    page: &'d mut Page<'p>,
    sink: &'d mut Sink,
    encoding: &'static Encoding,
    /// Spellings met under the present base.
    seen: HashSet<(Hop, &'h [u8])>,
    depth: usize,
}

/// Elements with rules of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    A,
    Base,
    Link,
    Meta,
    Form,
    Frame,
    Picture,
    Param,
    Applet,
    Svg,
    Other,
}

fn element_of(name: &[u8]) -> Element {
    let mut buffer = [0; 8];
    let Some(lower) = lower(name, &mut buffer) else { return Element::Other };
    match lower {
        b"a" => Element::A,
        b"base" => Element::Base,
        b"link" => Element::Link,
        b"meta" => Element::Meta,
        b"form" => Element::Form,
        b"frame" | b"iframe" => Element::Frame,
        b"img" | b"source" => Element::Picture,
        b"param" => Element::Param,
        b"applet" => Element::Applet,
        b"image" | b"use" | b"feimage" => Element::Svg,
        _ => Element::Other,
    }
}

/// The name in lower case; `None` if it is longer than the buffer and thus none that we know.
fn lower<'b>(name: &[u8], buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    let out = buffer.get_mut(..name.len())?;
    for (to, from) in out.iter_mut().zip(name) {
        *to = from.to_ascii_lowercase();
    }
    Some(out)
}

/// What an attribute holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Href,
    Src,
    Cite,
    Srcset,
    LazySrcset,
    LazySrc,
    LazyGuess,
    LazyLink,
    Poster,
    Srcdoc,
    Style,
    Script,
    Action,
    FormAction,
    Codebase,
    CodebaseRelative,
    Value,
    Flashvars,
}

fn kind_of(name: &[u8]) -> Option<Kind> {
    let mut buffer = [0; 24];
    let lower = lower(name, &mut buffer)?;
    Some(match lower {
        b"href" | b"xlink:href" => Kind::Href,
        b"src" | b"lowsrc" | b"dynsrc" | b"background" | b"longdesc" | b"usemap" | b"profile"
        | b"datasrc" => Kind::Src,
        b"cite" => Kind::Cite,
        b"srcset" | b"imagesrcset" => Kind::Srcset,
        b"data-srcset" | b"data-original-set" | b"data-lazy-srcset" | b"data-src" | b"data-src-small"
        | b"data-src-medium" => Kind::LazySrcset,
        b"data-original" | b"data-lazy" | b"data-full-src" => Kind::LazySrc,
        b"data-bg"
        | b"data-background"
        | b"data-background-image"
        | b"data-lazy-src"
        | b"data-poster"
        | b"data-image"
        | b"data-thumb" => Kind::LazyGuess,
        b"data-href" | b"data-url" | b"data-link" => Kind::LazyLink,
        b"poster" => Kind::Poster,
        b"srcdoc" => Kind::Srcdoc,
        b"style" => Kind::Style,
        b"action" => Kind::Action,
        b"formaction" => Kind::FormAction,
        b"codebase" => Kind::Codebase,
        b"classid" | b"data" | b"archive" | b"code" => Kind::CodebaseRelative,
        b"value" => Kind::Value,
        b"flashvars" => Kind::Flashvars,
        _ if lower.starts_with(b"on") && lower.len() > 2 => Kind::Script,
        _ => return None,
    })
}

impl<'h> Document<'_, '_, 'h> {
    fn element(&mut self, name: &'h [u8], attributes: &[Attribute<'h>]) {
        let element = element_of(name);
        if element == Element::Meta {
            self.meta(attributes);
            return;
        }
        for (index, attribute) in attributes.iter().enumerate() {
            if attribute.value.is_empty() && element != Element::Form {
                continue;
            }
            let Some(kind) = kind_of(attribute.name) else { continue };
            let is_repeat = attributes[..index].iter().any(|a| a.name.eq_ignore_ascii_case(attribute.name));
            if is_repeat || self.is_too_long(attribute) {
                continue;
            }
            self.attribute(name, element, attribute, kind, attributes);
        }
    }

    fn is_too_long(&mut self, attribute: &Attribute) -> bool {
        let is_too_long = attribute.value.len() > self.page.options.value_bytes_max;
        // A picture inside a page may be that long.
        if is_too_long && !attribute.value.trim_ascii_start().starts_with(b"data:") {
            self.sink.problem(Problem {
                extractor: BUILTIN.name,
                message: format!("attribute value of {} bytes is too long", attribute.value.len()),
                text: String::from_utf8_lossy(&attribute.value[..attribute.value.len().min(200)])
                    .into_owned(),
            });
        }
        is_too_long
    }

    fn attribute(
        &mut self,
        name: &'h [u8],
        element: Element,
        attribute: &Attribute<'h>,
        kind: Kind,
        attributes: &[Attribute<'h>],
    ) {
        let context = || context(name, attribute.name);
        match kind {
            Kind::Href => self.href(name, element, attribute, attributes),
            Kind::Src if element == Element::Frame && !self.page.options.treat_frames_as_embed_links => {
                self.url(attribute.value, Hop::Navlink, context);
            }
            Kind::Src | Kind::Poster => self.url(attribute.value, Hop::Embed, context),
            Kind::Cite => self.url(attribute.value, Hop::Navlink, context),
            Kind::Srcset => self.srcset(attribute.value, context),
            Kind::LazySrcset if element == Element::Picture || self.page.options.lazy_attributes => {
                self.srcset(attribute.value, context);
            }
            Kind::LazySrc => self.url(attribute.value, Hop::Embed, context),
            Kind::LazyGuess if self.page.options.lazy_attributes => {
                self.guess(attribute.value, Hop::Embed, context)
            }
            Kind::LazyLink if self.page.options.lazy_attributes => {
                self.guess(attribute.value, Hop::Speculative, context);
            }
            Kind::Srcdoc if self.depth < SRCDOC_DEPTH_MAX => {
                let inner = self.text(attribute.value).into_owned();
                read(inner.as_bytes(), UTF_8, false, self.page, self.sink, self.depth + 1);
            }
            Kind::Style => css::read(&self.text(attribute.value), &self.page.base, self.page.css, self.sink),
            Kind::Script => self.script(&self.text(attribute.value)),
            Kind::Action if element == Element::Form => {
                self.action(attribute.value, b"method", attributes, context)
            }
            Kind::FormAction => self.action(attribute.value, b"formmethod", attributes, context),
            Kind::Codebase => self.url(attribute.value, Hop::Navlink, context),
            Kind::CodebaseRelative => self.codebase_relative(element, attribute, attributes, context),
            Kind::Value if element == Element::Param && has(attributes, b"name", b"flashvars") => {
                self.flashvars(attribute.value);
            }
            Kind::Value if self.page.options.extract_value_attributes => {
                self.guess(attribute.value, Hop::Navlink, context);
            }
            Kind::Flashvars => self.flashvars(attribute.value),
            _ => {}
        }
    }

    /// A value as text. Borrows from the document, not from this value.
    fn text(&self, raw: &'h [u8]) -> Cow<'h, str> {
        decode(raw, self.encoding)
    }

    /// A link, unless the same spelling was met before.
    fn url(&mut self, raw: &'h [u8], hop: Hop, context: impl FnOnce() -> Cow<'static, str>) {
        let raw = trim_raw(raw);
        if raw.starts_with(b"data:") || (raw.is_empty() && !self.page.has_base_element) {
            return;
        }
        if self.seen.len() < SPELLINGS_MAX && !self.seen.insert((hop, raw)) {
            return;
        }
        let text = self.text(raw);
        self.decoded(&text, hop, context);
    }

    /// A link whose entities are decoded.
    fn decoded(&mut self, text: &str, hop: Hop, context: impl FnOnce() -> Cow<'static, str>) {
        if let Some(script) = script_of_url(text) {
            self.script(script);
        } else if !self.is_forbidden(hop) {
            let base = &self.page.base;
            match base.resolve(text) {
                Ok(url) => self.sink.link(url, hop, context()),
                Err(reason) => self.sink.unresolved(reason, text),
            }
        }
    }

    /// Whether the page asked that links of that kind be not followed.
    fn is_forbidden(&self, hop: Hop) -> bool {
        self.page.nofollow && matches!(hop, Hop::Navlink | Hop::Speculative)
    }

    /// A link if the value looks like one.
    fn guess(&mut self, raw: &'h [u8], hop: Hop, context: impl FnOnce() -> Cow<'static, str>) {
        let text = self.text(raw);
        if is_likely_uri(text.trim()) {
            self.decoded(&text, hop, context);
        }
    }

    fn script(&mut self, script: &str) {
        if self.page.options.extract_javascript && !self.is_forbidden(Hop::Speculative) {
            js::read(script, self.page.payload.url(), &self.page.base, self.page.js, self.sink);
        }
    }

    fn srcset(&mut self, raw: &'h [u8], context: impl Fn() -> Cow<'static, str>) {
        let text = self.text(raw);
        srcset::urls(&text, |url| self.decoded(url, Hop::Embed, &context));
    }

    fn href(
        &mut self,
        name: &'h [u8],
        element: Element,
        attribute: &Attribute<'h>,
        attributes: &[Attribute<'h>],
    ) {
        let raw = attribute.value;
        match element {
            Element::Base => self.base(raw),
            Element::Link => {
                let Some(rel) = value_of(attributes, b"rel") else { return };
                match rel::hop_of(&self.text(rel)) {
                    Some((hop @ Hop::Embed, keyword)) => {
                        self.url(raw, hop, || format!("link[rel='{keyword}']/@href").into());
                    }
                    Some((hop, _)) => self.url(raw, hop, || "link/@href".into()),
                    None => {}
                }
            }
            Element::A => {
                let nofollow = self.page.options.obey_rel_nofollow
                    && value_of(attributes, b"rel").is_some_and(|rel| {
                        rel.split(|byte| is_space(*byte)).any(|word| word.eq_ignore_ascii_case(b"nofollow"))
                    });
                if nofollow {
                    return;
                }
                let is_remote = has(attributes, b"data-remote", b"true");
                self.url(raw, Hop::Navlink, || {
                    if is_remote {
                        "a[data-remote='true']/@href".into()
                    } else {
                        context(name, attribute.name)
                    }
                });
            }
            // SVG pictures and symbols are shown, not clicked (SVG 2, 12.3 and 5.6).
            Element::Svg => self.url(raw, Hop::Embed, || context(name, attribute.name)),
            _ => self.url(raw, Hop::Navlink, || context(name, attribute.name)),
        }
    }

    /// The first `base` counts for what comes after it; each is a link too, as in Heritrix.
    fn base(&mut self, raw: &'h [u8]) {
        let text = self.text(raw);
        let Ok(url) = self.page.base.resolve(&text) else { return };
        if !self.is_forbidden(Hop::Navlink) {
            self.sink.link(url.clone(), Hop::Navlink, "base/@href");
        }
        if !std::mem::replace(&mut self.page.has_base_element, true) {
            self.page.base = self.page.base.rebased(&url);
            self.seen.clear();
        }
    }

    fn action(
        &mut self,
        raw: &'h [u8],
        method_name: &[u8],
        attributes: &[Attribute<'h>],
        context: impl FnOnce() -> Cow<'static, str>,
    ) {
        let method = value_of(attributes, method_name).unwrap_or_default();
        let is_get = method.is_empty() || method.trim_ascii().eq_ignore_ascii_case(b"get");
        let options = self.page.options;
        if !options.ignore_form_action_urls && (is_get || !options.extract_only_form_gets) && !raw.is_empty()
        {
            self.url(raw, Hop::Navlink, context);
        }
    }

    /// `classid`, `data`, `archive` and `code` are relative to the element's `codebase`.
    fn codebase_relative(
        &mut self,
        element: Element,
        attribute: &Attribute<'h>,
        attributes: &[Attribute<'h>],
        context: impl Fn() -> Cow<'static, str>,
    ) {
        let base = value_of(attributes, b"codebase")
            .and_then(|raw| self.page.base.resolve(&self.text(raw)).ok())
            .map_or_else(|| self.page.base.clone(), |url| self.page.base.rebased(&url));
        let text = self.text(attribute.value);
        let mut embed = |reference: &str| self.sink.reference(&base, reference, Hop::Embed, context());
        if attribute.name.eq_ignore_ascii_case(b"archive") {
            // HTML 4.01: separated by blanks (object, 13.3) or by commas (applet, 13.4).
            let is_separator = |c: char| c.is_ascii_whitespace() || (c == ',' && element == Element::Applet);
            text.split(is_separator).filter(|part| !part.is_empty()).for_each(embed);
        } else if attribute.name.eq_ignore_ascii_case(b"code") {
            // Only applets name classes; `code` of anything else is no address.
            if element == Element::Applet {
                let class = text.trim();
                let ending = if class.ends_with(".class") { "" } else { ".class" };
                embed(&format!("{class}{ending}"));
            }
        } else if !text.trim_start().starts_with("data:") {
            embed(&text);
        }
    }

    /// `a=/x.html&b=2`: the values that look like URLs.
    fn flashvars(&mut self, raw: &'h [u8]) {
        let text = self.text(raw);
        for pair in text.split('&') {
            let Some((_, value)) = pair.split_once('=') else { continue };
            if is_likely_uri(value) {
                self.decoded(value, Hop::Speculative, || "=SPECULATIVE_MISC".into());
            }
        }
    }

    fn meta(&mut self, attributes: &[Attribute<'h>]) {
        let Some(raw) = value_of(attributes, b"content") else { return };
        let content = self.text(raw);
        if has(attributes, b"name", b"robots") {
            self.sink.robots(PageRobots::of_meta(&content));
            self.page.nofollow |=
                self.page.options.obey_meta_robots && self.sink.extraction.robots_meta.nofollow;
        } else if has(attributes, b"http-equiv", b"refresh") {
            if let Some(target) = refresh::target(&content) {
                self.decoded(target, Hop::Redirect, || "meta".into());
            }
        } else if value_of(attributes, b"http-equiv").is_none() {
            let name = value_of(attributes, b"property").or_else(|| value_of(attributes, b"name"));
            let name =
                name.map(|name| String::from_utf8_lossy(name).to_ascii_lowercase()).unwrap_or_default();
            if !is_prose(&name) && is_likely_uri(content.trim()) {
                self.decoded(&content, Hop::Speculative, || "meta/@content".into());
            }
        }
    }

    /// Text of a script or style sheet.
    fn raw(&mut self, element: &[u8], text: &'h [u8]) {
        let text = match std::str::from_utf8(text) {
            Ok(text) if self.encoding == UTF_8 || text.is_ascii() => Cow::Borrowed(text),
            _ => self.encoding.decode_without_bom_handling(text).0,
        };
        if element.eq_ignore_ascii_case(b"script") {
            self.script(&text);
        } else {
            css::read(&text, &self.page.base, self.page.css, self.sink);
        }
    }
}

/// Meta names that hold words, however much these look like addresses (faults.md F045).
fn is_prose(name: &str) -> bool {
    const NAMES: [&str; 19] = [
        "application-name",
        "apple-mobile-web-app-title",
        "author",
        "copyright",
        "description",
        "generator",
        "keywords",
        "og:description",
        "og:site_name",
        "og:title",
        "og:type",
        "robots",
        "title",
        "twitter:creator",
        "twitter:description",
        "twitter:domain",
        "twitter:site",
        "twitter:title",
        "viewport",
    ];
    NAMES.binary_search(&name).is_ok()
}

/// The script of a `javascript:` URL.
fn script_of_url(text: &str) -> Option<&str> {
    const SCHEME: &str = "javascript:";
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let is_script = text.get(..SCHEME.len()).is_some_and(|start| start.eq_ignore_ascii_case(SCHEME));
    is_script.then(|| &text[SCHEME.len()..])
}

/// The first attribute of that name.
fn value_of<'h>(attributes: &[Attribute<'h>], name: &[u8]) -> Option<&'h [u8]> {
    attributes
        .iter()
        .find(|attribute| attribute.name.eq_ignore_ascii_case(name))
        .map(|attribute| attribute.value)
}

fn has(attributes: &[Attribute], name: &[u8], value: &[u8]) -> bool {
    value_of(attributes, name).is_some_and(|found| found.trim_ascii().eq_ignore_ascii_case(value))
}

/// `element/@attribute`. The common ones cost nothing.
fn context(element: &[u8], attribute: &[u8]) -> Cow<'static, str> {
    const COMMON: [&str; 8] = [
        "a/@href",
        "img/@src",
        "script/@src",
        "area/@href",
        "iframe/@src",
        "img/@srcset",
        "source/@srcset",
        "form/@action",
    ];
    let is_same = |common: &&&str| {
        let (name, rest) = common.split_once("/@").unwrap_or_default();
        name.as_bytes().eq_ignore_ascii_case(element) && rest.as_bytes().eq_ignore_ascii_case(attribute)
    };
    if let Some(common) = COMMON.iter().find(is_same) {
        return Cow::Borrowed(common);
    }
    // A name is as long as its author likes.
    let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(64)]).to_ascii_lowercase();
    Cow::Owned(format!("{}/@{}", text(element), text(attribute)))
}
