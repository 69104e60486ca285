//! Web pages over a job: search, lists of captures, captures themselves. Later the console and its REST API.
//!
//! Reads only; a crawl may be running beside it. Listens on loopback unless a password file is given. Archived pages come
//! from this very server, so nothing here relies on cookies, no address changes anything, and everything from outside is
//! escaped. What a capture looks like is the business of `replay`, what is found that of `search`.

mod capture;
mod markup;
mod options;
mod pages;
mod password;
mod routes;
mod serve;
mod site;

pub use options::ServeOptions;
pub use password::{Passwords, hash_line};
pub use serve::{Server, bind, serve};
