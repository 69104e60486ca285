//! Which attributes of which elements hold references, and what kind of thing they refer to.

use crate::Modifier;

/// What an attribute holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// One URL.
    Url(Modifier),
    /// A list of images with conditions.
    Srcset,
    /// CSS declarations.
    Style,
    /// A whole document.
    Document,
    /// Something that would break or leak in the archive: it is taken away.
    Nothing,
}

/// What the attribute holds; `None` if it holds no reference. Names in lower case.
pub(crate) fn holds(element: &str, attribute: &str, rel: Option<&str>) -> Option<Holds> {
    let url = |modifier| Some(Holds::Url(modifier));
    match (element, attribute) {
        (_, "style") => Some(Holds::Style),
        (_, "srcset" | "imagesrcset") => Some(Holds::Srcset),
        ("iframe", "srcdoc") => Some(Holds::Document),
        // A rewritten resource has another hash; a ping tells a live server; a manifest (appcache) lists live URLs.
        (_, "integrity" | "ping" | "nonce") | ("html", "manifest") => Some(Holds::Nothing),
        ("link", "href") => url(kind_of_link(rel.unwrap_or(""))),
        ("script", "src") => url(Modifier::Script),
        ("script", "href" | "xlink:href") => url(Modifier::Script),
        ("iframe" | "frame", "src") => url(Modifier::Frame),
        ("image" | "feimage" | "use", "href" | "xlink:href") => url(Modifier::Image),
        (_, "href" | "xlink:href") => url(Modifier::Page),
        ("object", "data") | ("embed", "src") => url(Modifier::Frame),
        (_, "src" | "lowsrc" | "dynsrc" | "poster" | "background") => url(Modifier::Image),
        ("form", "action") | ("button" | "input", "formaction") => url(Modifier::Page),
        ("blockquote" | "q" | "ins" | "del", "cite") | (_, "longdesc") => url(Modifier::Page),
        ("object" | "applet", "codebase") => url(Modifier::Page),
        _ => None,
    }
}

/// True for attributes that scripts of pages read URLs from (`data-src` of lazy images). Only absolute URLs are rewritten
/// there: relative ones resolve within the archive anyway.
pub(crate) fn may_hold_for_scripts(attribute: &str) -> bool {
    attribute.starts_with("data-")
}

fn kind_of_link(rel: &str) -> Modifier {
    let has = |word: &str| rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word));
    if has("stylesheet") {
        Modifier::Style
    } else if has("icon") || has("apple-touch-icon") || has("mask-icon") {
        Modifier::Image
    } else if has("modulepreload") {
        Modifier::Script
    } else {
        Modifier::Page
    }
}
