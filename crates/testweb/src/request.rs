//! A request as the false servers read it: strictly enough to notice a crawler that writes nonsense.

/// What a server reads of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// `GET`, `HEAD`, …
    pub method: String,
    /// Host name in lower case, without port.
    pub host: String,
    /// The port of the `Host` header, 80 if it names none.
    pub port: u16,
    /// Path and query as in the request line.
    pub path: String,
    /// `HTTP/1.1` or `HTTP/1.0`.
    pub version: String,
    /// The other headers, names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Request {
    /// A plain GET, as tests ask.
    pub fn get(host: &str, port: u16, path: &str) -> Request {
        Request {
            method: "GET".to_owned(),
            host: host.to_owned(),
            port,
            path: path.to_owned(),
            version: "HTTP/1.1".to_owned(),
            headers: Vec::new(),
        }
    }

    /// Reads a request head, blank line included or not; `None` if it is none.
    pub fn parse(head: &str) -> Option<Request> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !target.starts_with('/') || !version.starts_with("HTTP/1.") {
            return None;
        }
        let mut headers = Vec::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let authority =
            headers.iter().find(|(name, _)| name == "host").map_or("", |(_, value)| value.as_str());
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().ok()?),
            None => (authority, 80),
        };
        Some(Request {
            method: method.to_owned(),
            host: host.to_ascii_lowercase(),
            port,
            path: target.to_owned(),
            version: version.to_owned(),
            headers,
        })
    }

    /// The first header of that name (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The URL that was asked for.
    pub fn url(&self) -> String {
        url_text(&self.host, self.port, &self.path)
    }

    /// True if the connection may be used again after the answer.
    pub fn keeps_alive(&self) -> bool {
        let connection = self.header("connection").unwrap_or("").to_ascii_lowercase();
        if self.version == "HTTP/1.1" { connection != "close" } else { connection == "keep-alive" }
    }
}

/// An http URL, the default port left out.
pub(crate) fn url_text(host: &str, port: u16, path: &str) -> String {
    if port == 80 { format!("http://{host}{path}") } else { format!("http://{host}:{port}{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, expected: Option<(&str, bool)>) {
        let request = Request::parse(head);
        assert_eq!(
            request.as_ref().map(|request| (request.url(), request.keeps_alive())),
            expected.map(|(url, alive)| (url.to_owned(), alive))
        );
    }

    #[test]
    fn heads() {
        check("GET /a?b HTTP/1.1\r\nHost: X.example\r\n\r\n", Some(("http://x.example/a?b", true)));
        check(
            "GET / HTTP/1.1\r\nhost: x.example:81\r\nConnection: close\r\n\r\n",
            Some(("http://x.example:81/", false)),
        );
        check("GET / HTTP/1.0\r\nHost: x.example\r\n\r\n", Some(("http://x.example/", false)));
        check("GET http://x.example/ HTTP/1.1\r\n\r\n", None);
        check("GET / HTTP/1.1\r\nno colon\r\n\r\n", None);
        check("", None);
    }
}
