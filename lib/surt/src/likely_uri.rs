//! Does a string out of a script or an attribute look like a URL? Placeholder until the rules are in.

/// True if a string found in a script or attribute looks like a URL.
pub fn is_likely_uri(_text: &str) -> bool {
    false
}
