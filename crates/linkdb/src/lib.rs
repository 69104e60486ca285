//! Inverted links and link analysis.
