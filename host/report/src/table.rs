//! A comparison as text for a console.

use crate::comparison::{Comparison, Line};

const HEADINGS: [&str; 9] =
    ["row", "conditions", "median", "reference", "ratio", "fast paths", "ratio", "target", "met"];

/// The headings of the kernel's memory, if it was counted.
const COLD: [&str; 8] =
    ["code lines", "reference", "data lines", "reference", "read", "written", "code pages", "data pages"];

/// Number of left-aligned columns, which hold names; the others hold numbers.
const NAMES: usize = 2;

impl Comparison<'_> {
    /// The table, one line per row, and the note on the reference.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (native, exact): (Vec<_>, Vec<_>) = self.lines.iter().partition(|line| line.row.is_native());
        let cold: &[&str] = if self.is_cold() { &COLD } else { &[] };
        let mut cells = vec![HEADINGS.iter().chain(cold).map(|heading| (*heading).to_owned()).collect()];
        cells.extend(exact.iter().chain(&native).map(|line| {
            let mut cells = cells_of(line).to_vec();
            cells.extend(cold_cells_of(line).into_iter().take(cold.len()));
            cells
        }));
        let widths: Vec<usize> = (0..HEADINGS.len() + cold.len())
            .map(|column| cells.iter().map(|row| row[column].len()).max().unwrap_or_default())
            .collect();
        let (exact, native) = cells.split_at(1 + exact.len());
        let text =
            |rows: &[Vec<String>]| -> String { rows.iter().map(|row| aligned(row, &widths)).collect() };
        let mut table = text(exact);
        if !native.is_empty() {
            table += &format!("of the tool, on the machine of this run:\n{}", text(native));
        }
        if !cold.is_empty() {
            table += "The kernel's cache lines of 64 bytes and pages of 4 KiB that one operation touches; - where the row is not \
                      what executes between two reads of the counter, or the kernel does not execute.\n";
        }
        let results = self.results;
        let (unit, board, config, release) =
            (&results.unit, &results.board, &results.config, results.release());
        let run = format!("{table}\n{unit} on {board}, {config}, {release}");
        match self.targets() {
            (0, _) => run + "\n",
            (targets, met) => format!("{run}: {met} of {targets} targets met\n{}\n", self.note),
        }
    }
}

fn cells_of(line: &Line<'_>) -> [String; HEADINGS.len()] {
    let shown = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string());
    [
        line.row.name.clone(),
        line.row.conditions(),
        line.row.median.to_string(),
        shown(line.figure.map(|figure| figure.median)),
        line.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}")),
        shown(line.fast().map(|(median, _)| median)),
        line.fast().map_or_else(|| "-".to_owned(), |(_, ratio)| format!("{ratio:.3}")),
        shown(line.figure.and_then(|figure| figure.target)),
        line.is_met().map_or("-", |met| if met { "yes" } else { "no" }).to_owned(),
    ]
}

fn cold_cells_of(line: &Line<'_>) -> [String; COLD.len()] {
    let dash = || "-".to_owned();
    let [code_reference, data_reference] =
        line.cold.map(|figure| figure.map_or_else(dash, |figure| figure.median.to_string()));
    let counts = line.row.cold.map(|cold| cold.counts().map(|count| count.to_string()));
    let [code, data, read, written, code_pages, data_pages] =
        counts.unwrap_or_else(|| [(); 6].map(|()| dash()));
    [code, code_reference, data, data_reference, read, written, code_pages, data_pages]
}

fn aligned(row: &[String], widths: &[usize]) -> String {
    let cell = |(column, text): (usize, &String)| match widths[column] {
        width if column < NAMES => format!("{text:width$}"),
        width => format!("{text:>width$}"),
    };
    let line: Vec<_> = row.iter().enumerate().map(cell).collect();
    line.join("  ").trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use crate::comparison::tests::results;
    use crate::{Comparison, Reference};

    #[test]
    fn the_table_shows_every_row() {
        let (results, reference) = (results(), Reference::built_in().unwrap());
        let text = Comparison::new(&results, &reference, "aarch64").to_text();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[1].ends_with("310        620  0.500           -      -     0.5  yes"), "{text}");
        assert!(lines[2].ends_with("400        465  0.860         165  2.424    0.25   no"), "{text}");
        assert!(lines[3].ends_with("  7          -      -           -      -       -    -"), "{text}");
        assert!(text.contains(
            "instructions on qemu_virt_aarch64, release, 0.9.0 (0123456789ab): 1 of 2 targets met"
        ));
        assert!(text.contains("GCC 12.2"));
    }

    #[test]
    fn counts_of_the_kernels_memory_are_columns_if_a_row_has_them() {
        let (mut results, reference) = (results(), Reference::built_in().unwrap());
        results.rows[0].cold = Some(crate::Cold::of_counts([21, 18, 17, 12, 3, 4]));
        let text = Comparison::new(&results, &reference, "aarch64").to_text();
        let words = |line: usize| {
            text.lines()
                .nth(line)
                .unwrap()
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert!(
            words(0).ends_with(
                "met code lines reference data lines reference read written code pages data pages"
            )
        );
        assert!(words(1).ends_with("yes 21 38 18 36 17 12 3 4"), "{text}");
        assert!(words(2).ends_with("no - - - - - - - -"), "{text}");
        assert!(text.contains("cache lines of 64 bytes"));
    }

    #[test]
    fn figures_of_this_machine_come_last() {
        let (mut results, reference) = (results(), Reference::built_in().unwrap());
        results.rows[0].name = "tool_us".to_owned();
        let text = Comparison::new(&results, &reference, "aarch64").to_text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[3], "of the tool, on the machine of this run:");
        assert!(lines[4].starts_with("tool_us"), "{text}");
    }

    #[test]
    fn rows_without_targets_need_no_note_on_the_reference() {
        let (mut results, reference) = (results(), Reference::built_in().unwrap());
        results.rows.drain(..2);
        let text = Comparison::new(&results, &reference, "aarch64").to_text();
        assert!(text.ends_with("release, 0.9.0 (0123456789ab)\n"), "{text}");
    }
}
