//! A document with tables of figures.

use super::comment::{self, Comment, CommentRow, Rows};
use super::record::{Board, Record};
use super::table::{self, TableRow};

/// A document after its tables have been compared with the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examined {
    /// Its text with the recorded figures.
    pub text: String,
    /// Tables that show other figures, as sentences with file and line.
    pub stale: Vec<String>,
    /// Comments that are malformed or do not fit their tables, as sentences with file and line. These tables are left
    /// as they are.
    pub problems: Vec<String>,
}

/// A problem, and the position of its line in the document, from 0.
type Problem = (usize, String);

/// Compares the tables of a document with the record.
pub fn examine(path: &str, text: &str, record: &Record) -> Examined {
    let lines: Vec<_> = text.lines().collect();
    let mut new: Vec<_> = lines.iter().map(|line| (*line).to_owned()).collect();
    let mut examined = Examined::default();
    let (mut at, mut in_code) = (0, false);
    while at < lines.len() {
        in_code ^= lines[at].trim_start().starts_with("```");
        let outcome = match lines[at] {
            _ if in_code => Ok(at + 1),
            line if comment::begins_in(line) => commented(path, &lines, &mut new, at, record),
            line if table::is_row(line) => uncommented(&lines, at, record),
            _ => Ok(at + 1),
        };
        at = outcome.unwrap_or_else(|(line, sentence)| {
            examined.problems.push(format!("{path}:{}: {sentence}", line + 1));
            end_of_table(&lines, next_table(&lines, at))
        });
    }
    examined.stale = stale(path, &lines, &new);
    examined.text = new.iter().map(|line| line.clone() + "\n").collect();
    examined
}

/// The folder whose tables may have figures by hand: they argue for a choice on the day when it was made.
const HISTORY: &str = "docs/decisions/";

/// Fills in the table behind the comment that begins in line `at`; returns the line after the table.
fn commented(
    path: &str,
    lines: &[&str],
    new: &mut [String],
    at: usize,
    record: &Record,
) -> Result<usize, Problem> {
    let end = lines[at..].iter().position(|line| line.contains("-->"));
    let end =
        end.ok_or_else(|| (at, "the comment has no end: write `-->` behind its last row".to_owned()))?;
    let first = at + end + 1;
    let comment = Comment::parse(&lines[at..first]).map_err(|bad| (at + bad.line, bad.sentence))?;
    let last = end_of_table(lines, first);
    if last - first < 3 {
        return Err((
            at,
            "no table follows the comment: put the comment in the line before its table".to_owned(),
        ));
    }
    if comment == Comment::ByHand && !path.starts_with(HISTORY) {
        let sentence = format!(
            "figures by hand become wrong unnoticed: show recorded ones (CONTRIBUTING.md, \"Figures in the docs\"), or move \
             the table to the decision in {HISTORY} that it argues for"
        );
        return Err((at, sentence));
    }
    if let Comment::Recorded(rows) = comment {
        // The heading and the line below it are not figures.
        let body = first + 2..last;
        let filled = fill(&rows, lines[first], &lines[body.clone()], record)
            .map_err(|(line, sentence)| (at + line, sentence))?;
        for (line, row) in new[body].iter_mut().zip(filled) {
            *line = row.line();
        }
    }
    Ok(last)
}

/// Checks that a table without a comment shows no figures of boards; returns the line after it.
fn uncommented(lines: &[&str], at: usize, record: &Record) -> Result<usize, Problem> {
    let last = end_of_table(lines, at);
    let heading = TableRow::parse(lines[at]);
    let columns: Vec<_> =
        (1..heading.count()).filter(|c| record.board_in(heading.cell(*c)).is_some()).collect();
    let is_figure =
        |text: &str| text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_alphabetic);
    let shows_figures =
        |line: &&str| columns.iter().any(|column| is_figure(TableRow::parse(line).cell(*column)));
    if lines[at..last].iter().skip(2).any(shows_figures) {
        let sentence = "the table shows figures of boards: put a comment `<!-- figures: ... -->` in front of it \
                        (CONTRIBUTING.md, \"Figures in the docs\")";
        return Err((at, sentence.to_owned()));
    }
    Ok(last)
}

/// The table that line `at` is about: its first line, or the next comment if that comes first.
fn next_table(lines: &[&str], at: usize) -> usize {
    let is_next = |line: &&str| table::is_row(line) || comment::begins_in(line);
    let skipped = usize::from(!table::is_row(lines[at]));
    at + skipped + lines[at + skipped..].iter().take_while(|line| !is_next(line)).count()
}

fn end_of_table(lines: &[&str], first: usize) -> usize {
    let rows = lines.iter().skip(first).take_while(|line| table::is_row(line));
    first + rows.count()
}

/// The rows of a table with the recorded figures. Lines of problems are relative to the comment.
fn fill(rows: &Rows, heading: &str, body: &[&str], record: &Record) -> Result<Vec<TableRow>, Problem> {
    let columns = columns(rows, &TableRow::parse(heading), record).map_err(|sentence| (0, sentence))?;
    let present: Vec<_> = body.iter().map(|line| TableRow::parse(line)).collect();
    if rows.rows.len() != present.len() {
        let sentence = format!(
            "the comment has {} rows and the table {}: write a row for each, or `-` to keep one as it is",
            rows.rows.len(),
            present.len()
        );
        return Err((0, sentence));
    }
    let filled = rows.rows.iter().zip(&present).map(|(comment, row)| {
        filled(comment, row, &columns, record).map_err(|sentence| (comment.line, sentence))
    });
    let filled = filled.collect::<Result<Vec<_>, _>>()?;
    if filled != present && figures_of(&filled, &columns) == figures_of(&present, &columns) {
        let sentence =
            "the rows of the table are in another order than those of the comment: reorder one of them";
        return Err((0, sentence.to_owned()));
    }
    Ok(filled)
}

/// The columns that are filled in, with their boards.
fn columns<'r>(
    rows: &Rows,
    heading: &TableRow,
    record: &'r Record,
) -> Result<Vec<(usize, &'r Board)>, String> {
    let after_label = 1..heading.count();
    if let Some(name) = &rows.board {
        let board = record.board(name)?;
        return Ok(after_label.map(|column| (column, board)).collect());
    }
    let of_board = |column| Some((column, record.board_in(heading.cell(column))?));
    let columns: Vec<_> = after_label.filter_map(of_board).collect();
    if columns.is_empty() {
        return Err("no heading names a board: write `figures of BOARD:` for a table of one board".to_owned());
    }
    Ok(columns)
}

fn filled(
    comment: &CommentRow,
    row: &TableRow,
    columns: &[(usize, &Board)],
    record: &Record,
) -> Result<TableRow, String> {
    let cells = &comment.cells;
    if cells.len() != 1 && cells.len() != columns.len() {
        return Err(format!(
            "there are {} cells for {} columns: write one for all columns or one for each, `-` to keep one",
            cells.len(),
            columns.len()
        ));
    }
    let mut row = row.clone();
    for ((column, board), cell) in columns.iter().zip(cells.iter().cycle()) {
        if let Some(template) = cell {
            row.set(*column, &template.fill(record, board, &comment.row)?);
        }
    }
    Ok(row)
}

/// The figures of each row, sorted, which does not change with the order of the rows.
fn figures_of<'t>(rows: &'t [TableRow], columns: &[(usize, &Board)]) -> Vec<Vec<&'t str>> {
    let figures = |row: &'t TableRow| columns.iter().map(|(column, _)| row.cell(*column)).collect();
    let mut all: Vec<Vec<_>> = rows.iter().map(figures).collect();
    all.sort_unstable();
    all
}

/// A sentence for each table that changes, about its first row that does.
fn stale(path: &str, old: &[&str], new: &[String]) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut at = 0;
    while let Some(place) = old[at..].iter().zip(&new[at..]).position(|(old, new)| *old != new.as_str()) {
        let line = at + place;
        let (row, recorded) = (TableRow::parse(old[line]), TableRow::parse(&new[line]));
        let column = (0..row.count()).find(|column| row.cell(*column) != recorded.cell(*column));
        let column = column.unwrap_or_default();
        let (shown, figure) = (row.cell(column), recorded.cell(column));
        let label = row.cell(0);
        sentences.push(format!(
            "{path}:{}: the row '{label}' shows '{shown}', but '{figure}' is recorded: run ./x headers",
            line + 1
        ));
        at = end_of_table(old, line);
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    fn examined(text: &str) -> Examined {
        examine("a.md", text, &record())
    }

    const TABLE: &str = "| path | AArch64 | why | RISC-V |\n|---|---|---|---|\n| one | 1 | x | 2 |\n";

    #[test]
    fn tables_get_the_recorded_figures() {
        let text = include_str!("golden/before.md");
        let after = include_str!("golden/after.md");
        let found = examined(text);
        assert_eq!(found.text, after);
        assert_eq!(found.problems, [""; 0]);
        assert_eq!(examined(after), Examined { text: after.to_owned(), ..Examined::default() });
    }

    #[test]
    fn a_stale_table_is_reported_once() {
        let text = format!(
            "Text.\n\n<!-- figures:\nnotify fpu=off\nnotify fpu=off\n-->\n{TABLE}| two | 113 | | 2 |\n"
        );
        let found = examined(&text);
        assert_eq!(found.stale, ["a.md:9: the row 'one' shows '1', but '113' is recorded: run ./x headers"]);
        assert!(found.text.ends_with("| one | 113 | x | 133 |\n| two | 113 | | 133 |\n"), "{}", found.text);
    }

    #[test]
    fn comments_that_do_not_fit_are_reported() {
        let two = format!("{TABLE}| two | 3 | x | 4 |\n");
        let swapped = "| path | AArch64 |\n|---|---|\n| on | 140 512 |\n| off | 113 |\n";
        for (comment, table, line, sentence) in [
            ("<!-- figures:\nnotify fpu=off", TABLE, 1, "the comment has no end"),
            ("<!-- figures:\nnotify fpu=off\n-->\n", TABLE, 1, "no table follows the comment"),
            (
                "<!-- figures:\nnotify fpu=off\n-->",
                &two,
                1,
                "has 1 rows and the table 2: write a row for each",
            ),
            ("<!-- figures:\nnotify fpu=of\n-->", TABLE, 2, "no row `notify fpu=of`; did you mean"),
            ("<!-- figures: {} | {} | {}\nnotify fpu=off\n-->", TABLE, 2, "there are 3 cells for 2 columns"),
            ("<!-- figures of PDP-11:\nnotify fpu=off\n-->", TABLE, 1, "there is no board `PDP-11`"),
            (
                "<!-- figures:\nnotify fpu=off\n-->",
                "| a | b |\n|---|---|\n| c | 1 |\n",
                1,
                "no heading names a board",
            ),
            ("<!-- figures:\nnotify fpu=off\nnotify fpu=on\n-->", swapped, 1, "are in another order"),
            ("", TABLE, 2, "the table shows figures of boards: put a comment"),
        ] {
            let text = format!("{comment}\n{table}");
            let found = examined(&text);
            assert_eq!(found.text, text);
            let [problem] = found.problems.as_slice() else { panic!("{text}: {found:?}") };
            assert!(problem.starts_with(&format!("a.md:{line}: ")), "{problem}");
            assert!(problem.contains(sentence), "{problem}");
        }
    }

    #[test]
    fn only_decisions_have_figures_by_hand() {
        let text = format!("<!-- figures: by hand, 2026-01-31 -->\n{TABLE}");
        let in_decision = examine("docs/decisions/0001-a.md", &text, &record());
        assert_eq!(in_decision, Examined { text: text.clone(), ..Examined::default() });
        let problems = examine("docs/a.md", &text, &record()).problems;
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        assert!(problem.starts_with("docs/a.md:1: figures by hand become wrong unnoticed"), "{problem}");
    }

    #[test]
    fn other_tables_and_code_are_left_alone() {
        for text in [
            "```\n<!-- figures: {\n```\n".to_owned(),
            "| what | on AArch64 | on RISC-V |\n|---|---|---|\n| wipe | four | none |\n".to_owned(),
            "| key | 12 |\n|---|---|\n| a | 7 |\n".to_owned(),
        ] {
            assert_eq!(examined(&text), Examined { text: text.clone(), ..Examined::default() });
        }
    }
}
