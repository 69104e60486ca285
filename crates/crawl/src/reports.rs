//! Reports at the end of a launch, in Heritrix's form: crawl, seeds, hosts, response codes, media types.

use std::cmp::Reverse;
use std::fmt::Write;

use crate::statistics::Statistics;

/// What a crawl report says besides the sums.
pub struct ReportFacts<'a> {
    /// Name of the job.
    pub name: &'a str,
    /// How it ended, e.g. `Finished`.
    pub status: &'a str,
    /// Milliseconds of running, all launches together.
    pub running_ms: u64,
    /// URLs that still wait, by host name.
    pub remaining: &'a dyn Fn(&str) -> u64,
}

/// All reports: file name and text.
pub fn all(statistics: &Statistics, facts: &ReportFacts<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("crawl-report.txt", crawl(statistics, facts)),
        ("seeds-report.txt", seeds(statistics)),
        ("hosts-report.txt", hosts(statistics, facts)),
        ("mimetype-report.txt", mime_types(statistics)),
        ("responsecode-report.txt", response_codes(statistics)),
    ]
}

fn crawl(statistics: &Statistics, facts: &ReportFacts<'_>) -> String {
    let crawled =
        statistics.seeds.values().filter(|seed| seed.status.is_some_and(|status| status.is_success()));
    let crawled = crawled.count();
    let seconds = (facts.running_ms as f64 / 1000.0).max(0.001);
    let mut text = String::new();
    let mut line = |label: &str, value: String| writeln!(text, "{label}: {value}").expect("into a String");
    line("crawl name", facts.name.to_owned());
    line("crawl status", facts.status.to_owned());
    line("duration", format!("{}\n", duration(facts.running_ms)));
    line("seeds crawled", crawled.to_string());
    line("seeds uncrawled", format!("{}\n", statistics.seeds.len() - crawled));
    line(
        "hosts visited",
        format!("{}\n", statistics.by_host.keys().filter(|host| !host.ends_with(':')).count()),
    );
    line("URIs processed", statistics.finished().to_string());
    line("URI successes", statistics.successes.to_string());
    line("URI failures", statistics.failures.to_string());
    line("URI disregards", format!("{}\n", statistics.disregards));
    line("novel URIs", statistics.novel.urls.to_string());
    if statistics.duplicate.urls > 0 {
        line("duplicate-by-hash URIs", statistics.duplicate.urls.to_string());
    }
    text.push('\n');
    let mut line = |label: &str, value: String| writeln!(text, "{label}: {value}").expect("into a String");
    line("total crawled bytes", format!("{} ", bytes(statistics.bytes())));
    line("novel crawled bytes", bytes(statistics.novel.bytes));
    if statistics.duplicate.urls > 0 {
        line("duplicate-by-hash crawled bytes", bytes(statistics.duplicate.bytes));
    }
    text.push('\n');
    let rate = statistics.successes as f64 / seconds;
    let mut line = |label: &str, value: String| writeln!(text, "{label}: {value}").expect("into a String");
    line("URIs/sec", format!("{rate:.2}"));
    line("KB/sec", format!("{:.0}", statistics.bytes() as f64 / 1024.0 / seconds));
    text
}

fn seeds(statistics: &Statistics) -> String {
    let mut rows: Vec<_> = statistics.seeds.iter().collect();
    rows.sort_by_key(|(_, seed)| Reverse(seed.status.map_or(0, |status| status.0)));
    let mut text = "[code] [status] [seed] [redirect]\n".to_owned();
    for (url, seed) in rows {
        let code = seed.status.map_or(0, |status| status.0);
        let state = if code > 0 { "CRAWLED" } else { "NOTCRAWLED" };
        let redirect = seed.redirect_to.as_ref().map_or(String::new(), |target| format!(" {target}"));
        writeln!(text, "{code} {state} {url}{redirect}").expect("into a String");
    }
    text
}

fn hosts(statistics: &Statistics, facts: &ReportFacts<'_>) -> String {
    let mut rows: Vec<_> = statistics.by_host.iter().collect();
    rows.sort_by_key(|(_, host)| Reverse(host.all.urls));
    let mut text =
        "[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] [#dup-by-hash-urls] \
                    [#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes]\n"
            .to_owned();
    for (name, host) in rows {
        let (all, novel, duplicate) = (host.all, host.novel, host.duplicate);
        // Heritrix ends each line with a blank.
        writeln!(
            text,
            "{} {} {name} {} {} {} {} {} {} 0 0 ",
            all.urls,
            all.bytes,
            host.robots_denials,
            (facts.remaining)(name),
            novel.urls,
            novel.bytes,
            duplicate.urls,
            duplicate.bytes
        )
        .expect("into a String");
    }
    text
}

fn mime_types(statistics: &Statistics) -> String {
    let mut rows: Vec<_> = statistics.by_mime.iter().collect();
    rows.sort_by_key(|(_, tally)| Reverse(tally.urls));
    let mut text = "[#urls] [#bytes] [mime-types]\n".to_owned();
    for (mime, tally) in rows {
        writeln!(text, "{} {} {mime}", tally.urls, tally.bytes).expect("into a String");
    }
    text
}

fn response_codes(statistics: &Statistics) -> String {
    let mut rows: Vec<_> = statistics.by_status.iter().filter(|(status, _)| **status > 0).collect();
    rows.sort_by_key(|(_, count)| Reverse(**count));
    let mut text = "[#urls] [rescode]\n".to_owned();
    for (status, count) in rows {
        writeln!(text, "{count} {status}").expect("into a String");
    }
    text
}

/// `2717 (2.7 KiB)`.
fn bytes(count: u64) -> String {
    format!("{count} ({})", human_bytes(count))
}

/// `2.7 KiB`: at most one decimal.
pub fn human_bytes(count: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let (mut value, mut unit) = (count as f64, 0);
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// `1h2m3s4ms`, parts that are 0 at the front left out (Heritrix `ArchiveUtils.formatMillisecondsToConventional`).
pub fn duration(ms: u64) -> String {
    let parts =
        [(ms / 86_400_000, "d"), (ms / 3_600_000 % 24, "h"), (ms / 60_000 % 60, "m"), (ms / 1000 % 60, "s")];
    let mut text = String::new();
    for (count, unit) in parts {
        if count > 0 || !text.is_empty() {
            write!(text, "{count}{unit}").expect("into a String");
        }
    }
    write!(text, "{}ms", ms % 1000).expect("into a String");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_numbers() {
        assert_eq!(duration(2933), "2s933ms");
        assert_eq!(duration(3_600_004), "1h0m0s4ms");
        assert_eq!(bytes(2717), "2717 (2.7 KiB)");
        assert_eq!(human_bytes(12), "12 B");
    }
}
