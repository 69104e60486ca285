//! `bequest serve`: captures and search in a browser.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use server::ServeOptions;

/// Show captures and search in a browser, until Ctrl-C.
///
/// Also works while the job runs. Nothing is ever asked of the live web.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The job's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Lines user:password that may read; needed for addresses other than loopback
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When the folder holds no job, the port is taken, or the password file is not as it must be.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let job_dir = super::job::existing(args.job)?;
    let options = ServeOptions { listen: args.listen, job_dir, password_file: args.password_file };
    let runtime = tokio::runtime::Runtime::new().context("start threads")?;
    runtime.block_on(async {
        let server = server::bind(&options).await?;
        outln!("serving {} at http://{}/ (Ctrl-C stops)", options.job_dir.display(), server.address);
        let stop = async {
            let _ = tokio::signal::ctrl_c().await;
        };
        server.run(stop).await
    })?;
    // A download that is under way need not be waited for.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    Ok(ExitCode::SUCCESS)
}
