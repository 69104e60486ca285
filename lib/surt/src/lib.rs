//! Canonical URLs, SURT keys, registrable domains.

mod canonical;

pub use canonical::{CanonicalUrl, UrlError};

mod domain;
pub use domain::registrable_domain;
