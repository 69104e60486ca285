//! `metadata` records: how the URL was found and what was found in it, as Heritrix words it
//! (MetadataRecordBuilder; `seed`, `via`, `hopsFromSeed`, `fetchTimeMs`, `charsetForLinkExtraction`, `outlink`).

use warc::{RecordType, WARC_FIELDS, push_field};

use super::RecordMaker;
use crate::{Block, Draft, Task};

/// How the URL was found and what was found in it.
pub struct Metadata;

impl RecordMaker for Metadata {
    fn name(&self) -> &'static str {
        "metadata"
    }

    fn draft(&self, task: &Task<'_>) -> Option<Draft> {
        if !task.exchange.url.is_http() || !task.options.write_metadata {
            return None;
        }
        Some(Draft::new(RecordType::Metadata, WARC_FIELDS, Block::of(block(task))))
    }
}

fn block(task: &Task<'_>) -> Vec<u8> {
    let (candidate, extraction) = (&task.item.candidate, task.extraction);
    let mut block = Vec::with_capacity(256 + extraction.outlinks.len() * 96);
    if candidate.is_seed {
        // A label without value, as Heritrix has it.
        push_field(&mut block, "seed", "");
    } else {
        if candidate.force_fetch {
            push_field(&mut block, "force-fetch", "");
        }
        if let Some(via) = &candidate.via {
            push_field(&mut block, "via", &via.url);
        }
        if !candidate.hop_path.letters().is_empty() {
            push_field(&mut block, "hopsFromSeed", &candidate.hop_path);
        }
    }
    if let Some(tag) = &candidate.source_tag {
        push_field(&mut block, "sourceTag", tag);
    }
    push_field(&mut block, "fetchTimeMs", task.exchange.duration_ms);
    if let Some(charset) = &extraction.charset {
        push_field(&mut block, "charsetForLinkExtraction", charset);
    }
    for annotation in &extraction.annotations {
        // `usingCharsetInHTML:UTF-8` and its kin become lines, as in Heritrix.
        if let Some((label, value)) =
            annotation.split_once(':').filter(|(label, _)| label.contains("Charset"))
        {
            push_field(&mut block, label, value);
        }
    }
    if let Some(tls) = task.exchange.tls.as_ref().filter(|tls| !tls.problems.is_empty()) {
        push_field(&mut block, "tlsProblems", tls.problems.join(" "));
    }
    let n_shown = extraction.outlinks.len().min(task.options.metadata_outlinks_max);
    for link in &extraction.outlinks[..n_shown] {
        push_field(
            &mut block,
            "outlink",
            format_args!("{} {} {}", link.url, link.hop.letter(), link.context),
        );
    }
    let n_left_out = extraction.outlinks_dropped + (extraction.outlinks.len() - n_shown) as u64;
    if n_left_out > 0 {
        push_field(&mut block, "outlinksLeftOut", n_left_out);
    }
    block
}
