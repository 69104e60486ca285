//! Large bodies go to scratch files, and memory stays flat.

use model::{Body, Digest};
use sha1::Digest as _;
use tokio::io::AsyncWriteExt;

use crate::server::{read_request, serve};
use crate::world::{Lab, exchange};

const MIB: usize = 1 << 20;
const BODY_MIB: usize = 200;

/// Peak of resident memory, MiB.
fn peak_mib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

#[tokio::test]
async fn two_hundred_mebibytes() {
    let piece: Vec<u8> = (0..MIB).map(|index| (index >> 8) as u8).collect();
    let mut sha1 = sha1::Sha1::new();
    (0..BODY_MIB).for_each(|_| sha1.update(&piece));
    let expected = Digest(sha1.finalize().into());
    for chunked in [false, true] {
        let sent = piece.clone();
        let address = serve(move |mut stream| {
            let sent = sent.clone();
            async move {
                read_request(&mut stream).await;
                let framing = match chunked {
                    true => "Transfer-Encoding: chunked".to_owned(),
                    false => format!("Content-Length: {}", BODY_MIB * MIB),
                };
                let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n").as_bytes()).await;
                for _ in 0..BODY_MIB {
                    if chunked {
                        let _ = stream.write_all(b"100000\r\n").await;
                    }
                    let _ = stream.write_all(&sent).await;
                    if chunked {
                        let _ = stream.write_all(b"\r\n").await;
                    }
                }
                let _ = stream.write_all(if chunked { b"0\r\n\r\n" } else { b"" }).await;
            }
        })
        .await;
        let lab = Lab::new(|_| {});
        let exchange = exchange(lab.fetch(&format!("http://{address}/")).await);
        assert_eq!((exchange.truncated, exchange.payload_digest), (None, expected));
        assert_eq!(exchange.payload.len(), (BODY_MIB * MIB) as u64);
        assert!(matches!(exchange.raw_body, Body::Spool(_)));
        let mut block = sha1::Sha1::new();
        block.update(&exchange.response_head);
        exchange
            .raw_body
            .for_each_chunk(|bytes| {
                block.update(bytes);
                Ok(())
            })
            .unwrap();
        assert_eq!(exchange.block_digest, Digest(block.finalize().into()));
        assert_eq!(lab.scratch_files(), if chunked { 2 } else { 1 });
        drop(exchange);
        assert_eq!(lab.scratch_files(), 0);
    }
    assert!(peak_mib() < 150, "{} MiB", peak_mib());
}

#[tokio::test]
async fn a_fetch_that_is_dropped_leaves_no_file() {
    let address = serve(|mut stream| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let _ = stream.write_all(&vec![0; 4 * MIB]).await;
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    })
    .await;
    let lab = Lab::new(|options| options.memory_body_bytes_max = 1000);
    let limit = std::time::Duration::from_millis(500);
    assert!(tokio::time::timeout(limit, lab.fetch(&format!("http://{address}/"))).await.is_err());
    assert_eq!(lab.scratch_files(), 0);
}
