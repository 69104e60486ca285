//! Registrable domains by the public suffix list.

/// The registrable domain (public suffix and one label) of a host name, e.g. `example.co.uk` of `www.example.co.uk`.
/// `None` for addresses, for public suffixes themselves and for names without a dot.
pub fn registrable_domain(host: &str) -> Option<&str> {
    let is_address = host.starts_with('[') || host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_address {
        return None;
    }
    psl::domain_str(host)
}
