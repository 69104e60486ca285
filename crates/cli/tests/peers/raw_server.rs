//! A server that sends what it is told to, on a free loopback port, for as long as the test runs.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// How long a connection may stay without a request or with an answer that nobody takes.
const IDLE_MAX: Duration = Duration::from_secs(60);

/// A server. Its thread ends with the test's process.
pub struct Server {
    address: SocketAddr,
}

impl Server {
    /// Starts one. `answer` gets the path of each request but `/robots.txt`, which is not found; the connection closes
    /// after every answer.
    pub fn start(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Server {
        Server::start_with_robots(move |path, stream| match path {
            "/robots.txt" => send(stream, &page("404 Not Found", "", "none\n")),
            path => answer(path, stream),
        })
    }

    /// As [`Server::start`]; `/robots.txt` is asked for like all else.
    pub fn start_with_robots(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let answer = answer.clone();
                std::thread::spawn(move || {
                    if let Some(path) = read_request(&stream) {
                        answer(&path, &mut stream);
                    }
                });
            }
        });
        Server { address }
    }

    /// A URL on it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// The path of a request without a body.
fn read_request(stream: &TcpStream) -> Option<String> {
    stream.set_read_timeout(Some(IDLE_MAX)).ok()?;
    stream.set_write_timeout(Some(IDLE_MAX)).ok()?;
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    lines.find(String::is_empty)?;
    Some(path)
}

/// Sends; that the other side has gone is its own affair.
pub fn send(stream: &mut TcpStream, bytes: &[u8]) {
    drop(stream.write_all(bytes));
}

/// A whole answer. `headers` are lines with their ends.
pub fn page(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
        .into_bytes()
}
