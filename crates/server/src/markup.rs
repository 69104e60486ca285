//! HTML put together safely, and the frame that all pages share.

use std::fmt::Write as _;

/// Text made safe for HTML, in elements and in quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Characters that turn the reading direction round could make an address look like another one.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(out, "&lt;U+{:04X}&gt;", u32::from(c));
            }
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Text made safe for a value in a query.
pub(crate) fn in_query(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// A whole page: title, search box, content (safe HTML).
pub(crate) fn page(title: &str, job: &str, query: &str, content: &str) -> String {
    let (title, job, query) = (escape(title), escape(job), escape(query));
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<link rel="stylesheet" href="/-/style.css">
</head>
<body>
<header>
<a class="name" href="/">bequest <span>{job}</span></a>
<form action="/search" role="search">
<input type="search" name="q" value="{query}" aria-label="Words or an address" placeholder="Words, or an address" autocomplete="off">
<button>Search</button>
</form>
</header>
<main>
{content}
</main>
</body>
</html>
"#
    )
}

/// The one style sheet. Colours follow the reader's choice of light or dark.
pub(crate) const STYLE: &str = r#":root { color-scheme: light dark; --ink: #1c2127; --soft: #5b6672; --paper: #fff; --line: #dfe3e8; --link: #1a4fa3; --mark: #fff0b3; --box: #f5f7f9 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa5b1; --paper: #14181d; --line: #2d343c; --link: #8ab4f8; --mark: #5c4a00; --box: #1c2229 } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
header { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: center; padding: .8rem max(1rem, calc(50vw - 26rem)); background: var(--box); border-bottom: 1px solid var(--line) }
.name { font-weight: 700; color: var(--ink); text-decoration: none }
.name span { font-weight: 400; color: var(--soft) }
form { display: flex; flex: 1 1 18rem; gap: .5rem }
input { flex: 1; min-width: 0; font: inherit; padding: .4rem .7rem; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: .4rem }
button { font: inherit; padding: .4rem 1rem; color: var(--paper); background: var(--link); border: 0; border-radius: .4rem; cursor: pointer }
main { max-width: 52rem; margin: 0 auto; padding: 1.2rem 1rem 4rem }
a { color: var(--link) }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
h1 { font-size: 1.35rem; margin: .4rem 0 1rem; overflow-wrap: anywhere }
.soft { color: var(--soft) }
.hits { list-style: none; padding: 0; margin: 0 }
.hits li { margin: 0 0 1.4rem }
.hits h2 { font-size: 1.1rem; margin: 0; font-weight: 600; overflow-wrap: anywhere }
.hits .where { font-size: .88rem; color: var(--soft); overflow-wrap: anywhere }
.hits p { margin: .15rem 0 0; overflow-wrap: anywhere }
mark { background: var(--mark); color: inherit; padding: 0 .1em; border-radius: .2em }
table { width: 100%; border-collapse: collapse; font-size: .93rem }
th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td a { overflow-wrap: anywhere }
th { color: var(--soft); font-weight: 600 }
td.number, th.number { text-align: right; white-space: nowrap }
td.time { white-space: nowrap }
nav { display: flex; gap: 1.5rem }
.notice { padding: .8rem 1rem; background: var(--box); border: 1px solid var(--line); border-radius: .5rem }
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping() {
        assert_eq!(escape("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
        assert_eq!(escape("a\u{202e}b\u{0}c"), "a&lt;U+202E&gt;b\u{fffd}c");
        assert_eq!(in_query("a b&c=d/ä"), "a%20b%26c%3Dd%2F%C3%A4");
    }
}
