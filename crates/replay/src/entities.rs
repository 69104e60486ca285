//! Character references in attributes, as far as they stand in URLs and styles.
//!
//! All numeric ones, and those named ones that can hide a part of a URL. Others stay as they are, which at worst makes a
//! link that is not found; what is left of `&` is written back as `&amp;`.

/// Names that may stand without `;` (WHATWG HTML, legacy references) are marked true.
const NAMED: [(&str, &str, bool); 26] = [
    ("amp", "&", true),
    ("AMP", "&", true),
    ("lt", "<", true),
    ("LT", "<", true),
    ("gt", ">", true),
    ("GT", ">", true),
    ("quot", "\"", true),
    ("QUOT", "\"", true),
    ("apos", "'", false),
    ("nbsp", "\u{a0}", true),
    ("Tab", "\t", false),
    ("NewLine", "\n", false),
    ("excl", "!", false),
    ("num", "#", false),
    ("dollar", "$", false),
    ("percnt", "%", false),
    ("lpar", "(", false),
    ("rpar", ")", false),
    ("plus", "+", false),
    ("comma", ",", false),
    ("period", ".", false),
    ("sol", "/", false),
    ("colon", ":", false),
    ("semi", ";", false),
    ("equals", "=", false),
    ("quest", "?", false),
];

/// The text that an attribute's source stands for.
pub(crate) fn decode(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match reference(rest) {
            Some((character, len)) => {
                text.push_str(&character);
                rest = &rest[len..];
            }
            None => text.push('&'),
        }
    }
    text.push_str(rest);
    text
}

/// The source of an attribute for a text; quotes are the serializer's business.
pub(crate) fn encode(text: &str) -> String {
    text.replace('&', "&amp;")
}

/// What the reference after an `&` stands for, and its length; `None` if it is none.
fn reference(rest: &str) -> Option<(String, usize)> {
    if let Some(number) = rest.strip_prefix('#') {
        return numeric(number).map(|(character, len)| (character.to_string(), len + 1));
    }
    let (name, character, without_semicolon) =
        NAMED.into_iter().find(|(name, ..)| rest.starts_with(name) && !follows_on(&rest[name.len()..]))?;
    let has_semicolon = rest[name.len()..].starts_with(';');
    (has_semicolon || without_semicolon)
        .then(|| (character.to_owned(), name.len() + usize::from(has_semicolon)))
}

/// In attributes `&amp=` and `&ampx` are no references (WHATWG HTML, 13.2.5.73).
fn follows_on(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '=')
}

fn numeric(number: &str) -> Option<(char, usize)> {
    let (radix, prefix_len) = if number.starts_with(['x', 'X']) { (16, 1) } else { (10, 0) };
    let digits = &number[prefix_len..];
    let n_digits = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if n_digits == 0 {
        return None;
    }
    let code = u32::from_str_radix(&digits[..n_digits], radix).unwrap_or(u32::MAX);
    let character = char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
    let has_semicolon = digits[n_digits..].starts_with(';');
    Some((character, prefix_len + n_digits + usize::from(has_semicolon)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        let check = |source: &str, expected: &str| assert_eq!(decode(source), expected);
        check("a?b&amp;c&ampd&amp=e&amp", "a?b&c&ampd&amp=e&");
        check("&#47;x&#x2F;y&#X2fz&#;&#x;", "/x/y\u{2fc}&#;&#x;".replace('\u{2fc}', "/z").as_str());
        check("http&colon;&sol;&sol;a&period;example", "http://a.example");
        check("&unknown;&&", "&unknown;&&");
        check("&#0;&#99999999999;", "\u{fffd}\u{fffd}");
        check("&quot;&lt;&apos&apos;", "\"<&apos'");
    }
}
