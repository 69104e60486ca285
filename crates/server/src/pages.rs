//! Our own pages: home, search, captures of a URL; each as JSON too.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use cdxj::CdxLine;
use search::{Hit, Hits, SearchError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::capture::failed;
use crate::markup::{escape, in_query, page};
use crate::routes::{html, json as as_json, wants_json};
use crate::site::Site;

/// Captures on the home page.
const NEWEST_MAX: usize = 50;
/// Hits on a page unless asked otherwise.
const PER_PAGE: u32 = 10;
/// Captures of one URL that a page lists; JSON gives all.
const LISTED_MAX: usize = 1000;

/// What pages are asked.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    q: Option<String>,
    url: Option<String>,
    page: Option<u32>,
    per_page: Option<u32>,
    format: Option<String>,
}

pub(crate) async fn home(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Response {
    let shared = Arc::clone(&site);
    let found = blocking(move || {
        let newest = shared.replay.newest(NEWEST_MAX)?;
        let n_pages = shared.index().and_then(|index| index.n_documents()).ok();
        Ok((shared.replay.n_captures()?, n_pages, newest))
    });
    let (n_captures, n_pages, newest) = match found.await {
        Ok(found) => found,
        Err(error) => return failed(&site, &error),
    };
    if wants_json(&headers, asked.format.as_deref()) {
        let captures: Vec<Value> = newest.iter().map(capture_json).collect();
        let value = json!({ "job": site.name, "captures": n_captures, "pages": n_pages, "newest": captures });
        return as_json(StatusCode::OK, &value);
    }
    let searchable = match n_pages {
        Some(n) => format!("{n} pages can be searched."),
        None => "Nothing can be searched yet: run <code>bequest index</code>.".to_owned(),
    };
    let content = format!(
        "<h1>Archive {}</h1>\n<p class=\"soft\">{n_captures} captures. {searchable}</p>\n{}",
        escape(&site.name),
        if newest.is_empty() { String::new() } else { table("Newest captures", &newest, true) }
    );
    html(StatusCode::OK, page(&format!("{} · bequest", site.name), &site.name, "", &content))
}

pub(crate) async fn search(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Response {
    let words = asked.q.unwrap_or_default();
    let is_json = wants_json(&headers, asked.format.as_deref());
    if !is_json && is_address(&words) {
        return Redirect::to(&format!("/captures?url={}", in_query(words.trim()))).into_response();
    }
    let number = asked.page.unwrap_or(1).max(1);
    let per_page = asked.per_page.unwrap_or(PER_PAGE).clamp(1, 100);
    let query = search::Query { page: number, per_page, ..search::Query::words(words.clone()) };
    let shared = Arc::clone(&site);
    let found = tokio::task::spawn_blocking(move || shared.index()?.search(&query)).await;
    let hits = match found {
        Ok(Ok(hits)) => hits,
        Ok(Err(error @ SearchError::Absent(_))) if is_json => {
            return as_json(StatusCode::NOT_FOUND, &json!({ "error": error.to_string() }));
        }
        Ok(Err(SearchError::Absent(_))) => {
            let content = "<h1>Not searchable yet</h1>\n<p class=\"notice\">This archive has no search index. Make one \
                           with <code>bequest index</code>; captures can be looked up by address all the same.</p>";
            return html(StatusCode::NOT_FOUND, page("Not searchable yet", &site.name, &words, content));
        }
        Ok(Err(error)) => return failed(&site, &error),
        Err(error) => return failed(&site, &error),
    };
    if is_json {
        let value = json!({
            "query": words, "total": hits.total, "page": number, "per_page": per_page,
            "hits": hits.hits.iter().map(hit_json).collect::<Vec<_>>(),
        });
        return as_json(StatusCode::OK, &value);
    }
    let content = hits_html(&words, &hits, number, per_page);
    html(StatusCode::OK, page(&format!("{words} · {}", site.name), &site.name, &words, &content))
}

pub(crate) async fn captures(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Response {
    let url = asked.url.unwrap_or_default().trim().to_owned();
    let shared = Arc::clone(&site);
    let wanted = url.clone();
    let lines = match blocking(move || shared.replay.captures(&wanted)).await {
        Ok(lines) => lines,
        Err(error) => return failed(&site, &error),
    };
    if wants_json(&headers, asked.format.as_deref()) {
        let captures: Vec<Value> = lines.iter().map(capture_json).collect();
        return as_json(StatusCode::OK, &json!({ "url": url, "captures": captures }));
    }
    let status = if lines.is_empty() { StatusCode::NOT_FOUND } else { StatusCode::OK };
    let shown: Vec<CdxLine> = lines.iter().rev().take(LISTED_MAX).cloned().collect();
    let list = match shown.is_empty() {
        true => "<p class=\"notice\">There is no capture of this address.</p>".to_owned(),
        false => table(&format!("{} captures, newest first", lines.len()), &shown, false),
    };
    let content = format!("<h1>{}</h1>\n{list}", escape(&url));
    html(status, page(&format!("{url} · captures"), &site.name, &url, &content))
}

/// One word that is an address leads to its captures.
fn is_address(words: &str) -> bool {
    let words = words.trim();
    (words.starts_with("http://") || words.starts_with("https://")) && !words.contains(char::is_whitespace)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}

fn table(caption: &str, lines: &[CdxLine], with_url: bool) -> String {
    let address = if with_url { "<th>Address</th>" } else { "" };
    let mut rows = String::new();
    for line in lines {
        let href = escape(&format!("/web/{}/{}", line.timestamp, line.url));
        let time = escape(&readable(&line.timestamp));
        let linked = match with_url {
            true => {
                format!("<td class=\"time\">{time}</td><td><a href=\"{href}\">{}</a></td>", escape(&line.url))
            }
            false => format!("<td class=\"time\"><a href=\"{href}\">{time}</a></td>"),
        };
        let status = line.status.map_or_else(|| "–".to_owned(), |status| status.to_string());
        let (mime, length) = (line.mime.as_deref().unwrap_or("–"), line.length.unwrap_or(0));
        let _ = writeln!(
            rows,
            "<tr>{linked}<td>{status}</td><td>{}</td><td class=\"number\">{length}</td></tr>",
            escape(mime)
        );
    }
    format!(
        "<table>\n<caption class=\"soft\">{}</caption>\n<thead><tr><th>Captured (UTC)</th>{address}<th>Status</th>\
         <th>Type</th><th class=\"number\">Bytes</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>",
        escape(caption)
    )
}

fn hits_html(words: &str, hits: &Hits, number: u32, per_page: u32) -> String {
    if hits.hits.is_empty() {
        return format!("<h1>Nothing found</h1>\n<p class=\"soft\">No page has {}.</p>", escape(words));
    }
    let mut list = String::new();
    for hit in &hits.hits {
        let title = if hit.title.is_empty() { &hit.url } else { &hit.title };
        let digits = hit.date.digits14();
        let href = escape(&format!("/web/{digits}/{}", hit.url));
        let _ = write!(
            list,
            "<li><h2><a href=\"{href}\">{}</a></h2>\n<div class=\"where\">{} · {} · <a href=\"/captures?url={}\">all \
             captures</a></div>\n<p>{}</p></li>\n",
            escape(title),
            escape(&hit.url),
            readable(&digits),
            in_query(&hit.url),
            summary_html(hit)
        );
    }
    let total = hits.total;
    let pages = if total == 1 { "page" } else { "pages" };
    let link = |target: u32, rel: &str, text: &str| {
        format!("<a rel=\"{rel}\" href=\"/search?q={}&amp;page={target}\">{text}</a>", in_query(words))
    };
    let before = if number > 1 { link(number - 1, "prev", "← Previous") } else { String::new() };
    let has_more = u64::from(number) * u64::from(per_page) < total;
    let after = if has_more { link(number + 1, "next", "Next →") } else { String::new() };
    format!(
        "<p class=\"soft\">{total} {pages}</p>\n<ol class=\"hits\">\n{list}</ol>\n<nav aria-label=\"Pages\">{before} {after}</nav>"
    )
}

fn summary_html(hit: &Hit) -> String {
    let mut out = String::from(if hit.summary.cut_before { "… " } else { "" });
    for part in &hit.summary.parts {
        let text = escape(&part.text);
        if part.is_match {
            let _ = write!(out, "<mark>{text}</mark>");
        } else {
            out.push_str(&text);
        }
    }
    out.push_str(if hit.summary.cut_after { " …" } else { "" });
    out
}

fn hit_json(hit: &Hit) -> Value {
    json!({
        "url": hit.url, "title": hit.title, "summary": hit.summary.plain(), "marked": hit.summary.with_marks("[", "]"),
        "date": hit.date.iso_seconds(), "score": hit.score, "digest": hit.digest, "mime": hit.mime,
        "file": hit.file, "offset": hit.offset, "capture": format!("/web/{}/{}", hit.date.digits14(), hit.url),
    })
}

fn capture_json(line: &CdxLine) -> Value {
    json!({
        "url": line.url, "timestamp": line.timestamp, "status": line.status, "mime": line.mime, "digest": line.digest,
        "length": line.length, "offset": line.offset, "file": line.filename,
        "capture": format!("/web/{}/{}", line.timestamp, line.url),
    })
}

/// `2026-01-05 10:00:07` of 14 digits.
fn readable(digits: &str) -> String {
    match digits.get(..14) {
        Some(d) if d.is_ascii() => {
            format!("{}-{}-{} {}:{}:{}", &d[..4], &d[4..6], &d[6..8], &d[8..10], &d[10..12], &d[12..14])
        }
        _ => digits.to_owned(),
    }
}
