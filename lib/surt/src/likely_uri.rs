//! Does a string out of a script or an attribute look like a URL? A guess: most strings are none, and each wrong guess
//! is a fetch for nothing. Follows what Heritrix's "very likely URI" test accepts and refuses (`UriUtils`, as described in
//! reference/heritrix.md 1.6), written as a scanner in one pass.

/// Longest string that is looked at, in bytes (Heritrix `UURI.MAX_URL_LENGTH`).
const TEXT_BYTES_MAX: usize = 2083;

/// Extensions that make `name.with.dots.ext` and names with blanks a file.
const FILE_EXTENSIONS: [&str; 11] =
    ["jpg", "js", "css", "png", "gif", "swf", "flv", "mp4", "mp3", "jpeg", "pdf"];

/// First parts of media types: `image/gif` is no path.
const MEDIA_TYPES: [&str; 9] =
    ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

/// Element names before a dot: `div.menu` is a selector.
const ELEMENTS: [&str; 40] = [
    "a", "b", "body", "button", "canvas", "dd", "div", "dl", "dt", "em", "fieldset", "font", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "html", "i", "iframe", "img", "input", "label", "li", "link", "ol",
    "option", "p", "pre", "select", "span", "strong", "table", "tbody", "td", "th", "tr", "ul",
];

/// True if a string looks like an absolute or relative URL. Escaped slashes (`\/`) are taken as slashes.
pub fn is_likely_uri(text: &str) -> bool {
    if text.is_empty() || text.len() > TEXT_BYTES_MAX || !text.contains(['.', '/']) {
        return false;
    }
    let text = text.replace("\\/", "/");
    // A leading `+` or a quote tells code that builds a string.
    if text.contains(['<', '>', '"', '\'', '\\', '{', '}', '(', ')', '`', '\t', '\n', '\r'])
        || text.starts_with(['+', ';', ',', '=', '&', '?', '#', '@', '*', '$'])
        || text.ends_with(['+', ',', ';'])
    {
        return false;
    }
    match after_scheme(&text) {
        Some(rest) => is_absolute(rest),
        None => is_relative(&text),
    }
}

/// What follows `//`, `http://` or another scheme of the web.
fn after_scheme(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix("//") {
        return Some(rest);
    }
    let (scheme, rest) = text.split_once("://")?;
    ["http", "https", "ftp"].iter().any(|known| scheme.eq_ignore_ascii_case(known)).then_some(rest)
}

fn is_absolute(rest: &str) -> bool {
    if rest.contains(' ') {
        return false;
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default();
    host.contains('.')
        && host.split('.').all(|label| !label.is_empty())
        && host.chars().all(is_host_character)
}

fn is_host_character(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_')
}

fn is_relative(text: &str) -> bool {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    if !path.chars().all(is_path_character) || !rest.chars().all(is_rest_character) {
        return false;
    }
    let is_rooted = path.starts_with('/') || path.starts_with("./") || path.starts_with("../");
    let last = path.rsplit('/').next().unwrap_or_default();
    if path.trim_matches(['/', '.', ' ', '-']).is_empty() || is_decimal(path) || is_media_type(path) {
        return false;
    }
    let has_file_extension = extension(last)
        .is_some_and(|extension| FILE_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)));
    if path.contains(' ') && !has_file_extension {
        return false;
    }
    if is_rooted {
        return true;
    }
    // Without `/` at the start: a folder and a page, or a page with an extension.
    match path.contains('/') {
        true => extension(last).is_some() || path.ends_with('/') || path.matches('/').count() > 1,
        false => is_file_name(last, has_file_extension),
    }
}

/// `photo.jpg`, `default.asp`; not `a.b.c`, `div.menu`, `window.location.href`.
fn is_file_name(name: &str, has_file_extension: bool) -> bool {
    let Some(extension) = extension(name) else { return false };
    let stem = &name[..name.len() - extension.len() - 1];
    if stem.is_empty() || stem.contains('.') && !has_file_extension {
        return false;
    }
    !ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(stem))
}

/// Two to five letters or digits after the last dot, at least one letter among them.
fn extension(name: &str) -> Option<&str> {
    let (_, extension) = name.rsplit_once('.')?;
    let is_short =
        (2..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_short && extension.bytes().any(|byte| byte.is_ascii_alphabetic())).then_some(extension)
}

fn is_path_character(letter: char) -> bool {
    letter.is_alphanumeric() || "/.-_~%+ :@!$&*,=;".contains(letter)
}

fn is_rest_character(letter: char) -> bool {
    letter.is_alphanumeric() || "?#/.-_~%+:@!$&*,=;[]|^".contains(letter)
}

fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'/' | b'-' | b',' | b':' | b'%'))
}

fn is_media_type(path: &str) -> bool {
    let Some((first, rest)) = path.split_once('/') else { return false };
    MEDIA_TYPES.iter().any(|known| known.eq_ignore_ascii_case(first))
        && !rest.contains('/')
        && (extension(rest).is_none() || rest.starts_with("x-") || rest.starts_with("vnd."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: bool) {
        assert_eq!(is_likely_uri(text), expected, "{text}");
    }

    #[test]
    fn likely() {
        for text in [
            "photo.jpg",
            "./photo.jpg",
            "../a",
            "/wiki/Ficheiro:Wikiversity-logo.svg",
            "http://www.example.com/",
            "//cdn.example/x.js",
            "default.asp?type=1",
            "\\/add\\/page?.crumb=O2.eArRHJU",
            "a/b.html#top",
            "jquery.min.js",
            "my photo.jpg",
            "images/",
            "images/big/one",
        ] {
            check(text, true);
        }
    }

    #[test]
    fn unlikely() {
        for text in [
            "",
            "foo bar",
            "text/javascript",
            "image/x-icon",
            "application/vnd.ms-excel",
            "+resp.result+",
            ";overlay.style.width=x+",
            "location='http://example.com/blah/'",
            ").append(",
            "1.5",
            "10/12/2012",
            "div.menu",
            "window.location.href",
            "and/or",
            "/",
            "...",
            "http://x",
            "http://a b.example/",
            "e.g. this one",
        ] {
            check(text, false);
        }
    }
}
