//! The comment in front of a table, which says what its cells show.

use super::template::{Selection, Template};

/// Beginning of a comment, with which misspelt ones begin as well.
const BEGINNING: &str = "<!-- figure";
/// A row, or a cell, that stays as it is.
const KEPT: &str = "-";

/// A comment: the description of its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comment {
    /// The figures are not from the record: they were measured by hand.
    ByHand,
    /// The figures are recorded.
    Recorded(Rows),
}

/// The rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The board of all columns, if the headings name none.
    pub board: Option<String>,
    /// One for each row of the table.
    pub rows: Vec<CommentRow>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentRow {
    /// Name and parameters that the templates complete.
    pub row: Selection,
    /// The texts of the cells, one for all columns or one for each; `None` keeps a cell.
    pub cells: Vec<Option<Template>>,
    /// Position of its line in the comment, from 0.
    pub line: usize,
}

/// A malformed comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Position of the line in the comment, from 0.
    pub line: usize,
    /// The mistake, and its correction.
    pub sentence: String,
}

/// Whether a comment about figures begins in this line.
pub fn begins_in(line: &str) -> bool {
    line.trim_start().starts_with(BEGINNING)
}

impl Comment {
    /// Parses the lines of a comment, from its first to the one that ends it.
    ///
    /// # Errors
    /// The first line that is malformed.
    pub fn parse(lines: &[&str]) -> Result<Self, Malformed> {
        let malformed = |line: usize, sentence: String| Malformed { line, sentence };
        let text = lines.join("\n");
        let inside = text.trim().strip_prefix("<!-- figures").and_then(|text| text.strip_suffix("-->"));
        let (head, body) = inside.map(|text| text.split_once('\n').unwrap_or((text, ""))).unwrap_or_default();
        let (of, head) = head.split_once(':').ok_or_else(|| {
            malformed(0, "begin the comment with `<!-- figures: ` or `<!-- figures of BOARD: `".to_owned())
        })?;
        let board = match of.split_once("of ") {
            None if of.is_empty() => None,
            Some((" ", board)) => Some(board.trim().to_owned()),
            _ => {
                return Err(malformed(
                    0,
                    format!("`figures{of}:` is neither `figures:` nor `figures of BOARD:`"),
                ));
            }
        };
        if let Some(date) = head.trim().strip_prefix("by hand") {
            return by_hand(date, body).map_err(|sentence| malformed(0, sentence));
        }
        let default = match head.trim() {
            "" => vec![Some(Template::default())],
            head => templates(head).map_err(|sentence| malformed(0, sentence))?,
        };
        let rows = body.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let rows = rows.map(|(index, line)| {
            let (row, cells) =
                row(line.trim(), &default).map_err(|sentence| malformed(index + 1, sentence))?;
            Ok(CommentRow { row, cells, line: index + 1 })
        });
        Ok(Self::Recorded(Rows { board, rows: rows.collect::<Result<_, _>>()? }))
    }
}

fn by_hand(date: &str, body: &str) -> Result<Comment, String> {
    let parts: Vec<_> = date.trim_start_matches(',').trim().split('-').collect();
    let lengths: Vec<_> = parts.iter().map(|part| part.len()).collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !date.starts_with(", ") || lengths != [4, 2, 2] || !parts.iter().all(is_number) {
        return Err("say when they were measured: `<!-- figures: by hand, YEAR-MONTH-DAY -->`".to_owned());
    }
    if !body.trim().is_empty() {
        return Err("figures by hand have no rows in the comment: end it behind the date".to_owned());
    }
    Ok(Comment::ByHand)
}

/// Parses `ROW`, `ROW: CELLS`, `CELLS` or `-`.
fn row(line: &str, default: &[Option<Template>]) -> Result<(Selection, Vec<Option<Template>>), String> {
    if line == KEPT {
        return Ok((Selection::default(), vec![None]));
    }
    match line.find([':', '{']) {
        None => Ok((Selection::parse(line)?, default.to_vec())),
        Some(0) if line.starts_with('{') => Ok((Selection::default(), templates(line)?)),
        Some(place) if line[place..].starts_with(':') => {
            Ok((Selection::parse(&line[..place])?, templates(&line[place + 1..])?))
        }
        Some(place) => Err(format!("a colon is missing between `{}` and its cells", line[..place].trim())),
    }
}

/// Templates between bars.
fn templates(text: &str) -> Result<Vec<Option<Template>>, String> {
    let template = |text: &str| match text.trim() {
        KEPT => Ok(None),
        text => Template::parse(text).map(Some),
    };
    text.split('|').map(template).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Rows {
        match Comment::parse(&text.lines().collect::<Vec<_>>()) {
            Ok(Comment::Recorded(rows)) => rows,
            other => panic!("{other:?}"),
        }
    }

    fn cells(text: &str) -> Vec<Option<Template>> {
        templates(text).unwrap()
    }

    #[test]
    fn rows_have_the_cells_of_the_first_line_or_their_own() {
        let text =
            "<!-- figures: {fpu=on} / {fpu=off}\nnotify\n\n-\nread: {fpu=off}\n  {a x=1} | - | {b}\n-->";
        let rows = rows(text);
        assert_eq!(rows.board, None);
        let found: Vec<_> =
            rows.rows.iter().map(|row| (row.line, row.row.clone(), row.cells.clone())).collect();
        let named = |name: &str| Selection::parse(name).unwrap();
        assert_eq!(
            found,
            [
                (1, named("notify"), cells("{fpu=on} / {fpu=off}")),
                (3, named(""), vec![None]),
                (4, named("read"), cells("{fpu=off}")),
                (5, named(""), cells("{a x=1}|-|{b}")),
            ]
        );
    }

    #[test]
    fn without_cells_a_row_shows_its_figure() {
        let rows = rows("  <!-- figures of x86_64:\n  notify fpu=on\n  -->");
        assert_eq!(rows.board.as_deref(), Some("x86_64"));
        assert_eq!(rows.rows[0].cells, cells("{}"));
    }

    #[test]
    fn figures_by_hand_have_a_date() {
        assert_eq!(Comment::parse(&["<!-- figures: by hand, 2026-01-31 -->"]), Ok(Comment::ByHand));
    }

    #[test]
    fn malformed_comments_are_reported_with_their_lines() {
        for (text, line, sentence) in [
            ("<!-- figure: {a} -->", 0, "begin the comment with `<!-- figures: `"),
            ("<!-- figures {a} -->", 0, "begin the comment with"),
            ("<!-- figures on x86_64: {a} -->", 0, "neither `figures:` nor `figures of BOARD:`"),
            ("<!-- figures: by hand -->", 0, "say when they were measured"),
            ("<!-- figures: by hand, last May -->", 0, "YEAR-MONTH-DAY"),
            ("<!-- figures: by hand, 2026-01-31\nnotify -->", 0, "have no rows"),
            ("<!-- figures: {a\nnotify\n-->", 0, "without its"),
            ("<!-- figures:\nnotify\nnotify fpu\n-->", 2, "`fpu` is not KEY=VALUE"),
            ("<!-- figures:\nnotify {fpu=on}\n-->", 1, "a colon is missing between `notify` and its cells"),
        ] {
            let malformed = Comment::parse(&text.lines().collect::<Vec<_>>()).unwrap_err();
            assert_eq!(malformed.line, line, "{text}");
            assert!(malformed.sentence.contains(sentence), "{text}: {}", malformed.sentence);
        }
    }
}
