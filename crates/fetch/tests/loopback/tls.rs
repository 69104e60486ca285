//! TLS to servers that a browser would warn of.

use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{CertificateParams, CertifiedIssuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;

use crate::server::{answer, read_request, serve};
use crate::world::{LATER, Lab, exchange, item};
use model::{DnsFact, HostFacts, RobotsFact, RobotsRules};

async fn serve_tls(chain: Vec<CertificateDer<'static>>, key: &KeyPair) -> SocketAddr {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    serve(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            while read_request(&mut stream).await.is_some() {
                let _ = stream.write_all(&answer(200, "", "page")).await;
            }
        }
    })
    .await
}

fn facts(address: SocketAddr) -> HostFacts {
    HostFacts {
        dns: Some(DnsFact { addresses: vec![address.ip()], expires: LATER }),
        robots: Some(RobotsFact { rules: RobotsRules::AllowAll, expires: LATER }),
    }
}

async fn check(chain: Vec<CertificateDer<'static>>, key: &KeyPair, expected: &[&str]) {
    let address = serve_tls(chain, key).await;
    let lab = Lab::new(|_| {});
    lab.fetcher.name_host("site.test");
    for _ in 0..2 {
        let item = item(&format!("https://site.test:{}/", address.port()));
        let exchange = exchange(lab.fetcher.fetch(&item, &facts(address)).await);
        let tls = exchange.tls.unwrap();
        assert_eq!(tls.problems, expected);
        assert_eq!(tls.protocol, "tls/1.3");
        assert!(
            tls.cipher_suite.starts_with("TLS_") && !tls.cipher_suite.contains("TLS13"),
            "{}",
            tls.cipher_suite
        );
        assert_eq!(exchange.payload.prefix(9).unwrap(), "page");
    }
}

fn self_signed(
    name: &str,
    change: impl FnOnce(&mut CertificateParams),
) -> (Vec<CertificateDer<'static>>, KeyPair) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    change(&mut params);
    (vec![params.self_signed(&key).unwrap().der().clone()], key)
}

#[tokio::test]
async fn certificates() {
    let (chain, key) = self_signed("site.test", |_| {});
    check(chain, &key, &["self-signed"]).await;
    let (chain, key) = self_signed("other.test", |_| {});
    check(chain, &key, &["self-signed", "wrong-name"]).await;
    let (chain, key) = self_signed("site.test", |params| params.not_after = rcgen::date_time_ymd(2001, 1, 1));
    check(chain, &key, &["self-signed", "expired"]).await;
    let (chain, key) =
        self_signed("site.test", |params| params.not_before = rcgen::date_time_ymd(2999, 1, 1));
    check(chain, &key, &["self-signed", "not-yet-valid"]).await;
}

#[tokio::test]
async fn a_chain() {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, "a root of the test's own");
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["*.test".to_owned(), "site.test".to_owned()]).unwrap();
    let certificate = leaf.signed_by(&key, &issuer).unwrap();
    check(vec![certificate.der().clone()], &key, &[]).await;
}

#[tokio::test]
async fn no_tls_at_all() {
    let address = serve(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 400 x\r\n\r\n").await;
    })
    .await;
    let lab = Lab::new(|_| {});
    let fetched = lab.fetch(&format!("https://{address}/")).await;
    assert_eq!(crate::world::summary(&fetched), "failed -2 retry");
}
