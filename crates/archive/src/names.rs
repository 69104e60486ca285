//! Names of WARC files by Heritrix's template.

use std::fmt;
use std::sync::{Arc, Mutex};

use model::WallMs;

use crate::ArchiveOptions;

/// Values of the tokens that never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameTokens {
    /// `${prefix}`.
    pub prefix: String,
    /// `${pid}`, `${heritrix.pid}`.
    pub pid: u32,
    /// `${hostname}`, `${heritrix.hostname}`.
    pub hostname: String,
    /// `${port}`, `${heritrix.port}`.
    pub port: u16,
}

/// The template has a token that nobody knows, or one without end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError {
    /// The token.
    pub token: String,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown token `{}` in the template of WARC names; known are ${{prefix}}, ${{timestamp17}}, \
             ${{timestamp14}}, ${{serialno}}, ${{pid}}, ${{hostname}}, ${{port}}",
            self.token
        )
    }
}

impl std::error::Error for NameError {}

/// Gives new names, no serial number twice. Shared by all who create WARC files. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WarcNames {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    parts: Vec<Part>,
    ending: &'static str,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    next_serial: u64,
    last: WallMs,
}

#[derive(Debug)]
enum Part {
    Text(String),
    Timestamp17,
    Timestamp14,
    Serial,
}

impl WarcNames {
    /// Reads the options' template. Serial numbers begin at `next_serial`, which manifest and journal carry on.
    ///
    /// # Errors
    /// When the template has an unknown token.
    pub fn new(options: &ArchiveOptions, next_serial: u64) -> Result<WarcNames, NameError> {
        let tokens = NameTokens {
            prefix: options.prefix.clone(),
            pid: options.pid,
            hostname: options.hostname.clone(),
            port: options.port,
        };
        let ending = if options.gzip_level.is_some() { ".warc.gz" } else { ".warc" };
        let parts = parse(&options.template, &tokens)?;
        let state = Mutex::new(State { next_serial, last: WallMs(0) });
        Ok(WarcNames { shared: Arc::new(Shared { parts, ending, state }) })
    }

    /// A new name with its ending. Its time is `now`, or one millisecond after the last name's if that is later, so that
    /// no two names of a process have the same (as in Heritrix).
    pub fn next(&self, now: WallMs) -> String {
        let (serial, time) = {
            let mut state = self.shared.state.lock().expect("no panic while held");
            state.last = now.max(state.last + 1);
            state.next_serial += 1;
            (state.next_serial - 1, state.last)
        };
        let mut name = String::new();
        for part in &self.shared.parts {
            match part {
                Part::Text(text) => name.push_str(text),
                Part::Timestamp17 => name.push_str(&time.digits17()),
                Part::Timestamp14 => name.push_str(&time.digits14()),
                Part::Serial => name.push_str(&format!("{serial:05}")),
            }
        }
        name.push_str(self.shared.ending);
        name
    }

    /// The serial number of the next name.
    pub fn next_serial(&self) -> u64 {
        self.shared.state.lock().expect("no panic while held").next_serial
    }
}

fn parse(template: &str, tokens: &NameTokens) -> Result<Vec<Part>, NameError> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(start) = rest.find("${") {
        parts.push(text(&rest[..start]));
        let Some(len) = rest[start..].find('}') else {
            return Err(NameError { token: rest[start..].to_owned() });
        };
        let token = &rest[start..start + len + 1];
        parts.push(match &token[2..len] {
            "prefix" => text(&tokens.prefix),
            "timestamp17" => Part::Timestamp17,
            "timestamp14" => Part::Timestamp14,
            "serialno" => Part::Serial,
            "pid" | "heritrix.pid" => text(&tokens.pid.to_string()),
            "hostname" | "heritrix.hostname" => text(&tokens.hostname),
            "port" | "heritrix.port" => text(&tokens.port.to_string()),
            _ => return Err(NameError { token: token.to_owned() }),
        });
        rest = &rest[start + len + 1..];
    }
    parts.push(text(rest));
    Ok(parts)
}

/// Text that is safe in a file name and in a CDX line.
fn text(text: &str) -> Part {
    Part::Text(
        text.chars().map(|c| if c == '/' || c.is_whitespace() || c.is_control() { '_' } else { c }).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, expected: Result<&str, &str>) {
        let options = ArchiveOptions {
            prefix: "a/b".to_owned(),
            template: template.to_owned(),
            pid: 42,
            hostname: "crawler.example.org".to_owned(),
            port: 8443,
            ..ArchiveOptions::new("")
        };
        let name = WarcNames::new(&options, 7).map(|names| names.next(WallMs(1_767_607_207_412)));
        assert_eq!(name.as_deref().map_err(|error| error.token.as_str()), expected);
    }

    #[test]
    fn templates() {
        let heritrix =
            "${prefix}-${timestamp17}-${serialno}-${heritrix.pid}~${heritrix.hostname}~${heritrix.port}";
        check(heritrix, Ok("a_b-20260105100007412-00007-42~crawler.example.org~8443.warc.gz"));
        check("x${serialno}y", Ok("x00007y.warc.gz"));
        check("${timestamp14}", Ok("20260105100007.warc.gz"));
        check("plain", Ok("plain.warc.gz"));
        check("x${nothing}", Err("${nothing}"));
        check("x${prefix", Err("${prefix"));
    }

    #[test]
    fn names_differ_within_a_millisecond() {
        let names = WarcNames::new(&ArchiveOptions::new(""), 0).unwrap();
        let other = names.clone();
        assert_ne!(names.next(WallMs(5)), other.next(WallMs(5)));
        assert_eq!(names.next_serial(), 2);
    }
}
