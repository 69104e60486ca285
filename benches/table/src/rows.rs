//! Admits like those of a real crawl: some 50 links of a page in a row, most of them on its own host.

use model::entry::Admit;
use model::{Candidate, Fingerprint, Hop, HopPath, Via};
use surt::CanonicalUrl;

/// Links of one page.
const PAGE_LINKS: u64 = 50;

/// The admit with a number; all `n_rows` have different URLs.
pub fn admit(number: u64, n_rows: u64) -> Admit {
    let page = number / PAGE_LINKS;
    // Pages of hosts come in turn, as a polite crawl fetches them.
    let host = page % (n_rows / 5_000).max(1);
    let url = match number % 10 {
        0 => format!("https://other-{}.example/articles/{number}", number * 7919 % 5_000),
        _ => format!(
            "https://www.site-{host}.example/section-{}/article-{number:x}.html?ref={page}",
            page % 40
        ),
    };
    Admit {
        candidate: Candidate {
            via: Some(Via {
                url: parse(&format!(
                    "https://www.site-{host}.example/section-{}/page-{page}.html",
                    page % 40
                )),
                context: if number.is_multiple_of(4) { "img/@src" } else { "a/@href" }.to_owned(),
            }),
            hop_path: HopPath::seed().then(Hop::Navlink).then(Hop::Navlink),
            ..Candidate::seed(parse(&url))
        },
        fingerprint: Fingerprint(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        queue_key: format!("example,site-{host},www,"),
        precedence: 3,
        cost: 1,
        rule: "transclusion".into(),
        bypass: false,
    }
}

fn parse(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("the text is a URL")
}
