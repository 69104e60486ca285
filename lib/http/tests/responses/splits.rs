//! The reading does not depend on how the bytes were cut into pieces, and no bytes make it panic.

use bequest_http::ReaderLimits;
use proptest::prelude::*;

use crate::reading::read_pieces;

/// Parts that responses are made of, so that random sequences reach deep states.
const PARTS: &[&str] = &[
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.0 404 x\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: x\r\n",
    "Connection: close\r\n",
    " folded\r\n",
    "\r\n",
    "\n",
    "\r",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    "0\r\n",
    "zz\r\n",
    "5;e=1\n",
    "hello",
    "HTTP",
    "junk",
    "\0",
    "X: y\n",
    "ICY 200 OK\r\n",
];

fn response() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        8 => prop::sample::select(PARTS).prop_map(|part| part.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same(
        bytes in response(),
        mut ends in prop::collection::vec(0usize..120, 0..8),
        head_bytes_max in prop::sample::select(&[40usize, 80, 256 << 10][..]),
        chunk_line_bytes_max in prop::sample::select(&[3usize, 16 << 10][..]),
    ) {
        ends.sort_unstable();
        let limits = ReaderLimits { head_bytes_max, chunk_line_bytes_max, trailer_bytes_max: 20 };
        let whole = read_pieces(&bytes, &[], limits);
        let mut pieces = read_pieces(&bytes, &ends, limits);
        prop_assert_eq!(&whole.raw[..], &bytes[..whole.raw.len()]);
        // Surplus is known only if it comes in the same piece.
        if let (Some(whole), Some(pieces)) = (whole.end, &mut pieces.end) {
            pieces.keep_alive = whole.keep_alive;
        }
        prop_assert_eq!(whole, pieces);
    }
}
