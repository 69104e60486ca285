//! Style sheets: `url()`, `@import` and the strings of `image-set()`.
//!
//! Cuts bytes into just as many tokens as needed (CSS Syntax 3), so that comments, strings and escapes do not mislead it;
//! everything else passes through byte for byte, whatever its encoding.

use encoding_rs::Encoding;

use crate::{Links, Modifier};

/// The style sheet with its references rewritten; `None` if there is nothing to change.
pub fn rewrite_css(css: &[u8], encoding: &'static Encoding, links: &Links) -> Option<Vec<u8>> {
    let mut scanner = Scanner {
        css,
        encoding,
        links,
        at: 0,
        copied: 0,
        out: Vec::new(),
        rule: Rule::Other,
        image_set: None,
        depth: 0,
    };
    scanner.run();
    if scanner.copied == 0 {
        return None;
    }
    scanner.out.extend_from_slice(&css[scanner.copied..]);
    Some(scanner.out)
}

/// The at-rule that is being read, as far as references in it differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Other,
    /// A string is a style sheet.
    Import,
    /// A URL is a name and never loaded.
    Namespace,
}

struct Scanner<'a> {
    css: &'a [u8],
    encoding: &'static Encoding,
    links: &'a Links,
    at: usize,
    /// What lies before is in `out`.
    copied: usize,
    out: Vec<u8>,
    rule: Rule,
    /// Depth of brackets inside `image-set(`: strings there are images.
    image_set: Option<usize>,
    depth: usize,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.css.get(self.at) {
            match byte {
                b'/' if self.css[self.at..].starts_with(b"/*") => self.skip_comment(),
                b'"' | b'\'' => self.string(byte),
                b'\\' => self.at += 2,
                b'@' => self.at_keyword(),
                b';' | b'{' | b'}' => {
                    self.rule = Rule::Other;
                    self.at += 1;
                }
                b'(' => {
                    self.depth += 1;
                    self.at += 1;
                }
                b')' => self.close(),
                _ if is_name(byte) => self.name(),
                _ => self.at += 1,
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.css[self.at + 2..];
        let len = rest.windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |index| index + 2);
        self.at += 2 + len;
    }

    fn close(&mut self) {
        if self.image_set == Some(self.depth) {
            self.image_set = None;
        }
        self.depth = self.depth.saturating_sub(1);
        self.at += 1;
    }

    fn at_keyword(&mut self) {
        self.at += 1;
        let keyword = self.take_name().to_ascii_lowercase();
        self.rule = match keyword.as_slice() {
            b"import" => Rule::Import,
            b"namespace" => Rule::Namespace,
            _ => Rule::Other,
        };
    }

    fn name(&mut self) {
        let start = self.at;
        let name = self.take_name().to_ascii_lowercase();
        if self.css.get(self.at) != Some(&b'(') {
            return;
        }
        match name.as_slice() {
            b"url" | b"src" => self.url(start),
            b"image-set" | b"-webkit-image-set" => {
                self.depth += 1;
                self.image_set = Some(self.depth);
                self.at += 1;
            }
            _ => {}
        }
    }

    fn take_name(&mut self) -> &[u8] {
        let rest = &self.css[self.at..];
        let len = rest.iter().position(|byte| !is_name(*byte)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// A string by itself: a reference after `@import` and in `image-set()`.
    fn string(&mut self, quote: u8) {
        let start = self.at;
        let (text, end) = self.read_string(start + 1, quote);
        self.at = end;
        let modifier = match (self.rule, self.image_set) {
            (Rule::Import, _) => Modifier::Style,
            (_, Some(depth)) if depth == self.depth => Modifier::Image,
            _ => return,
        };
        if self.rule == Rule::Import {
            // Only the first string of an import is its URL; what follows are conditions.
            self.rule = Rule::Other;
        }
        self.replace(start, end, &text, modifier, "");
    }

    /// `url(…)`, quoted or not; `start` is where its name begins, `at` its bracket.
    fn url(&mut self, start: usize) {
        let mut at = skip_blanks(self.css, self.at + 1);
        let text = match self.css.get(at) {
            Some(quote @ (b'"' | b'\'')) => {
                let (text, end) = self.read_string(at + 1, *quote);
                at = skip_blanks(self.css, end);
                text
            }
            _ => {
                let (text, end) = read_bare(self.css, at);
                at = end;
                text
            }
        };
        if self.css.get(at).is_some_and(|byte| *byte != b')') {
            // A bad URL: the browser drops the declaration up to its bracket.
            self.at = at;
            self.depth += 1;
            return;
        }
        self.at = (at + 1).min(self.css.len());
        if self.rule == Rule::Namespace {
            return;
        }
        let modifier = if self.rule == Rule::Import { Modifier::Style } else { Modifier::Image };
        self.replace(start, self.at, &text, modifier, "url");
    }

    /// The characters of a string that began before `from`, and where it ends: after its quote, or before a line end.
    fn read_string(&self, from: usize, quote: u8) -> (Vec<u8>, usize) {
        let mut text = Vec::new();
        let mut at = from;
        while let Some(&byte) = self.css.get(at) {
            match byte {
                b'\n' | b'\r' | b'\x0c' => return (text, at),
                b'\\' => at = unescape(self.css, at, &mut text),
                _ if byte == quote => return (text, at + 1),
                _ => {
                    text.push(byte);
                    at += 1;
                }
            }
        }
        (text, at)
    }

    fn replace(&mut self, start: usize, end: usize, text: &[u8], modifier: Modifier, function: &str) {
        let (reference, _) = self.encoding.decode_without_bom_handling(text);
        if reference.trim().is_empty() {
            return;
        }
        let Some(link) = self.links.rewrite(&reference, modifier) else { return };
        self.out.extend_from_slice(&self.css[self.copied..start]);
        let link = link.replace('\\', "\\\\").replace('"', "%22");
        let quoted =
            if function.is_empty() { format!("\"{link}\"") } else { format!("{function}(\"{link}\")") };
        self.out.extend_from_slice(quoted.as_bytes());
        self.copied = end;
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' || byte >= 0x80
}

fn skip_blanks(css: &[u8], from: usize) -> usize {
    from + css[from.min(css.len())..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The characters of an unquoted URL and where it ends: at its bracket, or where it is broken.
fn read_bare(css: &[u8], from: usize) -> (Vec<u8>, usize) {
    let mut text = Vec::new();
    let mut at = from;
    while let Some(&byte) = css.get(at) {
        match byte {
            b')' => break,
            b'"' | b'\'' | b'(' => break,
            b'\\' => at = unescape(css, at, &mut text),
            _ if byte.is_ascii_whitespace() => {
                at = skip_blanks(css, at);
                break;
            }
            _ => {
                text.push(byte);
                at += 1;
            }
        }
    }
    (text, at)
}

/// Reads the escape at `at` (a backslash) and gives where it ends. CSS Syntax 3, 4.3.7.
fn unescape(css: &[u8], at: usize, text: &mut Vec<u8>) -> usize {
    let rest = &css[at + 1..];
    let n_digits = rest.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    if n_digits == 0 {
        return match rest.first() {
            None => at + 1,
            Some(b'\r') if rest.get(1) == Some(&b'\n') => at + 3,
            Some(b'\n' | b'\r' | b'\x0c') => at + 2,
            Some(byte) => {
                text.push(*byte);
                at + 2
            }
        };
    }
    let digits = std::str::from_utf8(&rest[..n_digits]).expect("hexadecimal digits are ASCII");
    let number = u32::from_str_radix(digits, 16).expect("six hexadecimal digits fit");
    let character = char::from_u32(number).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    let after = at + 1 + n_digits;
    after + usize::from(css.get(after).is_some_and(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(css: &str, expected: &str) {
        let base = url::Url::parse("http://a.example/d/s.css").unwrap();
        let links = Links::new(&base, "1");
        let rewritten = rewrite_css(css.as_bytes(), encoding_rs::UTF_8, &links);
        let shown =
            rewritten.map(|bytes| String::from_utf8(bytes).unwrap()).unwrap_or_else(|| css.to_owned());
        let short =
            shown.replace("/web/1im_/http://a.example", "I:").replace("/web/1cs_/http://a.example", "S:");
        assert_eq!(short, expected, "{css}");
    }

    #[test]
    fn urls() {
        check("a{background:url(x.png)}", r#"a{background:url("I:/d/x.png")}"#);
        check("a{b:URL( \"/x.png\" )}", r#"a{b:url("I:/x.png")}"#);
        check("a{b:url('x.png' ) no-repeat}", r#"a{b:url("I:/d/x.png") no-repeat}"#);
        check(
            "src: url(a.woff) format('woff'), url(b.ttf)",
            r#"src: url("I:/d/a.woff") format('woff'), url("I:/d/b.ttf")"#,
        );
        check(r"a{b:url(x\29 y\.png)}", r#"a{b:url("I:/d/x)y.png")}"#);
        check("a{b:url(\"x\\\ny\")}", r#"a{b:url("I:/d/xy")}"#);
        check("a{b:url(x", r#"a{b:url("I:/d/x")"#);
    }

    #[test]
    fn imports() {
        check("@import 'x.css' screen;", "@import \"S:/d/x.css\" screen;");
        check("@IMPORT url(x.css);@import\"y.css\";", "@IMPORT url(\"S:/d/x.css\");@import\"S:/d/y.css\";");
        check(
            "@import 'a.css' layer(x) supports(content: 'y');",
            "@import \"S:/d/a.css\" layer(x) supports(content: 'y');",
        );
        check("@import /* c */ 'x';", "@import /* c */ \"S:/d/x\";");
    }

    #[test]
    fn image_sets() {
        check(
            "b: image-set('a.png' 1x, 'b.png' type('image/png') 2x) 'c'",
            "b: image-set(\"I:/d/a.png\" 1x, \"I:/d/b.png\" type('image/png') 2x) 'c'",
        );
    }

    #[test]
    fn left_alone() {
        for css in [
            "/* url(x) */ a{}",
            "a:before{content:'url(x)'}",
            "a{b:url(data:image/png;base64,AA==)}",
            "a{b:url(#clip)}",
            "a{b:url()}",
            "a{b:url(x y)}",
            "@namespace svg url(http://www.w3.org/2000/svg);",
            "a{b:my-url(x)}",
            "a{b:\\75rl(x)}",
            "@charset \"utf-8\";",
            "a:b('c'",
            "\\",
            "",
        ] {
            check(css, css);
        }
    }

    #[test]
    fn bytes_of_any_encoding_pass_through() {
        let links = Links::new(&url::Url::parse("http://a.example/").unwrap(), "1");
        let css = b"a{content:'\xe4';b:url(\xe4)}";
        let rewritten = rewrite_css(css, encoding_rs::WINDOWS_1252, &links).unwrap();
        assert_eq!(rewritten, b"a{content:'\xe4';b:url(\"/web/1im_/http://a.example/%C3%A4\")}");
    }
}
