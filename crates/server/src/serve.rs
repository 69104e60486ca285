//! Starting and stopping.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, bail};
use tokio::net::TcpListener;

use crate::site::Site;
use crate::{Passwords, ServeOptions, routes};

/// A server that listens already.
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
    /// Where it listens: the port that was taken.
    pub address: SocketAddr,
}

/// Opens the job and the port.
///
/// # Errors
/// When the folder holds no job, the address is not loopback and there is no password file, the file is bad, or the port is
/// taken: each says what to do.
pub async fn bind(options: &ServeOptions) -> anyhow::Result<Server> {
    let passwords = options.password_file.as_deref().map(Passwords::read).transpose()?;
    if passwords.is_none() && !options.listen.ip().is_loopback() {
        bail!("listen on {}: addresses other than loopback need --password-file FILE", options.listen);
    }
    let job = &options.job_dir;
    if !replay::ArchiveFiles::is_job(job) {
        bail!("{} holds no job; name one with --job DIR", job.display());
    }
    let listener = TcpListener::bind(options.listen).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            anyhow::anyhow!(
                "listen on {}: the port is in use; choose another with --listen ADDR:PORT",
                options.listen
            )
        }
        _ => anyhow::Error::new(error).context(format!("listen on {}", options.listen)),
    })?;
    let address = listener.local_addr().context("ask for the port")?;
    Ok(Server { listener, site: Arc::new(Site::new(job, passwords, address)), address })
}

impl Server {
    /// Answers until `stop` is done.
    ///
    /// # Errors
    /// When the system takes the port away.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> anyhow::Result<()> {
        let app = routes::of(self.site);
        axum::serve(self.listener, app).with_graceful_shutdown(stop).await.context("serve")
    }
}

/// Opens the job and answers until the process is interrupted.
///
/// # Errors
/// As [`bind`] and [`Server::run`].
pub async fn serve(options: ServeOptions) -> anyhow::Result<()> {
    let server = bind(&options).await?;
    server
        .run(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await
}
