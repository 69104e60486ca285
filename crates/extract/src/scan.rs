//! Finds tags in bytes of HTML, as the HTML standard's tokenizer does (13.2.5), without building a tree.
//!
//! Two manners. *Strict* gives the tags that a browser sees. The default is a little more *lenient*, so that an archive
//! loses no link: text of `textarea`, `title`, `iframe` and the like is read as markup, a tag cut off by the end of the
//! bytes counts, and a quote that is never closed (or closed in a later tag) ends at the next `>`. Time is linear in the
//! length; nothing is copied.

use memchr::{memchr, memchr2, memmem};

/// Attributes of one tag that are kept; later ones are passed over.
const ATTRIBUTES_MAX: usize = 512;

/// One attribute, as written: entities are not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attribute<'h> {
    pub name: &'h [u8],
    pub value: &'h [u8],
}

/// What the scanner meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'h> {
    /// A start tag; its attributes are in [`Scanner::attributes`].
    Start { name: &'h [u8] },
    /// An end tag.
    End { name: &'h [u8] },
    /// Text that holds no markup: what stands between `<script>` or `<style>` and its end tag.
    Raw { element: &'h [u8], text: &'h [u8] },
    /// Text between tags.
    Text(&'h [u8]),
}

/// White space of HTML.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

/// Walks through the tags of a document.
pub(crate) struct Scanner<'h> {
    html: &'h [u8],
    at: usize,
    attributes: Vec<Attribute<'h>>,
    /// An element whose raw text comes next.
    raw: Option<&'h [u8]>,
    is_strict: bool,
    has_raw_text: bool,
    /// `<script/>` is an empty element.
    is_xml: bool,
    has_text: bool,
    /// Things that were searched for in vain up to the end, so that they are not searched for again.
    no_comment_end: bool,
    no_script_end: bool,
    no_style_end: bool,
}

impl<'h> Scanner<'h> {
    /// Begins at the first byte. Leniently, without text.
    pub(crate) fn new(html: &'h [u8]) -> Scanner<'h> {
        Scanner {
            html,
            at: 0,
            attributes: Vec::with_capacity(16),
            raw: None,
            is_strict: false,
            has_raw_text: true,
            is_xml: false,
            has_text: false,
            no_comment_end: false,
            no_script_end: false,
            no_style_end: false,
        }
    }

    /// Sees what a browser sees, no more.
    pub(crate) fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    /// Reads scripts and style sheets as markup.
    pub(crate) fn without_raw_text(mut self) -> Self {
        self.has_raw_text = false;
        self
    }

    /// Reads XHTML: a tag that ends in `/>` has no content.
    pub(crate) fn xml(mut self, is_xml: bool) -> Self {
        self.is_xml = is_xml;
        self
    }

    /// Gives [`Token::Text`] too.
    pub(crate) fn with_text(mut self) -> Self {
        self.has_text = true;
        self
    }

    /// Attributes of the last start tag, in order. The first of a name counts, later ones are not left out here.
    pub(crate) fn attributes(&self) -> &[Attribute<'h>] {
        &self.attributes
    }

    /// Value of the first attribute of that name (lower case), as written.
    pub(crate) fn attribute(&self, name: &[u8]) -> Option<&'h [u8]> {
        self.attributes.iter().find(|a| a.name.eq_ignore_ascii_case(name)).map(|a| a.value)
    }

    /// The next token; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Token<'h>> {
        if let Some(element) = self.raw.take()
            && let Some(token) = self.raw_text(element)
        {
            return Some(token);
        }
        loop {
            let html = self.html;
            let start = self.at;
            let Some(found) = memchr(b'<', &html[start..]) else {
                self.at = html.len();
                return self.text(start, html.len());
            };
            let open = start + found;
            let next = html.get(open + 1).copied();
            let is_markup =
                next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'/' | b'?'));
            if !is_markup {
                self.at = open + 1;
                if let Some(token) = self.text(start, open + 1) {
                    return Some(token);
                }
                continue;
            }
            if self.has_text && open > start {
                self.at = open;
                return self.text(start, open);
            }
            self.at = open + 1;
            let token = match next {
                Some(b'!') => self.declaration(),
                Some(b'/') => self.end_tag(),
                Some(b'?') => self.bogus_comment(),
                _ => self.start_tag(),
            };
            if token.is_some() {
                return token;
            }
            if self.at >= html.len() {
                return None;
            }
        }
    }

    fn text(&self, start: usize, end: usize) -> Option<Token<'h>> {
        (self.has_text && end > start).then(|| Token::Text(&self.html[start..end]))
    }

    /// At `!`: a comment, `<!DOCTYPE …>`, `<![CDATA[`.
    fn declaration(&mut self) -> Option<Token<'h>> {
        let html = self.html;
        if !html[self.at..].starts_with(b"!--") {
            // Heritrix reads CDATA sections as markup, and so does XHTML that was meant as HTML.
            if html[self.at..].starts_with(b"![CDATA[") && !self.is_strict {
                self.at += 8;
                return None;
            }
            return self.bogus_comment();
        }
        let content = self.at + 3;
        self.at = content;
        // Conditional comments are markup to some browsers.
        if !self.is_strict && (html[content..].starts_with(b"[if") || self.no_comment_end) {
            return None;
        }
        match comment_end(html, content) {
            Some(end) => self.at = end,
            None if self.is_strict => self.at = html.len(),
            None => self.no_comment_end = true,
        }
        None
    }

    fn bogus_comment(&mut self) -> Option<Token<'h>> {
        self.at = memchr(b'>', &self.html[self.at..]).map_or(self.html.len(), |found| self.at + found + 1);
        None
    }

    /// At `/`. Attributes of end tags mean nothing, yet a `>` in their quotes does not end the tag; this is so rare that
    /// the first `>` is taken.
    fn end_tag(&mut self) -> Option<Token<'h>> {
        let start = self.at + 1;
        if !self.html.get(start)?.is_ascii_alphabetic() {
            return self.bogus_comment();
        }
        let name = self.name(start);
        let after = start + name.len();
        // Nearly every end tag is just a name: no search is needed then.
        if self.html.get(after) == Some(&b'>') {
            self.at = after + 1;
        } else {
            self.bogus_comment();
        }
        Some(Token::End { name })
    }

    /// The tag name that begins there.
    fn name(&self, start: usize) -> &'h [u8] {
        let rest = &self.html[start..];
        let len =
            rest.iter().position(|byte| is_space(*byte) || matches!(byte, b'>' | b'/')).unwrap_or(rest.len());
        &rest[..len]
    }

    /// At the first letter of the name. `None` if the tag is cut off and does not count.
    fn start_tag(&mut self) -> Option<Token<'h>> {
        let name = self.name(self.at);
        self.at += name.len();
        self.attributes.clear();
        let end = self.attributes_to_end();
        if end == TagEnd::Cut && (self.is_strict || self.attributes.is_empty()) {
            return None;
        }
        if self.has_raw_text && !(end == TagEnd::SelfClosing && self.is_xml) && self.is_raw_text(name) {
            self.raw = Some(name);
        }
        Some(Token::Start { name })
    }

    fn is_raw_text(&self, name: &[u8]) -> bool {
        match name.len() {
            5 if name.eq_ignore_ascii_case(b"style") => true,
            6 if name.eq_ignore_ascii_case(b"script") => true,
            3 | 5 | 6 | 7 | 8 | 9 if self.is_strict => {
                const MORE: [&[u8]; 7] =
                    [b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes", b"plaintext"];
                MORE.iter().any(|other| name.eq_ignore_ascii_case(other))
            }
            _ => false,
        }
    }

    /// Reads attributes up to and with the `>`.
    fn attributes_to_end(&mut self) -> TagEnd {
        let html = self.html;
        let mut at = self.at;
        let end = loop {
            let mut slash = false;
            while let Some(byte) = html.get(at).filter(|byte| is_space(**byte) || **byte == b'/') {
                slash = *byte == b'/';
                at += 1;
            }
            match html.get(at) {
                None => break TagEnd::Cut,
                Some(b'>') => {
                    at += 1;
                    break if slash { TagEnd::SelfClosing } else { TagEnd::Open };
                }
                Some(_) => {}
            }
            let name_start = at;
            at += 1;
            while html.get(at).is_some_and(|byte| !is_space(*byte) && !matches!(byte, b'=' | b'>' | b'/')) {
                at += 1;
            }
            let name = &html[name_start..at];
            let mut after = at;
            while html.get(after).is_some_and(|byte| is_space(*byte)) {
                after += 1;
            }
            if html.get(after) != Some(&b'=') {
                self.push(name, b"");
                continue;
            }
            at = after + 1;
            while html.get(at).is_some_and(|byte| is_space(*byte)) {
                at += 1;
            }
            match html.get(at) {
                None => break TagEnd::Cut,
                Some(b'>') => self.push(name, b""),
                Some(quote @ (b'"' | b'\'')) => {
                    let start = at + 1;
                    match memchr(*quote, &html[start..]) {
                        Some(len) => {
                            let value = &html[start..start + len];
                            if !self.is_strict
                                && is_url_attribute(name)
                                && let Some(cut) = unclosed_quote(value)
                            {
                                self.push(name, &value[..cut]);
                                at = start + cut + 1;
                                break TagEnd::Open;
                            }
                            self.push(name, value);
                            at = start + len + 1;
                        }
                        None => {
                            // A value cut off by the end may be a part of the URL only: it does not count.
                            let Some(cut) = memchr(b'>', &html[start..]).filter(|_| !self.is_strict) else {
                                at = html.len();
                                break TagEnd::Cut;
                            };
                            self.push(name, &html[start..start + cut]);
                            at = start + cut + 1;
                            break TagEnd::Open;
                        }
                    }
                }
                Some(_) => {
                    let start = at;
                    while html.get(at).is_some_and(|byte| !is_space(*byte) && *byte != b'>') {
                        at += 1;
                    }
                    if at == html.len() {
                        break TagEnd::Cut;
                    }
                    self.push(name, &html[start..at]);
                }
            }
        };
        self.at = at;
        end
    }

    fn push(&mut self, name: &'h [u8], value: &'h [u8]) {
        if self.attributes.len() < ATTRIBUTES_MAX {
            self.attributes.push(Attribute { name, value });
        }
    }

    /// What stands between the start tag that was just read and its end tag. Without an end tag all the rest, and in
    /// lenient manner the rest is read once more as markup.
    fn raw_text(&mut self, element: &'h [u8]) -> Option<Token<'h>> {
        let start = self.at;
        let is_script = element.eq_ignore_ascii_case(b"script");
        let no_end = if is_script { &mut self.no_script_end } else { &mut self.no_style_end };
        if *no_end && !self.is_strict {
            return None;
        }
        let end = if is_script {
            script_end(self.html, start, self.is_strict)
        } else if element.eq_ignore_ascii_case(b"plaintext") {
            None
        } else {
            raw_text_end(self.html, start, element)
        };
        match end {
            Some(end) => self.at = end,
            None if self.is_strict => self.at = self.html.len(),
            None => *no_end = true,
        }
        Some(Token::Raw { element, text: &self.html[start..end.unwrap_or(self.html.len())] })
    }
}

#[derive(PartialEq, Eq)]
enum TagEnd {
    Open,
    SelfClosing,
    /// The bytes ended before the tag did.
    Cut,
}

/// Attributes whose quotes are worth mending: a `>` before a `<` never stands in a URL.
fn is_url_attribute(name: &[u8]) -> bool {
    match name.len() {
        3 => name.eq_ignore_ascii_case(b"src"),
        4 => name.eq_ignore_ascii_case(b"href"),
        6 => name.eq_ignore_ascii_case(b"action"),
        _ => false,
    }
}

/// Where the value of a quote that was left open ends: at a `>` that is followed by another tag (faults.md F046).
fn unclosed_quote(value: &[u8]) -> Option<usize> {
    let first = memchr2(b'<', b'>', value)?;
    if value[first] == b'<' {
        return None;
    }
    let rest = &value[first..];
    let open = memchr(b'<', rest)?;
    rest.get(open + 1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/').then_some(first)
}

/// The place after the end of a comment whose content begins there.
fn comment_end(html: &[u8], content: usize) -> Option<usize> {
    if html[content..].starts_with(b">") {
        return Some(content + 1);
    }
    if html[content..].starts_with(b"->") {
        return Some(content + 2);
    }
    let mut at = content;
    loop {
        at += memchr(b'>', &html[at..])? + 1;
        let inside = &html[content..at - 1];
        if inside.ends_with(b"--") || inside.ends_with(b"--!") {
            return Some(at);
        }
    }
}

/// Place of the `</element` that ends raw text.
fn raw_text_end(html: &[u8], start: usize, element: &[u8]) -> Option<usize> {
    let mut at = start;
    loop {
        at += memmem::find(&html[at..], b"</")?;
        if is_tag(html, at + 2, element) {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether a tag of that name begins there, i.e. name and delimiter.
fn is_tag(html: &[u8], at: usize, name: &[u8]) -> bool {
    let end = at + name.len();
    html.get(at..end).is_some_and(|text| text.eq_ignore_ascii_case(name))
        && html.get(end).is_some_and(|byte| is_space(*byte) || matches!(byte, b'>' | b'/'))
}

/// Place of the `</script` that ends a script: not the one inside `<!-- <script> … </script> -->` (script data double
/// escaped state). If none is left then, the first one counts after all in lenient manner.
fn script_end(html: &[u8], start: usize, is_strict: bool) -> Option<usize> {
    #[derive(PartialEq)]
    enum State {
        Plain,
        Escaped(usize),
        DoubleEscaped(usize),
    }
    let mut state = State::Plain;
    let mut first = None;
    let mut at = start;
    while let Some(found) = memchr(b'<', &html[at..]) {
        let open = at + found;
        if let State::Escaped(since) | State::DoubleEscaped(since) = state
            && memmem::find(&html[since.max(at)..open], b"-->").is_some()
        {
            state = State::Plain;
        }
        at = open + 1;
        if is_tag(html, open + 2, b"script") && html[open + 1] == b'/' {
            match state {
                State::DoubleEscaped(since) => {
                    first = first.or(Some(open));
                    state = State::Escaped(since);
                }
                _ => return Some(open),
            }
        } else if state == State::Plain && html[open..].starts_with(b"<!--") {
            // The dashes of `<!-->` end it again.
            state = State::Escaped(open + 2);
            at = open + 2;
        } else if let State::Escaped(since) = state
            && is_tag(html, open + 1, b"script")
        {
            state = State::DoubleEscaped(since);
        }
    }
    first.filter(|_| !is_strict)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start tags and attributes as one text.
    fn tags(mut scanner: Scanner) -> String {
        let mut out = String::new();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        while let Some(token) = scanner.next() {
            match token {
                Token::Start { name } => {
                    out += &format!("<{}", text(name));
                    for a in scanner.attributes() {
                        out += &format!(" {}={}", text(a.name), text(a.value));
                    }
                    out += ">";
                }
                Token::Raw { text: raw, .. } => out += &format!("[{}]", text(raw)),
                Token::Text(t) => out += &text(t),
                Token::End { name } => out += &format!("</{}>", text(name)),
            }
        }
        out
    }

    fn check(html: &str, lenient: &str, strict: &str) {
        assert_eq!(tags(Scanner::new(html.as_bytes())), lenient, "lenient: {html}");
        assert_eq!(tags(Scanner::new(html.as_bytes()).strict()), strict, "strict: {html}");
    }

    fn same(html: &str, expected: &str) {
        check(html, expected, expected);
    }

    #[test]
    fn attributes() {
        same("<a href=x>", "<a href=x>");
        same("<A HREF = 'x y'  b c=\"\" d=>", "<A HREF=x y b= c= d=>");
        same("<img src='a'alt=b/>", "<img src=a alt=b/>");
        same("<br/><p =x>", "<br><p =x=>");
        same("<a title='a>b' href=x>", "<a title=a>b href=x>");
        same("1 < 2 <3 <", "");
    }

    #[test]
    fn comments() {
        same("<!-- <a> --><b>", "<b>");
        same("<!--><b><!---><i><!-- --!><u>", "<b><i><u>");
        same("<!doctype html><?xml <a?><b></><c></ d><e>", "<b><c><e>");
        check("<!-- <b>", "<b>", "");
        check("<!--[if IE]><b><![endif]--><i>", "<b><i>", "<i>");
        check("<![CDATA[<b>]]>", "<b>", "");
    }

    #[test]
    fn raw_text() {
        same("<script>'<a>'</script x><b>", "<script>['<a>']</script><b>");
        same("<style><a></styles></STYLE><b>", "<style>[<a></styles>]</STYLE><b>");
        same(
            "<script><!--<script></script>--></script><b>",
            "<script>[<!--<script></script>-->]</script><b>",
        );
        same("<script><!-- </script><b>", "<script>[<!-- ]</script><b>");
        same("<script><!--><script></script><b>", "<script>[<!--><script>]</script><b>");
        check("<script>x<b>", "<script>[x<b>]<b>", "<script>[x<b>]");
        check("<textarea><b></textarea>", "<textarea><b></textarea>", "<textarea>[<b>]</textarea>");
    }

    #[test]
    fn cut_and_unclosed() {
        check("<a href=\"/x\"", "<a href=/x>", "");
        check("<a href=\"/x", "", "");
        check("<a href=/x", "", "");
        check("<a href=\"y>1</a><a href=\"z\">", "<a href=y></a><a href=z>", "<a href=y>1</a><a href= z\"=>");
        check("<a href=\"y>1</a><b>", "<a href=y></a><b>", "");
    }
}
