//! The measurement method, and all rows of all runs.

use crate::comparison::{Comparison, Line};
use crate::page::markup::{escaped, headings, line, nothing, number, run_title, table};

const COLUMNS: [&str; 10] =
    ["row", "median", "reference", "ratio", "min", "p99", "max", "mean", "stddev", "n"];

/// The environment of each run.
pub(super) fn method(runs: &[Comparison<'_>]) -> String {
    let run = |run: &Comparison<'_>| {
        let results = run.results;
        let release = results.release();
        let facts = [("configuration", &results.config), ("counted", &results.unit), ("version", &release)];
        let facts = facts.map(|(what, value)| (what, value.as_str()));
        let environment = results.environment.iter().map(|(what, value)| (what.as_str(), value.as_str()));
        let body =
            facts.into_iter().chain(environment).map(|(what, value)| line(&escaped(what), [escaped(value)]));
        table(&run_title(run), "", &body.collect::<String>()).replacen(
            "class=\"table\"",
            "class=\"table words\"",
            1,
        )
    };
    format!("<div class=\"beside\">\n{}</div>\n", runs.iter().map(run).collect::<String>())
}

/// All rows of a run, collapsed.
pub(super) fn all_rows(run: &Comparison<'_>) -> String {
    let body: String = run.lines.iter().map(row).collect();
    let head = headings(COLUMNS);
    format!(
        "<details><summary>All {} rows of {}</summary>\n{}</details>\n",
        run.lines.len(),
        run_title(run),
        table("", &head, &body)
    )
}

fn row(compared: &Line<'_>) -> String {
    let row = compared.row;
    let name = format!("{}<small>{}</small>", escaped(&row.name), escaped(&row.conditions()));
    let whole = |value: u64| number(value as f64);
    line(
        &name,
        [
            whole(row.median),
            compared.figure.map_or_else(nothing, |figure| number(figure.median)),
            compared.ratio().map_or_else(nothing, |ratio| format!("{ratio:.3}")),
            whole(row.min),
            whole(row.p99),
            whole(row.max),
            format!("{:.1}", row.mean),
            format!("{:.1}", row.stddev),
            whole(row.n),
        ],
    )
}
