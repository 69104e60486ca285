//! What the `rel` of a `link` element says of its target (Heritrix ExtractorHTML; HTML standard 4.6.7).

use model::Hop;

/// Hop of a `link` with that `rel` and the keyword that decided; `None` if there is nothing to fetch.
pub(crate) fn hop_of(rel: &str) -> Option<(Hop, &'static str)> {
    const EMBEDS: [&str; 5] = ["icon", "stylesheet", "modulepreload", "prefetch", "prerender"];
    // A connection is no document, and a pingback address is no page.
    const IDLE: [&str; 3] = ["pingback", "dns-prefetch", "preconnect"];
    let mut other = false;
    for word in rel.split_ascii_whitespace() {
        if let Some(embed) = EMBEDS.iter().find(|embed| embed.eq_ignore_ascii_case(word)) {
            return Some((Hop::Embed, embed));
        }
        if word.eq_ignore_ascii_case("pingback") {
            return None;
        }
        other |= !IDLE.iter().any(|idle| idle.eq_ignore_ascii_case(word));
    }
    other.then_some((Hop::Navlink, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rels() {
        for (rel, expected) in [
            ("stylesheet", Some(Hop::Embed)),
            ("my Stylesheet rocks", Some(Hop::Embed)),
            ("shortcut icon", Some(Hop::Embed)),
            ("alternate", Some(Hop::Navlink)),
            ("pingback", None),
            ("dns-prefetch preconnect", None),
            ("dns-prefetch next", Some(Hop::Navlink)),
            ("   ", None),
        ] {
            assert_eq!(hop_of(rel).map(|(hop, _)| hop), expected, "{rel}");
        }
    }
}
