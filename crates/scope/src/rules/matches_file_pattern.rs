//! `matches-file-pattern`: URLs that end in the suffix of a kind of file. Heritrix `MatchesFilePatternDecideRule` and its
//! negation.

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

const IMAGES: &[&str] = &["bmp", "gif", "jpeg", "jpg", "png", "svg", "tif", "tiff"];
const AUDIO: &[&str] = &[
    "aac", "aif", "aiff", "m3u", "m4a", "mid", "midi", "mp2", "mp3", "mp4", "mpa", "ogg", "ra", "ram", "wav",
    "wma",
];
const VIDEO: &[&str] =
    &["asf", "asx", "avi", "flv", "mov", "mp4", "mpeg", "mpg", "qt", "ram", "rm", "smil", "wmv"];
const MISC: &[&str] = &["doc", "pdf", "ppt", "swf"];

/// Options of [`MatchesFilePattern`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MatchesFilePatternOptions {
    /// What the rule answers where it matches.
    pub decision: DecisionOption,
    /// Which kinds of files.
    pub preset: FilePreset,
    /// More suffixes, without dot.
    pub suffixes: Vec<String>,
    /// Matches what has none of the suffixes.
    pub negate: bool,
}

impl Default for MatchesFilePatternOptions {
    fn default() -> Self {
        MatchesFilePatternOptions {
            decision: DecisionOption::Accept,
            preset: FilePreset::All,
            suffixes: Vec::new(),
            negate: false,
        }
    }
}

/// Kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilePreset {
    /// All below.
    All,
    /// Images.
    Images,
    /// Audio.
    Audio,
    /// Video.
    Video,
    /// doc, pdf, ppt, swf.
    Misc,
    /// None but the listed suffixes.
    Custom,
}

/// See the module.
pub struct MatchesFilePattern {
    verdict: Verdict,
    suffixes: Vec<String>,
    negate: bool,
}

impl DecideRule for MatchesFilePattern {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        let suffix = candidate.url.as_str().rsplit_once('.').map(|(_, suffix)| suffix);
        let matches =
            suffix.is_some_and(|suffix| self.suffixes.iter().any(|known| known.eq_ignore_ascii_case(suffix)));
        (matches != self.negate).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for MatchesFilePattern {
    const NAME: &'static str = "matches-file-pattern";
    const DOCS: &'static str = "Matches URLs that end in a suffix of images, audio, video or documents, in any case (Heritrix \
                                MatchesFilePatternDecideRule, NotMatchesFilePatternDecideRule).";
    const EXAMPLE: &'static str = "decision = \"reject\"\npreset = \"video\"\nsuffixes = [\"iso\"]";
    type Options = MatchesFilePatternOptions;

    fn new(options: MatchesFilePatternOptions) -> Result<Self, String> {
        let lists: &[&[&str]] = match options.preset {
            FilePreset::All => &[IMAGES, AUDIO, VIDEO, MISC],
            FilePreset::Images => &[IMAGES],
            FilePreset::Audio => &[AUDIO],
            FilePreset::Video => &[VIDEO],
            FilePreset::Misc => &[MISC],
            FilePreset::Custom => &[],
        };
        let preset = lists.iter().copied().flatten().map(|&suffix| suffix.to_owned());
        Ok(MatchesFilePattern {
            verdict: options.decision.into(),
            suffixes: preset
                .chain(options.suffixes.iter().map(|suffix| suffix.trim_start_matches('.').to_owned()))
                .collect(),
            negate: options.negate,
        })
    }
}
