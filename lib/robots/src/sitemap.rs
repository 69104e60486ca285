//! Sitemaps: XML (`urlset`, `sitemapindex`), RSS, Atom and plain text, each also in gzip. Follows the protocol 0.9 of
//! sitemaps.org, leniently: a broken file gives the entries before the fault and is marked partial.
//!
//! Whether an entry may be crawled (other hosts, cross submits) is scope's business; every URL that is written is given.

use std::borrow::Cow;
use std::io::Read;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// Most entries that are read of one file (sitemaps.org: 50,000). The rest is dropped and the sitemap marked partial.
pub const ENTRIES_MAX: usize = 50_000;

/// Most bytes that are read of one file after decompression (sitemaps.org: 50 MB).
pub const BYTES_MAX: usize = 50 * 1024 * 1024;

/// Longest text of one element that is kept, in bytes; the rest is dropped.
const TEXT_BYTES_MAX: usize = 16 * 1024;

/// What a sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sitemap {
    /// The form it has.
    pub kind: Kind,
    /// Its entries in order.
    pub entries: Vec<Entry>,
    /// Something could not be read or was beyond a limit; what it was, lower case, no full stop.
    pub problem: Option<String>,
}

/// The form of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// None that is known: no entries.
    #[default]
    Unknown,
    /// `urlset`.
    UrlSet,
    /// `sitemapindex`: its entries are sitemaps.
    Index,
    /// One URL a line.
    Text,
    /// RSS 0.9 to 2.0.
    Rss,
    /// Atom.
    Atom,
}

/// An entry of a sitemap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// The URL as written, blanks cut; in feeds it may be relative.
    pub loc: String,
    /// `lastmod`, `updated` or `pubDate` as written.
    pub lastmod: Option<String>,
    /// `changefreq` as written.
    pub changefreq: Option<String>,
    /// `priority`, from 0 to 1.
    pub priority: Option<String>,
    /// Images, videos and other things that belong to the page: `image:loc`, `video:content_loc`, `xhtml:link`, ….
    pub resources: Vec<String>,
    /// True if the entry is itself a sitemap.
    pub is_index: bool,
}

/// Reads a sitemap. Never fails.
pub fn parse(bytes: &[u8]) -> Sitemap {
    let (bytes, mut problem) = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => gunzipped(bytes),
        false => (Cow::Borrowed(bytes), None),
    };
    let bytes = match bytes.len() > BYTES_MAX {
        true => {
            problem.get_or_insert_with(|| format!("sitemap longer than {BYTES_MAX} bytes"));
            &bytes[..BYTES_MAX]
        }
        false => &bytes[..],
    };
    let text = decoded(bytes);
    let mut sitemap = match text.trim_start().starts_with('<') {
        true => XmlReader::default().read(&text),
        false => plain(&text),
    };
    if sitemap.entries.len() == ENTRIES_MAX {
        problem.get_or_insert_with(|| format!("more than {ENTRIES_MAX} entries"));
    }
    sitemap.problem = problem.or(sitemap.problem);
    sitemap
}

/// Decompressed as far as it goes.
fn gunzipped(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<String>) {
    let mut plain = Vec::new();
    let mut problem = None;
    let mut decoder = flate2::read::MultiGzDecoder::new(bytes).take(BYTES_MAX as u64 + 1);
    let mut buffer = [0; 16 * 1024];
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => plain.extend_from_slice(&buffer[..length]),
            Err(error) => {
                problem = Some(format!("gzip: {error}"));
                break;
            }
        }
    }
    (plain.into(), problem)
}

/// As UTF-8 (the protocol asks for it), or UTF-16 with a byte order mark.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units)
            .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes).into(),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes).into(),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        bytes => String::from_utf8_lossy(bytes),
    }
}

/// One absolute URL a line; other lines are skipped.
fn plain(text: &str) -> Sitemap {
    let lines = text.split(['\n', '\r']).map(str::trim);
    let urls = lines.filter_map(|line| match line {
        line if is_absolute(line) => Some(line.to_owned()),
        // Against the protocol, but frequent.
        line if line.starts_with("www.") => Some(format!("http://{line}")),
        _ => None,
    });
    let entry = |url: String| Entry { loc: without_fragment(&url), ..Entry::default() };
    let entries: Vec<Entry> = urls.take(ENTRIES_MAX).map(entry).collect();
    let kind = if entries.is_empty() { Kind::Unknown } else { Kind::Text };
    Sitemap { kind, entries, problem: None }
}

fn is_absolute(text: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)))
}

fn without_fragment(text: &str) -> String {
    text.split('#').next().unwrap_or_default().to_owned()
}

/// Walks through XML of any of the forms; elements are known by their local names and prefixes.
#[derive(Default)]
struct XmlReader {
    sitemap: Sitemap,
    entry: Entry,
    /// An `url`, `sitemap`, `item` or `entry` element is open.
    is_in_entry: bool,
    /// A `loc` of the page itself is open.
    is_in_loc: bool,
    /// Text since the last tag.
    text: String,
    /// `rel` of the Atom link that gave `entry.loc`: `alternate` is better than any other.
    has_alternate: bool,
}

impl XmlReader {
    fn read(mut self, text: &str) -> Sitemap {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        loop {
            if self.sitemap.entries.len() == ENTRIES_MAX {
                break;
            }
            match reader.read_event() {
                Ok(Event::Start(tag)) => self.start(&tag),
                Ok(Event::Empty(tag)) => {
                    self.start(&tag);
                    self.end(tag.name().as_ref());
                }
                Ok(Event::End(tag)) => self.end(tag.name().as_ref()),
                Ok(Event::Text(text)) => self.push(&text),
                Ok(Event::CData(text)) => self.push(&text),
                Ok(Event::GeneralRef(reference)) => self.push(&resolved(&reference)),
                Ok(Event::Eof) => {
                    if self.is_in_entry {
                        self.sitemap.problem = Some("sitemap ends inside an entry".to_owned());
                    }
                    break;
                }
                Ok(_) => {}
                Err(error) => {
                    // The cut came inside a tag, so the text before it was complete.
                    if self.is_in_loc {
                        self.end("loc");
                    }
                    self.sitemap.problem = Some(format!("sitemap: {error}"));
                    break;
                }
            }
        }
        // An entry that the end of a broken file cut counts if its loc was complete.
        self.finish_entry();
        self.sitemap
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.name();
        let (prefix, local) = split_name(name.as_ref());
        if self.sitemap.kind == Kind::Unknown {
            self.sitemap.kind = kind_of(local);
        }
        let opens = match self.sitemap.kind {
            // A nested `<url>` inside `<loc>` is a known misuse (crawler-commons #testUrlLocUrl) and opens nothing.
            Kind::UrlSet => local == "url" && !self.is_in_entry,
            Kind::Index => local == "sitemap",
            Kind::Rss => local == "item",
            Kind::Atom => local == "entry",
            Kind::Unknown | Kind::Text => false,
        };
        if opens {
            self.finish_entry();
            self.is_in_entry = true;
        }
        self.is_in_loc = local == "loc" && !is_extension(prefix);
        self.attributes(tag, prefix, local);
        if !(local == "url" && self.is_in_entry && !opens) {
            self.text.clear();
        }
    }

    /// Links that stand in attributes: Atom's and the alternates of `xhtml:link`.
    fn attributes(&mut self, tag: &BytesStart<'_>, prefix: &str, local: &str) {
        if local != "link" || !self.is_in_entry {
            return;
        }
        let value = |name: &str| {
            let attribute = tag
                .attributes()
                .with_checks(false)
                .flatten()
                .find(|attribute| attribute.key.as_ref() == name)?;
            Some(unescaped(&attribute.value))
        };
        let Some(target) = value("href") else { return };
        match self.sitemap.kind {
            Kind::UrlSet if !prefix.is_empty() => self.entry.resources.push(target),
            Kind::Atom => {
                let is_alternate = value("rel").is_none_or(|rel| rel == "alternate");
                if self.entry.loc.is_empty() || is_alternate && !self.has_alternate {
                    self.entry.loc = target;
                    self.has_alternate = is_alternate;
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        self.is_in_loc = false;
        let (prefix, local) = split_name(name);
        let text = self.text.trim().to_owned();
        let closes = match self.sitemap.kind {
            Kind::UrlSet => local == "url",
            Kind::Index => local == "sitemap",
            Kind::Rss => local == "item",
            Kind::Atom => local == "entry",
            Kind::Unknown | Kind::Text => false,
        };
        if closes && (self.text.is_empty() || !self.entry.loc.is_empty()) {
            self.finish_entry();
        } else if closes && is_absolute(&text) {
            // `<sitemap>http://…</sitemap>` without `loc` (crawler-commons testMissingLocSitemapIndexFile); and the end
            // of a `<url>` that stands inside `<loc>`, whose text the end of `loc` needs.
            if self.sitemap.kind == Kind::Index {
                self.entry.loc = text;
                self.finish_entry();
            }
            return;
        } else if closes {
            self.finish_entry();
        } else {
            self.value(prefix, local, text);
        }
        self.text.clear();
    }

    fn value(&mut self, prefix: &str, local: &str, text: String) {
        if text.is_empty() {
            return;
        }
        let is_extension = is_extension(prefix);
        match (self.sitemap.kind, local) {
            (Kind::UrlSet, "loc" | "content_loc" | "thumbnail_loc" | "player_loc") if is_extension => {
                self.entry.resources.push(text);
            }
            (Kind::UrlSet | Kind::Index, _) if is_extension => {}
            (Kind::UrlSet | Kind::Index, "loc") => self.loc(text),
            // The channel's own link and date are no entry.
            (Kind::Rss | Kind::Atom, _) if !self.is_in_entry => {}
            (Kind::Rss, "link") if prefix.is_empty() => self.entry.loc = text,
            (Kind::Rss, "guid") if self.entry.loc.is_empty() && is_absolute(&text) => self.entry.loc = text,
            (_, "lastmod" | "updated" | "pubDate") => self.entry.lastmod = Some(text),
            (_, "published" | "date" | "lastBuildDate") => {
                self.entry.lastmod.get_or_insert(text);
            }
            (_, "changefreq") => self.entry.changefreq = Some(text),
            (_, "priority") => self.entry.priority = Some(text),
            _ => {}
        }
    }

    /// A second `loc` in one entry begins a new one: the end of the first was forgotten.
    fn loc(&mut self, text: String) {
        if !self.entry.loc.is_empty() {
            self.finish_entry();
        }
        self.entry.loc = text;
    }

    fn finish_entry(&mut self) {
        self.is_in_entry = false;
        self.has_alternate = false;
        let mut entry = std::mem::take(&mut self.entry);
        if entry.loc.is_empty() || self.sitemap.entries.len() == ENTRIES_MAX {
            return;
        }
        entry.loc = without_fragment(&entry.loc);
        entry.is_index = self.sitemap.kind == Kind::Index;
        self.sitemap.entries.push(entry);
    }

    fn push(&mut self, text: &str) {
        if self.text.len() + text.len() <= TEXT_BYTES_MAX {
            self.text.push_str(text);
        }
    }
}

fn kind_of(root: &str) -> Kind {
    match root {
        "urlset" => Kind::UrlSet,
        "sitemapindex" => Kind::Index,
        "rss" | "RDF" => Kind::Rss,
        "feed" => Kind::Atom,
        _ => Kind::Unknown,
    }
}

fn split_name(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

/// Prefixes of extensions by their usual names; any other prefix may be that of the sitemap namespace itself.
fn is_extension(prefix: &str) -> bool {
    matches!(prefix, "image" | "video" | "news" | "xhtml" | "mobile" | "media" | "content" | "atom" | "dc")
}

/// `&amp;` and the like; what is not known stays as written.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter.to_string();
    }
    let name: &str = reference;
    match quick_xml::escape::resolve_predefined_entity(name) {
        Some(text) => text.to_owned(),
        None => format!("&{name};"),
    }
}

fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: impl AsRef<[u8]>, kind: Kind, locs: &[&str], is_partial: bool) {
        let sitemap = parse(text.as_ref());
        let found: Vec<_> = sitemap.entries.iter().map(|entry| entry.loc.as_str()).collect();
        assert_eq!((sitemap.kind, &*found), (kind, locs), "{sitemap:?}");
        assert_eq!(sitemap.problem.is_some(), is_partial, "{sitemap:?}");
    }

    /// faults.md F030.
    #[test]
    fn namespaces() {
        check(
            "<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'><s:url><s:loc>http://a/1</s:loc></s:url></s:urlset>",
            Kind::UrlSet,
            &["http://a/1"],
            false,
        );
        let sitemap = parse(b"<urlset><url><loc>http://a/2</loc><image:image><image:loc>http://a/i</image:loc></image:image></url></urlset>");
        assert_eq!(
            (sitemap.entries.len(), &*sitemap.entries[0].resources),
            (1, &["http://a/i".to_owned()][..])
        );
    }

    /// faults.md F031.
    #[test]
    fn broken() {
        check(
            "<urlset><url><loc>http://a/1</loc></url><url><loc>http://exa",
            Kind::UrlSet,
            &["http://a/1"],
            true,
        );
        check(
            "<urlset><url><loc>http://a/1</loc></url><url><loc>http://b/",
            Kind::UrlSet,
            &["http://a/1"],
            true,
        );
        check(
            "<urlset><url><loc>http://a/?b=1&c=2&amp;d</loc></url>",
            Kind::UrlSet,
            &["http://a/?b=1&c=2&d"],
            false,
        );
        let entries: String =
            (0..1000).map(|n| format!("<url><loc>http://a/{n}-{}</loc></url>", n * 7919)).collect();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, format!("<urlset>{entries}</urlset>").as_bytes()).unwrap();
        let whole = encoder.finish().unwrap();
        assert_eq!(parse(&whole).entries.len(), 1000);
        let cut = parse(&whole[..whole.len() * 6 / 10]);
        assert!(cut.entries.len() > 300 && cut.problem.is_some(), "{}", cut.entries.len());
    }

    #[test]
    fn forms() {
        check("\u{feff}http://a/1\r\nx\nhttp://a/2#f\n", Kind::Text, &["http://a/1", "http://a/2"], false);
        check(
            "<feed><entry><link rel='self' href='s'/><link href='/a'/></entry></feed>",
            Kind::Atom,
            &["/a"],
            false,
        );
        check(
            "<rss><channel><link>http://a/</link><item><link>http://a/1</link><pubDate>x</pubDate></item></channel></rss>",
            Kind::Rss,
            &["http://a/1"],
            false,
        );
        check(
            "<sitemapindex><sitemap><loc>http://a/s</loc></sitemap></sitemapindex>",
            Kind::Index,
            &["http://a/s"],
            false,
        );
        check("<html><body>no</body></html>", Kind::Unknown, &[], false);
        check("", Kind::Unknown, &[], false);
    }

    #[test]
    fn limits() {
        let many = "http://a/\n".repeat(ENTRIES_MAX + 1);
        let sitemap = parse(many.as_bytes());
        assert!(sitemap.entries.len() == ENTRIES_MAX && sitemap.problem.is_some());
    }
}
