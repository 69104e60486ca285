//! Registrable domains by the public suffix list (its copy in the `psl` crate, private section included).

use crate::form::is_address;

/// The registrable domain (public suffix and one label) of a host name, e.g. `example.co.uk` of `www.example.co.uk`.
/// `None` for addresses, for public suffixes themselves, for names without a dot and for empty labels.
///
/// The name must be in lower case and Punycode, as [`crate::CanonicalUrl::host`] gives it. A slice of it comes back.
pub fn registrable_domain(host: &str) -> Option<&str> {
    if is_address(host) || host.starts_with('.') || host.contains("..") {
        return None;
    }
    psl::domain_str(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains() {
        let check = |host: &str, domain: Option<&str>| assert_eq!(registrable_domain(host), domain, "{host}");
        check("www.example.co.uk", Some("example.co.uk"));
        check("example.org", Some("example.org"));
        check("that.github.io", Some("that.github.io"));
        check("co.uk", None);
        check("localhost", None);
        check("127.0.0.1", None);
        check("[::1]", None);
        check("", None);
    }
}
