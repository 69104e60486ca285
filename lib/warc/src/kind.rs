//! What a record is: the value of `WARC-Type` (WARC 1.1, 5.5 and 6).

use std::fmt;

/// What a record is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RecordType {
    /// Says how the records after it were made.
    Warcinfo,
    /// What a server answered.
    Response,
    /// Something that was fetched without a message around it.
    Resource,
    /// What was asked.
    Request,
    /// Says more about another record.
    Metadata,
    /// A capture whose payload is that of an earlier one.
    Revisit,
    /// Another form of an earlier record.
    Conversion,
    /// A further segment of a record.
    Continuation,
    /// First record of an ARC file (`filedesc:`), which has no `WARC-Type`.
    ArcHeader,
    /// Anything else, kept as written (WARC 1.1, 5.5: unknown types are passed over, not refused).
    Other(String),
}

impl RecordType {
    /// Reads the value of `WARC-Type`; never fails. ASCII case is ignored for the known names.
    pub fn parse(text: &str) -> RecordType {
        match text.to_ascii_lowercase().as_str() {
            "warcinfo" => RecordType::Warcinfo,
            "response" => RecordType::Response,
            "resource" => RecordType::Resource,
            "request" => RecordType::Request,
            "metadata" => RecordType::Metadata,
            "revisit" => RecordType::Revisit,
            "conversion" => RecordType::Conversion,
            "continuation" => RecordType::Continuation,
            _ => RecordType::Other(text.to_owned()),
        }
    }

    /// The name as written in a record; `arc_header` for the first record of an ARC file.
    pub fn as_str(&self) -> &str {
        match self {
            RecordType::Warcinfo => "warcinfo",
            RecordType::Response => "response",
            RecordType::Resource => "resource",
            RecordType::Request => "request",
            RecordType::Metadata => "metadata",
            RecordType::Revisit => "revisit",
            RecordType::Conversion => "conversion",
            RecordType::Continuation => "continuation",
            RecordType::ArcHeader => "arc_header",
            RecordType::Other(name) => name,
        }
    }

    /// True if WARC 1.1 (5.10) demands a `WARC-Target-URI`.
    pub fn needs_target_uri(&self) -> bool {
        use RecordType::*;
        matches!(self, Response | Resource | Request | Revisit | Conversion | Continuation)
    }
}

impl fmt::Display for RecordType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
