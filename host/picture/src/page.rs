//! The page of a system: one HTML file without external resources.

mod authority;
mod memory;
mod overview;
mod processors;
mod schedule;

use limen_builder::Report;
use limen_page::escaped;

use crate::{Drawing, Graph, drawing};

const STYLE: &str = include_str!("../data/system.css");

/// Widths of the drawing on a desk and on a phone, in pixels.
const WIDTHS: [(&str, usize); 2] = [("wide", 1120), ("narrow", 390)];

/// The page of a system; `title` is the name of its description.
#[must_use]
pub fn page(report: &Report, title: &str) -> String {
    let graph = Graph::new(report);
    let sections = [
        ("drawing", "Drawing", drawings(&graph)),
        ("schedule", "Schedule", schedule::schedule(report)),
        ("processors", "Processors", processors::processors(report)),
        ("programs", "Programs", overview::programs(report)),
        ("channels", "Channels", overview::channels(report)),
        ("authority", "Authority", authority::authority(report)),
        ("memory", "Memory", memory::memory(report)),
        ("digests", "Digests", overview::digests(report)),
    ];
    let used: Vec<_> = sections.iter().filter(|(.., contents)| !contents.is_empty()).collect();
    let links: String = used.iter().map(|(id, name, _)| format!("<a href=\"#{id}\">{name}</a>\n")).collect();
    let contents: String = used
        .iter()
        .map(|(id, name, contents)| format!("<section id=\"{id}\">\n<h2>{name}</h2>\n{contents}</section>\n"))
        .collect();
    let facts = overview::facts(report);
    let body = format!("<h1>{}</h1>\n{facts}<nav>\n{links}</nav>\n{contents}", escaped(title));
    limen_page::page(title, &[drawing::STYLE, STYLE].concat(), &body)
}

fn drawings(graph: &Graph) -> String {
    let drawings = WIDTHS.map(|(class, width)| (class, Drawing::new(graph, width)));
    let left_out = drawings.iter().map(|(_, drawing)| drawing.left_out).max().unwrap_or(0);
    let svgs: String = drawings.iter().map(|(class, drawing)| drawing.to_svg(class)).collect();
    let key = [("call", "calls"), ("notification", "notifies"), ("data", "writes, reads")];
    let key: String = key
        .into_iter()
        .map(|(class, text)| {
            format!(
                "<span><svg class=\"system key\" viewBox=\"0 0 36 12\"><g class=\"{class}\"><path d=\"M0 6L28 6\"/>\
                 <path class=\"head\" d=\"M36 6L28 2L28 10Z\"/></g></svg>{text}</span>\n"
            )
        })
        .collect();
    let note = match left_out {
        0 => String::new(),
        count => {
            format!("<p class=\"note\">{count} lines do not fit; the tables have all connections.</p>\n")
        }
    };
    format!(
        "<p class=\"legend\">\n{key}<span>dashed box: passive</span>\n<span>box around boxes: a parent with its \
         children</span></p>\n{note}<div class=\"drawing\">\n{svgs}</div>\n"
    )
}

/// Rows of a table; `report.json` has all of them.
const MOST_ROWS: usize = 300;

/// A table; rows are markup.
fn list(headings: &[&str], rows: &[String]) -> String {
    let rows = most(rows, headings.len());
    let headings = limen_page::headings(headings.iter().copied());
    format!(
        "<div class=\"table plain\"><table>\n<thead>{headings}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// The first rows, with the number of those that are left out.
fn most(rows: &[String], columns: usize) -> String {
    let more = match rows.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        count => format!(
            "<tr><th scope=\"row\" colspan=\"{columns}\">and {count} more, which report.json lists</th></tr>\n"
        ),
    };
    rows.iter().take(MOST_ROWS).cloned().chain([more]).collect()
}

/// The line of an element: `file:line:column` without file and column.
fn line_of(at: &str) -> &str {
    at.rsplit(':').nth(1).unwrap_or(at)
}
