//! What a server is told.

use std::net::SocketAddr;
use std::path::PathBuf;

/// What a server is told.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The job's folder.
    pub job_dir: PathBuf,
    /// File of `user:password` lines. Without it only loopback addresses are allowed.
    pub password_file: Option<PathBuf>,
}
