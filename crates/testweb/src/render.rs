//! Writes resources as bytes: HTML, CSS, sitemaps, pictures.

use std::fmt::Write as _;

use fastrand::Rng;

use crate::host::Host;
use crate::page::{Link, LinkKind, Resource, Spelling};

const SUBJECTS: [&str; 8] = [
    "The archive",
    "A crawler",
    "This page",
    "The reader",
    "An old server",
    "The index",
    "A link",
    "The library",
];
const VERBS: [&str; 8] =
    ["keeps", "follows", "remembers", "forgets", "copies", "counts", "waits for", "describes"];
const OBJECTS: [&str; 8] = [
    "every word",
    "the next page",
    "what was lost",
    "a quiet river",
    "the first answer",
    "some pictures",
    "its neighbours",
    "nothing at all",
];

/// Where the relative links of a page with `<base>` start.
pub(crate) const BASE_FOLDER: &str = "/base/deeper/";

/// Sentences that say little.
pub(crate) fn prose(rng: &mut Rng, n_sentences: usize) -> String {
    let mut text = String::with_capacity(n_sentences * 48);
    for _ in 0..n_sentences {
        let (subject, verb, object) = (rng.usize(..8), rng.usize(..8), rng.usize(..8));
        let _ = write!(
            text,
            "{} {} {} {} times. ",
            SUBJECTS[subject],
            VERBS[verb],
            OBJECTS[object],
            rng.u16(2..999)
        );
    }
    text
}

/// A page of HTML. `addresses` are the absolute URLs of its links.
pub(crate) fn html(
    host: &Host,
    resource: &Resource,
    addresses: &[String],
    nofollow: bool,
    rng: &mut Rng,
) -> String {
    let folder = if resource.has_base { BASE_FOLDER } else { folder_of(&resource.path) };
    let mut head = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{} {}</title>\n",
        host.name,
        resource.path.replace('&', "&amp;")
    );
    if nofollow {
        head.push_str("<meta name=\"robots\" content=\"nofollow\">\n");
    }
    if resource.has_base {
        let _ = writeln!(head, "<base href=\"{}\">", host.url(BASE_FOLDER));
    }
    let mut body = String::with_capacity(2000);
    for (link, address) in resource.links.iter().zip(addresses) {
        let text =
            spell(host, folder, link, address).replace('&', if rng.u8(0..4) == 0 { "&" } else { "&amp;" });
        let quote = if rng.u8(0..4) == 0 { '\'' } else { '"' };
        match link.kind {
            LinkKind::Stylesheet => {
                let _ = writeln!(head, "<link rel=stylesheet href={quote}{text}{quote}>");
            }
            LinkKind::Refresh => {
                let _ = writeln!(head, "<meta http-equiv=\"refresh\" content=\"9; url={text}\">");
            }
            LinkKind::Script => {
                let _ = writeln!(body, "<script src={quote}{text}{quote}></script>");
            }
            LinkKind::Image => {
                let _ = writeln!(body, "<p><IMG alt=picture SRC={quote}{text}{quote}></p>");
            }
            LinkKind::Area => {
                let _ = writeln!(body, "<map name=m><area shape=default href={quote}{text}{quote}></map>");
            }
            LinkKind::Anchor | LinkKind::CssUrl | LinkKind::Location | LinkKind::SitemapEntry => {
                let sentence = prose(rng, 1);
                let _ =
                    writeln!(body, "<p>{sentence}<a href={quote}{text}{quote}>on to {}</a></p>", rng.u16(..));
            }
        }
    }
    let n_sentences = rng.usize(3..40);
    format!(
        "{head}</head><body>\n<h1>{}</h1>\n{body}<p>{}</p>\n</body></html>\n",
        host.name,
        prose(rng, n_sentences)
    )
}

/// A page of a trap.
pub(crate) fn trap_page(next: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html><head><title>On and on</title></head><body><a href=\"{next}\">next</a></body></html>\n"
    )
}

/// A stylesheet.
pub(crate) fn css(host: &Host, resource: &Resource, addresses: &[String], rng: &mut Rng) -> String {
    let mut text =
        format!("/* {} */\nbody {{ color: #{:06x}; margin: 0 }}\n", host.name, rng.u32(..0xff_ffff));
    for (index, (link, address)) in resource.links.iter().zip(addresses).enumerate() {
        let address = spell(host, folder_of(&resource.path), link, address);
        let quote = ["", "\"", "'"][rng.usize(..3)];
        let _ = writeln!(text, ".c{index} {{ background: url({quote}{address}{quote}) no-repeat }}");
    }
    text
}

/// A sitemap, or an index of sitemaps.
pub(crate) fn sitemap(addresses: &[String], is_index: bool) -> String {
    let (root, entry) = if is_index { ("sitemapindex", "sitemap") } else { ("urlset", "url") };
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
    );
    for address in addresses {
        let _ = writeln!(text, "<{entry}><loc>{}</loc></{entry}>", address.replace('&', "&amp;"));
    }
    let _ = writeln!(text, "</{root}>");
    text
}

/// Bytes that begin like a picture.
pub(crate) fn image(path: &str, rng: &mut Rng) -> Vec<u8> {
    let magic: &[u8] = if path.ends_with(".gif") { b"GIF89a" } else { b"\x89PNG\r\n\x1a\n" };
    let mut bytes = magic.to_vec();
    bytes.extend(noise(rng, 100..3000));
    bytes
}

/// Bytes without meaning.
pub(crate) fn noise(rng: &mut Rng, len: std::ops::Range<usize>) -> Vec<u8> {
    let mut bytes = vec![0; rng.usize(len)];
    rng.fill(&mut bytes);
    bytes
}

/// The address of a link as it stands in the page.
pub(crate) fn spell(host: &Host, folder: &str, link: &Link, address: &str) -> String {
    let authority = host.authority();
    let own_path = address
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_prefix(authority.as_str()))
        .filter(|path| path.starts_with('/'));
    let can_have_blanks = !matches!(link.kind, LinkKind::Location | LinkKind::Refresh | LinkKind::CssUrl);
    match (link.spelling, own_path) {
        (Spelling::SchemeRelative, _) => address["http:".len()..].to_owned(),
        (Spelling::UpperHost, _) => upper_host(address),
        (Spelling::RootRelative, Some(path)) => path.to_owned(),
        (Spelling::Relative, Some(path)) => relative(folder, path),
        (Spelling::Fragment, Some(path)) => format!("{path}#part-2"),
        (Spelling::Dotted, Some(path)) => format!("/./x/..{path}"),
        (Spelling::Blanks, Some(path)) if can_have_blanks => format!(" \n{path}\t "),
        (Spelling::Blanks, Some(path)) => path.to_owned(),
        _ => address.to_owned(),
    }
}

fn upper_host(address: &str) -> String {
    let rest = &address["http://".len()..];
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    format!("HTTP://{}{path}", authority.to_ascii_uppercase())
}

/// The folder of a path with query: up to its last slash.
pub(crate) fn folder_of(path: &str) -> &str {
    let path = path.split('?').next().unwrap_or("/");
    &path[..=path.rfind('/').unwrap_or(0)]
}

/// A path seen from a folder.
fn relative(folder: &str, path: &str) -> String {
    match path.strip_prefix(folder).filter(|rest| !rest.is_empty() && !rest.starts_with('?')) {
        Some(rest) if !rest.starts_with('/') => rest.to_owned(),
        _ => {
            let n_up = folder.matches('/').count() - 1;
            let up = if n_up == 0 { "./".to_owned() } else { "../".repeat(n_up) };
            up + &path[1..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(folder: &str, path: &str, expected: &str) {
        assert_eq!(relative(folder, path), expected);
    }

    #[test]
    fn relative_paths() {
        check("/", "/a/b.html", "a/b.html");
        check("/a/", "/a/b.html", "b.html");
        check("/a/b/", "/c", "../../c");
        check("/a/", "/", "../");
        check("/", "/", "./");
        assert_eq!(folder_of("/lib/x?a=/b/"), "/lib/");
    }
}
