//! URLs as a web archive needs them: the text that is requested, and the keys that are compared.
//!
//! * [`CanonicalUrl`]: a URL by the WHATWG standard, as it is requested and logged.
//! * [`Surt`]: the *Sort-friendly URI Reordering Transform* as Heritrix writes it, for scope and sheets;
//!   [`SurtPrefixSet`] asks whether a URL lies under any of many prefixes.
//! * [`queue_authority`]: the name of the queue that a URL's site has.
//! * [`cdx_key`]: the coarse key of CDX files, shared with pywb, wayback and the `surt` tool.
//! * [`Canonicalization`]: which spellings count as one URL in the seen test.
//! * [`registrable_domain`]: public suffix and one label.
//!
//! No network, no clock, no allocation where a slice will do. Fetching, and what a URL means, are others' business.
//!
//! ```
//! use bequest_surt::{CanonicalUrl, Surt, cdx_key, queue_authority};
//!
//! let url = CanonicalUrl::parse("HTTPS://www.Example.org:443/Docs/?b=2&a=1#top").unwrap();
//! assert_eq!(url.as_str(), "https://www.example.org/Docs/?b=2&a=1");
//! assert_eq!(Surt::from(&url).as_str(), "https://(org,example,www,)/docs/?b=2&a=1");
//! assert_eq!(queue_authority(&url), "org,example,www,");
//! assert_eq!(cdx_key(url.as_str()), "org,example)/docs?a=1&b=2");
//! ```

mod authority;
mod canonical;
pub mod canonicalize;
mod cdx_key;
mod domain;
mod form;
pub mod likely_uri;
mod prefix;
mod prefix_set;
mod session;

pub use authority::queue_authority;
pub use canonical::{CanonicalUrl, URL_BYTES_MAX, UrlError};
pub use canonicalize::Canonicalization;
pub use cdx_key::cdx_key;
pub use domain::registrable_domain;
pub use form::Surt;
pub use prefix::{
    surt_prefix_of_domain, surt_prefix_of_host, surt_prefix_of_seed, surt_prefix_of_text, with_scheme,
};
pub use prefix_set::SurtPrefixSet;
