//! What a page asks of robots: `meta name=robots` and the header `X-Robots-Tag`. No standard; the words are those that
//! the search engines document.

/// What a page asks. Merge all that apply with [`PageRobots::and`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageRobots {
    /// Do not follow links.
    pub nofollow: bool,
    /// Do not show in search.
    pub noindex: bool,
    /// Do not show a cached copy.
    pub noarchive: bool,
}

/// Words that stand before a colon without being an agent's name.
const WORDS_WITH_VALUE: [&str; 4] =
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

impl PageRobots {
    /// Reads the `content` of a `meta name=robots`: words between commas or blanks, in any case.
    pub fn of_meta(content: &str) -> PageRobots {
        let mut asked = PageRobots::default();
        for word in content.split(|letter: char| letter == ',' || letter == ';' || letter.is_whitespace()) {
            match word.to_ascii_lowercase().as_str() {
                "none" => (asked.noindex, asked.nofollow) = (true, true),
                "noindex" => asked.noindex = true,
                "nofollow" => asked.nofollow = true,
                "noarchive" | "nocache" => asked.noarchive = true,
                _ => {}
            }
        }
        asked
    }

    /// Reads the value of one `X-Robots-Tag` header. An agent before a colon (`otherbot: noindex`) governs the words
    /// after it until the next agent; words for other agents are not ours.
    pub fn of_header(value: &str, agent_token: &str) -> PageRobots {
        let mut asked = PageRobots::default();
        let mut is_ours = true;
        for part in value.split(',') {
            let words = match part.split_once(':') {
                Some((agent, words)) if is_agent(agent.trim()) => {
                    let agent = agent.trim();
                    is_ours = agent == "*" || agent.eq_ignore_ascii_case(agent_token);
                    words
                }
                _ => part,
            };
            if is_ours {
                asked = asked.and(PageRobots::of_meta(words));
            }
        }
        asked
    }

    /// What either of two asks.
    pub fn and(self, other: PageRobots) -> PageRobots {
        PageRobots {
            nofollow: self.nofollow || other.nofollow,
            noindex: self.noindex || other.noindex,
            noarchive: self.noarchive || other.noarchive,
        }
    }
}

fn is_agent(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(char::is_whitespace)
        && !WORDS_WITH_VALUE.iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn asked(nofollow: bool, noindex: bool, noarchive: bool) -> PageRobots {
        PageRobots { nofollow, noindex, noarchive }
    }

    #[test]
    fn meta() {
        let check = |content: &str, expected| assert_eq!(PageRobots::of_meta(content), expected, "{content}");
        check("NoIndex, nofollow", asked(true, true, false));
        check("none", asked(true, true, false));
        check("index,follow,noarchive", asked(false, false, true));
        check("nofollow noindex", asked(true, true, false));
        check("", asked(false, false, false));
    }

    #[test]
    fn header() {
        let check =
            |value: &str, expected| assert_eq!(PageRobots::of_header(value, "ourbot"), expected, "{value}");
        check("noindex", asked(false, true, false));
        check("otherbot: noindex, nofollow", asked(false, false, false));
        check("OurBot: nofollow, otherbot: noindex", asked(true, false, false));
        check("unavailable_after: 25 Jun 2010 15:00:00 PST, noarchive", asked(false, false, true));
    }
}
