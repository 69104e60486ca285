//! Query, ranking, summaries, explanation.
