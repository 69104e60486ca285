//! Fault reports of other programs (reference/faults.md), each with its number.

use std::time::{Duration, Instant};

use crate::{found, hops, urls};

#[track_caller]
fn check(html: &str, expected: &[&str]) {
    let found = found("http://example.org/d/?p=1", "text/html; charset=utf-8", html.as_bytes());
    assert_eq!(hops(&found).into_iter().collect::<Vec<_>>(), expected, "{html}");
}

#[test]
fn f036_blanks_and_line_breaks() {
    check(
        "<a href=\" http://example.net/x\"><a href=\"\nhttp://example.net/y\n\"><a href=\"http://exa\nmple.net/z\">",
        &["L http://example.net/x", "L http://example.net/y", "L http://example.net/z"],
    );
}

#[test]
fn f038_one_bad_link() {
    let html = "<a href=\"http://[\">x</a><a href=\"http://[::1/\">y</a><a href=\"mailto:\">z</a>\
                <a href=\"http://a:b:c/\">w</a><a href=\"/good\">g</a>";
    let found = found("http://example.org/", "text/html", html.as_bytes());
    assert_eq!(urls(&found).into_iter().collect::<Vec<_>>(), ["http://example.org/good"]);
    assert_eq!(found.problems.len(), 3);
}

#[test]
fn f040_huge_and_malformed() {
    let started = Instant::now();
    let inputs = [
        "<a href=x ".repeat(2 << 20),
        "<".repeat(5 << 20),
        "<button></p><p></button>".repeat(100_000),
        "<div>".repeat(1_000_000),
        format!("<p style=\"{}\">", "url(".repeat(200_000)),
        "<a href=\"".repeat(500_000),
        "<a href='x>\"".repeat(500_000),
        "<!--".repeat(1_000_000),
        "<script>".repeat(500_000),
        "<script><!--<script>".repeat(300_000),
        "<style>".repeat(500_000),
        "<a b=\"<c d='".repeat(500_000),
        "<iframe srcdoc=\"<a href='/x'>".repeat(100_000),
        "<p onclick=\"'\">".repeat(300_000),
        "<base href=x>".repeat(100_000),
        format!("<p {}>", "a=1 href=x ".repeat(500_000)),
        format!("<meta name=robots content=\"{}\">", ",".repeat(5 << 20)),
        "\0".repeat(5 << 20),
        "&".repeat(5 << 20),
        format!("<a href=\"{}\">", "&amp".repeat(250_000)),
    ];
    for input in &inputs {
        let begun = Instant::now();
        found("http://example.org/", "text/html", input.as_bytes());
        println!("{:>6} ms: {}…", begun.elapsed().as_millis(), &input[..input.len().min(24)]);
    }
    // Generous: unoptimised, on a busy machine.
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
}

#[test]
fn f041_noscript_template_srcdoc() {
    check(
        "<noscript><img src=\"/real.jpg\"></noscript><template><a href=\"/t\"></a></template>\
         <iframe srcdoc=\"<img src=/s.png>\"></iframe>",
        &["E http://example.org/real.jpg", "E http://example.org/s.png", "L http://example.org/t"],
    );
}

#[test]
fn f043_entities() {
    check(
        "<link rel=canonical href=\"https&#x3a;&#x2f;&#x2f;example&#x2e;org&#x2f;w\">\
         <a href=\"/?a=1&copy=2&amp;b=3\"><a href=\"/?x&lt=1\">",
        &["L http://example.org/?a=1&copy=2&b=3", "L http://example.org/?x&lt=1", "L https://example.org/w"],
    );
}

#[test]
fn f045_metadata() {
    check(
        "<meta property=\"og:site_name\" content=\"Example.org\"><meta name=\"twitter:site\" content=\"@x\">\
         <meta property=\"og:image\" content=\"/i.png\">",
        &["X http://example.org/i.png"],
    );
}

/// The value of an unclosed quote is mended: Heritrix takes it, a browser does not. Templates are dropped.
#[test]
fn f046_templates() {
    check("<a href=\"/a>text</a><p class=\"b\">", &["L http://example.org/a"]);
    check("<a href=\"{{ item.url }}\"><a href=\"<?php echo $u ?>\"><a href='${link}'>", &[]);
}

#[test]
fn f048_feeds() {
    let feed =
        "<item><link><![CDATA[http://example.org/p?a=1&b=2]]></link><media:content url=\"/m.jpg\"/></item>";
    let found = found("http://example.org/feed", "application/rss+xml", feed.as_bytes());
    let expected = ["http://example.org/m.jpg", "http://example.org/p?a=1&b=2"];
    assert_eq!(urls(&found).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn f050_false_links_of_scripts() {
    let script = "q(\"./WidgetBase\"),d=\"evt.begin\",e=\"12/31/2020\",f=\"text/html\",g=\"application/json\",\
                  h=\"/api/v1/items\",i=\"img/logo.png\"";
    let found = found("http://example.org/", "text/javascript", script.as_bytes());
    let expected = ["http://example.org/api/v1/items", "http://example.org/img/logo.png"];
    assert_eq!(urls(&found).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn f053_srcset() {
    check(
        "<img srcset=\"/r/a,b=/120x75/x.jpg 120w, /r/c.jpg 2x,/d.jpg\"><img srcset=\"/i.jpg 100w 50h\">",
        &[
            "E http://example.org/d.jpg",
            "E http://example.org/i.jpg",
            "E http://example.org/r/a,b=/120x75/x.jpg",
            "E http://example.org/r/c.jpg",
        ],
    );
}

#[test]
fn f055_style_sheets() {
    let css = "@import \"1.css\"; @import'2.css'screen; @import url( \"3.css\" ) layer(x); @IMPORT URL(4.css); \
               .a{background:url(5\\).png)} .b{b:url( '6.png' )} /* url(7.png) */ .c{content:\"url(8.png)\"}";
    let found = found("http://example.org/css/a.css", "text/css", css.as_bytes());
    let embeds: Vec<_> =
        hops(&found).into_iter().filter_map(|link| Some(link.strip_prefix("E ")?.to_owned())).collect();
    let expected = ["1.css", "2.css", "3.css", "4.css", "5).png", "6.png"]
        .map(|n| format!("http://example.org/css/{n}"));
    assert_eq!(embeds, expected);
    // In a comment: kept as a guess, since Heritrix takes it.
    assert!(hops(&found).contains("X http://example.org/css/7.png"));
    assert_eq!(found.outlinks.len(), 7);
}

#[test]
fn f056_quotes_in_style_attributes() {
    check("<div style='background:url(&quot;/y.png&quot;)'>", &["E http://example.org/y.png"]);
    check("<div style=\"background:url(''/x.png'')\">", &["X http://example.org/x.png"]);
}

#[test]
fn f060_binary_as_text() {
    let bytes: Vec<u8> = (0..=255).cycle().take(1 << 16).collect();
    for content_type in
        ["text/html; charset=\"utf-8\"", "text/css", "application/javascript", "text/xml", "", "text/plain"]
    {
        found("http://example.org/", content_type, &bytes);
    }
}
