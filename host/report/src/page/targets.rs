//! The target table of a run: figure, reference and target of each row.

use crate::comparison::{Comparison, Line};
use crate::page::markup::{self, escaped, fraction, headings, nothing, number, run_title, short, table};
use crate::sections::Sections;

/// Access to floating point, in the order of the table.
const WHO: [&str; 3] = ["off", "on", "mixed"];

/// The title of the column of the reference with its optional fast paths.
const FAST: &str = "fast paths";

/// Lines of one path, which differ only in floating-point access.
struct Path<'a> {
    title: String,
    place: usize,
    lines: Vec<&'a Line<'a>>,
}

/// The table of a run; empty if no row has a reference.
pub(super) fn table_of(run: &Comparison<'_>, sections: &Sections) -> String {
    let paths = paths(run, sections);
    if paths.is_empty() {
        return String::new();
    }
    let (targets, met) = run.targets();
    let caption = format!("{}: {met} of {targets} targets met", run_title(run));
    let columns =
        if run.lines.iter().any(|line| line.fast().is_some()) { Columns::WithFast } else { Columns::Shipped };
    let body: String = paths.iter().map(|path| path.rows(columns)).collect();
    table(&caption, &headings(columns.titles()), &body).replacen("class=\"table\"", columns.class(), 1)
}

/// Whether a table has the column of the reference's optional fast paths: only if a row has a figure for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    Shipped,
    WithFast,
}

impl Columns {
    fn titles(self) -> impl Iterator<Item = &'static str> + Clone {
        let titles = ["FPU", "", "ours", "reference", "ratio", FAST, "target", "met"];
        titles.into_iter().filter(move |title| self == Self::WithFast || *title != FAST)
    }

    fn class(self) -> &'static str {
        if self == Self::WithFast { "class=\"table targets fast\"" } else { "class=\"table targets\"" }
    }
}

/// The compared lines by path, with lines of the same path that have no reference, in the order of the reference.
fn paths<'a>(run: &'a Comparison<'_>, sections: &Sections) -> Vec<Path<'a>> {
    let mut paths: Vec<Path<'a>> = Vec::new();
    for line in &run.lines {
        let Some(place) = line.figure.map(|figure| figure.place) else { continue };
        let title = title(line, sections);
        if paths.iter().any(|path| path.title == title) {
            continue;
        }
        let mut lines: Vec<_> =
            run.lines.iter().filter(|other| self::title(other, sections) == title).collect();
        lines.sort_by_key(|line| WHO.iter().position(|who| line.row.param("fpu") == Some(who)));
        paths.push(Path { title, place, lines });
    }
    paths.sort_by_key(|path| path.place);
    paths
}

/// The title of the path, without floating-point access.
fn title(line: &Line<'_>, sections: &Sections) -> String {
    let others = line.row.params.iter().filter(|(key, _)| key != "fpu");
    let words = others.map(|(key, value)| sections.parameter(key, value));
    let name = sections.name(&line.row.name).to_owned();
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(", ")
}

impl Path<'_> {
    fn rows(&self, columns: Columns) -> String {
        let title = format!(
            "<tr class=\"path\"><th colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n",
            columns.titles().count(),
            escaped(&self.title)
        );
        title + &self.lines.iter().map(|line| row(line, columns)).collect::<String>()
    }
}

fn row(line: &Line<'_>, columns: Columns) -> String {
    let (class, met) = match line.is_met() {
        Some(true) => ("met", "yes"),
        Some(false) => ("missed", "no"),
        None => ("none", "\u{2013}"),
    };
    let who = escaped(line.row.param("fpu").unwrap_or_default());
    let fast = line.fast().map_or_else(nothing, |(median, ratio)| {
        format!("{}<small>{}</small>", short(median), fraction(ratio))
    });
    let cells = [
        Some(bar(line)),
        Some(short(line.row.median as f64)),
        Some(line.figure.map_or_else(nothing, |figure| short(figure.median))),
        Some(line.ratio().map_or_else(nothing, fraction)),
        (columns == Columns::WithFast).then_some(fast),
        Some(line.figure.and_then(|figure| figure.target).map_or_else(nothing, number)),
        Some(format!("<b class=\"{class}\">{met}</b>")),
    ];
    markup::line(&who, cells.into_iter().flatten())
}

/// A bar from 0 to the reference's figure, with a mark at the target.
fn bar(line: &Line<'_>) -> String {
    let (Some(figure), Some(ratio)) = (line.figure, line.ratio()) else { return String::new() };
    let class = if line.is_met() == Some(false) { "missed" } else { "met" };
    let length = 100.0 * ratio.min(1.0);
    let mark = figure.target.map_or_else(String::new, |target| {
        let place = (100.0 * target).min(99.0);
        format!("<rect class=\"target\" x=\"{place:.1}%\" width=\"2\" height=\"12\"/>")
    });
    format!(
        "<svg class=\"bar\" role=\"img\" aria-label=\"{ratio:.2} of the reference\"><rect class=\"track\" y=\"2\" width=\"100%\" height=\"8\"/>\
         <rect class=\"{class}\" y=\"2\" width=\"{length:.1}%\" height=\"8\"/>{mark}</svg>"
    )
}
