//! What a host's robots.txt is, and what follows from it: an oracle of its own, written from RFC 9309.

/// What a host answers when asked for robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RobotsPlan {
    /// 200 with rules against some paths.
    Rules {
        /// Adds `Crawl-delay`, seconds.
        crawl_delay_s: Option<u32>,
        /// The crawler is named, with rules of its own; the `*` group forbids everything.
        names_agent: bool,
    },
    /// 200 with rules that forbid everything.
    Forbidding,
    /// 200, nothing in it.
    Empty,
    /// A client error: all is allowed (RFC 9309, 2.3.1.3).
    Missing(u16),
    /// A server error: nothing is allowed (RFC 9309, 2.3.1.4).
    ServerError,
    /// Never answered: nothing is allowed (RFC 9309, 2.3.1.4).
    NeverAnswers,
}

/// Paths that [`RobotsPlan::Rules`] forbid, and exceptions from them.
const RULES: [(bool, &str); 4] =
    [(false, "/private/"), (true, "/private/open/"), (false, "/*.cgi$"), (false, "/*?print=")];

impl RobotsPlan {
    /// The text, if there is one. `sitemaps` are absolute URLs.
    pub fn text(&self, agent: &str, sitemaps: &[String]) -> Option<String> {
        let mut text = String::new();
        match *self {
            RobotsPlan::Rules { crawl_delay_s, names_agent } => {
                text.push_str("# Rules of a false host\nUser-agent: otherbot\nDisallow: /\n\n");
                if names_agent {
                    text.push_str("User-agent: *\nDisallow: /\n\n");
                }
                text.push_str(&format!("User-Agent: {}\n", if names_agent { agent } else { "*" }));
                for (allow, path) in RULES {
                    text.push_str(&format!("{}: {path}\n", if allow { "Allow" } else { "Disallow" }));
                }
                if let Some(seconds) = crawl_delay_s {
                    text.push_str(&format!("Crawl-delay: {seconds}\n"));
                }
            }
            RobotsPlan::Forbidding => text.push_str("User-agent: *\nDisallow: /\n"),
            RobotsPlan::Empty => {}
            RobotsPlan::Missing(_) | RobotsPlan::ServerError | RobotsPlan::NeverAnswers => return None,
        }
        for sitemap in sitemaps {
            text.push_str(&format!("\nSitemap: {sitemap}\n"));
        }
        Some(text)
    }

    /// True if robots.txt allows to fetch that path (with query).
    pub fn allows(&self, path: &str) -> bool {
        match self {
            RobotsPlan::Rules { .. } => {
                // The longest pattern wins, an Allow among equals (RFC 9309, 2.2.2).
                let matching = RULES.iter().filter(|(_, pattern)| matches(pattern, path));
                matching
                    .max_by_key(|(allow, pattern)| (pattern.len(), *allow))
                    .is_none_or(|(allow, _)| *allow)
            }
            RobotsPlan::Empty | RobotsPlan::Missing(_) => true,
            RobotsPlan::Forbidding | RobotsPlan::ServerError | RobotsPlan::NeverAnswers => false,
        }
    }

    /// True if nothing is allowed because robots.txt could not be read.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, RobotsPlan::ServerError | RobotsPlan::NeverAnswers)
    }

    /// The delay it asks for, seconds.
    pub fn crawl_delay_s(&self) -> Option<u32> {
        match self {
            RobotsPlan::Rules { crawl_delay_s, .. } => *crawl_delay_s,
            _ => None,
        }
    }
}

/// `*` stands for any text, a final `$` for the end.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, to_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let Some((before, after)) = pattern.split_once('*') else {
        return if to_end { path == pattern } else { path.starts_with(pattern) };
    };
    let Some(rest) = path.strip_prefix(before) else { return false };
    if to_end { rest.ends_with(after) } else { rest.contains(after) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, allowed: bool) {
        let plan = RobotsPlan::Rules { crawl_delay_s: None, names_agent: false };
        assert_eq!(plan.allows(path), allowed, "{path}");
    }

    #[test]
    fn rules() {
        check("/", true);
        check("/private/a.html", false);
        check("/private", true);
        check("/private/open/a.html", true);
        check("/cgi/run.cgi", false);
        check("/cgi/run.cgi?a=1", true);
        check("/a.html?print=1", false);
    }

    #[test]
    fn the_named_agent_has_its_own_group() {
        let text =
            RobotsPlan::Rules { crawl_delay_s: Some(7), names_agent: true }.text("bequest", &[]).unwrap();
        assert!(text.contains("User-agent: *\nDisallow: /\n"));
        assert!(text.contains("User-Agent: bequest\nDisallow: /private/\n"));
        assert!(text.contains("Crawl-delay: 7\n"));
    }
}
