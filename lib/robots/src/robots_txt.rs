//! `robots.txt` by RFC 9309: parsed once, asked for any agent.
//!
//! Beyond the RFC: `Crawl-delay`, `Sitemap`, a missing colon, usual misspellings, tags of an HTML page around the lines,
//! CR, LF or CRLF. Not copied: Heritrix's group choice (first listed name that is a *substring* of the whole User-Agent
//! header), by which `User-agent: e` would govern nearly every crawler.

use crate::pattern::{Pattern, normalized};

/// What is parsed of a file; the rest is ignored, with the line that the limit cuts. RFC 9309 2.5: at least 500 KiB.
pub const ROBOTS_BYTES_MAX: usize = 512 * 1024;

/// A parsed `robots.txt`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RobotsTxt {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
    is_truncated: bool,
    is_suspicious: bool,
}

/// An answer and the line it stems from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsDecision {
    /// May be fetched.
    pub allowed: bool,
    /// Number (from 1) and text of the line that decided; `None` if none matched.
    pub line: Option<(usize, String)>,
}

/// Agents that share rules.
#[derive(Debug, Clone, Default, PartialEq)]
struct Group {
    agents: Vec<Agent>,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq)]
struct Agent {
    /// Product token in lower case, `*` for all others.
    token: String,
    /// `Crawl-delay` is no rule and ends no list of agents (RFC 9309 2.2.4): it belongs to the agents above it alone.
    crawl_delay_seconds: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    allows: bool,
    pattern: Pattern,
    line_number: usize,
    line: String,
}

impl RobotsTxt {
    /// Reads a file. Never fails: what cannot be read is skipped. At most [`ROBOTS_BYTES_MAX`] are looked at.
    pub fn parse(bytes: &[u8]) -> RobotsTxt {
        match bytes {
            [0xff, 0xfe, rest @ ..] => Parser::run(utf16(rest, u16::from_le_bytes).as_bytes()),
            [0xfe, 0xff, rest @ ..] => Parser::run(utf16(rest, u16::from_be_bytes).as_bytes()),
            [0xef, 0xbb, 0xbf, rest @ ..] => Parser::run(rest),
            bytes => Parser::run(bytes),
        }
    }

    /// May the agent fetch this path (with query)? The longest matching rule decides, `Allow` among equals; no match
    /// allows. `/robots.txt` itself is always allowed. The agent is a product token: `bequest` of `bequest/1.0 (…)`.
    pub fn decide(&self, agent_token: &str, path_and_query: &str) -> RobotsDecision {
        let open = RobotsDecision { allowed: true, line: None };
        if path_and_query == "/robots.txt" {
            return open;
        }
        let path = normalized(path_and_query.as_bytes());
        let best = self
            .groups_of(agent_token)
            .flat_map(|group| &group.rules)
            .filter(|rule| rule.pattern.matches(&path))
            // The first of equals, so that `explain` names the line a reader finds first.
            .reduce(|best, rule| if rule.strength() > best.strength() { rule } else { best });
        match best {
            Some(rule) => {
                RobotsDecision { allowed: rule.allows, line: Some((rule.line_number, rule.line.clone())) }
            }
            None => open,
        }
    }

    /// Seconds that the agent's group asks between requests: the largest if several do. `None` if none does.
    pub fn crawl_delay(&self, agent_token: &str) -> Option<f64> {
        let token = self.governing_token(agent_token);
        let agents = self.groups.iter().flat_map(|group| &group.agents).filter(|agent| agent.token == token);
        agents.filter_map(|agent| agent.crawl_delay_seconds).reduce(f64::max)
    }

    /// The values of `Sitemap` lines in order, as written: usually absolute URLs.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// True if a group names the agent itself, not only `*`.
    pub fn names(&self, agent_token: &str) -> bool {
        let token = product_token(agent_token);
        self.groups.iter().any(|group| group.names(&token))
    }

    /// The file was longer than [`ROBOTS_BYTES_MAX`]; its rest was ignored.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// No line could be read and it looks like an HTML page: allowed, but worth a look.
    pub fn is_suspicious(&self) -> bool {
        self.is_suspicious
    }

    /// All groups that name the agent; those for `*` if none does (RFC 9309 2.2.1).
    fn groups_of(&self, agent_token: &str) -> impl Iterator<Item = &Group> {
        let token = self.governing_token(agent_token);
        self.groups.iter().filter(move |group| group.names(&token))
    }

    fn governing_token(&self, agent_token: &str) -> String {
        let token = product_token(agent_token);
        match self.groups.iter().any(|group| group.names(&token)) {
            true => token,
            false => "*".to_owned(),
        }
    }
}

impl Group {
    fn names(&self, token: &str) -> bool {
        self.agents.iter().any(|agent| agent.token == token)
    }
}

impl Rule {
    fn strength(&self) -> (usize, bool) {
        (self.pattern.length(), self.allows)
    }
}

/// The part of an agent's name that is compared, in lower case: up to a blank, `/` or the like.
fn product_token(text: &str) -> String {
    let text = text.trim();
    if text == "*" || text.starts_with("* ") {
        return "*".to_owned();
    }
    let end = text
        .find(|letter: char| letter.is_whitespace() || matches!(letter, '/' | ';' | ',' | '(' | ')' | '*'))
        .unwrap_or(text.len());
    text[..end].to_lowercase()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).take(ROBOTS_BYTES_MAX / 2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Reads lines into groups.
#[derive(Default)]
struct Parser {
    robots: RobotsTxt,
    /// The last line of substance was `User-agent`: the next one joins the same group.
    collects_agents: bool,
    lines_read: usize,
}

impl Parser {
    fn run(bytes: &[u8]) -> RobotsTxt {
        let mut parser = Parser::default();
        let whole = bytes.len() <= ROBOTS_BYTES_MAX;
        let bytes = match whole {
            true => bytes,
            false => {
                let head = &bytes[..ROBOTS_BYTES_MAX];
                &head[..head.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(0)]
            }
        };
        let mut number = 0;
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            number += 1;
            parser.line(number, &rest[..end]);
            let newline = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
            rest = rest.get(end + newline..).unwrap_or_default();
        }
        parser.robots.is_truncated = !whole;
        parser.robots.is_suspicious = parser.lines_read == 0 && looks_like_html(bytes);
        parser.robots
    }

    fn line(&mut self, number: usize, line: &[u8]) {
        let Some((key, value)) = key_and_value(line) else { return };
        self.lines_read += 1;
        match key {
            Key::Agent => self.agent(value),
            Key::Allow | Key::Disallow => self.rule(number, key == Key::Allow, value, line),
            Key::CrawlDelay => {
                if let (Some(group), Some(seconds)) = (self.robots.groups.last_mut(), seconds(value)) {
                    for agent in &mut group.agents {
                        agent.crawl_delay_seconds.get_or_insert(seconds);
                    }
                }
            }
            Key::Sitemap if !value.is_empty() => {
                self.robots.sitemaps.push(String::from_utf8_lossy(value).into_owned());
            }
            Key::Sitemap => {}
        }
    }

    fn agent(&mut self, value: &[u8]) {
        if !self.collects_agents {
            self.robots.groups.push(Group::default());
            self.collects_agents = true;
        }
        let token = product_token(&String::from_utf8_lossy(value));
        let group = self.robots.groups.last_mut().expect("pushed above or before");
        if !token.is_empty() {
            group.agents.push(Agent { token, crawl_delay_seconds: None });
        }
    }

    fn rule(&mut self, number: usize, allows: bool, value: &[u8], line: &[u8]) {
        // An empty rule, too, ends the list of agents: the group exists and allows everything (faults.md F023).
        self.collects_agents = false;
        // Rules before any agent belong to nobody (RFC 9309 2.2.1).
        let Some(group) = self.robots.groups.last_mut() else { return };
        let Some(pattern) = Pattern::parse(value) else { return };
        let line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        // Who allows the index page allows its folder: not in the RFC, but all big parsers agree.
        if let Some(folder) = folder_of_index(value).filter(|_| allows)
            && let Some(pattern) = Pattern::parse(&folder)
        {
            group.rules.push(Rule { allows, pattern, line_number: number, line: line.clone() });
        }
        group.rules.push(Rule { allows, pattern, line_number: number, line });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Agent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

impl Key {
    fn parse(key: &[u8]) -> Option<Key> {
        let is = |names: &[&str]| names.iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()));
        if is(&["user-agent", "useragent", "user agent"]) {
            return Some(Key::Agent);
        }
        // The misspellings are those that Google's parser accepts as well.
        if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
            return Some(Key::Disallow);
        }
        if is(&["allow"]) {
            return Some(Key::Allow);
        }
        if is(&["crawl-delay", "crawldelay"]) {
            return Some(Key::CrawlDelay);
        }
        is(&["sitemap", "site-map"]).then_some(Key::Sitemap)
    }
}

/// A line's key and value, without comment, blanks and tags; `None` if it has none that is known.
fn key_and_value(line: &[u8]) -> Option<(Key, &[u8])> {
    let line = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
    let line = without_tags(line.trim_ascii());
    let colon = line.iter().position(|byte| *byte == b':');
    if let Some(colon) = colon
        && let Some(key) = Key::parse(line[..colon].trim_ascii())
    {
        return Some((key, line[colon + 1..].trim_ascii()));
    }
    // `Disallow /x`: a key, blanks and one word.
    let blank = line.iter().position(u8::is_ascii_whitespace)?;
    let value = line[blank..].trim_ascii();
    let is_one_word = !value.iter().any(u8::is_ascii_whitespace);
    Some((Key::parse(&line[..blank])?, value)).filter(|_| is_one_word)
}

/// A line of an HTML page without the tags around it: `<p>Disallow: /x<br>`.
fn without_tags(mut line: &[u8]) -> &[u8] {
    while line.starts_with(b"<") {
        match memchr::memchr(b'>', line) {
            Some(end) => line = line[end + 1..].trim_ascii_start(),
            None => return b"",
        }
    }
    while line.ends_with(b">") {
        match memchr::memrchr(b'<', line) {
            Some(start) => line = line[..start].trim_ascii_end(),
            None => break,
        }
    }
    line
}

/// `/x/$` for `/x/index.html`.
fn folder_of_index(value: &[u8]) -> Option<Vec<u8>> {
    let slash = memchr::memrchr(b'/', value)?;
    value[slash + 1..].starts_with(b"index.htm").then(|| [&value[..=slash], b"$"].concat())
}

/// The number that a value begins with; not below zero, not infinite.
fn seconds(value: &[u8]) -> Option<f64> {
    let length = value.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let seconds: f64 = std::str::from_utf8(&value[..length]).ok()?.parse().ok()?;
    seconds.is_finite().then_some(seconds)
}

fn looks_like_html(bytes: &[u8]) -> bool {
    let head = bytes[..bytes.len().min(1024)].to_ascii_lowercase();
    memchr::memmem::find(&head, b"<html").is_some() || memchr::memmem::find(&head, b"<!doctype").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(robots: impl AsRef<[u8]>, cases: &[(&str, bool)]) {
        let robots = RobotsTxt::parse(robots.as_ref());
        for (path, allowed) in cases {
            assert_eq!(robots.decide("OurBot", path).allowed, *allowed, "{path}");
        }
    }

    /// faults.md F015.
    #[test]
    fn byte_order_marks() {
        check("\u{feff}User-agent: *\nDisallow: /\n", &[("/x", false)]);
        let utf16: Vec<u8> =
            "\u{feff}User-agent: *\nDisallow: /\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(utf16, &[("/x", false)]);
        assert_eq!(RobotsTxt::parse("\u{feff}Sitemap: http://a/s".as_bytes()).sitemaps(), ["http://a/s"]);
    }

    /// faults.md F016, F023.
    #[test]
    fn groups() {
        let text = "User-agent: a\n\nUser-agent: ourbot\nDisallow: /1\n\nUser-agent: *\nDisallow: /2\n\n\
                    User-agent: ourbot\nDisallow: /3\n";
        check(text, &[("/1", false), ("/2", true), ("/3", false)]);
        check("User-agent: *\nDisallow: /\n\nUser-agent: ourbot\nDisallow:\n", &[("/x", true)]);
        check("User-agent: ourbot/2.1\nDisallow: /\n", &[("/x", false), ("/robots.txt", true)]);
        check("Disallow: /\nUser-agent: x\nDisallow: /\n", &[("/x", true)]);
        let index = "User-agent: *\nDisallow: /\nAllow: /a/index.html\n";
        check(index, &[("/a/", true), ("/a/index.html", true), ("/a/b", false)]);
    }

    /// faults.md F018, F026.
    #[test]
    fn paths() {
        let text = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /*?print\nDisallow: /*%2F*\nDisallow: /f-%2A.html\n\
                    Allow: /ok\nDisallow: /hide?\nDisallow: /*&action=edit\n";
        check(text, &[("/a.pdf", false), ("/a.pdf?x", true), ("/a?print=1", false), ("/a/b", true)]);
        check(
            text,
            &[("/a%2Fb", false), ("/f-*.html", false), ("/hide?id=1", false), ("/?a&action=edit", false)],
        );
    }

    /// faults.md F025.
    #[test]
    fn size() {
        let mut text = "User-agent: *\n".to_owned();
        text.push_str(&"#".repeat(5_000));
        text.push_str("\nDisallow: /secret/\n");
        text.push_str(&"# filling\n".repeat((499 * 1024 - text.len()) / 10));
        text.push_str("Disallow: /late/\n");
        text.push_str(&"#".repeat(ROBOTS_BYTES_MAX - text.len() - 13));
        text.push_str("\nDisallow: /cut");
        text.push_str(&"x".repeat(100_000));
        check(&text, &[("/secret/x", false), ("/late/", false), ("/cu", true), ("/cut", true)]);
        assert!(RobotsTxt::parse(text.as_bytes()).is_truncated());
    }

    /// faults.md F028.
    #[test]
    fn odd_lines() {
        check(
            ":\n:Disallow\nDisallow:/a:\nDisallow /b\n\u{fffd}Disallow: /c\ruser-agent:*\rdisallow:/d\n",
            &[("/a:", true), ("/d", false)],
        );
        check("<html><p>User-agent: *<br>\n<p>Disallow: /x</p>\n", &[("/x", false)]);
        let page = RobotsTxt::parse(b"<!DOCTYPE html><html><body>not found</body></html>");
        assert!(page.is_suspicious() && page.decide("x", "/").allowed);
        check("User-agent *\nDisallow /x\n", &[("/x", false)]);
    }

    #[test]
    fn lines_and_delays() {
        let robots =
            RobotsTxt::parse(b"User-agent: *\r\nDisallow: /a # c\r\nAllow: /a\r\nCrawl-delay: 2.5 s\r\n");
        assert_eq!(robots.decide("x", "/a").line, Some((3, "Allow: /a".into())));
        assert_eq!((robots.crawl_delay("x"), robots.names("x")), (Some(2.5), false));
        assert_eq!(RobotsTxt::parse(b"User-agent: *\nCrawl-delay: -1\n").crawl_delay("x"), None);
    }
}
