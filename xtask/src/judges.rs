//! Servers, sites and tools that end-to-end tests need: installed into one folder, once.
//!
//! Where something may not be installed, the tests say which judge they leave out; with `CI` set that is a failure.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::shell;

/// Python tools and their versions.
const PYTHON_TOOLS: &[&str] = &["warcio==1.8.1", "pywb==2.10.0", "typos==1.52.0", "setuptools<81"];
/// Debian packages whose files are used without being installed: documentation sites.
const SITES: &[&str] = &["postgresql-doc-15", "libboost1.81-doc", "libgtk-3-doc"];
/// Debian packages that are installed: servers and a browser.
const PROGRAMS: &[(&str, &str)] = &[
    ("nginx", "nginx-light"),
    ("wget", "wget"),
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
    ("java", "default-jre-headless"),
    ("mvn", "maven"),
];
/// jwarc's Maven coordinates.
const JWARC: &str = "org.netpreserve:jwarc:0.31.1";

/// Where it all lies.
pub fn folder() -> PathBuf {
    std::env::var_os("BEQUEST_JUDGES")
        .map_or_else(|| shell::root().join("target").join("judges"), PathBuf::from)
}

/// Installs what is missing; gives what could not be.
///
/// # Errors
/// In CI, when anything is missing.
pub fn install() -> anyhow::Result<Vec<String>> {
    let folder = folder();
    fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
    let mut missing = Vec::new();
    let mut attempt = |name: &str, result: anyhow::Result<()>| {
        if let Err(error) = result {
            missing.push(format!("{name}: {error:#}"));
        }
    };
    for (program, package) in PROGRAMS {
        attempt(program, program_installed(program, package));
    }
    for site in SITES {
        attempt(site, site_unpacked(&folder, site));
    }
    attempt("python tools", python_tools(&folder));
    attempt("jwarc", jwarc(&folder));
    for text in &missing {
        println!("left out: {text}");
    }
    if std::env::var_os("CI").is_some() && !missing.is_empty() {
        bail!("judges are missing: {}", missing.join("; "));
    }
    Ok(missing)
}

fn program_installed(program: &str, package: &str) -> anyhow::Result<()> {
    if shell::has(program) || Path::new("/usr/sbin").join(program).is_file() {
        return Ok(());
    }
    let update = || shell::run("apt-get", &["-qq", "update"]);
    let install = || shell::run("apt-get", &["-qq", "-y", "--no-install-recommends", "install", package]);
    install().or_else(|_| update().and_then(|()| install()))
}

fn site_unpacked(folder: &Path, package: &str) -> anyhow::Result<()> {
    let target = folder.join("sites").join(package);
    if target.is_dir() {
        return Ok(());
    }
    let partial = folder.join("sites").join(format!("{package}.partial"));
    drop(fs::remove_dir_all(&partial));
    fs::create_dir_all(&partial)?;
    let download = || {
        // apt's own user cannot write into our folder; as root it may be asked to stay root.
        let arguments = ["-o", "APT::Sandbox::User=root", "-qq", "download", package];
        shell::run_command(shell::command("apt-get", &arguments).current_dir(&partial))
    };
    download().or_else(|_| shell::run("apt-get", &["-qq", "update"]).and_then(|()| download()))?;
    let archive = fs::read_dir(&partial)?
        .flatten()
        .find(|entry| entry.path().extension().is_some_and(|end| end == "deb"));
    let archive = archive.context("no package was downloaded")?.path();
    shell::run("dpkg", &["-x", &archive.to_string_lossy(), &partial.to_string_lossy()])?;
    fs::remove_file(archive)?;
    fs::rename(partial, target)?;
    Ok(())
}

fn python_tools(folder: &Path) -> anyhow::Result<()> {
    let environment = folder.join("python");
    let done = environment.join("installed.txt");
    if fs::read_to_string(&done).is_ok_and(|text| text == PYTHON_TOOLS.join("\n")) {
        return Ok(());
    }
    let environment_text = environment.to_string_lossy();
    shell::run("python3", &["-m", "venv", &environment_text])?;
    let pip = environment.join("bin").join("pip");
    let arguments = [&["install", "--quiet", "--disable-pip-version-check"][..], PYTHON_TOOLS].concat();
    shell::run(&pip.to_string_lossy(), &arguments)?;
    fs::write(done, PYTHON_TOOLS.join("\n"))?;
    Ok(())
}

fn jwarc(folder: &Path) -> anyhow::Result<()> {
    let jar = folder.join("jwarc.jar");
    if jar.is_file() {
        return Ok(());
    }
    let output = format!("-DoutputDirectory={}", folder.display());
    let artifact = format!("-Dartifact={JWARC}");
    shell::run("mvn", &["-q", "-B", "dependency:copy", &artifact, &output, "-Dmdep.stripVersion=true"])?;
    if !jar.is_file() {
        bail!("jwarc.jar did not come");
    }
    Ok(())
}

/// Spelling of text and code.
///
/// # Errors
/// When a word is misspelt, or in CI when the tool is missing.
pub fn typos() -> anyhow::Result<()> {
    let tool = folder().join("python").join("bin").join("typos");
    if !tool.is_file() {
        println!("left out: typos is not installed");
        return Ok(());
    }
    shell::run(&tool.to_string_lossy(), &[])
}
