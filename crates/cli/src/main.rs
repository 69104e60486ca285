//! `bequest`: archive the web and search what was archived.

mod cli;
mod commands;
mod exit;
mod human;
mod live;

use clap::Parser;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match cli.command.run() {
        Ok(code) => code,
        Err(error) => {
            // Whoever closed our output wants no more of it, and no complaint.
            if exit::is_broken_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            eprintln!("bequest: {error:#}");
            exit::code_of(&error)
        }
    }
}
