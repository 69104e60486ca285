//! The index from outside: what is found, in which order, and how it is shown.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall say so at once")]

use model::WallMs;
use search::{Document, Hits, Query, SearchError, SearchIndex};

fn page(url: &str, title: &str, text: &str) -> Document {
    let host = url.split('/').nth(2).unwrap_or("").to_owned();
    Document {
        url: url.into(),
        title: title.into(),
        text: text.into(),
        host,
        date: WallMs(1_767_607_207_000),
        digest: format!("sha1:{title}{text}"),
        mime: "text/html".into(),
        file: "crawl-00000.warc.gz".into(),
        offset: 7,
    }
}

fn index(pages: &[Document]) -> SearchIndex {
    let index = SearchIndex::in_memory().unwrap();
    let mut writer = index.writer(Default::default()).unwrap();
    for page in pages {
        writer.add(page).unwrap();
    }
    writer.commit("").unwrap();
    index
}

fn small_web() -> SearchIndex {
    index(&[
        page("http://www.dogs.example/", "All about dogs", "A dog is a friend of people. Dogs bark."),
        page("http://www.dogs.example/walk?day=1", "Walks", "Walking with a dog takes an hour and a lead."),
        page("http://cats.example/", "Cats", "A cat sleeps. No dog may come near the sleeping cat."),
        page("http://shop.cats.example/toys", "Toys for the cat", "Balls, mice, strings & <b>feathers</b>."),
        page("http://xn--e1afmkfd.example/", "Пример страницы", "東京は日本の首都です。 Und der Käse."),
    ])
}

fn urls(hits: &Hits) -> Vec<&str> {
    hits.hits.iter().map(|hit| hit.url.trim_start_matches("http://")).collect()
}

fn check(words: &str, expected: &[&str]) {
    let hits = small_web().search(&Query::words(words)).unwrap();
    let mut found = urls(&hits);
    assert_eq!(hits.total as usize, found.len(), "{words}");
    found.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{words}");
}

#[test]
fn words_phrases_signs_sites() {
    check("feathers", &["shop.cats.example/toys"]);
    check("Walked", &["www.dogs.example/walk?day=1"]);
    check("cat dog", &["cats.example/"]);
    check("lead feathers", &["www.dogs.example/walk?day=1", "shop.cats.example/toys"]);
    check("\"friend of people\"", &["www.dogs.example/"]);
    check("\"people of friend\"", &[]);
    check("cat -toys", &["cats.example/"]);
    check("+bark sleep hour cat", &["www.dogs.example/"]);
    check("site:cats.example", &["cats.example/", "shop.cats.example/toys"]);
    check("cat site:shop.cats.example", &["shop.cats.example/toys"]);
    check("cat -site:shop.cats.example", &["cats.example/"]);
    check("-dog -cat", &["xn--e1afmkfd.example/"]);
}

#[test]
fn host_and_url_are_searched() {
    check("toys", &["shop.cats.example/toys"]);
    check("shop.cats.example", &["shop.cats.example/toys"]);
    check("day=1", &["www.dogs.example/walk?day=1"]);
}

#[test]
fn other_scripts() {
    check("страницы", &["xn--e1afmkfd.example/"]);
    check("日本", &["xn--e1afmkfd.example/"]);
    check("本日", &[]);
    check("kase", &["xn--e1afmkfd.example/"]);
    check("KÄSE", &["xn--e1afmkfd.example/"]);
}

#[test]
fn any_text_is_a_query() {
    let index = small_web();
    let odd = [
        "",
        " ",
        "\"",
        "+",
        "-",
        "\"\"",
        "a:b:c",
        "(((",
        "dog^^",
        "[a TO b]",
        "site:",
        "\0",
        "*",
        "\u{202e}x",
        "+-+\"-",
    ];
    for words in odd {
        index.search(&Query::words(words)).unwrap();
    }
    let long = "dog ".repeat(100_000);
    assert_eq!(index.search(&Query::words(long)).unwrap().total, 3);
}

#[test]
fn title_counts_more_than_text() {
    let index = index(&[
        page("http://a.example/", "Other", "pelican and other birds"),
        page("http://b.example/", "Pelican", "a bird with a bill and other things"),
    ]);
    assert_eq!(urls(&index.search(&Query::words("pelican")).unwrap()), ["b.example/", "a.example/"]);
}

#[test]
fn duplicates_are_left_out() {
    let mut pages: Vec<_> =
        (0..30).map(|n| page(&format!("http://a.example/{n}"), "Same", &format!("text {}", n / 3))).collect();
    pages[0].digest.clear();
    let index = index(&pages);
    let query = Query::words("same");
    let hits = index.search(&query).unwrap();
    assert_eq!((hits.total, hits.hits.len()), (11, 10));
    let second = index.search(&Query { page: 2, ..query.clone() }).unwrap();
    assert_eq!((second.total, second.hits.len()), (11, 1));
    assert_eq!(index.search(&Query { with_duplicates: true, ..query }).unwrap().total, 30);
}

#[test]
fn pages_of_hits_do_not_overlap() {
    let pages: Vec<_> =
        (0..25).map(|n| page(&format!("http://a.example/{n}"), "Same", &format!("text {n}"))).collect();
    let index = index(&pages);
    let mut seen = std::collections::BTreeSet::new();
    for number in 1..=3 {
        let hits = index.search(&Query { page: number, ..Query::words("same") }).unwrap();
        assert_eq!(hits.total, 25);
        seen.extend(hits.hits.into_iter().map(|hit| hit.url));
    }
    assert_eq!(seen.len(), 25);
    assert!(index.search(&Query { page: u32::MAX, ..Query::words("same") }).unwrap().hits.is_empty());
}

#[test]
fn a_later_document_replaces_and_a_deleted_one_goes() {
    let index = small_web();
    let mut writer = index.writer(Default::default()).unwrap();
    writer.add(&page("http://cats.example/", "Cats", "Now about zebras.")).unwrap();
    writer.delete("http://www.dogs.example/");
    assert_eq!(index.search(&Query::words("zebra")).unwrap().total, 0, "not before the commit");
    writer.commit("through 12").unwrap();
    assert_eq!(index.search(&Query::words("zebra")).unwrap().total, 1);
    assert_eq!(index.search(&Query::words("sleeping")).unwrap().total, 0);
    assert_eq!(index.search(&Query::words("bark")).unwrap().total, 0);
    assert_eq!(index.payload().unwrap(), "through 12");
    assert_eq!(index.n_documents().unwrap(), 4);
}

#[test]
fn a_hit_says_where_it_lies_and_why() {
    let index = small_web();
    let query = Query::words("feathers balls");
    let hit = index.search(&query).unwrap().hits.remove(0);
    assert_eq!((hit.file.as_str(), hit.offset, hit.mime.as_str()), ("crawl-00000.warc.gz", 7, "text/html"));
    assert_eq!((hit.title.as_str(), hit.date), ("Toys for the cat", WallMs(1_767_607_207_000)));
    assert_eq!(hit.summary.with_marks("[", "]"), "[Balls], mice, strings & <b>[feathers]</b>.");
    let explanation = index.explain(&query, &hit.url).unwrap().unwrap();
    let parts: Vec<_> = explanation.parts.iter().map(|part| (part.words.as_str(), part.field)).collect();
    assert_eq!(parts, [("feathers", "text"), ("balls", "text")]);
    let sum: f32 = explanation.parts.iter().map(|part| part.score).sum();
    assert!(
        (explanation.score - sum).abs() < 1e-4 && (explanation.score - hit.score).abs() < 1e-4,
        "{explanation}"
    );
    assert!(index.explain(&query, "http://cats.example/").unwrap().is_none());
    assert!(index.explain(&query, "http://nowhere.example/").unwrap().is_none());
}

#[test]
fn on_disk() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(SearchIndex::open(folder.path()), Err(SearchError::Absent(_))));
    let path = folder.path().join("index/search");
    let index = SearchIndex::create_or_open(&path).unwrap();
    let mut writer = index.writer(Default::default()).unwrap();
    assert!(matches!(index.writer(Default::default()), Err(SearchError::Busy)));
    writer.add(&page("http://a.example/", "Kept", "committed")).unwrap();
    writer.commit("1").unwrap();
    writer.add(&page("http://b.example/", "Lost", "not committed")).unwrap();
    drop(writer);
    let again = SearchIndex::open(&path).unwrap();
    assert_eq!((again.n_documents().unwrap(), again.payload().unwrap().as_str()), (1, "1"));
    again.writer(Default::default()).unwrap().finish().unwrap();
}
