//! A server that does with each connection what the test says.

use std::future::Future;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Serves every connection by that function, in the background, until the test's runtime ends.
pub(crate) async fn serve<F>(each: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(each(stream));
        }
    });
    address
}

/// Reads one request head.
pub(crate) async fn read_request<S: AsyncReadExt + Unpin>(stream: &mut S) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}

/// Reads a request, sends these bytes and closes.
pub(crate) async fn serve_bytes(answer: Vec<u8>) -> SocketAddr {
    serve(move |mut stream| {
        let answer = answer.clone();
        async move {
            if read_request(&mut stream).await.is_some() {
                let _ = stream.write_all(&answer).await;
            }
        }
    })
    .await
}

/// Answers each path on kept connections.
pub(crate) async fn serve_paths(
    answer: impl Fn(&str, &str) -> Vec<u8> + Clone + Send + Sync + 'static,
) -> SocketAddr {
    serve(move |mut stream| {
        let answer = answer.clone();
        async move {
            while let Some(head) = read_request(&mut stream).await {
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                if stream.write_all(&answer(&path, &head)).await.is_err() {
                    return;
                }
            }
        }
    })
    .await
}

/// A whole answer.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} x\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}
