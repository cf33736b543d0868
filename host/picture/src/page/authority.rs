//! The authority relation: a matrix, and the rows with their reasons.

use std::collections::{BTreeMap, BTreeSet};

use limen_builder::Report;
use limen_builder::authority::Kind;
use limen_builder::report::{AuthorityRow, PriorityOrder};
use limen_page::{escaped, line};

use super::{line_of, list, most};

/// Programs in the matrix.
const MOST_IN_MATRIX: usize = 24;
/// Names and lines shown in a field.
const MOST_IN_FIELD: usize = 6;

pub(super) fn authority(report: &Report) -> String {
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let (heading, letter) = (kind.title(), kind.letter());
        let of_kind: Vec<String> = report.authority.iter().filter(|row| row.kind == kind).map(row).collect();
        if !of_kind.is_empty() {
            rows.push(format!(
                "<tr class=\"path\"><th scope=\"rowgroup\" colspan=\"4\">{heading} <small>{letter}</small></th></tr>\n{}",
                most(&of_kind, 4)
            ));
        }
    }
    format!(
        "<p>Who can affect whom, and the line of the description that allows it. Programs without a row affect each other \
         only by their <a href=\"#delays\">priorities</a>.</p>\n{}{}<h3 id=\"delays\">Delays</h3>\n{}",
        matrix(report),
        list(&["Who", "can", "On", "Line"], &rows),
        delays(&report.priorities)
    )
}

fn row(row: &AuthorityRow) -> String {
    let on = match &row.on {
        None => "every other program".to_owned(),
        Some(on) => {
            // A lone party does not affect itself.
            let lone = row.by.len() == 1;
            let others: Vec<_> =
                on.iter().filter(|name| !(lone && row.by.contains(name))).map(String::as_str).collect();
            some(&others)
        }
    };
    let by: Vec<_> = row.by.iter().map(String::as_str).collect();
    let lines: Vec<_> = row.at.iter().map(|at| line_of(at)).collect();
    line(&some(&by), [escaped(&row.reason), on, some(&lines)])
}

/// The first few of them.
fn some(names: &[&str]) -> String {
    let shown: Vec<_> = names.iter().take(MOST_IN_FIELD).map(|name| escaped(name)).collect();
    let more = match names.len().saturating_sub(MOST_IN_FIELD) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    shown.join(", ") + &more
}

/// Programs against programs. Rows that reach every program are left out, because they would fill it.
fn matrix(report: &Report) -> String {
    let names: Vec<_> = report.protection_domains.iter().map(|domain| domain.name.as_str()).collect();
    if names.len() < 2 || names.len() > MOST_IN_MATRIX {
        return String::new();
    }
    let pairs = pairs(report);
    let mut rows = String::new();
    for subject in &names {
        rows += &format!("<tr><th scope=\"row\">{}</th>", escaped(subject));
        for object in &names {
            let kinds = pairs.get(&(*subject, *object));
            let letters: String = kinds.into_iter().flatten().map(|kind| kind.letter()).collect();
            let class = if subject == object { " class=\"self\"" } else { "" };
            rows += &format!("<td{class}>{letters}</td>");
        }
        rows += "</tr>\n";
    }
    let heads: String =
        names.iter().map(|name| format!("<th scope=\"col\"><span>{}</span></th>", escaped(name))).collect();
    let used: BTreeSet<Kind> = pairs.into_values().flatten().collect();
    let key: Vec<_> =
        used.iter().map(|kind| format!("<b>{}</b> {}", kind.letter(), kind.title().to_lowercase())).collect();
    if key.is_empty() {
        return String::new();
    }
    format!(
        "<p><b>Row affects column</b>: {}.</p>\n<div class=\"table matrix\"><table>\n<thead><tr><th></th>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n",
        key.join(", ")
    )
}

/// The kinds of rows for each pair of programs.
fn pairs(report: &Report) -> BTreeMap<(&str, &str), BTreeSet<Kind>> {
    let mut pairs: BTreeMap<_, BTreeSet<Kind>> = BTreeMap::new();
    // The name of an interrupt may be that of a program.
    for row in report.authority.iter().filter(|row| row.kind != Kind::Interrupt) {
        for by in &row.by {
            for on in row.on.iter().flatten().filter(|on| *on != by) {
                pairs.entry((by.as_str(), on.as_str())).or_default().insert(row.kind);
            }
        }
    }
    pairs.retain(|(by, on), _| {
        [by, on].iter().all(|name| report.protection_domains.iter().any(|domain| domain.name == ***name))
    });
    pairs
}

fn delays(orders: &[PriorityOrder]) -> String {
    let order = |order: &PriorityOrder| {
        let levels = order.levels.iter().map(|level| {
            let names: Vec<_> = level.programs.iter().map(|name| escaped(name)).collect();
            format!("<li><b>{}</b> {}</li>\n", level.priority, names.join(", "))
        });
        let title = match (&order.domain, order.cpu) {
            (Some(domain), Some(cpu)) => format!("<p>Domain {} on processor {cpu}:</p>\n", escaped(domain)),
            (Some(domain), None) => format!("<p>Domain {}:</p>\n", escaped(domain)),
            (None, Some(cpu)) => format!("<p>Processor {cpu}:</p>\n"),
            (None, None) => String::new(),
        };
        format!("{title}<ol class=\"levels\">\n{}</ol>\n", levels.collect::<String>())
    };
    "<p>A program delays those with lower priorities in its domain and on its processor while it runs, until its budget is used up; programs of one \
     priority share their time.</p>\n"
        .to_owned()
        + &orders.iter().map(order).collect::<String>()
}
