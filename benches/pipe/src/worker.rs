//! Connections: each takes a path, fetches it and passes the answer on, until nothing is left.

use std::cell::RefCell;
use std::io::Write;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context, ensure};
use bytes::BytesMut;
use hashbrown::HashSet;
use memchr::memchr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

use crate::queue::{Link, Queue, fingerprint};
use crate::record::Writer;
use crate::scan;

/// Room made for each read.
const READ_BYTES: usize = 64 << 10;
/// Headers of an answer at most.
const HEADERS_MAX: usize = 64;

/// The one host that is crawled.
pub struct Site {
    root: Url,
    address: SocketAddr,
}

impl Site {
    /// The host of a seed.
    ///
    /// # Errors
    /// When the seed names no address.
    pub fn new(seed: &Url) -> anyhow::Result<Site> {
        let address = seed.socket_addrs(|| None)?.into_iter().next().context("the seed names no address")?;
        Ok(Site { root: seed.join("/")?, address })
    }

    fn holds(&self, url: &Url) -> bool {
        url.host_str() == self.root.host_str() && url.port() == self.root.port()
    }
}

/// What the connections of a thread share.
struct Shared {
    writer: Writer,
    links: Vec<Link>,
    on_page: HashSet<u64>,
}

/// Runs the connections of one thread to the end; gives the writer back.
///
/// # Errors
/// When the server or the disk fails.
pub fn run(site: Arc<Site>, queue: Arc<Queue>, writer: Writer, connections: usize) -> anyhow::Result<Writer> {
    let shared = Rc::new(RefCell::new(Shared { writer, links: Vec::new(), on_page: HashSet::new() }));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        let start = |_| tokio::task::spawn_local(connection(site.clone(), queue.clone(), shared.clone()));
        let tasks: Vec<_> = (0..connections).map(start).collect();
        for task in tasks {
            task.await??;
        }
        anyhow::Ok(())
    })?;
    drop(local);
    let shared = Rc::into_inner(shared).context("a connection goes on")?;
    Ok(shared.into_inner().writer)
}

async fn connection(site: Arc<Site>, queue: Arc<Queue>, shared: Rc<RefCell<Shared>>) -> anyhow::Result<()> {
    let host = site.address.to_string();
    let mut stream: Option<TcpStream> = None;
    let (mut request, mut raw) = (Vec::new(), BytesMut::new());
    while let Some(path) = queue.next().await {
        let stream = match &mut stream {
            Some(stream) => stream,
            none => {
                let fresh = TcpStream::connect(site.address).await?;
                fresh.set_nodelay(true)?;
                none.insert(fresh)
            }
        };
        request.clear();
        write!(
            request,
            "GET {path} HTTP/1.1\r\nhost: {host}\r\nuser-agent: bench/1.0\r\naccept: */*\r\n\r\n"
        )?;
        stream.write_all(&request).await?;
        raw.clear();
        let head = read_answer(stream, &mut raw).await?;
        shared.borrow_mut().take(&site, &queue, &path, &raw, head)?;
        queue.finished(head.status);
    }
    Ok(())
}

/// What counts of the head of an answer.
#[derive(Clone, Copy, Default)]
struct Head {
    bytes: usize,
    status: u16,
    body_bytes: usize,
    is_html: bool,
}

async fn read_answer(stream: &mut TcpStream, raw: &mut BytesMut) -> anyhow::Result<Head> {
    let head = loop {
        raw.reserve(READ_BYTES);
        ensure!(stream.read_buf(raw).await? > 0, "the server closed a connection");
        if let Some(head) = parse_head(raw)? {
            break head;
        }
    };
    let wanted = head.bytes + head.body_bytes;
    raw.reserve(wanted.saturating_sub(raw.len()));
    while raw.len() < wanted {
        ensure!(stream.read_buf(raw).await? > 0, "the server closed a connection");
    }
    Ok(head)
}

fn parse_head(raw: &[u8]) -> anyhow::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(bytes) = response.parse(raw)? else { return Ok(None) };
    let mut head = Head { bytes, status: response.code.unwrap_or(0), ..Head::default() };
    for header in response.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            head.body_bytes = std::str::from_utf8(header.value)?.parse()?;
        } else if header.name.eq_ignore_ascii_case("content-type") {
            head.is_html = header.value.starts_with(b"text/html");
        }
    }
    Ok(Some(head))
}

impl Shared {
    fn take(&mut self, site: &Site, queue: &Queue, path: &str, raw: &[u8], head: Head) -> anyhow::Result<()> {
        let url = site.root.join(path)?;
        if head.is_html && head.status == 200 {
            self.find_links(site, &url, &raw[head.bytes..]);
            queue.offer(&mut self.links);
        }
        self.writer.write(url.as_str(), raw, head.bytes)
    }

    fn find_links(&mut self, site: &Site, base: &Url, html: &[u8]) {
        self.on_page.clear();
        let (on_page, links) = (&mut self.on_page, &mut self.links);
        scan::links(html, |href| {
            let href = memchr(b'#', href).map_or(href, |at| &href[..at]);
            if href.is_empty() || !on_page.insert(xxh3_64(href)) {
                return;
            }
            let Ok(text) = std::str::from_utf8(href) else { return };
            let text = if text.contains('&') { text.replace("&amp;", "&") } else { text.to_owned() };
            if let Ok(url) = base.join(&text)
                && site.holds(&url)
            {
                links.push((fingerprint(&url), url[Position::BeforePath..].to_owned()));
            }
        });
    }
}
