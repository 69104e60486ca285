//! Path patterns of `robots.txt`: a prefix with `*` for any run of bytes and a final `$` for the end (RFC 9309, 2.2.3).

use memchr::memmem;

/// Characters that a URL never carries as they are; written as escapes on both sides before comparing.
const NEVER_PLAIN: &[u8] = b"\"<>\\^`{|}";

/// A normalised pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The literal texts between the wildcards; never empty.
    literals: Vec<Vec<u8>>,
    /// Ends in `$`.
    is_anchored: bool,
    /// Length of the normalised text with its wildcards: the longest match decides.
    length: usize,
}

impl Pattern {
    /// Reads the value of an `Allow` or `Disallow` line; `None` if it is empty.
    pub(crate) fn parse(value: &[u8]) -> Option<Pattern> {
        if value.is_empty() {
            return None;
        }
        let (body, is_anchored) = match value.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (value, false),
        };
        let mut literals: Vec<Vec<u8>> = Vec::new();
        for (index, literal) in body.split(|byte| *byte == b'*').enumerate() {
            // `**` is `*`.
            if index > 1 && literal.is_empty() && literals.last().is_some_and(Vec::is_empty) {
                continue;
            }
            literals.push(normalized(literal));
        }
        if value[0] != b'/' && value[0] != b'*' {
            // `Disallow: private` is not in the grammar; crawlers read it as `/private`.
            literals[0].insert(0, b'/');
        }
        let length =
            literals.iter().map(Vec::len).sum::<usize>() + literals.len() - 1 + usize::from(is_anchored);
        Some(Pattern { literals, is_anchored, length })
    }

    /// How specific the pattern is.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// True if a path that went through [`normalized`] begins with the pattern. Linear: the leftmost place of each
    /// literal is right, since only `*` stands between them.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        let (first, others) = self.literals.split_first().expect("a split gives at least one part");
        let Some(mut rest) = path.strip_prefix(first.as_slice()) else { return false };
        let Some((last, middle)) = others.split_last() else { return !self.is_anchored || rest.is_empty() };
        for literal in middle {
            let Some(at) = memmem::find(rest, literal) else { return false };
            rest = &rest[at + literal.len()..];
        }
        match self.is_anchored {
            true => rest.ends_with(last),
            false => memmem::find(rest, last).is_some(),
        }
    }
}

/// One spelling for all that RFC 9309 2.2.2 compares as equal: escapes in upper case, unreserved characters plain, bytes
/// outside ASCII, controls, `*` and `$` as escapes.
pub(crate) fn normalized(text: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(text.len() + 8);
    let mut index = 0;
    while index < text.len() {
        match escape_at(&text[index..]) {
            Some(byte) => {
                match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => normal.push(byte),
                    _ => push_escape(&mut normal, byte),
                }
                index += 3;
            }
            None => {
                match text[index] {
                    byte @ (0..=b' ' | 0x7f.. | b'*' | b'$') => push_escape(&mut normal, byte),
                    byte if NEVER_PLAIN.contains(&byte) => push_escape(&mut normal, byte),
                    byte => normal.push(byte),
                }
                index += 1;
            }
        }
    }
    normal
}

/// The byte that an escape at the start of a text stands for.
fn escape_at(text: &[u8]) -> Option<u8> {
    let hex = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    match text {
        [b'%', high, low, ..] => Some(hex(*high)? << 4 | hex(*low)?),
        _ => None,
    }
}

fn push_escape(text: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    text.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str, expected: bool) {
        let matched = Pattern::parse(pattern.as_bytes()).unwrap().matches(&normalized(path.as_bytes()));
        assert_eq!(matched, expected, "{pattern} {path}");
    }

    #[test]
    fn prefixes_and_wildcards() {
        check("/fish", "/fish.html", true);
        check("/fish", "/Fish", false);
        check("/*.php", "/folder/any.php?x", true);
        check("/*.php$", "/folder/any.php?x", false);
        check("/*.php$", "/a.php.php", true);
        check("/a*a$", "/a", false);
        check("/a**b", "/axb", true);
        check("*", "/", true);
        check("/$", "/", true);
        check("fish", "/fish", true);
        check("/*", "/x", true);
        check("/x*$", "/xyz", true);
    }

    /// faults.md F018.
    #[test]
    fn escapes() {
        check("/*%2F*", "/a/b", false);
        check("/*%2F*", "/a%2fb", true);
        check("/f-%2A.html", "/f-*.html", true);
        check("/a$b", "/a$b", true);
        check("/%7Ejoe", "/~joe", true);
        check("/caf\u{e9}", "/caf%C3%A9", true);
        check("/a b", "/a%20b", true);
        check("/*?print", "/a?print=1", true);
        check("/%", "/%", true);
    }

    #[test]
    fn specificity_counts_wildcards() {
        assert_eq!(Pattern::parse(b"/a*b$").unwrap().length(), 5);
        assert_eq!(Pattern::parse(b"/*").unwrap().length(), 2);
        assert_eq!(Pattern::parse(b""), None);
    }
}
