//! Seeds and decide rules: does this URL belong to the crawl?.
