//! A Markdown table, split into cells.

/// A line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// The text before the first `|`.
    indent: String,
    /// The texts between the bars, with their spaces.
    cells: Vec<String>,
}

/// Whether a line belongs to a table.
pub fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

impl TableRow {
    /// Splits a line. A bar behind a backslash belongs to its cell.
    pub fn parse(line: &str) -> Self {
        let text = line.trim_start();
        let indent = line[..line.len() - text.len()].to_owned();
        let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
        for letter in text.trim_end().chars().skip(1) {
            match letter {
                '|' if !escaped => cells.push(std::mem::take(&mut cell)),
                _ => cell.push(letter),
            }
            escaped = letter == '\\' && !escaped;
        }
        if !cell.is_empty() {
            cells.push(cell);
        }
        Self { indent, cells }
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// The text of a cell; empty if the row is too short.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| cell.trim())
    }

    /// Replaces the text of a cell, if the row has it.
    pub fn set(&mut self, column: usize, text: &str) {
        if let Some(cell) = self.cells.get_mut(column).filter(|cell| cell.trim() != text) {
            *cell = format!(" {text} ");
        }
    }

    /// The line.
    pub fn line(&self) -> String {
        let cells: String = self.cells.iter().map(|cell| format!("|{cell}")).collect();
        format!("{}{cells}|", self.indent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_keeps_all_but_the_cells_that_change() {
        let line = "  | `a\\|b`  | 1 / 2 | | x |";
        let mut row = TableRow::parse(line);
        assert_eq!((row.count(), row.line().as_str()), (4, line));
        assert_eq!([0, 1, 2, 3, 4].map(|column| row.cell(column)), ["`a\\|b`", "1 / 2", "", "x", ""]);
        row.set(1, "3 / 4");
        row.set(2, "5");
        row.set(3, "x");
        row.set(9, "none");
        assert_eq!(row.line(), "  | `a\\|b`  | 3 / 4 | 5 | x |");
    }

    #[test]
    fn a_row_may_lack_its_last_bar() {
        assert_eq!(TableRow::parse("| a | b").count(), 2);
        assert!(is_row("  | a |") && !is_row("a | b"));
    }
}
