//! Collects the best hits, of each group of duplicates only the best one.

use std::cmp::Ordering;
use std::collections::HashMap;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

/// Groups held at once, 32 bytes each. At the limit the worst are dropped and only counted.
const GROUPS_MAX: usize = 1_000_000;

/// The collector.
pub(crate) struct Distinct {
    /// Hits wanted.
    pub best_max: usize,
    /// Count every page as a group of its own.
    pub with_duplicates: bool,
}

/// What was collected.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Groups that match.
    pub total: u64,
    /// Best first, at most `best_max`.
    pub best: Vec<(Score, DocAddress)>,
}

/// The best of each group so far.
#[derive(Default)]
pub(crate) struct Groups {
    best: HashMap<u64, (Score, DocAddress)>,
    n_dropped: u64,
    kept_min: usize,
}

/// Collects from one segment.
pub(crate) struct DistinctInSegment {
    segment: SegmentOrdinal,
    /// `None`: every document is its own group.
    group_of: Option<Column<u64>>,
    groups: Groups,
}

impl Collector for Distinct {
    type Fruit = Found;
    type Child = DistinctInSegment;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<DistinctInSegment> {
        let group_of = if self.with_duplicates { None } else { Some(reader.fast_fields().u64("group")?) };
        let kept_min = self.best_max.min(GROUPS_MAX / 2);
        Ok(DistinctInSegment { segment, group_of, groups: Groups { kept_min, ..Groups::default() } })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, segments: Vec<Groups>) -> tantivy::Result<Found> {
        let mut all = Groups { kept_min: self.best_max.min(GROUPS_MAX / 2), ..Groups::default() };
        for groups in segments {
            all.n_dropped += groups.n_dropped;
            for (group, (score, address)) in groups.best {
                // Documents without a group must not meet across segments.
                let group = if self.with_duplicates { own_group(address) } else { group };
                all.offer(group, score, address);
            }
        }
        let total = all.n_dropped + all.best.len() as u64;
        let mut best: Vec<_> = all.best.into_values().collect();
        best.sort_unstable_by(better);
        best.truncate(self.best_max);
        Ok(Found { total, best })
    }
}

impl SegmentCollector for DistinctInSegment {
    type Fruit = Groups;

    fn collect(&mut self, doc: DocId, score: Score) {
        let address = DocAddress::new(self.segment, doc);
        let group = self.group_of.as_ref().and_then(|column| column.first(doc));
        self.groups.offer(group.unwrap_or_else(|| own_group(address)), score, address);
    }

    fn harvest(self) -> Groups {
        self.groups
    }
}

impl Groups {
    fn offer(&mut self, group: u64, score: Score, address: DocAddress) {
        let offered = (score, address);
        let held = self.best.entry(group).or_insert(offered);
        if better(&offered, held) == Ordering::Less {
            *held = offered;
        }
        if self.best.len() >= GROUPS_MAX {
            self.drop_worst();
        }
    }

    fn drop_worst(&mut self) {
        let mut all: Vec<_> = self.best.drain().collect();
        all.sort_unstable_by(|(_, left), (_, right)| better(left, right));
        self.n_dropped += (all.len() - self.kept_min) as u64;
        all.truncate(self.kept_min);
        self.best.extend(all);
    }
}

fn own_group(address: DocAddress) -> u64 {
    u64::from(address.segment_ord) << 32 | u64::from(address.doc_id)
}

/// Higher score first; of equal ones the document that was indexed first.
fn better(left: &(Score, DocAddress), right: &(Score, DocAddress)) -> Ordering {
    right.0.total_cmp(&left.0).then(left.1.cmp(&right.1))
}
