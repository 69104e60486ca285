//! Sites written by hand, small enough to know every page of them.

mod article;
mod demo;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use tokio::net::TcpListener;

use crate::answer::Answer;
use crate::loopback::{Serving, serve_listener};
use crate::network::Place;
use crate::request::Request;
use crate::serve::Serve;

pub use article::article;
pub use demo::demo;

/// What a site answers under one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePage {
    /// The status.
    pub status: u16,
    /// Content-Type.
    pub media_type: &'static str,
    /// The body; in text, `{origin}` stands for `http://` and the authority that was asked.
    pub body: Bytes,
    /// Where a redirect leads.
    pub location: Option<&'static str>,
}

/// A site: pages by path. Whatever is not in it is a 404.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The host name it would like to have.
    pub name: &'static str,
    /// Its pages.
    pub pages: BTreeMap<String, SitePage>,
}

impl Site {
    fn new(name: &'static str) -> Site {
        Site { name, pages: BTreeMap::new() }
    }

    fn add(&mut self, path: &str, media_type: &'static str, body: &'static [u8]) {
        let page = SitePage { status: 200, media_type, body: Bytes::from_static(body), location: None };
        self.pages.insert(path.to_owned(), page);
    }

    fn redirect(&mut self, path: &str, status: u16, location: &'static str) {
        let body = Bytes::from_static(b"It has moved.\n");
        let page = SitePage { status, media_type: "text/plain", body, location: Some(location) };
        self.pages.insert(path.to_owned(), page);
    }

    /// Its place in a false network.
    pub fn place(&self, address: SocketAddr) -> Place {
        Place::new(self.name, address)
    }
}

impl Serve for Site {
    fn respond(&self, request: &Request, _visit: u32) -> Answer {
        let path = request.path.split('?').next().unwrap_or("/");
        let Some(page) = self.pages.get(path) else {
            return Answer::new(
                404,
                "text/html",
                "<html><head><title>Not found</title></head><body><p>There is no such page.</p></body></html>\n",
            );
        };
        let answer = match std::str::from_utf8(&page.body) {
            Ok(text) if text.contains("{origin}") => {
                let origin = format!("http://{}", request.header("host").unwrap_or(self.name));
                Answer::new(page.status, page.media_type, text.replace("{origin}", &origin))
            }
            _ => Answer::new(page.status, page.media_type, page.body.clone()),
        };
        match page.location {
            Some(location) => answer.with("Location", location),
            None => answer,
        }
    }
}

/// Serves a site to loopback clients until the handle is dropped.
pub fn serve_site(site: Site, listener: TcpListener) -> Serving {
    serve_listener(listener, Arc::new(site))
}
