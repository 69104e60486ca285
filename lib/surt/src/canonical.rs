//! The URL as it is requested: parsed and serialised by the WHATWG URL standard, fragment cut.
//! Which spellings share a key is another question; see the canonicalisation rules.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use url::Url;

/// Longest URL that is accepted, in bytes, before and after parsing (Heritrix `UURI.MAX_URL_LENGTH`).
pub const URL_BYTES_MAX: usize = 2083;

/// Why a text is no URL that can be crawled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlError {
    /// Longer than [`URL_BYTES_MAX`] bytes.
    TooLong,
    /// The WHATWG parser refused it; the text says why.
    Unparsable(String),
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UrlError::TooLong => write!(f, "URL longer than {URL_BYTES_MAX} bytes"),
            UrlError::Unparsable(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for UrlError {}

/// A URL by the WHATWG standard, without fragment: the very text that is requested and logged. Cheap to clone.
///
/// Parts are kept as offsets, so that the accessors neither parse nor allocate.
#[derive(Clone)]
pub struct CanonicalUrl {
    text: Arc<str>,
    scheme_end: u32,
    host: (u32, u32),
    port: Option<u16>,
    path_start: u32,
    query_start: u32,
}

impl CanonicalUrl {
    /// Parses an absolute URL.
    ///
    /// # Errors
    /// [`UrlError::TooLong`] over [`URL_BYTES_MAX`] bytes, [`UrlError::Unparsable`] where WHATWG fails.
    pub fn parse(text: &str) -> Result<CanonicalUrl, UrlError> {
        if text.len() > URL_BYTES_MAX {
            return Err(UrlError::TooLong);
        }
        let url = Url::parse(text).map_err(|error| UrlError::Unparsable(error.to_string()))?;
        CanonicalUrl::from_url(url)
    }

    /// Resolves a reference against a base.
    ///
    /// # Errors
    /// As [`CanonicalUrl::parse`].
    pub fn join(base: &Url, reference: &str) -> Result<CanonicalUrl, UrlError> {
        if reference.len() > URL_BYTES_MAX {
            return Err(UrlError::TooLong);
        }
        let url = base
            .join(&without_extra_slashes(base, reference))
            .map_err(|error| UrlError::Unparsable(error.to_string()))?;
        CanonicalUrl::from_url(url)
    }

    /// Resolves a reference out of a document in a legacy charset, whose bytes its query is sent in (WHATWG URL 4.3,
    /// encoding override). `encode` gives the bytes of a text, unmappable characters as `%26%23…%3B`.
    ///
    /// # Errors
    /// As [`CanonicalUrl::parse`].
    pub fn join_in_charset(
        base: &Url,
        reference: &str,
        encode: &dyn Fn(&str) -> Vec<u8>,
    ) -> Result<CanonicalUrl, UrlError> {
        if reference.len() > URL_BYTES_MAX {
            return Err(UrlError::TooLong);
        }
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|text| Cow::Owned(encode(text));
        let options = Url::options().base_url(Some(base)).encoding_override(Some(encode));
        let url = options
            .parse(&without_extra_slashes(base, reference))
            .map_err(|error| UrlError::Unparsable(error.to_string()))?;
        CanonicalUrl::from_url(url)
    }

    /// Takes a parsed URL over, its fragment cut.
    ///
    /// # Errors
    /// [`UrlError::TooLong`] when the serialisation has over [`URL_BYTES_MAX`] bytes.
    pub fn from_url(mut url: Url) -> Result<CanonicalUrl, UrlError> {
        url.set_fragment(None);
        if url.as_str().len() > URL_BYTES_MAX {
            return Err(UrlError::TooLong);
        }
        let at = |position| url[..position].len() as u32;
        Ok(CanonicalUrl {
            scheme_end: url.scheme().len() as u32,
            host: (at(url::Position::BeforeHost), at(url::Position::AfterHost)),
            port: url.port_or_known_default(),
            path_start: at(url::Position::BeforePath),
            query_start: at(url::Position::AfterPath),
            text: url.as_str().into(),
        })
    }

    /// The whole serialised URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The scheme in lower case, without colon.
    pub fn scheme(&self) -> &str {
        &self.text[..self.scheme_end as usize]
    }

    /// The host as serialised (IPv6 in brackets); `None` for URLs without authority, such as `dns:example.org`.
    pub fn host(&self) -> Option<&str> {
        let host = &self.text[self.host.0 as usize..self.host.1 as usize];
        (!host.is_empty()).then_some(host)
    }

    /// The port, the scheme's default filled in; `None` where the scheme has none.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The path: begins with `/` for URLs with authority, opaque text otherwise.
    pub fn path(&self) -> &str {
        &self.text[self.path_start as usize..self.query_start as usize]
    }

    /// Path and query: what stands in the request line.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path_start as usize..]
    }

    /// The query without its `?`; `None` if there is no `?`.
    pub fn query(&self) -> Option<&str> {
        self.text[self.query_start as usize..].strip_prefix('?')
    }

    /// `host` or `host:port` when the port is not the scheme's default, as a `Host` header carries it.
    pub fn authority(&self) -> Option<String> {
        Some(format!("{}{}", self.host()?, self.port_text()))
    }

    /// `:port` when the port is not the scheme's default; empty otherwise.
    pub fn port_text(&self) -> &str {
        if self.host.0 == self.host.1 {
            return "";
        }
        let explicit = &self.text[self.host.1 as usize..self.path_start as usize];
        if explicit.starts_with(':') { explicit } else { "" }
    }

    /// `user` or `user:password` as the URL carries it; `None` where there is none.
    pub fn userinfo(&self) -> Option<&str> {
        self.host()?;
        let before_host = &self.text[self.scheme_end as usize..self.host.0 as usize];
        before_host.strip_prefix("://")?.strip_suffix('@')
    }

    /// Parses again into the `url` crate's type, e.g. as a base for [`CanonicalUrl::join`].
    pub fn to_url(&self) -> Url {
        Url::parse(&self.text).expect("the text is a serialised URL")
    }

    /// True for `http` and `https`.
    pub fn is_http(&self) -> bool {
        matches!(self.scheme(), "http" | "https")
    }
}

/// `///host/` as `//host/`: on a page of the web all slashes at the start lead to a host (WHATWG "special authority ignore
/// slashes state"); the `url` crate 2.5 refuses more than two.
fn without_extra_slashes<'a>(base: &Url, reference: &'a str) -> Cow<'a, str> {
    let start = reference.trim_start_matches(|letter: char| letter <= ' ');
    let rest = start.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let slashes =
        start[..start.len() - rest.len()].bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    match slashes > 2 && matches!(base.scheme(), "http" | "https" | "ftp" | "ws" | "wss") {
        true => format!("//{rest}").into(),
        false => reference.into(),
    }
}

impl PartialEq for CanonicalUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CanonicalUrl {}

impl PartialOrd for CanonicalUrl {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CanonicalUrl {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl std::hash::Hash for CanonicalUrl {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CanonicalUrl({})", self.text)
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for CanonicalUrl {
    type Err = UrlError;
    fn from_str(text: &str) -> Result<Self, UrlError> {
        CanonicalUrl::parse(text)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for CanonicalUrl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for CanonicalUrl {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        CanonicalUrl::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, text: &str, host: Option<&str>, path_and_query: &str) {
        let url = CanonicalUrl::parse(input).unwrap();
        assert_eq!((url.as_str(), url.host(), url.path_and_query()), (text, host, path_and_query));
    }

    #[test]
    fn joins_many_slashes() {
        let base = Url::parse("https://a.example/x/y").unwrap();
        let check = |reference: &str, url: &str| {
            assert_eq!(CanonicalUrl::join(&base, reference).unwrap().as_str(), url, "{reference}");
        };
        check("///b.example/", "https://b.example/");
        check(" \\/\\b.example/", "https://b.example/");
        check("//b.example//c", "https://b.example//c");
        check("/b//c", "https://a.example/b//c");
        check("", "https://a.example/x/y");
    }

    #[test]
    fn parts() {
        check("HTTP://Example.ORG:80/a?b#c", "http://example.org/a?b", Some("example.org"), "/a?b");
        check("https://[::1]:8443", "https://[::1]:8443/", Some("[::1]"), "/");
        check("dns:example.org", "dns:example.org", None, "example.org");
        let url = CanonicalUrl::parse("http://u:p@h.example:81/x").unwrap();
        assert_eq!(url.authority().as_deref(), Some("h.example:81"));
        assert_eq!((url.port(), url.query(), url.path()), (Some(81), None, "/x"));
        assert_eq!((url.userinfo(), url.port_text()), (Some("u:p"), ":81"));
    }
}
