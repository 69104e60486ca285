//! Hop letters and the path from a seed (Heritrix `Hop`, `pathFromSeed`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a URL was found on its via.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Hop {
    /// `L`: a link a person would click.
    Navlink,
    /// `E`: needed to show the page.
    Embed,
    /// `X`: guessed, e.g. out of a script.
    Speculative,
    /// `R`: redirect or refresh.
    Redirect,
    /// `P`: must be fetched first (DNS, robots.txt).
    Prerequisite,
    /// `I`: not written on the page, but likely to exist (favicon).
    Inferred,
    /// `M`: listed by a sitemap.
    Manifest,
    /// `S`: submission of a form.
    Submit,
}

impl Hop {
    /// All hops, in the order of the variants.
    pub const ALL: [Hop; 8] = [
        Hop::Navlink,
        Hop::Embed,
        Hop::Speculative,
        Hop::Redirect,
        Hop::Prerequisite,
        Hop::Inferred,
        Hop::Manifest,
        Hop::Submit,
    ];

    /// The letter in logs and paths.
    pub fn letter(self) -> char {
        match self {
            Hop::Navlink => 'L',
            Hop::Embed => 'E',
            Hop::Speculative => 'X',
            Hop::Redirect => 'R',
            Hop::Prerequisite => 'P',
            Hop::Inferred => 'I',
            Hop::Manifest => 'M',
            Hop::Submit => 'S',
        }
    }

    /// The hop of a letter; `None` for any other.
    pub fn from_letter(letter: char) -> Option<Hop> {
        Hop::ALL.into_iter().find(|hop| hop.letter() == letter)
    }
}

/// Longest run of letters that is kept; what lies before is counted only (Heritrix: 50).
const LETTERS_MAX: usize = 50;

/// The hops from the seed to a URL, oldest first. Empty for seeds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct HopPath {
    /// Hops that fell off the front.
    overflow: u32,
    letters: String,
}

impl HopPath {
    /// The path of a seed.
    pub fn seed() -> HopPath {
        HopPath::default()
    }

    /// Reads the form of crawl.log (`LLE`, `3+LL…`, `-` or empty); `None` for anything else.
    pub fn parse(text: &str) -> Option<HopPath> {
        let (overflow, letters) = match text.split_once('+') {
            Some((count, letters)) => (count.parse().ok()?, letters),
            None => (0, if text == "-" { "" } else { text }),
        };
        letters
            .chars()
            .all(|letter| Hop::from_letter(letter).is_some())
            .then(|| HopPath { overflow, letters: letters.to_owned() })
    }

    /// The path one hop further.
    pub fn then(&self, hop: Hop) -> HopPath {
        let mut letters = String::with_capacity(self.letters.len() + 1);
        let cut = usize::from(self.letters.len() == LETTERS_MAX);
        letters.push_str(&self.letters[cut..]);
        letters.push(hop.letter());
        HopPath { overflow: self.overflow + cut as u32, letters }
    }

    /// The kept letters, oldest first.
    pub fn letters(&self) -> &str {
        &self.letters
    }

    /// The newest hop; `None` for a seed.
    pub fn last(&self) -> Option<Hop> {
        self.letters.chars().last().and_then(Hop::from_letter)
    }

    /// All hops, overflow included (Heritrix `getHopCount`).
    pub fn hop_count(&self) -> u32 {
        self.overflow + self.letters.len() as u32
    }

    /// Kept `L` hops (Heritrix `getLinkHopCount`).
    pub fn link_hop_count(&self) -> u32 {
        self.letters.bytes().filter(|letter| *letter == b'L').count() as u32
    }

    /// Letters after the last `L`, `S` or `M`: the tail that transclusion rules look at.
    pub fn transclusion_tail(&self) -> &str {
        let after = self.letters.rfind(['L', 'S', 'M']).map_or(0, |index| index + 1);
        &self.letters[after..]
    }

    /// Letters after the last `L` or `M` (Heritrix `getTransHops`).
    pub fn trans_hops(&self) -> u32 {
        let after = self.letters.rfind(['L', 'M']).map_or(0, |index| index + 1);
        (self.letters.len() - after) as u32
    }
}

impl fmt::Display for HopPath {
    /// As crawl.log writes it, but empty (not `-`) for a seed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.overflow > 0 {
            write!(f, "{}+", self.overflow)?;
        }
        f.write_str(&self.letters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_keeps_fifty() {
        let mut path = HopPath::seed();
        for _ in 0..53 {
            path = path.then(Hop::Navlink);
        }
        assert_eq!(path.to_string(), format!("3+{}", "L".repeat(50)));
        assert_eq!(path.hop_count(), 53);
        assert_eq!(HopPath::parse(&path.to_string()), Some(path));
    }

    #[test]
    fn tails() {
        let path = HopPath::parse("LLERX").unwrap();
        assert_eq!((path.transclusion_tail(), path.trans_hops(), path.link_hop_count()), ("ERX", 3, 2));
        assert_eq!(HopPath::parse("LQ"), None);
        assert_eq!(HopPath::parse("-"), Some(HopPath::seed()));
    }
}
