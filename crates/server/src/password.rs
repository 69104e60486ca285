//! Who may read: HTTP Basic (RFC 7617) against a file of users.
//!
//! A line is `user:password` or `user:sha256$<rounds>$<salt in hex>$<digest in hex>`; `#` begins a comment. The hash is
//! SHA-256 over salt and password, then over itself and the password as often as `rounds` says, to make guessing slow.

use std::path::Path;

use anyhow::{Context, bail};
use base64::Engine as _;
use sha2::{Digest, Sha256};

/// Rounds of a new line: about 50 ms.
const ROUNDS: u32 = 200_000;
/// Rounds that are accepted at most, so that a file cannot stop the server.
const ROUNDS_MAX: u32 = 10_000_000;
/// Longest file, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The users of a password file.
#[derive(Debug, Clone)]
pub struct Passwords {
    users: Vec<(String, Secret)>,
}

#[derive(Debug, Clone)]
enum Secret {
    /// SHA-256 of the password: compared without its length showing.
    Plain([u8; 32]),
    Hashed {
        rounds: u32,
        salt: Vec<u8>,
        digest: Vec<u8>,
    },
}

impl Passwords {
    /// Reads a password file.
    ///
    /// # Errors
    /// When it cannot be read, others than its owner may read it, a line is no `user:password`, or it names no user.
    pub fn read(path: &Path) -> anyhow::Result<Passwords> {
        let shown = path.display();
        let metadata = std::fs::metadata(path).with_context(|| format!("read password file {shown}"))?;
        if is_open_to_others(&metadata) {
            bail!("password file {shown} can be read by others: make it private with: chmod 600 {shown}");
        }
        if metadata.len() > FILE_BYTES_MAX {
            bail!("password file {shown} is longer than {FILE_BYTES_MAX} bytes");
        }
        let text = std::fs::read_to_string(path).with_context(|| format!("read password file {shown}"))?;
        Passwords::parse(&text).with_context(|| format!("read password file {shown}"))
    }

    /// Reads the text of a password file.
    ///
    /// # Errors
    /// When a line is no `user:password`, or there is none.
    pub fn parse(text: &str) -> anyhow::Result<Passwords> {
        let mut users = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_end_matches('\r');
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let number = index + 1;
            let (user, secret) =
                line.split_once(':').with_context(|| format!("line {number} is no user:password"))?;
            if user.is_empty() || secret.is_empty() {
                bail!("line {number} has no user or no password");
            }
            users.push((user.to_owned(), Secret::parse(secret).with_context(|| format!("line {number}"))?));
        }
        if users.is_empty() {
            bail!("it names no user (a line is user:password)");
        }
        Ok(Passwords { users })
    }

    /// True if the value of an `Authorization` header names one of the users with the right password. Looks at all users,
    /// so that the time it takes does not tell which exist.
    pub fn allows(&self, authorization: &str) -> bool {
        let Some((user, password)) = credentials(authorization) else { return false };
        let mut allowed = false;
        for (known, secret) in &self.users {
            let is_user = equal(&sha256(&[known.as_bytes()]), &sha256(&[user.as_bytes()]));
            // Slow hashes only for the user who asks.
            let is_password = is_user && secret.is(&password);
            allowed |= is_user & is_password;
        }
        allowed
    }
}

impl Secret {
    fn parse(text: &str) -> anyhow::Result<Secret> {
        let Some(hashed) = text.strip_prefix("sha256$") else {
            return Ok(Secret::Plain(sha256(&[text.as_bytes()])));
        };
        let parts: Vec<&str> = hashed.split('$').collect();
        let [rounds, salt, digest] = parts[..] else { bail!("a hash is sha256$rounds$salt$digest") };
        let rounds = rounds.parse().ok().filter(|rounds| (1..=ROUNDS_MAX).contains(rounds));
        let rounds = rounds.with_context(|| format!("rounds must be 1 to {ROUNDS_MAX}"))?;
        let (salt, digest) = (from_hex(salt), from_hex(digest));
        let (Some(salt), Some(digest)) = (salt, digest.filter(|digest| digest.len() == 32)) else {
            bail!("salt and digest must be hexadecimal, the digest of 32 bytes")
        };
        Ok(Secret::Hashed { rounds, salt, digest })
    }

    fn is(&self, password: &str) -> bool {
        match self {
            Secret::Plain(digest) => equal(digest, &sha256(&[password.as_bytes()])),
            Secret::Hashed { rounds, salt, digest } => equal(digest, &stretched(*rounds, salt, password)),
        }
    }
}

/// The line of a password file that keeps the password as a hash. `salt` must be random.
pub fn hash_line(user: &str, password: &str, salt: &[u8]) -> String {
    let digest = stretched(ROUNDS, salt, password);
    format!("{user}:sha256${ROUNDS}${}${}", to_hex(salt), to_hex(&digest))
}

fn stretched(rounds: u32, salt: &[u8], password: &str) -> [u8; 32] {
    let mut digest = sha256(&[salt, password.as_bytes()]);
    for _ in 1..rounds {
        digest = sha256(&[&digest, password.as_bytes()]);
    }
    digest
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Compares without stopping at the first difference.
fn equal(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
}

fn credentials(authorization: &str) -> Option<(String, String)> {
    let (scheme, encoded) = authorization.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded.trim()).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (user, password) = text.split_once(':')?;
    Some((user.to_owned(), password.to_owned()))
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| {
        let pairs = text.as_bytes().chunks(2);
        pairs
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or("0"), 16).unwrap_or(0))
            .collect()
    })
}

#[cfg(unix)]
fn is_open_to_others(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn basic(text: &str) -> String {
        format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(text))
    }

    #[test]
    fn plain_and_hashed() {
        let hashed = hash_line("bo", "höher", &[1, 2, 3]);
        let passwords = Passwords::parse(&format!("# who may read\nann:se:cret\n\n{hashed}\n")).unwrap();
        let check =
            |text: &str, expected: bool| assert_eq!(passwords.allows(&basic(text)), expected, "{text}");
        check("ann:se:cret", true);
        check("ann:se", false);
        check("bo:höher", true);
        check("bo:se:cret", false);
        check("cy:x", false);
        check("ann", false);
        assert!(!passwords.allows("Bearer x") && !passwords.allows("") && !passwords.allows("Basic !!"));
    }

    #[test]
    fn odd_files() {
        for text in [
            "",
            "# only a comment",
            "ann",
            "ann:",
            ":x",
            "ann:sha256$x",
            "ann:sha256$0$00$00",
            "a:sha256$1$0$0",
        ] {
            assert!(Passwords::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn files_open_to_others_are_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "ann:x").unwrap();
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(format!("{:#}", Passwords::read(file.path()).unwrap_err()).contains("chmod 600"));
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(Passwords::read(file.path()).is_ok());
    }
}
