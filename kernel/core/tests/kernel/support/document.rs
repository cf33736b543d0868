//! Figures of these tests in the book.

/// Asserts that a table of the specification's chapter has a row with these figures.
pub(crate) fn assert_documented(row: &str, figures: &[u64]) {
    let figures: Vec<String> = figures.iter().map(|figure| in_groups(*figure)).collect();
    let line = format!("| {row} | {} |", figures.join(" | "));
    let document = include_str!("../../../../../docs/specification.md");
    assert!(document.lines().any(|found| found == line), "docs/specification.md lacks the row `{line}`");
}

/// The decimal digits in groups of three.
fn in_groups(figure: u64) -> String {
    match (figure / 1000, figure % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{} {rest:03}", in_groups(thousands)),
    }
}
