//! Running other programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The workspace's folder.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask lies in the workspace").to_owned()
}

/// A command in the workspace's folder.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs a command and wants it to succeed.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(program: &str, arguments: &[&str]) -> anyhow::Result<()> {
    run_command(&mut command(program, arguments))
}

/// Runs a command and wants it to succeed.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run_command(command: &mut Command) -> anyhow::Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| format!("start {shown}"))?;
    if !status.success() {
        bail!("{shown} failed: {status}");
    }
    Ok(())
}

/// Runs a command and gives what it prints.
///
/// # Errors
/// When it cannot be started or fails.
pub fn output(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let output = command(program, arguments).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("start {program}"))?;
    if !output.status.success() {
        bail!("{program} {arguments:?} failed: {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// True if a program of that name is on the path.
pub fn has(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}
