//! The name of the queue of a URL's site. Follows Heritrix's `SurtAuthorityQueueAssignmentPolicy`.

use crate::CanonicalUrl;
use crate::form::push_reversed_host;

/// Queue name of URLs that have no host (Heritrix `DEFAULT_CLASS_KEY`).
const WITHOUT_HOST: &str = "default...";

/// The text between `://(` and `)` of the SURT, with `#` for `:`: `org,archive,www,` or `org,archive,www,#8080`. A
/// number stays as it is: `127.0.0.1#8080`. http and https of one host share a queue.
///
/// `dns:` URLs take the queue of the host they ask for; a prerequisite belongs to the queue of its via, which the
/// caller passes. Unlike Heritrix, user and password make no queue of their own: that would be two requests at once.
pub fn queue_authority(url: &CanonicalUrl) -> String {
    let (host, port) = match (url.host(), url.scheme()) {
        (Some(host), _) => (host, url.port_text()),
        (None, "dns") => (url.path().split('?').next().unwrap_or_default(), ""),
        (None, "whois") => return "whois...".to_owned(),
        (None, _) => return WITHOUT_HOST.to_owned(),
    };
    let mut authority = String::with_capacity(host.len() + 1 + port.len());
    push_reversed_host(host, &mut authority);
    if let Some(digits) = port.strip_prefix(':') {
        authority.push('#');
        authority.push_str(digits);
    }
    authority
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check =
            |url: &str, name: &str| assert_eq!(queue_authority(&CanonicalUrl::parse(url).unwrap()), name);
        check("http://www.archive.org/x", "org,archive,www,");
        check("https://www.archive.org/x", "org,archive,www,");
        check("http://www.archive.org:8080/x", "org,archive,www,#8080");
        check("http://u:p@www.archive.org/x", "org,archive,www,");
        check("http://127.0.0.50:8050/", "127.0.0.50#8050");
        check("http://[::1]:8050/", "[::1]#8050");
        check("dns:keaton", "keaton,");
        check("whois:example.org", "whois...");
        check("mailto:a@b", "default...");
    }
}
