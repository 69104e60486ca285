//! The fields of a document in the index.

use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};

use crate::Document;
use crate::document::cut;
use crate::tokens::{NAMES, PROSE};

/// Every field, by name in the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub url: Field,
    pub title: Field,
    pub text: Field,
    /// Words of the host name.
    pub host: Field,
    /// Words of path and query.
    pub url_words: Field,
    /// The host and each domain above it, whole: what `site:` looks up.
    pub site: Field,
    pub date: Field,
    pub digest: Field,
    /// 64 bits of the digest (of the URL where there is none): what duplicates share.
    pub group: Field,
    pub mime: Field,
    pub file: Field,
    pub offset: Field,
}

impl Fields {
    /// The schema of a new index.
    pub fn schema() -> Schema {
        let mut builder = Schema::builder();
        builder.add_text_field("url", STRING | STORED);
        builder.add_text_field("title", words(PROSE) | STORED);
        builder.add_text_field("text", words(PROSE) | STORED);
        builder.add_text_field("host", words(NAMES));
        builder.add_text_field("url_words", words(NAMES));
        builder.add_text_field("site", STRING);
        builder.add_u64_field("date", FAST | STORED | INDEXED);
        builder.add_text_field("digest", STORED);
        builder.add_u64_field("group", FAST);
        builder.add_text_field("mime", STRING | STORED);
        builder.add_text_field("file", STORED);
        builder.add_u64_field("offset", STORED);
        builder.build()
    }

    /// The fields of an index that exists; `None` if it was made with another schema.
    pub fn of(schema: &Schema) -> Option<Fields> {
        if *schema != Fields::schema() {
            return None;
        }
        let field = |name| schema.get_field(name).ok();
        Some(Fields {
            url: field("url")?,
            title: field("title")?,
            text: field("text")?,
            host: field("host")?,
            url_words: field("url_words")?,
            site: field("site")?,
            date: field("date")?,
            digest: field("digest")?,
            group: field("group")?,
            mime: field("mime")?,
            file: field("file")?,
            offset: field("offset")?,
        })
    }

    /// The document as the index takes it.
    pub fn encode(&self, document: &Document) -> TantivyDocument {
        let mut encoded = TantivyDocument::new();
        encoded.add_text(self.url, &document.url);
        encoded.add_text(self.title, cut(&document.title, Document::TITLE_BYTES_MAX));
        encoded.add_text(self.text, cut(&document.text, Document::TEXT_BYTES_MAX));
        // The title counts as text as well: better on both judged collections than a greater weight of its own field.
        encoded.add_text(self.text, cut(&document.title, Document::TITLE_BYTES_MAX));
        encoded.add_text(self.host, &document.host);
        encoded.add_text(self.url_words, words_of_url(&document.url));
        for site in sites(&document.host) {
            encoded.add_text(self.site, site);
        }
        encoded.add_u64(self.date, document.date.0);
        encoded.add_text(self.digest, &document.digest);
        encoded.add_u64(self.group, group(document));
        encoded.add_text(self.mime, &document.mime);
        encoded.add_text(self.file, &document.file);
        encoded.add_u64(self.offset, document.offset);
        encoded
    }

    /// The stored fields of a document.
    pub fn decode(&self, stored: &TantivyDocument) -> Document {
        let text = |field| stored.get_first(field).and_then(|value| value.as_str()).unwrap_or("").to_owned();
        let number = |field| stored.get_first(field).and_then(|value| value.as_u64()).unwrap_or(0);
        Document {
            url: text(self.url),
            title: text(self.title),
            text: text(self.text),
            host: String::new(),
            date: model::WallMs(number(self.date)),
            digest: text(self.digest),
            mime: text(self.mime),
            file: text(self.file),
            offset: number(self.offset),
        }
    }
}

/// Searched by word and phrase.
fn words(analyzer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(analyzer)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    TextOptions::default().set_indexing_options(indexing)
}

/// Path and query of a URL: what follows the host.
fn words_of_url(url: &str) -> &str {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.find(['/', '?']).map_or("", |index| &after_scheme[index..]);
    cut(path, Document::URL_BYTES_MAX)
}

/// A host and all domains above it: `a.b.c`, `b.c`, `c`.
fn sites(host: &str) -> impl Iterator<Item = &str> {
    // RFC 1035: a name has at most 127 labels.
    std::iter::successors(Some(host), |host| host.split_once('.').map(|(_, rest)| rest))
        .take(127)
        .filter(|site| !site.is_empty())
}

fn group(document: &Document) -> u64 {
    let name = if document.digest.is_empty() { &document.url } else { &document.digest };
    // FNV-1a: only has to be the same in every version; one pair in 2^64 hides a page by chance.
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
