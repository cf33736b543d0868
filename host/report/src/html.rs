//! A comparison as one HTML file without outside resources: bars against the reference, then the full table.

use crate::comparison::{Comparison, Line};

const STYLE: &str = include_str!("../data/style.css");

/// Width of the plot's bars, and of the labels to their left, in the units of the drawing.
const BAR: f64 = 480.0;
const LABELS: f64 = 360.0;
/// Height of one row of the plot.
const ROW: f64 = 30.0;
/// A bar longer than this many times the reference is cut off.
const LONGEST: f64 = 1.25;

impl Comparison<'_> {
    /// The report.
    #[must_use]
    pub fn to_html(&self) -> String {
        let results = self.results;
        let (targets, met) = self.targets();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>Limen: {board}</title>\n<style>\n{STYLE}</style>\n\
             <main>\n<h1>Limen: the price of a crossing</h1>\n\
             <p class=\"facts\">{unit} on <b>{board}</b>, {config} configuration, version <code>{commit}</code></p>\n\
             <p class=\"score\"><b>{met}</b> of {targets} targets met</p>\n{plot}{table}<p class=\"note\">{note}</p>\n\
             </main>\n</html>\n",
            board = escaped(&results.board),
            unit = escaped(&results.unit),
            config = escaped(&results.config),
            commit = escaped(&results.commit),
            plot = self.plot(),
            table = self.table(),
            note = escaped(self.note),
        )
    }

    fn plot(&self) -> String {
        let compared: Vec<_> = self.lines.iter().filter(|line| line.figure.is_some()).collect();
        if compared.is_empty() {
            return String::new();
        }
        let (width, height) = (LABELS + BAR * LONGEST, ROW * compared.len() as f64 + 24.0);
        let bars: String =
            compared.iter().enumerate().map(|(index, line)| bar(line, index as f64 * ROW)).collect();
        let end = LABELS + BAR;
        format!(
            "<figure>\n<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Medians as a fraction of the reference\">\n\
             {bars}<line class=\"reference\" x1=\"{end}\" y1=\"0\" x2=\"{end}\" y2=\"{base}\"/>\n\
             <text class=\"axis\" x=\"{end}\" y=\"{text}\">reference = 1</text>\n</svg>\n\
             <figcaption>Each bar is Limen's median as a fraction of the reference's; the mark is the target. \
             Shorter is better.</figcaption>\n</figure>\n",
            base = height - 20.0,
            text = height - 6.0,
        )
    }

    fn table(&self) -> String {
        let rows: String = self.lines.iter().map(table_row).collect();
        format!(
            "<div class=\"wide\"><table>\n<thead><tr><th>row</th><th>conditions</th><th>median</th><th>reference</th>\
             <th>ratio</th><th>target</th><th>met</th><th>min</th><th>p99</th><th>max</th><th>mean</th><th>stddev</th>\
             <th>n</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        )
    }
}

fn bar(line: &Line<'_>, y: f64) -> String {
    let (Some(figure), Some(ratio)) = (line.figure, line.ratio()) else { return String::new() };
    let class = if line.is_met() == Some(true) { "met" } else { "missed" };
    let length = BAR * ratio.min(LONGEST);
    let target = LABELS + BAR * figure.target;
    let (top, middle, right) = (y + 6.0, y + 19.0, LABELS + length.max(BAR * figure.target) + 8.0);
    format!(
        "<g><title>{name} {conditions}: median {median}, reference {reference}, target {limit}</title>\
         <text class=\"label\" x=\"{x}\" y=\"{middle}\"><tspan>{name}</tspan> {conditions}</text>\
         <rect class=\"track\" x=\"{LABELS}\" y=\"{top}\" width=\"{BAR}\" height=\"18\" rx=\"3\"/>\
         <rect class=\"{class}\" x=\"{LABELS}\" y=\"{top}\" width=\"{length:.1}\" height=\"18\" rx=\"3\"/>\
         <line class=\"target\" x1=\"{target:.1}\" y1=\"{mark}\" x2=\"{target:.1}\" y2=\"{below}\"/>\
         <text class=\"value\" x=\"{right:.1}\" y=\"{middle}\">{ratio:.2}</text></g>\n",
        name = escaped(&line.row.name),
        conditions = escaped(&line.row.conditions()),
        median = line.row.median,
        reference = figure.median,
        limit = figure.target,
        x = LABELS - 10.0,
        mark = top - 3.0,
        below = top + 21.0,
    )
}

fn table_row(line: &Line<'_>) -> String {
    let row = line.row;
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(String::new, |value| format!("{value:.digits$}"))
    };
    let (class, met) = match line.is_met() {
        Some(true) => ("met", "yes"),
        Some(false) => ("missed", "no"),
        None => ("", ""),
    };
    let cells = [
        row.median.to_string(),
        number(line.figure.map(|figure| figure.median), 0),
        number(line.ratio(), 3),
        number(line.figure.map(|figure| figure.target), 2),
        format!("<b class=\"{class}\">{met}</b>"),
        row.min.to_string(),
        row.p99.to_string(),
        row.max.to_string(),
        format!("{:.1}", row.mean),
        format!("{:.1}", row.stddev),
        row.n.to_string(),
    ];
    let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr><th>{}</th><th>{}</th>{cells}</tr>\n", escaped(&row.name), escaped(&row.conditions()))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use crate::comparison::tests::results;
    use crate::{Comparison, Reference};

    fn html() -> String {
        let (results, reference) = (results(), Reference::built_in().unwrap());
        Comparison::new(&results, &reference, "aarch64").to_html()
    }

    #[test]
    fn every_compared_row_has_a_bar_and_every_row_a_line() {
        let html = html();
        assert_eq!(html.matches("<g>").count(), 2);
        assert_eq!(html.matches("<tr><th>").count(), 3 + 1);
        assert!(html.contains("<b>1</b> of 2 targets met"));
        assert!(html.contains("GCC 12.2"));
    }

    #[test]
    fn text_of_the_target_cannot_become_markup() {
        let html = html();
        assert!(html.contains("line=&lt;odd&gt;") && !html.contains("<odd>"));
    }

    #[test]
    fn the_report_needs_nothing_from_outside() {
        assert!(!html().contains("http"));
    }
}
