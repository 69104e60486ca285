//! HTTP/1 messages as the web really sends them, every byte kept.

mod head;

pub use head::{Header, ResponseHead, Version};
