//! What `cargo metadata` says of dependencies: licences and bans.

use std::collections::BTreeSet;

use anyhow::bail;
use serde_json::Value;

use crate::shell;

/// Licences that go with ours (Apache-2.0).
const LICENCES: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "MIT",
    "MIT-0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "MPL-2.0",
];

/// Crates that may not come in, and why.
const BANS: &[(&str, &str)] = &[
    ("openssl-sys", "a plain build needs a C compiler and nothing else"),
    ("aws-lc-sys", "ring is our provider; this one needs cmake and minutes"),
    ("librocksdb-sys", "39 CPU minutes of C++"),
    ("native-tls", "rustls is our TLS"),
    ("tikv-jemalloc-sys", "mimalloc is our allocator"),
];

/// Checks licences and bans of everything that is built.
///
/// # Errors
/// Lists what may not be.
pub fn licences() -> anyhow::Result<()> {
    let text = shell::output("cargo", &["metadata", "--format-version", "1", "--locked"])?;
    let metadata: Value = serde_json::from_str(&text)?;
    let mut problems = BTreeSet::new();
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        if let Some((_, why)) = BANS.iter().find(|(banned, _)| *banned == name) {
            problems.insert(format!("{name} is banned: {why}"));
        }
        let licence = package["license"].as_str().unwrap_or("none stated");
        if !is_allowed(licence) {
            problems.insert(format!("{name} has the licence {licence}"));
        }
    }
    if !problems.is_empty() {
        bail!("{}", problems.into_iter().collect::<Vec<_>>().join("\n"));
    }
    println!("{} packages, licences and bans in order", packages.len());
    Ok(())
}

/// An SPDX expression is allowed if one of its alternatives is, all parts of it.
fn is_allowed(expression: &str) -> bool {
    let flat = expression.replace(['(', ')'], " ").replace('/', " OR ");
    flat.split(" OR ").any(|all| all.split(" AND ").all(|one| LICENCES.contains(&one.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        assert!(
            is_allowed("MIT OR Apache-2.0") && is_allowed("MIT/Apache-2.0") && is_allowed("GPL-3.0 OR MIT")
        );
        assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(
            !is_allowed("AGPL-3.0-or-later") && !is_allowed("none stated") && !is_allowed("MIT AND GPL-2.0")
        );
    }
}
