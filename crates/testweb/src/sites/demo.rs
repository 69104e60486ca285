//! The site of `bequest demo`: "The Paper Boat", on the history of web archiving. It has a little of everything: a
//! stylesheet with a picture, a script, two redirects, a duplicate, a page in the sitemap alone, a page closed to robots,
//! and a dead link (`/history/lost.html`).

use super::Site;

const HTML: &str = "text/html; charset=utf-8";

/// Paths of the pages and their bytes.
macro_rules! pages {
    ($($path:literal => $file:literal),* $(,)?) => { [$(($path, include_bytes!(concat!("demo/", $file)).as_slice())),*] };
}

/// The demo site, from `/`.
pub fn demo() -> Site {
    let mut site = Site::new("paperboat.example");
    let pages = pages![
        "/" => "index.html",
        "/about.html" => "about.html",
        "/history/" => "history/index.html",
        "/history/first-pages.html" => "history/first-pages.html",
        "/history/internet-archive.html" => "history/internet-archive.html",
        "/history/national-libraries.html" => "history/national-libraries.html",
        "/history/wayback.html" => "history/wayback.html",
        "/history/heritrix.html" => "history/heritrix.html",
        "/history/nutch.html" => "history/nutch.html",
        "/history/warc.html" => "history/warc.html",
        "/history/iipc.html" => "history/iipc.html",
        "/history/timeline.html" => "history/timeline.html",
        "/how/" => "how/index.html",
        "/how/seeds.html" => "how/seeds.html",
        "/how/scope.html" => "how/scope.html",
        "/how/politeness.html" => "how/politeness.html",
        "/how/robots.html" => "how/robots.html",
        "/how/revisits.html" => "how/revisits.html",
        "/how/replay.html" => "how/replay.html",
        "/how/search.html" => "how/search.html",
        "/glossary.html" => "glossary.html",
        "/print/glossary.html" => "glossary.html",
        "/unlinked.html" => "unlinked.html",
        "/private/notes.html" => "private/notes.html",
    ];
    for (path, body) in pages {
        site.add(path, HTML, body);
    }
    site.add("/style.css", "text/css", include_bytes!("demo/style.css"));
    site.add("/img/boat.svg", "image/svg+xml", include_bytes!("demo/img/boat.svg"));
    site.add("/img/paper.svg", "image/svg+xml", include_bytes!("demo/img/paper.svg"));
    site.add("/js/waves.js", "application/javascript", include_bytes!("demo/js/waves.js"));
    site.add("/robots.txt", "text/plain", include_bytes!("demo/robots.txt"));
    site.add("/sitemap.xml", "application/xml", include_bytes!("demo/sitemap.xml"));
    site.redirect("/old-home", 301, "/");
    site.redirect("/history/timeline", 302, "timeline.html");
    site
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every page but the sitemap's and the hidden ones is linked, and every link but the dead one leads to a page.
    #[test]
    fn links_lead_to_pages() {
        let site = demo();
        let mut linked = BTreeSet::new();
        for (path, page) in &site.pages {
            let text = std::str::from_utf8(&page.body).unwrap();
            let base = url::Url::parse(&format!("http://paperboat.example{path}")).unwrap();
            for before in ["href=\"", "src=\"", "url(\""] {
                for piece in text.split(before).skip(1) {
                    linked.insert(base.join(piece.split('"').next().unwrap()).unwrap().path().to_owned());
                }
            }
            if let Some(location) = page.location {
                linked.insert(base.join(location).unwrap().path().to_owned());
            }
        }
        let pages: BTreeSet<String> = site.pages.keys().cloned().collect();
        let dead: Vec<&String> = linked.difference(&pages).collect();
        let unlinked: Vec<&String> = pages.difference(&linked).collect();
        assert_eq!(dead, ["/history/lost.html"]);
        assert_eq!(unlinked, ["/robots.txt", "/sitemap.xml", "/unlinked.html"]);
    }

    #[test]
    fn the_origin_is_filled_in() {
        use crate::{Request, Serve};
        let mut request = Request::get("x.example", 8080, "/robots.txt");
        request.headers.push(("host".to_owned(), "x.example:8080".to_owned()));
        let answer = demo().respond(&request, 0);
        assert!(answer.body.ends_with(b"Sitemap: http://x.example:8080/sitemap.xml\n"));
    }

    #[test]
    fn a_word_of_the_about_page_stands_on_one_other() {
        let site = demo();
        let n_pages = site
            .pages
            .values()
            .filter(|page| page.body.windows(10).any(|word| word == b"lighthouse"))
            .count();
        assert_eq!(n_pages, 2);
    }
}
