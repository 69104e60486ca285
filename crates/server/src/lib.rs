//! Web pages over a job: search, captures, replay.
