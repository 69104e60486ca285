//! Sections of the job file → options of the steps.

use std::sync::Arc;

use anyhow::Context;
use archive::{ArchiveOptions, Warcinfo};
use fetch::{FetchOptions, RobotsPolicy};
use scope::{Scope, SeedList};

use crate::job::{JobDir, LaunchDir};
use crate::job_file::JobFile;
use crate::registry::Registry;
use crate::resume::BaseScope;

/// The fetcher's options: the contact goes into the User-Agent, and an address may take what one queue may have.
pub fn fetch_options(file: &JobFile) -> FetchOptions {
    let mut options = file.fetch.clone();
    let contact = &file.crawl.contact;
    if !contact.is_empty() && options.user_agent == FetchOptions::default().user_agent {
        options.user_agent = options.user_agent.replace(')', &format!("; +{contact})"));
    }
    options.address_requests_max = options.address_requests_max.max(file.frontier.in_flight_per_queue);
    options
}

/// The archive's options for a launch.
pub fn archive_options(file: &JobFile, job: &JobDir, launch: &LaunchDir) -> ArchiveOptions {
    let section = &file.archive;
    let defaults = ArchiveOptions::new(launch.warcs());
    let hostname = hostname();
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let robots = match file.fetch.robots {
        RobotsPolicy::Obey => "obey",
        RobotsPolicy::Ignore => "ignore",
    };
    ArchiveOptions {
        prefix: section.prefix.clone(),
        template: section.template.clone(),
        pid: std::process::id(),
        gzip_level: section.compress.then_some(section.gzip_level),
        file_bytes_max: section.file_bytes_max,
        own_file_bytes_min: section.own_file_bytes_min,
        dns_as_response: section.dns_as_response,
        write_requests: section.requests,
        write_metadata: section.metadata,
        warcinfo: Warcinfo {
            hostname: Some(hostname.clone()),
            operator: some(&file.crawl.operator),
            is_part_of: Some(job_name(&file.crawl.name, job)),
            description: some(&file.crawl.description),
            robots: Some(robots.to_owned()),
            user_agent: Some(fetch_options(file).user_agent),
            from: file.fetch.from.clone(),
            ..defaults.warcinfo.clone()
        },
        hostname,
        ..defaults
    }
}

/// The name in the job file, else the folder's.
pub fn job_name(name: &str, job: &JobDir) -> String {
    if !name.is_empty() {
        return name.to_owned();
    }
    let root = std::path::absolute(job.root()).unwrap_or_else(|_| job.root().to_owned());
    root.file_name().map_or("job".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Makes the scope of the job file with the directives of its seeds, again and again; it is made once at once, so that
/// what cannot work is said here.
///
/// # Errors
/// When a regular expression or a directive does not read.
pub fn scope_maker(file: &JobFile, registry: &Registry, seeds: &SeedList) -> anyhow::Result<BaseScope> {
    let directives = SeedList { directives: seeds.directives.clone(), ..SeedList::default() };
    let (options, registry) = (file.scope.clone(), registry.clone());
    let make = move || -> Result<Scope, scope::ScopeError> {
        let added = registry.rules.iter().map(|make| make()).collect();
        Scope::with_rules(&options, added, &directives)
    };
    make().context("scope")?;
    Ok(Arc::new(move || make().expect("it was made before")))
}
