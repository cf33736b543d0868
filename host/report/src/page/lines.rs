//! A line plot of rows against one of their parameters.

use crate::comparison::Comparison;
use crate::page::markup::{escaped, number, run_title, short};
use crate::row::Row;
use crate::sections::Plot;

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 180.0;
/// Margins for labels and marks.
const LEFT: f64 = 52.0;
const BELOW: f64 = 22.0;
const EDGE: f64 = 8.0;
/// Number of line styles in the style sheet.
const KINDS: usize = 4;

/// The points of a line.
struct Series {
    title: String,
    /// Index of the line style.
    kind: usize,
    points: Vec<(u64, u64)>,
}

/// The plot, or those of each run; empty if no line has two points.
pub(super) fn plot(plot: &Plot, runs: &[Comparison<'_>]) -> String {
    if plot.by.is_none() {
        let series =
            runs.iter().enumerate().map(|(index, run)| Series::new(plot, index, run_title(run), rows(run)));
        return figure(plot, &escaped(&plot.title), series);
    }
    runs.iter().map(|run| figure_of(plot, run)).collect()
}

fn rows<'r>(run: &'r Comparison<'_>) -> impl Iterator<Item = &'r Row> {
    run.results.rows.iter()
}

/// The plot of a run, with a line for each value of the parameter.
fn figure_of(plot: &Plot, run: &Comparison<'_>) -> String {
    let mut values: Vec<&str> = Vec::new();
    for value in rows(run).filter(|row| plot.x_of(row).is_some()).filter_map(|row| plot.line_of(row)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let series = values.iter().enumerate().map(|(index, value)| {
        Series::new(plot, index, escaped(value), rows(run).filter(|row| plot.line_of(row) == Some(value)))
    });
    figure(plot, &format!("{} <em>{}</em>", escaped(&plot.title), run_title(run)), series)
}

fn figure(plot: &Plot, title: &str, series: impl Iterator<Item = Series>) -> String {
    let series: Vec<_> = series.filter(|series| series.points.len() > 1).collect();
    let points = || series.iter().flat_map(|series| &series.points);
    let (Some(right), Some(top)) = (points().map(|point| point.0).max(), points().map(|point| point.1).max())
    else {
        return String::new();
    };
    let scale = Scale { right: right.max(1) as f64, top: round_up(top.max(1)) };
    let drawn: String = series.iter().map(|series| series.draw(&scale)).collect();
    let legend: String = series.iter().map(|series| series.legend(&plot.unit)).collect();
    format!(
        "<figure>\n<svg class=\"lines\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">{}{drawn}</svg>\n\
         <figcaption><b>{title}</b>{legend}</figcaption>\n</figure>\n",
        scale.axes(&plot.x),
        label = escaped(&plot.title),
    )
}

/// Maps figures to positions in the plot; both axes start at 0.
struct Scale {
    right: f64,
    top: f64,
}

impl Scale {
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let across = (WIDTH - LEFT - EDGE) * x / self.right;
        let up = (HEIGHT - BELOW - EDGE) * y / self.top;
        (LEFT + across, HEIGHT - BELOW - up)
    }

    fn axes(&self, x: &str) -> String {
        let grid = |part: u32| {
            let value = self.top * f64::from(part) / 2.0;
            let (left, y) = self.place(0.0, value);
            let end = WIDTH - EDGE;
            format!(
                "<line x1=\"{left}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
                left - 6.0,
                y + 4.0,
                short(value),
            )
        };
        let base = HEIGHT - 6.0;
        let (middle, _) = self.place(self.right / 2.0, 0.0);
        (0..=2).map(grid).collect::<String>()
            + &format!(
                "<text x=\"{LEFT}\" y=\"{base}\">0</text><text class=\"middle\" x=\"{middle}\" y=\"{base}\">{}</text>\
                 <text class=\"end\" x=\"{}\" y=\"{base}\">{}</text>",
                escaped(x),
                WIDTH - EDGE,
                number(self.right),
            )
    }
}

impl Series {
    fn new<'r>(plot: &Plot, index: usize, title: String, rows: impl Iterator<Item = &'r Row>) -> Self {
        let mut points: Vec<_> = rows.filter_map(|row| Some((plot.x_of(row)?, row.median))).collect();
        points.sort_unstable();
        Self { title, kind: index % KINDS, points }
    }

    fn draw(&self, scale: &Scale) -> String {
        let places: Vec<_> = self.points.iter().map(|(x, y)| scale.place(*x as f64, *y as f64)).collect();
        let path: Vec<_> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dots: String =
            places.iter().map(|(x, y)| format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>")).collect();
        format!("<g class=\"kind{}\"><polyline points=\"{}\"/>{dots}</g>", self.kind, path.join(" "))
    }

    /// The first and last figure, and the increase per unit.
    fn legend(&self, unit: &str) -> String {
        let (Some((first_x, first)), Some((last_x, last))) = (self.points.first(), self.points.last()) else {
            return String::new();
        };
        let (from, to) = (*first as f64, *last as f64);
        let growth = if self.points.iter().all(|(_, value)| value == first) {
            format!("{}, constant", number(from))
        } else {
            let each = (to - from) / (last_x - first_x).max(1) as f64;
            format!("{} to {}, {} for each {}", number(from), number(to), rounded(each), escaped(unit))
        };
        format!("<span><i class=\"kind{}\"></i><em>{}</em> {growth}</span>", self.kind, self.title)
    }
}

/// Two significant digits, or all digits of the integer part.
fn rounded(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:.1}") } else { number(value.round()) }
}

/// The next number with one significant digit, or half of one, for round axis labels.
fn round_up(value: u64) -> f64 {
    let value = value as f64;
    let unit = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.iter().map(|step| step * unit).find(|limit| *limit >= value).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, limit) in [(1, 1.0), (389, 400.0), (1_154_000, 1_200_000.0), (9_500, 10_000.0)] {
            assert!((round_up(value) - limit).abs() < 1e-6 * limit, "{value}");
        }
    }

    #[test]
    fn a_flat_line_is_called_constant() {
        let series = |points: &[(u64, u64)]| Series { title: "b".into(), kind: 0, points: points.to_vec() };
        assert!(series(&[(1, 7), (63, 7)]).legend("domain").contains("7, constant"));
        assert!(series(&[(3, 100), (63, 700)]).legend("domain").contains("100 to 700, 10 for each domain"));
    }
}
