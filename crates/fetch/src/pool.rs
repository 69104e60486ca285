//! Connections that wait to be used again: a bounded list, the longest waiting ones closed first.

use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::Poll;

use model::MonoMs;
use tokio::io::{AsyncRead, ReadBuf};

use crate::connection::Connection;

/// Idle connections by origin.
pub(crate) struct Pool {
    idle_max: usize,
    idle_ms_max: u64,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    next_id: u64,
    /// In the order in which they came.
    waiting: BTreeMap<u64, (String, MonoMs, Connection)>,
    /// Ids of an origin, the last came last.
    of_origin: HashMap<String, Vec<u64>>,
}

impl Pool {
    pub(crate) fn new(idle_max: usize, idle_ms_max: u64) -> Pool {
        Pool { idle_max, idle_ms_max, idle: Mutex::new(Idle::default()) }
    }

    /// A connection that still seems open. Servers close while we wait; an answer that nobody asked for (a 408, say) is
    /// none to the next request.
    pub(crate) async fn take(&self, origin: &str, now: MonoMs) -> Option<Connection> {
        loop {
            let mut connection = self.take_any(origin, now)?;
            if is_quiet(&mut connection).await {
                return Some(connection);
            }
        }
    }

    fn take_any(&self, origin: &str, now: MonoMs) -> Option<Connection> {
        let mut idle = self.idle.lock().expect("no panic while held");
        let expired = idle.remove_expired(now, self.idle_ms_max);
        let id = idle.of_origin.get(origin).and_then(|ids| ids.last().copied());
        let found = id.and_then(|id| idle.remove(id));
        drop(idle);
        // Closing is a system call each: not under the lock.
        drop(expired);
        found
    }

    /// Keeps a connection for the next request to its origin.
    pub(crate) fn put(&self, origin: &str, connection: Connection, now: MonoMs) {
        if self.idle_max == 0 {
            return;
        }
        let mut idle = self.idle.lock().expect("no panic while held");
        let mut closed = idle.remove_expired(now, self.idle_ms_max);
        while idle.waiting.len() >= self.idle_max {
            let Some(oldest) = idle.waiting.keys().next().copied() else { break };
            closed.extend(idle.remove(oldest));
        }
        let id = idle.next_id;
        idle.next_id += 1;
        idle.waiting.insert(id, (origin.to_owned(), now, connection));
        idle.of_origin.entry(origin.to_owned()).or_default().push(id);
        drop(idle);
        drop(closed);
    }
}

impl Idle {
    fn remove_expired(&mut self, now: MonoMs, idle_ms_max: u64) -> Vec<Connection> {
        let mut removed = Vec::new();
        while let Some((id, (_, since, _))) = self.waiting.first_key_value()
            && now - *since > idle_ms_max
        {
            let id = *id;
            removed.extend(self.remove(id));
        }
        removed
    }

    fn remove(&mut self, id: u64) -> Option<Connection> {
        let (origin, _, connection) = self.waiting.remove(&id)?;
        if let Some(ids) = self.of_origin.get_mut(&origin) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                self.of_origin.remove(&origin);
            }
        }
        Some(connection)
    }
}

/// Neither closed nor with bytes to read.
async fn is_quiet(connection: &mut Connection) -> bool {
    poll_fn(|context| {
        let mut byte = [0];
        let mut buffer = ReadBuf::new(&mut byte);
        Poll::Ready(Pin::new(&mut connection.stream).poll_read(context, &mut buffer).is_pending())
    })
    .await
}
