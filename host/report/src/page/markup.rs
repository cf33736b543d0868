//! Helpers for HTML.

pub(super) use limen_page::{escaped, headings, line, table};

use crate::comparison::Comparison;

/// A number for people: grouped thousands, and no more decimals than needed.
pub(super) fn number(value: f64) -> String {
    let text = if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") };
    grouped(&text)
}

/// A number in thousands or millions, if it has more than five digits.
pub(super) fn short(value: f64) -> String {
    let scaled = |value: f64, unit: &str| {
        let digits = usize::from(value.fract() >= 0.05 && value < 100.0);
        format!("{value:.digits$}\u{202f}{unit}")
    };
    match value {
        value if value >= 1e6 => scaled(value / 1e6, "M"),
        value if value >= 1e5 => scaled(value / 1e3, "k"),
        value => number(value),
    }
}

/// A fraction with two significant digits.
pub(super) fn fraction(value: f64) -> String {
    let digits = if value > 0.0 && value < 0.01 { 4 } else { 2 };
    format!("{value:.digits$}")
}

/// The integer digits in groups of three, if there are more than four.
pub(super) fn grouped(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
    let digits: Vec<char> = whole.chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
    let whole = if digits.len() > 4 { groups.join("\u{202f}") } else { whole.to_owned() };
    whole + &fraction.map_or_else(String::new, |fraction| format!(".{fraction}"))
}

/// The contents of a field without a figure.
pub(super) fn nothing() -> String {
    "<span class=\"none\">\u{2013}</span>".to_owned()
}

/// A section that can be collapsed. `id` and `title` are text, `content` is markup.
pub(super) fn section(id: &str, title: &str, content: &str) -> String {
    let (id, title) = (escaped(id), escaped(title));
    format!(
        "<section id=\"{id}\">\n<details open=\"open\"><summary><h2>{title}</h2></summary>\n{content}</details>\n</section>\n"
    )
}

/// The title of a run among several: architecture and board.
pub(super) fn run_title(run: &Comparison<'_>) -> String {
    escaped(&run.results.board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_grouped() {
        for (value, text) in [(0.0, "0"), (1234.0, "1234"), (12345.0, "12\u{202f}345"), (38.47, "38.47")] {
            assert_eq!(number(value), text);
        }
        assert_eq!(
            (short(7_200_000.0), short(444_434.0)),
            ("7.2\u{202f}M".to_owned(), "444\u{202f}k".to_owned())
        );
        assert_eq!((fraction(0.00145), fraction(0.5)), ("0.0014".to_owned(), "0.50".to_owned()));
        assert_eq!(grouped("1177049567"), "1\u{202f}177\u{202f}049\u{202f}567");
    }
}
