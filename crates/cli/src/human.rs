//! Sizes and durations as people write them.

/// Reads `8MB`, `1.5G`, `512`, `64KiB`: bytes. `K`, `M`, `G`, `T` count by 1,024; a `B` or `iB` behind them is fine.
///
/// # Errors
/// Says what would be right.
pub fn bytes(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let digits_end =
        upper.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(upper.len());
    let (number, unit) = upper.split_at(digits_end);
    let power = match unit.trim().trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(format!("{text:?} is no size; write e.g. 512MB or 2G")),
    };
    let number: f64 = number.parse().map_err(|_| format!("{text:?} is no size; write e.g. 512MB or 2G"))?;
    Ok((number * 1024f64.powi(power)) as u64)
}

/// Reads `90`, `90s`, `15m`, `2h`, `1d`: seconds.
///
/// # Errors
/// Says what would be right.
pub fn seconds(text: &str) -> Result<u64, String> {
    let trimmed = text.trim();
    let (number, factor) = match trimmed.chars().last() {
        Some('s') => (&trimmed[..trimmed.len() - 1], 1),
        Some('m') => (&trimmed[..trimmed.len() - 1], 60),
        Some('h') => (&trimmed[..trimmed.len() - 1], 3600),
        Some('d') => (&trimmed[..trimmed.len() - 1], 86_400),
        _ => (trimmed, 1),
    };
    let number: f64 =
        number.parse().map_err(|_| format!("{text:?} is no duration; write e.g. 90s, 15m or 2h"))?;
    if !(0.0..=1e9).contains(&number) {
        return Err(format!("{text:?} is out of range"));
    }
    Ok((number * factor as f64).ceil() as u64)
}

/// Reads a pause in seconds, with fractions: milliseconds.
///
/// # Errors
/// Says what would be right.
pub fn pause_ms(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=86_400.0).contains(&seconds) => Ok((seconds * 1000.0).round() as u64),
        _ => Err(format!("{text:?} is no pause in seconds; write e.g. 1 or 0.5")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, expected) in
            [("8MB", 8 << 20), ("512", 512), ("1.5k", 1536), ("2GiB", 2 << 30), ("1 T", 1 << 40)]
        {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        assert!(bytes("eight").is_err() && bytes("8X").is_err() && bytes("").is_err());
    }

    #[test]
    fn durations() {
        for (text, expected) in [("90", 90), ("90s", 90), ("1.5m", 90), ("2h", 7200), ("1d", 86_400)] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        assert!(seconds("soon").is_err() && seconds("-1").is_err() && seconds("").is_err());
        assert_eq!(pause_ms("0.5"), Ok(500));
        assert!(pause_ms("-1").is_err());
    }
}
