//! A list of seeds as people write it. Follows Heritrix's `TextSeedModule`.
//!
//! One URL a line; `http://` is put in front where no scheme stands; `#` begins a comment, at the start or after a
//! blank; `+…` and `-…` are directives for the scope. The text as typed is kept beside what it was read as.

use surt::{CanonicalUrl, with_scheme};

/// A list that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SeedList {
    /// The seeds in order; repeated lines stay.
    pub seeds: Vec<Seed>,
    /// The directives in order.
    pub directives: Vec<Directive>,
    /// Lines that are neither.
    pub problems: Vec<SeedProblem>,
}

/// A seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// Its line, from 1.
    pub line: usize,
    /// What is crawled.
    pub url: CanonicalUrl,
    /// As typed, without blanks and comment: the source tag.
    pub text: String,
}

/// A line that begins with `+` or `-`: more or less scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Its line, from 1.
    pub line: usize,
    /// `+` or `-`.
    pub sign: char,
    /// What follows the sign: a SURT prefix, a URL or a host name.
    pub text: String,
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the seeds: `{text}` {reason}")]
pub struct SeedProblem {
    /// Its line, from 1.
    pub line: usize,
    /// As typed.
    pub text: String,
    /// What is wrong with it, to be read after the text.
    pub reason: String,
}

/// Reads a list. What cannot be read is among the problems; a caller that wants none refuses the list.
pub fn parse(text: &str) -> SeedList {
    let mut list = SeedList::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().flat_map(|line| line.split('\r')).enumerate() {
        let number = index + 1;
        let content = without_comment(line).trim();
        let Some(first) = content.chars().next() else { continue };
        if let '+' | '-' = first {
            let text = content[1..].trim().to_owned();
            list.directives.push(Directive { line: number, sign: first, text });
            continue;
        }
        match read_seed(content) {
            Ok(url) => list.seeds.push(Seed { line: number, url, text: content.to_owned() }),
            Err(reason) => list.problems.push(SeedProblem { line: number, text: content.to_owned(), reason }),
        }
    }
    list
}

/// Reads one seed as typed, e.g. on a command line.
///
/// # Errors
/// What is wrong, to be read after the text.
pub fn read_seed(text: &str) -> Result<CanonicalUrl, String> {
    let text = text.trim();
    if text.contains(char::is_whitespace) {
        return Err("has further words after the URL".to_owned());
    }
    if !text.starts_with(|first: char| first.is_alphanumeric() || first == '[') {
        return Err("is no URL: it begins with neither a letter nor a digit".to_owned());
    }
    let url = CanonicalUrl::parse(&with_scheme(text)).map_err(|error| format!("is no URL: {error}"))?;
    if url.is_http() && url.host().is_none() {
        return Err("is no URL: it has no host".to_owned());
    }
    Ok(url)
}

/// The text before a `#` that begins the line or follows a blank.
fn without_comment(line: &str) -> &str {
    let mut after_blank = true;
    for (at, letter) in line.char_indices() {
        if letter == '#' && after_blank {
            return &line[..at];
        }
        after_blank = letter.is_whitespace();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(text: &str) -> Vec<(usize, String, String)> {
        parse(text).seeds.into_iter().map(|seed| (seed.line, seed.url.to_string(), seed.text)).collect()
    }

    #[test]
    fn seeds_are_read() {
        let check =
            |line: &str, url: &str| assert_eq!(seeds(line), [(1, url.to_owned(), line.trim().to_owned())]);
        check("http://example.org", "http://example.org/");
        check("  example.org ", "http://example.org/");
        check("127.0.0.50:8050/sp/dir/", "http://127.0.0.50:8050/sp/dir/");
        check("localhost:8080", "http://localhost:8080/");
        check("ftp://127.0.0.50:1/x", "ftp://127.0.0.50:1/x");
        check("dns:keaton", "dns:keaton");
        check("http://a.example/#frag", "http://a.example/");
        check("http://a.example/?q=a%2Fb&back=c%252Fd", "http://a.example/?q=a%2Fb&back=c%252Fd");
        check("b\u{fc}cher.example".replace("\\u{fc}", "\u{fc}").as_str(), "http://xn--bcher-kva.example/");
    }

    #[test]
    fn comments_and_lines() {
        let text = "\u{feff}# first\r\n\r\na.example # comment\r\n\tb.example/#x\rc.example#no\n";
        let lines: Vec<_> = seeds(text).into_iter().map(|(line, url, _)| (line, url)).collect();
        let expected = [(3, "http://a.example/"), (4, "http://b.example/"), (5, "http://c.example/")];
        assert_eq!(lines, expected.map(|(line, url)| (line, url.to_owned())));
    }

    #[test]
    fn directives_and_problems() {
        let list = parse("+http://(org,example,\n- old.example/x # c\nnot a url at all\nhttp://\n*x\n");
        let directives: Vec<_> = list
            .directives
            .iter()
            .map(|directive| (directive.line, directive.sign, &*directive.text))
            .collect();
        assert_eq!(directives, [(1, '+', "http://(org,example,"), (2, '-', "old.example/x")]);
        let lines: Vec<_> = list.problems.iter().map(|problem| (problem.line, &*problem.text)).collect();
        assert_eq!(lines, [(3, "not a url at all"), (4, "http://"), (5, "*x")]);
        assert!(list.problems[1].to_string().starts_with("line 4 of the seeds: `http://` is no URL"));
    }
}
