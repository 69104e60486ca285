//! WARC and ARC files: read, write, check, repair.
