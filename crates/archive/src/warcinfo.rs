//! The first record of each file (WARC 1.1, 6.2; lines as Heritrix writes them).

use model::WallMs;
use warc::{HeadWriter, RecordType, WARC_FIELDS, push_field};

use crate::ArchiveOptions;
use crate::builder::{block_digest, record_in_memory};
use crate::draft::Block;
use crate::prepared::Piece;

/// The standard that the files follow, for the line `conformsTo`.
const CONFORMS_TO: &str = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

/// Makes the first record of the file of that name.
pub(crate) fn piece(options: &ArchiveOptions, file: &str, record_id: [u8; 16], now: WallMs) -> Piece {
    let block = block(options);
    let digest = block_digest(&Block::of(block.clone())).expect("bytes in memory can be read");
    let head = |out: &mut Vec<u8>| {
        HeadWriter::begin(out, &RecordType::Warcinfo, None, &now.iso_seconds())
            .header("WARC-Filename", file)
            .header("WARC-Block-Digest", digest)
            .finish(&record_id, Some(WARC_FIELDS), block.len() as u64);
    };
    record_in_memory(options.gzip_level, head, &block)
}

fn block(options: &ArchiveOptions) -> Vec<u8> {
    let info = &options.warcinfo;
    let mut block = Vec::with_capacity(512);
    push_field(&mut block, "software", &info.software);
    let lines = [
        ("ip", info.ip.as_deref()),
        ("hostname", info.hostname.as_deref()),
        ("format", Some("WARC File Format 1.1")),
        ("conformsTo", Some(CONFORMS_TO)),
        ("operator", info.operator.as_deref()),
        ("publisher", info.publisher.as_deref()),
        ("audience", info.audience.as_deref()),
        ("isPartOf", info.is_part_of.as_deref()),
        ("description", info.description.as_deref()),
        ("robots", info.robots.as_deref()),
        ("http-header-user-agent", info.user_agent.as_deref()),
        ("http-header-from", info.from.as_deref()),
    ];
    let more = info.more.iter().map(|(label, value)| (label.as_str(), Some(value.as_str())));
    for (label, value) in lines.into_iter().chain(more) {
        if let Some(value) = value {
            push_field(&mut block, label, value);
        }
    }
    block
}
