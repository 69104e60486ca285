//! Pages rewritten: what a browser follows by itself or on a click leads to captures, and all else stays byte for byte.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall say so at once")]

use replay::{Charset, Links, rewrite_html};
use url::Url;

fn rewritten(page: &[u8]) -> Vec<u8> {
    let links = Links::new(&Url::parse("https://a.example/d/p.html").unwrap(), "1");
    rewrite_html(page, Charset::of(None, page), &links).unwrap().0
}

fn check(page: &str, expected: &str) {
    let shown = String::from_utf8(rewritten(page.as_bytes())).unwrap();
    // `~` is a page of the site, `~im` an image of it.
    let mut short = shown.replace("/web/1/https://a.example", "~");
    for code in ["im", "cs", "js", "if"] {
        short = short.replace(&format!("/web/1{code}_/https://a.example"), &format!("~{code}"));
    }
    assert_eq!(short, expected, "{page}");
}

#[test]
fn links_and_embeds() {
    check("<a href=x>y</a>", r#"<a href="~/d/x">y</a>"#);
    check("<A HREF='/x?a=1&amp;b=2#c'>", r#"<A HREF="~/x?a=1&amp;b=2#c">"#);
    check("<a href=http://b.example>", r#"<a href="/web/1/http://b.example/">"#);
    check("<img src=x.png alt=y>", r#"<img src="~im/d/x.png" alt=y>"#);
    check("<script src=/s.js></script>", r#"<script src="~js/s.js"></script>"#);
    check("<link rel='Stylesheet' href=s.css>", r#"<link rel='Stylesheet' href="~cs/d/s.css">"#);
    check(
        "<link rel=icon href=/i><link rel=next href=n>",
        r#"<link rel=icon href="~im/i"><link rel=next href="~/d/n">"#,
    );
    check("<iframe src=f></iframe><frame src=g>", r#"<iframe src="~if/d/f"></iframe><frame src="~if/d/g">"#);
    check(
        "<video src=v poster=p><source src=w><track src=t>",
        r#"<video src="~im/d/v" poster="~im/d/p"><source src="~im/d/w"><track src="~im/d/t">"#,
    );
    check("<form action=/go><button formaction=x>", r#"<form action="~/go"><button formaction="~/d/x">"#);
    check(
        "<object data=o></object><embed src=e>",
        r#"<object data="~if/d/o"></object><embed src="~if/d/e">"#,
    );
    check(
        "<svg><use xlink:href='i.svg#a'/><image href=x /></svg>",
        r#"<svg><use xlink:href="~im/d/i.svg#a" /><image href="~im/d/x" /></svg>"#,
    );
    check("<img srcset='a 1x, b 2x'>", r#"<img srcset="~im/d/a 1x, ~im/d/b 2x">"#);
    check("<body background=b>", r#"<body background="~im/d/b">"#);
}

#[test]
fn styles() {
    check("<style>a{b:url(x)}</style>", r#"<style>a{b:url("~im/d/x")}</style>"#);
    check("<style>@import 'x';</style>", r#"<style>@import "~cs/d/x";</style>"#);
    check("<p style='background:url(x)'>", r#"<p style="background:url(&quot;~im/d/x&quot;)">"#);
    check("<style>a > b { c: 'ä' }</style>", "<style>a > b { c: 'ä' }</style>");
}

#[test]
fn bases() {
    check("<base href='/e/'><a href=x>", r#"<base href="~/e/"><a href="~/e/x">"#);
    check("<a href=x><base href='/e/'>", r#"<a href="~/e/x"><base href="~/e/">"#);
    check(
        "<base href='/e/'><base href='/f/'><a href=x>",
        r#"<base href="~/e/"><base href="~/f/"><a href="~/e/x">"#,
    );
}

#[test]
fn refreshes_and_policies() {
    check(
        "<meta http-equiv=refresh content='5; url=/x'>",
        r#"<meta http-equiv=refresh content="5;url=~/x">"#,
    );
    check("<meta http-equiv=refresh content=5>", "<meta http-equiv=refresh content=5>");
    check("<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">x", "x");
    check(
        "<meta charset=utf-8><meta name=a content='http://b.example/'>",
        "<meta charset=utf-8><meta name=a content='http://b.example/'>",
    );
}

#[test]
fn what_would_break_or_leak_goes() {
    check(
        "<script src=s integrity=sha256-x crossorigin></script>",
        r#"<script src="~js/d/s" crossorigin></script>"#,
    );
    check("<a href=x ping=http://b.example/>", r#"<a href="~/d/x">"#);
}

#[test]
fn what_scripts_read() {
    check("<img data-src=//a.example/x.png>", r#"<img data-src="~im/x.png">"#);
    check("<img data-src=x.png data-n=5>", "<img data-src=x.png data-n=5>");
    check("<p data-x='https://a.example/ {\"a\": 1}'>", "<p data-x='https://a.example/ {\"a\": 1}'>");
}

#[test]
fn documents_in_attributes() {
    check(
        "<iframe srcdoc='&lt;a href=x&gt;y&lt;/a&gt;'></iframe>",
        r#"<iframe srcdoc="<a href=&quot;~/d/x&quot;>y</a>"></iframe>"#,
    );
}

#[test]
fn everything_else_stays() {
    for page in [
        "",
        "no markup & no end",
        "<!DOCTYPE html><p class=a>b<br/>c</P><!-- <a href=x> -->",
        "<script>var a = '<a href=\"/x\">';</script>",
        "<textarea><a href=x></textarea>",
        "<a href=#top>x</a><a href=mailto:a@b.example><a href='javascript:go(\"x\")'>",
        "<a href=\"/x",
        "<img src='data:image/png;base64,AA=='>",
        "<a href=>x</a>",
        "\u{feff}<p>x",
    ] {
        check(page, page);
    }
}

#[test]
fn encodings() {
    let latin = b"<a href='\xe4?\xe4'>\xe4</a>";
    assert_eq!(rewritten(latin), b"<a href=\"/web/1/https://a.example/d/%C3%A4?%E4\">\xe4</a>");
    let links = Links::new(&Url::parse("http://a.example/").unwrap(), "1");
    let utf_16: Vec<u8> = "\u{feff}<a href=ä>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (page, charset) = rewrite_html(&utf_16, Charset::of(None, &utf_16), &links).unwrap();
    assert_eq!(
        (page.as_slice(), charset),
        (&b"<a href=\"/web/1/http://a.example/%C3%A4\">"[..], Some("utf-8"))
    );
}

/// F060: a binary file served as text.
#[test]
fn binaries_under_a_wrong_label_stay() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(rewritten(&all), all);
    let without_nul: Vec<u8> = (1..=255).collect();
    assert_eq!(rewritten(&without_nul), without_nul);
}

#[test]
fn hostile_pages_end() {
    for page in
        ["<a href=x ".repeat(50_000), "<".repeat(200_000), format!("<style>{}", "url(".repeat(50_000))]
    {
        rewritten(page.as_bytes());
    }
    let nested = (0..6).fold("<a href=x>".to_owned(), |page, _| {
        format!("<iframe srcdoc='{}'></iframe>", page.replace('&', "&amp;").replace('\'', "&#39;"))
    });
    let shown = String::from_utf8(rewritten(nested.as_bytes())).unwrap();
    assert!(!shown.contains("href=x"));
}
