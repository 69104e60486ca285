//! Links, title and text out of a payload.
