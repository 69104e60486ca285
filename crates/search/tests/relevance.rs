//! Ranking against collections with judged answers (`suites/relevance`): nDCG@10, MAP, recall at 100.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall say so at once")]

use std::collections::HashMap;
use std::path::PathBuf;

use search::{Document, Query, SearchIndex};

/// The folder of a collection; `None` (said aloud) if the suites are not there.
fn collection(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/relevance").join(name);
    if path.join("docs.jsonl").is_file() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "suite relevance/{name} is missing");
    eprintln!("left out: suite relevance/{name} is not there");
    None
}

fn rows(path: PathBuf) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

struct Scores {
    ndcg_10: f64,
    map: f64,
    recall_100: f64,
}

fn run(folder: PathBuf) -> Scores {
    let index = SearchIndex::in_memory().unwrap();
    let mut writer = index.writer(Default::default()).unwrap();
    for row in rows(folder.join("docs.jsonl")) {
        let text = |key: &str| row[key].as_str().unwrap_or("").to_owned();
        let (title, whole) = (text("title"), text("text"));
        // Abstracts begin with their title; the text of a web page, as we read it, does not hold its title.
        let body = whole.strip_prefix(&title).unwrap_or(&whole).to_owned();
        writer.add(&Document { url: text("id"), title, text: body, ..Document::default() }).unwrap();
    }
    writer.commit("").unwrap();

    let mut judged: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for line in std::fs::read_to_string(folder.join("qrels.tsv")).unwrap().lines() {
        let columns: Vec<&str> = line.split_whitespace().collect();
        judged.entry(columns[0].into()).or_default().insert(columns[2].into(), columns[3].parse().unwrap());
    }

    let mut scores = Scores { ndcg_10: 0.0, map: 0.0, recall_100: 0.0 };
    let mut n_queries = 0.0;
    for row in rows(folder.join("queries.jsonl")) {
        let id = row["qid"].as_str().map_or_else(|| row["qid"].to_string(), str::to_owned);
        let Some(grades) = judged.get(&id).filter(|grades| grades.values().any(|grade| *grade > 0.0)) else {
            continue;
        };
        let query = Query {
            per_page: 1000,
            without_summaries: true,
            with_duplicates: true,
            ..Query::words(row["text"].as_str().unwrap())
        };
        let found = index.search(&query).unwrap();
        let gains: Vec<f64> =
            found.hits.iter().map(|hit| grades.get(&hit.url).copied().unwrap_or(0.0)).collect();
        let mut ideal: Vec<f64> = grades.values().copied().collect();
        ideal.sort_by(|left, right| right.total_cmp(left));
        let n_relevant = ideal.iter().filter(|grade| **grade > 0.0).count() as f64;
        n_queries += 1.0;
        scores.ndcg_10 += gain(&gains) / gain(&ideal);
        scores.recall_100 += gains.iter().take(100).filter(|grade| **grade > 0.0).count() as f64 / n_relevant;
        scores.map += average_precision(&gains) / n_relevant;
    }
    scores.ndcg_10 /= n_queries;
    scores.map /= n_queries;
    scores.recall_100 /= n_queries;
    scores
}

fn gain(grades: &[f64]) -> f64 {
    grades.iter().take(10).enumerate().map(|(rank, grade)| grade / (rank as f64 + 2.0).log2()).sum()
}

/// Times the number of relevant documents.
fn average_precision(grades: &[f64]) -> f64 {
    let mut n_found = 0.0;
    let mut sum = 0.0;
    for (rank, grade) in grades.iter().enumerate() {
        if *grade > 0.0 {
            n_found += 1.0;
            sum += n_found / (rank as f64 + 1.0);
        }
    }
    sum
}

fn check(name: &str, ndcg_10_min: f64) {
    let Some(folder) = collection(name) else { return };
    let scores = run(folder);
    println!("{name}: nDCG@10 {:.4}, MAP {:.4}, R@100 {:.4}", scores.ndcg_10, scores.map, scores.recall_100);
    assert!(scores.ndcg_10 >= ndcg_10_min, "{name}: nDCG@10 {:.4} is under {ndcg_10_min}", scores.ndcg_10);
}

#[test]
fn cranfield() {
    // tantivy 0.27 with its own English analyser: 0.3788 (baseline.json).
    check("cranfield", 0.3788);
}

#[test]
fn cisi() {
    // tantivy 0.27 with its own English analyser: 0.3217; bm25s with stop words: 0.3644.
    check("cisi", 0.3217);
}
