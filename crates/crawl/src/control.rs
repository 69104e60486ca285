//! Questions and commands to a running job, over `state/control.sock`: a JSON object a line each way.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};

/// A request line may have that many bytes.
const REQUEST_BYTES_MAX: u64 = 64 << 10;
/// A client must have sent its line by then, and gets its answer by then.
const PATIENCE: Duration = Duration::from_secs(30);

/// What can be asked of a running job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Command {
    /// The whole way of a URL.
    Explain {
        /// The URL as somebody wrote it.
        url: String,
    },
    /// How it is getting on.
    Status,
    /// Hand out no more URLs.
    Pause,
    /// Go on.
    Unpause,
    /// End cleanly.
    Stop,
}

/// A command and where its answer goes.
pub struct Request {
    /// What is wanted.
    pub command: Command,
    reply: oneshot::Sender<anyhow::Result<Value>>,
}

impl Request {
    /// A request and the place where its answer will come.
    pub fn new(command: Command) -> (Request, oneshot::Receiver<anyhow::Result<Value>>) {
        let (reply, answer) = oneshot::channel();
        (Request { command, reply }, answer)
    }

    /// Gives the answer; that nobody waits for it any more is none of our business.
    pub fn answer(self, answer: anyhow::Result<Value>) {
        drop(self.reply.send(answer));
    }
}

/// Listens on a socket and passes requests on, until dropped. A socket that a dead process left is replaced; the job's
/// lock says that no other lives.
///
/// # Errors
/// When the socket cannot be bound.
pub fn listen(path: &Path, requests: mpsc::Sender<Request>) -> anyhow::Result<tokio::task::JoinHandle<()>> {
    let listener = bind(path)?;
    Ok(tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let requests = requests.clone();
            tokio::spawn(
                async move { drop(tokio::time::timeout(PATIENCE * 2, serve(stream, requests)).await) },
            );
        }
    }))
}

/// Socket addresses are short (108 bytes); a long path is reached through its open folder.
fn bind(path: &Path) -> anyhow::Result<UnixListener> {
    if std::fs::symlink_metadata(path).is_ok() {
        std::fs::remove_file(path).with_context(|| format!("remove the old socket {}", path.display()))?;
    }
    let (_folder, short) = short_path(path)?;
    UnixListener::bind(&short).with_context(|| format!("listen on {}", path.display()))
}

/// `/proc/self/fd/N/name`, and the open folder that it goes through.
fn short_path(path: &Path) -> anyhow::Result<(std::fs::File, std::path::PathBuf)> {
    use std::os::fd::AsRawFd;
    let folder_path = path.parent().unwrap_or(Path::new("."));
    let folder =
        std::fs::File::open(folder_path).with_context(|| format!("open {}", folder_path.display()))?;
    let name = path.file_name().context("the socket has a name")?;
    let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
    Ok((folder, short))
}

async fn serve(stream: UnixStream, requests: mpsc::Sender<Request>) -> anyhow::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    tokio::time::timeout(PATIENCE, BufReader::new(read.take(REQUEST_BYTES_MAX)).read_line(&mut line))
        .await??;
    let answer = match serde_json::from_str(&line) {
        Ok(command) => {
            let (request, answer) = Request::new(command);
            requests.send(request).await?;
            answer.await?
        }
        Err(error) => Err(anyhow::anyhow!("no command: {error}")),
    };
    let text = match answer {
        Ok(value) => serde_json::json!({ "ok": value }),
        Err(error) => serde_json::json!({ "error": format!("{error:#}") }),
    };
    write.write_all(format!("{text}\n").as_bytes()).await?;
    Ok(())
}

/// Asks the process that runs a job; `None` if none does.
///
/// # Errors
/// When the process answers with an error, or not in time.
pub async fn ask(path: &Path, command: &Command) -> anyhow::Result<Option<Value>> {
    let Ok((_folder, short)) = short_path(path) else { return Ok(None) };
    let Ok(mut stream) = UnixStream::connect(&short).await else { return Ok(None) };
    let exchange = async {
        stream.write_all(format!("{}\n", serde_json::to_string(command)?).as_bytes()).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        anyhow::Ok(text)
    };
    let text =
        tokio::time::timeout(PATIENCE, exchange).await.context("the running job does not answer")??;
    let mut answer: Value = serde_json::from_str(&text).context("read the running job's answer")?;
    match answer.get("error").and_then(Value::as_str) {
        Some(error) => anyhow::bail!("{error}"),
        None => Ok(Some(answer["ok"].take())),
    }
}
