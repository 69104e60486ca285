//! `cargo xtask ci`: each step has a name and a time.

use std::time::Instant;

use crate::{checks, judges, shell, sim};

/// A step: its name and what it does.
type Step = (&'static str, fn() -> anyhow::Result<()>);

/// In order: what is quick and fails often comes first.
const STEPS: &[Step] = &[
    ("format", || shell::run("cargo", &["fmt", "--all", "--check"])),
    ("licences and bans", checks::licences),
    ("judges", || judges::install().map(|_| ())),
    ("typos", judges::typos),
    ("clippy", clippy),
    ("tests", tests),
    ("docs", docs),
    ("simulation", sim::ci),
];

/// Runs all steps.
///
/// # Errors
/// The first step that fails.
pub fn run() -> anyhow::Result<()> {
    let started = Instant::now();
    for (name, step) in STEPS {
        println!("== {name}");
        let step_started = Instant::now();
        step().map_err(|error| error.context(format!("step {name}")))?;
        println!("== {name}: {:.0} s", step_started.elapsed().as_secs_f64());
    }
    println!("all {} steps passed in {:.0} s", STEPS.len(), started.elapsed().as_secs_f64());
    Ok(())
}

fn clippy() -> anyhow::Result<()> {
    shell::run("cargo", &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

fn tests() -> anyhow::Result<()> {
    let mut command = shell::command("cargo", &["test", "--workspace", "--quiet", "--no-fail-fast"]);
    command.env("BEQUEST_JUDGES", judges::folder());
    command.env("WARCIO_PYTHON", judges::folder().join("python").join("bin").join("python"));
    shell::run_command(&mut command)
}

fn docs() -> anyhow::Result<()> {
    let mut command = shell::command("cargo", &["doc", "--quiet", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    shell::run_command(&mut command)
}
