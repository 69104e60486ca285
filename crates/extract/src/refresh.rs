//! Where a Refresh header or `meta http-equiv=refresh` leads.

/// The target as written. WHATWG's grammar; where that sees nothing, the text after the first `=`, as Heritrix reads it.
pub(crate) fn target(value: &str) -> Option<&str> {
    match http1::values::refresh(value) {
        Some(refresh) => refresh.url,
        None => {
            let (before, after) = value.split_once('=')?;
            let is_url = before.trim_end().to_ascii_lowercase().ends_with("url");
            is_url
                .then(|| after.trim_matches(|c: char| c <= ' ' || c == '"' || c == '\''))
                .filter(|url| !url.is_empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        for (value, expected) in [
            ("0; url=t1", Some("t1")),
            ("5;URL='t2'", Some("t2")),
            ("30", None),
            ("0;t6", Some("t6")),
            ("url=/x", Some("/x")),
            ("never", None),
        ] {
            assert_eq!(target(value), expected, "{value}");
        }
    }
}
