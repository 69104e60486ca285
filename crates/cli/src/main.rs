//! `bequest`: archive the web and search what was archived.

/// Prints a line. Whoever closed our output misses it; a crawl goes on regardless, where `println!` would panic.
macro_rules! outln {
    ($($arguments:tt)*) => {
        drop(std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($arguments)*))))
    };
}

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
