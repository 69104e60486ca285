//! Text into terms: how pages and queries are cut into words.
//!
//! A word is a run of letters and digits (marks included); Chinese, Japanese, Korean and Thai characters, written without
//! blanks, are words each, and a query of several becomes a phrase. Words are folded (case, accents); those of `prose` are
//! stemmed as English as well, which does little to other languages since query and page are treated alike.

use tantivy::Index;
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, Stemmer, TextAnalyzer, Token, TokenStream, Tokenizer,
};

/// Analyser of titles and texts.
pub(crate) const PROSE: &str = "prose";
/// Analyser of host names and URLs.
pub(crate) const NAMES: &str = "names";

/// Bytes of a word that count; what follows is dropped, so that a page without blanks does not fill the dictionary.
const WORD_BYTES_MAX: usize = 64;

/// Makes the two analysers known to an index.
pub(crate) fn register(index: &Index) {
    index.tokenizers().register(PROSE, prose());
    index.tokenizers().register(NAMES, names());
}

/// Folds and stems.
pub(crate) fn prose() -> TextAnalyzer {
    TextAnalyzer::builder(Words::default())
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(Stemmer::new(Language::English))
        .build()
}

/// Folds.
pub(crate) fn names() -> TextAnalyzer {
    TextAnalyzer::builder(Words::default()).filter(LowerCaser).filter(AsciiFoldingFilter).build()
}

/// Cuts text into words.
#[derive(Clone, Default)]
struct Words {
    token: Token,
}

/// The words of one text.
struct WordStream<'a> {
    text: &'a str,
    at: usize,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream { text, at: 0, token: &mut self.token }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(skipped) = rest.find(char::is_alphanumeric) else {
            self.at = self.text.len();
            return false;
        };
        let from = self.at + skipped;
        let to = from + word_len(&self.text[from..]);
        self.at = to;
        self.token.text.clear();
        self.token.text.push_str(crate::document::cut(&self.text[from..to], WORD_BYTES_MAX));
        (self.token.offset_from, self.token.offset_to) = (from, to);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// Bytes of the word at the start of `text`, which begins with a letter or digit.
fn word_len(text: &str) -> usize {
    let mut characters = text.char_indices();
    match characters.next() {
        Some((_, first)) if stands_alone(first) => return first.len_utf8(),
        _ => {}
    }
    characters.find(|(_, c)| !in_word(*c)).map_or(text.len(), |(index, _)| index)
}

fn in_word(c: char) -> bool {
    let is_mark = matches!(c, '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}' | '\u{900}'..='\u{dff}');
    (c.is_alphanumeric() || is_mark) && !stands_alone(c)
}

/// Scripts written without blanks between words.
fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}'           // Thai, Lao
        | '\u{1000}'..='\u{109f}'       // Myanmar
        | '\u{1780}'..='\u{17ff}'       // Khmer
        | '\u{3040}'..='\u{30ff}'       // Hiragana, Katakana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ac00}'..='\u{d7af}'       // Hangul: agglutinates, so syllables match better than words
        | '\u{20000}'..='\u{3ffff}')
}

/// The terms of a text, in order, by the analyser given.
pub(crate) fn terms(mut analyzer: TextAnalyzer, text: &str) -> Vec<String> {
    let mut stream = analyzer.token_stream(text);
    let mut terms = Vec::new();
    while stream.advance() {
        terms.push(stream.token().text.clone());
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(terms(prose(), text).join(" "), expected);
    }

    #[test]
    fn prose_is_folded_and_stemmed() {
        check("Running  DOGS, ran", "run dog ran");
        check("Käse naïve ÉCOLE", "kase naiv ecol");
        check("e-mail x86_64 C++ 3.14", "e mail x86 64 c 3 14");
        check("", "");
        check(" \u{a0}—", "");
    }

    #[test]
    fn scripts_without_blanks() {
        check("東京 tower", "東 京 tower");
        check("abc東", "abc 東");
        check("हिन्दी भाषा", "हिन्दी भाषा");
    }

    #[test]
    fn names_are_not_stemmed() {
        assert_eq!(terms(names(), "www.Running-dogs.example"), ["www", "running", "dogs", "example"]);
    }

    #[test]
    fn endless_words_are_cut() {
        let terms = terms(names(), &"ä".repeat(10_000));
        assert_eq!((terms.len(), terms[0].len()), (1, 32));
    }
}
