//! What is known of every URL and host.
