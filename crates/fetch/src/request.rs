//! The request that is sent for an item.

use http1::RequestHead;
use model::{FetchItem, Hop};

use crate::{FetchOptions, HttpVersion};

/// The bytes of the request, in the order of headers that browsers use.
pub(crate) fn request(item: &FetchItem, options: &FetchOptions, cookies: Option<&str>) -> Vec<u8> {
    let url = &item.candidate.url;
    let version = match options.http_version {
        HttpVersion::Http10 => "HTTP/1.0",
        HttpVersion::Http11 => "HTTP/1.1",
    };
    // The URL standard leaves the path of http URLs begin with a slash.
    let host = url.authority().unwrap_or_default();
    let connection = match (options.http_version, options.keep_alive) {
        (_, false) => Some("close"),
        (HttpVersion::Http10, true) => Some("keep-alive"),
        (HttpVersion::Http11, true) => None,
    };
    let conditional = options.send_conditional
        && !is_prerequisite(item)
        && item.history.status.is_some_and(|status| status > 0);
    let validator = |value: &Option<String>| value.clone().filter(|_| conditional);
    RequestHead::new("GET", url.path_and_query(), version)
        .header("Host", &host)
        .header_if("Connection", connection)
        .header("User-Agent", &options.user_agent)
        .header_if("From", options.from.as_deref())
        .header("Accept", &options.accept)
        .header_if("Accept-Encoding", options.accept_encoding.as_deref())
        .header_if("Accept-Language", options.accept_language.as_deref())
        .header_if("Referer", referer(item, options).as_deref())
        .header_if("If-None-Match", validator(&item.history.etag).as_deref())
        .header_if("If-Modified-Since", validator(&item.history.last_modified).as_deref())
        .header_if("Cookie", cookies)
        .finish()
}

fn is_prerequisite(item: &FetchItem) -> bool {
    item.candidate.last_hop() == Some(Hop::Prerequisite)
}

/// The via: not for prerequisites, not from https to http (RFC 9110, 10.1.3), without user and password.
fn referer(item: &FetchItem, options: &FetchOptions) -> Option<String> {
    let via = &item.candidate.via.as_ref()?.url;
    let downgrade = via.scheme() == "https" && item.candidate.url.scheme() == "http";
    if !options.send_referer || is_prerequisite(item) || downgrade || !via.is_http() {
        return None;
    }
    Some(format!("{}://{}{}", via.scheme(), via.authority()?, via.path_and_query()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Candidate, History, HopPath, Ordinal, Via};
    use surt::CanonicalUrl;

    fn item(url: &str, via: Option<&str>, hops: &str) -> FetchItem {
        let mut candidate = Candidate::seed(CanonicalUrl::parse(url).unwrap());
        candidate.hop_path = HopPath::parse(hops).unwrap();
        candidate.via =
            via.map(|via| Via { url: CanonicalUrl::parse(via).unwrap(), context: "a/@href".to_owned() });
        FetchItem {
            ordinal: Ordinal(1),
            candidate,
            queue_key: "q".to_owned(),
            attempt: 1,
            history: History::default(),
        }
    }

    fn check(item: &FetchItem, has: &[&str], has_not: &[&str]) {
        let text = String::from_utf8(request(item, &FetchOptions::default(), Some("a=b"))).unwrap();
        for line in has {
            assert!(text.contains(&format!("{line}\r\n")), "{line} in {text}");
        }
        for name in has_not {
            assert!(!text.contains(&format!("\r\n{name}:")), "{name} not in {text}");
        }
    }

    #[test]
    fn headers() {
        check(
            &item("http://u:p@h.example:81/x?y#z", Some("http://u:p@v.example/w"), "L"),
            &["GET /x?y HTTP/1.1", "Host: h.example:81", "Referer: http://v.example/w", "Cookie: a=b"],
            &["Connection", "From", "If-None-Match", "Accept-Encoding"],
        );
        check(&item("http://h.example/", Some("https://v.example/"), "L"), &[], &["Referer"]);
        check(
            &item("https://h.example/", Some("https://v.example/"), "L"),
            &["Referer: https://v.example/"],
            &[],
        );
        check(&item("http://h.example/robots.txt", Some("http://h.example/"), "P"), &[], &["Referer"]);
        check(&item("http://h.example/", None, ""), &[], &["Referer"]);
    }

    #[test]
    fn validators() {
        let mut item = item("http://h.example/", None, "L");
        item.history = History { status: Some(200), etag: Some("\"x\"".to_owned()), ..History::default() };
        check(&item, &["If-None-Match: \"x\""], &["If-Modified-Since"]);
        item.history.status = Some(-2);
        check(&item, &[], &["If-None-Match"]);
    }
}
