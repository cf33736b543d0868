//! The kernel's memory that one operation touches.

use crate::comparison::{Comparison, Line};
use crate::page::markup::{escaped, headings, line, number, run_title, section, table};

const COLUMNS: [&str; 7] = ["row", "code lines", "data lines", "read", "written", "code pages", "data pages"];

/// The section with a table for each run that counted it; empty without one.
pub(super) fn cold(runs: &[Comparison<'_>]) -> String {
    let counted: Vec<_> = runs.iter().filter(|run| run.is_cold()).collect();
    if counted.is_empty() {
        return String::new();
    }
    let tables: String = counted.into_iter().map(table_of).collect();
    let content = format!(
        "<p>The distinct cache lines of 64 bytes and pages of 4 KiB of the kernel that one operation touches, programs not \
         included; behind a stroke, the reference\u{2019}s. On hardware, each line that is not in a cache is a wait for \
         memory, and each page may be a walk of the page tables. Rows that are not what executes between two reads of the \
         counter are not counted.</p>\n{tables}"
    );
    section("cold", "Cold cost: lines and pages of the kernel", &content)
}

fn table_of(run: &Comparison<'_>) -> String {
    let rows: String = run.lines.iter().filter_map(row).collect();
    let table = table("", &headings(COLUMNS), &rows);
    let counted = run.lines.iter().filter(|line| line.row.cold.is_some()).count();
    format!(
        "<details class=\"rows\" open=\"open\"><summary>{}: {counted} of {} rows</summary>\n{table}</details>\n",
        run_title(run),
        run.lines.len()
    )
}

fn row(compared: &Line<'_>) -> Option<String> {
    let row = compared.row;
    let [code, data, read, written, code_pages, data_pages] =
        row.cold?.counts().map(|count| number(count as f64));
    let [code_reference, data_reference] = compared
        .cold
        .map(|figure| figure.map_or_else(String::new, |figure| format!(" / {}", number(figure.median))));
    let name = format!("{}<small>{}</small>", escaped(&row.name), escaped(&row.conditions()));
    Some(line(&name, [code + &code_reference, data + &data_reference, read, written, code_pages, data_pages]))
}
