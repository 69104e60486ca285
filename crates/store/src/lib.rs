//! What survives a crash: journal, sorted runs, manifest.
