//! TLS to servers of any kind: every certificate is taken, and what a browser would have said about it is recorded.
//!
//! Whether a certificate leads to a trusted root is not examined: which roots to trust is the reader's question, and the
//! problems that are named here need no list of them.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use model::world::Stream;
use model::{TlsInfo, WallMs};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{AlertDescription, ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio_rustls::TlsConnector;
use x509_parser::certificate::X509Certificate;

/// Makes TLS connections.
pub(crate) struct Tls {
    with_sni: TlsConnector,
    without_sni: TlsConnector,
}

/// Why there is no TLS connection.
pub(crate) struct TlsFailure {
    pub(crate) reason: String,
    /// The server does not know the name: it may answer when none is said.
    pub(crate) refused_name: bool,
}

impl Tls {
    pub(crate) fn new() -> Tls {
        let config = |sni: bool| {
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let schemes = provider.signature_verification_algorithms.supported_schemes();
            let mut config = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .expect("the provider knows TLS 1.2 and 1.3")
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate { schemes }))
                .with_no_client_auth();
            config.enable_sni = sni;
            config.alpn_protocols = vec![b"http/1.1".to_vec()];
            TlsConnector::from(Arc::new(config))
        };
        Tls { with_sni: config(true), without_sni: config(false) }
    }

    /// Shakes hands over a connected stream.
    pub(crate) async fn connect(
        &self,
        stream: Box<dyn Stream>,
        host: &str,
        address: IpAddr,
        say_name: bool,
        now: WallMs,
    ) -> Result<(Box<dyn Stream>, TlsInfo), TlsFailure> {
        let name = server_name(host).unwrap_or(ServerName::IpAddress(address.into()));
        let connector = if say_name { &self.with_sni } else { &self.without_sni };
        let stream = connector.connect(name.clone(), stream).await.map_err(failure)?;
        let (_, session) = stream.get_ref();
        let protocol = match session.protocol_version() {
            Some(rustls::ProtocolVersion::TLSv1_3) => "tls/1.3",
            _ => "tls/1.2",
        };
        // rustls says TLS13_AES_128_GCM_SHA256 where IANA says TLS_AES_128_GCM_SHA256.
        let cipher_suite = session
            .negotiated_cipher_suite()
            .and_then(|suite| suite.suite().as_str())
            .map_or_else(String::new, |name| name.replacen("TLS13_", "TLS_", 1));
        let problems = problems(session.peer_certificates().unwrap_or_default(), &name, now);
        let info = TlsInfo { protocol: protocol.to_owned(), cipher_suite, problems };
        Ok((Box::new(stream), info))
    }
}

fn server_name(host: &str) -> Option<ServerName<'static>> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    ServerName::try_from(host.to_owned()).ok()
}

fn failure(error: io::Error) -> TlsFailure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let refused_name =
        matches!(inner, Some(rustls::Error::AlertReceived(AlertDescription::UnrecognisedName)));
    TlsFailure { reason: format!("TLS handshake: {error}"), refused_name }
}

/// What a browser would have complained about, without asking for trusted roots.
fn problems(chain: &[CertificateDer<'_>], name: &ServerName<'_>, now: WallMs) -> Vec<String> {
    let mut problems = Vec::new();
    let mut add = |problem: &str| problems.push(problem.to_owned());
    let Some(leaf) = chain.first() else {
        add("no-certificate");
        return problems;
    };
    let Ok((_, certificate)) = x509_parser::parse_x509_certificate(leaf) else {
        add("unreadable");
        return problems;
    };
    if certificate.issuer() == certificate.subject() {
        add("self-signed");
    }
    let names_server = rustls::server::ParsedCertificate::try_from(leaf)
        .is_ok_and(|parsed| rustls::client::verify_server_name(&parsed, name).is_ok());
    if !names_server {
        add("wrong-name");
    }
    let now_s = (now.0 / 1000) as i64;
    let validity = certificate.validity();
    if now_s > validity.not_after.timestamp() {
        add("expired");
    }
    if now_s < validity.not_before.timestamp() {
        add("not-yet-valid");
    }
    if is_weakly_signed(&certificate) {
        add("weak-signature");
    }
    problems
}

/// Signed with MD5 or SHA-1 (RFC 8017 and RFC 5758 names).
fn is_weakly_signed(certificate: &X509Certificate<'_>) -> bool {
    let algorithm = certificate.signature_algorithm.algorithm.to_id_string();
    matches!(algorithm.as_str(), "1.2.840.113549.1.1.4" | "1.2.840.113549.1.1.5" | "1.2.840.10045.4.1")
}

/// Takes every certificate and every signature: an archive wants what the server sends.
#[derive(Debug)]
struct AnyCertificate {
    schemes: Vec<SignatureScheme>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let mut schemes = self.schemes.clone();
        // Old servers have nothing better to offer.
        schemes.extend([SignatureScheme::RSA_PKCS1_SHA1, SignatureScheme::ECDSA_SHA1_Legacy]);
        schemes
    }
}
