//! The steps in order: jobs, the way of a URL, limits, logs, reports.
