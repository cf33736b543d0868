//! The complete page.

use crate::changes::Changes;
use crate::comparison::Comparison;
use crate::floor::Floors;
use crate::page::changes::changes;
use crate::page::cold::cold;
use crate::page::floors;
use crate::page::markup::{escaped, run_title, section as collapsible};
use crate::page::method::{all_rows, method};
use crate::page::section::section;
use crate::page::targets::table_of;
use crate::sections::Sections;

/// Collapses sections on narrow screens, and opens the one that a link leads to. Without it, all are open.
const SCRIPT: &str = include_str!("collapse.js");

const TITLE: &str = "Limen: the price of a crossing";

/// The contents of the page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The runs, one per board, in display order.
    pub runs: &'a [Comparison<'a>],
    /// Changes of some of them since earlier runs.
    pub changes: &'a [Changes<'a>],
    /// The sections after the targets.
    pub sections: &'a Sections,
    /// The floors of some rows.
    pub floors: &'a Floors,
}

impl Page<'_> {
    /// The page as a file.
    #[must_use]
    pub fn to_html(&self) -> String {
        let Self { runs, sections, .. } = self;
        let subjects: String = sections.all.iter().map(|subject| section(subject, runs, sections)).collect();
        let body = format!(
            "<h1>{TITLE}</h1>\n{}{}{}{}{}{subjects}{}{}<script>\n{SCRIPT}</script>\n",
            self.facts(),
            self.contents(),
            self.changes(),
            self.targets(),
            floors::section(runs, sections, self.floors),
            cold(runs),
            self.method(),
        );
        limen_page::page(TITLE, "", &body)
    }

    fn facts(&self) -> String {
        let card = |run: &Comparison<'_>| {
            let (targets, met) = run.targets();
            let score = if targets == 0 {
                format!("<b>{}</b> rows", run.lines.len())
            } else {
                format!("<b>{met}</b> of {targets} targets met")
            };
            let results = run.results;
            format!(
                "<p><strong>{}</strong>{score}<small>{}, {} configuration, version {}</small></p>\n",
                run_title(run),
                escaped(&results.unit),
                escaped(&results.config),
                escaped(&results.release())
            )
        };
        format!("<div class=\"cards\">\n{}</div>\n", self.runs.iter().map(card).collect::<String>())
    }

    fn contents(&self) -> String {
        let link = |id: &str, title: &str| {
            let short = title.split(':').next().unwrap_or_default();
            format!("<a href=\"#{}\">{}</a>\n", escaped(id), escaped(short))
        };
        let changes = if self.changes.is_empty() { String::new() } else { link("changes", "Changes") };
        let has_cold = self.runs.iter().any(Comparison::is_cold);
        let cold = if has_cold { link("cold", "Cold cost") } else { String::new() };
        let subjects: String =
            self.sections.all.iter().map(|subject| link(&subject.id, &subject.title)).collect();
        format!(
            "<nav>\n{changes}{}{subjects}{cold}{}</nav>\n",
            link("targets", "Targets"),
            link("method", "Method")
        )
    }

    fn changes(&self) -> String {
        if self.changes.is_empty() {
            return String::new();
        }
        let tables: String = self.changes.iter().map(changes).collect();
        collapsible("changes", "What changed", &format!("<div class=\"beside\">\n{tables}</div>\n"))
    }

    fn targets(&self) -> String {
        let tables: String = self.runs.iter().map(|run| table_of(run, self.sections)).collect();
        if tables.is_empty() {
            return String::new();
        }
        // One for each unit.
        let mut notes: Vec<_> = self.runs.iter().map(|run| run.note).collect();
        notes.dedup();
        let notes = notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", escaped(note)));
        let content = format!(
            "{}<p>A bar is our median as a fraction of the reference\u{2019}s, which is the whole length; the mark is the \
             target. Shorter is better. The column \u{201c}fast paths\u{201d} has the reference with its optional fast paths, and our \
             median as a fraction of that.</p>\n\
             <div class=\"beside\">\n{tables}</div>\n",
            notes.collect::<String>()
        );
        collapsible("targets", "Targets", &content)
    }

    fn method(&self) -> String {
        let rows: String = self.runs.iter().map(all_rows).collect();
        let content = format!(
            "<p>Images of the release configuration run in an emulator in which each instruction \
             takes a nanosecond of the machine\u{2019}s time, so that the counter counts instructions and every run gives the same \
             figures. A program reads the counter before and after what it measures; the cost of a pair of reads is \
             subtracted. Instructions are not cycles: they do not show caches, branch prediction or the cost of writes to system \
             registers. Runs whose unit is cycles are of a simulated core, which shows all of these. A row with a dash in \
             the column of the reference has none.</p>\n{}{rows}",
            method(self.runs)
        );
        collapsible("method", "Method", &content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::results;
    use crate::{Reference, Results};

    fn html(results: &Results, old: Option<&Results>) -> String {
        let (reference, sections) = (Reference::built_in().unwrap(), Sections::built_in().unwrap());
        let runs = [Comparison::new(results, &reference, "aarch64")];
        let changes: Vec<_> = old.iter().map(|old| Changes::between(old, results).unwrap()).collect();
        let floors = Floors::built_in().unwrap();
        Page { runs: &runs, changes: &changes, sections: &sections, floors: &floors }.to_html()
    }

    #[test]
    fn every_compared_row_has_a_bar_and_every_row_a_line() {
        let html = html(&results(), None);
        assert_eq!(html.matches("<svg class=\"bar\"").count(), 2);
        assert!(html.contains("All 3 rows"));
        assert!(html.contains("<b>1</b> of 2 targets met") && html.contains("GCC 12.2"));
    }

    #[test]
    fn runs_in_cycles_are_compared_with_the_reference_in_cycles() {
        let (counted, mut timed) = (results(), results());
        timed.board = "qemu_virt_riscv64 with rocket".to_owned();
        timed.unit = "cycles".to_owned();
        let (in_instructions, in_cycles) = (Reference::built_in().unwrap(), Reference::in_cycles().unwrap());
        let (sections, floors) = (Sections::built_in().unwrap(), Floors::built_in().unwrap());
        let runs = [
            Comparison::new(&counted, &in_instructions, "aarch64"),
            Comparison::new(&timed, &in_cycles, "rocket"),
        ];
        let html = Page { runs: &runs, changes: &[], sections: &sections, floors: &floors }.to_html();
        assert!(html.contains("qemu_virt_riscv64 with rocket: 1 of 1 targets met") && html.contains("2033"));
        assert_eq!(html.matches("<p class=\"note\">").count(), 2);
    }

    #[test]
    fn optional_fast_paths_have_a_column_where_one_has_a_figure() {
        let mut results = results();
        let with = html(&results, None);
        assert!(
            with.contains("165<small>2.42</small>")
                && with.contains("<th scope=\"col\">fast paths</th><th scope=\"col\">target")
        );
        results.rows.remove(1);
        assert!(!html(&results, None).contains("targets fast"));
    }

    #[test]
    fn rows_with_a_floor_have_their_distance() {
        let mut results = results();
        assert!(html(&results, None).contains("id=\"floors\""));
        results.rows.remove(0);
        assert!(!html(&results, None).contains("id=\"floors\""));
    }

    #[test]
    fn sections_without_measurements_say_so() {
        let html = html(&results(), None);
        assert!(html.contains("id=\"nested\"") && html.contains("Not measured in this run."));
        assert!(!html.contains("id=\"changes\""));
    }

    #[test]
    fn counts_of_the_kernels_memory_have_a_section_beside_the_reference() {
        let mut results = results();
        assert!(!html(&results, None).contains("id=\"cold\""));
        results.rows[0].cold = Some(crate::Cold::of_counts([21, 18, 17, 12, 3, 4]));
        let html = html(&results, None);
        assert!(html.contains("<a href=\"#cold\">") && html.contains("qemu_virt_aarch64: 1 of 3 rows"));
        let cells =
            ["21 / 38", "18 / 36", "17", "12", "3", "4"].map(|cell| format!("<td>{cell}</td>")).concat();
        assert!(html.contains(&cells), "{html}");
    }

    #[test]
    fn a_distribution_is_drawn() {
        let mut results = results();
        results.rows[1].name = "cross_u2k".to_owned();
        assert!(!html(&results, None).contains("histogram\""));
        results.rows[1].distribution = vec![(400, 9), (410, 1)];
        assert!(html(&results, None).contains("class=\"histogram\""));
    }

    #[test]
    fn a_constant_value_is_stated_and_not_drawn() {
        let mut results = results();
        results.rows[1].name = "cross_u2k".to_owned();
        results.rows[1].distribution = vec![(400, 10)];
        let html = html(&results, None);
        assert!(!html.contains("class=\"histogram\"") && html.contains("the same value in every sample"));
    }

    #[test]
    fn changes_since_an_earlier_run_come_first() {
        let mut old = results();
        old.rows[1].median = 500;
        let html = html(&results(), Some(&old));
        assert!(html.contains("-20.0 %") && html.find("id=\"changes\"") < html.find("id=\"targets\""));
    }

    #[test]
    fn figures_of_this_machine_are_apart_from_exact_ones() {
        let mut results = results();
        results.rows[2].name = "tool_us".to_owned();
        let html = html(&results, None);
        assert!(html.contains("All 2 rows of") && html.contains(": 1 rows</summary>"));
        let list = html.find("wall time in microseconds").unwrap();
        assert!(html.find("id=\"tool\"").unwrap() < list && list < html.find("id=\"model\"").unwrap());
    }

    #[test]
    fn every_link_leads_to_a_section_that_is_open() {
        let html = html(&results(), None);
        let nav = html.split("</nav>").next().unwrap();
        let links: Vec<_> = nav.split("href=\"#").skip(1).filter_map(|link| link.split('"').next()).collect();
        assert!(links.len() > 5);
        for link in links {
            assert!(html.contains(&format!("<section id=\"{link}\">\n<details open=\"open\">")), "{link}");
        }
    }

    #[test]
    fn text_of_the_target_is_escaped() {
        let html = html(&results(), None);
        assert!(html.contains("line=&lt;odd&gt;") && !html.contains("<odd>"));
    }

    #[test]
    fn the_page_has_no_external_resources() {
        assert!(!html(&results(), None).contains("http"));
    }
}
