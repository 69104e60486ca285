//! The cookie jar (RFC 6265bis), bounded, and a plain function of the Set-Cookie headers met.
//!
//! The `SameSite` attribute is read over: a crawler's requests are all of the kind that a person starts.

use std::collections::BTreeMap;

use http1::date;
use model::{CookieChange, WallMs};
use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

/// Name and value together, bytes (RFC 6265bis, 5.6). Longer cookies are ignored.
const COOKIE_BYTES_MAX: usize = 4096;
/// An attribute's value, bytes. Longer attributes are ignored.
const ATTRIBUTE_BYTES_MAX: usize = 1024;
/// Cookies of one domain (RFC 6265, 6.1). Beyond it expired ones go, then the oldest.
const PER_DOMAIN_MAX: usize = 50;
/// Cookies of all hosts below one registrable domain; the same happens.
const PER_SITE_MAX: usize = 500;
/// Sites in the jar. Beyond it the site that set a cookie the longest time ago goes.
const SITES_MAX: usize = 100_000;
/// Longest life of a cookie (RFC 6265bis, 5.5): 400 days.
const AGE_MS_MAX: u64 = 400 * 86_400_000;

/// A cookie as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cookie {
    /// May be empty.
    pub name: String,
    /// May be empty.
    pub value: String,
    /// Host or domain, lower case, without leading dot.
    pub domain: String,
    /// Sent to that very host only.
    pub host_only: bool,
    /// Begins with a slash.
    pub path: String,
    /// Sent over https only.
    pub secure: bool,
    /// When it was first set.
    pub created: WallMs,
    /// When it ends; `None` at the end of the crawl.
    pub expires: Option<WallMs>,
}

/// Cookies by registrable domain.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CookieJar {
    sites: BTreeMap<String, Vec<Cookie>>,
}

impl CookieJar {
    /// Number of cookies, expired ones included.
    pub fn len(&self) -> usize {
        self.sites.values().map(Vec::len).sum()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// All cookies, site by site.
    pub fn iter(&self) -> impl Iterator<Item = &Cookie> {
        self.sites.values().flatten()
    }

    /// Takes a Set-Cookie header in. What is no cookie, or may not be set by that URL, changes nothing. Taking the same
    /// change twice is taking it once.
    pub fn apply(&mut self, change: &CookieChange) {
        let Some(cookie) = cookie_of(change) else { return };
        let site_key = site(&cookie.domain).to_owned();
        let site = self.sites.entry(site_key.clone()).or_default();
        let is_secure_origin = change.url.scheme() == "https";
        // RFC 6265bis, 5.7 step 16: an insecure origin may not overlay a secure cookie.
        let overlays = |old: &Cookie| {
            old.secure
                && old.name == cookie.name
                && (domain_matches(&old.domain, &cookie.domain)
                    || domain_matches(&cookie.domain, &old.domain))
                && path_matches(&cookie.path, &old.path)
        };
        if !is_secure_origin && !cookie.secure && site.iter().any(overlays) {
            return;
        }
        let same = site.iter().position(|old| {
            old.name == cookie.name
                && old.domain == cookie.domain
                && old.host_only == cookie.host_only
                && old.path == cookie.path
        });
        let is_expired = cookie.expires.is_some_and(|expires| expires <= change.at);
        match same {
            Some(index) if is_expired => {
                site.remove(index);
            }
            Some(index) => site[index] = Cookie { created: site[index].created, ..cookie },
            None if is_expired => {}
            None => {
                let domain = cookie.domain.clone();
                site.push(cookie);
                evict(site, PER_DOMAIN_MAX, change.at, |old| old.domain == domain);
                evict(site, PER_SITE_MAX, change.at, |_| true);
            }
        }
        if site.is_empty() {
            self.sites.remove(&site_key);
        } else if self.sites.len() > SITES_MAX {
            self.evict_site();
        }
    }

    /// The value of the Cookie header for a request; `None` if there is no cookie for it.
    pub fn header(&self, url: &CanonicalUrl, now: WallMs) -> Option<String> {
        let host = url.host()?;
        let is_secure = url.scheme() == "https";
        let mut cookies: Vec<&Cookie> = self
            .sites
            .get(site(host))?
            .iter()
            .filter(|cookie| {
                (if cookie.host_only { cookie.domain == host } else { domain_matches(host, &cookie.domain) })
                    && path_matches(url.path(), &cookie.path)
                    && (is_secure || !cookie.secure)
                    && cookie.expires.is_none_or(|expires| expires > now)
            })
            .collect();
        if cookies.is_empty() {
            return None;
        }
        // RFC 6265bis, 5.8.3: longer paths first, then the earlier ones; the sort is stable.
        cookies.sort_by_key(|cookie| (std::cmp::Reverse(cookie.path.len()), cookie.created));
        let texts: Vec<String> = cookies
            .iter()
            .map(|cookie| match cookie.name.as_str() {
                "" => cookie.value.clone(),
                name => format!("{name}={}", cookie.value),
            })
            .collect();
        Some(texts.join("; "))
    }

    fn evict_site(&mut self) {
        let newest = |cookies: &Vec<Cookie>| cookies.iter().map(|cookie| cookie.created).max();
        let oldest =
            self.sites.iter().min_by_key(|(_, cookies)| newest(cookies)).map(|(name, _)| name.clone());
        if let Some(name) = oldest {
            self.sites.remove(&name);
        }
    }
}

/// Cookies of hosts with the same registrable domain lie together; a host without one is a site of its own.
fn site(host: &str) -> &str {
    surt::registrable_domain(host).unwrap_or(host)
}

/// Removes cookies of a kind until at most `count_max` are left: expired ones, then the oldest.
fn evict(cookies: &mut Vec<Cookie>, count_max: usize, now: WallMs, is_of_kind: impl Fn(&Cookie) -> bool) {
    let count = |cookies: &[Cookie]| cookies.iter().filter(|cookie| is_of_kind(cookie)).count();
    if count(cookies) <= count_max {
        return;
    }
    cookies.retain(|cookie| cookie.expires.is_none_or(|expires| expires > now));
    while count(cookies) > count_max {
        let oldest = cookies
            .iter()
            .enumerate()
            .filter(|(_, cookie)| is_of_kind(cookie))
            .min_by_key(|(_, cookie)| cookie.created)
            .map(|(index, _)| index)
            .expect("there are more than the limit");
        cookies.remove(oldest);
    }
}

/// Reads a Set-Cookie header (RFC 6265bis, 5.6 and 5.7).
fn cookie_of(change: &CookieChange) -> Option<Cookie> {
    let host = change.url.host()?;
    let text: String = match std::str::from_utf8(&change.set_cookie) {
        Ok(text) => text.to_owned(),
        Err(_) => change.set_cookie.iter().map(|byte| *byte as char).collect(),
    };
    if text.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
        return None;
    }
    let blank = [' ', '\t'];
    let mut parts = text.split(';');
    let pair = parts.next()?;
    let (name, value) = pair.split_once('=').unwrap_or(("", pair));
    let (name, value) = (name.trim_matches(blank), value.trim_matches(blank));
    if (name.is_empty() && value.is_empty()) || name.len() + value.len() > COOKIE_BYTES_MAX {
        return None;
    }
    let mut cookie = Cookie {
        name: name.to_owned(),
        value: value.to_owned(),
        domain: host.to_owned(),
        host_only: true,
        path: default_path(change.url.path()).to_owned(),
        secure: false,
        created: change.at,
        expires: None,
    };
    let (mut domain, mut max_age, mut has_path) = (String::new(), None, false);
    for attribute in parts {
        let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
        let value = value.trim_matches(blank);
        if value.len() > ATTRIBUTE_BYTES_MAX {
            continue;
        }
        match key.trim_matches(blank).to_ascii_lowercase().as_str() {
            "expires" => {
                cookie.expires = date::parse(value).map(|seconds| WallMs(seconds * 1000)).or(cookie.expires);
            }
            "max-age" => max_age = seconds(value).or(max_age),
            "domain" => domain = value.strip_prefix('.').unwrap_or(value).to_ascii_lowercase(),
            "path" => {
                has_path = value.starts_with('/');
                cookie.path = if has_path { value } else { default_path(change.url.path()) }.to_owned();
            }
            "secure" => cookie.secure = true,
            _ => {}
        }
    }
    if let Some(age_s) = max_age {
        cookie.expires = Some(change.at + age_s.saturating_mul(1000));
    }
    cookie.expires = cookie.expires.map(|expires| expires.min(change.at + AGE_MS_MAX));
    if !domain.is_empty() {
        let is_public_suffix = surt::registrable_domain(&domain).is_none();
        if !domain_matches(host, &domain) {
            return None;
        }
        if is_public_suffix {
            // RFC 6265bis, 5.7 step 9: only the suffix itself may set it, and for itself.
            if domain != host {
                return None;
            }
        } else {
            (cookie.domain, cookie.host_only) = (domain, false);
        }
    }
    let is_secure_origin = change.url.scheme() == "https";
    if cookie.secure && !is_secure_origin {
        return None;
    }
    let prefix = |prefix: &str| {
        cookie.name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    let breaks_prefix = (prefix("__Secure-") && !cookie.secure)
        || (prefix("__Host-") && !(cookie.secure && cookie.host_only && has_path && cookie.path == "/"));
    (!breaks_prefix).then_some(cookie)
}

/// Max-Age in seconds; negative is 0. `None` for anything that is no whole number.
fn seconds(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(if digits.len() < text.len() { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

/// The folder of a path (RFC 6265bis, 5.1.4).
fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(end) => &path[..end],
    }
}

/// Whether `host` is the domain or below it (RFC 6265bis, 5.1.3).
fn domain_matches(host: &str, domain: &str) -> bool {
    let is_address = host.starts_with('[') || host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    host == domain || (!is_address && host.strip_suffix(domain).is_some_and(|front| front.ends_with('.')))
}

fn path_matches(path: &str, cookie_path: &str) -> bool {
    path.strip_prefix(cookie_path)
        .is_some_and(|rest| rest.is_empty() || cookie_path.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: WallMs = WallMs(1_767_607_207_000);

    fn set(jar: &mut CookieJar, url: &str, header: &str, at: WallMs) {
        let url = CanonicalUrl::parse(url).unwrap();
        jar.apply(&CookieChange { url, set_cookie: header.as_bytes().to_vec(), at });
    }

    /// What is sent to `to` after `from` set these cookies.
    fn check(from: &str, headers: &[&str], to: &str, expected: Option<&str>) {
        let mut jar = CookieJar::default();
        for (index, header) in headers.iter().enumerate() {
            set(&mut jar, from, header, NOW + index as u64);
        }
        let sent = jar.header(&CanonicalUrl::parse(to).unwrap(), NOW + 1000);
        assert_eq!(sent.as_deref(), expected, "{headers:?} {to}");
    }

    const SITE: &str = "http://www.example.org/a/b";

    #[test]
    fn hosts_and_domains() {
        check(SITE, &["k=v; Path=/"], "http://www.example.org/", Some("k=v"));
        check(SITE, &["k=v; Path=/"], "http://example.org/", None);
        check(SITE, &["k=v; Path=/"], "http://x.www.example.org/", None);
        check(SITE, &["k=v; Path=/; Domain=.Example.ORG"], "http://x.example.org/", Some("k=v"));
        check(SITE, &["k=v; Path=/; Domain=ample.org"], SITE, None);
        check(SITE, &["k=v; Domain=other.org"], SITE, None);
        check(SITE, &["k=v; Domain=org"], SITE, None);
        check("http://a.co.uk/", &["k=v; Domain=.co.uk"], "http://a.co.uk/", None);
        check("http://127.0.0.1/", &["k=v"], "http://127.0.0.1/", Some("k=v"));
        check("http://127.0.0.1/", &["k=v; Domain=0.0.1"], "http://127.0.0.1/", None);
        check("http://127.0.0.1:81/", &["k=v"], "http://127.0.0.1:82/", Some("k=v"));
        check("http://localhost/", &["k=v; Domain=localhost"], "http://localhost/", Some("k=v"));
    }

    #[test]
    fn paths() {
        check(SITE, &["k=v"], "http://www.example.org/a/c", Some("k=v"));
        check(SITE, &["k=v"], "http://www.example.org/ab", None);
        check(SITE, &["k=v"], "http://www.example.org/a", Some("k=v"));
        check(SITE, &["k=v; Path=/x/"], "http://www.example.org/x/y", Some("k=v"));
        check(SITE, &["k=v; Path=x"], "http://www.example.org/a/", Some("k=v"));
        check(SITE, &["a=1; Path=/", "b=2; Path=/a", "c=3; Path=/a"], SITE, Some("b=2; c=3; a=1"));
    }

    #[test]
    fn lifetimes() {
        check(SITE, &["k=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], SITE, None);
        check(SITE, &["k=v", "k=w; Max-Age=0"], SITE, None);
        check(SITE, &["k=v", "k=w; Max-Age=-1"], SITE, None);
        check(SITE, &["k=v; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], SITE, Some("k=v"));
        check(SITE, &["k=v; Expires=Wdy, 01-Jan-99 00:00:00 GMT"], SITE, None);
        check(SITE, &["k=v; Expires=soon"], SITE, Some("k=v"));
        check(SITE, &["k=v", "k=w"], SITE, Some("k=w"));
        let mut jar = CookieJar::default();
        set(&mut jar, SITE, "k=v; Max-Age=10", NOW);
        assert_eq!(jar.header(&CanonicalUrl::parse(SITE).unwrap(), NOW + 10_000), None);
        set(&mut jar, SITE, "k=v; Max-Age=99999999999", NOW);
        assert_eq!(jar.iter().next().unwrap().expires, Some(NOW + AGE_MS_MAX));
    }

    #[test]
    fn secure() {
        let https = "https://www.example.org/a/b";
        check(https, &["k=v; Secure"], https, Some("k=v"));
        check(https, &["k=v; Secure"], SITE, None);
        check(SITE, &["k=v; Secure"], https, None);
        check(https, &["__Host-k=v; Secure; Path=/"], https, Some("__Host-k=v"));
        check(https, &["__Host-k=v; Secure; Path=/; Domain=example.org"], https, None);
        check(https, &["__Secure-k=v"], https, None);
        let mut jar = CookieJar::default();
        set(&mut jar, https, "k=v; Secure; Path=/", NOW);
        set(&mut jar, SITE, "k=w; Path=/", NOW);
        assert_eq!(jar.header(&CanonicalUrl::parse(https).unwrap(), NOW).as_deref(), Some("k=v"));
    }

    #[test]
    fn odd_headers() {
        check(SITE, &["lonely"], SITE, Some("lonely"));
        check(SITE, &["=v"], SITE, Some("v"));
        check(SITE, &[" k = v w ;;; ;=;"], SITE, Some("k=v w"));
        check(SITE, &["k=a=b"], SITE, Some("k=a=b"));
        check(SITE, &["", ";", "=", "k=\x01"], SITE, None);
        check(SITE, &[&format!("k={}", "v".repeat(9000))], SITE, None);
    }

    #[test]
    fn bounded() {
        let mut jar = CookieJar::default();
        for index in 0..5000 {
            set(&mut jar, SITE, &format!("k{index}=v"), NOW + index);
        }
        assert_eq!(jar.len(), PER_DOMAIN_MAX);
        assert!(jar.iter().any(|cookie| cookie.name == "k4999"));
        for index in 0..5000 {
            set(&mut jar, &format!("http://h{index}.example.org/"), "k=v", NOW + index);
        }
        assert_eq!(jar.len(), PER_SITE_MAX);
        let text = serde_json::to_string(&jar).unwrap();
        assert_eq!(serde_json::from_str::<CookieJar>(&text).unwrap(), jar);
    }

    proptest::proptest! {
        #[test]
        fn no_header_panics(header: Vec<u8>) {
            let url = CanonicalUrl::parse(SITE).unwrap();
            let mut jar = CookieJar::default();
            let change = CookieChange { url: url.clone(), set_cookie: header, at: NOW };
            jar.apply(&change);
            let once = jar.clone();
            jar.apply(&change);
            proptest::prop_assert_eq!(once, jar);
        }
    }
}
