//! What a host serves under one path, and the links in it.

use crate::answer::Framing;

/// Names a resource: numbers of its host and of its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PageId {
    pub host: u32,
    pub resource: u32,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// To something a host serves.
    Page(PageId),
    /// To any other URL, as text.
    Other(Box<str>),
}

/// How a link is written. What hop it makes follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LinkKind {
    Anchor,
    Area,
    Image,
    Stylesheet,
    Script,
    CssUrl,
    Location,
    Refresh,
    SitemapEntry,
}

impl LinkKind {
    /// Heritrix's letter.
    pub fn hop(self) -> model::Hop {
        match self {
            LinkKind::Anchor | LinkKind::Area => model::Hop::Navlink,
            LinkKind::Image | LinkKind::Stylesheet | LinkKind::Script | LinkKind::CssUrl => model::Hop::Embed,
            LinkKind::Location | LinkKind::Refresh => model::Hop::Redirect,
            LinkKind::SitemapEntry => model::Hop::Manifest,
        }
    }
}

/// How the address in a link is spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Spelling {
    Absolute,
    SchemeRelative,
    RootRelative,
    Relative,
    /// Root-relative with `#…` behind.
    Fragment,
    /// Absolute with the host in upper case.
    UpperHost,
    /// Root-relative with `/./` and `/x/..` in it.
    Dotted,
    /// Root-relative between blanks and line ends.
    Blanks,
}

/// Spellings that any link may have.
pub(crate) const SPELLINGS: [Spelling; 8] = [
    Spelling::Absolute,
    Spelling::SchemeRelative,
    Spelling::RootRelative,
    Spelling::Relative,
    Spelling::Fragment,
    Spelling::UpperHost,
    Spelling::Dotted,
    Spelling::Blanks,
];

/// A link in a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub to: Target,
    pub kind: LinkKind,
    pub spelling: Spelling,
}

/// What a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// HTML with links.
    Page,
    /// HTML whose `meta robots` forbids to follow its links.
    NoFollow,
    /// A stylesheet.
    Style,
    /// A script without anything that looks like a URL.
    Script,
    /// A picture.
    Image,
    /// Plain text.
    Text,
    /// The same bytes as all of its group, on whatever host.
    Duplicate(u32),
    /// Many bytes.
    Large,
    /// 301, 302, 303, 307 or 308.
    Redirect(u16),
    /// 404.
    Missing,
    /// A status that is neither usual nor a redirect.
    Odd(u16),
    /// 429 or 503 with Retry-After, for ever.
    Busy(u16),
    /// 503 with Retry-After once, then a text.
    BusyOnce,
    /// Never answers.
    Hangs,
    /// Sets a cookie and leads on to the page that reads it.
    CookieSet,
    /// Says whether the cookie came.
    CookieRead,
    /// A sitemap.
    Sitemap,
    /// A sitemap of sitemaps.
    SitemapIndex,
}

impl Kind {
    /// True for HTML.
    pub fn is_html(self) -> bool {
        matches!(self, Kind::Page | Kind::NoFollow)
    }
}

/// What a host serves under one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resource {
    /// Path and query.
    pub path: String,
    pub kind: Kind,
    /// In the order they are written.
    pub links: Vec<Link>,
    pub framing: Framing,
    /// The body is sent with `Content-Encoding: gzip`.
    pub gzip: bool,
    /// HTML has `<base href>` one folder deeper.
    pub has_base: bool,
}
