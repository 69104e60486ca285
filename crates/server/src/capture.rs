//! `/web/<time>/<url>`: a capture; and what archived pages ask for at addresses of their own making.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use replay::{Answer, Place, Shown, ShownBody, StoredRecord};
use tokio::sync::mpsc;

use crate::markup::{escape, in_query, page};
use crate::routes::{html, json, wants_json};
use crate::site::Site;

/// Pieces of a body that wait for a slow reader.
const PIECES_WAITING_MAX: usize = 8;

pub(crate) async fn archived(State(site): State<Arc<Site>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let Some(place) = Place::parse(&path) else {
        return stray(request.uri(), request.headers());
    };
    let shared = Arc::clone(&site);
    let asked = place.clone();
    let answer = tokio::task::spawn_blocking(move || shared.replay.answer(&asked)).await;
    match answer.map_err(io::Error::other).and_then(|answer| answer) {
        Ok(Answer::Shown(shown)) => show(&place, *shown),
        Ok(Answer::Missing { reason, n_captures }) => {
            missing(&site, &place, &reason, n_captures, request.headers())
        }
        Err(error) => failed(&site, &error),
    }
}

fn show(place: &Place, shown: Shown) -> Response {
    let status = StatusCode::from_u16(shown.status).unwrap_or(StatusCode::OK);
    let has_no_body = matches!(status.as_u16(), 204 | 205 | 304);
    let body = match shown.body {
        _ if has_no_body => Body::empty(),
        ShownBody::Bytes(bytes) => Body::from(bytes),
        ShownBody::Stored(record) => stream(record),
    };
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_TYPE);
    for (name, value) in shown.headers {
        // What was archived may be no header at all by today's rules: the page is shown without it (F061).
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(&value))
        {
            headers.append(name, value);
        }
    }
    let captured = model::WallMs::from_digits(shown.capture.timestamp.get(..14).unwrap_or(""));
    if let Some(date) = captured.and_then(|time| HeaderValue::from_str(&http_date(time)).ok()) {
        headers.insert("memento-datetime", date);
    }
    if let Ok(link) = HeaderValue::from_str(&format!("<{}>; rel=\"original\"", shown.capture.url)) {
        headers.append(header::LINK, link);
    }
    if let Ok(source) = HeaderValue::from_str(&format!("{}:{}", shown.capture.filename, shown.capture.offset))
    {
        headers.insert("x-archive-source", source);
    }
    // The newest may change, and so may the nearest while a crawl runs.
    let is_settled = place.digits == shown.capture.timestamp;
    let caching = if is_settled { "private, max-age=600" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    response
}

/// The stored payload, read by a thread as fast as the browser takes it.
fn stream(record: StoredRecord) -> Body {
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(PIECES_WAITING_MAX);
    tokio::task::spawn_blocking(move || {
        let read =
            record.read_payload(|piece| Ok(sender.blocking_send(Ok(Bytes::copy_from_slice(piece))).is_ok()));
        if let Err(error) = read {
            // The connection breaks off, so that the browser does not take a part for the whole.
            let _ = sender.blocking_send(Err(error));
        }
    });
    Body::new(Pieces { receiver })
}

/// Pieces as a body.
struct Pieces {
    receiver: mpsc::Receiver<io::Result<Bytes>>,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<io::Result<http_body::Frame<Bytes>>>> {
        self.receiver.poll_recv(context).map(|piece| piece.map(|piece| piece.map(http_body::Frame::data)))
    }
}

fn missing(site: &Site, place: &Place, reason: &str, n_captures: usize, headers: &HeaderMap) -> Response {
    let status = StatusCode::NOT_FOUND;
    if wants_json(headers, None) {
        let value = serde_json::json!({ "error": "not in the archive", "url": place.url, "reason": reason });
        return json(status, &value);
    }
    if place.modifier.is_embed() {
        return (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], "not in the archive\n")
            .into_response();
    }
    let url = escape(&place.url);
    let list = match n_captures {
        0 => String::new(),
        n => {
            format!("<p><a href=\"/captures?url={}\">List of its {n} captures</a></p>", in_query(&place.url))
        }
    };
    let content = format!(
        "<h1>Not in the archive</h1>\n<p class=\"notice\">{url}</p>\n<p>It cannot be shown: {}. Nothing was asked of the \
         live web.</p>\n{list}",
        escape(reason)
    );
    // Our page at an address of an archived one: the policy of our pages holds.
    let mut response = html(status, page("Not in the archive", &site.name, "", &content));
    let own =
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(own));
    response
}

pub(crate) fn failed(site: &Site, error: &dyn std::fmt::Display) -> Response {
    let content = format!("<h1>That failed</h1>\n<p class=\"notice\">{}</p>", escape(&error.to_string()));
    html(StatusCode::INTERNAL_SERVER_ERROR, page("That failed", &site.name, "", &content))
}

/// A script of an archived page asked for a path of its own site: its capture is where the page's capture says.
fn stray(uri: &Uri, headers: &HeaderMap) -> Response {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    match from_referer(path, headers) {
        Some(place) => {
            let location = HeaderValue::from_str(&place.to_string());
            match location {
                Ok(location) => {
                    (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, location)]).into_response()
                }
                Err(_) => StatusCode::NOT_FOUND.into_response(),
            }
        }
        None => (StatusCode::NOT_FOUND, "there is nothing at this address\n").into_response(),
    }
}

fn from_referer(path: &str, headers: &HeaderMap) -> Option<Place> {
    let referer = headers.get(header::REFERER)?.to_str().ok()?;
    let at = referer.find(Place::PREFIX)?;
    let from = Place::parse(&referer[at..])?;
    let scheme_len = from.url.find("://")? + 3;
    let origin_len = from.url[scheme_len..].find('/').map_or(from.url.len(), |len| scheme_len + len);
    Some(Place { url: format!("{}{path}", &from.url[..origin_len]), ..from })
}

/// A time as HTTP headers carry it (RFC 9110, 5.6.7).
fn http_date(time: model::WallMs) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let digits = time.digits14();
    let month = digits[4..6].parse::<usize>().unwrap_or(1).clamp(1, 12);
    // 1970-01-01 was a Thursday.
    let day = DAYS[(time.0 / 86_400_000 % 7) as usize];
    let (year, date, hour) = (&digits[..4], &digits[6..8], &digits[8..10]);
    let (minute, second) = (&digits[10..12], &digits[12..14]);
    format!("{day}, {date} {} {year} {hour}:{minute}:{second} GMT", MONTHS[month - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(http_date(model::WallMs(784_111_777_000)), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn strays() {
        let check = |path: &str, referer: &str, expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::REFERER, HeaderValue::from_str(referer).unwrap());
            assert_eq!(from_referer(path, &headers).map(|place| place.to_string()).as_deref(), expected);
        };
        let page = "http://127.0.0.1:1/web/2026/http://a.example/d/p?q";
        check("/x/y?z", page, Some("/web/2026/http://a.example/x/y?z"));
        check("/x", "http://127.0.0.1:1/web/2026/https://a.example", Some("/web/2026/https://a.example/x"));
        check("/x", "http://127.0.0.1:1/search?q=1", None);
    }
}
