//! A comparison as text for a console.

use crate::comparison::{Comparison, Line};

const HEADINGS: [&str; 7] = ["row", "conditions", "median", "reference", "ratio", "target", "met"];

/// Number of left-aligned columns, which hold names; the others hold numbers.
const NAMES: usize = 2;

impl Comparison<'_> {
    /// The table, one line per row, and the note on the reference.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (native, exact): (Vec<_>, Vec<_>) = self.lines.iter().partition(|line| line.row.is_native());
        let mut cells = vec![HEADINGS.map(str::to_owned)];
        cells.extend(exact.iter().chain(&native).map(|line| cells_of(line)));
        let widths: [usize; HEADINGS.len()] =
            std::array::from_fn(|column| cells.iter().map(|row| row[column].len()).max().unwrap_or_default());
        let (exact, native) = cells.split_at(1 + exact.len());
        let text = |rows: &[[String; HEADINGS.len()]]| -> String {
            rows.iter().map(|row| aligned(row, &widths)).collect()
        };
        let mut table = text(exact);
        if !native.is_empty() {
            table += &format!("of the tool, on the machine of this run:\n{}", text(native));
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
    let figure = |text: &dyn Fn(f64, f64) -> String| {
        line.figure.map_or_else(|| "-".to_owned(), |figure| text(figure.median, figure.target))
    };
    [
        line.row.name.clone(),
        line.row.conditions(),
        line.row.median.to_string(),
        figure(&|median, _| median.to_string()),
        line.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}")),
        figure(&|_, target| target.to_string()),
        line.is_met().map_or("-", |met| if met { "yes" } else { "no" }).to_owned(),
    ]
}

fn aligned(row: &[String; HEADINGS.len()], widths: &[usize; HEADINGS.len()]) -> String {
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
        assert!(lines[1].ends_with("310        620  0.500     0.5  yes"), "{text}");
        assert!(lines[2].ends_with("400        465  0.860    0.25   no"), "{text}");
        assert!(lines[3].ends_with("  7          -      -       -    -"), "{text}");
        assert!(text.contains(
            "instructions on qemu_virt_aarch64, release, 0.9.0 (0123456789ab): 1 of 2 targets met"
        ));
        assert!(text.contains("GCC 12.2"));
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
