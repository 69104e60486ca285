//! SURT form: a URL with its host turned round, so that sorting brings a domain's URLs together and a prefix of the
//! text is a part of the web. Follows Heritrix and webarchive-commons `SURT`.
//!
//! `scheme://(` + labels in reverse, each followed by `,` + `:port` + `@userinfo` + `)` + path and query. Addresses are
//! not turned round. A URL without authority (`dns:`, `whois:x`) stays as it is.

use std::fmt;

use crate::CanonicalUrl;

/// A URL in SURT form. Compared byte by byte.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Surt(String);

impl Surt {
    /// The form that scope and sheets compare: lower case, `https` written as `http`.
    pub fn for_scope(url: &CanonicalUrl) -> Surt {
        let mut text = String::with_capacity(url.as_str().len() + 8);
        write_scope_form(url, &mut text);
        Surt(text)
    }

    /// The form that keeps upper case in path and query (Heritrix's key of a URL's history).
    pub fn case_preserving(url: &CanonicalUrl) -> Surt {
        let mut text = String::with_capacity(url.as_str().len() + 8);
        push_form(url, url.scheme(), &mut text);
        Surt(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, taken over.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<&CanonicalUrl> for Surt {
    /// The form in lower case, `https` kept.
    fn from(url: &CanonicalUrl) -> Surt {
        let mut surt = Surt::case_preserving(url);
        surt.0.make_ascii_lowercase();
        surt
    }
}

impl fmt::Display for Surt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Surt {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Appends what [`Surt::for_scope`] gives.
fn write_scope_form(url: &CanonicalUrl, text: &mut String) {
    let scheme = match url.scheme() {
        "https" => "http",
        scheme => scheme,
    };
    let start = text.len();
    push_form(url, scheme, text);
    text[start..].make_ascii_lowercase();
}

fn push_form(url: &CanonicalUrl, scheme: &str, text: &mut String) {
    let Some(host) = url.host() else {
        return text.push_str(url.as_str());
    };
    text.push_str(scheme);
    text.push_str("://(");
    push_reversed_host(host, text);
    text.push_str(url.port_text());
    if let Some(userinfo) = url.userinfo() {
        text.push('@');
        text.push_str(userinfo);
    }
    text.push(')');
    text.push_str(url.path_and_query());
}

/// Appends `org,example,www,` for `www.example.org`; an address stays as it is, without a comma.
pub(crate) fn push_reversed_host(host: &str, text: &mut String) {
    if is_address(host) {
        return text.push_str(host);
    }
    for label in host.rsplit('.') {
        text.push_str(label);
        text.push(',');
    }
}

/// True for dotted quads and bracketed IPv6 addresses, as WHATWG hosts write them.
pub(crate) fn is_address(host: &str) -> bool {
    // WHATWG: a host whose last label is numeric is an IPv4 address or the URL is refused.
    host.starts_with('[') || host.as_bytes().last().is_some_and(u8::is_ascii_digit) && is_dotted_quad(host)
}

fn is_dotted_quad(host: &str) -> bool {
    host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, surt: &str) {
        assert_eq!(Surt::from(&CanonicalUrl::parse(url).unwrap()).as_str(), surt);
    }

    #[test]
    fn forms() {
        check("http://www.archive.org/Movies/x.php", "http://(org,archive,www,)/movies/x.php");
        check("https://www.archive.org:8080/", "https://(org,archive,www,:8080)/");
        check("http://brad@www.archive.org/cgi?F", "http://(org,archive,www,@brad)/cgi?f");
        check("http://u:p@a.example:1/", "http://(example,a,:1@u:p)/");
        check("http://127.2.34.5/foo", "http://(127.2.34.5)/foo");
        check("http://[::1]:81/foo", "http://([::1]:81)/foo");
        check("http://1.2.3.example/", "http://(example,3,2,1,)/");
        check("dns:example.org", "dns:example.org");
        check("http://keaton/", "http://(keaton,)/");
    }

    #[test]
    fn scope_form_folds_https_and_case() {
        let url = CanonicalUrl::parse("https://A.example/B").unwrap();
        assert_eq!(Surt::for_scope(&url).as_str(), "http://(example,a,)/b");
        assert_eq!(Surt::case_preserving(&url).as_str(), "https://(example,a,)/B");
    }
}
