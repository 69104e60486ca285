//! Addresses and what answers at them; what holds for every answer.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::site::Site;
use crate::{capture, markup, pages};

/// Policy of our own pages: no scripts at all.
const OWN_POLICY: &str =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// All routes.
pub(crate) fn of(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/search", get(pages::search))
        .route("/captures", get(pages::captures))
        .route("/-/style.css", get(style))
        // Archived pages have any path and query behind it, which no router may interpret.
        .fallback(capture::archived)
        .layer(middleware::from_fn_with_state(Arc::clone(&site), guard))
        .with_state(site)
}

async fn style() -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, "max-age=3600")],
        markup::STYLE,
    )
}

/// What must hold before any request is answered, and the headers of every answer.
async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let is_capture = request.uri().path().starts_with(replay::Place::PREFIX);
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let mut response = match refusal(&site, &method, &headers).await {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let policy = if is_capture { replay::POLICY } else { OWN_POLICY };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_DNS_PREFETCH_CONTROL, "off"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if !is_capture {
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}

async fn refusal(site: &Arc<Site>, method: &Method, headers: &HeaderMap) -> Option<Response> {
    if !is_our_name(site, headers) {
        return Some(
            (StatusCode::MISDIRECTED_REQUEST, "this server does not go by that name\n").into_response(),
        );
    }
    if let Some(refusal) = unauthorized(site, headers).await {
        return Some(refusal);
    }
    if *method != Method::GET && *method != Method::HEAD {
        // Nothing here can be changed; a form of an archived page has nowhere to go either.
        return Some((StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response());
    }
    if headers.contains_key("service-worker") {
        // A worker of an archived page would answer for every later capture of that site.
        return Some((StatusCode::FORBIDDEN, "service workers are not replayed\n").into_response());
    }
    None
}

/// On loopback without a password, a foreign site could point its own name at us and read the archive (DNS rebinding):
/// only names that are ours are answered.
fn is_our_name(site: &Site, headers: &HeaderMap) -> bool {
    if site.passwords.is_some() {
        return true;
    }
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else { return false };
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    let is_address = name
        .parse::<std::net::IpAddr>()
        .is_ok_and(|address| address.is_loopback() || address == site.address.ip());
    is_address || name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost")
}

async fn unauthorized(site: &Arc<Site>, headers: &HeaderMap) -> Option<Response> {
    site.passwords.as_ref()?;
    let given =
        headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or("").to_owned();
    let shared = Arc::clone(site);
    // Hashes are slow on purpose.
    let check = move || shared.passwords.as_ref().is_some_and(|passwords| passwords.allows(&given));
    if tokio::task::spawn_blocking(check).await.unwrap_or(false) {
        return None;
    }
    let challenge = "Basic realm=\"bequest\", charset=\"UTF-8\"";
    Some(
        (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)], "password needed\n")
            .into_response(),
    )
}

/// True if the answer is to be JSON.
pub(crate) fn wants_json(headers: &HeaderMap, format: Option<&str>) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("");
    match format {
        Some(format) => format.eq_ignore_ascii_case("json"),
        None => accept.contains("application/json") && !accept.contains("text/html"),
    }
}

/// An answer in HTML.
pub(crate) fn html(status: StatusCode, page: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], Body::from(page)).into_response()
}

/// An answer in JSON.
pub(crate) fn json(status: StatusCode, value: &serde_json::Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], Body::from(format!("{value}\n"))).into_response()
}
