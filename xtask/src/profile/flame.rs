//! A profile as a page with a flame graph: a box for each function, as wide as its instructions, below its caller.
//!
//! Positions are fractions of the width, so the graph fits every screen and paper. A script of a few lines enlarges the box
//! that is chosen; the tables below have the figures without it.

use limen_page::{escaped, headings, line, table};

use crate::profile::stacks::{BOOT_NAME, Function, KERNEL_NAME};
use crate::profile::summary::{self, percent};

const STYLE: &str = include_str!("flame.css");
const SCRIPT: &str = include_str!("flame.js");

/// Boxes below this part of all instructions are left out: they would be narrower than a pixel.
const NARROWEST: f64 = 1.0 / 2000.0;
/// Height of a row of boxes in `rem`.
const ROW: f64 = 1.25;

/// The page.
pub fn page(tree: &Function, title: &str, note: &str) -> String {
    let is_boot = |function: &&Function| function.name == BOOT_NAME;
    let boot = tree.callees.iter().find(is_boot);
    let mut programs = Graph::new(tree.total() - boot.map_or(0, Function::total));
    let mut start = 0;
    for program in tree.callees.iter().filter(|callee| !is_boot(callee)) {
        programs.add(program, start, 1, "p");
        start += program.total();
    }
    programs.put("programs", 0, start, 0, "a");
    let boot = boot.map_or_else(String::new, |boot| {
        let mut graph = Graph::new(boot.total());
        graph.add(boot, 0, 0, "a");
        let head = "<h2>Boot</h2>\n<p>Firmware, loader and kernel, until the first program runs.</p>";
        format!("<section>\n{head}\n{}</section>\n", graph.markup())
    });
    let body = format!(
        "<h1>Instructions of {}</h1>\n<p>{} instructions after boot. {}</p>\n\
         <section>\n<h2>Programs</h2>\n\
         <p>Each box is a function, as wide as the instructions of itself and of the functions below it, which it \
         calls. The second row has the programs; below each, <b class=\"k\">kernel</b> is the kernel\u{2019}s work \
         while that program was the last to run. Choose a box to enlarge it, and one above it to go back.</p>\n\
         {}</section>\n\
         <section>\n<h2>Figures</h2>\n<div class=\"beside\">\n{}{}</div>\n</section>\n{boot}<script>\n{SCRIPT}</script>\n",
        escaped(title),
        grouped(start),
        escaped(note),
        programs.markup(),
        program_table(tree, start),
        function_table(tree, start),
    );
    limen_page::page(&format!("Instructions of {title}"), STYLE, &body)
}

struct Graph {
    all: u64,
    boxes: String,
    rows: usize,
}

impl Graph {
    /// A graph of this many instructions.
    fn new(all: u64) -> Self {
        Self { all: all.max(1), boxes: String::new(), rows: 1 }
    }

    fn markup(&self) -> String {
        let height = self.rows as f64 * ROW;
        format!(
            "<p class=\"chosen\" role=\"status\"> </p>\n<div class=\"flame\" style=\"height:{height:.2}rem\">\n{}</div>\n",
            self.boxes
        )
    }

    /// Adds a function and its callees, behind this many instructions of earlier ones. `kind` is the class of its colour.
    fn add(&mut self, function: &Function, before: u64, row: usize, kind: &str) {
        if !self.put(&function.name, before, function.total(), row, kind) {
            return;
        }
        let mut start = before;
        for callee in &function.callees {
            let kind = if kind == "k" || (kind == "p" && callee.name == KERNEL_NAME) { "k" } else { "f" };
            self.add(callee, start, row + 1, kind);
            start += callee.total();
        }
    }

    /// Adds a box, unless it is too narrow.
    fn put(&mut self, name: &str, before: u64, total: u64, row: usize, kind: &str) -> bool {
        let part = |count: u64| 100.0 * count as f64 / self.all as f64;
        if part(total) < 100.0 * NARROWEST {
            return false;
        }
        let (name, label) = (escaped(name), escaped(short(name)));
        let (count, share) = (grouped(total), percent(total, self.all));
        self.boxes += &format!(
            "<button class=\"{kind}\" style=\"left:{:.4}%;width:{:.4}%;top:{:.2}rem\" title=\"{name}: {count} \
             instructions, {share}\">{label}</button>\n",
            part(before),
            part(total),
            row as f64 * ROW
        );
        self.rows = self.rows.max(row + 1);
        true
    }
}

/// The last part of a path such as `limen_core::call::<impl Kernel<M>>::serve`.
fn short(name: &str) -> &str {
    let last = name.rsplit("::").next().unwrap_or(name);
    let is_whole = last.matches('<').count() == last.matches('>').count() && !last.starts_with('{');
    if is_whole { last } else { name }
}

fn program_table(tree: &Function, all: u64) -> String {
    let rows = summary::programs(tree);
    let rows = rows.iter().map(|program| {
        let total = program.total();
        let fields = [grouped(total), percent(total, all), percent(program.kernel, total)];
        line(&escaped(program.name), fields)
    });
    table(
        "Programs",
        &headings(["program", "instructions", "share", "in the kernel"]),
        &rows.collect::<String>(),
    )
}

fn function_table(tree: &Function, all: u64) -> String {
    let rows = summary::functions(tree).into_iter().take(summary::MOST_FUNCTIONS);
    let rows = rows.map(|((program, function), count)| {
        let name = format!("{}<small>{}</small>", limen_page::breakable(&function), escaped(&program));
        line(&name, [grouped(count), percent(count, all)])
    });
    let caption = "Functions <em>without those that they call</em>";
    table(caption, &headings(["function", "instructions", "share"]), &rows.collect::<String>())
}

/// A number with thin spaces between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join("\u{202f}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::summary::tests::function;

    fn tree() -> Function {
        let kernel = function("kernel", 0, vec![function("trap<a>", 3000, vec![])]);
        let client = function("client", 1000, vec![kernel, function("rare", 1, vec![])]);
        let other = function("other", 5999, vec![]);
        function("all", 0, vec![other, client, function("boot", 0, vec![function("start", 7, vec![])])])
    }

    #[test]
    fn boxes_are_as_wide_as_their_instructions() {
        let html = page(&tree(), "a & b", "Exact.");
        let has = |text: &str| assert!(html.contains(text), "{text} is not in\n{html}");
        has(
            "class=\"p\" style=\"left:59.9900%;width:40.0100%;top:1.25rem\" title=\"client: 4\u{202f}001 instructions, 40.0 %\"",
        );
        has(
            "class=\"k\" style=\"left:59.9900%;width:30.0000%;top:3.75rem\" title=\"trap&lt;a&gt;: 3\u{202f}000",
        );
        has("class=\"p\" style=\"left:0.0000%;width:59.9900%;top:1.25rem\" title=\"other");
        has("class=\"f\" style=\"left:0.0000%;width:100.0000%;top:1.25rem\" title=\"start");
        has("style=\"height:5.00rem\"");
        assert!(!html.contains("title=\"rare"), "{html}");
    }

    #[test]
    fn the_page_is_well_formed_and_loads_nothing() {
        let html = page(&tree(), "a & b", "Exact.");
        let xml = html.split_once('\n').unwrap().1;
        roxmltree::Document::parse(xml).unwrap();
        assert!(!html.contains("src=") && !html.contains("url(") && !html.contains("http"));
    }

    #[test]
    fn boxes_show_the_last_part_of_a_path() {
        assert_eq!(short("limen_core::call::<impl Kernel<M>>::serve"), "serve");
        assert_eq!(
            ["main", "a::{{closure}}", "<a as b::C<d::E>>"].map(short),
            ["main", "a::{{closure}}", "<a as b::C<d::E>>"]
        );
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(
            [7, 999, 1000, 1_234_567].map(grouped),
            ["7", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }
}
