//! Content codings undone for reading; what is archived stays coded.

use bytes::Bytes;
use http1::coding::decode;
use model::Problem;

use crate::Sink;

/// The bytes with the codings of a Content-Encoding value undone, at most `decoded_bytes_max` of them. What cannot be
/// undone is annotated as Heritrix does, and the bytes are read as they are.
pub(crate) fn undo(codings: &str, coded: Bytes, decoded_bytes_max: usize, sink: &mut Sink) -> Bytes {
    if codings.trim().is_empty() || coded.is_empty() {
        return coded;
    }
    let decoded = decode(codings, &coded, decoded_bytes_max);
    if let Some(problem) = decoded.problem {
        // A comma or a blank would break the fields of crawl.log.
        let word: String = codings.chars().filter(|c| c.is_ascii_graphic() && *c != ',').take(40).collect();
        let is_cut = !decoded.complete;
        sink.annotate(if is_cut {
            "contentEncodingCut".to_owned()
        } else {
            format!("unsatisfiableContentEncoding:{word}")
        });
        sink.problem(Problem { extractor: "payload", message: problem, text: String::new() });
    }
    match decoded.bytes {
        std::borrow::Cow::Owned(bytes) => bytes.into(),
        std::borrow::Cow::Borrowed(_) => coded,
    }
}
