//! SURT prefixes: which part of the web a seed or a line of a scope file stands for. Follows Heritrix
//! (`SurtPrefixSet`, `TextSeedModule`); the table of what it really does is `peers/heritrix/cases/seed-surts.tsv`.

use crate::form::{is_address, push_reversed_host};
use crate::{CanonicalUrl, Surt, UrlError, registrable_domain};

/// The prefix a seed adds to the scope: its SURT (https as http) up to and with the last `/`.
///
/// A canonical seed always has a path, so `http://example.org` stands for that host alone.
pub fn surt_prefix_of_seed(url: &CanonicalUrl) -> String {
    let mut surt = Surt::for_scope(url).into_string();
    cut_after_last_slash(&mut surt);
    surt
}

/// The prefix that a directive (`+…` without its sign) or a line of a SURT file stands for.
///
/// A text with `(` is a literal prefix and only lower-cased (`http://` in front if it begins with it). Anything else is a URL or host
/// name: without path it widens to all subdomains (`http://(org,example,`), with one it is cut after the last `/`.
///
/// # Errors
/// As [`CanonicalUrl::parse`], for texts that are neither prefix nor URL.
pub fn surt_prefix_of_text(text: &str) -> Result<String, UrlError> {
    let text = text.trim();
    if text.char_indices().any(|(index, letter)| letter == '(' && index > 0) {
        return Ok(text.to_lowercase());
    }
    // Written without scheme in real lists, where Heritrix takes it for a URL and loses it.
    if text.starts_with('(') {
        return Ok(format!("http://{}", text.to_lowercase()));
    }
    let with_scheme = with_scheme(text);
    let url = CanonicalUrl::parse(&with_scheme)?;
    let mut surt = Surt::for_scope(&url).into_string();
    let has_path =
        with_scheme.split_once("://").is_some_and(|(_, rest)| rest.contains(['/', '?', '#', '\\']));
    if has_path || url.host().is_none() {
        cut_after_last_slash(&mut surt);
        return Ok(surt);
    }
    surt.truncate(surt.find(')').map_or(surt.len(), |at| at + 1));
    // Heritrix opens addresses too (`http://(127.0.0.1` would cover 127.0.0.10); an address has no subdomains.
    if !url.host().is_some_and(is_address) {
        surt.pop();
    }
    Ok(surt)
}

/// The prefix of all URLs on a URL's host and port, by any web scheme: `http://(org,example,www,)`.
pub fn surt_prefix_of_host(url: &CanonicalUrl) -> String {
    let mut surt = Surt::for_scope(url).into_string();
    surt.truncate(surt.find(')').map_or(surt.len(), |at| at + 1));
    surt
}

/// The prefix of all URLs under a URL's registrable domain, on any port: `http://(org,example,`. The host's own prefix
/// where there is no registrable domain (addresses, single labels, public suffixes).
pub fn surt_prefix_of_domain(url: &CanonicalUrl) -> String {
    let Some(domain) = url.host().and_then(registrable_domain) else {
        return surt_prefix_of_host(url);
    };
    let scheme = if url.is_http() { "http" } else { url.scheme() };
    let mut surt = format!("{scheme}://(");
    push_reversed_host(domain, &mut surt);
    surt
}

/// `http://` in front where a text names no scheme, as in seed lists. `host:8080/` has none; `dns:host` has one.
pub fn with_scheme(text: &str) -> std::borrow::Cow<'_, str> {
    match has_scheme(text) {
        true => text.into(),
        false => format!("http://{text}").into(),
    }
}

fn has_scheme(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    // `localhost:8080` and `example.org:80/x` are hosts with ports, not schemes.
    let is_port = rest.starts_with(|first: char| first.is_ascii_digit())
        && rest
            .trim_start_matches(|letter: char| letter.is_ascii_digit())
            .chars()
            .next()
            .is_none_or(|next| matches!(next, '/' | '?' | '#'));
    is_scheme && !is_port
}

/// Cuts what follows the last `/`, if there are three or more (so never into the authority).
fn cut_after_last_slash(surt: &mut String) {
    let slashes = surt.bytes().filter(|byte| *byte == b'/').count();
    if slashes >= 3 {
        let end = surt.rfind('/').expect("three were counted") + 1;
        surt.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds() {
        let check = |url: &str, prefix: &str| {
            assert_eq!(surt_prefix_of_seed(&CanonicalUrl::parse(url).unwrap()), prefix);
        };
        check("http://keaton", "http://(keaton,)/");
        check("https://yone.two.three/a/b/c", "http://(three,two,yone,)/a/b/");
        check("http://127.0.0.50:8050/sp/dir/start", "http://(127.0.0.50:8050)/sp/dir/");
        check("dns:keaton", "dns:keaton");
    }

    #[test]
    fn directives() {
        let check = |text: &str, prefix: &str| assert_eq!(surt_prefix_of_text(text).unwrap(), prefix);
        check("http://alpha.example", "http://(example,alpha,");
        check("beta.example", "http://(example,beta,");
        check("beta.example:81", "http://(example,beta,:81");
        check("http://gamma.example/", "http://(example,gamma,)/");
        check("http://(org,Delta,", "http://(org,delta,");
        check("(uk,bl,wiki,", "http://(uk,bl,wiki,");
        check("https://eta.example/dir/page", "http://(example,eta,)/dir/");
        check("127.0.0.1", "http://(127.0.0.1)");
        assert!(surt_prefix_of_text("http://").is_err());
    }

    #[test]
    fn hosts_and_domains() {
        let check = |url: &str, host: &str, domain: &str| {
            let url = CanonicalUrl::parse(url).unwrap();
            assert_eq!((&*surt_prefix_of_host(&url), &*surt_prefix_of_domain(&url)), (host, domain));
        };
        check("https://www.a.example.co.uk/x", "http://(uk,co,example,a,www,)", "http://(uk,co,example,");
        check("http://127.0.0.1:81/x", "http://(127.0.0.1:81)", "http://(127.0.0.1:81)");
        check("http://localhost/x", "http://(localhost,)", "http://(localhost,)");
    }
}
