//! The head of a request, byte by byte as it will be sent.

/// Builds the head of an HTTP/1 request.
///
/// ```
/// let bytes = bequest_http::RequestHead::new("GET", "/a?b", "HTTP/1.1").header("Host", "example.org").finish();
/// assert_eq!(bytes, b"GET /a?b HTTP/1.1\r\nHost: example.org\r\n\r\n");
/// ```
#[derive(Debug, Clone)]
pub struct RequestHead {
    bytes: Vec<u8>,
}

impl RequestHead {
    /// Begins with the request line.
    pub fn new(method: &str, target: &str, version: &str) -> RequestHead {
        let mut head = RequestHead { bytes: Vec::with_capacity(512) };
        head.push(method);
        head.bytes.push(b' ');
        head.push(target);
        head.bytes.push(b' ');
        head.push(version);
        head.bytes.extend_from_slice(b"\r\n");
        head
    }

    /// Adds a header. Line ends and NULs in it become blanks, so that no value can add a line of its own.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> RequestHead {
        self.push(name);
        self.bytes.extend_from_slice(b": ");
        self.push(value);
        self.bytes.extend_from_slice(b"\r\n");
        self
    }

    /// Adds a header if there is a value.
    #[must_use]
    pub fn header_if(self, name: &str, value: Option<&str>) -> RequestHead {
        match value {
            Some(value) => self.header(name, value),
            None => self,
        }
    }

    /// The bytes, the blank line included.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(b"\r\n");
        self.bytes
    }

    fn push(&mut self, text: &str) {
        self.bytes
            .extend(text.bytes().map(|byte| if matches!(byte, b'\r' | b'\n' | 0) { b' ' } else { byte }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_adds_a_line() {
        let bytes =
            RequestHead::new("GET", "/", "HTTP/1.0").header("X", "a\r\nY: b").header_if("Z", None).finish();
        assert_eq!(bytes, b"GET / HTTP/1.0\r\nX: a  Y: b\r\n\r\n");
    }
}
