//! The head of a response, read leniently.

/// HTTP version of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// No head at all: the bytes are the body.
    Http09,
    /// `HTTP/1.0`.
    Http10,
    /// `HTTP/1.1`, and whatever claims to be later.
    Http11,
}

/// One header line: name and value as received, blanks around the value cut, folded lines joined by a blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The name as received.
    pub name: Vec<u8>,
    /// The value.
    pub value: Vec<u8>,
}

/// The head of a response as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHead {
    /// The version of the status line.
    pub version: Version,
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub reason: Vec<u8>,
    /// Headers in the order received.
    pub headers: Vec<Header>,
}

impl ResponseHead {
    /// Values of all headers of that name, ASCII case ignored.
    pub fn headers_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.headers
            .iter()
            .filter(move |header| header.name.eq_ignore_ascii_case(name.as_bytes()))
            .map(|header| header.value.as_slice())
    }

    /// The first value of that name as text: UTF-8 if it is, else read as Latin-1.
    pub fn header_text(&self, name: &str) -> Option<String> {
        let value = self.headers_named(name).next()?;
        Some(match std::str::from_utf8(value) {
            Ok(text) => text.to_owned(),
            Err(_) => value.iter().map(|byte| *byte as char).collect(),
        })
    }
}
