//! A section: published tables with our figures, and tables, lists and pictures of other measured rows.

use crate::comparison::Comparison;
use crate::page::markup::{self, escaped, headings, line, nothing, number, run_title, table};
use crate::page::{histogram, lines, published};
use crate::row::Row;
use crate::sections::{Axis, List, Section, Sections, Statistic, Table};

/// The section of the page.
pub(super) fn section(section: &Section, runs: &[Comparison<'_>], sections: &Sections) -> String {
    let theirs: String = section.published.iter().map(|table| published::table_of(table, runs)).collect();
    let of_table = |table| runs.iter().map(|run| measured_table(table, run)).collect::<String>();
    // A line for each table, with a column for each board; all tables in one if there is only one board.
    let tables: String = match runs {
        [_] => beside(&section.table.iter().map(of_table).collect::<String>()),
        _ => section.table.iter().map(|table| beside(&of_table(table))).collect(),
    };
    let pictures: String = runs.iter().map(|run| histograms(section, run)).collect();
    let steady = steady(section, runs);
    let lists: String = section.list.iter().map(|list| list_table(list, runs, sections)).collect();
    let lists = if runs.len() == 1 { beside(&lists) } else { lists };
    let plots: String = section.plot.iter().map(|plot| lines::plot(plot, runs)).collect();
    let empty = [&tables, &pictures, &lists, &plots].into_iter().all(String::is_empty);
    let absent = if empty { "<p class=\"absent\">Not measured in this run.</p>\n" } else { "" };
    let content = format!(
        "<p>{text}</p>\n{theirs}{absent}{tables}{pictures}{steady}{lists}{plots}",
        text = escaped(&section.text),
        theirs = few(&theirs),
        pictures = few(&pictures),
        plots = few(&plots),
    );
    markup::section(&section.id, &section.title, &content)
}

/// Columns that fill the available width.
fn beside(content: &str) -> String {
    if content.is_empty() { String::new() } else { format!("<div class=\"beside\">\n{content}</div>\n") }
}

/// The same, with a maximum width.
fn few(content: &str) -> String {
    beside(content).replacen("beside", "beside few", 1)
}

/// A value as a multiple of `first`.
pub(super) fn multiple(value: Option<f64>, first: Option<f64>) -> String {
    match (value, first) {
        (Some(value), Some(first)) if first > 0.0 => format!(" <small>{:.2}\u{d7}</small>", value / first),
        _ => String::new(),
    }
}

fn measured_table(measured: &Table, run: &Comparison<'_>) -> String {
    let rows: Vec<&Row> = run.results.rows.iter().collect();
    let field = |axis: &Axis, column: &Axis| {
        let row = best(&rows, axis, column)?;
        Some(statistic(row, axis.show.or(column.show).unwrap_or_default()))
    };
    let has_figures = |axis: &&Axis| measured.columns.iter().any(|column| field(axis, column).is_some());
    let lines: Vec<_> = measured.rows.iter().filter(has_figures).collect();
    let Some(first) = lines.first() else { return String::new() };
    let shown = |axis: &Axis, column: &Axis| {
        let Some(value) = field(axis, column) else { return nothing() };
        let first = field(first, column).filter(|_| measured.relative);
        number(value) + &multiple(Some(value), first)
    };
    let fields = |axis: &Axis| measured.columns.iter().map(|column| shown(axis, column)).collect::<Vec<_>>();
    let body: String = lines.iter().map(|axis| line(&escaped(&axis.title), fields(axis))).collect();
    let titles = measured.columns.iter().map(|column| column.title.as_str());
    let caption = format!("{} <em>{}</em>", escaped(&measured.caption), run_title(run));
    table(&caption, &headings(std::iter::once("").chain(titles)), &body)
}

/// The row with the fewest additional conditions.
fn best<'a>(rows: &[&'a Row], axis: &Axis, column: &Axis) -> Option<&'a Row> {
    let rows = rows.iter().filter(|row| axis.crosses(column, row));
    rows.min_by_key(|row| row.params.len()).copied()
}

pub(super) fn statistic(row: &Row, which: Statistic) -> f64 {
    match which {
        Statistic::Median => row.median as f64,
        Statistic::Mean => row.mean,
        Statistic::Deviation => row.stddev,
        Statistic::Percent if row.mean > 0.0 => 100.0 * row.stddev / row.mean,
        Statistic::Percent => 0.0,
    }
}

/// Medians, with a column for each run that has any, in groups of the same name.
fn list_table(list: &List, runs: &[Comparison<'_>], sections: &Sections) -> String {
    let has_some = |run: &&Comparison<'_>| run.results.rows.iter().any(|row| list.names.contains(&row.name));
    let runs: Vec<_> = runs.iter().filter(has_some).collect();
    let body: String = list.names.iter().map(|name| group(name, &runs, sections)).collect();
    if body.is_empty() {
        return String::new();
    }
    let boards = runs.iter().map(|run| run.results.board.as_str());
    table(&escaped(&list.caption), &headings(std::iter::once("").chain(boards)), &body).replacen(
        "class=\"table\"",
        "class=\"table list\"",
        1,
    )
}

/// The lines of the rows with this name, below one with its name for people; the latter alone if there is only one.
fn group(name: &str, runs: &[&Comparison<'_>], sections: &Sections) -> String {
    let mut rows: Vec<&Row> = Vec::new();
    for row in runs.iter().flat_map(|run| &run.results.rows).filter(|row| row.name == name) {
        if rows.iter().all(|other| other.params != row.params) {
            rows.push(row);
        }
    }
    let median = |run: &Comparison<'_>, row: &Row| {
        let found = run.results.rows.iter().find(|other| other.name == name && other.params == row.params);
        found.map_or_else(nothing, |row| number(row.median as f64))
    };
    let title = escaped(sections.name(name));
    let medians = |row| runs.iter().map(move |run| median(run, row));
    match rows.as_slice() {
        [] => String::new(),
        [row] if row.params.is_empty() => line(&title, medians(row)),
        _ => {
            let width = runs.len() + 1;
            let head =
                format!("<tr class=\"path\"><th colspan=\"{width}\" scope=\"rowgroup\">{title}</th></tr>\n");
            let lines = rows.iter().map(|row| line(&escaped(&sections.conditions(row)), medians(row)));
            head + &lines.collect::<String>()
        }
    }
}

/// The rows of the section that have a distribution.
fn distributions<'a>(section: &Section, run: &'a Comparison<'_>) -> impl Iterator<Item = &'a Row> {
    run.results.rows.iter().filter(|row| !row.distribution.is_empty() && section.shows(row))
}

/// Histograms of the rows with more than one value.
fn histograms(section: &Section, run: &Comparison<'_>) -> String {
    let rows = distributions(section, run).filter(|row| row.distribution.len() > 1);
    rows.map(|row| histogram::figure(row, &run_title(run))).collect()
}

/// A note about the other rows.
fn steady(section: &Section, runs: &[Comparison<'_>]) -> String {
    let mut rows = runs.iter().flat_map(|run| distributions(section, run));
    if rows.any(|row| row.distribution.len() == 1) {
        "<p>A row without a picture had the same value in every sample.</p>\n".to_owned()
    } else {
        String::new()
    }
}
