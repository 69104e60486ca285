//! Time of extraction per page: `cargo run --release --example bench -- FILE…`.

use std::time::Instant;

use extract::{ExtractOptions, Extractors, Links, extract_payload, text};

fn main() {
    let pages: Vec<Vec<u8>> = std::env::args().skip(1).filter_map(|path| std::fs::read(path).ok()).collect();
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let base = "http://127.0.0.21:8080/docs/page.html".parse().expect("a fixed URL");
    for links in [Links::AAreaOnly, Links::All] {
        let extractors = Extractors::builtin(ExtractOptions { links, ..ExtractOptions::default() });
        report(&format!("{links:?}"), pages.len(), bytes, || {
            pages
                .iter()
                .map(|page| extract_payload(&extractors, &base, "text/html", page).outlinks.len())
                .sum()
        });
    }
    report("text", pages.len(), bytes, || {
        pages.iter().map(|page| text::document_of(&base, "text/html", page).text.len()).sum()
    });
}

/// The best of five rounds.
fn report(name: &str, pages: usize, bytes: usize, mut run: impl FnMut() -> usize) {
    let mut best = f64::MAX;
    let mut found = 0;
    for _ in 0..5 {
        let begun = Instant::now();
        found = run();
        best = best.min(begun.elapsed().as_secs_f64());
    }
    let (micros, rate) = (best * 1e6 / pages as f64, bytes as f64 / best / 1e6);
    println!("{name:12} {micros:8.1} µs a page, {rate:7.0} MB/s, {found} found in {pages} pages");
}
