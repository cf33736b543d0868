//! A histogram of samples.

use crate::page::markup::{escaped, number};
use crate::row::Row;

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 96.0;
/// Number of bars that remain distinguishable.
const BARS: usize = 64;
/// Minimum height of a bar, so that a single sample is visible.
const LEAST: f64 = 2.0;

/// The histogram with its caption. `run` is markup.
pub(super) fn figure(row: &Row, run: &str) -> String {
    let (Some((low, _)), Some((high, _))) = (row.distribution.first(), row.distribution.last()) else {
        return String::new();
    };
    let bins = bins(row, *low, *high);
    let most = bins.iter().copied().max().unwrap_or(1).max(1);
    let width = WIDTH / bins.len() as f64;
    let bar = |(index, count): (usize, &u64)| {
        let height = (HEIGHT * *count as f64 / most as f64).max(LEAST);
        format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
            index as f64 * width,
            HEIGHT - height,
            (width - 1.0).clamp(1.0, 24.0),
        )
    };
    let bars: String = bins.iter().enumerate().filter(|(_, count)| **count > 0).map(bar).collect();
    let text = HEIGHT + 16.0;
    format!(
        "<figure>\n<svg class=\"histogram\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"distribution\">{bars}\
         <line x1=\"0\" x2=\"{WIDTH}\" y1=\"{HEIGHT}\" y2=\"{HEIGHT}\"/><text x=\"0\" y=\"{text}\">{}</text>\
         <text class=\"end\" x=\"{WIDTH}\" y=\"{text}\">{}</text></svg>\n\
         <figcaption><b>{}</b> {} <em>{run}</em><br>median {}, p99 {}, {} samples</figcaption>\n</figure>\n",
        HEIGHT + 20.0,
        number(*low as f64),
        number(*high as f64),
        escaped(&row.name),
        escaped(&row.conditions()),
        number(row.median as f64),
        number(row.p99 as f64),
        number(row.n as f64),
    )
}

/// Number of samples in each of equal intervals of the range; an interval spans at least one value.
fn bins(row: &Row, low: u64, high: u64) -> Vec<u64> {
    let range = u128::from(high - low) + 1;
    let parts = usize::try_from(range).unwrap_or(BARS).min(BARS);
    let mut bins = vec![0; parts];
    for (value, count) in &row.distribution {
        let at = u128::from(value - low) * parts as u128 / range;
        let at = usize::try_from(at).unwrap_or_default();
        if let Some(bin) = bins.get_mut(at) {
            *bin += count;
        }
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(distribution: &[(u64, u64)]) -> Row {
        let line = "ROW name=cross_u2k event=fault n=9 min=1 median=1 p99=1 max=1 mean=1 stddev=0";
        Row { distribution: distribution.to_vec(), ..Row::parse(line).unwrap().unwrap() }
    }

    #[test]
    fn every_sample_is_in_one_bin() {
        assert_eq!(bins(&row(&[(5, 2), (7, 1)]), 5, 7), [2, 0, 1]);
        let wide = bins(&row(&[(0, 2), (u64::MAX, 1)]), 0, u64::MAX);
        assert_eq!((wide.len(), wide[0], wide[BARS - 1]), (BARS, 2, 1));
    }

    #[test]
    fn a_single_value_is_a_bar() {
        assert_eq!(figure(&row(&[(18, 100)]), "board").matches("<rect").count(), 1);
    }
}
