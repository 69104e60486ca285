//! Which addresses may be fetched, and how many requests one of them gets at a time.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::{Arc, Mutex, RwLock};

use serde::{Deserialize, Serialize};

/// Addresses with a common front, e.g. `10.0.0.0/8` or `fd00::/8`; a lone address is a range of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AddressRange {
    first: IpAddr,
    prefix_bits: u32,
}

/// Why a text is no address range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRangeError {
    text: String,
}

impl fmt::Display for AddressRangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no address or address range such as 10.0.0.0/8", self.text)
    }
}

impl std::error::Error for AddressRangeError {}

impl FromStr for AddressRange {
    type Err = AddressRangeError;

    fn from_str(text: &str) -> Result<AddressRange, AddressRangeError> {
        let error = || AddressRangeError { text: text.to_owned() };
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let first: IpAddr = address.trim().parse().map_err(|_| error())?;
        let bits_max = if first.is_ipv4() { 32 } else { 128 };
        let prefix_bits = bits.map_or(Ok(bits_max), |bits| bits.trim().parse()).map_err(|_| error())?;
        if prefix_bits > bits_max {
            return Err(error());
        }
        Ok(AddressRange { first, prefix_bits })
    }
}

impl TryFrom<String> for AddressRange {
    type Error = AddressRangeError;
    fn try_from(text: String) -> Result<AddressRange, AddressRangeError> {
        text.parse()
    }
}

impl From<AddressRange> for String {
    fn from(range: AddressRange) -> String {
        range.to_string()
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix_bits)
    }
}

impl AddressRange {
    /// Whether the address lies in it. An IPv4 address written as IPv6 is that IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let bits = |address: IpAddr| match address.to_canonical() {
            IpAddr::V4(address) => (32, u128::from(u32::from(address))),
            IpAddr::V6(address) => (128, u128::from(address)),
        };
        let ((width, first), (address_width, address)) = (bits(self.first), bits(address));
        width == address_width
            && (first ^ address).checked_shr(width - self.prefix_bits.min(width)).unwrap_or(0) == 0
    }
}

/// Whether an address is not one of the public internet: loopback, private, link-local, shared (RFC 6598), unspecified,
/// multicast, broadcast, and their IPv6 counterparts and wrappings.
pub fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let octets = address.octets();
    octets[0] == 0
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || (octets[0] == 100 && octets[1] & 0xc0 == 64)
        || address.is_multicast()
        || address.is_broadcast()
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    // An IPv4 address inside: compatible (::/96), NAT64 (RFC 6052), 6to4 (RFC 3056).
    let inner = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    let wrapped = match segments {
        [0, 0, 0, 0, 0, 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(inner(high, low)),
        [0x2002, high, low, ..] => Some(inner(high, low)),
        _ => None,
    };
    address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || address.is_multicast()
        || wrapped.is_some_and(is_private_v4)
}

/// Says which addresses may be fetched. Private ones only for hosts that a seed names, or in a range the job allows.
pub(crate) struct AddressGuard {
    allowed: Vec<AddressRange>,
    named_hosts: RwLock<HashSet<String>>,
}

impl AddressGuard {
    pub(crate) fn new(allowed: Vec<AddressRange>) -> AddressGuard {
        AddressGuard { allowed, named_hosts: RwLock::new(HashSet::new()) }
    }

    pub(crate) fn name_host(&self, host: &str) {
        self.named_hosts.write().expect("no panic while held").insert(host.to_owned());
    }

    pub(crate) fn allows(&self, host: &str, address: IpAddr) -> bool {
        !is_private(address)
            || self.allowed.iter().any(|range| range.contains(address))
            || self.named_hosts.read().expect("no panic while held").contains(host)
    }
}

/// Counts the requests in flight to each address.
pub(crate) struct AddressSlots {
    per_address_max: u32,
    in_flight: Mutex<HashMap<IpAddr, u32>>,
}

/// A request in flight; given back when dropped.
pub(crate) struct AddressSlot {
    slots: Arc<AddressSlots>,
    address: IpAddr,
}

impl AddressSlots {
    pub(crate) fn new(per_address_max: u32) -> Arc<AddressSlots> {
        Arc::new(AddressSlots {
            per_address_max: per_address_max.max(1),
            in_flight: Mutex::new(HashMap::new()),
        })
    }

    /// `None` if the address has its full number.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr) -> Option<AddressSlot> {
        let mut in_flight = self.in_flight.lock().expect("no panic while held");
        let count = in_flight.entry(address).or_insert(0);
        if *count >= self.per_address_max {
            return None;
        }
        *count += 1;
        Some(AddressSlot { slots: self.clone(), address })
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut in_flight = self.slots.in_flight.lock().expect("no panic while held");
        if let Some(count) = in_flight.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                in_flight.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses() {
        let check = |text: &str, expected| assert_eq!(is_private(text.parse().unwrap()), expected, "{text}");
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
        ] {
            check(text, true);
        }
        for text in [
            "192.0.2.7",
            "172.32.0.1",
            "100.128.0.1",
            "8.8.8.8",
            "2001:db8::1",
            "64:ff9b::808:808",
            "::ffff:8.8.8.8",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn ranges() {
        let check = |range: &str, address: &str, expected| {
            let range: AddressRange = range.parse().unwrap();
            assert_eq!(range.contains(address.parse().unwrap()), expected, "{range} {address}");
        };
        check("10.0.0.0/8", "10.200.1.1", true);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("10.0.0.0/8", "::ffff:10.0.0.1", true);
        check("127.0.0.1", "127.0.0.1", true);
        check("127.0.0.1", "127.0.0.2", false);
        check("0.0.0.0/0", "1.2.3.4", true);
        check("::/0", "1.2.3.4", false);
        check("::/0", "fe80::1", true);
        check("fd00::/8", "fd12::1", true);
        for text in ["", "x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "10.0.0.0/"] {
            assert!(text.parse::<AddressRange>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_seed_opens_its_own_host_only() {
        let guard = AddressGuard::new(vec!["10.0.0.0/8".parse().unwrap()]);
        let local = "127.0.0.1".parse().unwrap();
        assert!(!guard.allows("site.test", local) && guard.allows("x.test", "10.0.0.1".parse().unwrap()));
        guard.name_host("site.test");
        assert!(guard.allows("site.test", local) && !guard.allows("other.test", local));
    }

    #[test]
    fn slots_come_back() {
        let slots = AddressSlots::new(2);
        let address = "192.0.2.1".parse().unwrap();
        let (one, two) = (slots.take(address), slots.take(address));
        assert!(one.is_some() && two.is_some() && slots.take(address).is_none());
        drop(one);
        assert!(slots.take(address).is_some());
        drop(two);
        assert!(slots.in_flight.lock().unwrap().is_empty());
    }
}
