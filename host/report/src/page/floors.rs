//! The tables of floors: the kernel's part of rows, and what the architecture demands.

use crate::comparison::Comparison;
use crate::floor::{Floors, Item};
use crate::page::markup::{self, escaped, headings, line, nothing, number, run_title, table};
use crate::sections::Sections;

/// Architectures in the order of the columns of items.
const ARCHITECTURES: [&str; 3] = ["aarch64", "riscv64", "x86_64"];

const TEXT: &str = "The floor of a path is the number of instructions that any kernel with the same interface needs: \
    registers that must move, facts that must be tested, writes that must happen. The kernel\u{2019}s part is the row \
    without the recorded instructions of programs and firmware. The goal for calls is 1.5 times the floor.";

/// The section; empty if no row has a floor.
pub(super) fn section(runs: &[Comparison<'_>], sections: &Sections, floors: &Floors) -> String {
    let tables: String = runs.iter().map(|run| distances(run, sections, floors)).collect();
    if tables.is_empty() {
        return String::new();
    }
    let body: String = floors.items.iter().map(item).collect();
    let columns = ["AArch64", "RISC-V", "x86_64"];
    let items = table("Steps", &headings(std::iter::once("").chain(columns)), &body);
    let content = format!("<p>{TEXT}</p>\n<div class=\"beside\">\n{tables}</div>\n{items}");
    markup::section("floors", "Floors: what the architecture demands", &content)
}

fn item(item: &Item) -> String {
    let count = |architecture: &str| item.instructions.get(architecture).map(|count| number(*count as f64));
    line(&escaped(&item.what), ARCHITECTURES.map(|architecture| count(architecture).unwrap_or_else(nothing)))
}

fn distances(run: &Comparison<'_>, sections: &Sections, floors: &Floors) -> String {
    let lines = run.results.rows.iter().filter_map(|row| {
        let distance = floors.distance(row, run.machine)?;
        let name = format!(
            "{}<small>{}</small>",
            escaped(sections.name(&row.name)),
            escaped(&sections.conditions(row))
        );
        let cells = [
            number(row.median as f64),
            number(distance.kernel as f64),
            number(distance.floor as f64),
            format!("{:.2}\u{d7}", distance.times()),
        ];
        Some(line(&name, cells))
    });
    let body: String = lines.collect();
    if body.is_empty() {
        return String::new();
    }
    table(&run_title(run), &headings(["", "row", "kernel", "floor", "distance"]), &body)
}
