//! A published table. Each line is followed by a line of ours for each board, and by what the two have in common.

use crate::comparison::Comparison;
use crate::page::markup::{escaped, grouped, headings, line, nothing, number, run_title, table};
use crate::page::section::{multiple, statistic};
use crate::row::Row;
use crate::sections::{Experiment, Published, PublishedRow};

/// The table with the figures of these runs.
pub(super) fn table_of(published: &Published, runs: &[Comparison<'_>]) -> String {
    let is_comparable = |run: &&Comparison<'_>| {
        published.architecture.as_ref().is_none_or(|architecture| architecture == run.machine)
    };
    let runs: Vec<_> = runs.iter().filter(is_comparable).collect();
    let body: String = published.rows.iter().map(|row| lines(published, row, &runs)).collect();
    let titles = published.columns.iter().map(|column| column.title.as_str());
    let head = headings(std::iter::once("").chain(titles));
    table(&escaped(&published.caption), &head, &body).replacen("class=\"table\"", "class=\"table given\"", 1)
}

/// The lines of a published row: its figures, ours on each board that has some, and the note.
fn lines(published: &Published, row: &PublishedRow, runs: &[&Comparison<'_>]) -> String {
    let columns = 0..published.columns.len();
    let title = format!("<b>{}</b>", escaped(&row.title));
    let theirs = columns.clone().map(|column| {
        let first = published.rows.first().and_then(|first| given(first, column));
        let text = row.figures.get(column).filter(|text| !text.is_empty());
        text.map_or_else(nothing, |text| grouped(text) + &relative(published, given(row, column), first))
    });
    let mut body = line(&title, theirs);
    for run in runs {
        let figures = |row| columns.clone().map(move |column| ours(published, row, column, run));
        if figures(row).all(|figure| figure.is_none()) {
            continue;
        }
        let first = published.rows.first().into_iter().flat_map(figures).chain(std::iter::repeat(None));
        let cells = figures(row).zip(first).map(|(figure, first)| {
            figure.map_or_else(nothing, |value| number(value) + &relative(published, figure, first))
        });
        body += &line(&run_title(run), cells);
    }
    let verdict = match row.experiment {
        Experiment::Same => "<b class=\"met\">Same experiment.</b>",
        Experiment::Different => "<b class=\"missed\">Another experiment.</b>",
        Experiment::Missing => "<b class=\"missed\">Not measured.</b>",
    };
    let width = published.columns.len() + 1;
    body + &format!(
        "<tr class=\"verdict\"><td colspan=\"{width}\">{verdict} {}</td></tr>\n",
        escaped(&row.note)
    )
}

/// The published figure.
fn given(row: &PublishedRow, column: usize) -> Option<f64> {
    row.figures.get(column)?.parse().ok()
}

/// Our figure.
fn ours(published: &Published, row: &PublishedRow, column: usize, run: &Comparison<'_>) -> Option<f64> {
    let (name, params) = row.ours(column)?;
    let matching = |row: &&Row| row.name == name && row.matches(&params);
    // The row with the fewest additional conditions.
    let found = run.results.rows.iter().filter(matching).min_by_key(|row| row.params.len())?;
    Some(statistic(found, published.columns.get(column)?.show))
}

fn relative(published: &Published, value: Option<f64>, first: Option<f64>) -> String {
    if published.relative { multiple(value, first) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::results;
    use crate::{Reference, Results};

    const TABLE: &str = r#"
caption = "Theirs"
architecture = "aarch64"
columns = [{ title = "cycles" }, { title = "mean", show = "mean" }]
relative = true
[[rows]]
title = "first"
figures = ["200", "250"]
ours = ["base path=a"]
experiment = "same"
note = "Equal."
[[rows]]
title = "second"
figures = ["500", ""]
ours = ["other", "base path=a"]
experiment = "different"
note = "Longer."
"#;

    fn html(architecture: &str) -> String {
        let published: Published = toml::from_str(TABLE).unwrap();
        let reference = Reference::built_in().unwrap();
        let mut results: Results = results();
        let path = vec![("path".to_owned(), "a".to_owned())];
        results.rows =
            vec![Row::of_samples("base", path, vec![10, 10, 16]), Row::single("other", Vec::new(), 30)];
        let runs = [Comparison::new(&results, &reference, architecture)];
        table_of(&published, &runs)
    }

    #[test]
    fn each_row_has_both_figures_and_says_whether_the_experiment_is_the_same() {
        let html = html("aarch64");
        for part in [
            "<td>200 <small>1.00\u{d7}",
            "<td>10 <small>1.00\u{d7}",
            "<td>12 <small>1.00\u{d7}",
            "<td>500 <small>2.50\u{d7}",
            "<td>30 <small>3.00\u{d7}",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(html.find("Same experiment.</b> Equal.") < html.find("Another experiment.</b> Longer."));
    }

    #[test]
    fn boards_of_other_instruction_sets_are_left_out() {
        assert!(!html("riscv64").contains("<td>10"));
    }
}
