//! The measurement method, and all rows of all runs.

use crate::comparison::{Comparison, Line};
use crate::page::markup::{escaped, headings, line, nothing, number, run_title, table};

const COLUMNS: [&str; 11] =
    ["row", "median", "reference", "ratio", "fast paths", "min", "p99", "max", "mean", "stddev", "n"];

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

/// All rows of a run, collapsed; those that depend on the machine of the run apart from those that are exact.
pub(super) fn all_rows(run: &Comparison<'_>) -> String {
    let (native, exact): (Vec<_>, Vec<_>) = run.lines.iter().partition(|line| line.row.is_native());
    let title = run_title(run);
    rows(&format!("All {} rows of {title}", exact.len()), &exact)
        + &rows(&format!("The tool on the machine of this run, with {title}: {} rows", native.len()), &native)
}

fn rows(title: &str, lines: &[&Line<'_>]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let body: String = lines.iter().copied().map(row).collect();
    let table = table("", &headings(COLUMNS), &body);
    format!("<details class=\"rows\"><summary>{title}</summary>\n{table}</details>\n")
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
            compared.fast().map_or_else(nothing, |(median, ratio)| format!("{}, {ratio:.3}", number(median))),
            whole(row.min),
            whole(row.p99),
            whole(row.max),
            format!("{:.1}", row.mean),
            format!("{:.1}", row.stddev),
            whole(row.n),
        ],
    )
}
