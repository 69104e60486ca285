//! A real browser opens the saved site from `serve` and clicks through it; it never asks the live host.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fixture::program::Running;
use crate::fixture::{archive, judges, program, site, wait_until};
use crate::sites;

/// Links that are clicked.
const CLICKS: usize = 10;

/// A browser under remote control (W3C WebDriver), closed when dropped.
struct Browser {
    address: String,
    session: String,
    _driver: Running,
    _folder: tempfile::TempDir,
}

impl Browser {
    /// `None` if no browser is installed.
    fn open() -> Option<Browser> {
        let (chromium, driver) = (judges::program("chromium")?, judges::program("chromedriver")?);
        let folder = crate::fixture::folder();
        let port = site::free_port("127.0.0.1");
        let address = format!("127.0.0.1:{port}");
        let mut command = std::process::Command::new(driver);
        let driver = program::start_command(command.arg(format!("--port={port}")));
        wait_until("chromedriver listens", Duration::from_secs(30), || TcpStream::connect(&address).is_ok());
        let profile = format!("--user-data-dir={}", folder.path().display());
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", &profile];
        let options = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": chromium, "args": arguments },
            // Every request of every page is written down.
            "goog:loggingPrefs": { "performance": "ALL" },
        }}});
        let mut browser = Browser { address, session: String::new(), _driver: driver, _folder: folder };
        let answer = browser.ask("POST", "/session", &options);
        browser.session = format!("/session/{}", answer["sessionId"].as_str().unwrap());
        Some(browser)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let (address, len) = (&self.address, body.len());
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {len}\r\n\r\n{body}")
            .unwrap();
        // The connection stays open whatever one asks for: the length says where the answer ends.
        let (mut answer, mut piece) = (Vec::new(), [0; 1 << 16]);
        let start = loop {
            let len = stream.read(&mut piece).unwrap();
            answer.extend_from_slice(&piece[..len]);
            if let Some(start) = whole_answer(&answer) {
                break start;
            }
            assert!(len > 0, "{method} {path}: the answer is cut");
        };
        let mut answer: Value = serde_json::from_slice(&answer[start..]).unwrap();
        let value = answer["value"].take();
        assert!(value.get("error").is_none(), "{method} {path}: {value}");
        value
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("{}{path}", self.session), body)
    }

    fn get(&self, path: &str) -> Value {
        self.ask("GET", &format!("{}{path}", self.session), &Value::Null)
    }

    fn script(&self, text: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": text, "args": [] }))
    }

    /// URLs that the pages asked for since the last call.
    fn requests(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "performance" }));
        let message =
            |entry: &Value| serde_json::from_str::<Value>(entry["message"].as_str().unwrap()).unwrap();
        let messages = entries.as_array().unwrap().iter().map(message);
        let sent = messages.filter(|message| message["message"]["method"] == "Network.requestWillBeSent");
        sent.filter_map(|message| message["message"]["params"]["request"]["url"].as_str().map(str::to_owned))
            .collect()
    }
}

/// Where the body begins, once all of it is there.
fn whole_answer(answer: &[u8]) -> Option<usize> {
    let start = answer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&answer[..start]).to_ascii_lowercase();
    let len = head.split("content-length:").nth(1)?.lines().next()?.trim().parse::<usize>().ok()?;
    (answer.len() >= start + len).then_some(start)
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &self.session, &Value::Null);
        }
    }
}

#[test]
fn a_saved_site_is_browsed() {
    let Some(crawled) = sites::crawled(&site::POSTGRESQL) else { return };
    let Some(browser) = Browser::open() else { return };
    let mut server =
        program::start(["serve", "--job", crawled.job.to_str().unwrap(), "--listen", "127.0.0.1:0"]);
    let serving = format!("http://{}/", server.address());
    let asked_before = crawled.site.log("access.log").lines().count();
    let first = archive::crawl_log(&crawled.job).into_iter().find(|line| line.status.0 == 200).unwrap();
    let digits = first.started.unwrap().0.digits14();
    let start = format!("{serving}web/{digits}/{}", crawled.site.url(site::POSTGRESQL.start));
    browser.post("/url", &json!({ "url": start }));
    assert!(browser.get("/title").as_str().unwrap().contains("PostgreSQL"), "{}", browser.get("/title"));

    let mut places = vec![browser.get("/url")];
    for click in 0..CLICKS {
        // A link to another page of the site, not always the first.
        let script = format!(
            "const here = location.href.split('#')[0];\n\
             const links = [...document.links].filter(link => link.href.endsWith('.html')\n\
               && link.href.includes('{}') && link.href != here && link.getClientRects().length > 0);\n\
             return links[({click} * 7 + 3) % links.length];",
            crawled.site.base
        );
        let link = browser.script(&script);
        let element =
            link.as_object().expect("a link to click").values().next().unwrap().as_str().unwrap().to_owned();
        let before = browser.get("/url");
        browser.post(&format!("/element/{element}/click"), &json!({}));
        wait_until("the click leads on", Duration::from_secs(20), || browser.get("/url") != before);
        let shown = browser
            .script("return [document.querySelector('.navheader') !== null, document.body.innerText.length]");
        // Pages of the site have that; the page that says that there is no capture has not.
        assert!(shown[0] == true, "click {click}: {shown} at {}", browser.get("/url"));
        assert!(shown[1].as_u64().unwrap() > 200, "click {click}: {shown} at {}", browser.get("/url"));
        places.push(browser.get("/url"));
    }
    let styled = browser.script("return document.styleSheets.length");
    assert!(styled.as_u64().unwrap() > 0, "the page came without its style sheet");
    let requests = browser.requests();
    assert!(requests.len() > CLICKS, "{requests:?}");
    let is_ours =
        |url: &String| url.starts_with(&serving) || url.starts_with("data:") || url.starts_with("chrome");
    let elsewhere: Vec<_> = requests.iter().filter(|url| !is_ours(url)).collect();
    assert!(elsewhere.is_empty(), "asked elsewhere: {elsewhere:?}");
    assert_eq!(crawled.site.log("access.log").lines().count(), asked_before, "the live host was asked");
    println!("clicked through {places:?}, {} requests", requests.len());
}
