//! What `meta name=robots` and `X-Robots-Tag` ask for.

use model::RobotsMeta;

/// Adds the directives of a value to what is asked already. An `X-Robots-Tag` may begin with the name of a robot
/// (`otherbot: noindex`): such values are not ours.
pub(crate) fn merge(meta: &mut RobotsMeta, value: &str) {
    if let Some((robot, _)) = value.split_once(':') {
        let is_date_directive = robot.trim().eq_ignore_ascii_case("unavailable_after");
        if !is_date_directive && !robot.contains(',') {
            return;
        }
    }
    for word in value.split([',', ' ', '\t', '\n', '\r']) {
        match word.to_ascii_lowercase().as_str() {
            "none" => (meta.nofollow, meta.noindex) = (true, true),
            "nofollow" => meta.nofollow = true,
            "noindex" => meta.noindex = true,
            "noarchive" | "nocache" => meta.noarchive = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (value, nofollow, noindex, noarchive) in [
            ("NONE", true, true, false),
            ("index, NoFollow", true, false, false),
            ("noindex noarchive", false, true, true),
            ("otherbot: noindex, nofollow", false, false, false),
            ("nofollow, max-snippet:3", true, false, false),
            ("", false, false, false),
        ] {
            let mut meta = RobotsMeta::default();
            merge(&mut meta, value);
            assert_eq!(meta, RobotsMeta { nofollow, noindex, noarchive }, "{value}");
        }
    }
}
