//! Changes since an earlier run.

use crate::changes::{Changes, percent};
use crate::golden::Difference;
use crate::page::markup::{escaped, headings, line, nothing, number, table};

/// The table of a run's changes.
pub(super) fn changes(changes: &Changes<'_>) -> String {
    let caption = format!(
        "{} <em>{} to {}</em>",
        escaped(&changes.new.board),
        escaped(&changes.old.release()),
        escaped(&changes.new.release())
    );
    let (changed, others): (Vec<_>, Vec<_>) =
        changes.differences.iter().partition(|difference| matches!(difference, Difference::Changed { .. }));
    let rows = |differences: &[&Difference]| differences.iter().copied().map(difference).collect::<String>();
    let head = headings(["row", "before", "now", "change"]);
    let changed = if changed.is_empty() {
        format!("<p><b>{caption}</b>: no figure changed.</p>\n")
    } else {
        table(&caption, &head, &rows(&changed))
    };
    let others = if others.is_empty() {
        String::new()
    } else {
        let table = table("", &head, &rows(&others));
        format!(
            "<details class=\"rows\"><summary>{} rows are in only one of the two</summary>\n{table}</details>\n",
            others.len()
        )
    };
    format!("<div>{changed}{others}</div>\n")
}

fn difference(difference: &Difference) -> String {
    let whole = |value: u64| number(value as f64);
    let (class, fields) = match difference {
        Difference::Changed { from, to, .. } => {
            let class = if to < from { "met" } else { "missed" };
            (class, [whole(*from), whole(*to), percent(*from, *to)])
        }
        Difference::New { to, .. } => ("", [nothing(), whole(*to), "new".to_owned()]),
        Difference::Gone { .. } => ("", [nothing(), nothing(), "not measured".to_owned()]),
    };
    let [before, now, change] = fields;
    let (name, conditions) = difference.row().split_once(' ').unwrap_or((difference.row(), ""));
    let name = format!("{}<small>{}</small>", escaped(name), escaped(conditions));
    line(&name, [before, now, format!("<b class=\"{class}\">{change}</b>")])
}
