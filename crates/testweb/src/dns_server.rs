//! A small name server on UDP (RFC 1035): A records of the places it is given, and failures on demand.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

use crate::host::Health;
use crate::network::Place;

/// How a name is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DnsReply {
    /// With this address and time to live, seconds.
    Address(Ipv4Addr, u32),
    /// The name does not exist (NXDOMAIN).
    NoSuchName,
    /// The server is out of order (SERVFAIL).
    ServerFailure,
    /// Not at all.
    Silence,
}

/// Names and how they are answered; all others do not exist.
type Zone = Arc<Mutex<HashMap<String, DnsReply>>>;

/// A name server that runs until it is dropped.
pub struct DnsServer {
    address: SocketAddr,
    zone: Zone,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl DnsServer {
    /// Starts one on a free loopback port that knows these places.
    ///
    /// # Errors
    /// When the system gives no port.
    pub async fn start(places: &[Place]) -> io::Result<DnsServer> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = socket.local_addr()?;
        let names = places.iter().filter(|place| place.health != Health::NoName).filter_map(|place| {
            match place.address.ip() {
                IpAddr::V4(address) => {
                    Some((place.name.clone(), DnsReply::Address(address, place.dns_ttl_s)))
                }
                IpAddr::V6(_) => None,
            }
        });
        let zone: Zone = Arc::new(Mutex::new(names.collect()));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let task = tokio::spawn(answer_all(socket, zone.clone(), asked.clone()));
        Ok(DnsServer { address, zone, asked, task })
    }

    /// Where it listens, for `--resolver`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes how a name is answered from now on.
    pub fn set(&self, name: &str, reply: DnsReply) {
        self.zone.lock().expect("no panic while held").insert(name.to_ascii_lowercase(), reply);
    }

    /// Names that were asked for A records, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic while held").clone()
    }
}

impl Drop for DnsServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer_all(socket: UdpSocket, zone: Zone, asked: Arc<Mutex<Vec<String>>>) {
    let mut buffer = [0; 1500];
    loop {
        let Ok((len, peer)) = socket.recv_from(&mut buffer).await else { continue };
        let Some(question) = Question::parse(&buffer[..len]) else { continue };
        let reply = zone.lock().expect("no panic while held").get(&question.name).copied();
        if question.kind == TYPE_A {
            asked.lock().expect("no panic while held").push(question.name.clone());
        }
        if let Some(answer) = question.answer(reply.unwrap_or(DnsReply::NoSuchName)) {
            let _ = socket.send_to(&answer, peer).await;
        }
    }
}

const TYPE_A: u16 = 1;
const CLASS_IN: u16 = 1;

/// The one question of a query.
struct Question {
    id: [u8; 2],
    /// The flag by which the asker wishes recursion.
    recursion_desired: u8,
    /// In lower case, without the last dot.
    name: String,
    kind: u16,
    /// The question section as asked, so that mixed case comes back as it was.
    section: Vec<u8>,
}

impl Question {
    fn parse(message: &[u8]) -> Option<Question> {
        let is_query = message.get(2)? & 0x80 == 0 && message.get(4..6)? == [0, 1];
        let mut labels = Vec::new();
        let mut at = 12;
        loop {
            let len = usize::from(*message.get(at)?);
            at += 1;
            if len == 0 {
                break;
            }
            // Compression has no place in a question.
            let label = message.get(at..at + len).filter(|_| len < 64)?;
            labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
            at += len;
        }
        let kind = message.get(at..at + 2)?;
        let section = message.get(12..at + 4)?.to_vec();
        let kind = u16::from_be_bytes([kind[0], kind[1]]);
        is_query.then(|| Question {
            id: [message[0], message[1]],
            recursion_desired: message[2] & 1,
            name: labels.join("."),
            kind,
            section,
        })
    }

    /// The answer's bytes; `None` for silence.
    fn answer(&self, reply: DnsReply) -> Option<Vec<u8>> {
        let (code, address) = match reply {
            DnsReply::Address(address, ttl_s) => (0, (self.kind == TYPE_A).then_some((address, ttl_s))),
            DnsReply::NoSuchName => (3, None),
            DnsReply::ServerFailure => (2, None),
            DnsReply::Silence => return None,
        };
        let mut message = self.id.to_vec();
        // A response, authoritative, recursion available.
        message.extend([0x84 | self.recursion_desired, 0x80 | code]);
        message.extend([0, 1, 0, u8::from(address.is_some()), 0, 0, 0, 0]);
        message.extend(&self.section);
        if let Some((address, ttl_s)) = address {
            // The name: a pointer to the question's.
            message.extend([0xc0, 12]);
            message.extend(TYPE_A.to_be_bytes());
            message.extend(CLASS_IN.to_be_bytes());
            message.extend(ttl_s.to_be_bytes());
            message.extend([0, 4]);
            message.extend(address.octets());
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Asks for an A record; the last four bytes of the answer and its code, or nothing.
    async fn ask(server: &DnsServer, name: &str) -> Option<(u8, Vec<u8>)> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let mut query = vec![7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name.split('.') {
            query.push(label.len() as u8);
            query.extend(label.as_bytes());
        }
        query.extend([0, 0, 1, 0, 1]);
        socket.send_to(&query, server.address()).await.unwrap();
        let mut answer = [0; 512];
        let received = tokio::time::timeout(Duration::from_millis(300), socket.recv(&mut answer)).await;
        let len = received.ok()?.unwrap();
        assert_eq!(answer[..2], [7, 7]);
        Some((answer[3] & 15, answer[len - 4..len].to_vec()))
    }

    #[tokio::test]
    async fn answers_and_failures() {
        let server = DnsServer::start(&[Place::new("a.example", ([127, 1, 2, 3], 80).into())]).await.unwrap();
        assert_eq!(ask(&server, "a.example").await, Some((0, vec![127, 1, 2, 3])));
        assert_eq!(ask(&server, "A.Example").await, Some((0, vec![127, 1, 2, 3])));
        assert_eq!(ask(&server, "b.example").await.unwrap().0, 3);
        server.set("b.example", DnsReply::ServerFailure);
        assert_eq!(ask(&server, "b.example").await.unwrap().0, 2);
        server.set("b.example", DnsReply::Silence);
        assert_eq!(ask(&server, "b.example").await, None);
        assert_eq!(server.asked(), ["a.example", "a.example", "b.example", "b.example", "b.example"]);
    }

    #[test]
    fn nonsense_is_no_question() {
        for message in [&b""[..], &[0; 12], &[0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 63, b'a'], &[0xff; 40]] {
            assert!(Question::parse(message).is_none());
        }
    }
}
