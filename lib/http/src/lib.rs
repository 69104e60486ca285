//! HTTP/1 messages as the web really sends them, every byte kept.
//!
//! [`ResponseReader`] takes the bytes of a connection as they come and tells a [`Sink`] what they are: head, body,
//! payload. It records first and interprets second: bytes that make no sense stay bytes of the body, and only their
//! reading is poor. Where servers break RFC 9112 it reads as Chromium does; differences stand beside the code.
//! No I/O, no clock: sockets, time limits and limits on length are the caller's.
//!
//! ```
//! use bequest_http::{ReaderLimits, RequestInfo, ResponseHead, ResponseReader, Sink, Framing};
//!
//! #[derive(Default)]
//! struct Page { status: u16, body: Vec<u8>, payload: Vec<u8> }
//!
//! impl Sink for Page {
//!     fn head(&mut self, _raw: &[u8], head: ResponseHead, _framing: Framing) { self.status = head.status; }
//!     fn body(&mut self, raw: &[u8]) { self.body.extend_from_slice(raw); }
//!     fn payload(&mut self, bytes: &[u8]) { self.payload.extend_from_slice(bytes); }
//! }
//!
//! let mut page = Page::default();
//! let mut reader = ResponseReader::new(RequestInfo { method_head: false }, ReaderLimits::default());
//! let progress = reader.feed(b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\r\nhi\r\n0\r\n\r\n", &mut page);
//! assert!(progress.end.expect("the last chunk was seen").is_whole());
//! assert_eq!((page.status, page.payload.as_slice()), (200, &b"hi"[..]));
//! assert_eq!(page.body, b"2\r\nhi\r\n0\r\n\r\n");
//! ```

mod chunked;
pub mod coding;
pub mod date;
mod head;
mod parse;
mod reader;
mod request;
pub mod values;

pub use head::{Header, ResponseHead, Version};
pub use reader::{Cut, End, Framing, Progress, ReaderLimits, Reason, RequestInfo, ResponseReader, Sink};
pub use request::RequestHead;
