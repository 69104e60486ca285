//! Names, addresses, and which of them may be fetched.

use std::net::{IpAddr, SocketAddr};

use model::world::{DnsAnswer, DnsFailure};
use model::{DnsFact, Fetched, HostChange, HostFacts, WallMs};

use crate::server::serve_bytes;
use crate::world::{LATER, Lab, allowing, item, prerequisite, summary};

fn answer(records: &[&str], addresses: &[&str]) -> Result<DnsAnswer, DnsFailure> {
    Ok(DnsAnswer {
        records: records.iter().map(|record| (*record).to_owned()).collect(),
        addresses: addresses.iter().map(|address| address.parse().unwrap()).collect(),
        ttl_s: 300,
        server: Some("192.0.2.53:53".parse().unwrap()),
    })
}

async fn look_up(answer: Result<DnsAnswer, DnsFailure>) -> (String, Vec<IpAddr>) {
    let lab = Lab::new(|_| {});
    lab.network.names.lock().unwrap().insert("site.test".to_owned(), answer);
    let fetched = lab.fetcher.fetch(&prerequisite("dns:site.test"), &HostFacts::default()).await;
    let (Fetched::Exchange { host_changes, .. } | Fetched::Failed { host_changes, .. }) = &fetched else {
        panic!("{fetched:?}")
    };
    let [HostChange::Dns { host, fact }] = &host_changes[..] else { panic!("{host_changes:?}") };
    assert_eq!(host, "site.test");
    (summary(&fetched), fact.addresses.clone())
}

#[tokio::test]
async fn look_ups() {
    let record = "site.test. 300 IN A 192.0.2.7";
    let (text, addresses) = look_up(answer(&[record], &["192.0.2.7"])).await;
    let body = text.strip_prefix("1 ").unwrap();
    assert!(body[..14].bytes().all(|byte| byte.is_ascii_digit()));
    assert_eq!(&body[14..], format!("\n{record}\n"));
    assert_eq!(addresses, ["192.0.2.7".parse::<IpAddr>().unwrap()]);
    let (_, addresses) = look_up(answer(&[], &["0.0.0.0", "192.0.2.7"])).await;
    assert_eq!(addresses.len(), 1);
    assert_eq!(look_up(answer(&[], &["0.0.0.0"])).await, ("failed -1".to_owned(), Vec::new()));
    assert_eq!(look_up(Err(DnsFailure::NoSuchName("x".to_owned()))).await.0, "failed -1");
    assert_eq!(look_up(Err(DnsFailure::Temporary("x".to_owned()))).await.0, "failed -1 retry");
}

#[tokio::test]
async fn the_address_comes_first() {
    let lab = Lab::new(|_| {});
    let fetch = async |dns: Option<DnsFact>| {
        let fetched = lab.fetcher.fetch(&item("http://site.test/"), &HostFacts { dns, ..allowing() }).await;
        summary(&fetched)
    };
    assert_eq!(fetch(None).await, "prerequisite dns:site.test");
    let old = DnsFact { addresses: vec!["192.0.2.7".parse().unwrap()], expires: WallMs(1) };
    assert_eq!(fetch(Some(old)).await, "prerequisite dns:site.test");
    assert_eq!(fetch(Some(DnsFact { addresses: Vec::new(), expires: LATER })).await, "failed -6");
}

#[tokio::test]
async fn private_addresses_need_a_seed_or_leave() {
    let address = serve_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage".to_vec()).await;
    let facts = HostFacts {
        dns: Some(DnsFact { addresses: vec![address.ip()], expires: LATER }),
        robots: allowing().robots,
    };
    let page = item(&format!("http://inner.test:{}/", address.port()));
    let lab = Lab::new(|_| {});
    let refused = lab.fetcher.fetch(&page, &facts).await;
    assert!(summary(&refused).starts_with("refused -5005 address 127.0.0.1"), "{refused:?}");
    // Refused before robots.txt is asked for.
    let refused = lab.fetcher.fetch(&page, &HostFacts { robots: None, ..facts.clone() }).await;
    assert!(summary(&refused).starts_with("refused -5005"), "{refused:?}");
    lab.fetcher.name_host("inner.test");
    assert_eq!(summary(&lab.fetcher.fetch(&page, &facts).await), "200 page");
    let lab = Lab::new(|options| options.allow_addresses = vec!["127.0.0.0/8".parse().unwrap()]);
    assert_eq!(summary(&lab.fetcher.fetch(&page, &facts).await), "200 page");
}

#[tokio::test]
async fn a_dead_address_is_passed_over() {
    let address: SocketAddr = serve_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage".to_vec()).await;
    let addresses = vec!["127.0.0.9".parse().unwrap(), "::1".parse().unwrap(), address.ip()];
    let facts = HostFacts { dns: Some(DnsFact { addresses, expires: LATER }), robots: allowing().robots };
    let lab = Lab::new(|_| {});
    lab.fetcher.name_host("site.test");
    let fetched = lab.fetcher.fetch(&item(&format!("http://site.test:{}/", address.port())), &facts).await;
    assert_eq!(summary(&fetched), "200 page");
    let Fetched::Exchange { exchange, .. } = fetched else { unreachable!() };
    assert_eq!(exchange.address, Some(address));
}
