//! Strings of scripts and attributes that may be URLs.
//!
//! The test itself is Heritrix's (`surt::likely_uri`). On top of it stand refusals of what that test lets through and
//! site owners complain about (faults.md F050).

use surt::CanonicalUrl;

/// Parts of a path without any ending that is still a guess worth making.
const PATH_PARTS_MAX: usize = 8;

/// Whether a string that was found in a script or an attribute is worth a speculative request.
pub fn is_likely_uri(text: &str) -> bool {
    (surt::likely_uri::is_likely_uri(text) || is_bare_path(text) || is_page_with_blanks(text))
        && !is_notorious(text)
}

/// `a b.html`: the one ending of Heritrix's list for names with blanks that `surt` leaves out.
fn is_page_with_blanks(text: &str) -> bool {
    text.contains(' ') && text.ends_with(".html") && surt::likely_uri::is_likely_uri(&text.replace(' ', "_"))
}

/// `dir/page`, `2020/01/02`: words and slashes only. Heritrix takes them, and some lead somewhere.
fn is_bare_path(text: &str) -> bool {
    const MEDIA: [&str; 9] =
        ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];
    let is_word = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let parts: Vec<&str> = text.splitn(PATH_PARTS_MAX + 1, '/').collect();
    let is_media_type = parts.len() == 2 && MEDIA.iter().any(|first| first.eq_ignore_ascii_case(parts[0]));
    let is_fraction =
        parts.len() == 2 && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    (2..=PATH_PARTS_MAX).contains(&parts.len())
        && parts.iter().all(|part| is_word(part))
        && !is_media_type
        && !is_fraction
}

/// A string out of a script made ready to be resolved; `None` if it does not look like a URL.
///
/// Mends what scripts do to URLs: `&amp;`, percent-encoded schemes, hosts without scheme.
pub(crate) fn reference_in_script(text: &str, page: &CanonicalUrl) -> Option<String> {
    let mut text = text.trim().to_owned();
    if text.contains("&amp;") {
        text = text.replace("&amp;", "&");
    }
    if let Some(decoded) = decode_scheme(&text) {
        text = decoded;
    }
    if let Some(host) = bare_host(&text) {
        let scheme = if page.host() == Some(host) { page.scheme() } else { "http" };
        return is_likely_uri(&format!("{scheme}://{text}")).then(|| format!("{scheme}://{text}"));
    }
    is_likely_uri(&text).then_some(text)
}

/// `http%3A%2F%2F…` decoded.
fn decode_scheme(text: &str) -> Option<String> {
    let start = text.get(..8)?.to_ascii_lowercase();
    if !(start.starts_with("http%3a") || start.starts_with("https%3a")) {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits =
            after.get(..2).filter(|_| *byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                rest = &after[2..];
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// The host of `host.tld` or `host.tld/…`: a name under a suffix that really exists. Without a path only well-known
/// suffixes count: `jquery.min` and `a.name` are no hosts.
fn bare_host(text: &str) -> Option<&str> {
    const WELL_KNOWN: [&str; 9] = ["com", "org", "net", "edu", "gov", "int", "mil", "info", "biz"];
    let end = text.find(['/', '?', ':']).unwrap_or(text.len());
    let host = &text[..end];
    let is_name = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if text[end..].starts_with(['?', ':'])
        || host.len() > 253
        || !host.contains('.')
        || !host.split('.').all(is_name)
    {
        return None;
    }
    let tld = host.rsplit('.').next().unwrap_or_default();
    let has_path = end < text.len();
    let is_host = WELL_KNOWN.contains(&tld)
        || host.starts_with("www.")
        || (has_path && psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known()));
    (is_host && surt::registrable_domain(host).is_some()).then_some(host)
}

/// faults.md F050: dates, module names, names of events and properties. And what Heritrix refuses in relative addresses:
/// a query without pairs, `!` in a path.
fn is_notorious(text: &str) -> bool {
    if text.starts_with("//") || text.contains("://") {
        return false;
    }
    let path = &text[..text.find(['?', '#']).unwrap_or(text.len())];
    let has_query = path.len() < text.len();
    let query = text[path.len()..].strip_prefix('?');
    if is_date(path)
        || path.contains('!')
        || query.is_some_and(|query| query.is_empty() || query.contains("=="))
    {
        return true;
    }
    if let Some(module) = path.strip_prefix("./") {
        return !has_query && !module.contains(['.', '/']);
    }
    let is_bare_word = !path.contains(['/', ':']) && !has_query;
    is_bare_word && path.rsplit_once('.').is_some_and(|(_, ending)| !is_file_ending(ending))
}

/// `12/31/2020`: day, month and year; not `2020/01/02`, which is how blogs order their pages.
fn is_date(path: &str) -> bool {
    let parts: Vec<&str> = path.splitn(4, '/').collect();
    let digits = |part: &str, max: usize| {
        !part.is_empty() && part.len() <= max && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.len() == 3 && digits(parts[0], 2) && digits(parts[1], 2) && digits(parts[2], 4)
}

/// Endings of files that sites are made of.
fn is_file_ending(ending: &str) -> bool {
    const ENDINGS: [&str; 95] = [
        "7z", "aac", "ai", "apk", "asp", "aspx", "atom", "avi", "avif", "bmp", "bz2", "cfm", "cgi", "css",
        "csv", "dcr", "djvu", "do", "doc", "docx", "dtd", "eot", "eps", "epub", "exe", "fla", "flac", "flv",
        "gif", "gz", "htc", "htm", "html", "ico", "ics", "iso", "jar", "jp2", "jpe", "jpeg", "jpg", "js",
        "json", "jsp", "jspx", "kml", "m3u8", "m4a", "m4v", "map", "md", "mid", "midi", "mjs", "mov", "mp3",
        "mp4", "mpeg", "mpg", "odt", "ogg", "ogv", "otf", "pdf", "php", "php5", "phtml", "pl", "png", "pps",
        "ppt", "pptx", "ps", "rar", "rdf", "rss", "rtf", "shtml", "svg", "swf", "tar", "tgz", "tif", "tiff",
        "ttf", "txt", "wasm", "wav", "webm", "webp", "wmv", "woff", "woff2", "xhtml", "xml",
    ];
    let ending = ending.to_ascii_lowercase();
    ENDINGS.binary_search(&ending.as_str()).is_ok()
        || matches!(ending.as_str(), "xls" | "xlsx" | "xsl" | "zip")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let page = "https://example.org/".parse().unwrap();
        assert_eq!(reference_in_script(text, &page).as_deref(), expected, "{text}");
    }

    #[test]
    fn complaints() {
        // faults.md F050.
        for text in ["./WidgetBase", "evt.begin", "12/31/2020", "text/html", "application/json"] {
            check(text, None);
        }
        for text in ["/api/v1/items", "img/logo.png", "./dot.html", "2020/01/02", "page.html"] {
            check(text, Some(text));
        }
    }

    #[test]
    fn mended() {
        check("http%3A%2F%2Fexample.net%2Fa", Some("http://example.net/a"));
        check("/a?b=1&amp;c=2", Some("/a?b=1&c=2"));
        check("example.com", Some("http://example.com"));
        check("example.org/x", Some("https://example.org/x"));
        check("www.example.museum", Some("http://www.example.museum"));
        check(".example.com", None);
        check("a.name", None);
    }
}
