//! Which headers of the archived response a browser gets.

use http1::ResponseHead;

use crate::html::rewrite_refresh;
use crate::{Links, Modifier};

/// `Content-Security-Policy` of everything that is replayed: whatever a page's scripts load comes from the archive or not at
/// all. `frame-ancestors` keeps other sites from showing the archive as theirs.
pub const POLICY: &str = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' data: blob:; \
     form-action 'self'; base-uri 'self'; object-src 'self'; frame-ancestors 'self'";

/// Headers that say what the payload is. Others tell a browser how to treat the live site (cookies, HSTS, policies,
/// reporting, caching) and are left out.
const KEPT: [&str; 4] = ["content-type", "content-language", "content-disposition", "content-script-type"];

/// Headers to send for an archived head, names in lower case, values as stored (bytes, F061). `Content-Encoding` is left to
/// the caller, who knows whether it was undone.
pub fn shown_headers(head: &ResponseHead, links: &Links) -> Vec<(String, Vec<u8>)> {
    let mut shown = Vec::new();
    for header in &head.headers {
        let name = String::from_utf8_lossy(&header.name).to_ascii_lowercase();
        let text = || String::from_utf8_lossy(&header.value).into_owned();
        match name.as_str() {
            "location" if (300..400).contains(&head.status) => {
                // A location that is no URL stays: it leads nowhere, as it did then.
                let link = links.rewrite(&text(), Modifier::Page);
                shown.extend(link.map(|link| (name, link.into_bytes())));
            }
            "refresh" => {
                shown.extend(rewrite_refresh(&text(), links).map(|value| (name, value.into_bytes())))
            }
            _ if KEPT.contains(&name.as_str()) => shown.push((name, header.value.clone())),
            _ => {}
        }
    }
    shown
}
