//! The servers that the recorded cases were run against: Python scripts on loopback addresses.

use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Seconds after which a server ends by itself, whatever happens to the test.
const SECONDS_MAX: u32 = 600;

/// A script that runs until it is dropped.
pub struct Script {
    child: Child,
    /// Where it listens.
    pub port: u16,
}

impl Drop for Script {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// True if there is a Python to run scripts with; its absence is a failure in CI.
pub fn is_there() -> bool {
    let found = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    assert!(found || std::env::var_os("CI").is_none(), "python3 is needed in CI");
    if !found {
        println!("left out: there is no python3 to serve the recorded cases with");
    }
    found
}

/// The sites, on 127.0.0.50 to 127.0.0.59.
pub fn sites(script: &Path) -> Script {
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.50", *port)).is_ok();
    let port = (8050..8100).find(is_free).expect("one of fifty ports is free");
    let script = start(script, port, &[]);
    wait_until(|| TcpStream::connect(("127.0.0.59", port)).is_ok());
    script
}

/// The name server, on 127.0.0.5.
pub fn names(script: &Path) -> Script {
    let port = UdpSocket::bind(("127.0.0.5", 0)).unwrap().local_addr().unwrap().port();
    let script = start(script, port, &[]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    // A question for the address of `keaton`.
    let question = b"\0\x01\x01\0\0\x01\0\0\0\0\0\0\x06keaton\0\0\x01\0\x01";
    wait_until(|| {
        drop(socket.send_to(question, ("127.0.0.5", port)));
        socket.recv(&mut [0; 512]).is_ok()
    });
    script
}

fn start(script: &Path, port: u16, options: &[&str]) -> Script {
    let child = Command::new("python3")
        .arg(script)
        .args(["--port", &port.to_string(), "--seconds", &SECONDS_MAX.to_string()])
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Script { child, port }
}

fn wait_until(mut is_ready: impl FnMut() -> bool) {
    for _ in 0..300 {
        if is_ready() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the server did not come up within 15 s");
}
