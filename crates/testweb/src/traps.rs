//! Pages without end. Each is one chain, linked from the root page of a seed, so that its length follows from the
//! limits of scope alone: every page of it has one path from the seed.

use crate::chance::mix;

/// A chain of pages that are made when they are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trap {
    /// `/maze/1/2/3/…`: bounded by the number of path segments, or by hops.
    Maze,
    /// `/again/again/again/…`: bounded by repetitions in the path.
    Again,
    /// `/calendar?month=1`, `2`, …: bounded by hops.
    Calendar,
    /// `/basket?visit=…`, a fresh number each time: bounded by hops.
    Basket,
}

impl Trap {
    /// All kinds.
    pub const ALL: [Trap; 4] = [Trap::Maze, Trap::Again, Trap::Calendar, Trap::Basket];

    /// Where the chain begins.
    pub fn entry(self) -> &'static str {
        match self {
            Trap::Maze => "/maze/",
            Trap::Again => "/again/",
            Trap::Calendar => "/calendar?month=1",
            Trap::Basket => "/basket?visit=0",
        }
    }

    /// The page after a page of the chain; `None` if the path is none of its pages.
    pub fn next(self, path: &str) -> Option<String> {
        match self {
            Trap::Maze => {
                let rest = path.strip_prefix("/maze/")?;
                let numbers = rest.split_terminator('/');
                let is_page = rest.is_empty() || rest.ends_with('/');
                let is_page = is_page && numbers.clone().enumerate().all(|(i, n)| n == (i + 1).to_string());
                is_page.then(|| format!("{path}{}/", numbers.count() + 1))
            }
            Trap::Again => {
                let is_page = path.len() > 1
                    && path.len() % 6 == 1
                    && path.as_bytes()[1..].chunks(6).all(|c| c == b"again/");
                is_page.then(|| format!("{path}again/"))
            }
            Trap::Calendar => {
                let month: u64 = path.strip_prefix("/calendar?month=")?.parse().ok()?;
                Some(format!("/calendar?month={}", month.checked_add(1)?))
            }
            Trap::Basket => {
                let visit = path.strip_prefix("/basket?visit=")?;
                Some(format!("/basket?visit={:016x}", mix(1, visit)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(trap: Trap, path: &str, next: Option<&str>) {
        assert_eq!(trap.next(path).as_deref(), next, "{path}");
    }

    #[test]
    fn chains() {
        check(Trap::Maze, "/maze/", Some("/maze/1/"));
        check(Trap::Maze, "/maze/1/2/", Some("/maze/1/2/3/"));
        check(Trap::Maze, "/maze/2/", None);
        check(Trap::Again, "/again/", Some("/again/again/"));
        check(Trap::Again, "/other/", None);
        check(Trap::Calendar, "/calendar?month=9", Some("/calendar?month=10"));
        check(Trap::Basket, "/basket", None);
    }
}
