//! robots.txt by RFC 9309, meta robots, X-Robots-Tag, sitemaps.
