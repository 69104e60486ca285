//! The address of a capture: `/web/<time><modifier>/<url>`.

use std::fmt;

use model::WallMs;

/// How a capture is to be shown, by the two-letter codes of other web archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Modifier {
    /// None: a page that somebody reads.
    #[default]
    Page,
    /// `id_`: the payload as it was stored.
    Raw,
    /// `if_`: a page inside a frame.
    Frame,
    /// `cs_`: a style sheet.
    Style,
    /// `js_`: a script.
    Script,
    /// `im_`: an image, font, sound or video.
    Image,
}

impl Modifier {
    const ALL: [(Modifier, &str); 5] = [
        (Modifier::Raw, "id_"),
        (Modifier::Frame, "if_"),
        (Modifier::Style, "cs_"),
        (Modifier::Script, "js_"),
        (Modifier::Image, "im_"),
    ];

    /// The code; empty for a page.
    pub fn code(self) -> &'static str {
        Modifier::ALL.iter().find(|(modifier, _)| *modifier == self).map_or("", |(_, code)| code)
    }

    /// A code of ours or of another archive (`mp_`, `oe_`, …, which all mean a page or what it embeds).
    fn of_code(code: &str) -> Option<Modifier> {
        let well_formed =
            code.len() == 3 && code.ends_with('_') && code[..2].bytes().all(|b| b.is_ascii_lowercase());
        let known = Modifier::ALL.iter().find(|(_, known)| *known == code).map(|(modifier, _)| *modifier);
        well_formed.then_some(known.unwrap_or(Modifier::Page))
    }

    /// True for what a page loads by itself, where nobody reads an explanation.
    pub fn is_embed(self) -> bool {
        matches!(self, Modifier::Style | Modifier::Script | Modifier::Image)
    }
}

/// A capture asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// 1 to 14 digits as written; empty: the newest.
    pub digits: String,
    /// How it is to be shown.
    pub modifier: Modifier,
    /// As written in the address, browsers' escapes included.
    pub url: String,
}

impl Place {
    /// What stands before it in every address.
    pub const PREFIX: &str = "/web/";

    /// Reads the path and query of a request; `None` if it is no address of a capture.
    ///
    /// ```
    /// # use replay::{Modifier, Place};
    /// let place = Place::parse("/web/2026id_/http://example.org/?a=1").unwrap();
    /// assert_eq!((place.digits.as_str(), place.modifier), ("2026", Modifier::Raw));
    /// assert_eq!(place.url, "http://example.org/?a=1");
    /// ```
    pub fn parse(path_and_query: &str) -> Option<Place> {
        let rest = path_and_query.strip_prefix(Place::PREFIX)?;
        let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
        let (digits, code) = first.split_at(first.bytes().take_while(u8::is_ascii_digit).count());
        let modifier = if code.is_empty() { Some(Modifier::Page) } else { Modifier::of_code(code) };
        let (digits, modifier, url) = match modifier {
            Some(modifier) if digits.len() <= 14 && !first.is_empty() => (digits, modifier, after),
            _ => ("", Modifier::Page, rest),
        };
        let url = with_scheme(url);
        (!url.is_empty()).then(|| Place { digits: digits.to_owned(), modifier, url })
    }

    /// The time asked for; `None` is the newest. Impossible digits are read as far as they make sense.
    pub fn time(&self) -> Option<WallMs> {
        let len = self.digits.len();
        let tries = [14, 12, 10, 8, 6, 4];
        tries
            .into_iter()
            .filter(|try_len| *try_len <= len)
            .find_map(|len| WallMs::from_digits(&self.digits[..len]))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (digits, code) = (&self.digits, self.modifier.code());
        let slash = if digits.is_empty() && code.is_empty() { "" } else { "/" };
        write!(f, "{}{digits}{code}{slash}{}", Place::PREFIX, self.url)
    }
}

/// Mends `http:/host`, which is left when something on the way folds slashes, and a missing scheme.
fn with_scheme(url: &str) -> String {
    let after_scheme =
        ["http:/", "https:/"].into_iter().find_map(|scheme| Some((scheme, url.strip_prefix(scheme)?)));
    match after_scheme {
        Some((_, rest)) if rest.starts_with('/') => url.to_owned(),
        Some((scheme, rest)) => format!("{scheme}/{rest}"),
        None if url.is_empty() || url.contains("://") || url.starts_with("dns:") => url.to_owned(),
        None => format!("http://{url}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, digits: &str, modifier: Modifier, url: &str) {
        let expected = Place { digits: digits.into(), modifier, url: url.into() };
        assert_eq!(Place::parse(path), Some(expected), "{path}");
    }

    #[test]
    fn addresses() {
        check(
            "/web/20260105100007/http://a.example/x?y=/z",
            "20260105100007",
            Modifier::Page,
            "http://a.example/x?y=/z",
        );
        check(
            "/web/20260105100007cs_/https://a.example/",
            "20260105100007",
            Modifier::Style,
            "https://a.example/",
        );
        check("/web/20260105mp_/http://a.example/", "20260105", Modifier::Page, "http://a.example/");
        check("/web/id_/http://a.example/", "", Modifier::Raw, "http://a.example/");
        check("/web/http://a.example/", "", Modifier::Page, "http://a.example/");
        check("/web/a.example/x", "", Modifier::Page, "http://a.example/x");
        check("/web/2026/http:/a.example/x", "2026", Modifier::Page, "http://a.example/x");
        check("/web/2026/dns:a.example", "2026", Modifier::Page, "dns:a.example");
        check("/web/123456789012345/x", "", Modifier::Page, "http://123456789012345/x");
        assert_eq!(Place::parse("/web/"), None);
        assert_eq!(Place::parse("/web/2026/"), None);
        assert_eq!(Place::parse("/search?q=x"), None);
    }

    #[test]
    fn printed_and_read_again() {
        for path in [
            "/web/20260105100007js_/http://a.example/x?y",
            "/web/http://a.example/",
            "/web/id_/http://a.example/",
        ] {
            assert_eq!(Place::parse(path).unwrap().to_string(), path);
        }
    }

    #[test]
    fn times() {
        let check = |digits: &str, expected: Option<&str>| {
            let place = Place { digits: digits.into(), modifier: Modifier::Page, url: String::new() };
            assert_eq!(place.time().map(WallMs::digits14).as_deref(), expected, "{digits}");
        };
        check("20260105100007", Some("20260105100007"));
        check("2026", Some("20260101000000"));
        check("20261399", Some("20260101000000"));
        check("202", None);
        check("", None);
    }
}
