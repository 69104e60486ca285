//! New capture or revisit; WARC files and their rotation.
